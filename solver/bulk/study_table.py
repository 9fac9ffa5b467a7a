"""What came of the cases of a study, in one table: STUDY.h5, which the study goes on from, and STUDY.csv."""

from __future__ import annotations

import csv
import io
import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..results.files import Lock, OutputError, lock_path, made_by_gsolve, made_whole, remove_parts
from ..results.frames import package

if TYPE_CHECKING:
    import pandas

FINISHED = ("completed", "failed", "deck errors", "refused")  # the same would come of it again
SAVE_SECONDS = 1.0  # that a kill of the whole program may cost
SAVE_SHARE = 0.05  # of the time at most is spent with saving; a table of 100 000 cases takes a second
_KIND = "gsolve study"


@dataclass(frozen=True, slots=True)
class Row:
    """A case and what came of it.

    seconds : wall time of the run
    """

    parameters: dict[str, float]
    status: str
    message: str = ""
    seconds: float = 0.0
    responses: dict[str, float] = field(default_factory=dict)


class StudyTable:
    """The cases of a study.

    setting : what decides on their results beside their parameters: files by name, options, responses, gsolve
    rows : in the order in which they ended
    """

    def __init__(self, path: Path, setting: Mapping[str, Any], rows: Iterable[Row] = ()) -> None:
        self.path = path
        self.setting = dict(setting)
        self.rows: dict[str, Row] = {}
        self._save_at = time.monotonic() + SAVE_SECONDS
        for row in rows:
            self.put(row)

    def put(self, row: Row) -> None:
        """Take in a case, in place of what is there of it."""
        self.rows.pop(key := key_of(row.parameters), None)
        self.rows[key] = row

    def find(self, parameters: Mapping[str, float]) -> Row | None:
        """A case, None where nothing is known of it."""
        return self.rows.get(key_of(parameters))

    def sort(self, cases: Iterable[Mapping[str, float]]) -> None:
        """Put cases into an order, and what is known beside them behind."""
        first = {key: self.rows[key] for key in map(key_of, cases) if key in self.rows}
        self.rows = {**first, **self.rows}

    # ---- columns ---------------------------------------------------------------------------------------------

    @property
    def parameters(self) -> dict[str, NDArray[np.float64]]:
        """(n,) values of each parameter."""
        return self._columns(self.setting["parameters"], [row.parameters for row in self.rows.values()])

    @property
    def responses(self) -> dict[str, NDArray[np.float64]]:
        """(n,) values of each response, NaN where a case has none."""
        return self._columns(list(self.setting["responses"]), [row.responses for row in self.rows.values()])

    @property
    def status(self) -> list[str]:
        """How each case ended."""
        return [row.status for row in self.rows.values()]

    @property
    def messages(self) -> list[str]:
        """Why it is not completed."""
        return [row.message for row in self.rows.values()]

    @property
    def seconds(self) -> NDArray[np.float64]:
        """(n,) wall time of each run."""
        return np.array([row.seconds for row in self.rows.values()], dtype=float)

    @staticmethod
    def _columns(names: Iterable[str], values: list[dict[str, float]]) -> dict[str, NDArray[np.float64]]:
        return {name: np.array([row.get(name, np.nan) for row in values], dtype=float) for name in names}

    def to_pandas(self) -> pandas.DataFrame:
        """A row a case: parameters, responses, status, message, seconds."""
        others = {"status": self.status, "message": self.messages, "seconds": self.seconds}
        return package("pandas").DataFrame({**self.parameters, **self.responses, **others})

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        done = self.status.count("completed")
        return (
            f"<study {self.path.name}: {len(self)} cases, {done} completed; "
            f"parameters {', '.join(self.parameters)}; responses {', '.join(self.responses)}>"
        )

    # ---- files -----------------------------------------------------------------------------------------------

    def save(self) -> None:
        """Write both files, each as a whole.

        Raises
        ------
        OutputError
            they cannot be written
        """
        began = time.monotonic()
        try:
            with made_whole(self.path) as part:
                self._write_hdf5(part)
            with made_whole(self.path.with_suffix(".csv")) as part:
                part.write_text(self.csv_text(), encoding="utf-8")
        except OSError as error:
            raise OutputError(f"cannot write {self.path}: {error}") from error
        ended = time.monotonic()
        self._save_at = ended + max(SAVE_SECONDS, (ended - began) / SAVE_SHARE)

    def save_now_and_then(self) -> None:
        """`save`, if that was not done just now."""
        if time.monotonic() >= self._save_at:
            self.save()

    def csv_text(self) -> str:
        """The table with commas."""
        columns = {**self.parameters, **self.responses}
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([*columns, "status", "message", "seconds"])
        for k, row in enumerate(self.rows.values()):
            numbers = ["" if np.isnan(values[k]) else repr(float(values[k])) for values in columns.values()]
            writer.writerow([*numbers, row.status, row.message, f"{row.seconds:.3f}"])
        return text.getvalue()

    def _write_hdf5(self, path: Path) -> None:
        import h5py

        texts = h5py.string_dtype()
        with h5py.File(path, "w") as file:
            file.attrs["kind"], file.attrs["setting"] = _KIND, json.dumps(self.setting)
            for group, columns in (("parameters", self.parameters), ("responses", self.responses)):
                file.create_group(group, track_order=True)
                for name, values in columns.items():
                    file[group][name] = values
            file["seconds"] = self.seconds
            for name, words in (("status", self.status), ("message", self.messages)):
                file.create_dataset(name, data=np.array(words, dtype=object), dtype=texts)


