"""Stop every example deck at three random places, once by SIGKILL, and compare with the run in one go.

    python tests/physics/judge_resume.py [--seed 0] [EXAMPLE ...]

Each dataset must have the same bytes.  A line an example says at which times its run was continued.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "solver")]

import gsolve  # noqa: E402
from interrupted import deck_of, histories_of, random_parts, run_killed, run_stopped  # noqa: E402

DECKS = TESTS.parent / "decks"


def differing(folder: Path, example: str, seed: int) -> tuple[list[str], str]:
    """Datasets that differ, and the times at which the run was continued."""
    deck = deck_of(DECKS / example)
    whole, part = folder / "whole.h5", folder / "part.h5"
    gsolve.run(deck, output=whole, allow_user_code=True)
    killed, *stopped = sorted(random_parts(f"{seed} {example}", 3))
    run_killed(deck, part, killed)
    run_stopped(deck, part, stopped)
    expected, found = histories_of(whole), histories_of(part)
    names = [name for name in {*expected, *found} if expected.get(name) != found.get(name)]
    return sorted(names), str(gsolve.load(part).attributes["resumed"])


def main() -> int:
    """Exit status 1 if any differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("examples", nargs="*", default=sorted(path.parent.name for path in DECKS.glob("*/README.md")))
    arguments = parser.parse_args()
    failed = 0
    for example in arguments.examples:
        with tempfile.TemporaryDirectory() as folder:
            names, times = differing(Path(folder), example, arguments.seed)
        failed += bool(names)
        print(f"{example}: {'differs in ' + ', '.join(names) if names else 'same bytes'}, continued at t = {times}",
              flush=True)  # fmt: skip
    print(f"{len(arguments.examples) - failed} of {len(arguments.examples)} as in one go")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
