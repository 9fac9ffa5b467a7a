"""What pairs of solids did and owe, against a twin."""

import math

import naive.touches as twin
import numpy as np
import pytest
from gsolve.solver.contact.records import CONTACT, DEBT, FRAME, INTERFACE, MOVE, TOUCH, Step, no_contacts
from gsolve.solver.contact.touches import forget_pair, part_pairs, part_pairs_before, renew_touch, return_debt
from gsolve.solver.core.bodies import new_bodies
from gsolve.solver.core.functions import no_functions
from gsolve.solver.core.jit.references import Reference
from gsolve.solver.geometry.broad_phase import MEMBER
from gsolve.solver.geometry.contact_points import new_points
from gsolve.solver.geometry.shapes import BOX, SPHERE
from scipy.spatial.transform import Rotation

DT, EXPONENT = 1e-3, 1.5
STEP = Step(0.0, DT, 0.4 * DT, 0.0)
POINTS = 4
BEFORE, NOW = 0, 1  # touches


def two_boxes(random, plain, kinds=(BOX, BOX)):
    """Contacts of two bodies in the middle of a touch, with points anywhere; and the bodies."""
    contacts = no_contacts(no_functions())._replace(
        interfaces=np.zeros(1, INTERFACE), members=np.zeros(2, MEMBER), contacts=np.zeros(POINTS, CONTACT),
        touches=np.zeros(2, TOUCH), debts=np.zeros(2, DEBT), frames=np.zeros(2, FRAME), moves=np.zeros(2, MOVE),
        points=new_points(),
    )  # fmt: skip
    bodies = new_bodies(2)
    bodies["inverse_mass"], bodies["rotation"] = (0.5, 0.8), Rotation.random(2, random_state=1).as_matrix()
    bodies["inverse_inertia"] = [np.diag(random.uniform(1, 9, 3)) for _ in range(2)]
    interface = contacts.interfaces[0]
    interface["exponent"], interface["opened"], interface["greatest_penetration"] = EXPONENT, 1, math.inf
    interface["share"] = 1.0
    contacts.members["kind"], contacts.scratch["plain"] = kinds, plain
    points = contacts.contacts
    points["j"], points["member_b"] = 1, 1
    points["penetration"] = random.uniform(1e-3, 2e-3, POINTS)
    points["elastic"] = random.uniform(0.2, 1.0, POINTS) * 1e5 * points["penetration"] ** EXPONENT
    points["step_correction"] = 0.1 * random.normal(size=POINTS) * points["elastic"]
    normals = random.normal(size=(POINTS, 3))
    points["normal"] = normals / np.linalg.norm(normals, axis=1)[:, None]
    points["point"] = random.normal(size=(POINTS, 3)) * 0.1
    contacts.frames["place"] = contacts.moves["place"] = random.normal(size=(2, 3)) * 0.1
    contacts.frames["inverse_mass"] = bodies["inverse_mass"]
    contacts.moves["step"] = 3e-4 * random.normal(size=(2, 3))
    contacts.moves["turn"] = 2e-3 * random.normal(size=(2, 3))
    contacts.touches["member_b"] = 1
    contacts.touches["end"], contacts.debts["plain"] = POINTS, plain
    return contacts, bodies


def moved_at(contacts, place):
    """Body 0 against body 1 at a place."""
    one, other = (move["step"] + np.cross(move["turn"], place - move["place"]) for move in contacts.moves)
    return one - other


def inverse_mass_at(contacts, bodies, place, along):
    total = 0.0
    for body, frame in zip(bodies, contacts.frames, strict=True):
        tensor = body["rotation"] @ body["inverse_inertia"] @ body["rotation"].T
        arm = np.cross(place - frame["place"], along)
        total += body["inverse_mass"] + arm @ tensor @ arm
    return total


