"""What is explained is what the deck reference says, by any spelling of a name."""

import re

import pytest
from gsolve.parser.explain import WIDTH, UnknownWordError, explain, overview, words
from gsolve.parser.keywords.engine import ENGINE_KEYWORDS
from gsolve.parser.keywords.registry import KEYWORDS
from gsolve.parser.reference import examples, keyword_section


def text_of(word: str) -> str:
    return "\n".join(line.text for line in explain(word))


@pytest.mark.parametrize("keyword", KEYWORDS, ids=lambda keyword: keyword.name)
def test_every_keyword_has_its_fields_rulers_and_example(keyword) -> None:
    """The words of the reference, in its order; only the tables are drawn in another way."""
    text = text_of(keyword.name)
    section = keyword_section(keyword)
    for ruler in re.findall(r"```\n(\[.*)\n```", section):
        assert ruler in text.split("\n")
    assert text.endswith(examples()[keyword.name])
    for row in re.findall(r"^\| (.*) \|$", section, re.MULTILINE):
        name, columns, *_ = row.split(" | ")
        assert (
            columns.startswith("-")
            or columns == "columns"
            or re.search(rf"^  {re.escape(name)} +{columns} ", text, re.M)
        )
    described = "".join(re.findall(r"[^\s`]", section.split("\n\n")[1]))
    assert described in "".join(text.split())
    without_example = text[: -len(examples()[keyword.name])]
    assert max(map(len, without_example.split("\n"))) <= WIDTH


@pytest.mark.parametrize("name", ENGINE_KEYWORDS)
def test_every_keyword_of_the_engine_is_explained(name: str) -> None:
    text = text_of(name)
    assert text.startswith(f"/{name}\n") and text.endswith(examples()[name])
    for value in ENGINE_KEYWORDS[name].values:
        assert value.meaning in text


@pytest.mark.parametrize("word", ["/GJOINT/GEAR", "gjoint gear", "/gjoint/gear/3", "GJOINT/GEAR/3/7", " Gjoint/Gear/ "])
def test_any_spelling_of_a_header_will_do(word: str) -> None:
    assert explain(word) == explain("GJOINT/GEAR")


def test_other_names_lead_to_the_same() -> None:
    assert explain("SENSOR/TYPE0") == explain("SENSOR/TIME")
    assert explain("JOINT/HINGE") == explain("JOINT/REVOLUTE")
    assert "/ADMAS/5/id" in text_of("ADMAS/5/12")


def test_families_patterns_and_fields() -> None:
    assert {"/GJOINT/GEAR", "/GJOINT/DIFF", "/GJOINT/RACK"} <= set(text_of("gjoint").split())
    assert set(re.findall(r"/\S+", text_of("*/SCREW"))) == {"/JOINT/SCREW"}
    assert text_of("fscalev").startswith("field FscaleV: ratio: FscaleV w1 + w2 = 0\n  of /GJOINT/GEAR\n")


def test_the_overview_has_every_keyword_once() -> None:
    shown = [line.text.split()[0] for line in overview() if line.text.startswith("  /")]
    assert shown == [f"/{keyword.name}" for keyword in KEYWORDS] + [f"/{name}" for name in ENGINE_KEYWORDS]


def test_every_word_that_is_offered_is_explained() -> None:
    assert len(words()) > len(KEYWORDS)
    for word in words():
        assert explain(word)


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("/PROP/TYPE45", "Instead: /JOINT/type joins two nodes"),
        ("ANIM/DT", "gsolve skips it, as without influence on the motion.\n/ANIM: no animation is written."),
        ("KEREL", "gsolve does not support it: a deck with it is not run"),
    ],
)
def test_keywords_that_are_not_read_say_so(word: str, said: str) -> None:
    assert said in text_of(word)


@pytest.mark.parametrize(
    ("word", "meant"),
    [("gjoint/gaer", "/GJOINT/GEAR"), ("nod", "/NODE"), ("fscale_w", "Fscale_y"), ("qqqq", None)],
)
def test_unknown_words_get_what_may_be_meant(word: str, meant: str | None) -> None:
    with pytest.raises(UnknownWordError, match=f"nothing in a deck is called {word}") as caught:
        explain(word)
    assert caught.value.meant[:1] == ([meant] if meant else [])
