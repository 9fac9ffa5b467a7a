"""What the manual shows exists and works."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import bulk_calls
import click
import pytest
from click.testing import CliRunner
from gsolve.parser import read_deck
from gsolve.parser.keywords.engine import ENGINE_KEYWORDS
from gsolve.parser.keywords.registry import TABLE
from gsolve.parser.text.known_keywords import (
    SKIPPED_ENGINE,
    SKIPPED_STARTER,
    UNSUPPORTED_ENGINE,
    UNSUPPORTED_STARTER,
    longest_match,
)
from gsolve.solver.cli.program import gsolve
from reflow import pages, reflowed

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


def test_lines_of_prose_are_no_longer_than_120_characters():
    """`python docs/site/reflow.py` breaks them."""
    assert len(pages()) > 80
    assert [name_of(page) for page in pages() if reflowed(text := page.read_text(encoding="utf-8")) != text] == []


@pytest.mark.parametrize(
    ("line", "broken"),
    [
        ("word " * 40, ["word " * 23 + "word", "word " * 15 + "word"]),
        ("- " + "word " * 40, ["- " + "word " * 22 + "word", "  " + "word " * 16 + "word"]),
        ("w" * 117 + " a - b", ["w" * 117, "a - b"]),
        ("w" * 112 + " `gsolve -q`", ["w" * 112, "`gsolve -q`"]),
        ("| " + "word " * 40 + "|", ["| " + "word " * 40 + "|"]),
        ("    gsolve " + "word " * 40, ["    gsolve " + "word " * 40]),
    ],
    ids=["paragraph", "item", "no line begins with a dash", "code stays whole", "table", "command"],
)
def test_long_lines_are_broken_where_that_changes_nothing(line, broken):
    assert reflowed(f"# Title\n\n{line}\n").splitlines()[2:] == broken


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


def what_becomes_of(keyword: str) -> str:
    """Of a keyword of Radioss: read, skipped or refused."""
    parts = keyword.strip("/").split("/")
    if TABLE.find(parts) or parts[0] in ENGINE_KEYWORDS:
        return "read"
    skipped = longest_match(parts, SKIPPED_STARTER + SKIPPED_ENGINE)
    refused = longest_match(parts, UNSUPPORTED_STARTER + UNSUPPORTED_ENGINE)
    return "skipped" if skipped > refused else "refused" if refused else "unknown"


def test_page_of_openradioss_says_what_becomes_of_keywords():
    page = (REPOSITORY / "docs" / "from_openradioss.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (/\S+) \| (\w+) \|", page, re.MULTILINE)
    assert len(rows) > 50
    assert {keyword: what_becomes_of(keyword) for keyword, _ in rows} == dict(rows)


@pytest.mark.parametrize("name", ["from_openradioss.md", "from_motionsolve.md", "from_mujoco.md"])
def test_pages_for_newcomers_name_keywords_that_exist(name):
    page = (REPOSITORY / "docs" / name).read_text(encoding="utf-8")
    for keyword in re.findall(
        r"(?<![\w/])/(?:JOINT|GJOINT|DRIVE|COUPLER|SURF|CURVE|PROP|SENSOR|INTER)/[A-Z0-9_]+", page
    ):
        assert what_becomes_of(keyword) != "unknown", f"{name}: {keyword}"


def commands_of(page: Path) -> list[str]:
    """Commands of gsolve that it shows: between backquotes, in indented lines, for shells, CI and containers."""
    text = page.read_text(encoding="utf-8")
    shell = "\n".join(block for language in ("sh", "yaml", "dockerfile") for block in fenced(page, language))
    found = re.findall(r"`(gsolve [^`\n]+)`", text) + re.findall(r"^ {4}(gsolve .+)$", text, re.MULTILINE)
    return found + re.findall(r"\b(gsolve [^\n;]+)", shell)


def test_options_in_the_manual_exist():
    root = click.Context(gsolve)
    parameters = [p for name in gsolve.list_commands(root) for p in gsolve.commands[name].params] + gsolve.get_params(
        root
    )
    known = {name for parameter in parameters for name in (*parameter.opts, *parameter.secondary_opts)}
    known |= {"--help", "-h"}
    shown = [(page, command) for page in PAGES for command in commands_of(page)]
    assert len(shown) > 20
    for page, command in shown:
        for option in re.findall(r"(?<=\s)(--?[A-Za-z][\w-]*)", command.split(">")[0].split("#")[0]):
            assert option in known, f"{name_of(page)}: {command}"


# pages whose commands a test of their own calls, with what they say
RUN_ELSEWHERE = {
    "compare.md": "solver/results/compare/test_compare_page.py",
    "cookbook.md": "interface/test_recipes.py",
    "developing.md": "test_developing.py",
    "gear_mesh.md": "solver/tools/gears/test_gear_mesh_command.py",
    "plot.md": "solver/results/plot/test_plot_page.py",
    "sweep.md": "solver/bulk/test_sweep.py",
    "tutorial.md": "interface/test_tutorial.py",
}
# commands that a test of their own calls
CALLED_ELSEWHERE = {
    "gsolve compare NAME.h5 NAME.csv --rtol 1e-4": "solver/results/compare/test_csv_file.py",
    "gsolve plot gear_pair.h5": "solver/results/plot/test_plot_command.py",
}


def arguments_of(command: str) -> list[str]:
    """What a shell hands on: without notes behind it, redirections and what follows a failure."""
    words = shlex.split(re.split(r"\s{2,}", command)[0], comments=True)[1:]
    end = next((place for place, word in enumerate(words) if word in (">", "||")), len(words))
    return [word.replace("$torque", "2") for word in words[:end]]


def is_runnable(command: str) -> bool:
    """Whether it is whole, not a form to fill in (DECK, ..., [OPTION], NAME=VALUE) or the name of a command."""
    arguments = arguments_of(command)
    whole = not re.search(r"\b(DECK|FILE|STUDY|RUN|NAME\.h5|NAME=VALUE)\b|\.\.\.|\[", shlex.join(arguments))
    name_of_a_command = all(word in gsolve.commands or word.startswith("-") for word in arguments)
    return whole and (arguments == ["--help"] or not name_of_a_command)


def shown_on(page: Path) -> list[str]:
    """The commands of a page that can be called, in the order in which they stand there."""
    text = page.read_text(encoding="utf-8")
    found = {command for command in commands_of(page) if is_runnable(command)}
    return sorted(found - set(CALLED_ELSEWHERE), key=text.index)


def lay(arguments: list[str], page: Path, result: Path) -> None:
    """Put the files that a command names, and that earlier ones did not write, into the current folder."""
    gear_pair = REPOSITORY / "decks" / "gear_pair"
    if arguments[0] == "new":
        Path(f"{arguments[1]}.rad").unlink(missing_ok=True)
        return
    if arguments[0] == "resume" and "--t-end" not in arguments:
        stopped = [str(gear_pair / "gear_pair.rad"), "-q", "--force", "-o", arguments[1], "--stop-when", "t > 0.5"]
        assert CliRunner().invoke(gsolve, stopped).exit_code == 0
        return
    for word in arguments:
        path = Path(word)
        if path.exists() or "*" in word or word.startswith("-"):
            continue
        if path.suffix == ".rad":
            path.parent.mkdir(parents=True, exist_ok=True)
            whole = [deck for deck in fenced(page, "rad") if "/RUN/" in deck]
            shown = (REPOSITORY / path).read_text(encoding="utf-8") if (REPOSITORY / path).is_file() else None
            path.write_text(shown or (*whole, (gear_pair / "gear_pair.rad").read_text(encoding="utf-8"))[0])
        elif path.suffix == ".h5":
            shutil.copy(result, path)
        elif path.suffix == ".toml":
            assert CliRunner().invoke(gsolve, ["new", "gear_pair", "-o", "varied.rad"]).exit_code == 0
            responses = '[responses]\nspeed = "final(gjoint/1/VEL1)"\n'
            path.write_text(f'deck = "varied.rad"\n[parameters]\ntorque = [1, 2]\n{responses}')
    if "batch" in arguments:
        shutil.rmtree("results", ignore_errors=True)
        shutil.copytree(gear_pair, "decks/gear_pair", dirs_exist_ok=True)
        shutil.copytree(gear_pair, "models/gear_pair", dirs_exist_ok=True)
        shutil.copy(gear_pair / "gear_pair.rad", "models/gear_pair/gear_pair_0000.rad")


@pytest.fixture(scope="module")
def result_of_a_gear_pair(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("result") / "gear_pair.h5"
    deck = REPOSITORY / "decks" / "gear_pair" / "gear_pair.rad"
    done = CliRunner().invoke(gsolve, [str(deck), "-q", "--frames", "5", "-o", str(path)])
    assert done.exit_code == 0, done.output
    return path


def called(arguments: list[str]) -> tuple[int, str]:
    """Exit status and words of gsolve; what starts workers is forked."""
    if arguments[0] == "batch":
        forked = bulk_calls.call(*arguments)
        return forked.returncode, forked.stdout + forked.stderr
    done = CliRunner().invoke(gsolve, arguments)
    return done.exit_code, done.output


@pytest.mark.parametrize(
    "page",
    [page for page in (REPOSITORY / "README.md", *MANUAL) if page.name not in RUN_ELSEWHERE and shown_on(page)],
    ids=name_of,
)
def test_commands_of_the_manual_run(page, result_of_a_gear_pair, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for command in shown_on(page):
        arguments = arguments_of(command)
        lay(arguments, page, result_of_a_gear_pair)
        runs_again = arguments[0].endswith(".rad") and "--force" not in arguments
        code, said = called([*arguments, *(["--force"] if runs_again else [])])
        assert code == 0, f"{command}\n{said}"


@pytest.mark.parametrize("name, test", RUN_ELSEWHERE.items())
def test_pages_whose_commands_run_elsewhere_have_their_test(name, test):
    assert name in (REPOSITORY / "tests" / test).read_text(encoding="utf-8")


def test_scripts_in_the_manual_exist():
    for page in PAGES:
        for script in re.findall(r"python ((?:bench|tests)/\S+?\.py)", page.read_text(encoding="utf-8")):
            assert (REPOSITORY / script).is_file(), f"{name_of(page)}: {script}"


# Imports programs, each in a fork of its own with the paths that Python gives it, and says what fails.
IMPORT_EACH = """
import os, runpy, sys, traceback
import h5py, numba, scipy.spatial
import gsolve.solver.run.simulation

peers = {"coal", "exudyn", "mujoco", "pybullet"}  # extras
for path in sys.argv[1:]:
    child = os.fork()
    if not child:
        sys.path[0], sys.argv = os.path.dirname(path), [path]
        try:
            runpy.run_path(path)
        except ModuleNotFoundError as error:
            if error.name not in peers:
                print(path, traceback.format_exc(), flush=True)
        except BaseException:
            print(path, traceback.format_exc(), flush=True)
        os._exit(0)
    os.waitpid(child, 0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="each program begins in a fork")
def test_programs_of_the_bench_find_what_they_import(tmp_path):
    scripts = sorted(map(str, (REPOSITORY / "bench").glob("*.py")))
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, "-c", IMPORT_EACH, *scripts],
        cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert (done.stdout, done.returncode, len(scripts) > 30) == ("", 0, True), done.stderr
