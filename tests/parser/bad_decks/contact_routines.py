"""Routines that the decks of this folder name."""


def normal_forces(id, time, par, npar, loci, ni, locj, nj, gap, gapdot, gapdotdot, dflag, iflag):
    return [0.0, 0.0, 0.0]


def too_few(id, time, par):
    return [0.0, 0.0, 0.0]
