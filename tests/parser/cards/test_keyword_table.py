"""Headers find their declarations, and wrong ones what may have been meant."""

import pytest
from gsolve.parser.cards.keyword_table import KeywordTable
from gsolve.parser.cards.layout import Keyword, Stage


def keyword(*names: str, titled: bool = True) -> Keyword:
    return Keyword(names, "for a test", None, Stage.OBJECTS, titled=titled)


BODY, LAGRANGE, NODE = keyword("RBODY"), keyword("RBODY/LAGMUL"), keyword("NODE", titled=False)
HINGE, BALL = keyword("JOINT/REVOLUTE", "JOINT/REV"), keyword("JOINT/SPHERICAL")
RUN = keyword("RUN", titled=False)
TABLE = KeywordTable([BODY, LAGRANGE, NODE, HINGE, BALL], [RUN], {"JOINT": {"PIN": "REVOLUTE"}})


def test_the_longest_name_counts() -> None:
    assert TABLE.find(["RBODY", "LAGMUL", "3"]) == (LAGRANGE, 2)
    assert TABLE.find(["RBODY", "3"]) == (BODY, 1)
    assert TABLE.find(["JOINT", "REV"]) == (HINGE, 2)
    assert TABLE.find(["JOINT"]) is None
    assert TABLE.find(["RUN"]) is None


def test_kinds_of_a_family_are_those_that_can_be_read() -> None:
    assert TABLE.kinds_of("JOINT") == ["REVOLUTE", "REV", "SPHERICAL"]
    assert TABLE.kinds_of("NODE") == []


@pytest.mark.parametrize(("written", "meant"), [("PIN", "REVOLUTE"), ("SPERICAL", "SPHERICAL"), ("QQQ", "")])
def test_kinds_that_may_be_meant(written: str, meant: str) -> None:
    assert TABLE.kind_meant("JOINT", written) == meant


def test_untitled_keywords_are_those_of_both_decks() -> None:
    assert TABLE.untitled_names[:2] == ("NODE", "RUN")


def test_engine_decks_are_suggested_engine_keywords_only() -> None:
    assert TABLE.suggestions(["RBODI"], engine=False) == ["RBODY"]
    assert TABLE.suggestions(["RBODI"], engine=True) == []
    assert TABLE.suggestions(["RUNS"], engine=True) == ["RUN"]
