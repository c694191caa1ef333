"""Rows from a pipe are handed on when they arrive, and however they are cut."""

import itertools
import os
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pan_audits.sources.live import live_rows
from pan_promises.errors import InputError


def piped(parts, choose=lambda names: list(range(len(names)))):
    """The batches of rows that are read from a pipe into which the parts are written."""
    reading, writing = os.pipe()

    def write():
        with os.fdopen(writing, "wb", buffering=0) as pipe:
            for part in parts:
                pipe.write(part)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        return list(live_rows(reading, "the pipe", choose))
    finally:
        writer.join()
        os.close(reading)


def rows_of(batches):
    return [row for batch in batches for row in zip(*batch, strict=True)]


@given(st.lists(st.integers(0, 60), max_size=5))
def test_rows_do_not_depend_on_where_the_text_is_cut(places):
    text = 'a,b\n1,é\n"2,\n3",x\n\n4,5'.encode()
    bounds = [0, *sorted(min(place, len(text)) for place in places), len(text)]
    parts = [text[start:end] for start, end in itertools.pairwise(bounds)]
    assert rows_of(piped(parts)) == [("1", "é"), ("2,\n3", "x"), ("4", "5")]


def test_a_row_is_handed_on_before_the_next_one_is_written():
    reading, writing = os.pipe()
    with os.fdopen(writing, "wb", buffering=0) as pipe:
        batches = live_rows(reading, "the pipe", lambda names: [1])
        pipe.write(b"a,b\n1,2\n")
        assert next(batches) == [["2"]]
        pipe.write(b"3,4\n5,6\n")
        assert next(batches) == [["4", "6"]]
    assert list(batches) == []
    os.close(reading)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (b"", "is empty"),
        (b"a,b\n1\n", "line 2 of the pipe has 1 fields, and 2 have names"),
        (b"a\n\xff\n", "is not UTF-8"),
        (b'a\n"open\n', "cannot be read as CSV"),
        (b"a\n" + b"x" * (2**20 + 2), "more than 1048576 bytes"),
    ],
)
def test_a_bad_row_is_named(text, sentence):
    with pytest.raises(InputError, match=sentence):
        piped([text[: 2**15]] if len(text) < 2**15 else [text])
