"""Results beside each other: two runs, a run and a table of another program, a run and the numbers it should give."""
