"""The table of pairs of shapes: complete, in one order or in both, as the manual says, compiled as far as needed."""

import itertools
import re
from pathlib import Path

import numpy as np
import pytest
from gsolve.solver.geometry.narrow_phase import AS_GIVEN, BY_SIZE, REVERSED
from gsolve.solver.geometry.pair_table import PAIRS, compile_pairs, family_of, new_pair_kernels, order_of
from gsolve.solver.geometry.shapes import BOX, CURVE, CYLINDER, FRUSTUM, NAMES_OF_KINDS, PLANE, SPHERE
from scipy.spatial.transform import Rotation
from shape_rig import contact, placed, random_dimensions

MANUAL = Path(__file__).parents[3] / "docs" / "contact.md"
KINDS = range(CURVE)  # plane curves and meshes have kernels of their own


def test_every_two_kinds_have_a_family_but_two_half_spaces():
    for one, other in itertools.product(KINDS, repeat=2):
        assert (family_of(one, other) is None) == (one == other == PLANE)
        assert family_of(one, other) == family_of(other, one)


def test_one_order_of_a_pair_is_the_reverse_of_the_other():
    for one, other in itertools.combinations(KINDS, 2):
        assert sorted((order_of(one, other), order_of(other, one))) in ([AS_GIVEN, REVERSED], [BY_SIZE, BY_SIZE])
    assert order_of(SPHERE, BOX) == AS_GIVEN
    assert order_of(CYLINDER, FRUSTUM) == order_of(FRUSTUM, CYLINDER) == order_of(BOX, BOX) == BY_SIZE


def test_only_what_a_deck_needs_is_compiled():
    pairs = new_pair_kernels({(PLANE, BOX), (PLANE, PLANE)}, gaps=False)
    compile_pairs(pairs)
    assert pairs["points"][PLANE, BOX] != 0
    assert np.count_nonzero(pairs["points"]) == 2  # in either order
    assert np.count_nonzero(pairs["gap"]) == 0
    with_gaps = new_pair_kernels({(PLANE, BOX), (CYLINDER, PLANE)}, gaps=True)
    compile_pairs(with_gaps)
    assert np.count_nonzero(with_gaps["gap"]) == 4
    assert with_gaps["points"][CYLINDER, PLANE] == pairs["points"][PLANE, BOX]  # one family


def rows_of_the_manual():
    """(first kinds, second kinds, name of the family) of the table of pairs."""
    text = MANUAL.read_text().split("| first solid |")[1].split("\n\n")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()[2:]]
    return [(kinds_in(row[0]), kinds_in(row[1]), row[-1]) for row in rows]


def kinds_in(cell):
    return [NAMES_OF_KINDS.index(name) for name in re.findall(r"[A-Z]+", cell)]


def test_the_manual_has_the_pairs_of_the_table():
    told = {}
    for firsts, seconds, name in rows_of_the_manual():
        for pair in itertools.product(firsts, seconds):
            told[tuple(sorted(pair))] = name
    assert told == {tuple(sorted(pair)): family.name for pair, family in PAIRS.items()}


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: "-".join(NAMES_OF_KINDS[kind] for kind in pair))
def test_a_sphere_comes_first_and_a_half_space_last(pair):
    assert pair[0] != PLANE
    assert pair[1] != SPHERE or pair[0] == SPHERE


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("kinds", list(itertools.product((CYLINDER, FRUSTUM, BOX), repeat=2)), ids=str)
def test_the_larger_of_two_shapes_comes_second_whatever_the_order_of_their_bodies(kinds, seed):
    random = np.random.default_rng(seed)
    sizes = [random_dimensions(random, kind) for kind in kinds]
    place, turns = random.uniform(-0.5, 0.5, 3), Rotation.random(2, rng=random)

    def points(bodies):
        i = placed(kinds[0], sizes[0], rotation=turns[0], body=bodies[0])
        return contact(i, placed(kinds[1], sizes[1], place, turns[1], body=bodies[1]))

    assert len(points((1, 2))) > 0
    np.testing.assert_array_equal(points((1, 2)), points((2, 1)))
