"""Writes pinion.stl and wheel.stl.

`gsolve gear-mesh helical --helix 20 --module 0.002 --teeth 16 --mate-teeth 20 --backlash 5e-5 --width 0.01` makes the
same; here the pinion is narrower than the wheel.
"""

import math
from pathlib import Path

from gsolve.solver.tools.gears.data import CylindricalGear, Resolution, ToothForm
from gsolve.solver.tools.gears.make import make_pair
from gsolve.solver.tools.gears.solids import Body
from gsolve.solver.tools.gears.writers import write_mesh

FORM, HELIX = ToothForm(thinning=2.5e-5), math.radians(20.0)
PAIR = CylindricalGear(16, 2e-3, FORM, helix=HELIX), CylindricalGear(20, 2e-3, FORM, helix=-HELIX)
pinion, wheel, pair = make_pair(
    PAIR, (Body(9e-3, bore=8e-3), Body(10e-3, bore=8e-3)), Resolution(flank=7, fillet=4, rows=7)
)
print(pair.distance, pair.warnings)
for name, part in (("pinion", pinion), ("wheel", wheel)):
    write_mesh(Path(__file__).with_name(f"{name}.stl"), part.mesh, name, "stl")
    print(name, len(part.mesh.triangles), "triangles", part.mass(7850.0).mass)
