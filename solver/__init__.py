"""Typed model to results."""
