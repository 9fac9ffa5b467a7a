"""Machines made at random, family by family, and what each must keep whatever it does.

machine_deck : a deck built body by body, in any numbering, order of blocks, units and rounding
twin : the same machine calculated densely, from the definitions of its joints
trees, loops, gears, driven, collisions, walls : the families; families : all of them by name
invariants, comparisons : what is judged in one run, and by comparison with another one
judge : machine number n of a seed, judged
"""
