"""The broad phase: it misses no pair that touches, lists none it can rule out, and runs do not depend on it."""

import itertools
import math

import numpy as np
import pytest
from gsolve.parser.keywords.contact_laws import ImpactLaw, PoissonLaw
from gsolve.parser.model import CoulombFriction
from gsolve.solver.contact import setup as contact_setup
from gsolve.solver.contact.frames import gather_motion
from gsolve.solver.contact.setup import with_capacity
from gsolve.solver.core.jit.references import Reference
from gsolve.solver.geometry.broad_phase import SIDE_I, SIDE_J, find_pairs, place_members, still_within
from gsolve.solver.geometry.shapes import FRUSTUM, PLANE, SPHERE
from hand_models import Machine
from naive.geometry import heights
from shape_rig import Placed

KINDS = ["SPHERE", "ELLIPSOID", "CYLINDER", "FRUSTUM", "BOX"]
SPRINGY = ImpactLaw(1e4, 1.0, 0.0, 1.0)


def random_turn(rng):
    """A random rotation matrix."""
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return turn * np.sign(np.linalg.det(turn))


def random_size(rng, kind, scale):
    a, b, c = scale * rng.uniform(0.3, 1.0, 3)
    return {"SPHERE": (a,), "CYLINDER": (a, 2 * b), "FRUSTUM": (a, rng.choice([0.0, b]), 2 * c)}.get(kind, (a, b, c))


def cloud(seed, bodies=60, extent=4.0, one_side=False):
    """Bodies with one to three solids each, of sizes from 0.05 to 5, standing ones, planes, one of which moves."""
    rng = np.random.default_rng(seed)
    machine = Machine(rng.uniform(-extent, extent, (bodies, 3)))
    shapes = []
    for node in range(1, bodies + 1):
        machine.body(node, [], mass=1.0, inertia=(1, 1, 1, 0, 0, 0))
        for _ in range(rng.integers(1, 4)):
            kind = rng.choice(KINDS)
            scale = 5.0 if rng.random() < 0.04 else 10 ** rng.uniform(-1.3, 0.0)
            arm = rng.normal(size=3) * scale
            size = random_size(rng, kind, scale)
            shapes.append(machine.solid(kind, node, *size, axes=random_turn(rng), offset=arm))
    shapes += [machine.solid("BOX", 0, 1.0, 2.0, 3.0, offset=rng.normal(size=3)) for _ in range(3)]
    shapes += [machine.solid("PLANE", 0, axes=random_turn(rng), offset=rng.normal(size=3)) for _ in range(2)]
    shapes.append(machine.solid("PLANE", 1, axes=random_turn(rng)))
    rng.shuffle(shapes)
    middle = len(shapes) // 2
    if one_side:
        machine.contact(shapes, None, SPRINGY)
    else:
        machine.contact(shapes[:middle], shapes[middle:], SPRINGY)
    system = machine.assemble().system
    for body in system.bodies[1:]:
        body["rotation"] = random_turn(rng)
        body["displacement"] = 0.1 * rng.normal(size=3)
    return system


def boxes(system, margin):
    """(n, 3) lowest and highest corners of the shapes, by how far they reach along the global axes."""
    lows, highs = [], []
    for shape in system.contacts.shapes:
        body = system.bodies[shape["body"]]
        pose = Placed(shape, body["centre"] + body["displacement"], body["rotation"])
        lows.append(-heights(pose, -np.eye(3)) - margin)
        highs.append(heights(pose, np.eye(3)) + margin)
    return np.array(lows), np.array(highs)


def overlapping(system, margin):
    """All pairs that may touch, of bounded shapes: every two compared."""
    members = system.contacts.members
    shapes, side = system.contacts.shapes[members["shape"]], members["side"]
    low, high = (corners[members["shape"]] for corners in boxes(system, margin))
    with np.errstate(invalid="ignore"):  # half spaces have no centre
        centre, radius = (low + high) / 2, (high - low)[:, 0] / 2
        near = np.linalg.norm(centre[:, None] - centre, axis=2) <= radius[:, None] + radius
    reaches = np.all(low[:, None] <= high, axis=2)
    ball, faces_j = shapes["kind"] == SPHERE, (side[:, None] & SIDE_I > 0) & (side & SIDE_J > 0)
    overlap = np.where(ball[:, None] & ball, near, reaches & reaches.T)
    bounded, apart = shapes["kind"] != PLANE, shapes["body"][:, None] != shapes["body"]
    paired = overlap & (faces_j | faces_j.T) & apart & bounded[:, None] & bounded
    return {(m, n) for m, n in np.argwhere(paired).tolist() if m < n}


