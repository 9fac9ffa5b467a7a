"""Results in the formats of other programs: tables, surfaces in motion, pictures."""
