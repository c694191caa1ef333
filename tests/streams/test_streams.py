"""The shipped and synthetic streams are what they are said to be."""

from __future__ import annotations

import numpy as np
import pytest

from pan_estimators import STREAMS, InputError, exact_counter, load_stream, uniform_stream, zipf_stream


def test_online_retail_has_its_published_counts():
    stream = load_stream("online-retail")
    assert stream.ids.size == 406_829
    assert np.unique(stream.ids).size == 4_372
    assert (stream.ids[0], stream.ids[-1]) == (17850, 12680)
    assert stream.universe.size == 5_942
    assert "10.24432/C5BW33" in stream.attribution


def test_nycflights13_has_its_published_counts():
    stream = load_stream("nycflights13")
    assert stream.ids.size == 334_264
    assert stream.universe.size == np.unique(stream.ids).size == 4_043
    assert stream.ids[0] == "N14228"
    assert "CC0" in stream.attribution


def test_a_stream_can_be_counted_and_not_changed():
    for name in STREAMS:
        stream = load_stream(name)
        counter = exact_counter(universe=stream.universe)
        state = counter.update(counter.create(None), stream.ids, None)
        assert counter.release(state, None) == np.unique(stream.ids).size / stream.universe.size
        with pytest.raises(ValueError, match="read-only"):
            stream.ids[0] = stream.ids[1]


def test_an_unknown_stream_is_refused_with_the_names_of_the_known_ones():
    with pytest.raises(InputError, match="unknown stream 'sales'; known are online-retail, nycflights13"):
        load_stream("sales")


def test_synthetic_streams_have_the_densities_of_the_paper():
    densities = {
        make: np.mean([np.unique(make(seed=seed)).size / 1e5 for seed in range(5)])
        for make in (uniform_stream, zipf_stream)
    }
    assert densities[uniform_stream] == pytest.approx(1 - np.exp(-1), abs=0.002)
    exact = 1 - (1 - (1 / np.arange(1, 10**5 + 1)) / (1 / np.arange(1, 10**5 + 1)).sum()) ** 1e5
    assert densities[zipf_stream] == pytest.approx(exact.mean(), abs=0.002)


def test_zipf_probabilities_fall_with_the_rank():
    counts = np.bincount(zipf_stream(universe=4, length=60_000, seed=1), minlength=4) / 60_000
    assert counts == pytest.approx(np.array([12, 6, 4, 3]) / 25, abs=0.01)


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