def below_planes(system, margin):
    """Pairs of a plane and a shape on the other side whose box reaches into the half space."""
    members, shapes = system.contacts.members, system.contacts.shapes
    low, high = boxes(system, margin)
    found = set()
    planes = np.flatnonzero(shapes["kind"][members["shape"]] == PLANE)
    for m, n in itertools.product(planes.tolist(), range(len(members))):
        a, b = members["shape"][m], members["shape"][n]
        if shapes["kind"][b] == PLANE or shapes["body"][a] == shapes["body"][b]:
            continue
        if members["side"][m] == members["side"][n] and members["side"][m] != SIDE_I | SIDE_J:
            continue
        body = system.bodies[shapes["body"][a]]
        normal = body["rotation"] @ shapes["axes"][a, 2]
        on_plane = body["centre"] + body["displacement"] + body["rotation"] @ shapes["centre"][a]
        lowest = np.where(normal > 0, low[b], high[b])
        if normal @ (lowest - on_plane) <= 0.0:
            found.add((min(m, n), max(m, n)))
    return found


def candidates(system, k=0):
    """Pairs of interface k as find_pairs leaves them, with capacity for all."""
    capacities = system.contacts.interfaces["point_capacity"]
    contacts = with_capacity(system.contacts, np.full(len(capacities), 200_000), capacities)
    record = contacts.interfaces[k]
    first = int(record["first_pair"])
    of = record["first_member"], record["last_member"], contacts.shapes
    gather_motion(Reference(contacts), system.subsystems[0], system.bodies, 0.0)
    place_members(contacts.members, *of, contacts.frames, system.bodies)
    cells, own = contacts.cell_start[record["first_cell"] :], slice(first, first + int(record["pair_capacity"]))
    pair, copy = contacts.pair[own], contacts.near[own]
    found = find_pairs(contacts.members, contacts.bounds, *of, system.bodies, record["skin"], cells, pair, copy)
    return contacts, [tuple(pair) for pair in pair[:found].tolist()]


def are_within(contacts, system, k=0):
    """Whether the members of interface k are within their boxes where the bodies are now."""
    record = contacts.interfaces[k]
    of = record["first_member"], record["last_member"], contacts.shapes
    gather_motion(Reference(contacts), system.subsystems[0], system.bodies, 0.0)
    place_members(contacts.members, *of, contacts.frames, system.bodies)
    return still_within(contacts.members, contacts.bounds, *of, system.bodies, record["skin"])


@pytest.mark.parametrize("one_side", [False, True], ids=["two sides", "all against all"])
@pytest.mark.parametrize("seed", range(6))
def test_candidates_are_the_pairs_whose_boxes_or_spheres_overlap(seed, one_side):
    """Boxes of the kernels are symmetric about the centre, hence larger for a frustum: they may list more of those."""
    system = cloud(seed, extent=(1.0, 4.0, 10.0)[seed % 3], one_side=one_side)
    contacts, found = candidates(system)
    shapes, members = contacts.shapes, contacts.members
    assert found == sorted(set(found))
    kinds = [{int(shapes["kind"][members["shape"][m]]) for m in pair} for pair in found]
    bounded = {pair for pair, kind in zip(found, kinds, strict=True) if PLANE not in kind}
    skin = float(contacts.interfaces["skin"][0])
    expected = overlapping(system, skin)
    assert expected <= bounded
    without_frusta = {p for p, kind in zip(found, kinds, strict=True) if not kind & {PLANE, FRUSTUM}}
    assert without_frusta <= expected
    assert below_planes(system, skin) <= set(found)
    bodies = shapes["body"][members["shape"]]
    assert all(bodies[a] != bodies[b] for a, b in found)
    assert len(expected) > 0


def test_boxes_far_above_a_standing_plane_are_no_candidates():
    machine = Machine([(0, 0, 1.0), (0, 0, 0.55)])
    for node in (1, 2):
        machine.mass(node, 1.0)
    balls = [machine.solid("SPHERE", node, 0.5) for node in (1, 2)]
    machine.contact(balls, [machine.solid("PLANE", 0)], SPRINGY)
    _, found = candidates(machine.assemble().system)
    assert found == [(1, 2)]


