"""Pictures of histories: one style, one way to open a figure and to write it."""
