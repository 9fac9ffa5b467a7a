"""Times at which a deck changes something: the scheme stays of second order across them."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hand_models import Machine

START, STOP, END = 0.33371, 0.72193, 1.0
STEPS = (0.02, 0.01, 0.005, 0.0025)


def errors(machine_of, exact):
    """Largest error of position and velocity of node 1 along X at the end, for each of four steps."""
    found = []
    for dt in STEPS:
        run = machine_of().run(dt)
        state = run.node("DX", 1)[-1], run.node("VX", 1)[-1]
        found.append(max(abs(np.subtract(state, exact))))
    return found


def is_second_order(found, round_off=1e-12):
    """Four times smaller with half the step, or at round-off."""
    if max(found) < round_off:
        return True
    return all(before / after > 3.5 for before, after in pairwise(found)) and found[0] < 0.02


def free_mass():
    machine = Machine([(0, 0, 0)], t_end=END, every=END)
    machine.mass(1, 2.0)
    return machine


def test_a_load_that_starts_and_stops_with_its_sensor():
    def machine():
        made = free_mass()
        made.load(1, "X", 3.0, sensor=made.sensor(START, STOP))
        return made

    gained = 1.5 * (STOP - START)
    exact = 0.75 * (STOP - START) ** 2 + gained * (END - STOP), gained
    assert max(errors(machine, exact)) < 1e-13  # a constant force: exact but for rounding


def test_a_load_that_swings_from_its_start_to_its_stop():
    """F = sin(9 (t - START))."""

    def machine():
        made = free_mass()
        made.load(1, "X", 1.0, "sin(9*t)", sensor=made.sensor(START, STOP))
        return made

    w, acted = 9.0, STOP - START
    gained = (1 - math.cos(w * acted)) / (2.0 * w)
    moved = (acted - math.sin(w * acted) / w) / (2.0 * w)
    assert is_second_order(errors(machine, (moved + gained * (END - STOP), gained)))


def test_a_load_with_kinks():
    """A force that rises from START on, stays from STOP on."""

    def machine():
        made = free_mass()
        made.load(1, "X", 1.0, [(0.0, 0.0), (START, 0.0), (STOP, 4.0), (2.0, 4.0)])
        return made

    rise, rest = STOP - START, END - STOP
    gained = 4.0 * rise / 2 / 2.0
    exact = 4.0 * rise**2 / 6 / 2.0 + gained * rest + 4.0 * rest**2 / 2 / 2.0, gained + 4.0 * rest / 2.0
    assert is_second_order(errors(machine, exact))


def test_a_gravity_that_is_switched_on():
    def machine():
        made = free_mass()
        made.gravity([1], "X", -9.81, sensor=made.sensor(START))
        return made

    fallen = END - START
    assert max(errors(machine, (-9.81 * fallen**2 / 2, -9.81 * fallen))) < 1e-12


@pytest.mark.parametrize("kind", ["VEL", "DISP", "ACC"])
def test_an_imposed_motion_that_lets_go(kind):
    """v = 3 t up to STOP, then free."""
    given = {"VEL": "3*t", "DISP": "1.5*t^2", "ACC": [(0.0, 3.0), (2.0, 3.0)]}[kind]

    def machine():
        made = free_mass()
        made.drive(kind, 1, "X", given, window=(0.0, STOP))
        return made

    gained = 3.0 * STOP
    assert is_second_order(errors(machine, (1.5 * STOP**2 + gained * (END - STOP), gained)))


def test_an_imposed_motion_that_takes_hold():
    """Free at v = 1 up to START, from there on v = 1 + sin(5 (t - START))."""

    def machine():
        made = free_mass()
        made.velocity([1], (1.0, 0.0, 0.0))
        made.drive("VEL", 1, "X", "1+sin(5*t)", sensor=made.sensor(START))
        return made

    held = END - START
    exact = START + held + (1 - math.cos(5 * held)) / 5, 1 + math.sin(5 * held)
    assert is_second_order(errors(machine, exact))


@pytest.mark.parametrize("level", [0, 1, 2])
def test_a_drive_of_a_slide_that_lets_go(level):
    """The same motion, by /DRIVE/TRA against the ground."""
    given = ["1.5*t^2", "3*t", [(0.0, 3.0), (2.0, 3.0)]][level]

    def machine():
        made = free_mass()
        made.hold([1], "011 111")
        made.coordinate_drive("TRA", 0, 1, given, level=level, axis=(1.0, 0.0, 0.0), window=(0.0, STOP))
        return made

    gained = 3.0 * STOP
    assert is_second_order(errors(machine, (1.5 * STOP**2 + gained * (END - STOP), gained)))


@pytest.mark.parametrize(("flag", "start", "stop"), [(0, START, END), (1, 0.0, START), (2, START, STOP)])
def test_a_spring_that_a_sensor_switches(flag, start, stop):
    """An oscillator while the spring acts, free before and after; with Isflag 2 it starts unstretched."""
    stiffness, mass, speed = 50.0, 2.0, 0.4

    def machine():
        made = Machine([(0, 0, 0), (-5, 0, 0)], t_end=END, every=END)
        made.mass(1, mass)
        made.hold([2], "111 111")
        made.velocity([1], (speed, 0.0, 0.0))
        made.spring(2, 1, stiffness, sensor=made.sensor(START, STOP), flag=flag)
        return made

    w, acts, rest = math.sqrt(stiffness / mass), stop - start, END - stop
    elongation = 0.0 if flag == 2 else speed * start  # where it begins to act
    unstretched = speed * start - elongation
    moved = unstretched + elongation * math.cos(w * acts) + speed / w * math.sin(w * acts)
    gained = -w * elongation * math.sin(w * acts) + speed * math.cos(w * acts)
    assert is_second_order(errors(machine, (moved + gained * rest, gained)))


@pytest.mark.parametrize("drives", [False, True])
def test_an_acceleration_that_takes_hold(drives):
    """Free at v = 1 up to START, from there on a = 2 + 3 (t - START)."""

    def machine():
        made = free_mass()
        made.velocity([1], (1.0, 0.0, 0.0))
        sensor = made.sensor(START)
        if drives:
            made.hold([1], "011 111")
            made.coordinate_drive("TRA", 0, 1, "2+3*t", level=2, axis=(1.0, 0.0, 0.0), sensor=sensor)
        else:
            made.drive("ACC", 1, "X", "2+3*t", sensor=sensor)
        return made

    held = END - START
    exact = 1.0 + held**2 + held**3 / 2, 1.0 + 2 * held + 1.5 * held**2
    assert is_second_order(errors(machine, exact))
