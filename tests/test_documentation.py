"""What the manual shows exists and works."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from gsolve.parser import read_deck
from gsolve.parser.keywords.engine import ENGINE_KEYWORDS
from gsolve.parser.keywords.registry import TABLE
from gsolve.solver.cli import gsolve

REPOSITORY = Path(__file__).parents[1]
PAGES = sorted(
    [
        *REPOSITORY.glob("*.md"),
        *(
            page
            for folder in ("docs", "decks", "bench", "tests", "editors")
            for page in (REPOSITORY / folder).rglob("*.md")
        ),
    ]
)
MANUAL = [page for page in PAGES if page.parent.name == "docs"]


def name_of(page: Path) -> str:
    return str(page.relative_to(REPOSITORY))


def fenced(page: Path, language: str) -> list[str]:
    """The blocks of a page that are marked as a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def anchors(page: Path) -> set[str]:
    """What a link into a page may point at: its headings as GitHub writes them."""
    headings = re.findall(r"^#+ (.*)", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        linked = (page.parent / path).resolve() if path else page
        assert linked.exists(), f"{target} does not exist"
        if anchor:
            assert anchor in anchors(linked), f"{target}: no such heading"


def test_every_page_of_the_manual_is_in_its_index():
    index = (REPOSITORY / "docs" / "README.md").read_text(encoding="utf-8")
    assert [page.name for page in MANUAL if page.name != "README.md" and f"({page.name})" not in index] == []


def test_decks_in_the_manual_can_be_read(tmp_path):
    decks = [block for page in MANUAL for block in fenced(page, "rad") if "/RUN/" in block]
    assert decks, "the manual shows at least one whole deck"
    for deck in decks:
        path = tmp_path / "shown.rad"
        path.write_text(deck)
        assert read_deck(path).warnings == []


def test_keywords_in_the_manual_exist():
    for page in MANUAL:
        for header in re.findall(r"^/(\S+)", "\n".join(fenced(page, "rad")), re.MULTILINE):
            parts = header.upper().split("/")
            assert TABLE.find(parts) or parts[0] in ENGINE_KEYWORDS, f"{page.name}: /{header}"


def commands() -> Iterator[tuple[Path, str]]:
    """Commands of gsolve that pages show: between backquotes, in indented lines, for shells, CI and containers."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        shell = "\n".join(block for language in ("sh", "yaml", "dockerfile") for block in fenced(page, language))
        found = re.findall(r"`(gsolve [^`\n]+)`", text) + re.findall(r"^ {4}(gsolve .+)$", text, re.MULTILINE)
        yield from ((page, command) for command in found + re.findall(r"\b(gsolve [^\n;]+)", shell))


def test_options_in_the_manual_exist():
    root = click.Context(gsolve)
    parameters = [p for name in gsolve.list_commands(root) for p in gsolve.commands[name].params] + gsolve.get_params(
        root
    )
    known = {name for parameter in parameters for name in (*parameter.opts, *parameter.secondary_opts)}
    known |= {"--help", "-h"}
    shown = list(commands())
    assert len(shown) > 20
    for page, command in shown:
        for option in re.findall(r"(?<=\s)(--?[A-Za-z][\w-]*)", command.split(">")[0].split("#")[0]):
            assert option in known, f"{name_of(page)}: {command}"


def test_scripts_in_the_manual_exist():
    for page in PAGES:
        for script in re.findall(r"python ((?:bench|tests)/\S+?\.py)", page.read_text(encoding="utf-8")):
            assert (REPOSITORY / script).is_file(), f"{name_of(page)}: {script}"
