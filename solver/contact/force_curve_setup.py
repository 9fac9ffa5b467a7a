"""Force curves of the model as arrays, and the solids that a gap makes larger."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator, Sequence

import numpy as np
from gsolve.parser.model import ContactInterface, ForceCurveInterface, Function, Model, Shape
from gsolve.parser.text.diagnostics import Diagnostic

from ..core.bodies import Floats, Records
from ..core.unit_names import force_unit, unit
from .normal_laws import NO_FRICTION, STICTION
from .records import CURVE, ELASTIC, WITH_UNLOADING

ABOVE = 1e-9  # of the loading force, by which the unloading function may lie above the loading function


def build_curves(
    interfaces: Records, contacts: Sequence[ContactInterface | ForceCurveInterface], function_index: dict[int, int]
) -> Records:
    """The force curves among contacts[0], contacts[1] ... whose interfaces these are; fills in what those need."""
    curves = np.zeros(sum(isinstance(contact, ForceCurveInterface) for contact in contacts), CURVE)
    row = 0
    for interface, contact in zip(interfaces, contacts, strict=True):
        if not isinstance(contact, ForceCurveInterface):
            continue
        curve = curves[row]
        interface["curve"] = row
        interface["exponent"], interface["greatest_penetration"] = 1.0, math.inf
        interface["recoverable"] = math.nan if contact.formulation == ELASTIC else 0.0
        interface["friction"] = STICTION if contact.friction_force or contact.friction else NO_FRICTION
        interface["tangential_stiffness"] = interface["tangential_damping"] = math.nan
        for name in (
            "formulation", "penetration_scale", "force_scale", "unloading_scale", "unloading_stiffness", "viscosity",
            "friction_force", "friction", "force_abscissa", "velocity_abscissa", "reduce_gap", "adjust_force",
        ):  # fmt: skip
            curve[name] = getattr(contact, name)
        curve["damping_scale"] = contact.damping_scale if contact.damping_by_velocity else 0.0
        curve["steepest"] = contact.unloading_stiffness
        curve["loading"], curve["unloading"] = (
            function_index[i] for i in (contact.loading_function, contact.unloading_function)
        )
        for name in ("damping_by_velocity", "damping_by_force", "friction_by_force", "friction_by_velocity"):
            curve[name] = function_index[getattr(contact, name)]
        row += 1
    return curves


def grown(shape: Shape, gap: float) -> Shape:
    """A solid whose faces lie outside those of another by a gap, edges and corners kept; an ellipsoid nearly so."""
    larger = copy.copy(shape)
    a, b, c = shape.dimensions
    if shape.kind == "PLANE":
        larger.offset = shape.offset + gap * shape.axes[2]
    elif shape.kind == "SPHERE":
        larger.dimensions = np.array([a + gap, 0.0, 0.0])
    elif shape.kind == "BOX":
        larger.dimensions = shape.dimensions + 2.0 * gap
    elif shape.kind == "CYLINDER":
        larger.dimensions = np.array([a + gap, b + 2.0 * gap, 0.0])
    elif shape.kind == "FRUSTUM":
        slope = (b - a) / c
        wider = gap * math.hypot(1.0, slope)
        larger.dimensions = np.array([a + wider - gap * slope, b + wider + gap * slope, c + 2.0 * gap])
    else:
        larger.dimensions = shape.dimensions + gap
    return larger


def check_curves(model: Model) -> list[Diagnostic]:
    """Errors where unloading would give back more than loading took, doubts where loading leaves its function."""
    found = []
    for contact in model.force_curve_contacts:
        if contact.formulation != ELASTIC and model.functions[contact.loading_function].kind == "TABLE":
            found += [*_made_energy(model, contact), *_softer_than_loading(model, contact)]
    return found


def _made_energy(model: Model, contact: ForceCurveInterface) -> Iterator[Diagnostic]:
    """The error about an unloading function above the loading function."""
    loading = model.functions[contact.loading_function]
    unloading = model.functions.get(contact.unloading_function)
    if contact.formulation != WITH_UNLOADING or unloading is None or unloading.kind != "TABLE":
        return
    depth = np.unique(np.concatenate([loading.x, unloading.x]))
    depth = depth[depth >= 0.0]
    load, unload = contact.force_scale * table(loading, depth), contact.unloading_scale * table(unloading, depth)
    wrong = np.flatnonzero(unload > np.maximum(load, 0.0) + ABOVE * np.abs(load).max(initial=0.0))
    if len(wrong):
        k, length = wrong[0], unit(model.units, length=1)
        yield contact.where.diagnose(
            "error",
            f"at penetration {depth[k] * contact.penetration_scale:.6g} {length} the unloading function gives "
            f"{unload[k]:.6g}, the loading function {load[k]:.6g}: the contact would make energy",
            field="fct_ul",
            allowed="a function below the loading function",
        )


def _softer_than_loading(model: Model, contact: ForceCurveInterface) -> Iterator[Diagnostic]:
    """The doubt about a Stiff below the steepest slope of loading: no force rises faster than along Stiff."""
    loading, stiffness = model.functions[contact.loading_function], contact.unloading_stiffness
    if len(loading.x) == 1:
        return
    scale = contact.force_scale / contact.penetration_scale
    slopes = scale * np.diff(loading.y) / np.diff(loading.x)
    ends = loading.x[1:] * contact.penetration_scale
    slopes[:-1][ends[:-1] <= 0.0] = 0.0  # the last segment goes on for ever
    steepest = int(np.argmax(slopes))
    if slopes[steepest] > stiffness * (1.0 + ABOVE):
        slope, per_length = slopes[steepest], f"{force_unit(model.units)}/{unit(model.units, length=1)}"
        yield contact.where.diagnose(
            "doubt",
            f"Stiff is {stiffness:.6g} {per_length}, and the loading function rises by up to {slope:.6g} {per_length}: "
            "the force rises along Stiff there, and stays below the function",
            field="Stiff",
            allowed=f"{slope:.6g} {per_length} or more, for a force that follows the loading function",
        )


def table(function: Function, x: Floats) -> Floats:
    """Values of a table, its end segments extended."""
    if len(function.x) == 1:
        return np.full(len(x), function.y[0])
    k = np.clip(np.searchsorted(function.x, x, side="right") - 1, 0, len(function.x) - 2)
    slope = np.diff(function.y)[k] / np.diff(function.x)[k]
    return np.asarray(function.y[k] + slope * (x - function.x[k]))
