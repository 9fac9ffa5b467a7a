"""Deck text: sources, grammar, numbers, expressions and diagnostics."""
