"""Contact force of Hunt and Crossley, F = K z^1.5 (1 + 1.5 alpha z'), as a routine for /INTER/USERCNF.

K. H. Hunt and F. R. E. Crossley, Coefficient of restitution interpreted as damping in vibroimpact, Journal of Applied
Mechanics 42 (1975) 440-445.  For slow impacts the rebound is 1 - alpha v.
"""


def CNFSUB(id, time, par, npar, loci, ni, locj, nj, gap, gapdot, gapdotdot, dflag, iflag):
    """par: K (force/length^1.5), alpha (time/length)."""
    if gap >= 0.0:
        return [0.0, 0.0, 0.0]
    depth, rate = -gap, -gapdot
    force = par[0] * depth**1.5 * (1.0 + 1.5 * par[1] * rate)
    return [max(force, 0.0), 0.0, 0.0]
