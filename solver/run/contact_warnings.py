"""Warnings about contacts that a run comes upon."""

from __future__ import annotations

import math

from gsolve.parser.model import ContactInterface, Model
from gsolve.parser.text.diagnostics import Diagnostic

from ..assembly.contact_start import DEEP
from ..contact.mesh_bodies import solid_of_shape
from ..contact.mesh_resolution import coarse_meshes, missed_places
from ..contact.step_limits import FEWEST_STEPS_PER_BOUNCE, STEPS_PER_BOUNCE, contact_limit, travel_limit
from ..core.resumable import Resumable, State
from ..core.unit_names import unit
from ..integration.system import System


class ContactWarnings(Resumable):
    """What a run says, once each, of contacts that are ignored, begin too deep, leave a plane, or are not resolved."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._told: set[tuple[str, int]] = set()

    def state(self) -> State:
        """What was told."""
        return {"_told": sorted(map(list, self._told))}

    def restore(self, state: State) -> None:
        """The same."""
        self._told = {(kind, number) for kind, number in state["_told"]}

    def found(self, system: System, imposed_step: float | None) -> list[Diagnostic]:
        """New warnings; imposed_step : the time step, where the user wants it so."""
        if not len(system.contacts.interfaces):
            return []
        warnings, units = [], self._model.units
        for interface in system.contacts.interfaces:
            number = int(interface["number"])
            contact = self._model.interfaces[number]
            later = interface["ignored_time"] > 0.0  # what is ignored from the start is told of there
            if later and interface["ignored_depth"] > 0.0 and self._is_new("ignored", number):
                message = (
                    f"a contact is ignored from t = {interface['ignored_time']:.6g} {units.time} on: its penetration "
                    f"{interface['ignored_depth']:.6g} {unit(units, length=1)} is more than pen_max"
                )
                hint = "choose a larger pen_max or a stiffer law, or a shorter time step (--dt)"
                warnings.append(contact.where.diagnose("doubt", message, hint=hint))
            deep = interface["opening_depth"] > DEEP * interface["smallest_half_extent"]
            if deep and interface["opening_time"] > 0.0 and self._is_new("opening", number):
                message = (
                    f"solids overlap by {interface['opening_depth']:.6g} {unit(units, length=1)} when it begins to act "
                    f"at t = {interface['opening_time']:.6g} {units.time}, much of their size"
                )
                hint = "they fly apart with the energy of that overlap: let it begin while they are apart"
                warnings.append(contact.where.diagnose("warning", message, hint=hint))
            if not math.isnan(interface["tilt_time"]) and self._is_new("tilted", number):
                tilt = math.degrees(math.asin(min(interface["most_tilt"], 1.0)))
                message = (
                    f"plane curves leave their common plane at t = {interface['tilt_time']:.6g} {units.time}: so far "
                    f"these planes are up to {tilt:.3g} degrees and "
                    f"{interface['most_offset']:.3g} of the radius of a curve apart"
                )
                hint = "their bodies have to move in that plane: let joints or /BCS hold them there"
                warnings.append(contact.where.diagnose("doubt", message, hint=hint))
        return warnings if imposed_step is None else warnings + self._too_long(system, imposed_step)

    def at_end(self, system: System) -> list[Diagnostic]:
        """Warnings about meshes, of each kind one an interface."""
        return [*self._coarse(system), *self._missed(system)]

    def _missed(self, system: System) -> list[Diagnostic]:
        """Of places of contact that were left out, as what is below them was not found."""
        warnings, contacts = [], system.contacts
        for interface in contacts.interfaces:
            found = missed_places(contacts, interface)
            if not found or not self._is_new("missed", int(interface["number"])):
                continue
            worst = found[0]
            one, other = (solid_of_shape(self._model, contacts, row) for row in (worst.one, worst.other))
            more = f" ({len(found) - 1} more pairs likewise)" if len(found) > 1 else ""
            told = [
                f"{_times(count)} {what}"
                for count, what in (
                    (worst.lost, "the search for the nearest triangle ran out of steps"),
                    (worst.astray, "a deepest place was left out as the triangle found below it is far away"),
                    (worst.exhausted, "one was left out as there was always another edge that cuts it off"),
                )
                if count
            ]
            message = f"{one.name} and {other.name} may touch where no contact was found: {', '.join(told)}{more}"
            hint = "compare with other triangles, or with the other mesh as master: forces must not depend on that"
            warnings.append(
                self._model.interfaces[int(interface["number"])].where.diagnose("warning", message, hint=hint)
            )
        return warnings

    def _coarse(self, system: System) -> list[Diagnostic]:
        """Of triangles that were too long for the penetrations of the run."""
        warnings, units, contacts = [], self._model.units, system.contacts
        for interface in contacts.interfaces:
            contact = self._model.interfaces[int(interface["number"])]
            at_nodes = isinstance(contact, ContactInterface) and contact.at_nodes
            found = coarse_meshes(contacts, interface, at_nodes)
            if not found or not self._is_new("coarse", int(interface["number"])):
                continue
            worst, length = found[0], unit(units, length=1)
            mesh, other = (solid_of_shape(self._model, contacts, row) for row in (worst.coarser, worst.other))
            place = ", ".join(f"{x:.6g}" for x in worst.place + contacts.origin + 0.0)
            more = f" ({len(found) - 1} more pairs likewise)" if len(found) > 1 else ""
            message = (
                f"the triangles of {mesh.name} are long for a penetration of {worst.depth:.3g} {length}, its largest "
                f"into {other.name}, at t = {worst.time:.6g} {units.time} and ({place}): that may be off by "
                f"{worst.error:.2g} {length}{more}"
            )
            halves = "a quarter; node_mode 0 sees what lies between vertices" if worst.at_nodes else "a sixteenth"
            hint = f"mesh it finer there: edges half as long make {halves}"
            warnings.append(contact.where.diagnose("doubt", message, hint=hint))
        return warnings

    def _too_long(self, system: System, step: float) -> list[Diagnostic]:
        limit, what, number = min(
            contact_limit(system.contacts, self._model), travel_limit(system.contacts, self._model)
        )
        if step * FEWEST_STEPS_PER_BOUNCE <= limit * STEPS_PER_BOUNCE or not self._is_new("step", number):
            return []
        message = f"the imposed time step {step:.4g} is too long for contacts: {what} would be {limit:.4g}"
        return [self._model.interfaces[number].where.diagnose("doubt", message)]

    def _is_new(self, kind: str, number: int) -> bool:
        new = (kind, number) not in self._told
        self._told.add((kind, number))
        return new


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
