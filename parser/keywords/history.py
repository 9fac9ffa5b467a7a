"""/TH: which variables of which objects go to the history file."""

from __future__ import annotations

import difflib
from collections.abc import Collection

from ..cards.block import UNTITLED, Block
from ..cards.compiled_layout import ID_CARDS
from ..cards.context import Context
from ..cards.layout import Card, Keyword, Stage, Values, card, integer, text
from ..cards.reader import flatten_ids
from ..cards.table_reader import Records, read_records
from ..model import HistoryRequest, Ints
from ..text.diagnostics import Severity
from ..text.numbers import nearest_ids, numbered_list
from ..text.rulers import words_of

_XYZ = ("X", "Y", "Z")
# Asks for each pair of bodies by itself, and is no variable.
PAIRS = "PAIRS"


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
    "NODE": {
        "DEF": _NODE_GROUPS["D"] + _NODE_GROUPS["V"],
        **_NODE_GROUPS,
        "REAC": _triple("REAC"),
        "REACR": ("REACXX", "REACYY", "REACZZ"),
    },
    "RBODY": {"DEF": _FORCES["F"] + _FORCES["M"], **_FORCES, **_NODE_GROUPS},
    "SPRING": {
        "DEF": ("OFF", *_triple("F"), *_triple("M"), *_triple("L"), *_triple("R"), "IE"),
        **_FORCES,
        "L": _triple("L"),
        "R": _triple("R"),
    },
    "GJOINT": {"DEF": (), "F": tuple(f"F{axis}{k}" for k in (1, 2, 3) for axis in _XYZ)},
    "JOINT": {"DEF": (), "F": (*_triple("F"), "FR", "FS", "FT"), "M": (*_triple("M"), "MR", "MS", "MT")},
    "DRIVE": {"DEF": ()},
    "COUPLER": {"DEF": ()},
    "INTER": {"DEF": (), "FN": _triple("FN"), "FT": _triple("FT"), "P": _triple("P"), "M": _triple("M")},
    "RWALL": {"DEF": (), "FN": _triple("FN"), "FT": _triple("FT")},
    "SENSOR": {"DEF": ("STATUS",)},
}
_SINGLES: dict[str, tuple[str, ...]] = {
    "SPRING": ("LENGTH",),
    "SENSOR": ("STATUS", "TON", "VALUE"),
    "GJOINT": (
        *(f"{name}{k}" for name in ("ANG", "VEL", "T") for k in (1, 2, 3)),
        "U2", "V2", "F2", "RES",
        *(f"M{axis}{k}" for k in (1, 2, 3) for axis in _XYZ),
    ),
    "JOINT": (
        "ANG", "RATE", "ANG2", "RATE2", "U", "V", "RES", "MSPRING", "MDAMP", "MFRICT", "FSPRING", "FDAMP", "FFRICT",
    ),
    "DRIVE": ("U", "V", "F", "UERR", "ANG", "RATE", "T", "ANGERR", "POWER", "RES"),
    "INTER": ("MN", "PEN", "AREA", "NPATCH", "EELAS", "EDISS", "EFRIC", "FLICKER", "EOWED", "EKEPT", PAIRS),
    "RWALL": ("NNODE", "EELAS", "EDISS", "EFRIC"),
    "COUPLER": ("PHI1", "RATE1", "T1", "PHI2", "RATE2", "T2", "S2", "V2", "F2", "RES",
        *(f"S{name}" for name in (*_triple("M", "1"), *_triple("F", "2"), *_triple("M", "2"))),
    ),
}  # fmt: skip
_LABELS = {
    "NODE": ("node", "nodes"),
    "SENSOR": ("sensor", "sensors"),
    "SPRING": ("spring", "springs"),
    "RBODY": ("rigid body", "rigid bodies"),
    "GJOINT": ("gear joint", "gear joints"),
    "JOINT": ("joint", "joints"),
    "DRIVE": ("drive", "drives"),
    "COUPLER": ("coupler", "couplers"),
    "INTER": ("interface", "interfaces"),
    "RWALL": ("rigid wall", "rigid walls"),
}
# Variables that Radioss knows and this solver does not have.
_NOT_HERE = (
    "TEMP", "P", "FI", "MI", "R", "RX", "RY",
    "RZ", "FXI", "FYI", "FZI", "MXI", "MYI", "MZI", "STATUS", "MASS", "NX", "NY", "NZ", "SFW", "RFT", "|FNX|", "|FNY|",
    "|FNZ|", "|FN|", "|FX|", "|FY|", "|FZ|", "|F|", "CAREA", "CE_ELAST", "CE_FRIC", "CE_DAMP",
)  # fmt: skip


def variables_of(family: str) -> set[str]:
    """The single variables that a /TH block of a family may name."""
    return {*_SINGLES.get(family, ()), *(name for group in _GROUPS[family].values() for name in group)}


def build_history(block: Block, values: Values, context: Context) -> None:
    """/TH of every family: variables, then objects."""
    family = block.declaration.name.split("/")[1]
    data = block.data_lines()
    first = 0
    variables: list[str] = []
    good = True
    while first < len(data) and (first == 0 or not data[first][1][:10].strip()[:1].isdigit()):
        good &= _read_variables(block, context, family, *data[first], variables)
        first += 1
    cards = context.compiled(block.declaration).records or ID_CARDS
    records = read_records(context, block, cards, first)
    if not (records.good and good):
        return
    objects = _objects(block, context, family, records)
    if objects is None:
        return
    items, names, skew_ids = objects
    _check_written(block, context, family, data[:first])
    assert block.id is not None
    context.model.history_requests.append(
        HistoryRequest(
            block.id,
            block.title,
            block,
            family,
            [name for name in dict.fromkeys(variables) if name != PAIRS],
            items,
            names,
            skew_ids,
            by_pairs=PAIRS in variables,
        )
    )


