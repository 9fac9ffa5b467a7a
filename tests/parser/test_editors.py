"""The files for editors are current, and their rules say of every header what the parser does with it."""

import json
import re
from pathlib import Path

import pytest
from gsolve.parser import DeckError, read_deck
from gsolve.parser.editors import files, headers, snippets, textmate_grammar, vim_syntax
from gsolve.parser.keywords.engine import ENGINE_KEYWORDS
from gsolve.parser.keywords.registry import KEYWORDS
from gsolve.parser.reference import example_deck
from parser_decks import deck

REPOSITORY = Path(__file__).parents[2]
DECKS = sorted((REPOSITORY / "decks").rglob("*.rad")) + sorted((REPOSITORY / "decks").rglob("*.inc"))
RULES = [rule for rule in textmate_grammar()["patterns"] if "include" not in rule]


@pytest.mark.parametrize("name", files())
def test_the_files_are_up_to_date(name: str) -> None:
    assert (REPOSITORY / "editors" / name).read_text(encoding="utf-8") == files()[name], (
        "run python -m gsolve.parser.editors editors"
    )


def scope_of(header: str) -> str:
    """The scope that the rules give a header: at one place, the first rule that fits."""
    for rule in RULES:
        if re.match(rule.get("match", rule.get("begin")), header):
            return rule.get("name") or rule.get("captures", rule.get("beginCaptures"))["1"]["name"]
    return ""


def lines_of(text: str) -> list[tuple[str, str]]:
    """Each line with its kind, by the rules: comment, header, title or data."""
    comment = [rule["match"] for rule in textmate_grammar()["repository"]["comment"]["patterns"]]
    found, inside = [], None
    for line in text.splitlines():
        if any(re.match(pattern, line) for pattern in comment):
            found.append(("comment", line))
        elif rule := next((rule for rule in RULES if re.match(rule.get("match", rule.get("begin")), line)), None):
            found.append(("header", line))
            inside = rule if "begin" in rule else None
        elif inside is not None:
            assert re.match(inside["end"], line)[1] == line
            found.append(("title", line))
            inside = None
        else:
            found.append(("data", line))
    return found


@pytest.mark.parametrize("path", DECKS, ids=lambda path: path.name)
def test_headers_of_the_example_decks_are_read_ones(path: Path) -> None:
    kinds = [kind for kind, _ in lines_of(path.read_text(encoding="utf-8"))]
    headings = [line for kind, line in lines_of(path.read_text(encoding="utf-8")) if kind == "header"]
    assert {scope_of(line) for line in headings} <= {"keyword.control.block.gsolve"}
    assert kinds.count("title") <= len(headings)


def test_titles_are_those_of_the_parser() -> None:
    """Of the deck of examples, in which each keyword stands."""
    from gsolve.parser.keywords.registry import TABLE
    from gsolve.parser.text.grammar import split_blocks

    text = example_deck()
    titles = [block.title for block in split_blocks(text, untitled=TABLE.untitled_names).blocks if block.title_line]
    assert [line.strip() for kind, line in lines_of(text) if kind == "title"] == titles
    assert len(titles) > 50


@pytest.mark.parametrize(
    ("header", "scope"),
    [
        ("/GJOINT/GEAR/3/7", "keyword.control.block"),
        ("  /gjoint/gear/&id", "keyword.control.block"),
        ("/INIVEL/T+G/1", "keyword.control.block"),
        ("/TFILE/4", "keyword.control.block"),
        ("/GJOINT/GAER/3", "invalid.illegal.unknown"),
        ("/GJOINTS/GEAR", "invalid.illegal.unknown"),
        ("/PROP/TYPE45/1", "invalid.deprecated.unsupported"),
        ("/PROP/TYPE4/1", "keyword.control.block"),
        ("/RBODY/ON", "invalid.deprecated.unsupported"),
        ("/ANIM/VECT/DISP", "comment.block.skipped"),
        ("/PROP/PLY/1", "comment.block.skipped"),
    ],
)
def test_headers_are_coloured_by_what_is_done_with_them(header: str, scope: str, tmp_path: Path) -> None:
    assert scope_of(header) == f"{scope}.gsolve"
    path = tmp_path / "deck.rad"
    path.write_text(deck(f"{header}\n"))
    try:
        said = [d.message for d in read_deck(path).warnings]
    except DeckError as error:
        said = [d.message for d in error.diagnostics]
    unsupported = any("not supported" in message for message in said)
    unknown = any("unknown keyword" in message or "has no type" in message for message in said)
    assert (unsupported, unknown) == ("unsupported" in scope, "unknown" in scope)


def test_a_name_stands_in_one_rule() -> None:
    names = [name for group in headers() for name in group.names]
    assert len(names) == len(set(names))
    assert {name for keyword in KEYWORDS for name in keyword.names} | set(ENGINE_KEYWORDS) <= set(names)


def test_the_rules_of_vim_have_the_same_names() -> None:
    text = vim_syntax()
    for group in headers():
        for name in group.names:
            assert re.search(rf"(?:\(|\|){re.escape(name)}\\", text), name


@pytest.mark.parametrize(
    ("value", "is_number"),
    [("1.5D-3", True), (".5", True), ("1.5-3", True), ("-25.", True), ("abc", False), ("a1", False)],
)
def test_numbers(value: str, is_number: bool) -> None:
    rules = textmate_grammar()["repository"]["values"]["patterns"]
    (number,) = (rule["match"] for rule in rules if rule["name"] == "constant.numeric.gsolve")
    match = re.search(number, value)
    assert (match is not None and match[0] == value) is is_number


def test_snippets_are_the_examples() -> None:
    assert set(snippets()) == {f"/{keyword.name}" for keyword in KEYWORDS} | {f"/{name}" for name in ENGINE_KEYWORDS}
    for snippet in snippets().values():
        assert snippet["body"][0].startswith(snippet["prefix"])


def test_the_extension_names_files_that_are_there() -> None:
    folder = REPOSITORY / "editors" / "vscode"
    contributes = json.loads((folder / "package.json").read_text())["contributes"]
    places = [contributes["languages"][0]["configuration"], contributes["grammars"][0]["path"]]
    for place in [*places, contributes["snippets"][0]["path"]]:
        json.loads((folder / place).read_text(encoding="utf-8"))
