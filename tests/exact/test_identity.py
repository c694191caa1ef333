"""What is the same for an adversary, and what is not."""

from __future__ import annotations

import copy
import functools
import math
import random
from collections import OrderedDict, defaultdict, deque, namedtuple
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import panproof
from pan_audits.events.observing.values import fingerprint
from pan_audits.exact.identity import Constancy, StateKeys, plain_bytes, seen_key, state_key
from pan_audits.subject.isolation.data import DataError, to_data
from panproof import Verdict
from tests.exact.checking import examined, judged
from tests.mechanisms import alike, first_input
from tests.mechanisms.evasive import NumberWithMore, SlottedDictionary


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
@settings(max_examples=200)
def test_values_with_one_description_are_equal_to_every_slower_comparison(left, right):
    described = plain_bytes(left)
    assert described is not None
    keys = StateKeys()
    for other in (left, right, copy.deepcopy(left), right):
        assert keys.of(other) == state_key(other)
        if plain_bytes(other) == described:
            assert state_key(other) == state_key(left)
            assert fingerprint(other) == fingerprint(left)


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


@pytest.mark.parametrize("name", alike.LEAKS)
def test_a_difference_in_memory_alone_is_refuted_and_one_form_for_all_streams_tells_nothing(name):
    result = examined(alike.LEAKS[name], users=2, length=1, appearances=2)
    assert result.verdict is Verdict.REFUTED, result.reason
    assert result.loss.describe().startswith("infinite")
    words = "(another state is written alike, and differs in memory)"
    assert name != "PayloadOfNan" or words in result.witness.describe()
    twin = examined(getattr(alike, f"TwinOf{name}"), users=2, length=1, appearances=2)
    assert twin.verdict is Verdict.NOT_REFUTED, twin.reason
    assert twin.loss.nats == 0


def test_a_fraction_in_other_terms_is_no_equal_state():
    """An adversary sees the two numbers of which it consists."""
    number = Fraction(1, 2)
    to_data(number)
    object.__setattr__(number, "_numerator", 2)
    object.__setattr__(number, "_denominator", 4)
    with pytest.raises(DataError, match="lowest terms"):
        to_data(number)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (shared(), [[0], [0]]),
        ({1: 0, 2: 0}, {2: 0, 1: 0}),
        (1, True),
        (1, 1.0),
        ([1], (1,)),
        ("1", 1),
        (NumberWithMore(1.0), NumberWithMore(1.0).with_last(2)),
        (SlottedDictionary(1), SlottedDictionary(2)),
        (deque([1], maxlen=1), deque([1], maxlen=2)),
        (defaultdict(int), defaultdict(list)),
        (defaultdict(lambda: 0), defaultdict(lambda: [1])),
    ],
)
def test_states_are_merged_only_if_they_behave_alike(left, right):
    assert state_key(left) != state_key(right)


def test_outputs_are_compared_by_their_contents():
    assert state_key({"a": [1, 2.5, None]}) == state_key({"a": [1, 2.5, None]})
    assert seen_key([1, True]) == seen_key([1.0, 1])
    assert seen_key({3, 1}) == seen_key({1, 3})
    assert seen_key(math.nan) == seen_key(float("nan"))


GEOMETRIC = "((1 if rng.random() < 0.5 else 1 + rng.geometric(0.5)) if data else rng.geometric(0.5))"
"""A geometric number is 1 with probability 1/2, or else one more than another one."""
Near, Far = namedtuple("Near", "place"), namedtuple("Far", "place")


