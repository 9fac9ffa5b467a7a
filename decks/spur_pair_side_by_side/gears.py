"""Writes the gears of the deck beside it: pinion.stl and wheel.stl, pinion.inc and wheel.inc.

`gsolve gear-mesh spur --module 0.002 --teeth 20 --mate-teeth 40 --backlash 5e-5 --width 0.01` makes the same; here the
pinion is narrower than the wheel, and the flanks of the meshes are divided more finely than those of the curves.
"""

from pathlib import Path

from gsolve.solver.tools.gears.cards import curve_cards
from gsolve.solver.tools.gears.data import CylindricalGear, Resolution, ToothForm
from gsolve.solver.tools.gears.make import make_pair
from gsolve.solver.tools.gears.solids import Body
from gsolve.solver.tools.gears.writers import write_mesh

HERE = Path(__file__).parent
FORM = ToothForm(thinning=2.5e-5)
PAIR = CylindricalGear(20, 2e-3, FORM), CylindricalGear(40, 2e-3, FORM)
BODIES = Body(9e-3, bore=8e-3), Body(10e-3, bore=10e-3)

meshed = make_pair(PAIR, BODIES, Resolution(flank=20, rows=1))
curved = make_pair(PAIR, BODIES, Resolution(flank=12, rows=1))
for k, name in enumerate(("pinion", "wheel")):
    write_mesh(HERE / f"{name}.stl", meshed[k].mesh, name, "stl")
    (HERE / f"{name}.inc").write_text("\n".join([*curve_cards(curved[k], 11 + k), ""]), encoding="utf-8")
    mass = meshed[k].mass(7850.0)
    print(name, len(meshed[k].mesh.triangles), "triangles", mass.mass, "kg", mass.inertia.diagonal(), "kg m2")
