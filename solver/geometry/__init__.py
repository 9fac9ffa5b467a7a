"""Shapes and how they touch; knows no forces."""