def key_of(parameters: Mapping[str, float]) -> str:
    """What tells a case from others: each value with all its digits."""
    return ";".join(f"{name}={float(value)!r}" for name, value in sorted(parameters.items()))


def is_study(path: Path) -> bool:
    """Whether a file is the table of a study, whatever else may be wrong with it."""
    import h5py

    from ..results.hdf5 import DAMAGE

    try:
        with h5py.File(path, locking=False) as file:
            return bool(file.attrs.get("kind") == _KIND)
    except DAMAGE:
        return False


def load_study(path: str | os.PathLike[str]) -> StudyTable:
    """The table of a study, `STUDY.h5`.

    Raises
    ------
    OutputError
        the file is not there, is damaged, or is no table of a study
    """
    import h5py

    from ..results.hdf5 import DAMAGE

    place = Path(path)
    try:
        with h5py.File(place, locking=False) as file:
            if file.attrs.get("kind") != _KIND:
                raise OutputError(f"{place} is no table of a study")
            return StudyTable(place, json.loads(file.attrs["setting"]), _rows_of(file))
    except DAMAGE as error:
        raise OutputError(f"cannot read {place}: {error}") from error


def _rows_of(file: Any) -> list[Row]:
    """The cases; what columns do not hold raises ValueError, KeyError or TypeError."""
    parameters, responses = ({name: file[group][name][()] for name in file[group]}
                             for group in ("parameters", "responses"))  # fmt: skip
    status, messages, seconds = file["status"].asstr()[()], file["message"].asstr()[()], file["seconds"][()]
    if len({len(column) for column in (status, messages, seconds, *parameters.values(), *responses.values())}) != 1:
        raise ValueError("its columns are of different lengths")
    rows = []
    for k in range(len(status)):
        values = {name: float(column[k]) for name, column in responses.items()}
        known = values if status[k] == "completed" else {}
        where = {name: float(column[k]) for name, column in parameters.items()}
        rows.append(Row(where, status[k], messages[k], float(seconds[k]), known))
    return rows


@contextmanager
def kept_alone(path: Path) -> Iterator[None]:
    """While entered, no other study writes this table; what a killed one began to write of it is removed.

    Raises
    ------
    OutputError
        another one does, or nobody can
    """
    lock = Lock(lock_path(path))
    try:
        is_free = lock.take()
    except OSError as error:
        raise OutputError(
            f"cannot write {path}: {error.strerror}; the table of a study stands beside it: copy the study and its "
            "deck to a folder that can be written"
        ) from error
    if not is_free:
        raise OutputError(
            f"{path} is being written by another call: wait for its end, or copy the study under another name"
        )
    try:
        remove_parts([path, path.with_suffix(".csv")])
        yield
    finally:
        lock.release()


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """What is not the same in two settings, in words."""
    found = []
    for what, of in (("files", ""), ("options", "the option "), ("responses", "the response ")):
        before, after = old.get(what, {}), new.get(what, {})
        for name in dict.fromkeys([*before, *after]):
            if before.get(name) != after.get(name):
                how = "is new" if name not in before else "is gone" if name not in after else "has changed"
                found.append(f"{of}{name} {how}")
    if old.get("parameters") != new.get("parameters"):
        found.append("the parameters are others")
    if old.get("gsolve") != new.get("gsolve"):
        found.append(f"gsolve was {old.get('gsolve')} and is {new.get('gsolve')}")
    elif old.get("sources") != new.get("sources"):
        found.append(f"gsolve {new.get('gsolve')} has other sources")
    return found


def put_aside(path: Path) -> Path:
    """Give a table, both of its files, another name; returns it.

    The table goes last: where gsolve is killed in between, the next call finds it and goes on with it.
    """
    text, number = path.with_suffix(".csv"), 1
    while (kept := path.with_suffix(f".{number}.h5")).exists() or (text.exists() and kept.with_suffix(".csv").exists()):
        number += 1
    if text.exists():
        os.replace(text, kept.with_suffix(".csv"))
    os.replace(path, kept)
    return kept


def open_table(path: Path, setting: Mapping[str, Any]) -> tuple[StudyTable, list[str]]:
    """The table of a study to go on with, and what is to be said of it.

    A table that was made with another setting is kept under another name.

    Raises
    ------
    OutputError
        there is a file that is no table of a study, or a CSV file without its table
    """
    if not path.exists():
        if (text := path.with_suffix(".csv")).exists():
            raise OutputError(
                f"{text} is there without {path.name}, and would be replaced: move it or rename the study"
            )
        return StudyTable(path, setting), []
    if made_by_gsolve(path):
        raise OutputError(
            f"{path} is the result of a run, and the table of this study would go there: rename the study"
        )
    old = load_study(path)
    changes = differences(old.setting, setting)
    if not changes:
        return StudyTable(path, setting, (row for row in old.rows.values() if row.status in FINISHED)), []
    kept = put_aside(path)
    return StudyTable(path, setting), [
        f"since the {len(old)} cases in {path.name}: {'; '.join(changes)}. All cases are run again; "
        f"the table before is {kept.name}"
    ]
