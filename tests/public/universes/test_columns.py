"""Long columns are encoded by Arrow and hashed by a compiled loop, with the cells that one id at a time has."""

from __future__ import annotations

import hashlib
import sys
from unittest import mock

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from cryptography.hazmat.primitives.ciphers import algorithms
from cryptography.hazmat.primitives.cmac import CMAC
from hypothesis import given, settings
from hypothesis import strategies as st

from pan_estimators import HashedUniverse, InputError, IntegerUniverse, LabelUniverse
from pan_estimators.universes import cmac_cells, columns

SIZES = st.sampled_from([1, 2, 1000, 2**32 + 15, 2**62 - 57, 2**62]) | st.integers(1, 2**62)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=5) | st.sampled_from(
    ["x" * length for length in (126, 127, 128, 254, 255, 256, 900)] + ["é" * 64, "a\0b", "a\0", "\0"]
)
FORMS = {
    "numpy": lambda ids: np.array(ids),
    "StringDType": lambda ids: np.array(ids, dtype=np.dtypes.StringDType()),
    "bytes": lambda ids: np.array([i.encode() for i in ids]),
    "Arrow": pa.array,
    "large": lambda ids: pa.array(ids, pa.large_string()),
    "view": lambda ids: pa.array(ids, pa.string_view()),
    "slice": lambda ids: pa.array(["none", *ids, "either"])[1:-1],
    "chunks": lambda ids: pa.chunked_array([ids[:2], ids[2:]], pa.string()),
    "dictionary": lambda ids: pa.array(["unused", *ids]).dictionary_encode()[1:],
    "part of a dictionary": lambda ids: pa.DictionaryArray.from_arrays(
        pa.array(range(len(ids))), pa.array(["unused", *ids], pa.large_string())[1:]
    ),
    "dictionaries": lambda ids: pa.chunked_array(
        [pa.array(part, pa.string()).dictionary_encode() for part in (ids[2:], ids[:2])]
    ),
    "polars": pl.Series,
    "categories": lambda ids: pl.Series(ids, dtype=pl.Categorical),
    "pandas": pd.Series,
    "objects": lambda ids: pd.Series(ids, dtype=object),
    "pandas categories": lambda ids: pd.Series(ids, dtype="category"),
    "list": list,
    "tuple": tuple,
    "array of objects": lambda ids: np.array(ids, dtype=object),
}


FIXED_WIDTH = ("numpy", "bytes")
"""Arrays whose strings lose the zeros at their ends when they are made."""


def held(ids, form):
    """What a column of a form has of some strings."""
    return [i.rstrip("\0") for i in ids] if form in FIXED_WIDTH else ids


def cell(value, size, key):
    """The definition: the library's AES-CMAC, brought down to the number of cells."""
    own = hashlib.blake2b(digest_size=16, key=key, person=b"cells, AES-CMAC").digest()
    code = CMAC(algorithms.AES(own))
    code.update(value.to_bytes(9, "little", signed=True) + b"i" if isinstance(value, int) else value.encode() + b"s")
    return int.from_bytes(code.finalize()) * size >> 128


def encoded(universe, ids, *, long):
    """By the paths for long columns, or by those for short ones."""
    bounds = (1, 1) if long else (10**9, 10**9)
    with mock.patch.object(columns, "LONG", bounds[0]), mock.patch.object(cmac_cells, "MANY", bounds[1]):
        return universe.encode(ids).tolist()


@given(st.lists(TEXT, min_size=3, max_size=12), SIZES, st.binary(min_size=16, max_size=64), st.sampled_from([*FORMS]))
@settings(max_examples=80)
def test_the_compiled_hash_of_strings_is_that_of_the_library_in_every_kind_of_column(ids, size, key, form):
    column = FORMS[form](ids)
    expected = [cell(i, size, key) for i in held(ids, form)]
    expected = expected[2:] + expected[:2] if form == "dictionaries" else expected
    assert encoded(HashedUniverse(size, key), column, long=True) == expected
    assert encoded(HashedUniverse(size, key), column, long=False) == expected


@pytest.mark.parametrize(
    "column",
    [
        pa.array(["a", None, "b"]),
        pa.array(["a", None, "b"]).dictionary_encode(),
        pa.DictionaryArray.from_arrays(pa.array([0, 1, 0]), pa.array(["a", None])),
        pl.Series(["a", None]),
        ["a", None],
        np.array(["a", None], dtype=object),
        pd.Series(["a", None]),
        pd.Series(["a", float("nan")], dtype=object),
        pa.array([1, None]),
        pl.Series([1, None]),
    ],
)
@pytest.mark.parametrize("long", [False, True])
def test_missing_ids_are_refused_in_every_kind_of_column(column, long):
    for universe in (HashedUniverse(99), LabelUniverse(["a", "b"])):
        with pytest.raises(InputError, match="ids must not be missing, got"):
            encoded(universe, column, long=long)


@pytest.mark.parametrize("long", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_zeros_in_strings_and_at_their_ends_make_other_ids(form, long):
    ids, universe = ["a\0b", "a", "a\0c", "a\0"], HashedUniverse(10**9, b"k" * 16)
    kept = held(ids, form)
    order = kept[2:] + kept[:2] if form == "dictionaries" else kept
    assert encoded(universe, FORMS[form](ids), long=long) == [cell(i, 10**9, b"k" * 16) for i in order]
    labels = LabelUniverse(ids)
    assert encoded(labels, FORMS[form](ids), long=long) == [labels.labels.index(i) for i in order]


def test_one_id_and_lists_keep_the_zeros_at_their_ends():
    universe = HashedUniverse(10**9, b"k" * 16)
    for long, short in (("a\0", "a"), (b"a\0", b"a"), (["a\0"], ["a"]), ([b"a\0"], [b"a"])):
        assert universe.encode(long).tolist() != universe.encode(short).tolist()
    with pytest.raises(InputError, match="integer ids"):
        IntegerUniverse(9).encode(["1\0"])


@pytest.mark.parametrize("long", [False, True])
def test_what_is_no_label_is_named_and_what_is_no_id_refused(long):
    labels = LabelUniverse(["a", "b"])
    for column in (np.array(["a", "x", "y"]), pa.array(["a", "x", "y"]), pa.array(["y", "x"]).dictionary_encode()[1:]):
        with pytest.raises(InputError, match="id 'x' is not among the 2 labels"):
            encoded(labels, column, long=long)
    unused = pa.array(["x", "a"]).dictionary_encode()[1:]
    assert encoded(labels, unused, long=long) == [0]
    for column in (pa.array([True]), pa.array([1.5]), np.array([b"\xff"]), np.array(["\ud800"]), pa.array([b"a"])):
        with pytest.raises(InputError, match="ids"):
            encoded(HashedUniverse(9), column, long=long)


def test_without_pyarrow_columns_are_looked_at_one_by_one():
    ids, universe = np.array(["b", "a", "b"]), HashedUniverse(10**6, b"k" * 16)
    with mock.patch.dict(sys.modules, {"pyarrow": None}):
        assert encoded(universe, ids, long=True) == [cell(i, 10**6, b"k" * 16) for i in "bab"]
        assert encoded(universe, pl.Series([3, 3]), long=True) == [cell(3, 10**6, b"k" * 16)] * 2
