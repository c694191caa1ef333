"""Shipped and synthetic streams of ids, and turnstile streams."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from pan_estimators import STREAMS, InputError, exact_counter, load_stream, uniform_stream, zipf_stream
from pan_estimators.streams.real import load_turnstile_stream


@pytest.mark.parametrize(
    ("name", "length", "users", "universe", "first", "source"),
    [
        ("online-retail", 406_829, 4_372, 5_942, 17850, "10.24432/C5BW33"),
        ("nycflights13", 334_264, 4_043, 4_043, "N14228", "CC0"),
    ],
)
def test_shipped_streams_have_their_published_counts(name, length, users, universe, first, source):
    stream = load_stream(name)
    assert (stream.ids.size, np.unique(stream.ids).size, stream.universe.size) == (length, users, universe)
    assert stream.ids[0] == first
    assert source in stream.attribution


def test_a_stream_can_be_counted_and_not_changed():
    for name in STREAMS:
        stream = load_stream(name)
        counter = exact_counter(universe=stream.universe)
        state = counter.update(counter.create(None), stream.ids, None)
        assert counter.release(state, None) == np.unique(stream.ids).size / stream.universe.size
        with pytest.raises(ValueError, match="read-only"):
            stream.ids[0] = stream.ids[1]


def test_synthetic_streams_have_the_densities_of_the_paper():
    densities = {
        make: np.mean([np.unique(make(seed=seed)).size / 1e5 for seed in range(5)])
        for make in (uniform_stream, zipf_stream)
    }
    assert densities[uniform_stream] == pytest.approx(1 - np.exp(-1), abs=0.002)
    exact = 1 - (1 - (1 / np.arange(1, 10**5 + 1)) / (1 / np.arange(1, 10**5 + 1)).sum()) ** 1e5
    assert densities[zipf_stream] == pytest.approx(exact.mean(), abs=0.002)


@pytest.mark.parametrize("arguments", [{"universe": 0}, {"length": -1}, {"universe": 2.5}])
def test_impossible_streams_are_refused(arguments):
    for make in (uniform_stream, zipf_stream):
        with pytest.raises(InputError):
            make(**arguments)


def test_users_with_labels_can_be_numbered():
    labelled, numbered = load_stream("nycflights13"), load_stream("nycflights13", numbered=True)
    assert (labelled.universe.encode(labelled.ids) == numbered.universe.encode(numbered.ids)).all()
    assert numbered.ids.dtype.kind == "i"
    assert numbered.universe.size == labelled.universe.size
    plain = load_stream("online-retail", numbered=True)
    assert (plain.ids == load_stream("online-retail").ids).all()


@pytest.mark.parametrize(
    ("name", "entries", "elements", "flippancy", "last", "most"),
    [
        ("online-retail-pairs", 406829, 267615, 11, 262978, 262978),
        ("online-retail-customers", 406829, 4372, 6, 4311, 4311),
        ("nycflights13-airborne", 656126, 4037, 1092, 0, 189),
    ],
)
def test_the_documented_figures_are_those_of_the_stream(name, entries, elements, flippancy, last, most):
    stream = load_turnstile_stream(name)
    assert "CC" in stream.attribution
    with pytest.raises(ValueError, match="read-only"):
        stream.signs[0] = 0
    assert stream.minutes.size == stream.elements.size == stream.signs.size == entries
    assert np.all(np.diff(stream.minutes) >= 0)
    assert np.unique(stream.elements).tolist() == list(range(elements))
    counts, flips, present, highest = Counter(), Counter(), 0, 0
    for element, sign in zip(stream.elements.tolist(), stream.signs.tolist(), strict=True):
        before = counts[element] > 0
        counts[element] += sign
        after = counts[element] > 0
        if before != after:
            flips[element] += 1
            present += after - before
            highest = max(highest, present)
    assert (max(flips.values()), present, highest) == (flippancy, last, most)


def test_another_name_is_refused_with_a_suggestion():
    with pytest.raises(InputError, match=r"unknown stream 'online-retail-pair'; .*online-retail-pairs"):
        load_turnstile_stream("online-retail-pair")
    with pytest.raises(InputError, match="unknown stream 'sales'; known are online-retail, nycflights13"):
        load_stream("sales")
