"""Writes the gears of the deck beside it: sun.stl, planet.stl, ring.stl.

`gsolve gear-mesh spur --module 0.0015 --teeth 21 --mate-teeth 21 --backlash 1e-4 --width 0.005` makes sun and planet,
and with `--mate-teeth 63 --mate ring --mate-addendum 0.8` planet and ring; here the planets are narrower.
"""

from pathlib import Path

from gsolve.solver.tools.gears.data import CylindricalGear, Resolution, ToothForm
from gsolve.solver.tools.gears.make import make_pair
from gsolve.solver.tools.gears.solids import Body
from gsolve.solver.tools.gears.writers import write_mesh

HERE = Path(__file__).parent
MODULE, COPPER = 1.5e-3, 8960.0
FORM = ToothForm(thinning=5e-5)
SHORT = ToothForm(thinning=5e-5, addendum=0.8)  # the teeth of a ring must not reach below the involutes of the planets
GEAR, RING = CylindricalGear(21, MODULE, FORM), CylindricalGear(63, MODULE, SHORT, ring=True)

planet_body = Body(4e-3, bore=4e-3)
sun, planet, outer = make_pair((GEAR, GEAR), (Body(5e-3, bore=4e-3), planet_body), Resolution(rows=1))
_, ring, inner = make_pair((GEAR, RING), (planet_body, Body(5e-3, rim=4e-3)), Resolution(flank=8, rows=1))
print(outer.warnings + inner.warnings)
for name, part in (("sun", sun), ("planet", planet), ("ring", ring)):
    write_mesh(HERE / f"{name}.stl", part.mesh, name, "stl")
    mass = part.mass(COPPER)
    print(name, len(part.mesh.triangles), "triangles", mass.mass, "kg", mass.inertia.diagonal(), "kg m2")
