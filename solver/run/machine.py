"""A machine in motion: its arrays, the step they stand at, and the compiled loop that takes them on.

The one module of a run that knows how the loop is compiled and called.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from gsolve.parser.text.diagnostics import Diagnostic

from ..assembly.accurate_plan import AccuratePlan, with_accurate, with_ways
from ..assembly.assembly import Assembly
from ..assembly.condense import Condensation, condense
from ..assembly.contact_start import overlaps_at_start
from ..assembly.gyrostat_records import leave_gyrostats
from ..assembly.initial_state import InitialState, find_initial_state
from ..assembly.joint_stops import joints_beyond_stops
from ..assembly.locked_couplers import locked_couplers
from ..assembly.plane_records import leave_plane
from ..assembly.sensor_start import sensors_on_at_start
from ..assembly.settled import Settled
from ..assembly.shaft_alignment import unaligned_shafts
from ..assembly.start_errors import refuse
from ..assembly.tree_records import leave_tree
from ..constraints.redundancy import redundancy_of_state, state_of
from ..contact.mesh_records import may_have_longer_buffers
from ..contact.setup import has_full_mesh_buffer, may_have_more_capacity, with_more_capacity
from ..core.bodies import Floats, Ints, Record
from ..core.resumable import Resumable, State
from ..integration.array_state import Array, NamedArrays, changed_arrays, digest_of_others, digests_of, with_arrays
from ..integration.copies import copied, restore
from ..integration.kernels import geared_of, trains_and_planes, trees_of
from ..integration.segments import Segment
from ..integration.status import COMPLETED
from ..integration.substeps import Plan, Planner, earliest, run_planned, subsystem_at_fault
from ..integration.system import Samples, System, bytes_of_sample, clear_samples, new_samples
from ..integration.threads import TimeLoop
from .failures import Failure
from .schedule import Schedule
from .user_code import UserCode

IN_PLANE, BY_COORDINATES = "in its plane", "by joint coordinates"  # ways of `way_of`, as messages say them


class Machine(Resumable):
    """The arrays of a model on their way through a run.

    step : the next one
    initial : what was found at t = 0, None before `start`
    condensation : what became of its trains of rotors, likewise
    accuracy : which subsystems have steps of their own, None where that is not asked for
    """

    KEPT = ("step", "_divided")

    def __init__(
        self,
        assembly: Assembly,
        schedule: Schedule,
        user_code: UserCode,
        threads: int,
        *,
        general: bool = False,
        accuracy: AccuratePlan | None = None,
    ) -> None:
        """general : take the general path everywhere; accuracy : where steps of their own are asked for"""
        self.assembly, self.schedule = assembly, schedule
        self.step = 0
        self.initial: InitialState | None = None
        self.condensation: Condensation | None = None
        self.accuracy = accuracy
        self._user_code, self._general = user_code, general
        self._loop = TimeLoop(assembly.system, max(1, threads))
        self._plan = dict[int, dict[int, list[Segment]]]()  # parts by step and subsystem
        self._bytes_of_sample = 1  # known once it was started
        self._divided = 0  # steps in parts that are not in the plan any more
        self._digests: list[dict[str, str]] = []  # of the arrays of each system at t = 0
        self._named = NamedArrays()

    @property
    def system(self) -> System:
        return self.assembly.system

    @property
    def time(self) -> float:
        """Time of the next step."""
        return self.schedule.time_of(self.step)

    @property
    def number_of_chunks(self) -> int:
        """Groups of subsystems that can run at the same time."""
        return len(self._loop.chunks)

    def start(self, close_gaps: bool, settled: Settled | None = None) -> list[Diagnostic]:
        """Find the state to start from, at rest if it was settled; returns warnings.

        Raises
        ------
        DeckError
            there is no such state, solids overlap, or a routine of the user cannot be had
        """
        self.initial = find_initial_state(self.assembly, self.schedule.t_end, close_gaps, settled)
        warnings = self.initial.warnings + unaligned_shafts(self.assembly) + joints_beyond_stops(self.assembly)
        warnings += locked_couplers(self.assembly) + sensors_on_at_start(self.assembly)
        overlaps = overlaps_at_start(self.assembly)
        refuse(self.assembly, [overlap for overlap in overlaps if overlap.severity == "error"])
        warnings += overlaps + self._user_code.load(self.system)
        if self.accuracy is not None:
            end = self.schedule.time_of(self.schedule.last_step)  # of the last sample, which may be after t_end
            self.assembly.system = with_accurate(self.assembly, self.accuracy, end)
        if not self._general:
            others = self.accuracy.taken if self.accuracy is not None else ()
            self.assembly.system, self.condensation = condense(self.system, others)
            self._loop.moving = self.condensation.moving
        if self.accuracy is not None:
            self.assembly.system = with_ways(self.system, self.accuracy)
        self._bytes_of_sample = bytes_of_sample(self.system, self.number_of_chunks)
        if self._user_code.needs_one_thread:
            self._loop.threads = 1
        return warnings

    def compile(self) -> None:
        """Compile what the loop needs, or read it from disk."""
        self._loop.prepare(self.system)

    # ---- checkpoints -----------------------------------------------------------------------------------------

    def note_start(self) -> None:
        """Know the arrays as they are at t = 0 again: a state holds those that have changed since."""
        self._digests = [digests_of(arrays) for arrays in self._arrays()]

    def _systems(self) -> list[System]:
        """The machine's, and that in which gyrostats move."""
        return [self.system, *([self._loop.moving] if self._loop.moving is not None else [])]

    def _arrays(self) -> list[dict[str, Array]]:
        """Those of each system, by name."""
        return self._named.of(self._systems())

    @property
    def nbytes(self) -> int:
        """Memory of all arrays."""
        return sum(array.nbytes for arrays in self._arrays() for array in arrays.values())

    def state(self) -> State:
        """All that has changed since `note_start`, and a digest of the arrays that have not."""
        assert self.initial is not None
        arrays = [changed_arrays(*each) for each in zip(self._arrays(), self._digests, strict=True)]
        return super().state() | {
            "_plan": [
                {"step": step, "subsystem": s, "parts": list(map(list, parts))}
                for step, parts_of in self._plan.items()
                for s, parts in parts_of.items()
            ],
            "redundancy": state_of(self.initial.redundancy),
            "degrees_of_freedom": self.initial.degrees_of_freedom,
            "systems": arrays,
            "others": self._digests_of_others(arrays),
        }

    def restore(self, state: State) -> None:
        """Stand where the machine stood whose state this is, after `start` and `note_start`.

        Raises
        ------
        KeyError
            it is not one of this machine
        """
        assert self.initial is not None
        super().restore(state)
        self._plan.clear()
        for planned in state["_plan"]:
            parts_of = self._plan.setdefault(planned["step"], {})
            parts_of[planned["subsystem"]] = [Segment(*part) for part in planned["parts"]]
        self.initial.redundancy = redundancy_of_state(state["redundancy"])
        self.initial.degrees_of_freedom = state["degrees_of_freedom"]
        self.assembly.system, *moving = map(with_arrays, self._systems(), state["systems"])
        if moving:
            self._loop.moving = moving[0]

    def differs(self, state: State) -> bool:
        """Whether arrays that no step had changed have other numbers here, as on another processor."""
        return bool(self._digests_of_others(state["systems"]) != state["others"])

    def _digests_of_others(self, systems: list[dict[str, Array]]) -> list[str]:
        """Of what is not among some arrays, as it was at `note_start`."""
        return [digest_of_others(*each) for each in zip(self._digests, systems, strict=True)]

    # ---- samples ---------------------------------------------------------------------------------------------

    def new_samples(self, steps: Ints) -> Samples:
        """Empty samples at the given steps."""
        return new_samples(self.system, steps, self.number_of_chunks)

    def samples_in(self, memory: float) -> int:
        """How many samples fit into that many bytes, one at least."""
        return max(1, int(memory / self._bytes_of_sample))

    # ---- motion ----------------------------------------------------------------------------------------------

    def run(self, samples: Samples, n_steps: int) -> Failure | None:
        """Take the arrays through n_steps, or up to one that fails; `step` stays, as they may have to go back."""
        self.system.subsystems["largest_turn"] = 0.0
        for step, count in self._user_code.pieces(self.step, n_steps, samples.step):
            for outcomes in self._run_steps(samples, step, count):
                failures = [outcome for outcome in outcomes if outcome["status"] != COMPLETED]
                if failures:
                    return Failure(*earliest(failures))
            self._user_code.keep_points(self.system, step + count - 1)
        return None

    def _run_steps(self, samples: Samples, step: int, count: int) -> Iterator[list[Record]]:
        """How each chunk ended: in all steps up to one that is planned, in that, in all up to the next ..."""
        system, end = self.system, step + count
        for planned in sorted(planned for planned in self._plan if step <= planned < end):
            for segment in self.schedule.segments(step, planned - step):
                yield self._loop.run(system, samples, segment)
            segments = list(self.schedule.segments(planned, 1))
            yield run_planned(self._loop, system, samples, segments, self._plan[planned])
            step = planned + 1
        for segment in self.schedule.segments(step, end - step):
            yield self._loop.run(system, samples, segment)

    def copies(self) -> list[Floats]:
        """Copies of all that steps change, for `go_back`."""
        self.compile()  # and know what that is
        return copied(self._loop.changing)

    def go_back(self, copies: list[Floats], samples: Samples) -> None:
        """Return to the state of `copies`, made at the same step; the samples from there on are empty again."""
        moving = self._loop.moving
        if moving is not None:
            half = len(copies) // 2
            restore(moving, copies[half:])
            copies = copies[:half]
        restore(self.system, copies)
        clear_samples(samples, int(np.searchsorted(samples.step, self.step)))

    # ---- steps in parts --------------------------------------------------------------------------------------

    def subsystem_at_fault(self, failure: Failure) -> int:
        """The subsystem whose corrections failed; -1 where it was the forces on it, a drive or a buffer."""
        return subsystem_at_fault(self.system, failure.status, failure.culprit)

    def has_let_rows_go(self, s: int) -> bool:
        """Whether weak rows of a subsystem were deactivated in the step that failed."""
        return bool(self.system.steps["weakened"][s] == 1)

    def find_plan(self, s: int, failed_step: int, samples: Samples) -> Plan | None:
        """How subsystem s gets through the steps from the one at hand on; None if not past the one that failed."""
        schedule = self.schedule

        def segments_of(step: int) -> list[Segment]:
            return list(schedule.segments(step, 1)) if step <= schedule.last_step else []

        return Planner(self._loop, self.system, s, (self.step, failed_step), segments_of).plan(samples)

    def whole_step(self) -> Plan:
        """The step at hand taken as it is, whatever energy rows gain or lose in it."""
        return Plan({self.step: list(self.schedule.segments(self.step, 1))}, [self.step])

    def way_of(self, s: int) -> str:
        """How subsystem s takes its steps where that is a way of its own with the bodies of the deck; empty if not."""
        _, planar = trains_and_planes(self.system)
        if planar[s]:
            return IN_PLANE
        return BY_COORDINATES if trees_of(self.system)[s] else ""

    def leave_way(self, s: int) -> None:
        """Let subsystem s, which has such a way, go the general path from the step at hand on."""
        leave = leave_plane if self.way_of(s) == IN_PLANE else leave_tree
        self.assembly.system = leave(self.system, s)

    def has_gyrostats(self, s: int) -> bool:
        """Whether subsystem s moves as bodies that carry rotors, in a system of its own."""
        return bool(geared_of(self.system)[s])

    def leave_gyrostats(self, s: int) -> None:
        """Let subsystem s, which does, go the general path from the step at hand on."""
        self.assembly.system = leave_gyrostats(self.system, s)

    def follow(self, s: int, plan: Plan) -> None:
        """Take the steps of subsystem s in the parts of a plan from now on."""
        for step, substeps in plan.substeps.items():
            self._plan.setdefault(step, {})[s] = substeps

    def unfollow(self, s: int, plan: Plan | None) -> None:
        """Take whole steps again."""
        for step in plan.substeps if plan else ():
            self._plan[step].pop(s, None)

    def is_planned(self, step: int, s: int) -> bool:
        """Whether subsystem s takes a step in the parts that were found for it."""
        return s in self._plan.get(step, {})

    def forget_plans(self) -> None:
        """Take whole steps again from the one at hand on."""
        self.pass_plans(self.step)
        self._plan.clear()

    def pass_plans(self, step: int) -> None:
        """Only count from now on what was planned for steps before this one: they are not taken back any more."""
        self._divided += self._divided_before(step)
        self._plan = {planned: substeps_of for planned, substeps_of in self._plan.items() if planned >= step}

    @property
    def divided_steps(self) -> int:
        """Steps that some subsystem took in parts, other than those that known times make of them."""
        return self._divided + self._divided_before(self.step)

    def _divided_before(self, step: int) -> int:
        """Of the plan, those before a step."""
        return sum(
            max(map(len, substeps_of.values()), default=1) > len(list(self.schedule.segments(planned, 1)))
            for planned, substeps_of in self._plan.items()
            if planned < step
        )

    def fits_into_larger_buffers(self, failure: Failure) -> bool:
        """Whether an interface found more candidates or points than its buffers hold, and not too many of one pair."""
        if not failure.is_full_buffer:
            return False
        contacts = self.system.contacts
        if has_full_mesh_buffer(contacts, failure.culprit):
            return may_have_longer_buffers(contacts.meshes)
        interface = contacts.interfaces[failure.culprit]
        return may_have_more_capacity(interface) and not interface["beyond_capacity"].any()

    def enlarge_buffers(self, interface: int) -> None:
        """Twice the buffers for candidates and points of a contact interface."""
        contacts = with_more_capacity(self.system.contacts, interface)
        self.assembly.system = self.system._replace(contacts=contacts)
