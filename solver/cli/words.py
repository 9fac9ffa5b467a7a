"""Words in the terminal: what a keyword means, decks to start from, decks to look at."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

import click
from click.shell_completion import CompletionItem

from ..run.console import Console, show
from ..tools.starter_decks import (
    NoSuchNameError,
    Starter,
    command_of,
    copy_example,
    examples,
    template_text,
    templates,
    write_template,
)
from .guard import guard

_STYLES: dict[str, dict[str, Any]] = {"heading": {"bold": True}, "ruler": {"fg": "cyan"}, "example": {"fg": "green"}}
Completion = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def _complete_words(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from gsolve.parser.explain import words

    slash = "/" if incomplete.startswith("/") else ""
    return [CompletionItem(slash + word) for word in words() if word.startswith(incomplete.lstrip("/").upper())]


def _complete_starters(starters: Callable[[], list[Starter]]) -> Completion:
    def complete(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [CompletionItem(s.name, help=s.shows) for s in starters() if s.name.startswith(incomplete)]

    return complete


@click.command()
@click.argument("word", nargs=-1, shell_complete=_complete_words)
def explain(word: tuple[str, ...]) -> None:
    """What a keyword means: its cards with columns, units and defaults, and an example.

    WORD is a keyword (/GJOINT/GEAR, gjoint gear), a family (JOINT), a pattern ('INTER/*'), a field of cards (FscaleV)
    or a variable of the results (VEL1, energy/total). Without one, all keywords.
    """

    def work() -> tuple[int, dict[str, str]]:
        from gsolve.parser.explain import UnknownWordError
        from gsolve.parser.explain import explain as lines_about

        asked = " ".join(word)
        try:
            lines = lines_about(asked)
        except UnknownWordError as error:
            if not _say_variables(asked):
                _refuse(str(error), error.meant, "gsolve explain lists all keywords")
            return 0, {}
        for line in lines:
            _say(line.text, line.kind)
        history = re.match(r"/TH/(\w+)/id", lines[0].text)
        if history:
            _say("\nVariables:")
            _say_variables(f"{history[1]}/*")
        return 0, {}

    guard(work, Console())


@click.command()
@click.argument("template", required=False, shell_complete=_complete_starters(templates))
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(allow_dash=True, path_type=Path),
    help="Where to write it; - is the screen.  [default: TEMPLATE.rad]",
)
def new(template: str | None, output: Path | None) -> None:
    """Write a deck to start from, whose comments explain each line. Without TEMPLATE, lists them."""

    def work() -> tuple[int, dict[str, str]]:
        if template is None:
            _list(templates(), "gsolve new TEMPLATE writes TEMPLATE.rad; -o FILE another file")
            return 0, {}
        try:
            if output == Path("-"):
                _say(template_text(template).rstrip("\n"))
                return 0, {}
            place = write_template(template, output)
        except NoSuchNameError as error:
            _refuse(f"no template is called {template}", error.meant, "gsolve new lists them")
        except FileExistsError as error:
            raise click.UsageError(f"{error.filename} is there already; -o FILE writes another file") from error
        except OSError as error:
            _cannot_write(error)
        _say(f"wrote {place}; its comments say what to change. Next:")
        _say(f"  gsolve check {place}\n  gsolve {place}")
        return 0, {}

    guard(work, Console())


@click.command("examples")
@click.argument("name", required=False, shell_complete=_complete_starters(examples))
@click.option("-o", "--output", metavar="DIR", type=click.Path(path_type=Path), help="Folder to make.  [default: NAME]")
def examples_command(name: str | None, output: Path | None) -> None:
    """Copy an example deck, with all it needs and a README that says what to expect. Without NAME, lists them."""

    def work() -> tuple[int, dict[str, str]]:
        if name is None:
            _list(examples(), "gsolve examples NAME copies one to the folder NAME; -o DIR to another")
            return 0, {}
        try:
            place = copy_example(name, output)
        except NoSuchNameError as error:
            _refuse(f"no example is called {name}", error.meant, "gsolve examples lists them")
        except FileExistsError as error:
            raise click.UsageError(f"{error.filename} is there already; -o DIR makes another folder") from error
        except OSError as error:
            _cannot_write(error)
        files = sum(path.is_file() for path in place.rglob("*"))
        _say(f"copied {files} files to {place}; {place / 'README.md'} says what to expect. Next:")
        _say(f"  {command_of(name, place)}")
        return 0, {}

    guard(work, Console())


def _say_variables(word: str) -> bool:
    """What variables of the results mean; False if there is none of that name."""
    from ..results.vocabulary import variables_called

    found = variables_called(word)
    width = max((len(f"{group}/{channel.name} [{channel.unit}]") for group, channel in found), default=0)
    for group, channel in found:
        _say(f"{f'{group}/{channel.name} [{channel.unit}]':{width}}  {channel.description}")
    return bool(found)


def _list(starters: Sequence[Starter], hint: str) -> None:
    width = max(len(starter.name) for starter in starters)
    for starter in starters:
        _say(f"  {starter.name:{width}}  {starter.shows}")
    _say(f"\n{hint}")


def _cannot_write(error: OSError) -> NoReturn:
    raise click.UsageError(f"cannot write {error.filename}: {error.strerror}") from error


def _say(text: str, kind: str = "") -> None:
    """Text on standard output, in colours where a person reads it on a terminal."""
    coloured = kind and sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    show((click.style(text, **_STYLES[kind]) if coloured else text) + "\n", sys.stdout)


def _refuse(message: str, meant: list[str], hint: str) -> NoReturn:
    """End with what may have been meant."""
    suggestion = f" Did you mean {' or '.join(meant)}?" if meant else ""
    raise click.UsageError(f"{message}.{suggestion} ({hint})")
