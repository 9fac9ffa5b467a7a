"""/GJOINT: gear, differential and rack-and-pinion joints, held at position level.

A joint is made of *links* (one for each of its nodes 1 to 3) and one *relation* between their coordinates.

Link of node k on the carrier (node 0), in the triad r, s, t fixed in the carrier:
    c     = (r, s, t) . (R_0^T (p_k - p_0) - d_k)                             offset from the place as built
    PIN   : c = 0 (3 rows, the rigid link) and R_k r stays parallel to R_0 r (2 rows: equations 2-5 of /GJOINT)
    SLIDE : c_s = c_t = 0 (2 rows) and, if the node has inertia, node k keeps the orientation of node 0 (3 rows)
    coordinate: theta_k, the unwrapped rotation about r (PIN), or u_k = c_r (SLIDE)

Relation (equations 1, 6 and 9 of /GJOINT, at position level):
    GEAR  alpha theta_1 + theta_2 = 0
    DIFF  alpha theta_1 + theta_2 + theta_3 = 0
    RACK  alpha theta_1 + u_2 = 0

A link is made once for each (carrier, node, axis): a shaft in several joints on one housing repeats nothing.
The multipliers are the reactions: of a PIN the bearing force along r, s, t and two bearing moments on node k, of
a relation lambda the torque coefficient_k * lambda on shaft k about r_k (and minus that on the carrier).  All rows are
written in the carrier's axes, so that G M^-1 G^T stays constant while balanced rotors turn.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from .rotation import to_body, to_global
from .rows import RowBuilder, set_entry, widen_tolerance
from .state import GROUND, Floats, Record, Records, Vector

PIN, SLIDE, SLIDE_POINT, RIGID = 0, 1, 2, 3  # RIGID: node and carrier ride on the same body, nothing can move
ROWS_OF_LINK = {PIN: 5, SLIDE: 5, SLIDE_POINT: 2, RIGID: 0}
TWO_PI = 2 * math.pi

LINK = np.dtype(
    [
        ("kind", "i8"),
        ("carrier", "i8"),  # body of node 0
        ("node", "i8"),  # body of node k
        ("row", "i8"),  # first row
        ("entry", "i8"),  # first entry
        ("width", "i8"),  # entries of a row: bodies that move
        ("centre_offset", "f8", 3),  # reference point of node k's body minus that of node 0's, t = 0
        ("node_arm", "f8", 3),  # from the reference point to node k, body axes
        ("triad", "f8", (3, 3)),  # rows r, s, t in the carrier's axes
        ("turns", "f8"),  # whole turns of theta at t_n
        ("angle", "f8"),  # theta less the whole turns, in (-pi, pi]
        ("slide", "f8"),  # u at t_n
        ("trial_turns", "f8"),  # the same for the trial positions
        ("trial_angle", "f8"),
        ("trial_slide", "f8"),
        ("rate", "f8"),  # of the coordinate at t_{n-1/2}
    ],
    align=True,
)
# One row each: the sum of coefficient * coordinate over its terms.
RELATION = np.dtype([("row", "i8"), ("start", "i8"), ("end", "i8")], align=True)
TERM = np.dtype(
    [
        ("link", "i8"),
        ("node_entry", "i8"),  # entry of the node's body, -1 for the ground
        ("carrier_entry", "i8"),
        ("coefficient", "f8"),
        ("coefficient_high", "f8"),  # its leading 26 bits: their product with whole turns is exact
    ],
    align=True,
)


@njit(cache=True, forceinline=True)
def between(link: Record, a: Record, b: Record, trial: bool) -> Vector:
    """From the reference point of carrier a to that of body b, global, at the trial positions or at t_n."""
    if trial:
        ua, ub, la, lb = a.trial_displacement, b.trial_displacement, a.trial_low_displacement, b.trial_low_displacement
    else:
        ua, ub, la, lb = a.displacement, b.displacement, a.low_displacement, b.low_displacement
    offset = link.centre_offset
    return (
        offset[0] + ((ub[0] - ua[0]) + (lb[0] - la[0])),
        offset[1] + ((ub[1] - ua[1]) + (lb[1] - la[1])),
        offset[2] + ((ub[2] - ua[2]) + (lb[2] - la[2])),
    )


@njit(cache=True, forceinline=True)
def link_residuals(links: Records, first: int, last: int, rows: Records, bodies: Records) -> None:
    """Residuals of the link rows at the trial positions, and the trial coordinates."""
    for i in range(first, last):
        link = links[i]
        kind = link.kind
        if kind == RIGID:
            continue
        a, b = bodies[link.carrier], bodies[link.node]
        row = link.row
        arm, offset, triad = link.node_arm, link.centre_offset, link.triad
        px, py, pz = between(link, a, b, True)
        hx, hy, hz = to_global(b.trial_rotation, arm[0], arm[1], arm[2])
        # node k in the carrier's axes, less its place as built
        cx, cy, cz = to_body(a.trial_rotation, px + hx, py + hy, pz + hz)
        cx, cy, cz = cx - (offset[0] + arm[0]), cy - (offset[1] + arm[1]), cz - (offset[2] + arm[2])
        along, across_s, across_t = to_global(triad, cx, cy, cz)
        if kind == SLIDE_POINT:
            link.trial_slide = along
            rows[row].residual = across_s
            rows[row + 1].residual = across_t
            continue
        # relative rotation of node k in the carrier: w and the vector part along r, s, t
        qa, qb = a.trial_quaternion, b.trial_quaternion
        w0, x0, y0, z0 = qa[0], qa[1], qa[2], qa[3]
        w1, x1, y1, z1 = qb[0], qb[1], qb[2], qb[3]
        w = w0 * w1 + x0 * x1 + y0 * y1 + z0 * z1
        vx = w0 * x1 - x0 * w1 - y0 * z1 + z0 * y1
        vy = w0 * y1 + x0 * z1 - y0 * w1 - z0 * x1
        vz = w0 * z1 - x0 * y1 + y0 * x1 - z0 * w1
        vr, vs, vt = to_global(triad, vx, vy, vz)
        if kind == SLIDE:
            sign = 2.0 if w > 0 else -2.0
            link.trial_slide = along
            rows[row].residual = across_s
            rows[row + 1].residual = across_t
            rows[row + 2].residual = sign * vr
            rows[row + 3].residual = sign * vs
            rows[row + 4].residual = sign * vt
            continue
        rows[row].residual = along
        rows[row + 1].residual = across_s
        rows[row + 2].residual = across_t
        # (R_k r) . s and (R_k r) . t in the carrier
        rows[row + 3].residual = 2 * (w * vt + vs * vr)
        rows[row + 4].residual = 2 * (vt * vr - w * vs)
        set_angle(link, 2 * math.atan2(vr, w))


@njit(cache=True, forceinline=True)
def set_angle(link: Record, angle: float) -> None:
    """Trial angle and whole turns of a link, continuing those of t_n."""
    if angle > math.pi:
        angle -= TWO_PI
    elif angle <= -math.pi:
        angle += TWO_PI
    step = angle - link.angle
    link.trial_angle = angle
    link.trial_turns = link.turns - 1 if step > math.pi else (link.turns + 1 if step < -math.pi else link.turns)


@njit(cache=True, forceinline=True)
def relation_residuals(
    relations: Records, terms: Records, first: int, last: int, links: Records, rows: Records
) -> None:
    """Residuals of the relations at the trial coordinates.

    Whole turns are summed apart: coefficient_high * turns is exact, so the residual's floor does not grow with them.
    """
    for j in range(first, last):
        relation = relations[j]
        turns_high, turns_low, rest = 0.0, 0.0, 0.0
        for k in range(relation.start, relation.end):
            term = terms[k]
            link = links[term.link]
            turns_high += term.coefficient_high * link.trial_turns
            turns_low += (term.coefficient - term.coefficient_high) * link.trial_turns
            rest += term.coefficient * (link.trial_angle + link.trial_slide)
        rows[relation.row].residual = TWO_PI * (turns_high + turns_low) + rest


@njit(cache=True, forceinline=True)
def set_pair(entries: Records, k: int, b: int, a: int, f: Vector, arm: Vector, p: Vector) -> None:
    """A force direction f at node k: entry of body b at its arm, and the opposite on the carrier a at the arm p."""
    fx, fy, fz = f
    if b != GROUND:
        x, y, z = arm
        set_entry(entries[k], fx, fy, fz, y * fz - z * fy, z * fx - x * fz, x * fy - y * fx)
        k += 1
    if a != GROUND:
        x, y, z = p
        set_entry(entries[k], -fx, -fy, -fz, z * fy - y * fz, x * fz - z * fx, y * fx - x * fy)


@njit(cache=True, forceinline=True)
def set_moment_pair(entries: Records, k: int, b: int, a: int, mx: float, my: float, mz: float) -> None:
    """A moment direction m on body b, and the opposite on the carrier a."""
    if b != GROUND:
        set_entry(entries[k], 0.0, 0.0, 0.0, mx, my, mz)
        k += 1
    if a != GROUND:
        set_entry(entries[k], 0.0, 0.0, 0.0, -mx, -my, -mz)


@njit(cache=True, forceinline=True)
def link_jacobians(links: Records, first: int, last: int, rows: Records, entries: Records, bodies: Records) -> None:
    """Entries of the link rows at t_n: d/dt of each residual, with R_k r = R_0 r; tolerances where the node slides."""
    for i in range(first, last):
        link = links[i]
        kind = link.kind
        if kind == RIGID:
            continue
        a, b = link.carrier, link.node
        arm, triad = link.node_arm, link.triad
        entry, width = link.entry, link.width
        hx, hy, hz = to_global(bodies[b].rotation, arm[0], arm[1], arm[2])
        px, py, pz = between(link, bodies[a], bodies[b], False)
        at_node, at_carrier = (hx, hy, hz), (px + hx, py + hy, pz + hz)
        rotation = bodies[a].rotation
        for k in range(3):
            f = to_global(rotation, triad[k, 0], triad[k, 1], triad[k, 2])
            if kind == PIN:
                set_pair(entries, entry + k * width, b, a, f, at_node, at_carrier)
                if k == 2:
                    set_moment_pair(entries, entry + 3 * width, b, a, f[0], f[1], f[2])
                elif k == 1:
                    set_moment_pair(entries, entry + 4 * width, b, a, -f[0], -f[1], -f[2])
            else:
                if k > 0:
                    set_pair(entries, entry + (k - 1) * width, b, a, f, at_node, at_carrier)
                    widen_tolerance(rows[link.row + k - 1], abs(link.slide))
                if kind == SLIDE:
                    set_moment_pair(entries, entry + (k + 2) * width, b, a, f[0], f[1], f[2])


@njit(cache=True, forceinline=True)
def add_force(entry: Record, sign: float, f: Vector, arm: Vector) -> None:
    """Add sign * (f, arm x f) to an entry."""
    fx, fy, fz = sign * f[0], sign * f[1], sign * f[2]
    x, y, z = arm
    jacobian = entry.jacobian
    jacobian[0] += fx
    jacobian[1] += fy
    jacobian[2] += fz
    jacobian[3] += y * fz - z * fy
    jacobian[4] += z * fx - x * fz
    jacobian[5] += x * fy - y * fx


@njit(cache=True, forceinline=True)
def add_moment(entry: Record, sign: float, m: Vector) -> None:
    """Add sign * m to the angular part of an entry."""
    jacobian = entry.jacobian
    jacobian[3] += sign * m[0]
    jacobian[4] += sign * m[1]
    jacobian[5] += sign * m[2]


@njit(cache=True, forceinline=True)
def relation_jacobians(
    relations: Records, terms: Records, first: int, last: int, links: Records, rows: Records, entries: Records,
    bodies: Records,
) -> None:  # fmt: skip
    """Entries of the relation rows at t_n; a body that appears in several terms collects them."""
    for j in range(first, last):
        relation = relations[j]
        row = rows[relation.row]
        for k in range(row.start, row.end):
            set_entry(entries[k], 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        for k in range(relation.start, relation.end):
            term = terms[k]
            link = links[term.link]
            if link.kind == RIGID:
                continue
            a, b = bodies[link.carrier], bodies[link.node]
            c, triad, arm = term.coefficient, link.triad, link.node_arm
            f = to_global(a.rotation, c * triad[0, 0], c * triad[0, 1], c * triad[0, 2])
            if link.kind == PIN:
                if term.node_entry >= 0:
                    add_moment(entries[term.node_entry], 1.0, f)
                if term.carrier_entry >= 0:
                    add_moment(entries[term.carrier_entry], -1.0, f)
                continue
            at_node = to_global(b.rotation, arm[0], arm[1], arm[2])
            widen_tolerance(row, abs(c * link.slide))
            if term.node_entry >= 0:
                add_force(entries[term.node_entry], 1.0, f, at_node)
            if term.carrier_entry >= 0:
                px, py, pz = between(link, a, b, False)
                add_force(entries[term.carrier_entry], -1.0, f, (px + at_node[0], py + at_node[1], pz + at_node[2]))


@njit(cache=True, forceinline=True)
def growth(link: Record) -> float:
    """By how much the coordinate of a link grows over the step at hand."""
    turned = TWO_PI * (link.trial_turns - link.turns) + (link.trial_angle - link.angle)
    return turned + (link.trial_slide - link.slide)


@njit(cache=True, forceinline=True)
def commit_links(links: Records, first: int, last: int, dt: float) -> None:
    """Coordinates of t_{n+1} become those of t_n; the rate of the step is kept."""
    for i in range(first, last):
        link = links[i]
        link.rate = growth(link) / dt
        link.turns = link.trial_turns
        link.angle = link.trial_angle
        link.slide = link.trial_slide


def triad_about(axis: Floats) -> Floats:
    """Orthonormal right-handed triad (3, 3), rows r, s, t, with r along `axis` (a unit vector)."""
    helper = np.zeros(3)
    helper[np.argmin(np.abs(axis))] = 1.0
    s = np.cross(axis, helper)
    s /= np.linalg.norm(s)
    return np.array([axis, s, np.cross(axis, s)])


class GearJointBuilder:
    """Adds joints one by one, sharing links, and makes the flat arrays."""

    def __init__(self, builder: RowBuilder, centres: Floats) -> None:
        """centres : (nb, 3) mass centres of all bodies at t = 0."""
        self._rows = builder
        self._centres = centres
        self._links: dict[tuple[int, int, tuple[float, ...], bool], int] = {}
        self._fields: list[tuple[int, int, int, Floats, Floats, Floats, int, int]] = []
        self._terms: list[list[tuple[int, float, int, int]]] = []
        self._relation_rows: list[int] = []

    @property
    def n_links(self) -> int:
        return len(self._fields)

    @property
    def n_relations(self) -> int:
        return len(self._terms)

    def link(
        self,
        key: tuple[int, int],
        carrier: int,
        node: int,
        arm: Floats,
        axis: Floats,
        kind: int,
        scale: float,
    ) -> tuple[int, float]:
        """The link of a node on a carrier, made now if it is new: its index, and -1 if its axis points the other way.

        key : node rows (carrier, node); carrier, node : bodies; arm : from the reference point of node k's body to node
        k; scale : size of the subsystem, for the tolerance of the rows.
        """
        sliding = kind in (SLIDE, SLIDE_POINT)
        for sign in (1.0, -1.0):
            known = self._links.get((*key, tuple(np.round(sign * axis, 9) + 0.0), sliding))
            if known is not None:
                return known, sign
        if carrier == node:
            kind = RIGID
        index = len(self._fields)
        first_row, first_entry = len(self._rows), 0
        for i in range(ROWS_OF_LINK[kind]):
            is_length = i < (2 if sliding else 3)
            _, entry = self._rows.add([node, carrier], scale if is_length else 1.0)
            first_entry = entry if i == 0 else first_entry
        offset = self._centres[node] - self._centres[carrier]
        self._fields.append((kind, carrier, node, offset, arm, triad_about(axis), first_row, first_entry))
        self._links[(*key, tuple(np.round(axis, 9) + 0.0), sliding)] = index
        return index, 1.0

    def relation(self, links: list[int], coefficients: list[float], scale: float) -> int:
        """The relation of one joint; returns its row."""
        bodies: list[int] = []
        for i in links:
            kind, carrier, node = self._fields[i][:3]
            bodies += [b for b in (node, carrier) if kind != RIGID and b != GROUND and b not in bodies]
        row, first_entry = self._rows.add(bodies, scale)
        entry_of = {body: first_entry + k for k, body in enumerate(bodies)}
        self._terms.append(
            [
                (i, c, entry_of.get(self._fields[i][2], -1), entry_of.get(self._fields[i][1], -1))
                for i, c in zip(links, coefficients, strict=True)
            ]
        )
        self._relation_rows.append(row)
        return row

    def build(self) -> tuple[Records, Records, Records]:
        """The links, the relations and the terms of the relations."""
        links = np.zeros(len(self._fields), LINK)
        names = ("kind", "carrier", "node", "centre_offset", "node_arm", "triad", "row", "entry")
        for name, column in zip(names, zip(*self._fields, strict=True), strict=False):
            links[name] = column
        links["width"] = (links["carrier"] != GROUND).astype(int) + (links["node"] != GROUND)
        flat = [term for terms in self._terms for term in terms]
        terms = np.zeros(len(flat), TERM)
        fields = ("link", "coefficient", "node_entry", "carrier_entry")
        for name, column in zip(fields, zip(*flat, strict=True), strict=False):
            terms[name] = column
        terms["coefficient_high"] = leading_bits(terms["coefficient"])
        relations = np.zeros(len(self._terms), RELATION)
        counts = np.array([len(terms) for terms in self._terms], dtype=np.int64)
        relations["row"], relations["end"] = self._relation_rows, np.cumsum(counts)
        relations["start"] = relations["end"] - counts
        return links, relations, terms


def leading_bits(values: Floats) -> Floats:
    """The leading 26 bits of each value (Veltkamp splitting), so that its product with an integer < 2^27 is exact."""
    scaled = values * 134217729.0  # 2^27 + 1
    return scaled - (scaled - values)
