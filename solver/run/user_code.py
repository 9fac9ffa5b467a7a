"""The routines of users in a run: loaded, watched, and given the results of contacts."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from gsolve.parser.keywords.user_routines import FRICTION_FORCE, NORMAL_FORCE
from gsolve.parser.model import ContactInterface, Model, UserRoutine
from gsolve.parser.text.diagnostics import DeckError, Diagnostic

from ..core.bodies import Floats, Ints, Records
from ..core.channels import SampleBlock
from ..core.resumable import Resumable, State
from ..integration.system import System
from .contact_post import ContactPost, ContactResults, points_of
from .force_routines import ForceRoutine
from .options import refuse_user_code, user_routines
from .routine_files import RoutineError, RoutineFiles, place_of


class UserCode(Resumable):
    """All routines that a deck names; nothing of them is run before `load`.

    allowed : whether they may be run
    """

    def __init__(self, model: Model, allowed: bool) -> None:
        self._model, self._allowed, self._loaded = model, allowed, False
        self._is_named = bool(user_routines(model))
        self._forces: list[ForceRoutine] = []
        self._results = ContactResults()
        self._posts = {
            number: ContactPost(contact, contact.post, self._results, model.units.time)
            for number, contact in enumerate(model.contacts)
            if contact.post is not None
        }
        self._points: dict[tuple[int, int], tuple[Records, Floats]] = {}  # by step and number of the interface

    def state(self) -> State:
        """What was said of routines, and what they have yet to be given."""
        return {
            "forces": [force.state() for force in self._forces],
            "posts": [post.state() for post in self._posts.values()],
        }

    def restore(self, state: State) -> None:
        """The same, of routines that were loaded."""
        for part, own in zip([*self._forces, *self._posts.values()], state["forces"] + state["posts"], strict=True):
            part.restore(own)

    def load(self, system: System) -> list[Diagnostic]:
        """Make the routines callable, if that is allowed; returns warnings.

        Raises
        ------
        DeckError
            a file cannot be run or a routine not be had
        """
        if not self._allowed:
            return []
        self._loaded = True
        contacts, files, found = system.contacts, RoutineFiles(self._results.functions()), []
        if len(contacts.routines.normal):
            for k, number in enumerate(contacts.interfaces["number"]):
                contact = self._model.interfaces[number]
                if not isinstance(contact, ContactInterface):
                    continue
                for routine, purpose, calls in (
                    (contact.law, NORMAL_FORCE, contacts.routines.normal),
                    (contact.friction, FRICTION_FORCE, contacts.routines.friction),
                ):
                    if isinstance(routine, UserRoutine):
                        self._forces.append(ForceRoutine(contact, routine, purpose, calls, k))
        slow: dict[str, Diagnostic] = {}
        for force in self._forces:
            try:
                why = force.connect(files)
            except RoutineError as error:
                found.append(_error(force.routine, error))
                continue
            if why:
                place = place_of(force.routine)
                message = f"{place} runs as Python, which is slow: numba cannot compile it ({why})"
                warning = force.routine.where.diagnose("warning", message, field=force.routine.field)
                slow.setdefault(place, warning)
        for post in self._posts.values():
            try:
                post.connect(files)
            except RoutineError as error:
                found.append(_error(post.routine, error))
        if found:
            raise DeckError([*self._model.warnings, *found])
        return list(slow.values())

    def require(self) -> None:
        """Before a step is done.

        Raises
        ------
        DeckError
            the routines were not loaded, as that is not allowed
        """
        if self._is_named and not self._loaded:
            refuse_user_code(self._model, allowed=False)

    @property
    def needs_one_thread(self) -> bool:
        """Whether routines may keep something from call to call, or are slower in several threads."""
        return not all(force.keeps_nothing for force in self._forces)

    # ---- forces ----------------------------------------------------------------------------------------------

    def failure(self) -> tuple[float, str] | None:
        """Time and reason of the first routine that failed."""
        failed = [force for force in self._forces if force.record["failed"][0]]
        if not failed:
            return None
        force = min(failed, key=lambda force: float(force.record["time"][0]))
        time = float(force.record["time"][0])
        return time, f"{force.what} failed at t = {time:.6g} {self._model.units.time}: {force.why_failed()}"

    def messages(self) -> list[str]:
        """What is to be said of forces so far, each once."""
        return [text for force in self._forces if (text := force.pull_message(self._model.units.time))]

    # ---- results ---------------------------------------------------------------------------------------------

    def pieces(self, step: int, n_steps: int, samples: Ints) -> Iterator[tuple[int, int]]:
        """First step and number of steps of the pieces to be run, which end with samples where results are wanted."""
        end = step + n_steps
        if self._posts:
            for sample in samples[bisect_left(samples, step) : bisect_right(samples, end - 2)]:
                yield step, int(sample) + 1 - step
                step = int(sample) + 1
        yield step, end - step

    def keep_points(self, system: System, step: int) -> None:
        """Keep the points of contact of a step for `hand_over`."""
        origin = system.contacts.origin
        for number in self._posts:
            self._points[step, number] = points_of(system.contacts, number), origin

    def hand_over(self, block: SampleBlock) -> None:
        """Give the results of a block of samples to the routines.

        Raises
        ------
        RoutineError
            a routine failed
        """
        if not self._posts or not len(block):
            return
        for time, step in zip(block.times, block.values["diag"]["step"], strict=True):
            for number, post in self._posts.items():
                points, origin = self._points[int(step), number]
                post.hand_over(float(time), points, origin)
        self._points.clear()

    def finish(self) -> None:
        """Tell the routines for results that there are no more.

        Raises
        ------
        RoutineError
            a routine failed
        """
        for post in self._posts.values():
            post.finish()


def _error(routine: UserRoutine, error: RoutineError) -> Diagnostic:
    return routine.where.diagnose("error", str(error), field=routine.field)
