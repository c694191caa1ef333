"""States as plain data, without a name of a class in the document."""

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from pan_estimators.states.plain_fields import state_from_plain, state_to_plain
from pan_promises.errors import InputError, StateFileError


@dataclass(eq=False, slots=True)
class Inner:
    counts: NDArray[np.int32]
    time: int = 0
    sums: NDArray[Any] = field(default_factory=lambda: np.ones(2))


@dataclass(frozen=True)
class Outer:
    inner: Inner
    copies: list[Inner] = field(default_factory=list)
    output: Any = 0.0
    pair: tuple[int, float] = (1, 0.5)
    last: Inner | None = None
    known: dict[int, float] = field(default_factory=dict)
    made: bool = field(init=False, default=False)


def equal(one, other):
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
    if hasattr(one, "__dataclass_fields__"):
        return type(one) is type(other) and all(
            equal(getattr(one, name), getattr(other, name)) for name in one.__dataclass_fields__
        )
    if isinstance(one, (list, tuple)):
        return type(one) is type(other) and len(one) == len(other) and all(map(equal, one, other))
    if isinstance(one, dict):
        return list(one) == list(other) and all(equal(one[key], other[key]) for key in one)
    return repr(one) == repr(other)


COUNTS = st.lists(st.integers(-(2**31), 2**31 - 1), max_size=5).map(lambda values: np.array(values, dtype=np.int32))
INNER = st.builds(Inner, COUNTS, st.integers())
OUTER = st.builds(
    Outer,
    INNER,
    st.lists(INNER, max_size=3),
    st.floats() | st.none() | st.booleans() | st.text(),
    st.tuples(st.integers(), st.floats()),
    st.none() | INNER,
    st.dictionaries(st.integers(), st.floats(), max_size=3),
)


@given(OUTER)
def test_a_state_comes_back_as_it_was(state):
    document, arrays = state_to_plain(state)
    again = state_from_plain(Outer, json.loads(json.dumps(document)), arrays)
    assert equal(state, again)


def test_arrays_of_each_type_and_shape_come_back():
    @dataclass
    class Held:
        values: Any

    for kind in ("bool", "int8", "uint16", "int32", "uint64", "float32", "float64"):
        for shape in ((0,), (3,), (2, 5), ()):
            values = np.ones(shape, dtype=kind)
            assert equal(Held(values), state_from_plain(Held, *state_to_plain(Held(values)))) or shape == ()


@pytest.mark.parametrize("value", [object(), np.array([object()]), {1, 2}, len])
def test_anything_else_is_not_written(value):
    with pytest.raises(InputError, match="cannot be written to a file"):
        state_to_plain(Outer(Inner(np.zeros(1, np.int32)), output=value))


CHANGES = [
    ("fields", "inner", "fields", "counts", "dtype"),
    ("fields", "inner", "fields", "counts", "shape"),
    ("fields", "inner", "fields", "time"),
    ("fields", "inner", "fields"),
    ("fields", "inner"),
    ("fields", "pair"),
    ("fields", "copies"),
    ("fields",),
]
VALUES = [
    None,
    1,
    "x",
    [],
    {},
    {"int": "1.5"},
    {"fields": {}},
    {"array": "no", "dtype": "<i4", "shape": [1]},
    "|O",
    "<f8",
]


@pytest.mark.parametrize("path", CHANGES, ids=str)
def test_another_document_is_refused_with_a_sentence(path):
    for value in VALUES:
        document, arrays = state_to_plain(Outer(Inner(np.arange(3, dtype=np.int32)), [Inner(np.zeros(1, np.int32))]))
        holder = document
        for step in path[:-1]:
            holder = holder[step]
        if value == [] and path[-1] == "shape":
            continue
        holder[path[-1]] = value
        with pytest.raises(StateFileError):
            state_from_plain(Outer, document, arrays)


def test_a_document_names_no_class():
    document, _ = state_to_plain(Outer(Inner(np.zeros(1, np.int32))))
    assert "Outer" not in json.dumps(document)
    assert __name__ not in json.dumps(document)
