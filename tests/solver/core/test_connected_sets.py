"""What hangs together, against scipy."""

from __future__ import annotations

import numpy as np
import pytest
from gsolve.solver.core.connected_sets import connected_sets
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components


@pytest.mark.parametrize(
    "count, pairs, numbers",
    [(6, [(4, 5), (1, 5), (5, 2)], [0, 1, 1, 2, 1, 1]), (3, [], [0, 1, 2]), (0, [], []), (2, [(1, 1)], [0, 1])],
)
def test_sets_are_numbered_by_their_lowest_member(count, pairs, numbers):
    assert connected_sets(count, *np.array(pairs, np.int64).reshape(-1, 2).T).tolist() == numbers


def test_sets_are_those_of_scipy():
    random = np.random.default_rng(5)
    chain = random.permutation(3000)
    for pairs in (
        np.column_stack([chain[:-1], chain[1:]]),
        *(random.integers(0, 3000, (n, 2)) for n in (500, 1500, 4000)),
    ):
        pattern = coo_matrix((np.ones(len(pairs)), tuple(pairs.T)), shape=(3000, 3000))
        label, found = connected_components(pattern, directed=False)[1], connected_sets(3000, *pairs.T)
        assert len(set(zip(found.tolist(), label.tolist(), strict=True))) == label.max() + 1 == found.max() + 1
        assert np.all(np.diff(np.unique(found, return_index=True)[1]) > 0)
