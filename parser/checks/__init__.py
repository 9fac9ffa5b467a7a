"""What can be looked at only when the whole deck is read, as it takes several blocks at once.

whole_deck : `check_model`: what nodes depend on, what is set on dependent nodes, what is meant to move and cannot
contact : whether what is declared to touch can touch at all

Checks of one block by itself stand beside its keyword; what takes masses and rows to see is checked by the solver.
"""
