"""The numbers that the README of each example deck promises.

They stand in expected.toml beside the deck, where users find them, and `gsolve compare` judges a run by them.
"""

import gsolve
import numpy as np
import pytest
from gsolve.solver.results.compare.expected import read_expected
from running import DECKS, Results, read, run


def carried_weight(results: Results) -> float:
    """Vertical force of walls and gate from 0.35 s on, in the mean: friction chatters by some percent."""
    force = sum(results.of("th/inter", name, id) for name in ("FNZ", "FTZ") for id in (2, 3))
    return float(np.mean(force[results.times > 0.35]))


def weight_in_tray(results: Results) -> float:
    """What the tray bears in the mean, less what the momentum of all grows by; a sample each step."""
    force = results.of("th/inter", "FNZ", 1) + results.of("th/inter", "FTZ", 1)
    gained = results.momentum()[-1, 2] - results.momentum()[0, 2]
    return float((np.trapezoid(force, results.times) - gained) / results.times[-1])


# Decks that take long, run up to where their numbers are known.
SHORTENED = {"toy_planetary": 0.35, "helical_pair": 0.0223, "bevel_pair_meshed": 0.0314, "worm_and_wheel": 0.0075}
# Heaps, whose expected.toml is about their end, with other samples up to a time at which less has been computed.
HEAPS = [
    # up to where the gate opens, and a sample each fifth step: friction chatters from step to step
    ("hopper", 0.39, 5e-4, carried_weight, 1000 * 4 / 3 * np.pi * 0.01**3 * 2500 * 9.81, 1e-2),
    # until two layers have come down; coming to rest takes 14 s
    ("heap_of_parts", 0.15, 1e-4, weight_in_tray, 100 * 7850 * 5e-6 * 9.81, 1e-9),
]
ROLLERS = ("cylinder_on_box/cylinder_on_box.rad", "cylinder_on_box_meshed/cylinder_on_box_meshed.rad")
EXPECTED = sorted(DECKS.glob("*/expected.toml"))


def deck_beside(expected):
    """The deck to run; of a starter and an engine deck the first."""
    return min(expected.parent.glob("*.rad"))


@pytest.mark.parametrize(
    "expected", [path for path in EXPECTED if path.parent.name not in {heap[0] for heap in HEAPS}],
    ids=lambda path: path.parent.name,
)  # fmt: skip
def test_expected_numbers(expected):
    name = expected.parent.name
    result = gsolve.run(deck_beside(expected), allow_user_code=True, t_end=SHORTENED.get(name))
    judged = gsolve.judge(result, expected)
    assert len(judged) >= 2
    assert [str(one) for one in judged if not one.met] == []


@pytest.mark.parametrize(
    ("deck", "t_end", "every", "weight", "expected", "tolerance"), HEAPS, ids=[heap[0] for heap in HEAPS]
)
def test_heaps_weigh_what_they_should(deck, t_end, every, weight, expected, tolerance):
    results = run(DECKS / deck / f"{deck}.rad", t_end=t_end, every=every)
    assert weight(results) == pytest.approx(expected, rel=tolerance)


def test_meshed_roller_presses_as_the_exact_one():
    forces = [run(DECKS / deck).of("th/inter", "FNZ", 1) for deck in ROLLERS]
    assert np.ptp(forces[0]) < 1e-11 * 19.62
    assert np.abs(forces[1] - 19.62).max() < 1e-4 * 19.62


def test_every_example_has_expected_numbers_and_a_readme():
    folders = sorted(path for path in DECKS.iterdir() if path.is_dir())
    assert [path.parent for path in EXPECTED] == folders
    assert all((folder / "README.md").exists() for folder in folders)
    assert all(read_expected(path)[1] for path in EXPECTED)  # also those whose runs are too long for a test


@pytest.mark.parametrize("deck", [deck_beside(path).relative_to(DECKS) for path in EXPECTED], ids=str)
def test_example_decks_read_without_a_warning(deck):
    assert read(DECKS / deck).warnings == []
