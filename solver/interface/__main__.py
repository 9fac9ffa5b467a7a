"""`python -m gsolve`: the command line."""

from gsolve.solver.cli import main

if __name__ == "__main__":
    main()
