"""A large subsystem in parts, which several threads take on at the same time."""

from __future__ import annotations

import itertools
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest
from gsolve.parser.keywords.contact_laws import ImpactLaw
from gsolve.parser.model import CoulombFriction
from gsolve.solver.assembly import division
from gsolve.solver.contact import setup as contact_setup
from gsolve.solver.integration import kernels
from gsolve.solver.integration import threads as threads_of_loop
from gsolve.solver.run import recovery
from gsolve.solver.run.simulation import SimulationError
from hand_models import Machine

FRICTIONS = {
    "rolls": CoulombFriction("STATIC_AND_DYNAMIC", 0.3, 0.2, 0.05, 0.1, rolling_arm=0.01, patch_radius=0.02),
    "sticks": CoulombFriction("STICTION", 0.3, 0.2, 0.05, 0.1),
    "slides": CoulombFriction("DYNAMIC", 0.3, 0.2, 0.05, 0.1),
    "smooth": None,
}


def heap(friction: str = "slides", order=None, planes_first: bool = False, t_end: float = 0.3) -> Machine:
    """Balls that fall into a box and on each other."""
    rng = np.random.default_rng(3)
    places = np.array(list(itertools.product(range(4), range(4), range(5))), dtype=float) + 0.6
    places += 0.05 * rng.normal(size=places.shape)
    order = np.arange(len(places)) if order is None else order
    machine = Machine(places[order], t_end=t_end, every=t_end / 3)
    walls = [((0, 0, 0), (0, 0, 1)), ((0, 0, 0), (1, 0, 0)), ((4.2, 0, 0), (-1, 0, 0)), ((0, 0, 0), (0, 1, 0))]
    solids = [wall(machine, *each) for each in walls] if planes_first else []
    for node, radius in enumerate(rng.uniform(0.42, 0.54, len(places)), start=1):
        machine.body(node, [], mass=1.0, inertia=(0.1, 0.1, 0.1, 0, 0, 0))
        machine.velocity([node], (0, 0, -2.0))
        solids.append(machine.solid("SPHERE", node, radius))
    solids += [] if planes_first else [wall(machine, *each) for each in walls]
    machine.contact(solids, None, ImpactLaw(2e4, 1.5, 40.0, 0.01), FRICTIONS[friction])
    return machine


def wall(machine: Machine, place, inwards) -> int:
    """A half space that stands still, its outside where `inwards` points."""
    z = np.array(inwards, dtype=float)
    x = np.roll(z, 1)
    return machine.solid("PLANE", 0, axes=(x, np.cross(z, x), z), offset=place)


