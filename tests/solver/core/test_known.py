"""Results that a process has found before."""

from __future__ import annotations

from gsolve.solver.core.known import Known


def test_results_are_found_once_and_the_oldest_asked_for_is_forgotten():
    known, found = Known[int](2), []

    def value(key: str) -> int:
        return known.get(key, lambda: found.append(key) or len(found))  # type: ignore[func-returns-value]

    assert [value("a"), value("b"), value("a")] == [1, 2, 1]
    assert value("c") == 3  # b was asked for before a
    assert [value("a"), value("b")] == [1, 4]
    assert found == ["a", "b", "c", "b"] and len(known) == 2
    known.clear()
    assert value("a") == 5


def test_results_may_count_by_their_size():
    known, found = Known[str](5, len), []

    def value(text: str) -> str:
        return known.get(text, lambda: found.append(text) or text)  # type: ignore[func-returns-value]

    for text in ("aaa", "bb", "bb", "aaa", "cc", "aaa", "bb"):
        assert value(text) == text
    assert found == ["aaa", "bb", "cc", "bb"] and len(known) == 2
    assert value("longer than all") == "longer than all" and len(known) == 2
