"""The command line: `gsolve DECK`, `gsolve check DECK`, `gsolve info FILE.h5`, and tools beside the run.

Nothing here imports numba, h5py or lark until a command needs it, so that help and errors answer at once.
"""

from __future__ import annotations

import gc
import shlex
import sys
import traceback
from collections.abc import Callable
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .results.files import OutputError
from .run.console import Console, show
from .run.options import RunOptions, UsageError, positive, tolerance
from .tools.gears.options import KINDS, gear_options

if TYPE_CHECKING:
    from gsolve.parser.model import Model
    from gsolve.parser.text.diagnostics import DeckError

# Python looks for circles of garbage each 700 new objects: a tenth of a start, and of a compilation, which leave none.
OBJECTS_BETWEEN_COLLECTIONS = 100_000

EXIT_RUN_FAILED = 1
EXIT_USAGE = 2
EXIT_DECK = 3
EXIT_INTERRUPTED = 130

HELP = """\
Solver for geared machines: reads a Radioss block-format deck, writes time histories to HDF5.

\b
gsolve DECK [OPTIONS]         run a deck (the word "run" may be written or left out)
gsolve check DECK [OPTIONS]   read and assemble a deck, say all about it, do not run
gsolve info FILE.h5           say what is in a result file
gsolve contact-parameters MATERIAL_I [MATERIAL_J] [OPTIONS]
                              stiffness, restitution and friction of a contact, as cards
gsolve gear-mesh KIND [OPTIONS]
                              gears and pairs of gears as meshes, with their data and cards
"""

EPILOG = """\
\b
Examples:
  gsolve gear_pair.rad                       writes gear_pair.h5 and gear_pair.out here
  gsolve gear_pair.rad -o results/           writes them into a directory
  gsolve gear_pair.rad -o fast -D speed=40   writes fast.h5; the deck's parameter speed is 40
  gsolve GEARS_0000.rad                      starter deck; GEARS_0001.rad beside it is the engine deck
  gsolve check gear_pair.rad                 bodies, degrees of freedom, time step, warnings
  gsolve info gear_pair.h5                   status, variables and units of a result file
  gsolve contact-parameters steel brass --radius-i 0.01
                                             cards for a steel ball of radius 10 mm on a brass plane

\b
Exit codes:
  0    completed
  1    the run failed: it diverged, violates its constraints, passed a /STOP limit, a routine of yours failed, or the
       disk is full; results up to there are kept. With --strict also: it completed with warnings about its results
  2    wrong usage, results that would be overwritten, or a place that cannot be written
  3    the deck has errors; all of them are printed, nothing was run
  130  stopped by Ctrl-C, a termination signal or the closing of the terminal; results are kept

\b
Manual: the folder docs/ of the project: first_deck.md, deck_reference.md, results.md (the result file),
command_line.md (this program). Decks to start from: the folder decks/.
"""


class DeckContext(click.Context):
    """Context of a run, whose usage is that of the program: the word `run` may be left out."""

    @property
    def command_path(self) -> str:
        """What a user types before the options."""
        return self.parent.command_path if self.parent is not None else super().command_path


class RunCommand(click.Command):
    """The command that is meant where none is named."""

    context_class = DeckContext


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
    if ctx is None or ctx.info_name != "run" or not name.isalpha():
        return ""
    return f" There is no such command either; commands: {', '.join(sorted(gsolve.commands))}."


