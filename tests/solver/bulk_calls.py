"""`gsolve batch` and `gsolve sweep` in forks, and their workers likewise."""

from __future__ import annotations

import subprocess

from forked import programs

# Workers are copies of the program itself, which has loaded what they need; test_workers.py has those of a server.
COPIES = """
import multiprocessing
from gsolve.solver.bulk import workers
from gsolve.solver.cli import main

context = multiprocessing.get_context("fork")
multiprocessing.get_context = lambda kind: context
workers.HAS_SERVER = False
main()
"""


def call(*arguments: str) -> subprocess.CompletedProcess[str]:
    """What `gsolve` does with these arguments."""
    return programs().run(*arguments, code=COPIES)
