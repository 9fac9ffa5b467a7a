"""Elastic collisions of random meshed parts: what they make of the kinetic energy, at some 100 steps a touch.

    python bench/mesh_collisions.py                100 each of convex parts, others, and mixed: two minutes
    python bench/mesh_collisions.py 1000 volume    as many, by VOLUME in place of POISSON

Parts of 0.1 m and 1 kg, triangles of 6 mm, K z^1.5, 2 m/s.  Printed: how many touched and parted again; the change of
the kinetic energy in the median, of 9 in 10, and the largest; the largest change of momentum and angular momentum,
kg, m, s; and the worst collisions, with their seeds.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).parents[1] / "tests" / name) for name in ("physics", "solver", ".")]
from mesh_parts import CONVEX, NOT_CONVEX, collision  # noqa: E402
from running import run  # noqa: E402

GROUPS = {"convex": (tuple(CONVEX),) * 2, "not convex": (tuple(NOT_CONVEX),) * 2,
          "mixed": (tuple(NOT_CONVEX), tuple(CONVEX))}  # fmt: skip
WORST = 5


def judged(one: str, other: str, seed: int, law: str) -> tuple[float, float] | None:
    """Change of the kinetic energy and of the momenta; None if they did not touch, or still do."""
    results = run(collision(one, other, seed, law=law, every=4e-4))
    depth = results.of("th/inter", "PEN", 1)
    if not results.of("th/inter", "FLICKER", 1).any() or depth[-1] > 0.0:
        return None
    energy = results.scalar("energy", "kinetic_translational") + results.scalar("energy", "kinetic_rotational")
    momenta = (results.momentum(), results.angular_momentum())
    change = max(float(np.abs(values - values[0]).max()) for values in momenta)
    return float(energy[-1] / energy[0] - 1.0), change


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    law = sys.argv[2] if len(sys.argv) > 2 else "poisson"
    for group, (ones, others) in GROUPS.items():
        found = []
        for seed in range(count):
            random = np.random.default_rng([seed, 7])
            names = str(random.choice(ones)), str(random.choice(others))
            judgement = judged(*names, seed, law)
            if judgement is not None:
                found.append((*judgement, *names, seed))
        errors = np.abs([each[0] for each in found])
        middle, most, largest = np.quantile(errors, [0.5, 0.9, 1.0])
        print(f"{group}: {len(found)} of {count} touched and parted; kinetic energy off by {middle:.1e}, {most:.1e}, "
              f"{largest:.1e}, momenta by {max(each[1] for each in found):.0e}")  # fmt: skip
        for change, _, one, other, seed in sorted(found, key=lambda each: -abs(each[0]))[:WORST]:
            print(f"    {change:9.1e}  {one}, {other}, seed {seed}")


if __name__ == "__main__":
    main()
