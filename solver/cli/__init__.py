"""The command line: `gsolve DECK`, `gsolve check DECK` and their kin."""


def main() -> None:
    """Entry point `gsolve`; its module is imported by worker processes as well, which need no commands."""
    from ..run.interrupt import ended_at_once

    with ended_at_once():
        from .program import main
    main()
