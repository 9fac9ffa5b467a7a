"""Subsystems whose steps are controlled by their error: Dormand-Prince 5(4), projected onto the rows."""
