"""All keywords that can be read, in the order of the deck reference, as one table."""

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

KEYWORDS: list[Keyword] = [
    *keywords_control.KEYWORDS,
    *keywords_parameters.KEYWORDS,
    *keywords_nodes.KEYWORDS,
    *keywords_groups.KEYWORDS,
    *keywords_functions.KEYWORDS,
    *keywords_sensors.KEYWORDS,
    *keywords_elements.KEYWORDS,
    *keywords_springs.KEYWORDS,
    *keywords_bodies.KEYWORDS,
    *keywords_gears.KEYWORDS,
    *keywords_joints.KEYWORDS,
    *keywords_drives.KEYWORDS,
    *keywords_conditions.KEYWORDS,
    *keywords_surfaces.KEYWORDS,
    *keywords_mesh_files.KEYWORDS,
    *keywords_element_surfaces.KEYWORDS,
    *keywords_curves.KEYWORDS,
    *keywords_contact.KEYWORDS,
    *keywords_force_curves.KEYWORDS,
    *keywords_walls.KEYWORDS,
    *keywords_history.KEYWORDS,
]
TABLE = KeywordTable(KEYWORDS, ENGINE_DECLARATIONS, {"JOINT": ALSO_CALLED})
