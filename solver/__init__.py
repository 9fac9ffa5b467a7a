"""Typed model to results, in packages of which each imports only those before it.

core, geometry, constraints, forces, contact, integration, assembly, results, run, bulk, tools; `cli` is on top.
"""
