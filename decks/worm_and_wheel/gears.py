"""Writes worm.stl and wheel.stl.

`gsolve gear-mesh worm --starts 2 --module 0.002 --mate-teeth 30 --width 0.024 --mate-bore 0.01 --backlash 5e-5
--flank-segments 10 --fillet-segments 5` makes the same; here the wheel is a little narrower.
"""

from pathlib import Path

from gsolve.solver.tools.gears.data import Resolution, ToothForm
from gsolve.solver.tools.gears.make import make_pair
from gsolve.solver.tools.gears.solids import Body
from gsolve.solver.tools.gears.worm import Worm, WormWheel
from gsolve.solver.tools.gears.writers import write_mesh

WORM = Worm(2, 2e-3, form=ToothForm(thinning=2.5e-5))
BODIES = Body(24e-3), Body(13e-3, bore=10e-3)
worm, wheel, pair = make_pair((WORM, WormWheel(WORM, 30)), BODIES, Resolution(flank=10, fillet=5, rows=8))
print(pair.distance, pair.speed_ratio, pair.sense, pair.warnings)
for name, part in (("worm", worm), ("wheel", wheel)):
    write_mesh(Path(__file__).with_name(f"{name}.stl"), part.mesh, name, "stl")
    print(name, len(part.mesh.triangles), "triangles", part.mass(7850.0).mass)
