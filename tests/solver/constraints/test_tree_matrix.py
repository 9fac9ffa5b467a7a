"""The matrix of trees in fronts, against dense matrices."""

from __future__ import annotations

import numpy as np
import pytest
from gsolve.solver.assembly.tree_order import Node, plan_fronts
from gsolve.solver.assembly.tree_records import Fronts
from gsolve.solver.constraints.tree_matrix import FRONT, eliminate, solve
from naive.tree import eliminated


class Random:
    """A tree of joints with random freedoms, and joints that close loops between any two of them."""

    def __init__(self, seed: int, joints: int, loops: int) -> None:
        random = np.random.default_rng(seed)
        self.nodes = list[Node]()
        chains, self.n_freedoms = list[list[int]](), 0
        for k in range(joints):
            count = int(random.integers(1, 4))
            self.nodes.append(Node(list(range(self.n_freedoms, self.n_freedoms + count))))
            self.n_freedoms += count
            chains.append([*(chains[int(random.integers(0, k))] if k else []), k])
        pattern = np.zeros((self.n_freedoms, self.n_freedoms), dtype=bool)
        for k, chain in enumerate(chains):
            for i in chain:
                pattern[np.ix_(self.nodes[i].unknowns, self.nodes[k].unknowns)] = True
                self._meet(i, k)
        a = np.where(pattern | pattern.T, random.normal(size=pattern.shape), 0.0)
        a += 4 * self.n_freedoms * np.eye(self.n_freedoms)  # as definite as masses are
        rows = list[np.ndarray]()
        for _ in range(loops):
            one, other = random.choice(joints, 2, replace=False)
            touched = sorted(set(chains[one]) ^ set(chains[other]))
            if sum(len(self.nodes[i].unknowns) for i in touched) < 3:
                continue
            row = np.zeros((2, self.n_freedoms))
            for i in touched:
                row[:, self.nodes[i].unknowns] = random.normal(size=(2, len(self.nodes[i].unknowns)))
            first = self.n_freedoms + 2 * len(rows)
            self.nodes.append(Node([first, first + 1], closes=True))
            for i in touched:
                self._meet(i, len(self.nodes) - 1)
            rows.append(row)
        self.shares = np.concatenate(rows) if rows else np.zeros((0, self.n_freedoms))
        nothing = np.zeros((len(self.shares), len(self.shares)))
        change = 1.0 + 0.1 * random.normal(size=self.shares.shape)
        self.dense = np.block([[a, -self.shares.T], [self.shares * change, nothing]])
        self.right = random.normal(size=len(self.dense))

    def _meet(self, i: int, k: int) -> None:
        if i != k:
            self.nodes[i].near.add(k)
            self.nodes[k].near.add(i)

    def solved(self) -> np.ndarray:
        """The solution by fronts."""
        fronts = plan_fronts(self.nodes, self.shares)
        where, records, unknowns, targets = Fronts(fronts, 0), list[tuple[int, ...]](), list[int](), list[int]()
        for front in fronts:
            size = len(front.own) + len(front.touched)
            records.append((len(unknowns), len(front.own), size, where.first_value[id(front)], len(targets)))
            unknowns += [*front.own, *front.touched]
            targets += [where.rest_of(front, i, j) for i in front.touched for j in front.touched]
        values = np.zeros(where.end)
        for i, j in np.argwhere(self.dense != 0.0).tolist():
            values[where.at(i, j)] = self.dense[i, j]
        largest, x = max(record[2] for record in records), self.right.copy()
        lists = np.array(targets, dtype=np.int64), values
        eliminate(np.array(records, dtype=FRONT), 0, len(records), *lists, np.zeros(largest))
        solve(np.array(records, dtype=FRONT), 0, len(records), np.array(unknowns, dtype=np.int64), values, x)
        return x


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("joints, loops", [(1, 0), (7, 0), (12, 2), (20, 4)])
def test_solutions_are_those_of_the_dense_matrix(seed, joints, loops):
    made = Random(seed, joints, loops)
    try:
        found = made.solved()
    except ValueError:
        assert np.linalg.matrix_rank(made.shares) < len(made.shares) or np.linalg.cond(made.shares) > 1e2
        return
    expected = eliminated(made.dense, made.right)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9 * np.abs(expected).max())


def test_rows_are_eliminated_when_their_freedoms_can_meet_them():
    """A ball of three freedoms and a point on it: its distance from the ball is none that they can change."""
    ball, others = Node([0, 1, 2]), Node([3, 4, 5])
    point = Node([6, 7, 8], closes=True, near={0, 1})
    ball.near, others.near = {2}, {2}
    of_ball = np.cross(np.eye(3), (0.0, 0.0, 1.0)).T
    shares = np.hstack([of_ball, np.eye(3)])
    fronts = plan_fronts([ball, others, point], shares)
    order = [unknown for front in fronts for unknown in front.own]
    assert order.index(6) > max(order.index(k) for k in range(6))


def test_rows_that_say_the_same_are_refused():
    joint, loop = Node([0, 1], near={1}), Node([2, 3], closes=True, near={0})
    with pytest.raises(ValueError, match="nearly depend on each other"):
        plan_fronts([joint, loop], np.array([[1.0, 2.0], [1.0, 2.0]]))
