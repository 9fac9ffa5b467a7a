"""Judge many random machines by what each must keep, and say which do not.

    python tests/physics/judge_machines.py --count 20000 --seed 0 --processes 1 --folder judged
    python tests/physics/judge_machines.py --seed 0 --number 4711 --folder judged

Machine n of a seed is always the same.  The folder gets a line of JSON for each machine in `seed_0.jsonl`, and the deck
of each that fails; a run that was broken off goes on where it stopped.  With --number one machine is judged by all
comparisons, and its deck is written.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS / "physics"), str(TESTS), str(TESTS / "solver")]

from generated.families import FAMILIES, Case  # noqa: E402
from generated.judge import Verdict, judge  # noqa: E402


def record(verdict: Verdict) -> dict:  # type: ignore[type-arg]
    """What is kept of a verdict: of each invariant the value over its bound (the value itself where that is 0)."""
    shares: dict[str, float] = {}
    for measure in verdict.measures:
        share = float(measure.value / measure.bound if measure.bound else measure.value)
        shares[measure.invariant] = max(share, shares.get(measure.invariant, 0.0))
    return {
        "number": verdict.case.number,
        "family": verdict.case.family,
        "finer": verdict.case.finer,
        "shares": shares,
        "broken": sorted({measure.invariant for measure in verdict.broken}),
        "crash": verdict.crash,
        "seconds": round(verdict.seconds, 4),
    }


def judged(case: Case) -> tuple[dict, str, str]:  # type: ignore[type-arg]
    """Its record, the words for what is wrong with it, and its deck if something is."""
    verdict = judge(case)
    return record(verdict), "" if verdict.sound else str(verdict), "" if verdict.sound else str(verdict.case.deck())


def deck_file(folder: Path, case: Case) -> Path:
    return folder / f"seed_{case.seed}_machine_{case.number}.rad"


def run_all(seed: int, numbers: Iterable[int], folder: Path, processes: int) -> None:
    """Judge what is not in the folder yet."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"seed_{seed}.jsonl"
    done = {line["number"] for line in read_records(path)}
    cases = [Case(seed, number) for number in numbers if number not in done]
    if path.exists() and not path.read_text().endswith("\n"):
        path.write_text(path.read_text().rpartition("\n")[0] + "\n")  # a line that was cut off
    with path.open("a") as file, multiprocessing.get_context("spawn").Pool(processes) as pool:
        for line, words, deck in pool.imap(judged, cases, chunksize=8):
            if words:
                print(words, flush=True)
                deck_file(folder, Case(seed, line["number"])).write_text(deck)
            file.write(json.dumps(line) + "\n")
            file.flush()
    print(table(read_records(path)))


def read_records(path: Path) -> list[dict]:  # type: ignore[type-arg]
    """Of all machines judged so far; a line that was cut off does not count."""
    records = []
    for line in path.read_text().splitlines() if path.exists() else []:
        try:
            records.append(json.loads(line))
        except json.JSONDecodeError:
            continue
    return records


def table(records: Sequence[dict]) -> str:  # type: ignore[type-arg]
    """A line for each family: machines, with a finer step, failed runs, broken invariants, the worst value."""
    lines = [f"{'family':<18}{'machines':>9}{'finer':>7}{'failed':>7}{'broken':>7}  worst value over its bound"]
    of_family = defaultdict(list)
    for line in records:
        of_family[line["family"]].append(line)
    for family in [*(name for name in FAMILIES if name in of_family), "all"]:
        those = records if family == "all" else of_family[family]
        broken = Counter(name for line in those for name in line["broken"])
        failed, finer = sum(bool(line["crash"]) for line in those), sum(line["finer"] > 1 for line in those)
        share, name, number = max(
            ((share, name, line["number"]) for line in those for name, share in line["shares"].items()),
            default=(0.0, "", 0),
        )
        words = "; ".join(f"{count} {name}" for name, count in broken.most_common())
        lines.append(
            f"{family:<18}{len(those):>9}{finer:>7}{failed:>7}{sum(broken.values()):>7}"
            f"  {share:.1e} {name} (machine {number}){': ' if words else ''}{words}"
        )
    seconds = sum(line["seconds"] for line in records)
    lines.append(f"{seconds / max(1, len(records)):.3f} s of processor time each")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="number of the first machine")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=Path("judged"))
    parser.add_argument("--number", type=int, help="judge this machine alone, by all comparisons")
    given = parser.parse_args()
    if given.number is None:
        run_all(given.seed, range(given.first, given.first + given.count), given.folder, given.processes)
        return
    verdict = judge(Case(given.seed, given.number), every_comparison=True)
    given.folder.mkdir(parents=True, exist_ok=True)
    deck_file(given.folder, verdict.case).write_text(str(verdict.case.deck()))
    print(verdict)
    for measure in verdict.measures:
        print(f"  {measure.invariant:<20}{measure.value:12.3e}  bound {measure.bound:.1e}  {measure.remark}")


if __name__ == "__main__":
    main()
