"""Reading a whole block: cards, lists, defaults, ranges, units and references, all by declaration."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..text.diagnostics import Diagnostic
from ..text.numbers import counted, is_zero
from ..text.rulers import comma_spans
from .block import Block, Row
from .compiled_layout import ID_CARDS, CompiledLayout
from .context import Context
from .layout import Card, Field, Stage, Values, cards_text
from .table_reader import Records, read_records, report_missing_card


def read_block(context: Context, block: Block) -> Values | None:
    """The values of a block in working units, references checked; None after an error (all of them are reported).

    References to nodes become node rows, references to groups become arrays of node rows (None for id 0).
    `values["records"]` holds the `Records` of a list, `values["ids"]` the ids of an id list.
    """
    declaration = block.declaration
    compiled = context.compiled(declaration)
    values: Values = {}
    used, broken = _read_cards(context, block, compiled, values)
    good = used is not None and not broken
    if good and declaration.shape is not None and not declaration.shape(block, values, context):
        return None
    good &= _check_fields(context, block, compiled.checked, values, broken)
    if used is not None:
        good &= _read_rest(context, block, compiled, values, used)
    good &= context.resolve_fields(block, compiled.references, values)
    good &= used is None or _run_checks(context, block, compiled, values)
    if not good:
        return None
    if declaration.listing in ("ids", "records"):
        _check_title(context, block)
    for name, factor in context.unit_factors(block, compiled.dimensions):
        values[name] *= factor
    return values


def _read_cards(
    context: Context, block: Block, compiled: CompiledLayout, values: Values
) -> tuple[int | None, set[str]]:
    """Read the fixed cards: how many data lines they took, and the fields of cards with errors.

    The number is None if the block ends before a card it needs (which is reported). `values` lacks what could not be
    read.
    """
    data = block.data_lines() if compiled.cards else []
    index = 0
    broken: set[str] = set()
    for card in compiled.cards:
        declared = card.card
        if any(name and name not in values for name in (declared.only_if, declared.count)):
            return None, broken
        if not declared.is_there(values) or (index >= len(data) and declared.optional):
            block.absent.append(declared)
            for field in declared.fields:
                values[field.name] = field.default
            continue
        lines = -(-values[declared.count] // len(declared.fields)) if declared.count else 1
        listed: list[Any] = []
        for _ in range(lines):
            if index >= len(data):
                block.absent.extend(other.card for other in compiled.cards if not other.card.is_there(values))
                report_missing_card(context, block, card, data, broken=bool(broken))
                return None, broken
            offset, line = data[index]
            block.placed.append((offset, declared))
            if not card.read(context, block, offset, line, values):
                broken.update(field.name for field in declared.fields)
            if declared.count:
                listed.extend(values.get(field.name) for field in declared.fields)
            index += 1
        if declared.count and not _check_count(context, block, declared, listed, values):
            broken.add(declared.count)
    _fill_in(context, block, compiled, values)
    return index, broken


def _check_count(context: Context, block: Block, card: Card, listed: list[Any], values: Values) -> bool:
    """Make one list of the values of a card that goes on over several lines; False if it has more than announced."""
    count = values[card.count]
    values[card.fields[0].name] = [0.0 if _is_blank(value) else value for value in listed[:count]]
    surplus = [value for value in listed[count:] if not _is_blank(value)]
    if not surplus:
        return True
    message = f"{card.count} announces {count} values, and there are {count + len(surplus)} or more"
    context.report(block.diagnose("error", message, field=card.count))
    return False


def _is_blank(value: Any) -> bool:
    """Whether a value is that of a field left blank, or could not be read."""
    return value is None or value != value


def _fill_in(context: Context, block: Block, compiled: CompiledLayout, values: Values) -> None:
    """Put defaults in place of zeros; a 0 that someone wrote for a scale is not what it seems, and is warned of."""
    zeros = [(name, default) for name, default in compiled.defaults if name in values and not values[name]]
    for name, default in zeros:
        values[name] = default
    scales = [name for name, _ in zeros if name.startswith("Fscale")]
    if scales:
        message = f"a 0 for {scales[0]} is read as {dict(zeros)[scales[0]]:g}, as in Radioss"
        hint = "write 1 or leave it blank if that is meant; to switch something off, leave out the block"
        context.report(block.diagnose("warning", message, field=scales[0], hint=hint))


def _read_rest(context: Context, block: Block, compiled: CompiledLayout, values: Values, used: int) -> bool:
    """What follows the cards, a list or nothing."""
    listing = block.declaration.listing
    if not listing:
        unknown = any(card.card.only_if and card.card.only_if not in values for card in compiled.cards)
        return unknown or _check_rest(context, block, used)
    if listing == "ids":
        records = read_records(context, block, ID_CARDS, used)
        if records.good:
            values["ids"], values["id_offsets"] = flatten_ids(records)
        return records.good
    if listing == "records":
        records = read_records(context, block, compiled.records, used)
        checked = _finish_records(context, block, compiled, records)
        values["records"] = records
        if not (records.good and checked) and block.declaration.stage != Stage.NODES:
            _keep_ids(context, block, records)
            return False
    return True


def _check_fields(context: Context, block: Block, fields: list[Field], values: Values, broken: set[str]) -> bool:
    """Check ranges, and take out of `values` what is wrong.

    What a card with an error lacks may just stand in another place, and is not complained about.
    """
    good = True
    absent = {field.name for card in block.absent for field in card.fields}
    for field in fields:
        if field.name not in values or field.name in absent:
            continue
        value = values[field.name]
        fault = _fault(field, value)
        if fault is None:
            continue
        del values[field.name]
        if field.name not in broken or (value and not _is_blank(value)):
            hint = _missing_values(block, field) or _on_blank_line(block, field) or _missing_card(block, field)
            context.report(_diagnose_fault(block, field, fault, hint=hint))
            good = False
    return good


def _run_checks(context: Context, block: Block, compiled: CompiledLayout, values: Values) -> bool:
    """Whether the values go with each other, as far as they could be read."""
    unread = {"ids", "records", *(field.name for card in compiled.cards for field in card.card.fields)} - values.keys()
    good = True
    for check in block.declaration.checks:
        try:
            good &= check(block, values, context)
        except KeyError as error:
            if error.args[0] not in unread:
                raise
    return good


def _missing_values(block: Block, field: Field) -> str:
    """The order of the values, as a hint, if a comma-separated line ends before the field."""
    place = block.find(field.name)
    if place is None:
        return ""
    offset, card, declared = place
    line = block.lines()[offset]
    count = len(comma_spans(line, card.fields))
    if "," not in line or card.fields.index(declared) < count:
        return ""
    names = ", ".join(entry.name for entry in card.fields)
    return f"the line holds {counted(count, 'value')}, the card has {len(card.fields)} fields: {names}"


def _on_blank_line(block: Block, field: Field) -> str:
    """A hint, where the line of a field is blank, and the block has more lines than cards."""
    place = block.find(field.name)
    if place is None or block.lines()[place[0]].strip() or block.declaration.listing:
        return ""
    last = max((k for k, (_, line) in enumerate(block.data_lines()) if line.strip()), default=-1)
    return "this line is blank: one line too many?" if last >= len(block.cards_there()) else ""


def _missing_card(block: Block, field: Field) -> str:
    """Which card the line of a field was taken for, as a hint, where a blank one before it may have been forgotten."""
    cards = block.layout.cards
    index = next(k for k, card in enumerate(cards) if field in card.fields)
    lines = block.data_lines()
    if block.declaration.shape is None or len(lines) >= len(cards) or not cards[index].optional:
        return ""
    if any(not line.strip() for _, line in lines[:index]):
        return ""
    number = index + block.declaration.first_card
    return f"this line was read as card {number} of the block; was a blank card forgotten before it?"


def _fault(field: Field, value: Any) -> tuple[str, str] | None:
    """What is wrong with a value that is a number or word as such: message and what is allowed."""
    if value is None or (field.required and (not value if field.zero_is_blank else _is_blank(value))):
        return f"{field.name} is missing", _allowed(field)
    if field.choices and value not in field.choices:
        return f"{field.name} cannot be {value}", _allowed(field)
    if field.minimum is not None and value < field.minimum:
        word = "negative" if field.minimum == 0 else f"less than {field.minimum:g}"
        return f"{field.name} must not be {word}", _allowed(field)
    if field.maximum is not None and value > field.maximum:
        return f"{field.name} must not be more than {field.maximum:g}", _allowed(field)
    if field.above is not None and value <= field.above:
        return f"{field.name} must be more than {field.above:g}", _allowed(field)
    return None


def _diagnose_fault(
    where: Block | Row, field: Field, fault: tuple[str, str], *, more: str = "", hint: str = ""
) -> Diagnostic:
    """The error about a fault; where a 0 is written that refers to nothing, it is not missing, but wrong."""
    message, allowed = fault
    diagnostic = where.diagnose("error", message + more, field=field.name, allowed=allowed, hint=hint)
    if message.endswith(" is missing") and diagnostic.found and not field.reference:
        return replace(diagnostic, message=f"{field.name} must not be 0{more}")
    return diagnostic


def _allowed(field: Field) -> str:
    if field.choices:
        return ", ".join(str(choice) for choice in field.choices)
    if field.reference:
        return f"the id of a {field.reference}"
    if field.maximum is not None:
        return f"{field.minimum:g} to {field.maximum:g}"
    if field.minimum is not None:
        return f"{field.minimum:g} or more"
    if field.above is not None:
        return f"more than {field.above:g}"
    return field.meaning


def _check_rest(context: Context, block: Block, used: int) -> bool:
    """Whether only blank lines (or zeros) follow the cards of a block."""
    for offset, line in block.data_lines()[used:]:
        if all(is_zero(word) for word in line.split()):
            continue
        version = f"/BEGIN says version {context.layouts.version}; layouts differ between versions"
        context.report(
            block.diagnose_line(
                "error",
                "the block has more cards than it should",
                block.body_line + offset,
                line,
                allowed=cards_text(block.declaration, block.cards_there()),
                hint=block.declaration.no_more or block.blank_card_before(offset) or version,
            )
        )
        return False
    return True


def flatten_ids(records: Records) -> tuple[Any, Any]:
    """The ids of a list in reading order, without the empty cells, and the body line of each."""
    if not len(records):
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    table = np.stack(list(records.columns.values()), axis=1)
    kept = table != 0
    return table[kept], np.repeat(records.offsets, kept.sum(axis=1))


def _check_title(context: Context, block: Block) -> None:
    """Warn if the first line of a list seems to have become the title: the list is read without it, and no error."""
    if block.looks_untitled and len(block.title.replace(",", " ").split()) > 1:
        message = "the first line of a block is its title, and this one looks like data"
        warning = block.diagnose_line(
            "warning", message, block.title_line, block.title, hint="if the title is missing, put a line before it"
        )
        context.report(warning)


def _keep_ids(context: Context, block: Block, records: Records) -> None:
    """Remember the ids of a list with errors, so that what refers to them is not complained about as well."""
    if "id" in records.columns:
        dropped = context.unresolved.dropped_ids.setdefault(block.declaration.name, set())
        dropped.update(records.columns["id"].tolist())


def _finish_records(context: Context, block: Block, compiled: CompiledLayout, records: Records) -> bool:
    """Check ranges, convert units and resolve node references of all records at once."""
    good = True
    fields = [field for card in compiled.layout.records for field in card.fields]
    for field in fields:
        column = records.columns[field.name]
        if field.default and field.zero_is_blank and field.kind in ("integer", "real"):
            column[column == 0] = field.default
        good &= _check_column(context, block, field, records)
    if not good:
        return False
    for field in fields:
        if field.reference == "node":
            good &= context.resolve_node_column(block, field, records)
    factors = context.unit_factors(block, [(f.name, f.dimension) for f in fields if any(f.dimension)])
    for name, factor in factors:
        records.columns[name] *= factor
    return good


def _check_column(context: Context, block: Block, field: Field, records: Records) -> bool:
    column = records.columns[field.name]
    if field.kind == "text":
        return True
    bad = np.zeros(len(records), dtype=bool)
    # After an error of reading, a field without a value holds a 0 as well.
    if field.required and records.good:
        bad |= column == 0
    if field.minimum is not None:
        bad |= column < field.minimum
    if field.maximum is not None:
        bad |= column > field.maximum
    if field.above is not None:
        bad |= column <= field.above
    if field.choices and records.good:
        bad |= ~np.isin(column, field.choices)
    rows = np.flatnonzero(bad).tolist()
    for row in rows[:1]:
        fault = _fault(field, column[row].item())
        if fault:
            more = f" ({len(rows)} such lines)" if len(rows) > 1 else ""
            where = Row(block, int(records.offsets[row]), block.id)
            context.report(_diagnose_fault(where, field, fault, more=more))
    return not rows
