"""The manual as a site: built without a warning, and read without a network."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]
LOADED = re.compile(r"<(?:script|img|iframe|source)[^>]* src=\"?([^\s\">]+)|<link[^>]* href=\"?([^\s\">]+)")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site: broken links, missing headings and pages left out of the navigation are errors."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=REPOSITORY,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_no_page_loads_anything_from_elsewhere(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 80
    for page in pages:
        for found in LOADED.findall(page.read_text(encoding="utf-8")):
            address = "".join(found)
            if address.startswith("data:"):
                continue
            assert "//" not in address, f"{page.relative_to(site)} loads {address}"
            if page.name != "404.html":
                assert (page.parent / address.split("?")[0]).exists(), f"{page.relative_to(site)}: {address}"


def test_example_decks_are_pages_with_their_files(site: Path) -> None:
    page = (site / "decks" / "gear_pair" / "index.html").read_text(encoding="utf-8")
    assert 'href="gear_pair.rad"' in page and (site / "decks" / "gear_pair" / "gear_pair.rad").is_file()


def test_every_page_can_be_searched(site: Path) -> None:
    index = (site / "search" / "search_index.json").read_text(encoding="utf-8")
    for page in ("docs/gear_joints.html", "decks/gear_pair/index.html", "CHANGELOG.html"):
        assert f'"location":"{page}"' in index
