"""What is said at the end of a run: the values of its last sample, and its balance."""

from __future__ import annotations

import numpy as np

from ..core.channels import Family, SampleBlock
from .balance import Balance
from .describe import SCREEN_JOINTS, fact, table

ROUND_OFF = 1e-12  # of the energy turned over; what is less is not worth a line
FINAL_VALUES = {
    "th/gjoint": ("gear joint", ("VEL1", "VEL2", "VEL3", "V2", "T1", "T2", "T3", "F2")),
    "th/joint": ("joint", ("ANG", "RATE", "U", "V")),
    "th/drive": ("drive", ("ANG", "RATE", "T", "U", "V", "F")),
    "th/coupler": ("coupler", ("RATE1", "T1", "RATE2", "T2", "V2", "F2")),
    "th/sensor": ("sensor", ("STATUS", "TON", "VALUE")),
}
REMARKS = {"th/gjoint": "rates are relative to node_ID0, the carrier"}


def final_values(families: tuple[Family, ...], block: SampleBlock | None) -> list[str]:
    """Tables of joints, drives and couplers at the last sample: where they are, how fast, and what they carry."""
    if block is None or len(block) == 0:
        return []
    lines = [f"at t = {block.times[-1]:.9g}:"]
    for family in families:
        if family.group in FINAL_VALUES and family.ids is not None:
            what, wanted = FINAL_VALUES[family.group]
            shown = final_table(family, block, what, wanted)
            remark = [f"({REMARKS[family.group]})"] if shown and family.group in REMARKS else []
            lines += ["  " + line for line in shown + remark]
    return lines if len(lines) > 1 else []


def final_table(family: Family, block: SampleBlock, what: str, wanted: tuple[str, ...]) -> list[str]:
    """One row an object of a family, those of `wanted` that mean something for it."""
    assert family.ids is not None
    units = {channel.name: channel.unit for channel in family.channels}
    values = block.values[family.group]
    names = [name for name in wanted if name in units and not np.all(np.isnan(values[name][-1]))]
    rows = [
        [f"{id}", *("" if np.isnan(x := values[name][-1][k]) else f"{x:.7g}" for name in names)]
        for k, id in enumerate(family.ids[:SCREEN_JOINTS])
    ]
    rows = [row for row in rows if any(row[1:])]
    return table([what, *(f"{name} [{units[name]}]" for name in names)], rows) if rows else []


def balance_lines(balance: Balance, energy_unit: str) -> list[str]:
    """Energies and rows of a whole run."""
    lines = []
    if balance.samples:
        total = balance.latest.get("energy", {}).get("total", float("nan"))
        lines.append(
            fact(
                "energy",
                f"kinetic {balance.kinetic:.6g}, total {total:.6g} {energy_unit}; "
                f"largest error {balance.energy_error:.2g} of the energy turned over",
            )
        )
    if balance.contact_error > ROUND_OFF:
        lines.append(
            fact("", f"{balance.contact_error:.2g} of it made or lost by elastic contacts while solids touched")
        )
    if balance.worst_violation > 0.0:  # 0: there is nothing to violate
        lines.append(
            fact(
                "constraints",
                f"largest violation {balance.worst_violation:.2g} at t = {balance.time_of_worst_violation:.6g}",
            )
        )
    return lines
