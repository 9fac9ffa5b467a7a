"""The page in a browser: it shows, plays, answers to keys and clicks, prints, and asks nobody for anything.

Skipped where there is no Chromium.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gsolve.solver.results.report.write import write_report
from machine_files import wheel_and_ball
from made_results import make_result
from test_report_page import finish

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine to show the page in")
OPTIONS = [
    "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
TIMES = np.linspace(0.0, 1.0, 21)
BACKGROUND = "getComputedStyle(document.body).backgroundColor"


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "wheel.h5"
    histories = {"energy/error": 1e-9 * TIMES, "joint/5/RATE": 3.0 * TIMES, "joint/5/ANG": 1.5 * TIMES**2}
    make_result(path, TIMES, histories, units={"RATE": "rad/s", "ANG": "rad"}, names={5: "axle"})
    finish(path)
    wheel_and_ball(path)
    return path


@pytest.fixture(scope="module")
def shown(source: Path) -> Iterator[tuple[Any, list[str]]]:
    """The page in a browser, and what was said to the console or asked of others since it began to load."""
    from playwright.sync_api import sync_playwright

    page_file = write_report(source, source.parent).path.resolve()
    with sync_playwright() as player:
        browser = player.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        page, said = browser.new_page(viewport={"width": 1000, "height": 800}, color_scheme="light"), list[str]()
        page.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: said.append(f"error: {error}"))
        page.on("request", lambda request: said.append(request.url) if request.url != page_file.as_uri() else None)
        page.goto(page_file.as_uri())
        page.wait_for_selector("html[data-ready=yes]", timeout=30_000)
        yield page, said
        browser.close()


@pytest.fixture
def page(shown: tuple[Any, list[str]]) -> Iterator[Any]:
    """At its first time, nothing chosen; nothing has been said or asked when the test ends."""
    page, said = shown
    page.evaluate("document.activeElement.blur(); page.choose(null); page.clock.pause(); page.clock.seek(0)")
    page.evaluate("page.view.look(5)")
    yield page
    assert said == []


def picture(page: Any) -> bytes:
    page.wait_for_timeout(100)
    return page.locator("#picture").screenshot()  # type: ignore[no-any-return]


def place(page: Any, point: tuple[float, float, float]) -> tuple[float, float]:
    """Where a point of space is on the screen."""
    x, y = page.evaluate(
        "p => { const v = new THREE.Vector3(...p).project(page.view.camera);"
        "const b = page.view.canvas.getBoundingClientRect();"
        "return [b.left + b.width * (v.x + 1) / 2, b.top + b.height * (1 - v.y) / 2]; }",
        list(point),
    )
    return float(x), float(y)


def test_it_plays_and_stops_at_the_keys(page):
    before = picture(page)
    page.keyboard.press(" ")
    for _ in range(100):  # of a tenth of a second; the page forbids itself what `wait_for_function` needs
        if page.evaluate("page.clock.t") > 0.1:
            break
        page.wait_for_timeout(100)
    assert page.evaluate("page.clock.t") > 0.1
    page.keyboard.press(" ")
    assert not page.evaluate("page.clock.playing")
    assert picture(page) != before
    page.keyboard.press("End")
    assert page.locator("#now").inner_text() == "t = 1.0000 s"
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("page.clock.t") == pytest.approx(0.95)
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("page.clock.t") == pytest.approx(0.05)
    speed = page.evaluate("page.clock.speed")
    page.keyboard.press("+")
    assert page.evaluate("page.clock.speed") == 2 * speed
    page.keyboard.press("-")


def test_bodies_are_where_the_frames_say(page):
    for t in (0.0, 0.275, 1.0):
        page.evaluate(f"page.clock.seek({t})")
        ball = page.evaluate("Array.from(page.view.poses.point(1, 0, 0, 0, [0, 0, 0]))")
        assert ball == pytest.approx([t, 1.0, 0.0], abs=2e-5)
        rim = page.evaluate("Array.from(page.view.poses.point(0, 0.5, 0, 0, [0, 0, 0]))")
        assert rim == pytest.approx([0.5 * np.cos(np.pi * t), 0.5 * np.sin(np.pi * t), 0.0], abs=2e-3)


def test_a_click_on_a_body_shows_its_curves(page):
    page.mouse.click(*place(page, (0.0, 1.0, 0.0)))
    assert page.locator("#chosen-name").inner_text() == "ball <b>"
    assert page.locator("#chosen-plots .plot").count() == 2
    speeds = page.evaluate("page.ofBody[0].series[0].y.length")
    assert speeds == 20
    page.mouse.click(*place(page, (0.3, 0.1, 0.0)))
    assert page.locator("#chosen-name").inner_text() == "wheel"
    page.locator("#chosen-objects button", has_text="joint 5").click()
    assert page.locator("#chosen-plots .plot").count() == 4  # speed, turning; rad and rad/s of the joint
    page.keyboard.press("Escape")
    assert page.locator("#chosen").is_hidden()
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("n")
    assert page.locator("#bodies").input_value() == "0"


def test_the_cursors_of_the_plots_are_the_time_of_the_picture(page):
    page.mouse.move(1, 1)
    page.evaluate("page.clock.seek(0.5)")
    drawn = "[...page.plots.plots][0].drawn"
    assert page.evaluate(f"{drawn}.data[0][{drawn}.cursor.idx]") == pytest.approx(0.5)
    over = page.locator("#opening .u-over").first
    over.scroll_into_view_if_needed()
    box = over.bounding_box()
    page.mouse.click(box["x"] + 0.75 * box["width"], box["y"] + 0.5 * box["height"])
    assert page.evaluate("page.clock.t") == pytest.approx(0.75, abs=0.01)
    page.mouse.move(1, 1)


def test_curves_are_found_and_drawn(page):
    page.locator("#curves summary").click()
    page.locator("#search").fill("ang axle")
    assert page.locator("#count").inner_text() == "1 of 3 curves"
    page.locator("#found button").click()
    assert page.locator("#added figcaption span").inner_text() == "joint/5/ANG [rad]"
    page.locator("#added button").click()
    assert page.locator("#added .plot").count() == 0


def test_light_and_dark(page):
    light, picture_in_light = page.evaluate(BACKGROUND), picture(page)
    page.locator("#theme").click()
    assert page.evaluate(BACKGROUND) != light and picture(page) != picture_in_light
    page.locator("#theme").click()
    assert page.evaluate(BACKGROUND) == light


def test_all_fits_a_telephone(page):
    page.set_viewport_size({"width": 390, "height": 800})
    page.wait_for_timeout(100)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.set_viewport_size({"width": 1000, "height": 800})


def test_it_prints(page):
    assert page.pdf(format="A4").startswith(b"%PDF")
