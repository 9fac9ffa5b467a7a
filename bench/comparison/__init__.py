"""What `compare.py` runs: the machines, their motion, a builder for each program, the measuring and the tables."""