@pytest.mark.parametrize("exact_ends", [0, 1])
@pytest.mark.parametrize("owed", [-0.4, -0.02, 0.02, 0.3, 3.0])
def test_a_debt_is_returned_as_the_twin_does(owed, exact_ends):
    """Energy, debt, force and moments on both bodies; owed : at the last step, in parts of U."""
    contacts, bodies = two_boxes(np.random.default_rng(3), plain=0)
    points = contacts.contacts
    contacts.interfaces["exact_ends"] = exact_ends
    moved = [moved_at(contacts, point["point"]) for point in points]
    energy = float((points["elastic"] * points["penetration"]).sum() / (EXPONENT + 1))
    contacts.touches["work"] = -energy + owed * energy
    of_twin = list(
        zip(points["elastic"], points["step_correction"], points["penetration"], points["normal"], moved, strict=True)
    )
    before, after = (DT, STEP.dt) if exact_ends else (None, None)
    energy, debt = twin.debt_of(of_twin, EXPONENT, contacts.touches["work"][BEFORE], before, after)
    load = points["elastic"].sum()
    place = (points["elastic"][:, None] * points["point"]).sum(axis=0) / load
    way = moved_at(contacts, place)
    inverse_mass = inverse_mass_at(contacts, bodies, place, way / np.linalg.norm(way))
    force, left = twin.returning_force(load, energy, debt, way, inverse_mass, DT)

    return_debt(Reference(contacts), contacts.interfaces[0], NOW, BEFORE, (0, POINTS), bodies, STEP)
    found = contacts.debts[NOW]
    assert found["energy"] == pytest.approx(energy, rel=1e-13)
    assert found["debt"] == pytest.approx(left, rel=1e-11)
    np.testing.assert_allclose(found["force"], force, rtol=1e-11)
    for frame, sign in zip(contacts.frames, (1.0, -1.0), strict=True):
        wrench = sign * np.concatenate([force, np.cross(place - frame["place"], force)])
        np.testing.assert_allclose(frame["wrench"], wrench, rtol=1e-11, atol=1e-12 * np.linalg.norm(force))
    assert contacts.interfaces["largest_debt"][0] == pytest.approx(abs(left), rel=1e-11)


@pytest.mark.parametrize(("plain", "kinds"), [(1, (BOX, BOX)), (0, (BOX, SPHERE))], ids=["gradient", "sphere"])
def test_what_is_a_gradient_owes_nothing(plain, kinds):
    contacts, bodies = two_boxes(np.random.default_rng(4), plain, kinds)
    contacts.touches["work"] = 1.0
    return_debt(Reference(contacts), contacts.interfaces[0], NOW, BEFORE, (0, POINTS), bodies, STEP)
    assert contacts.debts["debt"][NOW] == 0.0
    assert not contacts.debts["force"][NOW].any() and not contacts.frames["wrench"].any()


def test_pairs_go_on_begin_and_part_as_the_twin_counts():
    """Sorted pairs, random ones of which touch from step to step; some become too deep, and are ignored."""
    random = np.random.default_rng(5)
    contacts, _ = two_boxes(random, plain=1)
    names = [(a, b) for a in range(5) for b in range(a + 1, 6)]
    contacts = contacts._replace(touches=np.zeros(2 * len(names), TOUCH))
    interface, of_contacts = contacts.interfaces[0], Reference(contacts)
    interface["greatest_penetration"] = 2e-3
    alive, works, count = {}, [], [0, 0]
    for step in range(40):
        state = dict(
            zip(names, random.choice(["apart", "touches", "ignored"], len(names), p=[0.4, 0.5, 0.1]), strict=True)
        )
        first = (step % 2) * len(names)
        last, place, now = (len(names) - first, len(names) - first + count[1 - step % 2]), first, {}
        for a, b in names:
            if state[a, b] == "apart":
                works += [alive[a, b]] if (a, b) in alive else []
                continue
            last = part_pairs_before(interface, contacts.touches, last, a, b)
            if state[a, b] == "touches":
                depth = random.uniform(1e-5, 2e-3)
                contacts.contacts["penetration"] = depth * np.array([1.0, 0.5, 0.2, 0.1])
                q = renew_touch(of_contacts, interface, place, a, b, (0, POINTS), last)
                assert (q >= 0) == ((a, b) in alive)
                done = random.normal()
                contacts.touches["work"][place] += done
                work, abrupt = alive.get((a, b), (0.0, depth > 1e-3))  # deeper than a step leads: it was ignored
                now[a, b] = work + done, abrupt
                place += 1
            last = forget_pair(contacts.touches, last, a, b)
        part_pairs(interface, contacts.touches, last)
        alive, count[step % 2] = now, place - first
        assert interface["parted_work"] == pytest.approx(twin.kept(works), rel=1e-12, abs=1e-12)
    assert len(works) > 100
