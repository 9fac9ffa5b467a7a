"""Study files: which deck, which parameters, how they are chosen, and what is asked of each run."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from gsolve.parser.deck import run_name_of
from gsolve.parser.text.numbers import is_finite_number

from ..run.options import RunOptions, UsageError

KINDS = ("grid", "list", "latin hypercube", "random", "sobol")
SAMPLED = KINDS[2:]
METHODS = ("Nelder-Mead", "Powell", "differential evolution")
# What a distribution needs, by its name
DISTRIBUTIONS = {
    "uniform": ("low", "high"),
    "loguniform": ("low", "high"),
    "normal": ("mean", "deviation"),
    "lognormal": ("median", "sigma"),
    "triangular": ("low", "mode", "high"),
}
RUN_OPTIONS = (
    "t_end", "dt", "accuracy", "order", "threads", "assemble", "settle", "general", "gjoint_alpha", "stop_when",
)  # fmt: skip
MOST_CASES = 1_000_000
TABLE_COLUMNS = {"status", "message", "seconds"}  # of the table of a study, beside parameters and responses
_FLAGS = ("assemble", "settle", "general")
_TEXTS = ("gjoint_alpha", "stop_when")
Number = float | int


@dataclass(frozen=True, slots=True)
class Values:
    """Some values of a parameter."""

    values: tuple[Number, ...]


@dataclass(frozen=True, slots=True)
class Distribution:
    """A parameter that is drawn; numbers : those that `DISTRIBUTIONS` names."""

    name: str
    numbers: tuple[float, ...]


Choice = Values | Distribution


@dataclass(frozen=True)
class Optimisation:
    """What is to become small; evaluations : most runs."""

    expression: str
    method: str = "differential evolution"
    evaluations: int = 500
    tolerance: float = 1e-6


@dataclass(frozen=True, slots=True)
class Study:
    """A study as its file has it.

    deck : its path
    samples, seed : of kinds that draw
    options : of the runs, by name
    """

    path: Path
    deck: Path
    parameters: dict[str, Choice]
    responses: dict[str, str]
    kind: str = "grid"
    samples: int = 0
    seed: int = 0
    options: dict[str, Any] = field(default_factory=dict)
    optimisation: Optimisation | None = None
    text: str = ""


def read_study(path: Path) -> Study:
    """Read a study file.

    Raises
    ------
    UsageError
        with all that is wrong, a line each
    """
    try:
        text = path.read_text(encoding="utf-8")
        content = tomllib.loads(text)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path}: {getattr(error, 'strerror', None) or error}") from error
    reader = _Reader()
    study = reader.study(path, text, content)
    if reader.complaints:
        raise UsageError("\n".join(f"{path}: {complaint}" for complaint in reader.complaints))
    return study


class _Reader:
    """Reads the tables of a study file; all that is wrong is in `complaints`."""

    def __init__(self) -> None:
        self.complaints: list[str] = []

    def study(self, path: Path, text: str, content: dict[str, Any]) -> Study:
        self._known("", content, ("deck", "parameters", "responses", "design", "options", "minimise"))
        deck = path.parent / self._text("deck", content.get("deck"))
        if isinstance(content.get("deck"), str) and not deck.is_file():
            self._wrong("deck", f"there is no file {deck}")
        if run_name_of(deck) == path.stem and deck.parent.resolve() == path.parent.resolve():
            table = path.with_suffix(".h5").name
            self._wrong("deck", f"its own results would go to {table}, where the table goes: rename the study")
        parameters = {
            name: self._choice(f"parameters.{name}", value)
            for name, value in self._table("parameters", content.get("parameters")).items()
        }
        responses = {
            name: self._text(f"responses.{name}", value)
            for name, value in self._table("responses", content.get("responses")).items()
        }
        for name in responses:
            if not name.isidentifier() or name in parameters:
                self._wrong(f"responses.{name}", "a name has letters, digits and _ and is not that of a parameter")
        for of, names in (("parameters", parameters), ("responses", responses)):
            for name in filter(TABLE_COLUMNS.__contains__, names):
                self._wrong(f"{of}.{name}", "the table has a column of this name: another one is needed")
        kind, samples, seed = self._design(content.get("design", {}), parameters)
        optimisation = self._optimisation(content["minimise"], parameters) if "minimise" in content else None
        is_drawn = optimisation is None and any(isinstance(choice, Distribution) for choice in parameters.values())
        if is_drawn and kind not in SAMPLED:
            self._wrong("design.kind", f"parameters that are drawn need {_listed(SAMPLED)}", kind)
        return Study(
            path, deck, parameters, responses, kind, samples, seed,
            self._options(content.get("options", {})), optimisation, text,
        )  # fmt: skip

    # ---- tables ----------------------------------------------------------------------------------------------

    def _choice(self, key: str, value: Any) -> Choice:
        if is_finite_number(value):
            return Values((value,))
        if isinstance(value, list):
            if not value or not all(map(is_finite_number, value)):
                self._wrong(key, "a list of numbers is needed, at least one", value)
                return Values((0.0,))
            return Values(tuple(value))
        if not isinstance(value, Mapping):
            self._wrong(key, "a list of numbers, a range {start, stop, count} or a distribution is needed", value)
            return Values((0.0,))
        if "distribution" in value:
            return self._distribution(key, value)
        if "low" in value or "high" in value:
            log = self._flag(f"{key}.log", value.get("log", False))
            return self._distribution(key, {"distribution": "loguniform" if log else "uniform",
                                            **{k: v for k, v in value.items() if k != "log"}})  # fmt: skip
        return self._range(key, value)

    def _distribution(self, key: str, value: Mapping[str, Any]) -> Choice:
        name = value["distribution"]
        if name not in list(DISTRIBUTIONS):
            self._wrong(f"{key}.distribution", f"it is one of {_listed(DISTRIBUTIONS)}", name)
            return Values((0.0,))
        wanted = DISTRIBUTIONS[name]
        self._known(key, value, ("distribution", *wanted))
        numbers = tuple(self._number(f"{key}.{part}", value.get(part)) for part in wanted)
        low_to_high = name in ("uniform", "loguniform", "triangular")
        if low_to_high and (list(numbers) != sorted(numbers) or numbers[0] == numbers[-1]):
            self._wrong(key, f"{', '.join(wanted)} must rise", numbers)
        if name in ("loguniform", "lognormal") and numbers[0] <= 0:
            self._wrong(f"{key}.{wanted[0]}", "a positive number is needed", numbers[0])
        if name in ("normal", "lognormal") and numbers[1] <= 0:
            self._wrong(f"{key}.{wanted[1]}", "a positive number is needed", numbers[1])
        return Distribution(name, numbers)

    def _range(self, key: str, value: Mapping[str, Any]) -> Values:
        self._known(key, value, ("start", "stop", "count", "step", "log"))
        before = len(self.complaints)
        start, stop = self._number(f"{key}.start", value.get("start")), self._number(f"{key}.stop", value.get("stop"))
        log = self._flag(f"{key}.log", value.get("log", False))
        if ("count" in value) == ("step" in value):
            self._wrong(key, "either count or step is needed", sorted(value))
        elif "count" in value:
            count = self._whole(f"{key}.count", value["count"], 1)
            self._few(key, count)
            if log and (start <= 0 or stop <= 0):
                self._wrong(key, "start and stop of a range with log are positive", (start, stop))
            if count == 1 and start != stop:
                self._wrong(f"{key}.count", f"one value does not lead from {start:g} to {stop:g}", count)
            if len(self.complaints) == before:
                return Values(_spaced(start, stop, count, log))
        else:
            step = self._number(f"{key}.step", value["step"])
            if log:
                self._wrong(f"{key}.log", "a range with log takes count, not step", True)
            if step == 0 or (stop - start) / (step or 1.0) < 0:
                self._wrong(f"{key}.step", f"it does not lead from {start:g} to {stop:g}", step)
            if len(self.complaints) == before:
                steps = (stop - start) / step * (1 + 1e-12) + 1e-9
                self._few(key, steps + 1.0)
                if len(self.complaints) == before:
                    return Values(tuple(_decimal(start + k * step) for k in range(math.floor(steps) + 1)))
        return Values((0.0,))

    def _design(self, value: Any, parameters: Mapping[str, Choice]) -> tuple[str, int, int]:
        design = self._table("design", value)
        self._known("design", design, ("kind", "samples", "seed"))
        kind = design.get("kind", "grid")
        if kind not in KINDS:
            self._wrong("design.kind", f"it is one of {_listed(KINDS)}", kind)
        samples = self._whole("design.samples", design["samples"], 1) if "samples" in design else 0
        if kind in SAMPLED and "samples" not in design:
            self._wrong("design.samples", f"{kind} needs the number of samples")
        if kind in KINDS and kind not in SAMPLED and "samples" in design:
            self._wrong("design.samples", f"{kind} takes all values; samples are of {_listed(SAMPLED)}", samples)
        counts = [len(choice.values) for choice in parameters.values() if isinstance(choice, Values)]
        if kind == "list" and len({count for count in counts if count > 1}) > 1:
            self._wrong("design.kind", "the lists of all parameters must be equally long for 'list'", counts)
        if max(samples, math.prod(counts) if kind == "grid" else 0) > MOST_CASES:
            self._wrong("design", f"these are more than {MOST_CASES} cases")
        return kind, samples, self._whole("design.seed", design.get("seed", 0), 0)

    def _optimisation(self, value: Any, parameters: Mapping[str, Choice]) -> Optimisation:
        if isinstance(value, str):
            value = {"expression": value}
        table = self._table("minimise", value)
        self._known("minimise", table, [part.name for part in fields(Optimisation)])
        method = table.get("method", Optimisation.method)
        if method not in METHODS:
            self._wrong("minimise.method", f"it is one of {_listed(METHODS)}", method)
        free = [c for c in parameters.values() if isinstance(c, Distribution) and c.name in ("uniform", "loguniform")]
        drawn = [name for name, c in parameters.items() if isinstance(c, Distribution) and c not in free]
        several = [name for name, c in parameters.items() if isinstance(c, Values) and len(c.values) > 1]
        for name in drawn + several:
            self._wrong(f"parameters.{name}", "what is optimised has bounds {low, high}, and the rest one value")
        if not free:
            self._wrong("parameters", "none of them has bounds {low, high}, within which it is optimised")
        tolerance = self._number("minimise.tolerance", table.get("tolerance", Optimisation.tolerance))
        if tolerance <= 0:
            self._wrong("minimise.tolerance", "a positive number is needed", tolerance)
        return Optimisation(
            self._text("minimise.expression", table.get("expression")),
            method,
            self._whole("minimise.evaluations", table.get("evaluations", Optimisation.evaluations), 1),
            tolerance,
        )

    def _options(self, value: Any) -> dict[str, Any]:
        options = self._table("options", value)
        self._known("options", options, RUN_OPTIONS)
        known = {name: given for name, given in options.items() if name in RUN_OPTIONS}
        for name, given in known.items():
            if name in _FLAGS and not isinstance(given, bool):
                self._wrong(f"options.{name}", "true or false is needed", given)
            elif name in _TEXTS and not isinstance(given, str):
                self._wrong(f"options.{name}", "a text is needed", given)
            elif name not in (*_FLAGS, *_TEXTS) and not is_finite_number(given):
                self._wrong(f"options.{name}", "a number is needed", given)
            else:
                try:
                    RunOptions(**{name: given})
                except UsageError as error:
                    self._wrong("options", str(error))
        return known

    # ---- values ----------------------------------------------------------------------------------------------

    def _wrong(self, key: str, message: str, found: Any = None) -> None:
        self.complaints.append(f"{key}: {message}" + (f" (found: {found!r})" if found is not None else ""))

    def _known(self, key: str, table: Mapping[str, Any], allowed: Iterable[str]) -> None:
        names = list(allowed)
        for name in table:
            if name not in names:
                meant = get_close_matches(name, names, 1)
                hint = f"did you mean {meant[0]}?" if meant else f"there are {', '.join(names)}"
                self._wrong(f"{key}.{name}" if key else name, f"there is no such key; {hint}")

    def _table(self, key: str, value: Any) -> Mapping[str, Any]:
        if isinstance(value, Mapping) and (value or key not in ("parameters", "responses")):
            return value
        self._wrong(
            key, "a table is needed, with an entry at least" if value in (None, {}) else "a table is needed", value
        )
        return {}

    def _text(self, key: str, value: Any) -> str:
        if isinstance(value, str) and value.strip():
            return value
        self._wrong(key, "a text is needed", value)
        return ""

    def _few(self, key: str, count: float) -> None:
        """Complain of values that are too many to be listed."""
        if count > MOST_CASES:
            self._wrong(key, f"these are {count:.15g} values, and at most {MOST_CASES} are allowed")

    def _flag(self, key: str, value: Any) -> bool:
        if isinstance(value, bool):
            return value
        self._wrong(key, "true or false is needed", value)
        return False

    def _number(self, key: str, value: Any) -> Any:
        if is_finite_number(value):
            return value
        self._wrong(key, "a number is needed", value)
        return 1.0

    def _whole(self, key: str, value: Any, least: int) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and value >= least:
            return value
        self._wrong(key, f"a whole number from {least} on is needed", value)
        return least


def _decimal(value: Number) -> Number:
    """Three steps of 0.05 are 0.15, and not the number after it."""
    return value if isinstance(value, int) else float(f"{value:.14g}")


def _spaced(start: Number, stop: Number, count: int, log: bool) -> tuple[Number, ...]:
    """From start to stop, both included."""
    import numpy as np

    return tuple((np.geomspace if log else np.linspace)(start, stop, count).tolist())


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)
