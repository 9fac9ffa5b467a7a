"""Typed model to system, and everything that is checked before the first step."""
