"""Deck text to typed model."""
