"""Commands beside the run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..run.console import Console
from ..tools.gears.options import KINDS, gear_options
from .guard import guard


@click.command("contact-parameters")
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
        from ..tools.contact_cards import answer, card_lines, list_lines, plain_answer
        from ..tools.contact_command import make_request

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

    guard(work, console)


@click.command("gear-mesh")
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
        from ..tools.gears.command import deck_lines, make, place_of, plain_answer, write_files
        from ..tools.gears.data import Resolution
        from ..tools.gears.request import make_request

        resolution = Resolution(flank=flank_segments, fillet=fillet_segments, rows=rows)
        request = make_request(kind, units, resolution, options)
        folder, name = place_of(output, file_format)
        made = make(request, name, file_format)
        written = write_files(made, folder, file_format, force=force) if output else []
        if not as_json:
            console.say("\n".join(deck_lines(request, made, written)))
        return 0, plain_answer(request, made, written)

    guard(work, console)
