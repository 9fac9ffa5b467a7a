"""Routines for contacts, as /INTER/USERCNF and /INTER/POST name them; for the examples of the deck reference."""

from __future__ import annotations

from collections.abc import Sequence


def CNFSUB(
    id: int,
    time: float,
    par: Sequence[float],
    npar: int,
    loci: Sequence[float],
    ni: Sequence[float],
    locj: Sequence[float],
    nj: Sequence[float],
    gap: float,
    gapdot: float,
    gapdotdot: float,
    dflag: bool,
    iflag: bool,
) -> list[float]:
    """Normal force par[0] * depth^par[1] along the normal of side i; gap is negative while solids overlap."""
    force = par[0] * max(-gap, 0.0) ** par[1]
    return [force * ni[0], force * ni[1], force * ni[2]]


def CFFSUB(
    id: int,
    time: float,
    par: Sequence[float],
    npar: int,
    loci: Sequence[float],
    locj: Sequence[float],
    x: Sequence[float],
    xdot: Sequence[float],
    nforce: float,
    dflag: bool,
    iflag: bool,
) -> list[float]:
    """Friction par[0] times the normal force, against the slip velocity, smoothed below a speed of 1."""
    speed = (xdot[0] ** 2 + xdot[1] ** 2 + xdot[2] ** 2) ** 0.5
    factor = -par[0] * abs(nforce) / max(speed, 1.0)
    return [factor * xdot[0], factor * xdot[1], factor * xdot[2]]


def CONTACTPOST(
    id: int,
    i_gra_id: int,
    j_gra_id: int,
    time: float,
    par: Sequence[float],
    npar: int,
    iflag: bool,
    endflg: bool,
) -> None:
    """Called with the results of an interface; this one has no use for them."""
