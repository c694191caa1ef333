"""Quick descriptions of plain values are as fine as the comparisons that they stand in for."""

import copy
import functools
import math
import random
from collections import OrderedDict, defaultdict, deque
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pan_audits.exact.identity import Constancy, StateKeys, plain_bytes, state_key
from pan_audits.observing.values import fingerprint


@dataclass
class Record:
    first: object
    second: object = None


class Slotted:
    __slots__ = ("first", "second")

    def __init__(self, first, second):
        self.first, self.second = first, second


class Other(Record):
    pass


class WithMore(float):
    pass


class Colour(StrEnum):
    RED = "red"


scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 2),
    st.sampled_from([0.0, -0.0, 1.0, math.nan, math.inf, 0j, "", "1", b"1", b""]),
    st.sampled_from([np.int64(1), np.int32(1), np.float64(1), np.float32(1), np.bool_(True)]),
    st.sampled_from([Fraction(1), Fraction(1, 2)]),
    st.sampled_from([np.array([1, 0]), np.array([1.0, 0.0]), np.array([[1, 0]]), np.array([True]), np.array([])]),
)
hashable = st.one_of(st.booleans(), st.integers(-2, 2), st.sampled_from(["", "1", 1.0]))
plain = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=2).map(tuple),
        st.dictionaries(hashable, inner, max_size=2),
        st.frozensets(hashable, max_size=3),
        st.sets(hashable, max_size=3),
        st.builds(Record, inner, inner),
        st.builds(Other, inner, inner),
        st.builds(Slotted, inner, inner),
        inner.map(lambda one: [one, one]),
    ),
    max_leaves=5,
)


@given(plain, plain)
@settings(max_examples=300, deadline=None)
def test_values_with_one_description_are_equal_to_every_slower_comparison(left, right):
    described = plain_bytes(left)
    assert described is not None
    assert plain_bytes(left) == described
    for other in (right, copy.deepcopy(left)):
        if plain_bytes(other) == described:
            assert state_key(other) == state_key(left)
            assert fingerprint(other) == fingerprint(left)


@given(st.lists(plain, max_size=4))
@settings(max_examples=100, deadline=None)
def test_remembered_keys_are_the_keys(values):
    keys = StateKeys()
    for value in [*values, *values, *copy.deepcopy(values)]:
        assert keys.of(value) == state_key(value)


def shared():
    one = [0]
    return [one, one]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (1, True),
        (1, 1.0),
        (0.0, -0.0),
        (np.float64(1), 1.0),
        (np.int64(1), np.uint64(1)),
        (np.int64(1), b"\x01\0\0\0\0\0\0\0"),
        (np.array([1]), np.array([1]).tobytes()),
        (np.zeros(2), np.zeros((1, 2))),
        (np.zeros(2, dtype=np.int64), np.zeros(2)),
        ([1], (1,)),
        ({1: 0, 2: 0}, {2: 0, 1: 0}),
        (shared(), [[0], [0]]),
        (Record([0]), Other([0])),
        (Record(1), Slotted(1, None)),
        (Record(1), ("object", Record.__module__, "Record", ("first", 1), ("second", None))),
    ],
)
def test_plain_values_that_differ_are_described_differently(left, right):
    assert plain_bytes(left) != plain_bytes(right)


@pytest.mark.parametrize(
    "value",
    [
        WithMore(1),
        OrderedDict(a=1),
        defaultdict(int),
        deque([1]),
        random.Random(1),
        np.random.default_rng(1),
        np.ma.masked_array([1], mask=[True]),
        lambda: 0,
        iter([1]),
        bytearray(b"1"),
        [WithMore(1)],
        Record(Record(random.Random(1))),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_not_plain_is_left_to_the_slower_comparison(value):
    assert plain_bytes(value) is None


def test_values_that_contain_themselves_or_are_nested_deeply_have_a_description_or_none():
    itself = []
    itself.append(itself)
    assert plain_bytes(itself) != plain_bytes([[]])
    deep = []
    for _ in range(5_000):
        deep = [deep]
    assert plain_bytes(deep) is None


@dataclass(frozen=True)
class Estimator:
    """One that keeps things in every place where they can be kept."""

    numbers: list = field(default_factory=lambda: [0])
    table: dict = field(default_factory=lambda: {"deep": [{"deeper": np.zeros(2)}]})
    record: Slotted = field(default_factory=lambda: Slotted(0, [0]))
    bound: functools.partial = field(default_factory=lambda: functools.partial(max, [0]))
    colour: Colour = Colour.RED
    budget: WithMore = field(default_factory=lambda: WithMore(1))

    def __post_init__(self):
        count = 0

        def counter(step=[1]):  # noqa: B006
            nonlocal count
            count += step[0]

        object.__setattr__(self, "counter", counter)
        partial = functools.partial(counter)
        object.__setattr__(self, "partial", partial)


def changes(estimator):
    """Every way to change it, one at a time."""
    yield lambda: estimator.numbers.append(1)
    yield lambda: estimator.table["deep"][0]["deeper"].__setitem__(1, 1.0)
    yield lambda: setattr(estimator.record, "first", 0.0)
    yield lambda: estimator.record.second.append(1)
    yield lambda: object.__setattr__(estimator, "numbers", (0,))
    yield lambda: object.__setattr__(estimator, "further", 1)
    yield lambda: estimator.counter()
    yield lambda: estimator.partial()
    yield lambda: setattr(estimator.counter, "kept", 1)
    yield lambda: estimator.counter.__defaults__[0].append(2)
    yield lambda: setattr(estimator.budget, "kept", 1)


def test_an_estimator_that_changes_itself_anywhere_is_noticed():
    """Wherever the fingerprint tells, which is slow, the quick description must not hide it."""
    for place in range(len(list(changes(Estimator())))):
        estimator = Estimator()
        constancy = Constancy(estimator)
        slow, quick = fingerprint(estimator), constancy.now()
        assert quick == slow == constancy.now()
        list(changes(estimator))[place]()
        assert constancy.now() == fingerprint(estimator), place
        if place != 10:  # the fingerprint knows a number by its value alone
            assert fingerprint(estimator) != slow, place
