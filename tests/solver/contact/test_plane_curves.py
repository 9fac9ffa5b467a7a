"""Plane curves on bodies in space: the plane lies anyhow, and the points are those of the curves in it."""

from __future__ import annotations

import math

import naive.plane_curves as twin
import numpy as np
import pytest
from curve_rig import Curve, Two, blob, circle, overlapping
from gsolve.parser import read_deck
from gsolve.solver.contact.dispatch import curve_pointers
from gsolve.solver.contact.plane_curve_setup import least_width
from gsolve.solver.run.simulation import Simulation
from scipy.spatial.transform import Rotation


def deck(axes, origin, nodes, curves, others=()):
    """Curves 1, 2 ... on nodes 1, 2 ... in the x-y plane of axes (rows), and one interface of 1 and 2."""
    lines = ["#RADIOSS STARTER", "/BEGIN", "curves", f"{2022:>10}{0:>10}", "kg, m, s", "kg, m, s", "/NODE"]
    lines += [f"{k}, {x!r}, {y!r}, {z!r}" for k, (x, y, z) in enumerate((np.array(nodes) @ axes + origin).tolist(), 1)]
    y, z = (", ".join(repr(float(c)) for c in axis) for axis in axes[1:])
    lines += ["/SKEW/FIX/1", "plane", "0, 0, 0", y, z]
    for k, points in enumerate(curves, 1):
        lines += [f"/CURVE/2D/{k}", "curve", f"{k}, 1, 1, {len(points)}"]
        lines += [f"{x!r}, {y!r}" for x, y in points.tolist()]
    for k in range(1, len(nodes) + 1):
        lines += [f"/RBODY/{k}", "body", f"{k}, 0, 0, 3, 1.0, 0, 0, 1, 0", "1e-3, 1e-3, 1e-3", "0, 0, 0"]
    lines += [*others, "/INTER/IMPACT/1", "contact", "1, 2", ",", "1e6, 1", "/RUN/curves/1", "1e-6", "/END", ""]
    return "\n".join(lines)


def first_sample(text, tmp_path):
    """Values of /th/inter at t = 0."""
    path = tmp_path / "curves.rad"
    path.write_text(text)
    simulation = Simulation(read_deck(path), t_end=1e-6, dt=1e-6)
    block = simulation.advance(1)
    return {name: values[0, 0] for name, values in block.values["th/inter"].items()}


@pytest.mark.parametrize("seed", range(4))
def test_points_in_a_plane_that_lies_anyhow(tmp_path, seed):
    random = np.random.default_rng(seed)
    axes, origin = Rotation.random(rng=random).as_matrix(), random.normal(size=3)
    one, other = blob(random, 0.06, n=36), blob(random, 0.06, n=30)
    two = Two(Curve(one), Curve(other))
    x, y, angle = overlapping(two, random, 1e-3)
    placed = twin.placed(other, 0.0, 0.0, angle)  # turned already, as both curves have one skew
    values = first_sample(deck(axes, origin, [(0, 0, 0), (x, y, 0)], [one, placed]), tmp_path)
    outlines = two.curve.sampled(60)[0], twin.placed(two.other.sampled(60)[0], x, y, angle)
    within = twin.is_left(outlines[0], outlines[1])
    dense = twin.placed(two.other.sampled(2000)[0], x, y, angle)
    depths = twin.depths(outlines[0][within], dense)
    assert values["PEN"] == pytest.approx(depths.max(), rel=2e-3)
    deepest = outlines[0][within][np.argmax(depths)]
    place = axes @ (np.array([values[f"P{c}"] for c in "XYZ"]) - origin)
    np.testing.assert_allclose(place, [*deepest, 0.0], atol=2e-3)
    force = axes @ np.array([values[f"FN{c}"] for c in "XYZ"])
    np.testing.assert_allclose(np.linalg.norm(force), 1e6 * values["PEN"], rtol=1e-9)
    (point,) = two.points(x, y, angle)
    np.testing.assert_allclose(force / np.linalg.norm(force), point["normal"], atol=1e-9)
    assert values["AREA"] == pytest.approx(point["area"], rel=1e-9)
    assert {"touch_curves", "find_curve_gap"} <= set(curve_pointers())


def test_a_cylinder_is_a_circle_whichever_side_it_is_on(tmp_path):
    axes = Rotation.from_rotvec([0.3, 0.5, 0.2]).as_matrix()
    roller = ["/SURF/CYL_SOLID/2", "roller", "2, 1", "0, 0, 0.004", "0.02, 0.01"]
    for sides in ("1, 2", "2, 1"):
        text = deck(axes, np.zeros(3), [(0, 0, 0), (0.0699, 0, 0)], [circle(0.05, 96)], roller)
        values = first_sample(text.replace("\n1, 2\n,", f"\n{sides}\n,"), tmp_path)
        assert values["PEN"] == pytest.approx(1e-4, abs=3e-9)
        force = axes @ np.array([values[f"FN{c}"] for c in "XYZ"])
        sign = -1.0 if sides == "1, 2" else 1.0
        np.testing.assert_allclose(force, [sign * 1e6 * values["PEN"], 0.0, 0.0], atol=1e-4)


def test_the_least_width_of_a_curve():
    """A rectangle, turned; the step must not carry another curve through it."""
    rectangle = np.array([[-0.03, -0.01], [0.03, -0.01], [0.03, 0.01], [-0.03, 0.01]])
    turned = Curve(twin.placed(rectangle, 0.0, 0.0, 0.3))
    assert least_width(turned.outline.coefficients) == pytest.approx(0.02, rel=1e-12)
    disc = Curve(circle(0.05, 64))
    assert least_width(disc.outline.coefficients) == pytest.approx(0.1, rel=1e-3)
    assert math.isfinite(least_width(disc.outline.coefficients))
