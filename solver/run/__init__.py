"""A run as a person starts it."""