def _read_variables(block: Block, context: Context, family: str, offset: int, line: str, variables: list[str]) -> bool:
    groups = _GROUPS[family]
    known = variables_of(family)
    good = True
    for begin, end in words_of(line.replace(",", " ")):
        word = line[begin:end].upper()
        if word in groups:
            variables.extend(groups[word])
        elif word in known:
            variables.append(word)
        else:
            severity: Severity = "doubt" if word in _NOT_HERE else "error"
            message = f"the variable {word} is not available" if word in _NOT_HERE else f"no variable is called {word}"
            close = [] if word.isdigit() else difflib.get_close_matches(word, [*groups, *known], 3)
            hint = f"did you mean {' or '.join(close)}?" if close else UNTITLED if word.isdigit() else ""
            context.report(
                block.diagnose_line(
                    severity,
                    message,
                    block.body_line + offset,
                    line,
                    found=word,
                    allowed=" ".join([*groups, *sorted(known)]) if severity == "error" else "",
                    hint=hint if severity == "error" else "",
                    column=begin + 1,
                    ruler=" " * begin + "^" * (end - begin),
                )
            )
            good &= severity != "error"
    return good


def _objects(block: Block, context: Context, family: str, records: Records) -> tuple[Ints, list[str], list[int]] | None:
    """What the lines after the variables ask for: node rows or ids, names, skew ids; None after an error."""
    columns = records.columns
    if "id1" in columns:
        items, offsets = flatten_ids(records)
        names, skews = [""] * len(items), [0] * len(items)
    else:
        kept = columns["id"] != 0
        items, offsets = columns["id"][kept], records.offsets[kept]
        names = [name for name, keep in zip(columns["name"], kept, strict=True) if keep]
        skews = columns["skew_ID"][kept].tolist() if "skew_ID" in columns else [0] * len(items)
    for skew, offset in zip(skews, offsets.tolist(), strict=True):
        if skew and skew not in context.defined["skew"]:
            message, hint = f"skew {skew} does not exist", context.nearest("skew", skew)
            context.report(block.diagnose_id(message, offset, skew, hint=hint))
            return None
    known = _known_ids(context, family)
    missing = [k for k, id in enumerate(items.tolist()) if id not in known]
    if missing:
        _report_missing(block, context, family, items[missing].tolist(), int(offsets[missing[0]]))
        return None
    return (context.rows_of(items) if family == "NODE" else items), names, skews


def _check_written(block: Block, context: Context, family: str, lines: list[tuple[int, str]]) -> None:
    """Warn where the lines of variables are blank, or the deck has nothing of the family."""
    if family != "NODE" and not _known_ids(context, family):
        message = f"the deck has no {_LABELS[family][0]}, so nothing is written"
        context.report(block.diagnose("doubt", message))
    elif family == "NODE" and not any(line.strip() for _, line in lines):
        hint = "name variables before the nodes: DEF, or D V A VR AR DR XYZ Q REAC REACR"
        context.report(block.diagnose("doubt", "no variable is asked for, so nothing is written", hint=hint))


def _known_ids(context: Context, family: str) -> Collection[int]:
    if family == "NODE":
        return context.node_rows
    if family == "SPRING":
        # Those with an error of their own are known, too; one message about each is enough.
        tables = context.unresolved.element_tables.get("SPRING", [])
        return context.unresolved.dropped_ids.get("SPRING", set()).union(*(table.ids.tolist() for table in tables))
    return context.defined.get("sensor" if family == "SENSOR" else family, {})


def _report_missing(block: Block, context: Context, family: str, ids: list[int], offset: int) -> None:
    one, many = _LABELS[family]
    message = f"{one} {ids[0]} does not exist" if len(ids) == 1 else f"{many} {numbered_list(ids)} do not exist"
    hint = nearest_ids(ids[0], list(_known_ids(context, family)), one, "/NODE" if family == "NODE" else one)
    context.report(block.diagnose_id(message, offset, ids[0], hint=hint))


def _history_keyword(family: str, meaning: str, records: tuple[Card, ...] = ()) -> Keyword:
    names = tuple(f"{prefix}/{family}" for prefix in ("TH", *(f"{letter}TH" for letter in "ABCDEFGHI")))
    return Keyword(
        names,
        meaning,
        build_history,
        Stage.OUTPUT,
        listing="history",
        identity=f"TH/{family}",
        records=records,
    )


_ONE_A_LINE = (card(integer("id", 1, "object"), text("name", 21, 100, "its name in the history file")),)

KEYWORDS = [
    _history_keyword(
        "NODE",
        "histories of nodes: variables (DEF D V A VR AR DR XYZ Q REAC REACR or single names), then nodes",
        records=(
            card(
                integer("id", 1, "node; none or 0 = all nodes"),
                integer("skew_ID", 11, "axes of the components"),
                text("name", 21, 100, "its name in the history file"),
            ),
        ),
    ),
    _history_keyword("SPRING", "histories of springs", _ONE_A_LINE),
    _history_keyword("RBODY", "histories of rigid bodies, ten ids a line"),
    _history_keyword("GJOINT", "histories of gear joints, ten ids a line"),
    _history_keyword("JOINT", "histories of joints, ten ids a line"),
    _history_keyword("DRIVE", "histories of drives, ten ids a line"),
    _history_keyword("COUPLER", "histories of couplers, ten ids a line"),
    _history_keyword(
        "INTER", "histories of interfaces, ten ids a line; PAIRS among the variables adds each pair of bodies by itself"
    ),
    _history_keyword("RWALL", "histories of rigid walls, ten ids a line"),
    _history_keyword("SENSOR", "histories of sensors, ten ids a line"),
]
