"""Records of bodies, points and skews, made of the plain arrays that the twins work on."""

import numpy as np
from gsolve.solver.core.bodies import new_bodies
from gsolve.solver.core.body_points import NODE_POINT
from gsolve.solver.core.skews import SKEW
from naive.core import Motion, Points

NO_SKEWS = np.zeros(0, SKEW)


def records_of(points):
    """NODE_POINT records of points."""
    records = np.zeros(len(points.body), NODE_POINT)
    records["body"], records["arm"], records["origin"] = points
    return records


def points_of(records):
    """The plain arrays of NODE_POINT records."""
    return Points(records["body"], records["arm"], records["origin"])


def bodies_in(motion):
    """BODY records in a motion at t_n."""
    bodies = new_bodies(len(motion.displacement))
    set_motion(bodies, motion)
    return bodies


def set_motion(bodies, motion):
    bodies["displacement"], bodies["rotation"] = motion.displacement, motion.rotation
    bodies["mean_velocity"], bodies["mean_angular_velocity"] = motion.velocity, motion.angular_velocity


def set_trial(bodies, motion):
    """Trial positions."""
    bodies["trial_displacement"], bodies["trial_rotation"] = motion.displacement, motion.rotation


def motion_of(bodies, prefix=""):
    """Views of the motion of bodies: what is written into them later is seen."""
    return Motion(
        bodies[prefix + "displacement"], bodies[prefix + "rotation"], bodies["mean_velocity"],
        bodies["mean_angular_velocity"],
    )  # fmt: skip


def moving_skew_on(records, nodes, direction, axes=None):
    """The one skew of a model, on three points."""
    skews = np.zeros(1, SKEW)
    skews["moving"], skews["direction"], skews["axes"] = 1, direction, np.eye(3) if axes is None else axes
    for name, node in zip(("node_1", "node_2", "node_3"), nodes, strict=True):
        skews[name] = records[node]
    return skews
