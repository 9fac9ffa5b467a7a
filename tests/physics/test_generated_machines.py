"""Machines made at random, of every family, and judged by what they must keep.

GSOLVE_MACHINES_SEED and GSOLVE_MACHINES_COUNT choose others than the 42 of every run; `judge_machines.py` judges many,
and one alone: the message of a failure has its seed and its number.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import judge_machines
import numpy as np
import pytest
from generated.comparisons import state
from generated.families import FAMILIES, Case
from generated.invariants import Subject, elastic, first_motion, freedom, momenta, rows
from generated.judge import judge
from generated.machine_deck import Form
from generated.twin import Gears
from judge_machines import read_records, record, table
from running import read, run
from scipy.spatial.transform import Rotation
from transformed import transformed

SEED = int(os.environ.get("GSOLVE_MACHINES_SEED", "20"))
COUNT = int(os.environ.get("GSOLVE_MACHINES_COUNT", "42"))


@pytest.mark.parametrize("family", FAMILIES)
def test_random_machines_keep_what_they_must(family: str) -> None:
    first = list(FAMILIES).index(family)
    verdicts = [judge(Case(SEED, number)) for number in range(first, COUNT, len(FAMILIES))]
    wrong = [str(verdict) for verdict in verdicts if not verdict.sound]
    assert not wrong, "\n".join([*wrong, f"python tests/physics/judge_machines.py --seed {SEED} --number ..."])


def test_meshes_that_turn_until_other_faces_touch_move_the_same_way_wherever_they_stand() -> None:
    """A face that comes to face another between two lists of near triangles would be found sooner or later."""
    case = Case(50, 3020)
    deck = case.deck()
    model = read(deck)
    dt, random = model.engine.dt_initial, case.choices()
    turn, shift = Rotation.random(rng=random).as_matrix(), 3.0 * random.normal(size=3)
    t_end = 1060 * dt
    here, there = (run(each, t_end=t_end, every=20 * dt) for each in (model, transformed(read(deck), turn, shift)))
    np.testing.assert_allclose(state(there, deck.mains) @ turn, state(here, deck.mains), atol=1e-10)


# ---- the generator -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", range(len(FAMILIES)))
def test_a_machine_is_always_the_same(number: int) -> None:
    assert str(Case(3, number).deck()) == str(Case(3, number).deck())
    assert str(Case(3, number).deck()) != str(Case(4, number).deck())


@pytest.mark.parametrize("number", range(len(FAMILIES)))
def test_another_order_has_the_same_blocks(number: int) -> None:
    plain, shuffled = (str(Case(3, number).deck(form)).splitlines() for form in (Form(), Form(order=1)))
    assert sorted(plain) == sorted(shuffled)
    assert plain != shuffled


def test_other_numbers_are_numbers_of_the_same_things() -> None:
    plain, renumbered = (Case(3, 5).deck(form) for form in (Form(), Form(numbering=1)))
    assert len(plain.mains) == len(renumbered.mains)
    assert set(plain.mains).isdisjoint(renumbered.mains) or plain.mains != renumbered.mains
    assert str(plain).count("/") == str(renumbered).count("/")


# ---- machines that failed once ---------------------------------------------------------------------------------------


def test_a_body_that_lands_on_two_nodes_sinks_into_a_tied_wall_and_turns() -> None:
    """Its nodes sink at different rates, which changes their distance along the wall: no step was short enough."""
    verdict = judge(Case(77, 394), every_comparison=True)
    assert verdict.sound, str(verdict)
    assert verdict.case.finer == 1


# ---- the judge finds what is wrong ---------------------------------------------------------------------------------


def subject(number: int, seed: int = 3) -> Subject:
    case = Case(seed, number)
    deck = case.deck()
    return Subject(case, deck, run(deck))


def broken(measures) -> list[str]:
    return [measure.invariant for measure in measures if measure.broken]


def with_gears(change) -> Subject:
    """A gear train on a free carrier whose twin has other gears than the deck."""
    train = subject(list(FAMILIES).index("gear train"))
    train.deck.rows = [change(row) if isinstance(row, Gears) else row for row in train.deck.rows]
    return train


def test_a_wrong_ratio_is_found() -> None:
    assert broken(first_motion(with_gears(lambda row: row))) == []
    assert "first velocity" in broken(first_motion(with_gears(lambda row: replace(row, alpha=1.001 * row.alpha))))


def test_a_missing_row_is_found() -> None:
    train = with_gears(lambda row: row)
    assert broken(freedom(train)) == []
    train.deck.rows.pop()
    assert broken(freedom(train)) == ["freedom"]


def flight() -> Subject:
    """A free tree."""
    for number in range(0, 40 * len(FAMILIES), len(FAMILIES)):
        tree = subject(number)
        if not (tree.deck.grounded or tree.deck.loaded) and len(tree.deck.bodies) > 2:
            return tree
    raise AssertionError


def test_momentum_that_changes_is_found() -> None:
    tree = flight()
    assert broken(momenta(tree)) == []
    tree.results.values["diag"]["angular_momentum_y"][-1] += 1e-9 * tree.mass
    assert broken(momenta(tree)) == ["spin"]


def test_a_row_that_is_not_met_is_found() -> None:
    tree = flight()
    assert broken(rows(tree)) == []
    tree.results.values["diag"]["constraint_violation"][3] = np.nan
    assert broken(rows(tree)) == ["rows"]


def test_kinetic_energy_that_a_collision_loses_is_found() -> None:
    """A collision with damping or friction, that is taken for one without."""
    numbers = range(list(FAMILIES).index("collision"), 3000, len(FAMILIES))
    lossy = (n for n in numbers if (deck := Case(3, n).deck()).elastic is None and not deck.jumps)
    collision = subject(next(lossy))
    assert broken(elastic(collision)) == []
    collision.deck.elastic = 1e-4
    assert broken(elastic(collision)) == ["kinetic energy"]


# ---- the command -----------------------------------------------------------------------------------------------------


def test_the_command_goes_on_where_it_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It judges in a process of its own."""
    records = tmp_path / "seed_3.jsonl"
    first = "".join(json.dumps(record(judge(Case(3, number)))) + "\n" for number in (0, 1))
    records.write_text(first + '{"number": 2, "fam')  # broken off
    monkeypatch.setattr(sys, "argv", ["judge_machines.py", "--seed", "3", "--folder", str(tmp_path), "--count", "3"])
    judge_machines.main()
    assert records.read_text().startswith(first)
    assert [record["number"] for record in read_records(records)] == [0, 1, 2]
    assert capsys.readouterr().out.splitlines()[-2].split()[:5] == ["all", "3", "0", "0", "0"]


def test_the_table_counts_what_is_broken() -> None:
    sound = {
        "number": 0,
        "family": "tree",
        "finer": 1,
        "shares": {"rows": 0.1},
        "broken": [],
        "crash": "",
        "seconds": 1.0,
    }
    wrong = sound | {"number": 17, "finer": 4, "shares": {"rows": 3.0}, "broken": ["rows"]}
    of_trees = table([sound, wrong, sound | {"number": 34, "crash": "a run failed"}]).splitlines()[1]
    assert of_trees.split() == ["tree", "3", "1", "1", "1", "3.0e+00", "rows", "(machine", "17):", "1", "rows"]
