"""Gears without CAD: profiles, closed triangle meshes, data of pairs, cards."""
