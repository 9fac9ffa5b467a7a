"""A machine at rest under gravity carries the static reactions, from the first sample on."""

from __future__ import annotations

import numpy as np
import pytest
from deck_text import DeckText
from running import Results, run

X, Y, Z = np.eye(3)
GRAVITY = 9.81


def bar(text: DeckText, main: int, first: np.ndarray, last: np.ndarray, mass: float) -> None:
    """A uniform bar: main node in its middle, main + 1 and main + 2 at its ends."""
    places = {main: (first + last) / 2, main + 1: first, main + 2: last}
    text.nodes({node: tuple(map(float, place)) for node, place in places.items()})
    text.rigid_body(main, [main + 1, main + 2], mass, (0.1 * mass,) * 3)


def reaction(results: Results, joint: int, kind: str = "F") -> np.ndarray:
    """(nt, 3) force or moment on node j."""
    return np.stack([results.of("th/joint", kind + axis, joint) for axis in "XYZ"], axis=1)


def check_constant(values: np.ndarray, expected: np.ndarray) -> None:
    np.testing.assert_allclose(values, np.broadcast_to(expected, values.shape), atol=1e-8 * np.max(np.abs(expected)))


def test_three_hinged_arch_thrusts_on_its_abutments():
    """Two bars, 2 m span, 0.5 m rise: moments about the far abutment and about the crown (y is up)."""
    left, right = 2.0 * GRAVITY, 3.0 * GRAVITY
    text = DeckText(0.01, 1e-4, 1e-3)
    bar(text, 10, -X, 0.5 * Y, 2.0)
    bar(text, 20, 0.5 * Y, X, 3.0)
    abutments = text.pair("REVOLUTE", 0, 11), text.pair("REVOLUTE", 0, 22)
    crown = text.pair("REVOLUTE", 12, 21)
    text.gravity([10, 20], "Y", -GRAVITY)
    results = run(text)
    up = (1.5 * left + 0.5 * right) / 2
    thrust = 2 * up - left
    check_constant(reaction(results, abutments[0]), np.array([thrust, up, 0]))
    check_constant(reaction(results, abutments[1]), np.array([-thrust, left + right - up, 0]))
    check_constant(reaction(results, crown), np.array([thrust, right - (left + right - up), 0]))
    assert results.simulation.degrees_of_freedom == 0
    np.testing.assert_allclose(results.node_vector("V", 10), 0.0, atol=1e-10)


def test_hanging_four_bar_shares_its_weight():
    """Two upright bars hang from the ground and carry a third between them: each half of it."""
    text = DeckText(0.01, 1e-4, 1e-3)
    bar(text, 10, np.zeros(3), -Y, 2.0)
    bar(text, 20, X, X - Y, 5.0)
    bar(text, 30, -Y, X - Y, 4.0)
    joints = [text.pair("REVOLUTE", *nodes) for nodes in ((0, 11), (0, 21), (12, 31), (22, 32))]
    text.gravity([10, 20, 30], "Y", -GRAVITY)
    results = run(text)
    for joint, mass in zip(joints, (2.0 + 2.0, 5.0 + 2.0, 2.0, 2.0), strict=True):
        check_constant(reaction(results, joint), mass * GRAVITY * Y)


@pytest.mark.parametrize("kind", ["FIXED", "TRANSLATIONAL", "REVOLUTE", "CYLINDRICAL", "SCREW"])
def test_cantilever_is_held_by_a_force_and_a_moment(kind):
    """A bar held at its end, axis along it: none of these joints gives way to its weight across it."""
    weight = 2.0 * GRAVITY * np.array([0.0, -0.6, -0.8])
    text = DeckText(0.01, 1e-4, 1e-3)
    bar(text, 10, np.zeros(3), X, 2.0)
    joint = text.pair(kind, 0, 11, X, pitch=0.1 if kind == "SCREW" else None)
    for direction, value in zip("YZ", weight[1:] / 2.0, strict=True):
        text.gravity([10], direction, float(value))
    results = run(text)
    check_constant(reaction(results, joint), -weight)
    check_constant(reaction(results, joint, "M"), -np.cross(X / 2, weight))


def test_door_shares_its_weight_between_its_hinges_by_least_norm():
    """Two ball joints on a vertical line hold one row too many, the weight; across the line they are unique."""
    weight = 10.0 * GRAVITY
    text = DeckText(0.01, 1e-4, 1e-3)
    text.nodes({10: (0.5, 0.0, 0.5), 11: (0.0, 0.0, 0.0), 12: (0.0, 0.0, 1.0)})
    text.rigid_body(10, [11, 12], 10.0, (1.0, 1.5, 0.9))
    lower, upper = text.pair("SPHERICAL", 0, 11), text.pair("SPHERICAL", 0, 12)
    text.gravity([10], "Z", -GRAVITY)
    results = run(text)
    assert len(results.simulation.redundant_rows) == 1
    check_constant(reaction(results, lower), weight / 2 * (Z + X))
    check_constant(reaction(results, upper), weight / 2 * (Z - X))
