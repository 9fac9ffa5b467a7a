"""Frames of two runs are compared: places by distance, attitudes by angle."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
from gsolve.solver.results.compare.poses import bodies_apart, common_frames, poses_apart
from gsolve.solver.results.machine_tables import Frames


def run(times: list[float], places: np.ndarray, turns: np.ndarray) -> SimpleNamespace:
    """What is asked of a result with one body, 20."""
    frames = Frames(np.array(times), places[:, None], turns[:, None])
    body = SimpleNamespace(id=np.array([20]))
    return SimpleNamespace(source=SimpleNamespace(frames=frames), frames=frames, model=SimpleNamespace(body=body))


def about_z(angles: np.ndarray) -> np.ndarray:
    zero = np.zeros_like(angles)
    return np.stack([np.cos(angles / 2), zero, zero, np.sin(angles / 2)], axis=1)


def test_distance_and_angle_whatever_the_sign_of_the_quaternion() -> None:
    times, angles = [0.0, 1.0, 2.0], np.array([0.1, 0.2, 3.0])
    places = np.arange(9.0).reshape(3, 3)
    a = run(times, places, about_z(angles))
    b = run(
        [1e3 * t for t in times],
        1e3 * (places + np.array([0.3, 0.4, 0.0])),
        -about_z(angles + np.array([0.0, 1e-9, 0.5])),
    )
    at, apart = poses_apart(a, b, 1e-3, 1e-3)
    assert at.tolist() == times
    np.testing.assert_allclose(apart["body/20/place"], 0.5, rtol=1e-12)
    np.testing.assert_allclose(apart["body/20/attitude"], [0.0, 1e-9, 0.5], atol=1e-15)


def test_only_frames_of_the_same_times_count() -> None:
    of_a, of_b = common_frames(np.array([0.0, 1.0, 2.0, 3.0]), np.array([0.0, 1.5, 3.0]))
    assert (of_a.tolist(), of_b.tolist()) == ([0, 3], [0, 2])
    assert len(common_frames(np.zeros(0), np.zeros(1))[0]) == 0


def test_bodies_that_one_run_lacks_are_named() -> None:
    a, b, without = (run([0.0], np.zeros((1, 3)), about_z(np.zeros(1))) for _ in range(3))
    a.model.body.id, b.model.body.id, without.source.frames = np.array([3, 20]), np.array([20, 7]), None
    assert bodies_apart(a, b) == (["body/3"], ["body/7"])
    assert bodies_apart(a, without) == ([], [])