@pytest.mark.parametrize(
    ("mechanism", "loss"),
    [
        # Always 0.1: the noise is multiplied by 0.
        ("0.1 + 0 * rng.laplace() if data else 0.1", 0.0),
        ("[0.1 + 0 * rng.laplace() if data else 0.1, 'text']", 0.0),
        # Randomised response with a fair coin, whose random answer is a truth value and the true one a number.
        ("data if rng.random() < 0.5 else rng.random() < 0.5", math.log(3)),
        # A fair coin for both inputs, as a text of numpy and of Python.
        ("rng.choice(['yes', 'no']) if data else ('yes' if rng.random() < 0.5 else 'no')", 0.0),
        # The name of a record and the digits of a decimal are seen, and the sign of a zero.
        (lambda data, rng: (Far if data else Near)(1), math.inf),
        (lambda data, rng: (Far if rng.random() < 0.5 else Near)(1), 0.0),
        ("Decimal('1.00' if data else '1.0')", math.inf),
        ("Decimal('1.00' if rng.random() < 0.5 else '1.0')", 0.0),
        ("[-0.0 if data else 0.0]", math.inf),
        ("np.float64(np.inf) if data else math.inf", 0.0),
        # A number among integer noise counts together with it; a text beside it is told apart.
        (GEOMETRIC, 0.0),
        ("(rng.geometric(0.5), ['a', 'b'][data])", math.inf),
    ],
)
def test_outputs_that_look_alike_are_one_outcome(mechanism, loss):
    result = judged(mechanism, 0, 1, "epsilon=2")
    assert result.loss.nats == pytest.approx(loss)
    assert result.verdict is (Verdict.NOT_REFUTED if loss < 2 else Verdict.REFUTED)


@pytest.mark.parametrize(
    ("mechanism", "delta"), [(GEOMETRIC, 0.01), (f"({GEOMETRIC}, 'text')", 0), (f"{{'count': [{GEOMETRIC}]}}", 0.01)]
)
def test_integer_noise_may_equal_a_number_in_its_place_also_in_a_container(mechanism, delta):
    result = judged(mechanism, 0, 1, f"epsilon=1,delta={delta}")
    assert result.verdict is Verdict.INCONCLUSIVE
    assert "may give the same output" in result.reason


USED = "depend on the inputs of earlier runs"


@pytest.mark.parametrize(
    ("mechanism", "words"),
    [
        (first_input.in_a_closure, [USED]),
        pytest.param(first_input.in_an_attribute_of_a_class, [USED], marks=pytest.mark.more),
        pytest.param(first_input.the_number_of_inputs_so_far, [USED], marks=pytest.mark.more),
        pytest.param(first_input.FirstCount, [USED, "outside of its state"], marks=pytest.mark.more),
        # Data of its own run, outside of the state.
        (first_input.LastOfTheClass, [USED, "outside of", "the same draws have another outcome"]),
        (first_input.ByTheObjectOfTheState, [USED, "outside of", "the same draws have another outcome"]),
        (first_input.NothingReturned, ["return its output"]),
    ],
)
def test_code_that_uses_more_than_its_input_and_its_state_is_not_judged(mechanism, words):
    if isinstance(mechanism, type):
        result = panproof.check(mechanism, users=2, length=2).report
    else:
        result = panproof.check(mechanism, 0, 1, epsilon=1 / 2).report
    assert result.verdict is Verdict.INCONCLUSIVE
    assert any(word in result.reason for word in words), result.reason


@pytest.mark.parametrize(
    ("mechanism", "epsilon", "verdict"),
    [
        (first_input.memory_of_a_function, 1 / 2, Verdict.NOT_REFUTED),
        pytest.param(first_input.written_and_never_read, 1 / 4, Verdict.REFUTED, marks=pytest.mark.more),
    ],
)
def test_a_cache_that_changes_no_output_is_accepted(mechanism, epsilon, verdict):
    assert panproof.check(mechanism, 0, 1, epsilon=epsilon).verdict is verdict


def test_a_constant_of_the_class_and_the_methods_of_a_dataclass_are_no_data_of_earlier_runs():
    result = panproof.check(first_input.KeepsWhatIsNotUsed, users=2, length=2)
    assert (result.verdict, result.loss) == (Verdict.NOT_REFUTED, 1.0)
    result = panproof.check(first_input.StateInADataclass).report
    assert result.verdict is Verdict.NOT_REFUTED
    assert result.conduct.unran == ()
