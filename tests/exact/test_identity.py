"""What is the same for an adversary, and what is not."""

from __future__ import annotations

import copy
import functools
import math
import random
from collections import OrderedDict, defaultdict, deque, namedtuple
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import panproof
from pan_audits import Verdict
from pan_audits.events.observing.values import fingerprint
from pan_audits.exact.check import run_check
from pan_audits.exact.identity import Constancy, StateKeys, plain_bytes, state_key
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.result import CheckSettings
from pan_audits.subject.isolation.data import DataError, to_data
from tests.mechanisms import first_input
from tests.mechanisms.alike import LEAKS
from tests.turns import every


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


HERE = "tests.mechanisms.alike"
SMALL = CheckSettings(users=2, length=1, appearances=2)
QUICK = list(LEAKS)[::3]
"""Twins in an ordinary run; the others are in the longer run."""


@pytest.mark.parametrize("name", every(3, LEAKS))
def test_a_difference_in_memory_alone_is_refuted(name):
    result = run_check(SmallInstances(f"{HERE}:{name}"), SMALL)
    assert result.verdict is Verdict.REFUTED, result.reason
    assert result.loss.describe().startswith("infinite")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.more) for name in LEAKS]
)
def test_the_same_form_for_all_streams_tells_nothing(name):
    result = run_check(SmallInstances(f"{HERE}:TwinOf{name}"), SMALL)
    assert result.verdict is Verdict.NOT_REFUTED, result.reason
    assert result.loss.nats == 0


def test_a_state_that_is_written_like_another_one_is_described_so():
    result = run_check(SmallInstances(f"{HERE}:PayloadOfNan"), SMALL)
    assert "(another state is written alike, and differs in memory)" in result.witness.describe()


def test_a_fraction_in_other_terms_is_no_equal_state():
    """An adversary sees the two numbers of which it consists."""
    number = Fraction(1, 2)
    to_data(number)
    object.__setattr__(number, "_numerator", 2)
    object.__setattr__(number, "_denominator", 4)
    with pytest.raises(DataError, match="lowest terms"):
        to_data(number)


def noise_times_nothing(data, rng):
    """Always 0.1: the noise is multiplied by 0."""
    return 0.1 + 0 * rng.laplace() if data else 0.1


def in_a_list(data, rng):
    return [noise_times_nothing(data, rng), "text"]


def truth_or_number(data, rng):
    """Randomised response with a fair coin, whose random answer is a truth value and the true one a number."""
    return data if rng.random() < 0.5 else rng.random() < 0.5


def numpy_text(data, rng):
    """A fair coin for both inputs."""
    return rng.choice(["yes", "no"]) if data else ("yes" if rng.random() < 0.5 else "no")


@pytest.mark.parametrize(
    ("mechanism", "loss"),
    every(2, [(noise_times_nothing, 0.0), (in_a_list, 0.0), (truth_or_number, math.log(3)), (numpy_text, 0.0)]),
)
def test_outputs_that_look_alike_are_one_outcome(mechanism, loss):
    result = panproof.check(mechanism, 0, 1, epsilon=2)
    assert result.loss == pytest.approx(loss)
    assert result.verdict is Verdict.NOT_REFUTED


Near, Far = namedtuple("Near", "place"), namedtuple("Far", "place")


def named_by_the_data(data, rng):
    return (Far if data else Near)(1)


def named_by_a_coin(data, rng):
    return (Far if rng.random() < 0.5 else Near)(1)


def digits_by_the_data(data, rng):
    return Decimal("1.00" if data else "1.0")


def digits_by_a_coin(data, rng):
    return Decimal("1.00" if rng.random() < 0.5 else "1.0")


@pytest.mark.parametrize(
    ("mechanism", "loss"),
    [
        (named_by_the_data, math.inf),
        (named_by_a_coin, 0.0),
        (digits_by_the_data, math.inf),
        (digits_by_a_coin, 0.0),
    ],
)
def test_the_name_of_a_record_and_the_digits_of_a_decimal_are_seen(mechanism, loss):
    assert panproof.check(mechanism, 0, 1, epsilon=2).loss == loss


def test_the_sign_of_a_zero_is_seen():
    result = panproof.check(lambda data, rng: [-0.0 if data else 0.0], 0, 1, epsilon=2)
    assert result.verdict is Verdict.REFUTED


def geometric(data, rng):
    """The same distribution for both inputs: a geometric number is 1 with probability 1/2, or else one more than
    another one.
    """
    if data:
        return 1 if rng.random() < 0.5 else 1 + rng.geometric(0.5)
    return rng.geometric(0.5)


