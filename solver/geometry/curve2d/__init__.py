"""Plane curves: smooth outlines by points, and how they touch each other, circles and straight lines."""
