"""The typed model of a deck: what the parser hands to the solver."""
