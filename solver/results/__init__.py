"""Samples to files, tables and words."""
