"""A deck on the command line: its path, and the options of all that read decks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..run.checkpoint_times import checkpoint_interval
from ..run.frame_plan import frames_asked
from ..run.options import DEFAULT_INTERVAL, ORDERS, order_of_steps, positive, tolerance

if TYPE_CHECKING:
    from gsolve.parser.model import Model


class DeckPath(click.Path):
    """A deck to read; where there is none, says what may have been meant."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path of a file that can be read."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            hint = _deck_hint(str(value), ctx)
            raise click.BadParameter(f"{error.message}{hint}", ctx, param) from error


def _deck_hint(name: str, ctx: click.Context | None) -> str:
    if Path(name).exists():
        return ""
    for meant in (f"{name}.rad", f"{name.removesuffix('.')}.rad", f"{name}_0000.rad"):
        if Path(meant).is_file():
            return f" Did you mean {meant}?"
    program = ctx.parent.command if ctx is not None and ctx.info_name == "run" and ctx.parent is not None else None
    if not isinstance(program, click.Group) or not name.isalpha():
        return ""
    return f" There is no such command either; commands: {', '.join(sorted(program.commands))}."


def _defines(ctx: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    defines = {}
    for text in values:
        name, equals, value = text.partition("=")
        if not (name.strip() and equals and value.strip()):
            raise click.BadParameter(f"'{text}' is not NAME=VALUE, e.g. -D speed=40")
        defines[name.strip()] = value.strip()
    return defines


def _checked_interval(text: str) -> str:
    checkpoint_interval(text)
    return text


def checked_by(check: Callable[[Any], Any]) -> Callable[..., Any]:
    def callback(ctx: click.Context, parameter: click.Parameter, value: Any) -> Any:
        try:
            return check(value)
        except ValueError as error:
            raise click.BadParameter(str(error)) from error

    return callback


Command = Callable[..., Any]
DECK = click.argument("deck", type=DeckPath(exists=True, dir_okay=False, readable=True, path_type=Path))
T_END = click.option(
    "--t-end", type=float, callback=checked_by(positive), metavar="T", help="End time in place of that of /RUN."
)
THREADS = click.option(
    "--threads",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="N",
    help="Threads for independent subsystems and parts of large heaps; the results do not depend on it.",
)

FRAMES = click.option(
    "--frames",
    callback=checked_by(frames_asked),
    metavar="N|off",
    help="Keep the poses of all bodies at about N evenly spaced steps, for pictures.  [default: about 200]",
)


def deck_options(command: Command) -> Command:
    """Options that a run and a check share."""
    return console_options(machine_options(command))


def console_options(command: Command) -> Command:
    """What is said, and how."""
    for option in (
        click.option(
            "--json", "as_json", is_flag=True, help="One JSON summary on standard output, all else on stderr."
        ),
        click.option("--verbose", "-v", is_flag=True, help="Every message, and a traceback after an internal error."),
        click.option("--quiet", "-q", is_flag=True, help="Say nothing but errors."),
    ):
        command = option(command)
    return command


def run_options(command: Command) -> Command:
    """Options of runs, whether of one deck or of many, and begun or continued."""
    for option in (
        click.option(
            "--checkpoint-every",
            default=DEFAULT_INTERVAL,
            show_default=True,
            callback=checked_by(_checked_interval),
            metavar="TIME",
            help="Keep where the run stands for `gsolve resume`: 10min, 90s, 2h of wall time, 0.05 of simulated time, "
            "never. At the end, too.",
        ),
        click.option(
            "--stop-when",
            metavar="EXPR",
            help="End the run, completed, at the first sample at which a condition holds: 'gjoint/1/VEL1 > 10'.",
        ),
        click.option(
            "--allow-user-code",
            is_flag=True,
            help="Run the routines of contacts that the deck names, Python or libraries.",
        ),
        click.option(
            "--strict", is_flag=True, help="Exit status 1 also where a completed run has warnings about its results."
        ),
        click.option("--force", is_flag=True, help="Overwrite results that are already there."),
    ):
        command = option(command)
    return command


def machine_options(command: Command) -> Command:
    """Options of all that read decks: how a machine is read, assembled and stepped."""
    for option in (
        THREADS,
        click.option(
            "--gjoint-alpha",
            type=click.Choice(["documented", "inverse"]),
            default="documented",
            show_default=True,
            help="FscaleV of /GJOINT: alpha w1 + w2 = 0 as documented, or w1 + alpha w2 = 0 as OpenRadioss runs it.",
        ),
        click.option(
            "--assemble",
            is_flag=True,
            help="Move a machine whose joints do not fit at t = 0 to the nearest positions where they do.",
        ),
        click.option(
            "--settle",
            is_flag=True,
            help="Find the static equilibrium first, loads and drives held as at t = 0, and start from there at rest.",
        ),
        click.option(
            "--general",
            is_flag=True,
            help="Take the general path everywhere: condense no rotors to their spins, move no machine in its plane.",
        ),
        click.option(
            "--accuracy",
            type=float,
            callback=checked_by(tolerance),
            metavar="TOL",
            help="Control the error of steps where all is smooth: no contact, walls, friction or stops. 1e-8 to 1e-1.",
        ),
        click.option(
            "--order",
            type=int,
            default=ORDERS[0],
            show_default=True,
            callback=checked_by(order_of_steps),
            metavar="ORDER",
            help="Of the steps: 4 or 6 where all is smooth and nothing dissipates; for long runs with long steps.",
        ),
        click.option("--dt", type=float, callback=checked_by(positive), metavar="DT", help="Time step, imposed."),
        T_END,
        click.option(
            "--untrusted",
            is_flag=True,
            help="Let the deck name files (includes, meshes, routines) below its folder only.",
        ),
        click.option(
            "-D",
            "defines",
            multiple=True,
            callback=_defines,
            metavar="NAME=VALUE",
            help="Set a /PARAMETER of the deck, also to what is to be calculated (ratio=24/72); may be repeated.",
        ),
    ):
        command = option(command)
    return command


def read_deck(deck: Path, options: dict[str, Any]) -> Model:
    from ..run.reading import read_model

    names = ("defines", "gjoint_alpha", "t_end", "untrusted")
    return read_model(deck, **{name: options[name] for name in names})
