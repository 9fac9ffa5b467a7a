"""Writes pinion.stl and rack.stl.

`gsolve gear-mesh spur --module 0.002 --teeth 20 --mate rack --mate-teeth 24 --backlash 5e-5 --width 0.01` makes the
same; here the pinion is narrower than the rack.
"""

from pathlib import Path

from gsolve.solver.tools.gears.data import CylindricalGear, Rack, Resolution, ToothForm
from gsolve.solver.tools.gears.make import make_pair
from gsolve.solver.tools.gears.solids import Body
from gsolve.solver.tools.gears.writers import write_mesh

FORM = ToothForm(thinning=2.5e-5)
pinion, rack, pair = make_pair(
    (CylindricalGear(20, 2e-3, FORM), Rack(24, 2e-3, FORM)), (Body(9e-3, bore=8e-3), Body(10e-3)), Resolution(rows=1)
)
print(pair.distance, pair.warnings)
for name, part in (("pinion", pinion), ("rack", rack)):
    write_mesh(Path(__file__).with_name(f"{name}.stl"), part.mesh, name, "stl")
    print(name, len(part.mesh.triangles), "triangles", part.mass(7850.0).mass, part.mass(7850.0).centre)
