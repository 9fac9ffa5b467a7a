"""Two runs of one machine that take different ways of calculation: all their columns agree."""

from __future__ import annotations

import numpy as np
from running import Results

# Largest difference of two paths, by the size of a quantity; accelerations and reactions have the round-off of
# positions over dt^2 on the general path.
SAME, SAME_FORCE = 1e-11, 1e-7
OF_FORCES = ("AX", "AY", "AZ", "AR", "F", "M")


def stem_of(channel: str) -> str:
    return channel.rstrip("XYZxyz0123456789")


def is_of_forces(channel: str) -> bool:
    return channel.startswith(OF_FORCES) or channel in ("T", "POWER", "impact_loss")


def check_columns(found: Results, general: Results, *, same: float = SAME) -> None:
    """All columns of both runs agree, and the rows of the first are met."""
    np.testing.assert_array_equal(found.times, general.times)
    for group, channels in general.values.items():
        for channel, values in channels.items():
            if group == "diag" and channel in ("iterations", "constraint_violation"):
                continue
            alike = (of for name, of in channels.items() if stem_of(name) == stem_of(channel))
            size = max(1.0, *(float(np.nanmax(np.abs(of), initial=0.0)) for of in alike))
            tolerance = (SAME_FORCE if is_of_forces(channel) else same) * size
            of_both = found.values[group][channel], values
            np.testing.assert_allclose(*of_both, rtol=0, atol=tolerance, err_msg=f"{group}/{channel}")
    assert np.max(found.scalar("diag", "constraint_violation")) <= 1e-13
