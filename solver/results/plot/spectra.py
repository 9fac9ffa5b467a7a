"""Amplitudes of a history by frequency, and by orders of the turns of a shaft."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline, PchipInterpolator

from ...core.bodies import Floats

EVEN = 1e-6  # of a step: what even spacing may lack
FEWEST_SAMPLES = 16
FEWEST_TURNS = 4.0
TURNS_OF_BLOCK = (4.0, 16.0)  # fewest and most; else an eighth of all turns
_OVERLAP, _FEWEST_BLOCKS = 4, 11  # a block begins at most a quarter of its length after the one before
_FINER = 4  # than the samples is the grid over the angle
_LEAST_PEAK = 1e-4  # of the largest


class SpectrumError(ValueError):
    """A history has no spectrum."""


@dataclass(frozen=True, slots=True)
class Peak:
    """A pure oscillation: at which frequency or order, with which amplitude."""

    at: float
    amplitude: float


@dataclass(frozen=True, slots=True)
class Even:
    """A history at even steps; note : how it came to that, "" where it was so."""

    values: Floats
    step: float
    note: str


@dataclass(frozen=True, slots=True)
class OrderMap:
    """Amplitudes by order, in blocks of turns.

    orders : (m,) periods a turn
    amplitudes : (blocks, m)
    times, speeds : (blocks,) mean of each block, the speed in turns per unit of time
    highest : order up to which the samples reach at the highest speed
    note : what was left out, "" where nothing was
    """

    orders: Floats
    amplitudes: Floats
    times: Floats
    speeds: Floats
    turns: float
    turns_of_block: float
    highest: float
    note: str

    @property
    def mean(self) -> Floats:
        """(m,) root of the mean square of all blocks."""
        return np.asarray(np.sqrt(np.mean(self.amplitudes**2, axis=0)))


def evenly(times: Floats, values: Floats) -> Even:
    """A history at even steps: as it is, without an odd last step, or else resampled on straight lines.

    Raises
    ------
    SpectrumError
        it is too short, or has values that are no numbers
    """
    _refuse(values)
    steps = np.diff(times)
    step = float(np.median(steps))
    odd = np.abs(steps - step) > EVEN * step
    if not odd.any():
        return Even(values, (times[-1] - times[0]) / (len(times) - 1), "")
    if not odd[:-1].any():
        return Even(values[:-1], step, "the last sample, after an odd step, is left out")
    count = len(times)
    grid = np.linspace(times[0], times[-1], count)
    spread = f"{np.min(steps):.4g} to {np.max(steps):.4g}"
    return Even(
        np.interp(grid, times, values),
        float(grid[1] - grid[0]),
        f"samples are not evenly spaced ({spread} apart): resampled on straight lines at {count} even times",
    )


def amplitude_spectrum(values: Floats, step: float) -> tuple[Floats, Floats]:
    """Frequencies (in 1 by the unit of the step) and amplitudes of a history at even steps, less its mean.

    With a Hann window: an oscillation A cos(2 pi f t) has A at f if f is a multiple of 1 by the whole time.
    """
    count = len(values)
    window = 0.5 - 0.5 * np.cos(2.0 * np.pi * np.arange(count) / count)
    mean = np.sum(window * values) / np.sum(window)
    amplitudes = np.asarray(2.0 * np.abs(np.fft.rfft(window * (values - mean))) / np.sum(window), dtype=np.float64)
    return np.asarray(np.fft.rfftfreq(count, step), dtype=np.float64), amplitudes


def strongest(places: Floats, amplitudes: Floats, count: int) -> list[Peak]:
    """The largest peaks of a spectrum with a Hann window, each with the frequency and amplitude between its lines.

    Of a pure oscillation with the two largest lines A, B: B / A gives the place between them (Grandke, Interpolation
    algorithms for discrete Fourier transforms of weighted signals, IEEE Trans. Instrum. Meas. 32, 1983).
    """
    largest = float(np.max(amplitudes, initial=0.0))
    inner = amplitudes[1:-1]
    high = (inner > amplitudes[:-2]) & (inner >= amplitudes[2:]) & (inner > _LEAST_PEAK * largest)
    chosen = sorted((np.flatnonzero(high) + 1).tolist(), key=lambda k: -amplitudes[k])[:count]
    peaks = [_between_lines(places, amplitudes, k) for k in chosen]
    return sorted(peaks, key=lambda peak: -peak.amplitude)


def _between_lines(places: Floats, amplitudes: Floats, k: int) -> Peak:
    side = 1 if amplitudes[k + 1] >= amplitudes[k - 1] else -1
    ratio = amplitudes[k + side] / amplitudes[k]
    part = (2.0 * ratio - 1.0) / (ratio + 1.0)
    part = min(max(part, 0.0), 0.5)
    whole = amplitudes[k] / np.sinc(part) * (1.0 - part**2)
    return Peak(float(places[k] + side * part * (places[1] - places[0])), float(whole))


def turns_of(times: Floats, shaft: Floats, *, is_rate: bool) -> Floats:
    """(n,) turns of a shaft since the first time, of its angle or its rate in rad."""
    _refuse(shaft)
    angle = CubicSpline(times, shaft).antiderivative()(times) if is_rate else shaft
    return np.asarray((angle - angle[0]) / (2.0 * np.pi))


def order_map(times: Floats, turns: Floats, values: Floats) -> OrderMap:
    """Amplitudes of a history by orders of a shaft, over the longest time in which that turns one way.

    Raises
    ------
    SpectrumError
        the shaft turns too little, or something has values that are no numbers
    """
    _refuse(values)
    first, last = _one_way(turns)
    note = ""
    if (first, last) != (0, len(turns) - 1):
        note = f"the shaft turns one way from {times[first]:.6g} to {times[last]:.6g}: the rest is left out"
    times, values, turns = (table[first : last + 1] for table in (times, values, turns))
    turns = np.abs(turns - turns[0])
    whole = float(turns[-1])
    if whole < FEWEST_TURNS or len(turns) < FEWEST_SAMPLES:
        raise SpectrumError(f"the shaft turns {whole:.3g} times one way, and orders take {FEWEST_TURNS:g} turns")
    highest = float(np.min(0.5 / np.diff(turns)))
    count = _FINER * len(turns)
    grid = np.linspace(0.0, whole, count)
    at = np.clip(PchipInterpolator(turns, times)(grid), times[0], times[-1])
    fine = CubicSpline(times, values)(at)
    block = float(np.clip(whole / 8.0, *TURNS_OF_BLOCK))
    length = min(round(block / whole * (count - 1)), count)
    hop = max(1, min(length // _OVERLAP, (count - length) // _FEWEST_BLOCKS))
    starts = np.arange(0, count - length + 1, hop)
    step = float(grid[1])
    spectra = [amplitude_spectrum(fine[k : k + length], step) for k in starts]
    known = spectra[0][0] <= highest
    ends = np.minimum(starts + length, count - 1)
    return OrderMap(
        spectra[0][0][known],
        np.stack([amplitudes[known] for _, amplitudes in spectra]),
        np.asarray(0.5 * (at[starts] + at[ends])),
        np.asarray((grid[ends] - grid[starts]) / (at[ends] - at[starts])),
        whole,
        length * step,
        min(highest, float(np.max(spectra[0][0]))),
        note,
    )


def _one_way(turns: Floats) -> tuple[int, int]:
    """First and last sample of the stretch with the most turns in one direction."""
    signs = np.sign(np.diff(turns))
    changes = np.flatnonzero(np.diff(signs) != 0.0) + 1
    starts, ends = np.concatenate([[0], changes]), np.concatenate([changes, [len(signs)]])
    best = int(np.argmax(np.abs(turns[ends] - turns[starts])))
    return int(starts[best]), int(ends[best])


def _refuse(values: Floats) -> None:
    if len(values) < FEWEST_SAMPLES:
        raise SpectrumError(f"{len(values)} samples are too few: {FEWEST_SAMPLES} are needed")
    if not np.all(np.isfinite(values)):
        raise SpectrumError(f"{np.count_nonzero(~np.isfinite(values))} of its {len(values)} values are no numbers")