def bytes_of(run) -> dict[str, bytes]:
    """All that a run recorded."""
    channels = [(f"{group}/{name}", values) for group, of in run.values.items() for name, values in of.items()]
    return {name: np.asarray(values).tobytes() for name, values in channels}


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    """Eighty balls make five parts."""
    monkeypatch.setattr(division, "number_of_parts", lambda bodies: bodies // 16)


def test_results_are_the_same_bytes_for_any_number_of_threads():
    for friction in FRICTIONS:
        one, two, three = (heap(friction, t_end=0.15).run(5e-4, threads=threads) for threads in (1, 2, 3))
        system = one.simulation._system
        assert len(system.parts) == len(system.contacts.parts.records) == 5
        assert one.inter("NPATCH").max() > 50
        assert bytes_of(one) == bytes_of(two) == bytes_of(three), friction


ORDER = np.random.default_rng(1).permutation(80)


def ends_early(machine: Machine) -> Machine:
    """The machine with contacts that stop acting half way."""
    machine.model.contacts[0].t_stop = 2.2e-3
    return machine


def with_all_kinds(machine: Machine) -> Machine:
    """The machine with rows, springs, a load, a ball that is held, and a solid for which an interface has no parts."""
    balls = [k for k, shape in enumerate(machine.model.shapes) if shape.kind == "SPHERE"]
    for k in range(1, 76, 15):
        machine.pair("DISTANCE", k, k + 1)
        machine.spring(k, k + 4, 50.0, 3.0)
    machine.pair("REVOLUTE", 0, 60)
    machine.load(33, "X", 20.0)
    machine.hold([46], "111 111")
    machine.model.shapes[balls[20]].kind = "ELLIPSOID"
    machine.model.shapes[balls[20]].dimensions[:] = 0.5
    (whole,) = machine.model.contacts
    others = np.setdiff1d(whole.side_i.shapes, balls[20])
    whole.side_i.shapes = others
    machine.contact([balls[20]], others, ImpactLaw(2e4, 1.5, 40.0, 0.01))
    return machine


HEAPS = {
    "among all kinds": lambda: with_all_kinds(heap(t_end=5e-3)),
    **{name: partial(heap, name, t_end=5e-3) for name in FRICTIONS},
    "half spaces before the balls": partial(heap, planes_first=True, t_end=5e-3),
    "balls that lie apart next to each other": partial(heap, order=ORDER, t_end=5e-3),
    "that stops acting": lambda: ends_early(heap("sticks", t_end=5e-3)),
    "of solids against the order of their bodies": lambda: crossed(t_end=5e-3),
}


@pytest.mark.parametrize("name", HEAPS)
def test_a_heap_in_parts_moves_as_one_without(monkeypatch, name):
    """To round-off, which friction and collisions multiply; work and energies too."""
    in_parts = HEAPS[name]().run(5e-4)
    assert in_parts.inter("NPATCH").max() > 50 or name == "of solids against the order of their bodies"
    monkeypatch.setattr(division, "number_of_parts", lambda bodies: 1)
    whole = HEAPS[name]().run(5e-4)
    assert len(whole.simulation._system.parts) == 0 < len(in_parts.simulation._system.parts)
    for group, channels in in_parts.values.items():
        for channel, values in channels.items():
            scale = max(np.max(np.abs(np.nan_to_num(values))), 1.0)
            other = whole.values[group][channel]
            np.testing.assert_allclose(values, other, atol=1e-11 * scale, err_msg=f"{group}/{channel}")


def test_bodies_and_solids_may_stand_in_any_order():
    """Half spaces before the balls; balls that lie apart next to each other."""
    for options in ({"planes_first": True}, {"order": ORDER}):
        one, two = (heap(**options, t_end=0.15).run(5e-4, threads=threads) for threads in (1, 2))
        assert bytes_of(one) == bytes_of(two)


def test_rows_and_forces_of_all_kinds_may_act_on_the_bodies_of_a_heap():
    one, two = (with_all_kinds(heap(t_end=0.1)).run(5e-4, threads=threads) for threads in (1, 2))
    assert one.inter("NPATCH").max() > 50
    assert bytes_of(one) == bytes_of(two)


def crossed(t_end: float) -> Machine:
    """A heap whose solids stand against the order of their bodies."""
    machine = heap(t_end=t_end)
    nodes = [shape.node for shape in machine.model.shapes if shape.kind == "SPHERE"]
    machine.model.nodes.coordinates[nodes] = machine.model.nodes.coordinates[nodes][::-1]
    for shape, node in zip(machine.model.shapes, nodes[::-1], strict=False):
        shape.node = node
    return machine


def test_solids_need_not_stand_as_their_bodies_do():
    """Members of a part are then of bodies that others add up."""
    one, two = (crossed(t_end=0.1).run(5e-4, threads=threads) for threads in (1, 2))
    assert one.inter("NPATCH").max() > 30
    assert bytes_of(one) == bytes_of(two)


def test_pairs_that_are_ignored_leave_no_gap_between_the_points_of_parts():
    def run(threads: int):
        machine = heap("sticks", t_end=0.15)
        machine.model.contacts[0].greatest_penetration = 0.03
        return machine.run(5e-4, threads=threads)

    one, two = run(1), run(3)
    interface = one.simulation._system.contacts.interfaces[0]
    assert interface["ignored_depth"] > 0.03 and interface["contacts"] > 0
    assert bytes_of(one) == bytes_of(two)


def test_buffers_grow_within_a_run(monkeypatch):
    wide = heap("sticks", t_end=0.15).run(5e-4, threads=2)
    for name, value in (("PAIRS_PER_MEMBER", 0), ("POINTS_PER_MEMBER", 0), ("LEAST_CAPACITY", 1)):
        monkeypatch.setattr(contact_setup, name, value)
    tight = heap("sticks", t_end=0.15).run(5e-4, threads=2)
    assert bytes_of(tight) == bytes_of(wide)


def test_a_run_in_blocks_and_one_that_stops_half_way_have_the_same_samples(monkeypatch):
    whole = heap("sticks").run(5e-4, threads=2)
    monkeypatch.setattr(recovery, "LOOK_INTERVAL_IMPOSED", 64)
    assert bytes_of(heap("sticks").run(5e-4, threads=2, block=64)) == bytes_of(whole)
    simulation = heap("sticks").simulation(5e-4, threads=2)
    block = simulation.advance(300)
    assert not simulation.finished and len(block.times) >= 1
    n = len(block.times)
    np.testing.assert_array_equal(block.values["th/inter"]["FNZ"], whole.values["th/inter"]["FNZ"][:n])
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("ThreadPool")]


