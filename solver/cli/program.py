"""The program `gsolve`: its commands and its help.

Nothing here imports numba, h5py or lark until a command needs it, so that help and errors answer at once.
"""

from __future__ import annotations

import os
import sys
from glob import escape
from io import TextIOWrapper
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from ..core.garbage import collect_rarely, end_without_collection
from ..run.console import give_up
from ..run.endings import EXIT_RUN_FAILED
from .batch import batch
from .compare import compare
from .export import export
from .files import info
from .plot import plot
from .report import report
from .resume import resume
from .runs import check, run, warm_up
from .sweep import sweep
from .tools import contact_parameters, gear_mesh
from .words import examples_command, explain, new

# Settings of packages that are not imported yet, of which the user may have others.  numba paints its errors where
# colorama is there, also the thousands that it meets and drops while it compiles.  Matrices of machines are small:
# threads of BLAS wait for each other at them, several times as long as one alone takes where all processors are busy,
# and what they find depends on how many they are.
SETTINGS = {"NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING": "1", "OPENBLAS_NUM_THREADS": "1"}

HELP = """\
Solver for geared machines: reads a Radioss block-format deck, writes time histories to HDF5.

\b
Runs:
gsolve DECK [OPTIONS]         run a deck (the word "run" may be written or left out)
gsolve check DECK [OPTIONS]   read and assemble a deck, say all about it, do not run
gsolve batch DECK... [OPTIONS]
                              run many decks, patterns and folders in several processes
gsolve sweep STUDY.toml       run a deck with many values of its parameters: grids, samples, an optimum
gsolve resume FILE.h5 [--t-end T] [OPTIONS]
                              go on with a run that was stopped or killed, or to a later end

\b
Results:
gsolve info FILE.h5           say what is in a result file
gsolve plot FILE.h5... [VARIABLE...] [OPTIONS]
                              draw results, or the cases of a study
gsolve report FILE.h5         a page of HTML: plots, the machine in motion in 3D, messages, balance
gsolve compare A B [OPTIONS]  compare two results, two folders of them, or a result with expected numbers
gsolve export FILE.h5 [OPTIONS]
                              tables for pandas, motion for ParaView and Blender, animations

\b
Writing decks:
gsolve new [TEMPLATE]         write a deck to start from, whose comments explain each line
gsolve examples [NAME]        copy an example deck
gsolve explain WORD           what a keyword, a field or a variable of the results means, with an example
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
  gsolve batch decks/ --junit report.xml     runs all decks below decks/
  gsolve resume gear_pair.h5 --t-end 2       goes on to t = 2 from where the run ended
  gsolve info gear_pair.h5                   status, variables and units of a result file
  gsolve plot gear_pair.h5                   gear_pair.png: energies, errors, rates, torques, contacts
  gsolve plot gear_pair.h5 "gjoint/*/VEL*"   these histories
  gsolve report gear_pair.h5 --open          writes gear_pair.html and shows it
  gsolve compare old.h5 new.h5               what differs, by how much and since when; exit status 5 if anything does
  gsolve new gear_pair                       writes a commented deck, gear_pair.rad
  gsolve explain GJOINT/GEAR                 the cards of a keyword; gsolve explain alone lists all
  gsolve contact-parameters steel brass --radius-i 0.01
                                             cards for a steel ball of radius 10 mm on a brass plane

\b
Exit codes:
  0    completed
  1    the run failed: it diverged, violates its constraints, passed a /STOP limit, a routine of yours failed, or the
       disk is full; results up to there are kept. With --strict also: it completed with warnings about its results
  2    wrong usage, results that would be overwritten, or a place that cannot be written
  3    the deck has errors; all of them are printed, nothing was run
  5    of compare: the two are different
  130  stopped by Ctrl-C, a termination signal or the closing of the terminal; results are kept

\b
Manual: the folder docs/ of the project: first_deck.md, deck_reference.md, results.md (the result file),
command_line.md (this program). Decks to start from: gsolve new, gsolve examples.
"""


class DeckGroup(click.Group):
    """A group of commands in which anything that is not a command is a deck to run."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the word `run` before a deck."""
        own_options = {name for parameter in self.get_params(ctx) for name in parameter.opts}
        if args and args[0] not in self.commands and args[0] not in own_options:
            args = ["run", *args]
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Commands and options, and decks of this folder; where none of them fits, any file."""
        items = super().shell_complete(ctx, incomplete)
        if incomplete.startswith("-"):
            return items
        items += [CompletionItem(path.name) for path in sorted(Path().glob(f"{escape(incomplete)}*.rad"))]
        return items or [CompletionItem(incomplete, type="file")]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options of a run, then the program's own."""
        run_context = click.Context(self.commands["run"], info_name="run", parent=ctx)
        parameters: list[tuple[click.Parameter, click.Context]]
        parameters = [(p, run_context) for p in self.commands["run"].params if isinstance(p, click.Option)]
        parameters += [(p, ctx) for p in self.get_params(ctx)]
        with formatter.section("Options"):
            formatter.write_dl([record for p, context in parameters if (record := p.get_help_record(context))])


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


RUNS = run, check, batch, sweep, resume, warm_up
RESULTS = info, plot, report, compare, export
WRITING = new, examples_command, explain, contact_parameters, gear_mesh
for command in (*RUNS, *RESULTS, *WRITING):
    gsolve.add_command(command)


def main() -> None:
    """Entry point `gsolve`."""
    collect_rarely()
    end_without_collection()
    for name, value in SETTINGS.items():
        os.environ.setdefault(name, value)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a title must not stop a run on a terminal that lacks its letters
            stream.reconfigure(errors="backslashreplace")
    try:
        gsolve()
    except OSError as error:  # of help and the like, which click prints: commands catch all of their own
        give_up(sys.stdout, error)
        sys.exit(EXIT_RUN_FAILED)
