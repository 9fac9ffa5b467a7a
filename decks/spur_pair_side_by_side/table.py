"""Prints ratio, transmission error, contact ratio and force of the pairs side by side.

    gsolve decks/spur_pair_side_by_side/spur_pair_side_by_side.rad
    python decks/spur_pair_side_by_side/table.py spur_pair_side_by_side.h5

The last ten teeth of the pinion are looked at: 0.079 s.
"""

import math
import sys

import h5py
import numpy as np

TEETH, SPEED = 20, 40.0
BASE_RADIUS = 0.04 * math.cos(math.radians(20.0))  # of the wheel
SPAN = 10 * 2 * math.pi / TEETH / SPEED


def turned(nodes: h5py.Group, node: int, times: np.ndarray) -> np.ndarray:
    """Angle of a node in the samples looked at."""
    return nodes["DRZ"][:, list(nodes["id"][:]).index(node)][times]


def main() -> None:
    with h5py.File(sys.argv[1]) as file:
        nodes, teeth = file["th/node"], file["th/inter"]
        times = nodes["time"][:]
        late = times >= times[-1] - SPAN - 1e-9
        print("                       |  ratio + 1/2 | transmission error | contact ratio |    force")
        print("closed form            |            0 |                    |         1.635 |  532.1 N")
        for name, first, interface in (("meshes", 1, 0), ("curves", 11, 1), ("GEAR joint", 21, None)):
            pinion, wheel = (turned(nodes, first + k, late) for k in (0, 1))
            ratio = (wheel[-1] - wheel[0]) / (pinion[-1] - pinion[0])
            error = np.ptp(wheel + pinion / 2) * BASE_RADIUS * 1e6
            line = f"{name:22} | {ratio + 0.5:12.1e} | {error:15.2f} um | "
            if interface is not None:
                force = np.hypot(teeth["FNX"][:, interface], teeth["FNY"][:, interface])[late]
                line += f"{teeth['NPATCH'][:, interface][late].mean():13.3f} | {force.mean():6.1f} N"
            print(line)


if __name__ == "__main__":
    main()
