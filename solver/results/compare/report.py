"""What came of a comparison, as lines for a person and as values for a program."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from gsolve.parser.text.numbers import counted

from ..describe import fact
from .expected import Judgement
from .folders import FolderComparison
from .pair import Comparison, Difference, details

MOST_ROWS = 30  # of a table on the screen without --verbose
MOST_NAMES = 10  # of missing and new histories
HEADINGS = ("history", "largest", "at t", "relative", "rms", "beyond since", "A there", "B there")


def comparison_lines(found: Comparison, *, verbose: bool) -> list[str]:
    """All of a comparison; `verbose` has every history, not only those that differ."""
    first, last = found.span
    times = f"{found.samples} times, t = {first:.6g} to {last:.6g} {found.time_unit}"
    lines = [
        fact("A", found.a),
        fact("B", found.b),
        fact("compared", times if found.samples > 1 else f"t = {last:.6g} {found.time_unit} alone"),
        fact("tolerance", tolerance_text(found.rtol, found.atol)),
    ]
    lines += [fact("note", note) for note in found.notes]
    lines += [fact("different", what) for what in found.refused]
    lines += _names_lines("missing", "in A alone", found.missing, verbose)
    lines += _names_lines("new", "in B alone, which is no difference", found.new, verbose)
    rows = found.differences if verbose else found.differing
    if rows:
        lines += ["", *_table(rows if verbose else rows[:MOST_ROWS])]
    if len(rows) > MOST_ROWS and not verbose:
        lines.append(f"and {len(rows) - MOST_ROWS} more: -v shows all")
    return [*lines, *([""] if rows else []), verdict(found)]


def verdict(found: Comparison) -> str:
    """The last line: whether the two are equal."""
    count, all = len(found.differing), len(found.differences)
    if found.equal:
        largest = max((row.relative for row in found.differences), default=0.0)
        if largest == 0.0 and all:
            return f"equal: {all} histories, every number the same"
        return f"equal within the tolerance: {all} histories, the largest difference is {largest:.2g} of its scale"
    parts = [f"{count} of {all} histories differ"] if count else []
    parts += [f"{len(found.missing)} missing"] if found.missing else []
    return f"different: {', '.join([*parts, *found.refused])}"


def tolerance_text(rtol: float, atol: float) -> str:
    """In words and with the options that set it."""
    if rtol == 0.0 and atol == 0.0:
        return "none: every number the same"
    parts = [f"{rtol:g} of the scale of a history (--rtol)"] if rtol else []
    parts += [f"{atol:g} in its unit (--atol)"] if atol else []
    return " and ".join(parts)


def folder_lines(found: FolderComparison, *, verbose: bool) -> list[str]:
    """A line a file, those that differ first and in full."""
    lines = [fact("A", found.a), fact("B", found.b)]
    lines += _names_lines("missing", "in A alone", found.missing, verbose=True)
    lines += _names_lines("new", "in B alone, which is no difference", found.new, verbose)
    for name, what in sorted(found.files.items(), key=lambda item: _is_equal(item[1])):
        if isinstance(what, str):
            lines.append(f"{name}: cannot be compared: {what}")
        elif not what.equal or verbose:
            lines += ["", f"{name}: {verdict(what)}"]
            lines += [f"  {line}" for line in comparison_lines(what, verbose=verbose)[2:-1] if line]
        else:
            lines.append(f"{name}: {verdict(what)}")
    return [*lines, "", folder_verdict(found)]


def folder_verdict(found: FolderComparison) -> str:
    """The last line: whether two folders are equal."""
    different = sum(isinstance(what, Comparison) and not what.equal for what in found.files.values())
    files = counted(len(found.files), "file")
    parts = [f"{different} of {files} differ"] if different else []
    parts += [f"{len(found.missing)} missing"] if found.missing else []
    parts = [f"different: {', '.join(parts)}"] if parts else []
    parts += [f"{len(found.refused)} of {files} cannot be compared"] if found.refused else []
    return "; ".join(parts) or f"equal: {files}"


def judgement_lines(found: Sequence[Judgement], *, verbose: bool) -> list[str]:
    """Expected numbers that are not met, or all of them."""
    lines = []
    for one in found:
        if not one.met:
            lines.append(fact("not met", f"{one.what}: {one.message}" + (f"\n{one.source}" if one.source else "")))
        elif verbose and not math.isnan(one.expected):
            number = f"{one.found:.12g} {one.unit}".rstrip()
            text = f"{one.what}: {number}, expected {one.expected:.12g}, allowed {one.allowed:.3g}"
            lines.append(fact("met", text))
    missed, numbers = sum(not one.met for one in found), len(found) - 1
    end = f"different: {missed} not met" if missed else "as expected"
    of_numbers = f"{counted(numbers, 'number')} and " if numbers else ""
    return [*lines, f"{end}, of {of_numbers}the status of the run"]


def comparison_facts(found: Comparison, *, verbose: bool) -> dict[str, Any]:
    """For a program."""
    rows = found.differences if verbose else found.differing
    return {
        "status": "equal" if found.equal else "different",
        "message": verdict(found),
        "a": found.a,
        "b": found.b,
        "rtol": found.rtol,
        "atol": found.atol,
        "t_first": found.span[0],
        "t_last": found.span[1],
        "n_samples": found.samples,
        "n_compared": len(found.differences),
        "n_different": len(found.differing),
        "missing": found.missing,
        "new": found.new,
        "refused": found.refused,
        "notes": found.notes,
        "differences": [details(row) for row in rows],
    }


def folder_facts(found: FolderComparison, *, verbose: bool) -> dict[str, Any]:
    """For a program."""
    files = {
        name: {"status": "refused", "message": what}
        if isinstance(what, str)
        else comparison_facts(what, verbose=verbose)
        for name, what in found.files.items()
    }
    return {
        "status": "refused" if found.refused else "equal" if found.equal else "different",
        "message": folder_verdict(found),
        "a": found.a,
        "b": found.b,
        "missing": found.missing,
        "new": found.new,
        "files": files,
    }


def judgement_facts(found: Sequence[Judgement]) -> dict[str, Any]:
    """For a program."""
    entries = [
        {
            "what": one.what, "met": one.met, "message": one.message, "expected": one.expected, "found": one.found,
            "allowed": one.allowed, "unit": one.unit, "source": one.source,
        }
        for one in found
    ]  # fmt: skip
    return {"status": "equal" if all(one.met for one in found) else "different", "expected": entries}


def _is_equal(what: Comparison | str) -> bool:
    return not isinstance(what, str) and what.equal


def _names_lines(label: str, where: str, names: Sequence[str], verbose: bool) -> list[str]:
    if not names:
        return []
    shown = list(names if verbose else names[:MOST_NAMES])
    more = f" and {len(names) - len(shown)} more" if len(names) > len(shown) else ""
    return [fact(label, f"{where}: {', '.join(shown)}{more}")]


def _table(rows: Sequence[Difference]) -> list[str]:
    """Columns, the numbers to the right; the cost of interpolation where there is any."""
    headings, cells = [*HEADINGS], [_cells(row) for row in rows]
    if any(row.interpolation for row in rows):
        headings.append("interpolation")
        cells = [[*line, f"{row.interpolation:.2g}"] for line, row in zip(cells, rows, strict=True)]
    widths = [max(map(len, column)) for column in zip(headings, *cells, strict=True)]
    return [
        "  ".join(
            [line[0].ljust(widths[0]), *(text.rjust(width) for text, width in zip(line[1:], widths[1:], strict=True))]
        )
        for line in [headings, *cells]
    ]


def _cells(row: Difference) -> list[str]:
    unit = "" if row.unit == "1" else f" {row.unit}"
    since = "-" if row.first_beyond is None else f"{row.first_beyond:.6g}"
    return [
        row.name, f"{row.largest:.3g}{unit}", f"{row.at:.6g}", f"{row.relative:.2g}", f"{row.rms:.2g}", since,
        f"{row.a:.9g}", f"{row.b:.9g}",
    ]  # fmt: skip