@pytest.mark.parametrize("threads", [1, 3])
def test_the_first_body_that_is_lost_in_any_part_is_named(threads):
    machine = heap(t_end=0.1)
    machine.velocity([70], (1e29, 0, 0))
    machine.velocity([40], (0, 1e29, 0))
    with pytest.raises(SimulationError) as failure:
        machine.simulation(5e-4, threads=threads).advance(1000)
    assert "40" in str(failure.value) and failure.value.step == 0


def test_a_thread_that_does_not_start_ends_the_run_and_leaves_none_behind(monkeypatch):
    class Short(ThreadPoolExecutor):
        """The loop and one that helps, no more."""

        started = 0

        def submit(self, *arguments):
            self.started += 1
            if self.started > 2:
                raise RuntimeError("can't start new thread")
            return super().submit(*arguments)

    simulation = heap(t_end=0.1).simulation(5e-4, threads=3)
    monkeypatch.setattr(threads_of_loop, "ThreadPoolExecutor", Short)
    with pytest.raises(RuntimeError, match="start new thread"):
        simulation.advance(1000)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("ThreadPool")]


@pytest.mark.parametrize("name", kernels.ON_PARTS)
@pytest.mark.parametrize("threads", [1, 2])
def test_a_part_that_dies_ends_the_run(name, threads):
    simulation = heap(t_end=0.1).simulation(5e-4, threads=threads)
    simulation.compile()
    simulation._system.kernels[name] = 0
    with pytest.raises(SimulationError, match=r"^a compiled part of gsolve failed .*\(a fault of gsolve"):
        simulation.advance(1000)


def test_small_machines_and_solids_of_other_kinds_have_no_parts(monkeypatch):
    boxes = heap(t_end=0.1)
    boxes.model.shapes[3].kind = "ELLIPSOID"
    boxes.model.shapes[3].dimensions[:] = 0.5
    assert len(boxes.simulation(5e-4)._system.parts) == 0
    monkeypatch.undo()
    assert division.number_of_parts(80) == 1 < division.number_of_parts(1000) < division.number_of_parts(10_000)
    assert len(heap(t_end=0.1).simulation(5e-4)._system.parts) == 0


def test_a_run_says_what_threads_share():
    simulation = heap().simulation(5e-4)
    simulation.start()
    assert ("threads", "share 1 subsystem of 80 bodies in 5 parts") in simulation.facts
