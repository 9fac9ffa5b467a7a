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
    """Normal force par[0] * depth^par[1]; gap is negative while solids overlap."""
    return [par[0] * max(-gap, 0.0) ** par[1], 0.0, 0.0]


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
    return [-par[0] * nforce * min(xdot[0], 1.0), 0.0, 0.0]


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
