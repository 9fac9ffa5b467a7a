"""Spectra against oscillations of which everything is known."""

from __future__ import annotations

import numpy as np
import pytest
from gsolve.solver.results.plot.spectra import (
    SpectrumError,
    amplitude_spectrum,
    evenly,
    order_map,
    strongest,
    turns_of,
)

TIMES = np.linspace(0.0, 2.0, 2001)
RATE = 2 * np.pi * (5.0 + 4.0 * TIMES)  # a run-up from 5 to 13 turns a second
TURNS = 5.0 * TIMES + 2.0 * TIMES**2


def test_an_oscillation_on_a_line_has_its_amplitude() -> None:
    """With a Hann window half of it stands on the lines beside it."""
    values = 7.0 + 3.0 * np.cos(2 * np.pi * 10.0 * TIMES[:-1] + 0.4)
    places, amplitudes = amplitude_spectrum(values, 0.001)
    assert places[20] == pytest.approx(10.0)
    np.testing.assert_allclose(amplitudes[18:23], [0.0, 1.5, 3.0, 1.5, 0.0], atol=1e-12)
    assert amplitudes[0] < 1e-12  # the mean is taken off


@pytest.mark.parametrize("frequency", [10.0, 10.13, 10.25, 123.4])
def test_peaks_between_lines_are_found_with_their_amplitude(frequency: float) -> None:
    """To what leaks over from negative frequencies."""
    even = evenly(TIMES, 3.0 * np.cos(2 * np.pi * frequency * TIMES + 0.4) + 1.0)
    assert even.note == ""
    (peak,) = strongest(*amplitude_spectrum(even.values, even.step), 3)[:1]
    assert (peak.at, peak.amplitude) == (pytest.approx(frequency, rel=1e-5), pytest.approx(3.0, rel=1e-4))


def test_peaks_come_by_their_size() -> None:
    values = sum(a * np.sin(2 * np.pi * f * TIMES) for a, f in ((0.3, 50.0), (2.0, 80.0), (1.0, 20.0)))
    peaks = strongest(*amplitude_spectrum(np.asarray(values), 0.001), 2)
    assert [round(peak.at, 1) for peak in peaks] == [80.0, 20.0]
    assert strongest(*amplitude_spectrum(np.zeros(100), 0.001), 2) == []


def test_uneven_samples_are_resampled_and_that_is_told() -> None:
    times = np.sort(np.random.default_rng(1).uniform(0.0, 2.0, 8000))
    even = evenly(times, np.sin(2 * np.pi * 5.0 * times))
    assert "not evenly spaced" in even.note and "resampled on straight lines at 8000 even times" in even.note
    (peak,) = strongest(*amplitude_spectrum(even.values, even.step), 1)
    assert (peak.at, peak.amplitude) == (pytest.approx(5.0, rel=1e-3), pytest.approx(1.0, rel=1e-3))
    last = evenly(np.append(TIMES, 2.0003), np.append(TIMES, 9.0))
    assert last.note == "the last sample, after an odd step, is left out" and np.array_equal(last.values, TIMES)


def test_turns_from_rates_and_from_angles() -> None:
    np.testing.assert_allclose(turns_of(TIMES, RATE, is_rate=True), TURNS, atol=1e-11)
    np.testing.assert_allclose(turns_of(TIMES, 2 * np.pi * TURNS + 3.0, is_rate=False), TURNS, atol=1e-12)


def test_orders_of_a_run_up_stand_at_their_places_with_their_amplitudes() -> None:
    values = 2.0 * np.cos(2 * np.pi * 3.0 * TURNS) + 0.5 * np.sin(2 * np.pi * 7.5 * TURNS)
    found = order_map(TIMES, TURNS, values)
    assert (found.turns, found.note) == (pytest.approx(18.0), "")
    first, second = strongest(found.orders, found.mean, 2)
    assert (first.at, first.amplitude) == (pytest.approx(3.0, abs=0.01), pytest.approx(2.0, rel=2e-3))
    assert (second.at, second.amplitude) == (pytest.approx(7.5, abs=0.01), pytest.approx(0.5, rel=1e-2))
    ends = np.array([[0.0, found.turns_of_block], [18.0 - found.turns_of_block, 18.0]])
    means = np.mean(np.sqrt(25.0 + 8.0 * ends), axis=1)  # the speed is (25 + 8 turns)^1/2 and grows evenly
    assert np.all(np.diff(found.speeds) > 0.0)
    np.testing.assert_allclose(found.speeds[[0, -1]], means, rtol=1e-3)
    assert found.highest == pytest.approx(0.5 / 0.013, rel=1e-3)  # 1000 samples a second at 13 turns a second


def test_a_fixed_frequency_is_no_order() -> None:
    """It is 40 Hz over the speed: 40/7 in the beginning and 40/12 in the end."""
    found = order_map(TIMES, TURNS, np.sin(2 * np.pi * 40.0 * TIMES))
    places = found.orders[np.argmax(found.amplitudes, axis=1)]
    np.testing.assert_allclose(places[[0, -1]], 40.0 / found.speeds[[0, -1]], atol=1.5 * found.orders[1])


def test_the_longest_stretch_in_one_direction_is_taken() -> None:
    turns = np.where(TIMES < 0.5, 8.0 * TIMES, 4.0 - 9.0 * (TIMES - 0.5))
    found = order_map(TIMES, turns, np.sin(2 * np.pi * 4.0 * turns))
    assert found.note == "the shaft turns one way from 0.5 to 2: the rest is left out"
    assert found.turns == pytest.approx(13.5)
    assert strongest(found.orders, found.mean, 1)[0].at == pytest.approx(4.0, abs=0.01)


@pytest.mark.parametrize(
    ("work", "told"),
    [
        (lambda: order_map(TIMES, TURNS / 10.0, TIMES), "the shaft turns 1.8 times one way, and orders take 4 turns"),
        (lambda: order_map(TIMES, 0.0 * TURNS, TIMES), "the shaft turns 0 times one way, and orders take 4 turns"),
        (lambda: evenly(TIMES[:9], TIMES[:9]), "9 samples are too few: 16 are needed"),
        (lambda: evenly(TIMES, np.where(TIMES > 1.9005, np.nan, 0.0)), "100 of its 2001 values are no numbers"),
    ],
)
def test_what_has_no_spectrum(work: object, told: str) -> None:
    with pytest.raises(SpectrumError) as error:
        work()  # type: ignore[operator]
    assert str(error.value) == told