def in_a_tuple(data, rng):
    return (geometric(data, rng), "text")


def in_a_dictionary(data, rng):
    return {"count": [geometric(data, rng)]}


@pytest.mark.parametrize(
    ("mechanism", "delta"),
    every(2, [(geometric, 0.01), (in_a_tuple, 0), (in_a_tuple, 0.01), (in_a_dictionary, 0), (in_a_dictionary, 0.01)]),
)
def test_integer_noise_may_equal_a_number_in_its_place_also_in_a_container(mechanism, delta):
    promise = f"epsilon=1,delta={delta},adjacency=given,observed=output,intrusions=0"
    result = panproof.check(mechanism, 0, 1, promise=promise)
    assert result.verdict is Verdict.INCONCLUSIVE
    assert "may give the same output" in result.report.reason


def test_a_number_among_integer_noise_counts_together_with_it():
    result = panproof.check(geometric, 0, 1, epsilon=1)
    assert result.verdict is Verdict.NOT_REFUTED
    assert result.loss == 0


def test_a_text_beside_integer_noise_is_told_apart_as_before():
    result = panproof.check(lambda data, rng: (rng.geometric(0.5), ["a", "b"][data]), 0, 1, epsilon=1)
    assert result.verdict is Verdict.REFUTED
    assert result.loss == math.inf


USED = "depend on the inputs of earlier runs"
FEW_SCOPES = (first_input.in_a_closure, first_input.the_number_of_inputs_so_far)
"""The others are in the longer run."""


def assert_undecided(result, *words):
    assert result.verdict is Verdict.INCONCLUSIVE
    assert any(word in result.reason for word in words), result.reason


@pytest.mark.parametrize(
    "mechanism",
    [
        pytest.param(each, marks=() if each in FEW_SCOPES else pytest.mark.more, id=each.__name__)
        for each in first_input.LEAKS
    ],
)
def test_the_check_concludes_nothing_about_code_that_uses_an_earlier_input(mechanism):
    assert_undecided(panproof.check(mechanism, 0, 1, epsilon=1 / 2).report, USED)


@pytest.mark.more
def test_the_order_of_a_pair_does_not_matter():
    assert_undecided(panproof.check(first_input.the_largest_so_far, 5, 0, epsilon=1 / 2).report, USED)


@pytest.mark.parametrize("mechanism", every(4, first_input.TWINS), ids=lambda each: each.__name__)
def test_a_cache_that_changes_no_output_is_accepted(mechanism):
    assert panproof.check(mechanism, 0, 1, epsilon=1 / 2).verdict is Verdict.NOT_REFUTED
    assert panproof.check(mechanism, 0, 1, epsilon=1 / 4).verdict is Verdict.REFUTED


@pytest.mark.more
def test_an_estimator_that_uses_its_first_count_is_not_judged():
    assert_undecided(panproof.check(first_input.FirstCount).report, USED, "outside of its state")


@pytest.mark.parametrize(
    "estimator", every(3, [first_input.LastOfTheClass, first_input.SeenByTheObject, first_input.ByTheObjectOfTheState])
)
def test_an_output_that_uses_data_of_its_own_run_outside_the_state_is_not_judged(estimator):
    told = (USED, "outside of", "the same draws have another outcome")
    assert_undecided(panproof.check(estimator, users=2, length=2).report, *told)


def test_a_constant_that_the_class_keeps_is_accepted():
    result = panproof.check(first_input.KeepsWhatIsNotUsed, users=2, length=2)
    assert (result.verdict, result.loss) == (Verdict.NOT_REFUTED, 1.0)


@pytest.mark.more
def test_the_gate_makes_no_runs_that_depend_on_one_another():
    result = panproof.gate(first_input.in_a_dictionary, 0, 100, epsilon=1 / 2, runs=3000, seed=1, jobs=1)
    assert_undecided(result.report, USED)


@pytest.mark.more
def test_a_release_without_an_output_is_not_judged():
    assert_undecided(panproof.check(first_input.NothingReturned).report, "return its output")
    gated = panproof.gate(first_input.NothingReturned, runs=200, seed=1, jobs=1, exact=False)
    assert_undecided(gated.report, "return its output")


def test_the_methods_of_a_dataclass_are_no_lines_of_the_judged_code():
    result = panproof.check(first_input.StateInADataclass).report
    assert result.verdict is Verdict.NOT_REFUTED
    assert result.conduct.unran == ()
