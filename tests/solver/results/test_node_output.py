"""Node histories against a body that moves by closed formulas, and what /TH/NODE selects."""

import numpy as np
import pytest
from body_rig import records_of
from gsolve.parser.model import HistoryRequest, RigidBody, Skew, Units
from gsolve.solver.results.node_output import (
    NODE_VARIABLES,
    NODES_WRITTEN_UNASKED,
    node_family,
    node_request,
    node_values,
    rigid_body_family,
    rigid_body_values,
    turned_by,
)
from naive.core import Points
from stub_models import StubWhere, model_of_nodes

TONNE_MM = Units("Mg", "mm", "s", 1e3, 1e-3, 1.0)
ARMS = np.array([(0.0, 0.0, 0.0), (0.3, -0.2, 0.5), (-1.0, 0.4, 0.1)])
ORIGINS = np.array([(5.0, 1.0, 2.0), (7.0, 2.0, 1.0), (4.0, 0.0, 3.0)])
BODY_INERTIA = np.array([(3.0, 0.2, -0.1), (0.2, 4.0, 0.3), (-0.1, 0.3, 5.0)])


def turn_about_x(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([(1, 0, 0), (0, c, -s), (0, s, c)])


def turn_about_z(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([(c, -s, 0), (s, c, 0), (0, 0, 1)])


def rotation(t):
    """Rx(b) Rz(a) with a = 2 t + sin t, b = 0.7 t^2."""
    return turn_about_x(0.7 * t * t) @ turn_about_z(2 * t + np.sin(t))


def displacement(t):
    return np.array([0.1 * t**3, np.sin(2 * t), -0.3 * t])


def body_sample(t):
    """The 22 columns of the body at time t; w = b' ex + a' ez', alpha = b'' ex + a'' ez' + b' a' ex x ez'."""
    a, b = 2 * t + np.sin(t), 0.7 * t * t
    ca, sa, cb, sb = np.cos(a / 2), np.sin(a / 2), np.cos(b / 2), np.sin(b / 2)
    quaternion = [cb * ca, sb * ca, -sb * sa, cb * sa]
    ex = np.array([1.0, 0.0, 0.0])
    ez = np.array([0.0, -np.sin(b), np.cos(b)])
    spin = 1.4 * t * ex + (2 + np.cos(t)) * ez
    growth = 1.4 * ex - np.sin(t) * ez + 1.4 * t * (2 + np.cos(t)) * np.cross(ex, ez)
    velocity = [0.3 * t * t, 2 * np.cos(2 * t), -0.3]
    acceleration = [0.6 * t, -4 * np.sin(2 * t), 0.0]
    turned = [11.0, 12.0, 13.0]
    return np.concatenate([displacement(t), quaternion, velocity, spin, acceleration, growth, turned])


def samples_at(times):
    """Samples of the ground, of a body at rest, and of the moving body."""
    samples = np.zeros((len(times), 3, 22))
    samples[:, :, 3] = 1.0
    samples[:, 2] = [body_sample(t) for t in times]
    return samples


def points_on(body):
    return records_of(Points(np.full(3, body), ARMS, ORIGINS))


def values_at(times, model=None, body=2):
    request = node_request(model_of_nodes(ORIGINS) if model is None else model)
    return node_values(samples_at(times), points_on(body), request, np.zeros((len(times), len(request.nodes), 6)))


def vector(values, prefix):
    return np.stack([values[prefix + axis] for axis in "XYZ"], axis=-1)


def slope(vectors, step):
    """Fourth-order central difference of five samples."""
    return (vectors[0] - 8 * vectors[1] + 8 * vectors[3] - vectors[4]) / (12 * step)


@pytest.mark.parametrize("t", [0.0, 0.4, 1.7])
def test_displacement_and_position_are_those_of_the_turned_body(t):
    values = values_at([t])
    expected = displacement(t) + ARMS @ rotation(t).T - ARMS
    np.testing.assert_allclose(vector(values, "D")[0], expected, rtol=0, atol=4e-15)
    np.testing.assert_allclose(vector(values, "")[0], ORIGINS + expected, rtol=0, atol=4e-15)


@pytest.mark.parametrize("t", [0.0, 0.4, 1.7])
def test_velocity_and_acceleration_are_the_slopes_of_position_and_velocity(t):
    step = 1e-3
    values = values_at(t + step * np.arange(-2, 3))
    for rate, of in (("V", ""), ("A", "V"), ("AR", "VR")):
        np.testing.assert_allclose(vector(values, rate)[2], slope(vector(values, of), step), rtol=0, atol=2e-10)


def test_nodes_share_the_rotation_of_their_body():
    samples = samples_at([0.4, 1.7])
    values = values_at([0.4, 1.7])
    for node in range(3):
        np.testing.assert_array_equal(vector(values, "VR")[:, node], samples[:, 2, 10:13])
        np.testing.assert_array_equal(vector(values, "AR")[:, node], samples[:, 2, 16:19])
        np.testing.assert_array_equal(vector(values, "DR")[:, node], [(11, 12, 13)] * 2)
        for i in range(4):
            np.testing.assert_array_equal(values[f"Q{i}"][:, node], samples[:, 2, 3 + i])


def test_nodes_of_the_ground_stay_where_they_are():
    values = values_at([0.4, 1.7], body=0)
    np.testing.assert_array_equal(vector(values, "")[1], ORIGINS)
    for name, value in values.items():
        if name not in ("X", "Y", "Z", "Q0"):
            assert not value.any(), name


def test_small_rotations_give_displacements_to_full_precision():
    angle = 1e-9
    quaternion = np.array([np.cos(angle / 2), 0.0, 0.0, np.sin(angle / 2)])
    np.testing.assert_allclose(turned_by(quaternion, np.array([3.0, 0, 0])), [-1.5e-18, 3e-9, 0], rtol=1e-15)


def request_block(variables, items, skew_ids=None, names=None, family="NODE"):
    items = np.array(items, dtype=np.int64)
    return HistoryRequest(
        1,
        "",
        StubWhere(),
        family,
        variables,
        items,
        names or [""] * len(items),
        skew_ids or [0] * len(items),
    )


def test_vectors_are_given_in_a_fixed_skew_and_positions_are_not():
    model = model_of_nodes(ORIGINS)
    axes = (turn_about_x(0.3) @ turn_about_z(0.8)).T
    model.skews[4] = Skew(4, "", StubWhere(), False, axes, np.empty(0, np.int64))
    model.history_requests.append(request_block(list(NODE_VARIABLES), [0, 1, 2], skew_ids=[0, 4, 4]))
    skewed, plain = values_at([0.4, 1.7], model), values_at([0.4, 1.7])
    for prefix in ("D", "V", "A", "VR", "AR", "DR"):
        expected = vector(plain, prefix)
        expected[:, 1:] = expected[:, 1:] @ axes.T
        np.testing.assert_allclose(vector(skewed, prefix), expected, rtol=0, atol=1e-14)
    for name in ("X", "Y", "Z", "Q0", "Q1", "Q2", "Q3"):
        np.testing.assert_array_equal(skewed[name], plain[name])


def test_small_deck_without_request_gets_every_variable_of_every_node():
    model = model_of_nodes(ORIGINS, ids=[10, 20, 5])
    family = node_family(model, node_request(model))
    assert family.group == "th/node"
    assert family.names == ("", "", "")
    np.testing.assert_array_equal(family.ids, [10, 20, 5])
    names = tuple(channel.name for channel in family.channels)
    assert names == tuple(name for name in NODE_VARIABLES if not name.startswith("REAC"))
    assert set(values_at([0.4])) == set(names)


def test_large_deck_without_request_gets_no_node():
    model = model_of_nodes(np.zeros((NODES_WRITTEN_UNASKED + 1, 3)))
    family = node_family(model, node_request(model))
    assert len(family.ids) == 0
    assert family.channels == ()


def test_request_of_other_families_does_not_count():
    model = model_of_nodes(ORIGINS)
    model.history_requests.append(request_block(["DX"], [7], family="SPRING"))
    assert len(node_request(model).nodes) == 3


def test_blocks_are_merged_and_what_nobody_asked_for_is_nan():
    model = model_of_nodes(ORIGINS, ids=[10, 20, 30])
    model.history_requests += [
        request_block(["DX", "VX"], [2, 0], names=["tip", ""]),
        request_block(["VX", "Q0"], [0, 1], names=["root", ""]),
    ]
    request = node_request(model)
    family = node_family(model, request)
    assert [channel.name for channel in family.channels] == ["DX", "VX", "Q0"]
    assert family.names == ("tip", "root", "")
    np.testing.assert_array_equal(family.ids, [30, 10, 20])
    values = node_values(samples_at([0.4, 1.7]), points_on(2), request)
    assert list(values) == ["DX", "VX", "Q0"]
    assert [np.isnan(values[name]).all(axis=0).tolist() for name in values] == [
        [False, False, True],
        [False, False, False],
        [True, False, False],
    ]


def test_block_without_items_means_all_nodes():
    model = model_of_nodes(np.zeros((NODES_WRITTEN_UNASKED + 1, 3)))
    model.history_requests.append(request_block(["DX"], []))
    request = node_request(model)
    np.testing.assert_array_equal(request.nodes, np.arange(NODES_WRITTEN_UNASKED + 1))
    assert request.axes is None


def test_node_asked_for_in_two_skews_is_two_columns():
    model = model_of_nodes(ORIGINS)
    model.skews[4] = Skew(4, "", StubWhere(), False, turn_about_z(0.5), np.empty(0, np.int64))
    model.history_requests += [request_block(["DX"], [1]), request_block(["DX"], [1], skew_ids=[4])]
    request = node_request(model)
    np.testing.assert_array_equal(request.nodes, [1, 1])
    np.testing.assert_array_equal(request.axes, [np.eye(3), turn_about_z(0.5)])


@pytest.mark.parametrize("direction", [0, 1, 2])
def test_components_in_a_moving_skew_follow_its_nodes(direction):
    """The three nodes ride on the body, so the axes turn with it; X Y Z stay global."""
    model = model_of_nodes(ORIGINS)
    places = displacement(0.0) + ARMS @ rotation(0.0).T
    u = (places[1] - places[0]) / np.linalg.norm(places[1] - places[0])
    w = np.cross(u, places[2] - places[0])
    w /= np.linalg.norm(w)
    axes = np.roll([u, np.cross(w, u), w], direction, axis=0)
    model.skews[4] = Skew(4, "", StubWhere(), True, axes, np.array([0, 1, 2]), direction)
    variables = [f"{prefix}{axis}" for prefix in ("D", "V", "A", "VR", "") for axis in "XYZ"]
    model.history_requests += [request_block(variables, [1], skew_ids=[4]), request_block(variables, [1])]
    request = node_request(model)
    origins = places  # of the nodes at t = 0, on the body
    points = records_of(Points(np.full(3, 2), ARMS, origins))
    values = node_values(samples_at([0.0, 0.4, 1.7]), points, request)
    for k, t in enumerate((0.0, 0.4, 1.7)):
        now = axes @ rotation(t).T
        for prefix in ("D", "V", "A", "VR"):
            in_skew, in_global = vector(values, prefix)[k]
            np.testing.assert_allclose(in_skew, now @ in_global, atol=1e-14 * max(1.0, np.abs(in_global).max()))
        in_skew, in_global = vector(values, "")[k]
        np.testing.assert_array_equal(in_skew, in_global)


def test_units_follow_those_of_the_deck():
    model = model_of_nodes(ORIGINS, units=TONNE_MM)
    units = {channel.name: channel.unit for channel in node_family(model, node_request(model)).channels}
    names = ("DX", "VY", "AZ", "VRX", "ARY", "Z", "DRX", "Q0")
    assert [units[name] for name in names] == ["mm", "mm/s", "mm/s2", "rad/s", "rad/s2", "mm", "rad", "1"]
    units = {channel.name: channel.unit for channel in rigid_body_family(model).channels}
    assert (units["FX"], units["MZ"], units["DX"]) == ("N", "N mm", "mm")


def rigid_body_values_at(times):
    return rigid_body_values(
        samples_at(times),
        records_of(Points(np.array([2, 0]), np.zeros((2, 3)), ORIGINS[:2])),
        np.array([2.5, 1.0]),
        np.array([BODY_INERTIA, np.eye(3)]),
    )


@pytest.mark.parametrize("t", [0.0, 0.4, 1.7])
def test_resultants_of_a_rigid_body_are_the_slopes_of_its_momenta(t):
    step = 1e-3
    times = t + step * np.arange(-2, 3)
    values = rigid_body_values_at(times)
    angular_momenta = []
    for time in times:
        turned_inertia = rotation(time) @ BODY_INERTIA @ rotation(time).T
        angular_momenta.append(turned_inertia @ body_sample(time)[10:13])
    np.testing.assert_allclose(vector(values, "M")[2, 0], slope(angular_momenta, step), rtol=0, atol=1e-9)
    np.testing.assert_allclose(vector(values, "F")[2, 0], 2.5 * slope(vector(values, "V")[:, 0], step), atol=1e-9)


def test_rigid_body_has_the_node_variables_of_its_centre():
    model = model_of_nodes(ORIGINS)
    body = RigidBody(8, "arm", StubWhere(), 0, np.array([1]), 0, 3, 0.0, 1, np.zeros(6))
    model.rigid_bodies.append(body)
    family = rigid_body_family(model)
    assert (family.group, family.names, family.ids.tolist()) == ("th/rbody", ("arm",), [8])
    values = rigid_body_values_at([0.4])
    assert tuple(values) == tuple(channel.name for channel in family.channels)
    np.testing.assert_allclose(vector(values, "D")[0, 0], displacement(0.4), rtol=1e-15)
    moved = np.array([displacement(0.4), np.zeros(3)])
    np.testing.assert_allclose(vector(values, "")[0], ORIGINS[:2] + moved, rtol=1e-15)
