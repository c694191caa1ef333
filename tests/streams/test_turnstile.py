"""The shipped streams with insertions and deletions."""

from collections import Counter

import numpy as np
import pytest

from pan_estimators.streams.turnstile import TURNSTILE_STREAMS, load_turnstile_stream
from pan_promises.errors import InputError


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


def test_streams_cannot_be_changed_and_name_their_source():
    for name in TURNSTILE_STREAMS:
        stream = load_turnstile_stream(name)
        assert "CC" in stream.attribution
        with pytest.raises(ValueError, match="read-only"):
            stream.signs[0] = 0


def test_another_name_is_refused_with_a_suggestion():
    with pytest.raises(InputError, match=r"unknown stream 'online-retail-pair'; .*online-retail-pairs"):
        load_turnstile_stream("online-retail-pair")
