"""Checks of sensors that need what they look at: values that there are, and sensors that do not wait for themselves."""

from __future__ import annotations

from collections.abc import Mapping
from graphlib import CycleError

from ..cards.context import Context
from ..keywords.sensors import VARIABLES
from ..model import AnySensor, Drive, GearJoint, Joint, ValueSensor, sensors_in_order
from ..model.joint_types import JOINT_TYPES, Angle, Slide


def check_sensors(context: Context) -> None:
    """Findings go to the context."""
    model = context.model
    _check_variables(context)
    _check_cycles(context, model.sensors)


def _check_variables(context: Context) -> None:
    """A variable must mean something for the kind of joint or drive."""
    model = context.model
    known: dict[str, dict[int, tuple[str, ...]]] = {
        "GJOINT": {joint.id: _of_gear_joint(joint) for joint in model.gear_joints},
        "JOINT": {joint.id: _of_joint(joint) for joint in model.joints},
        "DRIVE": {drive.id: _of_drive(drive) for drive in model.drives},
    }
    for sensor in model.sensors.values():
        if not isinstance(sensor, ValueSensor) or sensor.quantity not in VARIABLES:
            continue
        allowed = known[sensor.quantity].get(sensor.object_id)
        if allowed is not None and sensor.variable not in allowed:
            named = context.defined[sensor.quantity][sensor.object_id].name
            message = f"{named} has no {sensor.variable}"
            listed = ", ".join(allowed) or "nothing: it measures no coordinate"
            context.report(sensor.where.diagnose("error", message, field="Var", found=sensor.variable, allowed=listed))


def _of_gear_joint(joint: GearJoint) -> tuple[str, ...]:
    names: list[str] = []
    for k in range(1, 4):
        if joint.nodes[k] >= 0:
            names += ["U2", "V2", "F2"] if joint.kind == "RACK" and k == 2 else [f"ANG{k}", f"VEL{k}", f"T{k}"]
    return tuple(names)


def _of_joint(joint: Joint) -> tuple[str, ...]:
    joint_type = JOINT_TYPES[joint.kind]
    angle = () if joint_type.angle is Angle.NO_ANGLE else ("ANG", "RATE")
    slide = {Slide.NO_SLIDE: (), Slide.SECOND_ANGLE: ("ANG2", "RATE2")}.get(joint_type.slide, ("U", "V"))
    return (*angle, *slide)


def _of_drive(drive: Drive) -> tuple[str, ...]:
    return ("ANG", "RATE", "T") if drive.kind == "ROT" else ("U", "V", "F")


def _check_cycles(context: Context, sensors: Mapping[int, AnySensor]) -> None:
    try:
        sensors_in_order(sensors, sensors)
    except CycleError as error:
        cycle = list(reversed(error.args[1]))
        sensor = sensors[cycle[0]]
        message = f"the sensor waits for itself: {' -> '.join(map(str, cycle))}"
        context.report(sensor.where.diagnose("error", message, field="sens_ID1"))
