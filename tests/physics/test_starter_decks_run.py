"""The templates of `gsolve new` do what their comments say."""

import gsolve
import numpy as np
import pytest
from gsolve.solver.tools.starter_decks import write_template


def test_gear_pair(tmp_path):
    end = gsolve.run(write_template("gear_pair", tmp_path)).th.node
    assert [end[2].VRZ[-1], end[3].VRZ[-1]] == pytest.approx([25.0, -12.5], rel=1e-9)


def test_planetary_set(tmp_path):
    end = gsolve.run(write_template("planetary_set", tmp_path)).th.node
    assert end[2].VRZ[-1] / end[1].VRZ[-1] == pytest.approx(1 + 60 / 24, rel=1e-9)
    assert end[3].VRZ[-1] == pytest.approx(0.0, abs=1e-9)


def test_four_bar_goes_round(tmp_path):
    result = gsolve.run(write_template("four_bar", tmp_path))
    assert result.th.joint[1].ANG[-1] == pytest.approx(2 * np.pi * 1.9, rel=1e-6)
    assert np.ptp(np.asarray(result.th.joint[4].ANG)) < np.pi


def test_contact(tmp_path):
    """e^2 of the height of the fall, 0.45 m, comes back, but for the depth of the dent: a millimetre or two."""
    ball = gsolve.run(write_template("contact", tmp_path), parameters={"mu": 1e-9}).th.node[1]
    height = np.asarray(ball.Z)
    first = int(np.argmin(height[:200]))
    assert height[first : first + 300].max() - 0.05 == pytest.approx(0.8**2 * 0.45, rel=1e-2)
