"""From a deck on disk to the typed model."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Literal

from .cards.block import Block
from .cards.context import Context
from .cards.headers import Blocks, read_numbers, sort_blocks
from .cards.layout import Stage
from .cards.reader import read_block
from .checks.whole_deck import check_model
from .keywords.control import read_begin, read_units
from .keywords.elements import check_element_ids
from .keywords.engine import apply_engine
from .keywords.groups import join_groups
from .keywords.nodes import join_nodes
from .keywords.parameters import read_parameters
from .keywords.registry import TABLE
from .keywords.surfaces import join_surfaces
from .model import Model
from .text.diagnostics import DeckError, Diagnostic, Severity
from .text.grammar import split_blocks
from .text.known_keywords import LOST
from .text.source import OUT_OF_REACH, Segment, Source, read_source

_DECK_NAME = re.compile(r"(?P<name>.+)_(?P<number>[0-9]{4})\.rad", re.IGNORECASE)
_NEWEST_VERSION = 2026


def read_deck(
    path: str | os.PathLike[str],
    *,
    defines: Mapping[str, str] | None = None,
    gjoint_alpha: Literal["documented", "inverse"] = "documented",
    t_end: float | None = None,
    untrusted: bool = False,
    inspect: Callable[[Model], Iterable[Diagnostic]] | None = None,
) -> Model:
    """Read and check a deck.

    Parameters
    ----------
    path
        `NAME_0000.rad` (with `NAME_0001.rad` beside it, if present), or any other file that holds everything.
    defines
        Values that replace those of /PARAMETER blocks, by name.
    gjoint_alpha
        Whether FscaleV of a rack is a length per radian ("documented") or a radian per length ("inverse"); this
        decides how it is converted between unit systems.
    t_end
        End time, in place of /RUN.
    untrusted
        Let the deck name files (includes, meshes, routines) below its own folder only.
    inspect
        What else is wrong with a deck that has errors, to be told with these; gets the model as far as it was built.

    Raises
    ------
    DeckError
        With every error found in the deck.
    """
    name, engine_path = _files_of(os.fspath(path))
    source = read_source(os.fspath(path), untrusted=untrusted)
    starter_text = source.text
    context = Context(source, gjoint_alpha)
    blocks = Blocks()
    raw = split_blocks(starter_text, untitled=TABLE.untitled_names)
    _check_stray(context, raw.stray, raw.stray_line)
    sort_blocks(context, TABLE, raw.blocks, blocks, engine=False, first_line=1)
    if engine_path is not None:
        _read_engine_file(context, blocks, engine_path, untrusted)
    _read_control(context, blocks, defines or {})
    _build(context, blocks)
    check_model(context)
    apply_engine(context, blocks.engine)
    _check_run(context, os.fspath(path), engine_path, t_end)
    _warn_unread(context, blocks)
    if inspect is not None and context.has_errors:
        context.diagnostics.extend(inspect(context.model))
    context.raise_errors()
    model = context.model
    model.run_name = name
    model.deck_text = source.text
    model.deck_sha256 = hashlib.sha256(source.text.encode("utf-8", "surrogatepass")).hexdigest()
    model.files = source.files
    model.parameters = context.known_parameters()
    model.gjoint_alpha = gjoint_alpha
    model.warnings = context.sorted_diagnostics()
    return model


def run_name_of(path: str | os.PathLike[str]) -> str:
    """The name of a run, after which its results are called: NAME of `NAME_0000.rad`, else the file without ending."""
    file = os.path.basename(os.fspath(path))
    match = _DECK_NAME.fullmatch(file)
    return match["name"] if match is not None else os.path.splitext(file)[0]


def is_engine_deck(path: str | os.PathLike[str]) -> bool:
    """Whether a file is read with the starter deck that stands beside it, by its name."""
    folder, file = os.path.split(os.fspath(path))
    match = _DECK_NAME.fullmatch(file)
    return match is not None and int(match["number"]) > 0 and os.path.isfile(_starter_of(folder, match["name"]))


def included_files(path: str | os.PathLike[str]) -> list[str]:
    """The files that a deck includes, directly or not, as far as they can be read."""
    try:
        return read_source(os.fspath(path)).files[1:]
    except DeckError:
        return []


def _starter_of(folder: str, name: str) -> str:
    return os.path.join(folder, f"{name}_0000.rad")


def _files_of(path: str) -> tuple[str, str | None]:
    """Run name, and the engine deck that belongs to a starter deck (None if there is none)."""
    folder, file = os.path.split(path)
    match = _DECK_NAME.fullmatch(file)
    if match is None:
        return run_name_of(path), None
    name, number = match["name"], int(match["number"])
    starter = _starter_of(folder, name)
    if number == 1:
        message = "this is an engine deck; it is read together with its starter deck"
        raise DeckError([Diagnostic("error", message, file=path, hint=f"run {starter}")])
    if number > 1:
        message = "this deck continues an earlier run; a run goes on from its result file"
        raise DeckError([Diagnostic("error", message, file=path, hint=f"gsolve resume {name}.h5 --t-end T")])
    engine = os.path.join(folder, f"{name}_0001.rad")
    return name, engine if os.path.isfile(engine) else None


def _read_engine_file(context: Context, blocks: Blocks, path: str, untrusted: bool) -> None:
    """Append the engine deck to the text, and its blocks to the others."""
    if not context.source.may_name(path):
        context.report(Diagnostic("error", "the engine deck is out of reach", file=path, hint=OUT_OF_REACH))
        return
    try:
        engine = read_source(path, untrusted=untrusted)
    except DeckError as error:
        context.diagnostics.extend(error.diagnostics)
        return
    first_line = _append(context.source, engine)
    context.diagnostics.extend(engine.diagnostics)
    raw = split_blocks(engine.text, untitled=TABLE.untitled_names, engine=True)
    _check_stray(context, raw.stray, raw.stray_line + first_line - 1)
    sort_blocks(context, TABLE, raw.blocks, blocks, engine=True, first_line=first_line)


def _append(source: Source, other: Source) -> int:
    """Put a second text after the first; the line at which it begins."""
    first_line = source.text.count("\n") + 1
    source.text += other.text
    source.segments.extend(Segment(s.first + first_line - 1, s.file, s.file_line) for s in other.segments)
    source.files.extend(file for file in other.files if file not in source.files)
    return first_line


def _check_stray(context: Context, stray: str, line: int) -> None:
    """Text before the first keyword."""
    for k, text in enumerate(stray.split("\n")):
        if text.strip() and not text.startswith(("#", "$")):
            file, file_line = context.source.place(line + k)
            message = "text stands before the first keyword"
            hint = "a keyword line begins with /, a comment line with #"
            context.report(Diagnostic("error", message, file, file_line, excerpt=text.rstrip(), hint=hint))
            return


def _read_control(context: Context, blocks: Blocks, defines: Mapping[str, str]) -> None:
    """Version, parameters, units, ids of headers: what everything else needs."""
    begins = [block for block in blocks.starter if block.declaration.name == "BEGIN"]
    context.layouts.version = _NEWEST_VERSION
    parameters = [block for block in blocks.starter if block.declaration.name.startswith("PARAMETER/")]
    read_parameters(context, parameters, defines)
    if not begins:
        message = "the deck has no /BEGIN, which gives the version of its cards and its units"
        hint = "begin with the lines /BEGIN, a title, 2022, and twice a line with the units, such as kg,m,s"
        context.report(Diagnostic("error", message, file=context.source.files[0], hint=hint))
    else:
        read_begin(context, begins[0])
    for block in begins[1:]:
        message = "/BEGIN is given twice"
        context.report(block.diagnose("error", message, hint=f"first given at {begins[0].place}"))
    units = [block for block in blocks.starter if block.declaration.name == "UNIT"]
    read_units(context, [block for block in units if _is_old_unit(block) or read_numbers(context, TABLE, block)])
    for block in blocks.starter:
        if block.declaration.name == "TITLE" and block.title:
            context.model.title = block.title


def _is_old_unit(block: Block) -> bool:
    block.options = [option.upper() for option in block.options]
    return bool(block.options) and block.options[0] in ("MASS", "LENGTH", "TIME")


def _build(context: Context, blocks: Blocks) -> None:
    """Read all blocks in an order in which every reference finds its target, and build the model."""
    by_stage: dict[Stage, list[Block]] = {stage: [] for stage in Stage}
    for block in blocks.starter:
        if block.declaration.build is None:
            continue
        if read_numbers(context, TABLE, block):
            by_stage[block.declaration.stage].append(block)
            if block.declaration.identity:
                context.define(block.declaration.identity, block)
    for stage in Stage:
        for block in by_stage[stage]:
            values = read_block(context, block)
            identity = block.declaration.identity
            if values is not None and (not identity or context.defined[identity][block.id] is block):  # type: ignore[index]
                assert block.declaration.build is not None
                block.declaration.build(block, values, context)
        if stage == Stage.NODES:
            join_nodes(context)
        elif stage == Stage.ELEMENTS:
            check_element_ids(context)
        elif stage == Stage.GROUPS:
            join_groups(context)
            join_surfaces(context)


def _check_run(context: Context, path: str, engine_path: str | None, t_end: float | None) -> None:
    """The end time: from the caller or from /RUN."""
    engine = context.model.engine
    interval, where = engine.sampling_interval or 0.0, engine.where_run
    if where is not None and engine.t_end is not None and interval > engine.t_end:
        message = f"the run ends before its first sample after the begin: /TFILE asks for one every {interval:g}"
        context.report(where.diagnose("warning", message, field="Tstop"))
    if t_end is not None:
        engine.t_end = t_end
    elif engine.where_run is None and not any(d.keyword == "/RUN" for d in context.diagnostics):
        match = _DECK_NAME.fullmatch(os.path.basename(path))
        message = "the end time is missing: there is no /RUN"
        hint = "write /RUN/name/1 and the end time on the next line, or give --t-end"
        if match is not None and engine_path is None:
            message += f", and no engine deck {match['name']}_0001.rad beside this deck"
        context.report(Diagnostic("error", message, file=engine_path or path, hint=hint))


def _warn_unread(context: Context, blocks: Blocks) -> None:
    """One warning for all skipped keywords, one for what stands after /END."""
    groups: tuple[tuple[list[Block], Severity, str], ...] = (
        (blocks.skipped, "warning", "skipped, as without influence on the motion"),
        (blocks.unread, "doubt", "not read, as after /END"),
    )
    for group, severity, message in groups:
        if not group:
            continue
        counts: dict[str, int] = {}
        for block in group:
            counts[block.keyword] = counts.get(block.keyword, 0) + 1
        names = ", ".join(name if count == 1 else f"{name} ({count} times)" for name, count in counts.items())
        file, line = group[0].file, group[0].line
        lost = dict.fromkeys(text for name in counts if (text := LOST.get(name.strip("/").split("/")[0], "")))
        hint = "\n".join(lost) if group is blocks.skipped else ""
        context.report(Diagnostic(severity, f"{message}: {names}", file, line, hint=hint))