class DeckGroup(click.Group):
    """A group of commands in which anything that is not a command is a deck to run."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the word `run` before a deck."""
        own_options = {name for parameter in self.get_params(ctx) for name in parameter.opts}
        if args and args[0] not in self.commands and args[0] not in own_options:
            args = ["run", *args]
        return super().parse_args(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options of a run, then the program's own."""
        run_context = click.Context(self.commands["run"], info_name="run", parent=ctx)
        parameters: list[tuple[click.Parameter, click.Context]]
        parameters = [(p, run_context) for p in self.commands["run"].params if isinstance(p, click.Option)]
        parameters += [(p, ctx) for p in self.get_params(ctx)]
        with formatter.section("Options"):
            formatter.write_dl([record for p, context in parameters if (record := p.get_help_record(context))])


def _defines(ctx: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    defines = {}
    for text in values:
        name, equals, value = text.partition("=")
        if not (name.strip() and equals and value.strip()):
            raise click.BadParameter(f"'{text}' is not NAME=VALUE, e.g. -D speed=40")
        defines[name.strip()] = value.strip()
    return defines


def _checked_by(check: Callable[[float | None], float | None]) -> Callable[..., float | None]:
    def callback(ctx: click.Context, parameter: click.Parameter, value: float | None) -> float | None:
        try:
            return check(value)
        except ValueError as error:
            raise click.BadParameter(str(error)) from error

    return callback


Command = Callable[..., Any]
DECK = click.argument("deck", type=DeckPath(exists=True, dir_okay=False, readable=True, path_type=Path))


def deck_options(command: Command) -> Command:
    """Options that a run and a check share."""
    for option in (
        click.option(
            "--json", "as_json", is_flag=True, help="One JSON summary on standard output, all else on stderr."
        ),
        click.option("--verbose", "-v", is_flag=True, help="Every message, and a traceback after an internal error."),
        click.option("--quiet", "-q", is_flag=True, help="Say nothing but errors."),
        click.option(
            "--threads",
            type=click.IntRange(min=1),
            default=1,
            show_default=True,
            metavar="N",
            help="Threads for independent subsystems and parts of large heaps; the results do not depend on it.",
        ),
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
            "--general",
            is_flag=True,
            help="Take the general path everywhere: condense no rotors to their spins, move no machine in its plane.",
        ),
        click.option(
            "--accuracy",
            type=float,
            callback=_checked_by(tolerance),
            metavar="TOL",
            help="Control the error of steps where all is smooth: no contact, walls, friction or stops. 1e-8 to 1e-2.",
        ),
        click.option("--dt", type=float, callback=_checked_by(positive), metavar="DT", help="Time step, imposed."),
        click.option(
            "--t-end",
            type=float,
            callback=_checked_by(positive),
            metavar="T",
            help="End time in place of that of /RUN.",
        ),
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
            help="Set a /PARAMETER of the deck; may be repeated.",
        ),
    ):
        command = option(command)
    return command


@click.group(
    cls=DeckGroup,
    help=HELP,
    epilog=EPILOG,
    subcommand_metavar="DECK | COMMAND ...",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.version_option(package_name="gsolve", prog_name="gsolve", message="%(prog)s %(version)s")
def gsolve() -> None:
    """The program; its text is HELP."""


@gsolve.command(cls=RunCommand)
@DECK
@click.option("-o", "--output", metavar="NAME", help="Results are NAME.h5 and NAME.out, or go into the directory NAME.")
@click.option("--force", is_flag=True, help="Overwrite results that are already there.")
@click.option("--strict", is_flag=True, help="Exit status 1 also where a completed run has warnings about its results.")
@click.option(
    "--allow-user-code", is_flag=True, help="Run the routines of contacts that the deck names, Python or libraries."
)
@deck_options
def run(deck: Path, output: str | None, quiet: bool, verbose: bool, as_json: bool, **options: Any) -> None:
    """Run a deck and write NAME.h5 and NAME.out."""
    console = Console(quiet, verbose, as_json)

    def work() -> tuple[int, dict[str, Any]]:
        from .run.driver import run_to_files
        from .run.observer import Shell

        model = _read(deck, options)
        command_line = shlex.join(["gsolve", *sys.argv[1:]])
        asked = RunOptions(output=output, command_line=command_line, **options)
        outcome = run_to_files(model, asked, Shell(console))
        summary = {
            "status": outcome.status,
            "message": outcome.message,
            **outcome.figures,
            "doubts": outcome.doubts,
            "warnings": outcome.warnings,
        }
        return outcome.exit_code, summary

    _guard(work, console)


@gsolve.command()
@DECK
@deck_options
def check(deck: Path, quiet: bool, verbose: bool, as_json: bool, **options: Any) -> None:
    """Read and assemble a deck and say all about it, without running it."""
    console = Console(quiet, verbose, as_json)

    def work() -> tuple[int, dict[str, Any]]:
        from .run.check import check_model
        from .run.observer import Shell

        found = check_model(_read(deck, options), RunOptions(**options), Shell(console))
        for line in found.lines:
            console.say(line)
        return 0, found.figures

    _guard(work, console)


@gsolve.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, readable=True, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="One JSON summary on standard output instead of text.")
@click.option("--verbose", "-v", is_flag=True, help="Ids and names of all objects, descriptions of all variables.")
def info(file: Path, as_json: bool, verbose: bool) -> None:
    """Say what is in a result file: status, times, families, variables, units."""
    console = Console(verbose=verbose, json=as_json)

    def work() -> tuple[int, dict[str, Any]]:
        from .results.info import info_lines, read_info

        facts = read_info(file)
        if not as_json:
            for line in info_lines(facts, verbose=verbose):
                console.say(line)
        return 0, facts

    _guard(work, console)


