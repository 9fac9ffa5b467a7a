"""The decks of tests/data/openradioss: agreement where OpenRadioss is right, the right answer where it is not."""

import numpy as np
import pytest
from closed_form import AsymmetricTop, RackOnRotor, gear_pair
from gsolve.parser.model import Model
from running import OPENRADIOSS, Results, run


def sample_every_step(model: Model) -> None:
    model.engine.sampling_interval = 0.999999 * model.engine.dt_initial


class Reference:
    """A history by OpenRadioss, and our run of the same deck at its times.

    Its displacements are at t, its velocities at t - dt/2; ours at t - dt/2 are means of two neighbouring steps.
    """

    def __init__(self, name: str, t_end: float | None = None) -> None:
        folder = OPENRADIOSS / name
        self.history = np.genfromtxt(folder / f"{name}.csv", delimiter=",", names=True)
        deck = folder / f"{name}_0000.rad"
        self.ours: Results = run(deck, t_end=t_end, edit=sample_every_step, gjoint_alpha="inverse")
        times = self.ours.times
        dt = times[1] - times[0]
        self.rows = np.flatnonzero((self.history["time"] > dt / 2) & (self.history["time"] < times[-1] + dt / 2))
        self.steps = np.rint(self.history["time"][self.rows] / dt).astype(int)
        np.testing.assert_allclose(times[self.steps], self.history["time"][self.rows], atol=1e-3 * dt)
        self.times = times[self.steps]

    def theirs(self, channel: str, node: int) -> np.ndarray:
        return self.history[f"{channel}_{node}"][self.rows]

    def mine(self, channel: str, node: int) -> np.ndarray:
        values = self.ours.node(channel, node)
        if channel[0] == "D":
            return values[self.steps]
        return (values[self.steps] + values[self.steps - 1]) / 2

    def check(self, channel: str, node: int, rtol: float) -> None:
        theirs, mine = self.theirs(channel, node), self.mine(channel, node)
        scale = np.max(np.abs(theirs))
        assert scale > 0.0
        np.testing.assert_allclose(mine, theirs, atol=rtol * scale, err_msg=f"{channel} of node {node}")


@pytest.mark.parametrize(
    ("name", "channels", "rtol"),
    [
        ("GEAR_BCSLAGMUL_N0", [("VRZ", 2), ("VRZ", 3)], 1e-9),
        ("GEAR_A2p0_HEAVY", [("VRZ", 2), ("VRZ", 3)], 1e-6),
        ("GEAR_A0p5_HEAVY", [("VRZ", 2), ("VRZ", 3)], 1e-6),
        ("BEVEL_X", [("VRZ", 2), ("VRX", 3)], 1e-6),
        ("BEVEL_XY", [("VRZ", 2), ("VRX", 3), ("VRY", 3)], 1e-6),
        ("DIFF_SPIN_LOAD", [("VRX", 2), ("VRZ", 3), ("VRZ", 4)], 1e-6),
        ("RACK_A0p05_LOAD", [("VRZ", 2), ("VX", 3), ("DX", 3)], 1e-6),
        ("RB_LAG_SEC_Z", [("VRZ", 3), ("VRZ", 10), ("VY", 13), ("DY", 13)], 1e-5),
        ("VAL_CHAIN10", [("VRZ", 1), ("VRZ", 2), ("VRZ", 11)], 1e-6),
        ("GEARFREE_REL20_BEVEL", [("VRZ", 2), ("VRX", 3)], 1e-12),
    ],
)
def test_agreement_where_openradioss_is_right(name, channels, rtol):
    reference = Reference(name, t_end=1.0 if name.startswith("GEARFREE") else None)
    for channel, node in channels:
        reference.check(channel, node, rtol)


def test_end_values_of_the_spinning_differential():
    ours = run(OPENRADIOSS / "DIFF_SPIN_LOAD" / "DIFF_SPIN_LOAD_0000.rad", gjoint_alpha="inverse", t_end=0.9951)
    ends = [ours.node("VRX", 2)[-1], ours.node("VRZ", 3)[-1], ours.node("VRZ", 4)[-1]]
    assert ends[0] / 2 + ends[1] + ends[2] == pytest.approx(0.0, abs=1e-9)
    np.testing.assert_allclose(ends, [8.190818, 0.666068, -4.761477], atol=3e-4)


def test_free_gearbox_starts_like_openradioss_and_keeps_what_it_loses():
    reference = Reference("GEARFREE_W10", t_end=1.0)
    for node in (1, 2, 3):
        for channel in ("DX", "DY", "DZ"):
            theirs, mine = reference.theirs(channel, node), reference.mine(channel, node)
            np.testing.assert_allclose(mine[:3], theirs[:3], atol=3e-3 * np.max(np.abs(theirs)))
    angular = reference.ours.angular_momentum()
    assert np.max(np.abs(angular - angular[0])) <= 1e-11 * np.linalg.norm(angular[0])
    energy = reference.ours.scalar("energy", "total")
    assert np.ptp(energy) <= 1e-6 * energy[0]


