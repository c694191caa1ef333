"""What is the same for an adversary, and what is not."""

from __future__ import annotations

import math
from collections import defaultdict, deque, namedtuple
from fractions import Fraction

import numpy as np
import pytest

import panproof
from pan_audits.exact.identity import seen_key, state_key
from pan_audits.subject.isolation.data import DataError, to_data
from panproof import Verdict
from tests.internals.exact.checking import examined, judged
from tests.mechanisms import alike, first_input
from tests.mechanisms.evasive import NumberWithMore, SlottedDictionary


def shared():
    one = [0]
    return [one, one]


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
        (0.0, -0.0),
        (np.float64(1), 1.0),
        (np.int64(1), np.uint64(1)),
        (np.int64(1), b"\x01\0\0\0\0\0\0\0"),
        (np.array([1]), np.array([1]).tobytes()),
        (np.zeros(2), np.zeros((1, 2))),
        (np.zeros(2, dtype=np.int64), np.zeros(2)),
        (NumberWithMore(1.0), NumberWithMore(1.0).with_last(2)),
        (SlottedDictionary(1), SlottedDictionary(2)),
        (np.ma.masked_array([0.0], [True]), np.ma.masked_array([0.0], [False])),
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
