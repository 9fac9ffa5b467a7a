"""The text of a deck: files read, includes resolved, and where each line came from."""

from __future__ import annotations

import hashlib
import os
import re
from bisect import bisect_right
from dataclasses import dataclass, field

from .diagnostics import DeckError, Diagnostic
from .files import candidates, first_file, is_below

# A line that changes the text itself: an include, or what ends an included file.
_DIRECTIVE = re.compile(
    r"\n[ \t]*(?:(?P<include>#include)\b[ \t]*(?P<name>[^\n]*)|(?P<end>#enddata[^\n]*|/END[ \t]*(?=\n|\Z)))",
    re.IGNORECASE,
)
_CONTROL_BYTES = re.compile(rb"[\x00-\x08\x0e-\x19\x1b-\x1f\x7f]")
_SAMPLE_BYTES = 1 << 16
OUT_OF_REACH = "the deck is not trusted: what it names must stand below its own folder"


@dataclass(frozen=True, slots=True)
class Segment:
    """A run of lines of one file: line `first` of the text is line `file_line` of `file`."""

    first: int
    file: str
    file_line: int


@dataclass(slots=True)
class Source:
    """The resolved text of one or more files.

    folder : where the deck stands, if it may name files below it only; None if it may name any
    """

    text: str = ""
    segments: list[Segment] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    folder: str | None = None

    def may_name(self, path: str) -> bool:
        """Whether the deck may name the file at a path."""
        return self.folder is None or is_below(path, self.folder)

    def place(self, line: int) -> tuple[str, int]:
        """File and line (1-based) of a line of the resolved text (1-based)."""
        if not self.segments:
            return "", 0
        segment = self.segments[max(bisect_right(self.segments, line, key=lambda s: s.first) - 1, 0)]
        return segment.file, segment.file_line + line - segment.first

    def sha256(self) -> str:
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()


def read_source(path: str, *, untrusted: bool = False) -> Source:
    """Read a deck file and everything it includes, below its own folder only if it is not trusted.

    Raises `DeckError` if the file itself cannot be read; faults of included files are in `diagnostics`.
    """
    source = Source(folder=os.path.dirname(path) if untrusted else None)
    pieces: list[str] = []
    text = read_text(path)
    source.files.append(path)
    _expand(source, pieces, path, text, [path], 1)
    source.text = "".join(pieces)
    return source


def read_text(path: str) -> str:
    """One file as text with line ends `\\n`, the last one included: UTF-8, else Latin-1."""
    try:
        with open(path, "rb") as stream:
            data = stream.read()
    except OSError as error:
        raise DeckError([Diagnostic("error", f"cannot read the file: {error.strerror or error}", file=path)]) from None
    if not data or data.isspace():
        raise DeckError([Diagnostic("error", "the file is empty", file=path)])
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        message, hint = "the file is UTF-16 text, which no deck reader knows", "save it as UTF-8 or plain ASCII"
        raise DeckError([Diagnostic("error", message, file=path, hint=hint)])
    found = _CONTROL_BYTES.search(data, 0, _SAMPLE_BYTES)
    if found or b"\0" in data:
        hint = "a deck is plain text; was another file meant?"
        raise DeckError([Diagnostic("error", "this is a binary file, not a deck", file=path, hint=hint)])
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text if text.endswith("\n") else text + "\n"


def _expand(source: Source, pieces: list[str], path: str, text: str, stack: list[str], first: int) -> int:
    """Append a file's lines, includes resolved; return the number of the line after them."""
    body = "\n" + text
    start = 1
    line = first
    file_line = 1
    for match in _DIRECTIVE.finditer(body):
        included = match["include"] is not None
        if not included and (len(stack) == 1 or match.start() + 1 < start):
            continue
        piece = body[start : match.start() + 1]
        count = piece.count("\n")
        if piece:
            source.segments.append(Segment(line, path, file_line))
            pieces.append(piece)
        line += count
        file_line += count
        start = match.end() + 1
        if not included:
            return line
        line = _include(source, pieces, path, file_line, match, stack, line)
        file_line += 1
    if start < len(body):
        source.segments.append(Segment(line, path, file_line))
        pieces.append(body[start:])
        line += body.count("\n", start)
    return line


def _include(
    source: Source, pieces: list[str], path: str, file_line: int, match: re.Match[str], stack: list[str], line: int
) -> int:
    """Resolve one `#include`; a fault is reported at its line."""
    excerpt = match[0].lstrip("\n")
    name = match["name"].strip().strip("'\"").strip()

    def fault(message: str, *, allowed: str = "", hint: str = "") -> int:
        column = excerpt.find(name) + 1 if name else len(excerpt)
        ruler = " " * (column - 1) + "^" * max(len(name), 1)
        source.diagnostics.append(
            Diagnostic(
                "error",
                message,
                path,
                file_line,
                column,
                found=name,
                allowed=allowed,
                hint=hint,
                excerpt=excerpt,
                ruler=ruler,
            )
        )
        return line

    if not name:
        return fault("#include names no file", hint="write the file name after #include")
    paths = candidates(name, path, stack[0])
    within_reach = [candidate for candidate in paths if source.may_name(candidate)]
    if not within_reach:
        return fault("the included file is out of reach", hint=OUT_OF_REACH)
    target = first_file(within_reach)
    if target is None:
        return fault("the included file does not exist", allowed="a file at " + " or ".join(paths))
    real_paths = [os.path.realpath(entry) for entry in stack]
    if os.path.realpath(target) in real_paths:
        chain = [*stack[real_paths.index(os.path.realpath(target)) :], target]
        return fault("the include never ends: the file includes itself", hint=" -> ".join(chain))
    try:
        text = read_text(target)
    except DeckError as error:
        return fault(f"the included file cannot be used: {error.diagnostics[0].message}")
    if target not in source.files:
        source.files.append(target)
    return _expand(source, pieces, target, text, [*stack, target], line)
