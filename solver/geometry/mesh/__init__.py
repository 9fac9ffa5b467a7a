"""Closed triangle meshes; NumPy alone."""
