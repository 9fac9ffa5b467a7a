"""/TH: which variables of which objects go to the history file."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

import numpy as np

from .card_reader import CompiledCard
from .layout import Keyword, Stage, Values, card, integer, text
from .model import HistoryRequest
from .numbers import numbered_list
from .reader import ID_CARD
from .rulers import words_of
from .table_reader import Records, read_records

if TYPE_CHECKING:
    from .block import Block
    from .context import Context

_XYZ = ("X", "Y", "Z")


def _triple(prefix: str, suffix: str = "") -> tuple[str, ...]:
    return tuple(f"{prefix}{axis}{suffix}" for axis in _XYZ)


_NODE_GROUPS = {
    "D": _triple("D"),
    "V": _triple("V"),
    "A": _triple("A"),
    "VR": _triple("VR"),
    "AR": _triple("AR"),
    "DR": _triple("DR"),
    "XYZ": _XYZ,
    "Q": ("Q0", "Q1", "Q2", "Q3"),
}
_FORCES = {"F": _triple("F"), "M": _triple("M")}
# Variables of each family: groups, and what DEF stands for. The file always holds the families other than NODE in full.
_GROUPS: dict[str, dict[str, tuple[str, ...]]] = {
    "NODE": {"DEF": _NODE_GROUPS["D"] + _NODE_GROUPS["V"], **_NODE_GROUPS},
    "RBODY": {"DEF": _FORCES["F"] + _FORCES["M"], **_FORCES, **_NODE_GROUPS},
    "SPRING": {
        "DEF": ("OFF", *_triple("F"), *_triple("M"), *_triple("L"), *_triple("R"), "IE"),
        **_FORCES,
        "L": _triple("L"),
        "R": _triple("R"),
    },
    "GJOINT": {"DEF": (), "F": tuple(f"F{axis}{k}" for k in (1, 2, 3) for axis in _XYZ)},
    "SENSOR": {"DEF": ("STATUS",)},
}
_SINGLES: dict[str, tuple[str, ...]] = {
    "SPRING": ("LENGTH",),
    "SENSOR": ("STATUS",),
    "GJOINT": (
        *(f"{name}{k}" for name in ("ANG", "VEL", "T") for k in (1, 2, 3)),
        "U2", "V2", "F2", "RES",
        *(f"M{axis}{k}" for k in (1, 2, 3) for axis in _XYZ),
    ),
}  # fmt: skip
# Variables that Radioss knows and this solver does not have.
_NOT_HERE = (
    "TEMP", "REACX", "REACY", "REACZ", "REACXX", "REACYY", "REACZZ", "REAC", "REACR", "P", "FI", "MI", "R", "RX", "RY",
    "RZ", "FXI", "FYI", "FZI", "MXI", "MYI", "MZI", "STATUS", "MASS", "NX", "NY", "NZ",
)  # fmt: skip


def build_history(block: Block, values: Values, context: Context) -> None:
    """/TH/NODE, SPRING, RBODY, GJOINT, SENSOR: variables, then objects."""
    family = block.declaration.name.split("/")[1]
    data = block.data_lines()
    first = 0
    variables: list[str] = []
    good = True
    while first < len(data) and (first == 0 or not data[first][1][:10].strip()[:1].isdigit()):
        good &= _read_variables(block, context, family, *data[first], variables)
        first += 1
    cards = context.compiled(block.declaration).records or (CompiledCard(ID_CARD),)
    records = read_records(block, cards, first)
    if not (records.good and good):
        return
    items, names, skew_ids = _objects(block, context, family, records)
    if items is None:
        return
    assert block.id is not None
    context.model.history_requests.append(
        HistoryRequest(block.id, block.title, block, family, list(dict.fromkeys(variables)), items, names, skew_ids)
    )


def _read_variables(block: Block, context: Context, family: str, offset: int, line: str, variables: list[str]) -> bool:
    groups = _GROUPS[family]
    known = {*_SINGLES.get(family, ()), *(name for group in groups.values() for name in group)}
    good = True
    for begin, end in words_of(line.replace(",", " ")):
        word = line[begin:end].upper()
        if word in groups:
            variables.extend(groups[word])
        elif word in known:
            variables.append(word)
        else:
            severity = "warning" if word in _NOT_HERE else "error"
            message = f"the variable {word} is not available" if word in _NOT_HERE else f"no variable is called {word}"
            close = difflib.get_close_matches(word, [*groups, *known], 3)
            context.report(
                block.diagnose_line(
                    severity,  # type: ignore[arg-type]
                    message,
                    block.body_line + offset,
                    line,
                    found=word,
                    allowed=" ".join([*groups, *sorted(known)]) if severity == "error" else "",
                    hint=f"did you mean {' or '.join(close)}?" if close and severity == "error" else "",
                    column=begin + 1,
                    ruler=" " * begin + "^" * (end - begin),
                )
            )
            good &= severity == "warning"
    return good


def _objects(
    block: Block, context: Context, family: str, records: Records
) -> tuple[np.ndarray | None, list[str], list[int]]:
    """What the lines after the variables ask for: node rows or ids, names, skew ids."""
    columns = records.columns
    if "id1" in columns:
        table = np.stack(list(columns.values()), axis=1) if len(records) else np.empty((0, 10), dtype=np.int64)
        kept = table != 0
        items, offsets = table[kept], np.repeat(records.offsets, kept.sum(axis=1))
        names = [""] * len(items)
    else:
        ids = columns["id"]
        kept = ids != 0
        items, offsets = ids[kept], records.offsets[kept]
        names = [name for name, keep in zip(columns["name"], kept, strict=True) if keep]
    skews = [int(skew) for skew in columns["skew_ID"][kept]] if "skew_ID" in columns else [0] * len(items)
    known = context.rows_of(items) >= 0 if family == "NODE" else None
    if family == "NODE":
        wrong = ~known  # type: ignore[operator]
        kind = "node"
    else:
        kind = {"SENSOR": "sensor"}.get(family, family)
        existing = context.defined.get(kind, {})
        if family == "SPRING":
            existing = {spring.id: block for spring in context.model.springs}
        wrong = np.array([id not in existing for id in items.tolist()], dtype=bool)
    for skew in skews:
        if skew and skew not in context.defined["skew"]:
            hint = context.nearest("skew", skew)
            context.report(block.diagnose("error", f"skew {skew} does not exist", found=str(skew), hint=hint))
            return None, [], []
    if wrong.any():
        _report_missing(block, context, family, kind, items[wrong].tolist(), int(offsets[wrong][0]))
        return None, [], []
    return (context.rows_of(items) if family == "NODE" else items), names, skews


def _report_missing(block: Block, context: Context, family: str, kind: str, ids: list[int], offset: int) -> None:
    line = block.lines()[offset]
    column = max(line.find(str(ids[0])), 0)
    label = {"NODE": "node", "SENSOR": "sensor", "SPRING": "spring", "RBODY": "rigid body", "GJOINT": "gear joint"}[
        family
    ]
    several = len(ids) > 1
    context.report(
        block.diagnose_line(
            "error",
            f"{_PLURALS.get(label, label + 's')} {numbered_list(ids)} do not exist"
            if several
            else f"{label} {ids[0]} does not exist",
            block.body_line + offset,
            line,
            found=str(ids[0]),
            hint=context.nearest("node", ids[0]) if family == "NODE" else "",
            column=column + 1,
            ruler=" " * column + "^" * len(str(ids[0])),
        )
    )


def _history_keyword(family: str, meaning: str, **more: object) -> Keyword:
    names = tuple(f"{prefix}/{family}" for prefix in ("TH", *(f"{letter}TH" for letter in "ABCDEFGHI")))
    return Keyword(
        names,
        meaning,
        build_history,
        Stage.OUTPUT,
        listing="history",
        identity=f"TH/{family}",
        **more,  # type: ignore[arg-type]
    )


_PLURALS = {"rigid body": "rigid bodies"}
_ONE_A_LINE = {"records": (card(integer("id", 1, "object"), text("name", 21, 100, "its name in the history file")),)}

KEYWORDS = [
    _history_keyword(
        "NODE",
        "histories of nodes: variables (DEF D V A VR AR DR XYZ Q or single names), then nodes",
        records=(
            card(
                integer("id", 1, "node; none or 0 = all nodes"),
                integer("skew_ID", 11, "axes of the components"),
                text("name", 21, 100, "its name in the history file"),
            ),
        ),
    ),
    _history_keyword("SPRING", "histories of springs", **_ONE_A_LINE),
    _history_keyword("RBODY", "histories of rigid bodies, ten ids a line"),
    _history_keyword("GJOINT", "histories of gear joints, ten ids a line"),
    _history_keyword("SENSOR", "histories of sensors, ten ids a line"),
]
