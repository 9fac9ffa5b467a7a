"""/TH of joints knows the variables by the names that the history file has."""

from collections.abc import Callable

import pytest
from gsolve.parser.keywords.history import variables_of
from gsolve.parser.model import Units
from gsolve.solver.core.channels import Channel
from gsolve.solver.results.joint_output import (
    coupler_channels,
    drive_channels,
    gear_joint_channels,
    joint_channels,
    joint_force_channels,
)
from gsolve.solver.results.sensor_output import sensor_channels

SI = Units("kg", "m", "s", 1.0, 1.0, 1.0)


def all_joint_channels(units: Units) -> list[Channel]:
    """With what acts along the coordinates of joints."""
    along = [channel for turns in (True, False) for channel in joint_force_channels(units, rotational=turns)]
    return [*joint_channels(units), *along]


@pytest.mark.parametrize(
    ("family", "channels"),
    [
        ("GJOINT", gear_joint_channels),
        ("JOINT", all_joint_channels),
        ("COUPLER", coupler_channels),
        ("DRIVE", drive_channels),
        ("SENSOR", sensor_channels),
    ],
)
def test_variables_of_deck_and_file_are_the_same(family: str, channels: Callable[[Units], list[Channel]]) -> None:
    assert variables_of(family) == {channel.name for channel in channels(SI)}