@gsolve.command("warm-up")
@click.option("--json", "as_json", is_flag=True, help="One JSON summary on standard output instead of text.")
def warm_up(as_json: bool) -> None:
    """Compile all of the solver, so that no run after it has to: for container images and shared machines.

    The machine code goes to $GSOLVE_CACHE_DIR, else to gsolve/ in $XDG_CACHE_HOME, else to ~/.cache/gsolve. A folder
    that can be read but not written serves runs as it is.
    """
    console = Console(json=as_json)

    def work() -> tuple[int, dict[str, Any]]:
        from .run.warm_up import warm_up

        return 0, warm_up(console)

    _guard(work, console)


@gsolve.command("contact-parameters")
@click.argument("material_i", required=False)
@click.argument("material_j", required=False)
@click.option("--radius-i", type=float, metavar="R", help="Radius of the first body; left out: a plane.")
@click.option("--radius-j", type=float, metavar="R", help="Radius of the second body; negative: a hollow.")
@click.option("--length", type=float, metavar="L", help="Length of a cylinder that lies on a plane.")
@click.option("--layer-i", type=float, metavar="D", help="Depth of the elastic layer for VOLUME.  [default: 100 mm]")
@click.option("--layer-j", type=float, metavar="D", help="The same of the second body.  [default: 100 mm]")
@click.option("--young-i", type=float, metavar="GPA", help="Young's modulus in place of that of the table, in GPa.")
@click.option("--young-j", type=float, metavar="GPA", help="The same of the second body.")
@click.option("--poisson-i", type=float, metavar="NU", help="Poisson's ratio in place of that of the table.")
@click.option("--poisson-j", type=float, metavar="NU", help="The same of the second body.")
@click.option(
    "--restitution", type=float, metavar="CR", help="Coefficient of restitution in place of that of the table."
)
@click.option("--oiled", is_flag=True, help="Friction with oil in place of dry friction.")
@click.option(
    "--law",
    type=click.Choice(["poisson", "impact", "volume"]),
    help="Law of the card.  [default: poisson; with --length impact]",
)
@click.option(
    "--units", default="kg,m,s", show_default=True, metavar="M,L,T", help="Units of the numbers, as in /BEGIN."
)
@click.option("--list", "as_list", is_flag=True, help="Show the tables: materials, restitution, friction.")
@click.option("--json", "as_json", is_flag=True, help="One JSON summary on standard output instead of text.")
def contact_parameters(
    material_i: str | None, material_j: str | None, as_list: bool, as_json: bool, **options: Any
) -> None:
    """Stiffness, restitution and friction of a contact of two materials (or one), as cards to paste into a deck."""
    console = Console(json=as_json)

    def work() -> tuple[int, dict[str, Any]]:
        from .tools.contact_cards import answer, card_lines, list_lines, plain_answer
        from .tools.contact_command import make_request

        if as_list:
            lines = list_lines()
            console.say("\n".join(lines))
            return 0, {"tables": lines}
        if material_i is None:
            raise click.UsageError("give one or two materials, or --list to see them")
        sides: dict[str, Any] = {
            name: (options.pop(f"{option}_i"), options.pop(f"{option}_j"))
            for name, option in (("radii", "radius"), ("layers", "layer"), ("young", "young"), ("poisson", "poisson"))
        }
        request = make_request((material_i, material_j), **sides, **options)
        found = answer(request)
        if not as_json:
            console.say("\n".join(card_lines(request, found)))
        return 0, plain_answer(request, found)

    _guard(work, console)