def distances(ours: Results, nodes: list[int]) -> np.ndarray:
    """(nt, n pairs) distances between nodes."""
    places = [ours.node_vector("", node) for node in nodes]
    return np.stack([np.linalg.norm(a - b, axis=1) for k, a in enumerate(places) for b in places[:k]], axis=1)


def test_differential_in_uniform_translation_just_moves_on():
    reference = Reference("DIFF_TRANS_X")
    assert reference.theirs("VX", 1)[-1] < 0.8
    for node in (1, 2, 3, 4):
        np.testing.assert_allclose(reference.ours.node("VX", node), 1.0, rtol=1e-12)
    assert np.max(np.ptp(distances(reference.ours, [1, 2, 3, 4]), axis=0)) < 1e-12


def test_opposite_pulls_inside_a_differential_do_nothing():
    ours = run(OPENRADIOSS / "DIFF_PULL" / "DIFF_PULL_0000.rad", gjoint_alpha="inverse")
    assert np.max(np.ptp(distances(ours, [1, 2, 3, 4]), axis=0)) < 1e-12
    np.testing.assert_allclose(ours.momentum(), 0.0, atol=1e-12)


def test_rigidly_turning_rack_assembly_slides_only_by_its_centrifugal_acceleration():
    reference = Reference("RACK_ROT_Z_OFF")
    assert np.max(np.abs(reference.theirs("VRZ", 2) - 10.0)) > 2.0
    ours = reference.ours
    motion = RackOnRotor(rack_mass=2.0, pinion_inertia=0.01, alpha=0.5, spin=10.0, offset=0.2)
    np.testing.assert_allclose(ours.joint("U2"), motion.slide(ours.times), atol=1e-4 * motion.slide(ours.times[-1]))
    expected = 10.0 - motion.slide_rate(ours.times) / 0.5
    np.testing.assert_allclose(ours.node("VRZ", 2), expected, atol=1e-6)


def test_rack_along_the_axis_of_rotation_keeps_its_velocity():
    reference = Reference("RACK_TYPO_X1_05")
    assert np.min(np.abs(reference.theirs("VY", 3))) < 0.6
    speed = np.linalg.norm(reference.ours.node_vector("V", 3), axis=1)
    np.testing.assert_allclose(speed, 2.0, rtol=1e-6)
    np.testing.assert_allclose(reference.ours.joint("U2"), 0.0, atol=1e-13)


def test_free_rack_assembly_keeps_its_angular_momentum():
    ours = run(OPENRADIOSS / "RACK_FREE_OFF" / "RACK_FREE_OFF_0000.rad", gjoint_alpha="inverse")
    angular = ours.angular_momentum()
    assert np.max(np.abs(angular - angular[0])) <= 1e-11 * np.linalg.norm(angular[0])


def test_asymmetric_top_follows_jacobi_where_openradioss_gains_energy():
    reference = Reference("TOP_DT0.0001", t_end=5.0)
    first = reference.times < 1.0
    for channel in ("DX", "DZ"):
        mine, theirs = reference.mine(channel, 11)[first], reference.theirs(channel, 11)[first]
        np.testing.assert_allclose(mine, theirs, atol=1e-3)
    ours = reference.ours
    exact = AsymmetricTop((0.10, 0.20, 0.26), (0.01, 10.0, 0.01)).rotation(ours.times)
    np.testing.assert_allclose(ours.rotation(10), exact, atol=1e-4)


def test_gear_on_the_main_node_of_a_rigid_body_feels_its_inertia_about_z():
    reference = Reference("RB_MAIN_Z")
    first, second = gear_pair(torque=0.1, inertia_1=0.03, inertia_2=0.26, alpha=1.0)
    np.testing.assert_allclose(reference.mine("VRZ", 3)[5:], first * (reference.times[5:] - 5e-5), rtol=1e-6)
    np.testing.assert_allclose(reference.mine("VRZ", 10)[5:], second * (reference.times[5:] - 5e-5), rtol=1e-6)
    wrong, _ = gear_pair(torque=0.1, inertia_1=0.03, inertia_2=0.10, alpha=1.0)
    np.testing.assert_allclose(reference.theirs("VRZ", 3)[5:], wrong * (reference.times[5:] - 5e-5), rtol=1e-3)


def test_ratio_of_a_gear_has_no_unit():
    ours = run(OPENRADIOSS / "UNIT_MGMM_TO_KGMS" / "UNIT_MGMM_TO_KGMS_0000.rad", gjoint_alpha="inverse")
    first, second = ours.node("VRZ", 2)[1:], ours.node("VRZ", 3)[1:]
    np.testing.assert_allclose(second / first, -0.5, rtol=1e-4)
    np.testing.assert_allclose(first, 0.1 / (0.01 + 0.03 / 4) * ours.times[1:], rtol=1e-4)
