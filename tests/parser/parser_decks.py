"""Small decks for the parser's tests."""

from pathlib import Path

from gsolve.parser import DeckError, format_diagnostic, read_deck
from gsolve.parser.model import Model

ENGINE = "/RUN/test/1\n1.0\n"
NODES = "/NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n5,2,2,2\n"
GROUP = "/GRNOD/NODE/1\nall\n1,2,3,4,5\n"


def deck(
    *blocks: str, units: str = "kg,m,s", work: str = "", version: int = 2022, nodes: str = NODES, engine: str = ENGINE
) -> str:
    """A whole deck; blocks are given with or without their last newline."""
    begin = f"#RADIOSS STARTER\n/BEGIN\ntest\n{version:10d}{0:10d}\n{units}\n{work or units}\n"
    return (
        begin + nodes + "".join(block if block.endswith("\n") else block + "\n" for block in blocks) + "/END\n" + engine
    )


def card(*cells: tuple[int, object]) -> str:
    """A line of right-justified cells, each (width, value)."""
    return "".join(f"{'' if value is None else value!s:>{width}}" for width, value in cells)


def read(folder: Path, text: str, name: str = "test.rad", **options: object) -> Model:
    """Write a deck and read it."""
    path = folder / name
    path.write_text(text)
    return read_deck(path, **options)  # type: ignore[arg-type]


def errors(folder: Path, text: str, **options: object) -> list[str]:
    """The first lines of all messages that reading a faulty deck gives, without the file name."""
    try:
        read(folder, text, **options)
    except DeckError as error:
        return [d.message for d in error.diagnostics if d.severity == "error"]
    return []


def messages(model: Model) -> str:
    """All warnings of a deck that was read."""
    return "\n".join(format_diagnostic(warning) for warning in model.warnings)
