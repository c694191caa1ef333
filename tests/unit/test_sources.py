"""Text is split into ids by Arrow as line by line, and read as integers as Python reads them."""

from __future__ import annotations

import io
from unittest import mock

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pan_audits.sources import as_integers, reader
from pan_estimators import InputError

PIECES = st.sampled_from([b"7", b"+7", b" 12", b"\t-3\r", b"ann", "é".encode(), b"", b"\n", b"\n\n", b"\r\n", b"\x0b"])


def ids_of(content, *, short, block=2**22):
    with mock.patch.object(reader, "_SHORT", short), mock.patch.object(reader, "_BLOCK", block):
        return [value for batch in reader._lines(io.BytesIO(content), "the file") for value in batch.tolist()]


@given(st.lists(PIECES).map(b"".join), st.integers(1, 9))
def test_arrow_splits_text_as_python_does(content, block):
    expected = [line.strip().decode() for line in content.split(b"\n") if line.strip()]
    assert [str(value) for value in ids_of(content, short=-1, block=block)] == expected
    assert ids_of(content, short=2**30, block=block) == expected


@pytest.mark.parametrize("short", [-1, 2**30])
def test_what_is_no_text_is_refused(short):
    with pytest.raises(InputError, match="the file is not UTF-8 text"):
        ids_of(b"1\n\xff\n", short=short)
    with pytest.raises(InputError, match="line of more than"):
        ids_of(b"1" * (2**20 + 1), short=short)


@given(st.lists(st.integers(-(2**63), 2**63 - 1) | st.sampled_from(["+7", " 8", "007"]), min_size=1))
def test_strings_of_arrow_are_read_as_integers_like_those_of_numpy(ids):
    texts = list(map(str, ids))
    numbers = list(map(int, ids))
    for column in (pa.array(texts), pa.array(texts).dictionary_encode(), np.array(texts), pa.array(numbers)):
        assert as_integers(column).tolist() == numbers


@pytest.mark.parametrize("bad", ["x", "0x1F", "0XA", "1.5", "", "9223372036854775808", "1e3"])
def test_what_python_takes_for_no_integer_is_none(bad):
    for column in (pa.array(["1", bad]), pa.array(["1", bad]).dictionary_encode(), np.array(["1", bad])):
        with pytest.raises(InputError, match=f"id '{bad}' is no integer"):
            as_integers(column)
