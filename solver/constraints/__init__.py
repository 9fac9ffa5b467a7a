"""Rows: residual, Jacobian and reactions side by side, and the system of equations for their multipliers."""