@gsolve.command("gear-mesh")
@click.argument("kind", type=click.Choice(KINDS), metavar="KIND")
@gear_options
def gear_mesh(
    kind: str,
    units: str,
    file_format: Any,
    output: Path | None,
    force: bool,
    as_json: bool,
    flank_segments: int,
    fillet_segments: int,
    rows: int,
    **options: Any,
) -> None:
    """A gear, or a pair of gears, as closed triangle meshes, with their data and cards to paste into a deck.

    KIND is spur, helical, double-helical, ring, rack, bevel, worm or wheel. Lengths are in the units of --units, angles
    in degrees.
    """
    console = Console(json=as_json)

    def work() -> tuple[int, dict[str, Any]]:
        from .tools.gears.command import deck_lines, make, place_of, plain_answer, write_files
        from .tools.gears.data import Resolution
        from .tools.gears.request import make_request

        resolution = Resolution(flank=flank_segments, fillet=fillet_segments, rows=rows)
        request = make_request(kind, units, resolution, options)
        folder, name = place_of(output, file_format)
        made = make(request, name, file_format)
        written = write_files(made, folder, file_format, force=force) if output else []
        if not as_json:
            console.say("\n".join(deck_lines(request, made, written)))
        return 0, plain_answer(request, made, written)

    _guard(work, console)


def main() -> None:
    """Entry point `gsolve`."""
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a title must not stop a run on a terminal that lacks its letters
            stream.reconfigure(errors="backslashreplace")
    gsolve()


def _read(deck: Path, options: dict[str, Any]) -> Model:
    from .run.reading import read_model

    names = ("defines", "gjoint_alpha", "t_end", "untrusted")
    return read_model(deck, **{name: options[name] for name in names})


def _guard(work: Callable[[], tuple[int, dict[str, Any]]], console: Console) -> None:
    """Do the work of a command; whatever happens ends in a clear text, a summary if asked for, and an exit code."""
    try:
        code, summary = work()
    except (KeyboardInterrupt, Exception) as error:
        if isinstance(error, (click.ClickException, click.exceptions.Exit)):
            raise
        code, summary = _explain(error, console)
    if console.json:
        from .results.summary import summary_text

        show(summary_text({**summary, "exit_code": code}) + "\n", sys.stdout)
    click.get_current_context().exit(code)


def _explain(error: BaseException, console: Console) -> tuple[int, dict[str, Any]]:
    from gsolve.parser.text.diagnostics import DeckError

    if isinstance(error, DeckError):
        return EXIT_DECK, _explain_deck(error, console)
    if isinstance(error, (OutputError, UsageError)):
        console.error(f"gsolve: {error}")
        return EXIT_USAGE, {"status": "refused", "message": str(error)}
    if isinstance(error, KeyboardInterrupt):
        console.error("gsolve: stopped by Ctrl-C before the run began")
        return EXIT_INTERRUPTED, {"status": "stopped", "message": "stopped before the run began"}
    if isinstance(error, MemoryError):
        console.error("gsolve: not enough memory for this deck")
        return EXIT_RUN_FAILED, {"status": "failed", "message": "not enough memory"}
    if console.verbose:
        console.error("".join(traceback.format_exception(error)).rstrip())
    message = f"internal error, {type(error).__name__}: {error}".replace("\n", " ")
    hint = "" if console.verbose else "; --verbose shows where"
    console.error(f"gsolve: {message} (a fault of gsolve: please report it with the deck{hint})")
    return EXIT_RUN_FAILED, {"status": "failed", "message": message}


def _explain_deck(error: DeckError, console: Console) -> dict[str, Any]:
    from .results.describe import diagnostic_lines

    diagnostics = sorted(error.diagnostics, key=lambda diagnostic: diagnostic.severity == "error")
    for text in diagnostic_lines(diagnostics):
        console.error(text)
    count = sum(diagnostic.severity == "error" for diagnostic in diagnostics)
    message = f"{count} error{'s' if count != 1 else ''} in the deck, nothing was run"
    console.error(f"gsolve: {message}")
    return {"status": "deck errors", "message": message, "diagnostics": diagnostics}
