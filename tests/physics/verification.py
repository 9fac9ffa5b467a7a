"""Write docs/verification.md: problems whose answers are known, what gsolve gives, and by how much that is off.

`python tests/physics/verification.py` runs all of them, some minutes, and writes the page anew.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import gsolve
import numpy as np
from gsolve.solver.results.compare.expected import read_expected
from linkages import SpatialSliderCrank
from running import DECKS, REPOSITORY, Results, run
from test_benchmark_mechanisms import SQUEEZER, bricard, governor, spatial_slider_crank, squeezer
from test_contact_friction import ANGLES, oblique_impacts
from test_contact_impacts import CLOSED_FORM, CRADLE, cradle, hertz_impacts, peak
from test_example_decks import EXPECTED, deck_beside
from test_hunt_crossley import impacts

PAGE = REPOSITORY / "docs" / "verification.md"
ROUND_OFF = 1e-10  # of a number: what is less depends on the processor
CHUNG = "Y. C. Chung and J. Y. Ooi, Granular Matter 13, 2011"


@dataclass(frozen=True)
class Problem:
    """A number of the literature, or of a closed form.

    answer : or what finds it
    found : runs the problem and gives what gsolve makes of it
    """

    name: str
    quantity: str
    answer: float | Callable[[], float]
    unit: str
    source: str
    found: Callable[[], float]

    @functools.cached_property
    def known(self) -> float:
        return self.answer() if callable(self.answer) else self.answer


@functools.cache
def _hertz() -> Results:
    return hertz_impacts()[0]


@functools.cache
def _oblique() -> tuple[Results, list[int]]:
    return oblique_impacts(ANGLES, (0.092, 0.092, 1e-3, 1e-3), 1)


def _largest(channel: str, interface: int) -> float:
    return float(peak(_hertz().times, _hertz().of("th/inter", channel, interface)))


def _tangential(angle: float) -> float:
    results, nodes = _oblique()
    return float(results.node("VX", nodes[ANGLES.index(angle)])[-1] / (3.9 * math.sin(math.radians(angle))))


def _spin(angle: float) -> float:
    results, nodes = _oblique()
    return float(results.node("VRY", nodes[ANGLES.index(angle)])[-1])


def _example(folder: str) -> float:
    """The first number of an example deck."""
    expected = DECKS / folder / "expected.toml"
    return float(gsolve.judge(gsolve.run(deck_beside(expected)), expected)[1].found)


def _crank_angle() -> float:
    results = run(squeezer(1e-6))
    return float(SQUEEZER.start[0] + results.of("th/joint", "ANG", results.ids["th/joint"][0])[-1])


PROBLEMS = (
    Problem(
        "Pendulum, IFToMM A01",
        "x after 10 s",
        0.27508746257612,
        "m",
        "IFToMM library of benchmark problems; Jacobi's functions",
        lambda: float(run(DECKS / "pendulum" / "pendulum.rad").node("X", 2)[-1]),
    ),
    Problem(
        "Two four-bars through singular positions, IFToMM A02",
        "x of the first pin after 10 s",
        0.3284581115408,
        "m",
        "IFToMM library; one pendulum, by Jacobi's functions",
        lambda: float(run(DECKS / "four_bar" / "four_bar.rad").node("DX", 12)[-1]),
    ),
    Problem(
        "Andrews' squeezing mechanism, IFToMM A03, steps of 1 µs",
        "angle of the crank after 0.03 s",
        SQUEEZER.at_003[0],
        "rad",
        "E. Hairer and G. Wanner, Solving Ordinary Differential Equations II",
        _crank_angle,
    ),
    Problem(
        "Bricard's linkage, IFToMM A04, one redundant row, `--accuracy 1e-7`",
        "y of a corner after 4 s",
        -1.6438775,
        "m",
        "IFToMM library; Exudyn, test model bricardMechanism",
        lambda: float(run(bricard(5e-4, t_end=4.0), every=0.5, accuracy=1e-7).node("Y", 32)[-1]),
    ),
    Problem(
        "Stiff flyball governor, IFToMM A05, automatic step",
        "height of the slider after 3 s",
        0.51324638,
        "m",
        "IFToMM library; Exudyn, at 0.25 ms",
        lambda: float(run(governor(3.0)).node("Z", 20)[-1]),
    ),
    Problem(
        "Spatial slider-crank, IFToMM, steps of 0.25 ms",
        "x of the slider after 1 s",
        lambda: float(SpatialSliderCrank().slider(np.array([0.0, 1.0]))[-1]),
        "m",
        "equation of motion of its one coordinate, integrated independently",
        lambda: float(run(spatial_slider_crank(2.5e-4, t_end=1.0)).node("X", 30)[-1]),
    ),
    Problem(
        "Spinning heavy top",
        "x of the centre after 0.2 s",
        0.6055505614,
        "m",
        "O. Brüls, A. Cardona, M. Arnold, Mechanism and Machine Theory 48, 2012; integrated independently",
        lambda: _example("heavy_top"),
    ),
    Problem(
        "Free body that flips over (Dzhanibekov)",
        "period",
        16.3722868904764,
        "s",
        "Landau and Lifshitz, Mechanics, paragraph 37; Jacobi's functions",
        lambda: _example("asymmetric_top"),
    ),
    Problem(
        "Two glass balls, elastic impact at 10 m/s each",
        "largest force",
        CLOSED_FORM[0][1],
        "N",
        f"Hertz; {CHUNG}, test 1",
        lambda: _largest("FNZ", 1),
    ),
    Problem(
        "Ball of aluminium on a plane, elastic impact at 0.2 m/s",
        "largest depth",
        CLOSED_FORM[2][0],
        "m",
        f"Hertz; {CHUNG}, test 2",
        lambda: _largest("PEN", 3),
    ),
    Problem(
        "Ball on a plane, oblique impact at 35°",
        "tangential restitution",
        0.737,
        "1",
        f"{CHUNG}, test 4, finite elements",
        lambda: _tangential(35.0),
    ),
    Problem(
        "Ball on a plane, oblique impact at 35°",
        "spin after it",
        582.3,
        "rad/s",
        f"{CHUNG}, test 4, finite elements",
        lambda: _spin(35.0),
    ),
    Problem(
        "Ball on a plane, oblique impact at 60°",
        "spin after it",
        357.5,
        "rad/s",
        f"{CHUNG}, test 4, finite elements",
        lambda: _spin(60.0),
    ),
    Problem(
        "Three balls of a cradle that touch, force z^1.5",
        "speed of the last ball, of that of the first",
        CRADLE[1.5][2],
        "1",
        "their equations of motion, integrated independently; free of parameters",
        lambda: cradle(1.5)[1][2],
    ),
    Problem(
        "Impact with the damping of Hunt and Crossley, c = 0.2 s/m, 1 m/s",
        "speed of the rebound",
        0.832870,
        "m/s",
        "K. H. Hunt and F. R. E. Crossley, 1975; first integral",
        lambda: float(impacts([(1e7, 1.5, 0.2)], 4000, speed=1.0)[0][0, 0]),
    ),
)


def off_by(found: float, known: float) -> str:
    """Relative error in words that do not change with the processor: a bound of one digit."""
    error = abs(found - known) / (abs(known) or 1.0)
    if error < ROUND_OFF:
        return "round-off"
    size = 10.0 ** math.floor(math.log10(error))
    return f"{next(step * size for step in (1, 2, 5, 10) if error <= step * size * (1 + 1e-12)):.0e}"


def shown(value: float) -> str:
    return f"{value:.10g}"


def deck_link(folder: str) -> str:
    return f"[{folder}](../decks/{folder}/README.md)"


def lines_of_problems() -> Iterator[str]:
    for problem in PROBLEMS:
        error = off_by(problem.found(), problem.known)
        known = f"{shown(problem.known)} {problem.unit}".removesuffix(" 1")
        yield f"| {problem.name} | {problem.quantity} | {known} | {error} | {problem.source} |"


def lines_of_examples() -> Iterator[str]:
    for path in EXPECTED:
        judged = gsolve.judge(gsolve.run(deck_beside(path), allow_user_code=True), path)[1:]
        for number, entry in zip(judged, read_expected(path)[1], strict=True):
            what = entry.source if entry.response else number.what
            allowed, error = number.allowed / (abs(number.expected) or 1.0), off_by(number.found, number.expected)
            yield f"| {deck_link(path.parent.name)} | {what} | {shown(number.expected)} | {allowed:.0e} | {error} |"


HEAD = """\
# Verification

