"""What can be read: one file a family of keywords. A family declares its cards and builds its part of the model.

Families, in the order in which the deck reference has them: control, parameters, nodes, groups, functions, elements,
springs, bodies, gears, joints, drives, conditions, surfaces, mesh_files, element_surfaces, contact, force_curves,
walls, history. Each has a list `KEYWORDS`. The keywords of the engine deck, which has a syntax of its own, are in
engine.

registry : all of them in one table, for whoever sorts headers
Parts of a family: joint_checks (whether values of a /JOINT go with each other) of joints; contact_laws (one record a
law) and user_routines (routines that /INTER names) of contact.
Shared by families: axes (directions on cards) and common_checks.
examples.rad, example_routines.py, example_mesh.off : an example of each keyword, for the deck reference; the tests read
    it
"""
