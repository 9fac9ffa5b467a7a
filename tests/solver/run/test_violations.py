"""Samples are held to the tolerance that is stated for each row; a run that leaves it is not completed."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from gsolve.solver.constraints.rows import LEAST_SLACK, LEFT_OUT, ROW, TIGHT
from gsolve.solver.run.simulation import SimulationError
from gsolve.solver.run.violations import Violations
from hand_models import Machine

Z = (0.0, 0.0, 1.0)
SLACK = 3e-7


def violations_of(scales, left_out=()):
    rows = np.zeros(len(scales), ROW)
    rows["scale"], rows["inverse_tolerance"], rows["slack"] = scales, 1 / (TIGHT * np.array(scales)), LEAST_SLACK
    rows["slack"][list(left_out)] = SLACK
    rows["left_out"][list(left_out)] = LEFT_OUT
    where = SimpleNamespace(file="deck.rad", line=7)
    assembly = SimpleNamespace(
        system=SimpleNamespace(rows=rows), row_names=[f"row {k}" for k in range(len(rows))],
        row_wheres=[where] * len(rows), model=SimpleNamespace(units=SimpleNamespace(time="s")),
    )  # fmt: skip
    return Violations(assembly), rows


def samples_of(residuals):
    return SimpleNamespace(residual=np.array(residuals))


@pytest.mark.parametrize(("left_out", "allowed"), [((), LEAST_SLACK), ((1,), SLACK)])
def test_the_first_sample_beyond_the_tolerance_of_a_row_is_found(left_out, allowed):
    violations, _ = violations_of([2.0, 5.0], left_out)
    residuals = np.zeros((4, 2))
    residuals[1, 1] = 0.99 * allowed * 5.0
    assert violations.first(samples_of(residuals), 4) is None
    residuals[2:, 1] = -1.01 * allowed * 5.0
    assert violations.first(samples_of(residuals), 2) is None
    found = violations.first(samples_of(residuals), 4)
    assert (found.sample, found.row) == (2, 1)
    assert (found.residual, found.tolerance) == (pytest.approx(1.01 * allowed), pytest.approx(allowed))


def test_what_is_no_number_is_a_violation():
    violations, _ = violations_of([1.0])
    assert violations.first(samples_of([[np.nan]]), 1) is not None


def test_rows_whose_terms_have_grown_with_travel_may_be_off_by_as_much_more():
    violations, rows = violations_of([2.0], [0])
    rows["inverse_tolerance"] = 1 / (TIGHT * (2.0 + 6.0))
    assert violations.first(samples_of([[3.9 * SLACK * 2.0]]), 1) is None
    rows["inverse_tolerance"] = 1 / (TIGHT * 2.0)  # back where it was
    assert violations.first(samples_of([[3.9 * SLACK * 2.0]]), 1) is None
    assert violations.first(samples_of([[4.1 * SLACK * 2.0]]), 1) is not None


def test_words_name_the_row_its_block_and_both_sizes():
    violations, _ = violations_of([1.0])
    found = violations.first(samples_of([[2.5e-5]]), 1)
    assert violations.describe(found, 0.25) == (
        "row 0 (deck.rad:7) was not met at t = 0.25 s: it is off by 2.5e-05 of its size, where 1e-10 is allowed; what "
        "came after is not to be trusted"
    )


def test_a_run_that_leaves_the_tolerance_ends_with_the_samples_before(monkeypatch):
    machine = Machine([(0, 0, 0)], t_end=0.1, every=0.01)
    machine.body(1, [], 1.0, inertia=(0.1, 0.1, 0.1, 0, 0, 0))
    machine.pair("REVOLUTE", 0, 1, axis=Z)
    machine.load(1, "ZZ", 1.0)
    simulation = machine.simulation(1e-3)
    simulation.compile()
    simulation._system.rows["slack"] = -1.0
    with pytest.raises(SimulationError, match=r"^/JOINT/REVOLUTE/\d+ \(.*\) was not met at t = 0 s") as caught:
        simulation.advance(1000)
    assert caught.value.step == 0
    assert len(caught.value.partial) == 11