def test_shapes_on_the_ground_and_on_one_body_are_never_paired_and_a_held_body_is_one():
    machine = Machine([(0, 0, 0), (0.1, 0, 0)])
    machine.mass(1, 1.0)
    machine.mass(2, 1.0)
    machine.hold([2], "111 111")
    solids = [machine.solid("SPHERE", node, 0.5) for node in (0, 0, 1, 1, 2)]
    machine.contact(solids, None, SPRINGY)
    _, found = candidates(machine.assemble().system)
    assert found == [(0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 4), (3, 4)]


@pytest.mark.parametrize("seed", range(2))
def test_candidates_hold_while_every_shape_is_within_its_box(seed):
    """Bodies drift and turn at random: as long as `still_within` says so, all that overlaps was listed."""
    rng = np.random.default_rng(seed)
    system = cloud(seed, bodies=40, one_side=True)
    contacts, found = candidates(system)
    skin = float(contacts.interfaces["skin"][0])
    drift, held = rng.normal(size=(len(system.bodies), 3)), 0
    for _ in range(30):
        system.bodies["displacement"][1:] += 0.02 * skin * drift[1:]
        if not are_within(contacts, system):
            break
        held += 1
        assert overlapping(system, 0.0) <= set(found)
        assert below_planes(system, 0.0) <= set(found)
    assert 10 <= held < 30


@pytest.mark.parametrize("change, within", [
    ((0.0, 0.0, 0.0), True), ((0.05, -0.05, 0.05), True), ((0.101, 0.0, 0.0), False), ((0.0, 0.0, -0.101), False),
    ((0.0, math.nan, 0.0), False),
])  # fmt: skip
def test_a_shape_leaves_its_box_when_it_moved_by_the_skin(change, within):
    machine = Machine([(0, 0, 0), (5.0, 0, 0)])
    for node in (1, 2):
        machine.mass(node, 1.0)
    machine.contact([machine.solid("SPHERE", 1, 1.0)], [machine.solid("SPHERE", 2, 1.0)], SPRINGY)
    system = machine.assemble().system
    contacts, _ = candidates(system)
    assert contacts.interfaces["skin"][0] == pytest.approx(0.1)
    system.bodies["displacement"][2] = change
    assert are_within(contacts, system) == within


def test_a_bar_that_turns_leaves_its_box():
    machine = Machine([(0, 0, 0), (9.0, 0, 0)])
    for node in (1, 2):
        machine.body(node, [], mass=1.0, inertia=(1, 1, 1, 0, 0, 0))
    machine.contact([machine.solid("BOX", 1, 4.0, 0.1, 0.1)], [machine.solid("SPHERE", 2, 2.0)], SPRINGY)
    system = machine.assemble().system
    contacts, _ = candidates(system)
    for angle, within in ((0.1, True), (0.4, False), (math.pi, True)):
        c, s = math.cos(angle), math.sin(angle)
        system.bodies["rotation"][1] = [[c, -s, 0], [s, c, 0], [0, 0, 1]]
        assert are_within(contacts, system) == within


def test_a_capacity_that_is_too_small_is_told_and_nothing_is_written_beyond_it():
    system = cloud(3, extent=1.0, one_side=True)
    contacts, found = candidates(system)
    record, pair = contacts.interfaces[0], contacts.pair
    pair[:] = -7
    capacity = len(found) // 3
    number = find_pairs(
        contacts.members, contacts.bounds, record["first_member"], record["last_member"], contacts.shapes,
        system.bodies, record["skin"], contacts.cell_start, pair[:capacity], contacts.near,
    )  # fmt: skip
    assert number == len(found)
    assert np.all(pair[:capacity] >= 0) and np.all(pair[capacity:] == -7)


# ---- runs ------------------------------------------------------------------------------------------------------


