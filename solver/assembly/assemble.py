"""Typed model to flat arrays: bodies, points, rows and forces, sorted by subsystem."""

from __future__ import annotations

import numpy as np
from gsolve.parser.model import Model
from gsolve.parser.text.diagnostics import DeckError, Diagnostic

from ..contact.body_pairs import check_body_pairs
from ..contact.force_curve_setup import check_curves
from .assembly import Assembly
from .body_plan import NodePlan
from .contact_checks import refuse_of_meshes, warn_of_moved_solids, warn_of_walls
from .curve_checks import warn_of_curves_inside
from .drive_messages import warn_of_doubles, warn_of_kinks
from .force_families import build_forces
from .foundation import lay_foundation
from .idle_moments import warn_of_idle_moments
from .mass_checks import check_held_pairs, check_joint_nodes, check_loaded_nodes
from .mesh_checks import CheckedMeshes, check_meshes
from .mesh_placement import body_meshes
from .new_system import new_system
from .no_effect import requests_after_the_end, requests_without_effect
from .nodal_constraint_checks import check_motions, check_ties, warn_of_momentum
from .nodal_constraint_plan import wanted_conditions
from .nodal_mass import check_elements
from .node_plan import plan_nodes
from .row_families import build_rows
from .solid_mass import solid_masses


def assemble(model: Model, gjoint_alpha: str, t_end: float | None = None) -> Assembly:
    """Make the arrays of a model that runs to t_end (default: that of the deck).

    Raises
    ------
    DeckError
        all that is wrong with the mechanics of the deck
    """
    checked = check_meshes(model)
    plan = plan_nodes(model, t_end, solid_masses(model, checked.meshes))
    diagnostics = mechanical_diagnostics(model, plan, t_end or model.engine.t_end or 0.0, checked)
    if any(d.severity == "error" for d in diagnostics):
        raise DeckError([*model.warnings, *diagnostics])
    conditions = wanted_conditions(model, plan)
    diagnostics += warn_of_momentum(model, plan, conditions)
    foundation = lay_foundation(model, plan, conditions)
    rows = build_rows(foundation, plan.coordinates, conditions, gjoint_alpha)
    meshes = body_meshes(checked, foundation)
    forces = build_forces(foundation, rows, meshes)
    main_nodes = [0 if body is None else model.nodes.ids[body.main_node] for body in foundation.plans]
    return Assembly(
        model=model,
        system=new_system(foundation, rows, forces),
        plan=plan,
        bodies=foundation.plans,
        places=rows.places,
        spring_place=np.argsort(forces.spring_order),
        row_names=rows.names,
        row_wheres=rows.wheres,
        main_node_ids=np.array(main_nodes, dtype=np.int64),
        meshes=meshes,
        diagnostics=diagnostics,
    )


def mechanical_diagnostics(model: Model, plan: NodePlan, t_end: float, checked: CheckedMeshes) -> list[Diagnostic]:
    """What is wrong with the mechanics of a deck, or may not be what was meant, in the order of its lines."""
    found = [
        *checked.diagnostics,
        *plan.diagnostics,
        *check_elements(model, plan.group_of_node),
        *check_joint_nodes(model, plan),
        *check_held_pairs(model, plan),
        *check_loaded_nodes(model, plan),
        *check_motions(model),
        *check_ties(model, plan),
        *requests_without_effect(model, plan),
        *requests_after_the_end(model, t_end),
        *warn_of_idle_moments(model, plan),
        *warn_of_doubles(model),
        *check_curves(model),
        *check_body_pairs(model, plan.body_of_node),
        *warn_of_walls(model, plan),
        *warn_of_moved_solids(model, plan, checked),
        *refuse_of_meshes(model),
        *warn_of_curves_inside(model, plan),
        *warn_of_kinks(model, t_end),
    ]
    return sorted(found, key=lambda d: (d.file, d.line, d.column))
