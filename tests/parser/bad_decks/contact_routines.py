"""Routines that the decks of this folder name."""


def normal_forces(id, time, par, npar, loci, ni, locj, nj, gap, gapdot, gapdotdot, dflag, iflag):
    return [0.0, 0.0, 0.0]


def too_few(id, time, par):
    return [0.0, 0.0, 0.0]


def by_markers(id, time, par, npar, loci, ni, locj, nj, gap, gapdot, gapdotdot, dflag, iflag):
    vector, _ = py_impact(gap, distance(par), 0.0, 1e6, 1.5, 0.0, 1.0, 0)  # noqa: F821
    return [vector[0], 0.0, 0.0]


def distance(par):
    value, _ = py_sysfnc("DM", [par[0], par[1]])  # noqa: F821
    return value


def results(id, i_gra_id, j_gra_id, time, par, npar, iflag, endflg):
    py_get_ncontacts(id, i_gra_id, j_gra_id)  # noqa: F821