def swarm(order=None, side=4, spacing=1.15, t_end=0.6, groups=1):
    """Balls on a lattice that fly inwards and bounce off each other, with friction; each group by itself."""
    rng = np.random.default_rng(5)
    count = side**3
    lattice = spacing * (np.array(list(itertools.product(range(side), repeat=3)), dtype=float) - (side - 1) / 2)
    places = lattice + 0.05 * rng.normal(size=(count, 3))
    velocities = -0.5 * lattice + 0.1 * rng.normal(size=(count, 3))
    radii = rng.uniform(0.35, 0.55, count)
    order = np.arange(count) if order is None else order
    machine = Machine(
        np.concatenate([places[order] + 100.0 * group for group in range(groups)]), t_end=t_end, every=t_end / 6
    )
    law = PoissonLaw(3e4, 0.7, 0.1)
    friction = CoulombFriction("STATIC_AND_DYNAMIC", 0.3, 0.2, 0.05, 0.1)
    for group in range(groups):
        solids = []
        for place, ball in enumerate(order, start=1 + group * count):
            machine.body(place, [], mass=1.0, inertia=(0.1, 0.1, 0.1, 0, 0, 0))
            machine.velocity([place], velocities[ball])
            solids.append(machine.solid("SPHERE", place, radii[ball]))
        machine.contact(solids, None, law, friction)
    return machine


def same(first, second):
    """Every value of two runs is equal to the bit."""
    for group, channels in first.values.items():
        for name, values in channels.items():
            np.testing.assert_array_equal(values, second.values[group][name], err_msg=f"{group}/{name}")


@pytest.fixture(scope="module")
def plain():
    return swarm().run(2e-4)


@pytest.mark.parametrize("name, value", [("SKIN", 0.02), ("SKIN", 1.0), ("LARGE", 0.5)])
def test_skin_and_grid_do_not_show_in_the_results(monkeypatch, plain, name, value):
    """With LARGE below 1 every ball is compared with all others."""
    assert plain.inter("NPATCH").max() >= 10
    monkeypatch.setattr(contact_setup, name, value)
    same(plain, swarm().run(2e-4))


def test_capacity_grows_within_a_run_and_does_not_show_in_the_results(monkeypatch, plain):
    for name in ("PAIRS_PER_MEMBER", "POINTS_PER_MEMBER"):
        monkeypatch.setattr(contact_setup, name, 0)
    monkeypatch.setattr(contact_setup, "LEAST_CAPACITY", 1)
    simulation = swarm().simulation(2e-4)
    narrow = simulation._system.contacts.interfaces[0]
    assert narrow["pair_capacity"] == narrow["point_capacity"] == 1
    tight = swarm().run(2e-4)
    grown = tight.simulation._system.contacts.interfaces
    assert grown["point_capacity"][0] >= tight.inter("NPATCH").max() >= 10
    same(plain, tight)


def test_groups_that_do_not_meet_run_in_any_number_of_threads(monkeypatch):
    monkeypatch.setattr(contact_setup, "POINTS_PER_MEMBER", 0)
    monkeypatch.setattr(contact_setup, "LEAST_CAPACITY", 2)
    one = swarm(side=3, groups=4).run(2e-4)
    same(one, swarm(side=3, groups=4).run(2e-4, threads=3))
    same(one, swarm(side=3, groups=4).run(2e-4, block=100))


def test_the_order_of_bodies_and_solids_does_not_matter(plain):
    """Beyond round-off, which collisions multiply."""
    order = np.random.default_rng(1).permutation(64)
    shuffled = swarm(order).run(2e-4)
    for axis in "XYZ":
        for quantity in ("", "V", "VR"):
            values = plain.values["th/node"][quantity + axis][:, order]
            np.testing.assert_allclose(shuffled.values["th/node"][quantity + axis], values, rtol=0, atol=1e-10)
    for channel in ("EELAS", "EDISS", "EFRIC", "NPATCH"):
        np.testing.assert_allclose(shuffled.inter(channel), plain.inter(channel), rtol=0, atol=1e-9)


def test_a_thousand_balls_in_one_interface_keep_their_momentum():
    run = swarm(side=10, spacing=0.95, t_end=0.1).run(2e-4)
    assert run.inter("NPATCH").max() > 500
    momentum = np.stack([run.diag(f"momentum_{axis}") for axis in "xyz"], axis=1)
    spin = np.stack([run.diag(f"angular_momentum_{axis}") for axis in "xyz"], axis=1)
    size = 1000 * 2.0  # kg m/s, balls of 1 kg at 2 m/s; arms of 5 m
    assert np.max(np.abs(momentum - momentum[0])) <= 1e-12 * size
    assert np.max(np.abs(spin - spin[0])) <= 1e-12 * 5 * size
    imbalance = run.energy("error") - run.energy("contact_error")
    assert np.max(np.abs(imbalance)) <= 1e-12 * run.energy("total")[0]
