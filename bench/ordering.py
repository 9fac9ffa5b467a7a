"""What the order of elimination costs: fill of the factor of the multipliers' matrix, and time, for several orders.

    python bench/ordering.py            everything, about three minutes
    python bench/ordering.py train      only the machines whose name contains "train"

gsolve takes a minimum-degree order (SuperLU's, by way of scipy).  Here the same machines are also run in the order in
which their rows are numbered, in the reverse Cuthill-McKee order, and in SuperLU's COLAMD order.

Columns: blocks on the diagonal of the matrix; those below the diagonal of its factor, before any row is left out, also
as a multiple of those of minimum degree; us to make the matrix and factorise it; us per step on the general path, as
`speed.py` measures them; number of rows that are left out because they depend on others, and whether they are the same
ones.  Orders with far more fill are not run.

The second table is about the pattern of the factor, which gsolve finds from the elimination tree: its nonzeros and
milliseconds, and those of SuperLU, which finds it together with the factor.  On the ring SuperLU drops what underflows.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from timeit import timeit

import machines
import numpy as np
from gsolve.solver.constraints import kkt_pattern
from gsolve.solver.constraints.kkt import REDUNDANT, assemble_matrix, factorise
from gsolve.solver.core.bodies import Ints
from gsolve.solver.run.simulation import Simulation
from scipy.sparse import coo_matrix, csc_matrix
from scipy.sparse.csgraph import reverse_cuthill_mckee
from scipy.sparse.linalg import splu
from speed import DT, NEVER, fastest_step

Couplings = tuple[Ints, Ints]
Ordering = Callable[[int, Couplings], Ints]

FACTORISATIONS = 5
MOST_FILL = 10  # times that of minimum degree, in the machines that are run
RING = 3000  # rows
BAR = 0.1  # length


def pattern_of(n: int, couplings: Couplings) -> csc_matrix:
    """Symmetric matrix of a pattern, diagonally dominant so that nothing is exchanged or cancels."""
    i, j = couplings
    pattern = coo_matrix((np.full(len(i), -1.0), (i, j)), shape=(n, n)).tocsc()
    pattern = pattern + pattern.T
    pattern.setdiag(np.asarray(abs(pattern).sum(axis=0)).ravel() + 1.0)
    return pattern


def as_numbered(n: int, couplings: Couplings) -> Ints:
    return np.arange(n)


def cuthill_mckee(n: int, couplings: Couplings) -> Ints:
    return reverse_cuthill_mckee(pattern_of(n, couplings).tocsr(), symmetric_mode=True).astype(np.int64)


def colamd(n: int, couplings: Couplings) -> Ints:
    return np.argsort(splu(pattern_of(n, couplings), permc_spec="COLAMD").perm_c)


MINIMUM_DEGREE = kkt_pattern.minimum_degree
ORDERINGS: dict[str, Ordering] = {
    "minimum degree": MINIMUM_DEGREE,
    "as numbered": as_numbered,
    "Cuthill-McKee": cuthill_mckee,
    "COLAMD": colamd,
}


def four_bars(edge: int) -> str:
    """A grid of `edge` x `edge` parallelograms of hinged bars that hangs from the ground and swings."""
    deck = machines.Deck()
    at_pin: dict[tuple[int, int], list[int]] = {}
    bars = [((i, j), (i, j + 1)) for j in range(edge) for i in range(edge + 1)]
    bars += [((i, j), (i + 1, j)) for j in range(1, edge + 1) for i in range(edge)]
    for k, pins in enumerate(bars):
        nodes = range(3 * k + 1, 3 * k + 4)
        ends = [BAR * np.array((i + 0.3 * j, -float(j), 0.0)) for i, j in pins]
        deck.places |= zip(nodes, (0.5 * (ends[0] + ends[1]), *ends), strict=True)
        deck.rigid_body(nodes[0], nodes[1:], 0.1, (1e-4, 1e-4, 1e-4))
        for pin, node in zip(pins, nodes[1:], strict=True):
            at_pin.setdefault(pin, []).append(node)
    for (_, j), (first, *others) in sorted(at_pin.items()):
        for node in [0] * (j == 0) + others:
            deck.hinge("REVOLUTE", first, node, machines.Z)
    deck.gravity("Y", -9.81)
    return deck.text()


def cases() -> Iterator[tuple[str, Callable[[], str]]]:
    """Name and deck of each machine."""
    for housing in ("free", "separate"):
        for count in (10, 100, 1000):
            yield f"train of {count}, {housing} housing", partial(machines.train, count, housing)
    for edge in (2, 5, 10, 20):
        yield f"{edge} x {edge} four-bars", partial(four_bars, edge)


def seconds_of_factorisation(simulation: Simulation) -> float:
    """The least time to make and factorise the matrices of all subsystems."""
    system, seconds = simulation._assembly.system, []
    matrix = system.matrix
    for _ in range(FACTORISATIONS):
        start = time.perf_counter()
        for s, subsystem in enumerate(system.subsystems):
            assemble_matrix(matrix, s, subsystem, system.rows, system.entries, system.bodies)
            factorise(matrix, s, REDUNDANT)
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def report(name: str, text: str) -> None:
    """The lines of one machine."""
    model, least, left_out = machines.read(text), 0, list[str]()
    model.engine.sampling_interval = NEVER
    for label, ordering in ORDERINGS.items():
        kkt_pattern.minimum_degree = ordering
        simulation = Simulation(model, dt=DT, t_end=NEVER, general=True)
        matrix = simulation._assembly.system.matrix
        first = least == 0
        least = least or len(matrix.below)
        line = f"{name:<32}{label:<16}{len(matrix.size):>9}{len(matrix.below):>10}{len(matrix.below) / least:>8.2f}"
        if len(matrix.below) > MOST_FILL * least:
            print(line, flush=True)
            continue
        simulation.compile()
        left_out = simulation.redundant_rows if first else left_out
        same = "yes" if sorted(simulation.redundant_rows) == sorted(left_out) else "no"
        factorisation = 1e6 * seconds_of_factorisation(simulation)
        step = 1e6 * fastest_step(simulation, time.process_time)
        print(f"{line}{factorisation:>12.1f}{step:>12.1f}{len(left_out):>12} {same}", flush=True)
    kkt_pattern.minimum_degree = MINIMUM_DEGREE


def pattern_before_elimination(simulation: Simulation) -> tuple[Ints, Ints]:
    """Lower triangle of the pattern of blocks, by rows: where they start, and columns."""
    matrix = simulation._assembly.system.matrix
    n = len(matrix.size)
    column = np.repeat(np.arange(n), np.diff(matrix.column_start))  # of each block of the factor
    of_hubs = matrix.hub_parts["target"]
    i = np.concatenate([np.arange(n), matrix.parts["i"], matrix.below[of_hubs]])
    j = np.concatenate([np.arange(n), matrix.parts["j"], column[of_hubs]])
    keys = np.unique(i * n + j)
    return np.searchsorted(keys, np.arange(n + 1) * n).astype(np.int64), keys % n


def compare_patterns(name: str, row_start: Ints, column: Ints) -> None:
    """One line: the pattern of the factor of a lower triangle, by the elimination tree and by SuperLU."""
    n = len(row_start) - 1

    def by_tree() -> int:
        return len(kkt_pattern.pattern_of_factor(row_start, column).row)

    def by_superlu() -> int:
        row = np.repeat(np.arange(n), np.diff(row_start))
        matrix = pattern_of(n, (row[row != column], column[row != column]))
        return splu(matrix, "NATURAL", diag_pivot_thresh=0.0, options={"SymmetricMode": True}).L.nnz - n

    figures = []
    for find in (by_tree, by_superlu):
        seconds = [timeit(find, number=1) for _ in range(FACTORISATIONS)]
        figures += [f"{find():>12}", f"{1e3 * min(seconds):>9.2f}"]
    print(f"{name:<32}{n:>9}{''.join(figures)}", flush=True)


def main() -> None:
    """Print the tables."""
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    chosen = [(name, text()) for name, text in cases() if wanted in name]
    print(
        f"{'machine':<32}{'order':<16}{'blocks':>9}{'fill':>10}{'times':>8}{'factor us':>12}{'step us':>12}"
        f"{'left out, same':>16}"
    )
    for name, text in chosen:
        report(name, text)
    print(f"\n{'machine':<32}{'blocks':>9}{'by tree':>12}{'ms':>9}{'by SuperLU':>12}{'ms':>9}")
    for name, text in chosen:
        compare_patterns(name, *pattern_before_elimination(Simulation(machines.read(text), dt=DT, t_end=NEVER)))
    if wanted in "ring":
        k = np.arange(RING)
        row, column = np.concatenate([k, k[1:], k[-1:]]), np.concatenate([k, k[:-1], k[:1]])
        ring = coo_matrix((np.ones(len(row)), (row, column)), shape=(RING, RING)).tocsr()
        compare_patterns(f"ring of {RING} rows", ring.indptr.astype(np.int64), ring.indices.astype(np.int64))


if __name__ == "__main__":
    main()
