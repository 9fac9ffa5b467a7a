"""The tangential springs of contact points, and who carries them on."""

import numpy as np
from gsolve.solver.contact.friction import take_point_before
from gsolve.solver.contact.records import CONTACT, SPRING


def points_at(*places, pair=(3, 7)):
    """Contact points of one pair along x."""
    contacts = np.zeros(len(places), CONTACT)
    contacts["point"][:, 0] = places
    contacts["member_a"], contacts["member_b"] = pair
    return contacts


def takers(before, now):
    springs = np.zeros(len(before), SPRING)
    return [take_point_before(contact, before, springs, (0, len(before))) for contact in now]


def test_a_point_takes_over_the_spring_of_the_nearest_point_before():
    assert takers(points_at(0.0, 1.0, 2.0), points_at(2.1, 0.1, 0.9)) == [2, 0, 1]


def test_a_spring_is_taken_over_once_and_by_the_first_that_asks():
    """Of two points near the same one before, the second takes what is left, and a third one starts anew."""
    assert takers(points_at(0.0, 1.0), points_at(0.0, 0.4, 0.1)) == [0, 1, -1]


def test_springs_of_other_pairs_are_not_taken_over():
    before = np.concatenate([points_at(1.0), points_at(0.0, pair=(3, 8))])
    assert takers(before, points_at(0.0, 0.5)) == [0, -1]
