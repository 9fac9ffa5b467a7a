"""Nodes that /BCS holds, or motions prescribe, in all directions."""

from __future__ import annotations

from gsolve.parser.model import Model

from .nodal_mass import NodalMasses

Digits = dict[tuple[int, int], list[bool]]  # six directions of (node, skew)


def held_digits(model: Model) -> Digits:
    """Directions that /BCS fixes."""
    digits: Digits = {}
    for condition in model.boundary_conditions:
        marks = [*condition.translations, *condition.rotations]
        for node in condition.nodes:
            before = digits.get((int(node), condition.skew_id), [False] * 6)
            digits[int(node), condition.skew_id] = [a or b for a, b in zip(before, marks, strict=True)]
    return digits


def full_triples(digits: Digits) -> dict[int, tuple[bool, bool]]:
    """Nodes whose three translations, or three rotations, are all marked in the axes of one skew."""
    triples: dict[int, tuple[bool, bool]] = {}
    for (node, _), marks in digits.items():
        translation, rotation = triples.get(node, (False, False))
        triples[node] = translation or all(marks[:3]), rotation or all(marks[3:])
    return triples


def held_triples(model: Model) -> dict[int, tuple[bool, bool]]:
    """Nodes whose three translations, or three rotations, are fixed by /BCS."""
    return full_triples(held_digits(model))


def prescribed_nodes(model: Model, masses: NodalMasses, t_end: float) -> dict[int, bool]:
    """Nodes without mass whose directions are all held, or imposed during the whole run."""
    digits = held_digits(model)
    for motion in model.imposed_motions:
        if motion.sensor_id or motion.t_start > 0.0 or t_end > motion.t_stop:
            continue
        for node in map(int, motion.nodes):
            marks = digits.setdefault((node, motion.skew_id), [False] * 6)
            digits[node, motion.skew_id] = [
                mark or c == motion.direction + 3 * motion.rotational for c, mark in enumerate(marks)
            ]
    return {
        node: translation and (rotation or not masses.inertia[node].any())
        for node, (translation, rotation) in full_triples(digits).items()
        if masses.mass[node] <= 0.0
    }
