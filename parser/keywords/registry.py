"""All keywords that can be read, in the order of the deck reference, by families and as one table."""

from __future__ import annotations

from ..cards.keyword_table import KeywordTable
from ..cards.layout import Keyword
from ..model.joint_types import ALSO_CALLED
from . import bodies as keywords_bodies
from . import conditions as keywords_conditions
from . import contact as keywords_contact
from . import control as keywords_control
from . import curves as keywords_curves
from . import drives as keywords_drives
from . import element_surfaces as keywords_element_surfaces
from . import elements as keywords_elements
from . import force_curves as keywords_force_curves
from . import functions as keywords_functions
from . import gears as keywords_gears
from . import groups as keywords_groups
from . import history as keywords_history
from . import joints as keywords_joints
from . import mesh_files as keywords_mesh_files
from . import nodes as keywords_nodes
from . import parameters as keywords_parameters
from . import sensors as keywords_sensors
from . import springs as keywords_springs
from . import surfaces as keywords_surfaces
from . import walls as keywords_walls
from .engine import ENGINE_DECLARATIONS

# By what they are for, in the words of a list.
FAMILIES: dict[str, list[Keyword]] = {
    "Deck and units": keywords_control.KEYWORDS,
    "Parameters": keywords_parameters.KEYWORDS,
    "Nodes, masses, axes": keywords_nodes.KEYWORDS,
    "Groups of nodes": keywords_groups.KEYWORDS,
    "Functions": keywords_functions.KEYWORDS,
    "Sensors": keywords_sensors.KEYWORDS,
    "Parts and elements": keywords_elements.KEYWORDS,
    "Springs": keywords_springs.KEYWORDS,
    "Bodies and what ties nodes": keywords_bodies.KEYWORDS,
    "Gears": keywords_gears.KEYWORDS,
    "Joints": keywords_joints.KEYWORDS,
    "Drives and couplers": keywords_drives.KEYWORDS,
    "Conditions and loads": keywords_conditions.KEYWORDS,
    "Shapes": keywords_surfaces.KEYWORDS,
    "Meshes": keywords_mesh_files.KEYWORDS,
    "Surfaces of elements": keywords_element_surfaces.KEYWORDS,
    "Plane curves": keywords_curves.KEYWORDS,
    "Contact": keywords_contact.KEYWORDS,
    "Force curves": keywords_force_curves.KEYWORDS,
    "Rigid walls": keywords_walls.KEYWORDS,
    "Histories": keywords_history.KEYWORDS,
}
KEYWORDS = [keyword for family in FAMILIES.values() for keyword in family]
TABLE = KeywordTable(KEYWORDS, ENGINE_DECLARATIONS, {"JOINT": ALSO_CALLED})
