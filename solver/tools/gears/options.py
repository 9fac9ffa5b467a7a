"""The options of `gsolve gear-mesh`; imports nothing that takes time, so that help answers at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

KINDS = ("spur", "helical", "double-helical", "ring", "rack", "bevel", "worm", "wheel")


def gear_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options of a gear: teeth, body, second gear, mesh, output."""
    numbers = (
        ("module", "M", "Module, of a helical gear in the normal section, of a worm in the axial one."),
        ("dp", "DP", "Diametral pitch (teeth per inch) in place of --module."),
        ("pressure-angle", "DEG", "Pressure angle, in the section of the module.  [default: 20]"),
        ("helix", "DEG", "Helix angle, positive right-handed."),
        ("shift", "X", "Profile shift in modules, positive away from the axis.  [default: 0]"),
        ("addendum", "H", "Addendum in modules.  [default: 1]"),
        ("dedendum", "H", "Dedendum in modules.  [default: 1.25]"),
        ("fillet", "R", "Tip radius of the generating rack in modules.  [default: 0.38, or what fits]"),
        ("tip-relief", "C", "Taken off at the tips, along the base tangent."),
        ("relief-height", "H", "Height of the relief below the tip in modules.  [default: 0.5]"),
        ("crowning", "C", "Taken off at both ends of the width, along the base tangent."),
        ("backlash", "J", "Circumferential backlash of the pair; each gear's teeth are thinner by half of it."),
        ("width", "B", "Width, of a worm its length.  [default: 10 modules; bevel a third of the cone distance]"),
        ("bore", "D", "Diameter of the bore.  [default: none]"),
        ("rim", "S", "Rim of a ring, from its roots outwards.  [default: 2 modules]"),
        ("body", "S", "Body of a rack, below its roots.  [default: 2 modules]"),
        ("cone", "DEG", "Half angle of the pitch cone of a bevel gear without a second one."),
        ("shaft-angle", "DEG", "Angle between the axes of bevel gears.  [default: 90]"),
        ("diameter-factor", "Q", "Reference diameter of a worm in modules.  [default: 10]"),
        ("mate-shift", "X", "Profile shift of the second gear.  [default: 0; bevel: opposite]"),
        (
            "mate-width",
            "B",
            "Width of the second gear.  [default: as the first; of the wheel of a worm 2 m sqrt(q + 1)]",
        ),
        ("mate-bore", "D", "Bore of the second gear."),
        ("mate-addendum", "H", "Addendum of the second gear in modules.  [default: as the first]"),
        ("centre-distance", "A", "Distance of the axes.  [default: without play but for the backlash]"),
        ("density", "RHO", "Density.  [default: that of steel, 7850 kg/m3]"),
    )
    segments = (
        ("flank-segments", 12, 1, "Segments of an involute along its height."),
        ("fillet-segments", 6, 1, "Segments of a fillet."),
        ("rows", 8, 1, "Segments of the width; worms have more, a double helix an even number."),
    )
    options = [
        click.option("--teeth", type=int, metavar="Z", help="Number of teeth."),
        click.option("--starts", type=int, metavar="Z", help="Threads of a worm.  [default: 1]"),
        click.option("--mate", type=click.Choice(["gear", "ring", "rack"]), help="Kind of the second gear."),
        click.option("--mate-teeth", type=int, metavar="Z", help="Number of teeth of the second gear: makes a pair."),
        *(click.option(f"--{name}", type=float, metavar=metavar, help=text) for name, metavar, text in numbers),
        click.option("--double", is_flag=True, help="Double-helical teeth of a ring or rack."),
        click.option("--left", is_flag=True, help="Left-handed worm."),
        *(
            click.option(f"--{name}", type=click.IntRange(min=least), default=default, show_default=True, help=text)
            for name, default, least, text in segments
        ),
        click.option(
            "--output", "-o", type=click.Path(path_type=Path), metavar="NAME", help="Write NAME.stl and NAME_curve.rad."
        ),
        click.option(
            "--format", "file_format", type=click.Choice(["stl", "ascii-stl", "obj"]), default="stl", show_default=True,
            help="Kind of the file of the mesh.",
        ),
        click.option("--force", is_flag=True, help="Replace files that are there."),
        click.option(
            "--units", default="kg,m,s", show_default=True, metavar="M,L,T", help="Units of the numbers, as in /BEGIN."
        ),
        click.option("--json", "as_json", is_flag=True, help="One JSON summary on standard output instead of text."),
    ]  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command