Problems whose answers are known, and how far gsolve is off. This page is written by

    python tests/physics/verification.py

which runs all of it, in some minutes. The tests run the same problems with every change, and more of them: orders of
convergence, conserved quantities, comparisons with dense calculations of random machines. Errors are relative to the
number, rounded up to 1, 2 or 5 times a power of ten; "round-off" is less than 1e-10.

![Errors of the published problems, from 1e-8 to 1e-2 of the number, and of the example decks, none above what is
allowed](pictures/verification.png)

The picture is drawn from the tables below; what holds to round-off stands at its edge.

## Published problems

Where a published number has few digits, or comes from finite elements, the difference is mostly that of the
publication.

| problem | quantity | published or exact | off by | source |
| --- | --- | --- | --- | --- |
"""

EXAMPLES = """
## Example decks

The numbers that the README of each example promises, in the units of its deck. Some hold to round-off, as axes stand
still and loads are constant; where contacts, friction or meshes decide, the README says what the number is compared
with.

| example | number | expected | allowed | off by |
| --- | --- | --- | --- | --- |
"""


def write_page(page: Path) -> None:
    parts = [HEAD, *(f"{line}\n" for line in lines_of_problems()), EXAMPLES]
    parts += [f"{line}\n" for line in lines_of_examples()]
    page.write_text("".join(parts), encoding="utf-8")


if __name__ == "__main__":
    write_page(PAGE)
