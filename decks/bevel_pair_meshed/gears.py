"""Writes pinion.stl and wheel.stl.

`gsolve gear-mesh bevel --module 0.003 --teeth 16 --mate-teeth 24 --backlash 5e-5 --width 0.013 --bore 0.008
--mate-width 0.014 --mate-bore 0.012 --flank-segments 10 --fillet-segments 5` makes the same.
"""

import math
from pathlib import Path

from gsolve.solver.tools.gears.bevel import BevelGear
from gsolve.solver.tools.gears.data import Resolution, ToothForm
from gsolve.solver.tools.gears.make import make_pair
from gsolve.solver.tools.gears.solids import Body
from gsolve.solver.tools.gears.writers import write_mesh

FORM, CONE = ToothForm(thinning=2.5e-5), math.atan(16 / 24)
PAIR = BevelGear(16, 3e-3, CONE, FORM), BevelGear(24, 3e-3, math.pi / 2 - CONE, FORM)
BODIES = Body(13e-3, bore=8e-3, inset=5e-4), Body(14e-3, bore=12e-3)
pinion, wheel, pair = make_pair(PAIR, BODIES, Resolution(flank=10, fillet=5, rows=8))
print(pair.transverse_ratio, pair.warnings)
for name, part in (("pinion", pinion), ("wheel", wheel)):
    write_mesh(Path(__file__).with_name(f"{name}.stl"), part.mesh, name, "stl")
    print(name, len(part.mesh.triangles), "triangles", part.mass(7850.0).mass)
