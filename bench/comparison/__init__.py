"""What `compare.py` runs: the machines, their motion, a builder for each program, the measuring and the tables."""

import os
import sys

if (
    "numpy" not in sys.modules
):  # read when NumPy is imported: threads that wait for work take time from what is measured
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
