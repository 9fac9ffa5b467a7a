"""Disjoint sets."""

from __future__ import annotations

from collections.abc import Iterable


class UnionFind:
    """Disjoint sets of 0 .. n - 1."""

    def __init__(self, n: int) -> None:
        self._parent = list(range(n))

    def root(self, i: int) -> int:
        parent = self._parent
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    def join(self, items: Iterable[int]) -> None:
        roots = {self.root(i) for i in items}
        if roots:
            lowest = min(roots)
            for root in roots:
                self._parent[root] = lowest
