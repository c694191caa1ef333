"""Outputs with independent elements are followed element by element, and anything else is refused with the reason."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import panproof
from pan_audits.choices.errors import REMEMBERED, TooLargeError, UnfollowableError
from pan_audits.choices.factored import FactoredRandomness
from pan_audits.choices.followed import FollowedArray, chance, identity_of, tables_of, value_key
from pan_audits.choices.numbers import rational
from pan_audits.exact.factoring import _connected
from pan_audits.exact.witness import replay_exact
from pan_audits.subject.isolation.data import DataError, from_data, to_data
from pan_audits.subject.isolation.noise import NoiseTable, read_noisy, write_noisy
from panproof import Verdict
from tests.internals.exact.checking import judged, searched
from tests.mechanisms import independent_elements as mechanisms

HERE = "tests.mechanisms.independent_elements"
ONE_BIT = next(mechanisms.one_bit())


def loss_between(mechanism, left, right, *, parts=None):
    """The loss in nats. Nothing distinguishes equal distributions."""
    _, found = searched(mechanism, left, right, parts=parts)
    return found.worst.loss.nats if found.worst else 0


RATIOS = [
    ("randomised_response", "one_bit", Fraction(3)),
    ("randomised_response", "two_bits", Fraction(9)),
    ("inverted_by_exclusive_or", "two_bits", Fraction(9)),
    ("inverted_by_choice", "one_bit", Fraction(3)),
    ("inverted_by_binomial", "two_bits", Fraction(9)),
    # P(1) is 11/16 for a one, and 9/16 for a zero: a one tells 11/9, and a zero 7/5.
    ("rappor", "one_bit", Fraction(7, 5)),
    ("rappor", "two_bits", Fraction(49, 25)),
    # 5/8 against 1/8.
    ("kept_or_uniform", "one_bit", Fraction(5)),
    # 46/4 at the fourth place, and 42/8 at the eighth.
    ("own_probabilities", "two_bits", Fraction(23, 2) * Fraction(21, 4)),
    ("neighbours_shown", "one_bit", Fraction(3)),
    ("each_uniform_number", "two_bits", Fraction(9)),
    ("beside_a_coin", "two_bits", Fraction(9)),
    ("infinities", "two_bits", Fraction(9)),
]


@pytest.mark.parametrize(("name", "neighbours", "ratio"), RATIOS)
def test_the_loss_of_2_to_the_20_outcomes_is_that_of_the_elements(name, neighbours, ratio):
    ((left, right),) = getattr(mechanisms, neighbours)()
    stepper, found = searched(getattr(mechanisms, name), left, right)
    assert stepper.parts is not None
    assert stepper.exact
    assert found.worst.extreme.attained
    assert found.worst.loss.ratio == rational(ratio)


def test_code_in_a_process_of_its_own_has_the_same_loss_and_a_witness_that_is_computed_again():
    named = f"{HERE}:randomised_response"
    result = panproof.check(named, neighbours=f"{HERE}:two_bits", epsilon=1)
    assert result.verdict is Verdict.REFUTED, str(result)
    assert result.report.exact
    assert result.report.loss.ratio == 9
    stored, fresh = replay_exact(result.witness.to_dict(), third_party=named, inputs=f"{HERE}:two_bits")
    assert stored.loss.ratio == fresh.loss.ratio == 9


def test_noise_beside_the_elements_adds_its_loss():
    result = judged(mechanisms.beside_a_count, *ONE_BIT, "epsilon=1")
    assert result.loss.nats == pytest.approx(math.log(3) + 0.5)
    assert result.verdict is Verdict.REFUTED
    assert "an output with the elements" in result.witness.observation
    assert "and noise at" in result.witness.observation
    assert "density" in result.witness.describe()


def test_the_witness_has_the_elements_and_their_probabilities():
    witness = judged(mechanisms.randomised_response, *next(mechanisms.two_bits()), "epsilon=1").witness
    assert witness.observation.startswith("an output with the elements ")
    elements = witness.observation.rpartition("elements ")[2].split(", ")
    assert len(elements) == 20
    likelier = [0, 0] if "0: " in witness.ids[witness.left[0].user] else [1, 1]
    assert [int(elements[place]) for place in (3, 7)] == likelier
    above, below = (Fraction(int(mass.p), int(mass.q)) for mass in witness.masses)
    assert above == below * 9
    assert above.denominator > 1


@pytest.mark.parametrize(
    ("mechanism", "loss"),
    [
        # An element that is impossible on one side.
        (mechanisms.ones_kept, math.inf),
        (mechanisms.one_bit_for_all, math.inf),
        # A zero stays 0, and a one becomes 0 with probability 1/4: a one is impossible for a zero.
        (mechanisms.clipped, math.inf),
        # A choice that only one double makes.
        (lambda data, rng: np.array(data) ^ (rng.random(20) < 1 - 2.0**-53), 53 * math.log(2)),
        # A comparison of noise: the runs that make the choices have the noise as it was before it.
        (
            lambda data, rng: (
                mechanisms.randomised_response(data, rng),
                max(0, round(sum(data) + rng.laplace(scale=2))),
            ),
            math.log(3) + 0.5,
        ),
    ],
)
def test_the_loss_of_elements_of_other_kinds(mechanism, loss):
    assert loss_between(mechanism, *ONE_BIT) == pytest.approx(loss)


def test_a_probability_that_is_a_computed_double_is_not_exact():
    stepper, found = searched(mechanisms.computed_probability, *ONE_BIT)
    assert not stepper.exact
    assert found.worst.loss.nats == pytest.approx(1)


def test_choices_that_are_too_rare_or_too_many_are_refused():
    nearly_one = 1 - Fraction(1, 2**60)
    with pytest.raises(TooLargeError, match="below the distance of two doubles"):
        searched(lambda data, rng: np.array(data) ^ rng.bernoulli(nearly_one, 20), *ONE_BIT)
    long = (mechanisms.with_ones(*places, length=4001) for places in ((), (0,)))
    with pytest.raises(TooLargeError, match=r"more than 4,000 random choices"):
        searched(mechanisms.randomised_response, *long)
    REMEMBERED.clear()


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("counted", "outside of numpy's element-wise functions"),
        ("written_in_place", "outside of numpy's element-wise functions"),
        ("bit_by_bit", "or decides by one of them"),
        ("of_several_forms", "the outputs have several forms"),
        ("identity_of_a_truth_value", "the estimator has other outputs when its random choices are made"),
        ("type_of_the_noise", "outside of numpy's element-wise functions"),
        ("plain_number_for_an_element", "the outputs have several forms"),
        ("places_instead_of_noise", "the outputs have several forms"),
        ("objects", "outside of numpy's element-wise functions"),
        ("errors_of_numpy", "fails or warns for some of the random choices .FloatingPointError."),
        ("function_with_a_memory", "outside of numpy's element-wise functions"),
        # It is followed for a minute until its outcomes are too many.
        pytest.param(
            "looks_for_the_interface_of_arrays", "outside of a comparison with constants", marks=pytest.mark.slow
        ),
        ("looks_for_an_attribute", "outside of numpy's element-wise functions"),
        ("looks_at_the_documentation", "outside of numpy's element-wise functions"),
    ],
)
def test_other_uses_are_refused_with_the_reason(name, reason):
    with pytest.raises((TooLargeError, UnfollowableError), match=reason):
        searched(getattr(mechanisms, name), *ONE_BIT)
    REMEMBERED.clear()


@pytest.mark.parametrize(
    ("name", "place", "values"),
    [
        ("sum_of_truth_values", 1, {("int", "0"), ("int", "1"), ("int", "2")}),
        ("sum_of_truth_values", 0, {("bool", "False"), ("bool", "True")}),
        ("whole_numbers_of_any_length", 1, {("int", "0"), ("int", str(2**80))}),
    ],
)
def test_numbers_of_a_list_have_pythons_arithmetic(name, place, values):
    """numpy adds two truth values to a truth value, and its integers wrap."""
    output = getattr(mechanisms, name)([place] * 20, FactoredRandomness())
    assert {value_key(value) for _, value in tables_of(output[0])[()]} == values


def test_other_uses_are_inconclusive():
    result = judged(mechanisms.identity_of_a_truth_value, *ONE_BIT, "epsilon=3")
    assert result.verdict is Verdict.INCONCLUSIVE
    assert "are left open" in result.reason


NAMES = [
    "randomised_response",
    "inverted_by_exclusive_or",
    "rappor",
    "kept_or_uniform",
    "own_probabilities",
    "beside_a_count",
    "ones_kept",
    "one_bit_for_all",
]


@settings(max_examples=16)
@given(st.sampled_from(NAMES), *[st.lists(st.integers(0, 1), min_size=2, max_size=2)] * 2)
def test_both_ways_to_follow_short_vectors_agree(name, left, right):
    assume(left != right)
    mechanism = getattr(mechanisms, name)
    whole, apart = (loss_between(mechanism, left, right, parts=parts) for parts in (False, True))
    assert whole == pytest.approx(apart, rel=1e-12)


@given(st.data())
def test_a_table_has_the_distribution_of_what_it_stands_for(data):
    """A random expression: the chances of each value are those of all choices, counted."""
    randomness = FactoredRandomness()
    likely = st.sampled_from([Fraction(1, 5), Fraction(1, 2), Fraction(2, 3)])
    chances = data.draw(st.lists(likely, min_size=2, max_size=2))
    bits = [randomness.bernoulli(each, 2) for each in chances]
    operations = [np.logical_and, np.logical_xor, np.add, np.maximum, lambda a, b: np.where(a, b, 3)]
    operation = data.draw(st.sampled_from(operations))
    table = tables_of(operation(*bits))[1]
    expected = {}
    for one in (False, True):
        for other in (False, True):
            value = operation(np.array([one]), np.array([other]))[0].item()
            weight = (chances[0] if one else 1 - chances[0]) * (chances[1] if other else 1 - chances[1])
            expected[value] = expected.get(value, 0) + weight
    found = {}
    for box, value in table:
        found[value.item()] = found.get(value.item(), 0) + chance(box)
    assert found == expected


@pytest.mark.parametrize(
    "table",
    [
        [[[[0, "0", "1/2"]], 1]],
        [[[[0, "0", "3/4"]], 1], [[[0, "1/2", "3/4"]], 2]],
        [[[[0, "0", "2"]], 1], [[[0, "1", "0"]], 1]],
        [[[[0, "0", "1/2"], [0, "1/2", "1"]], 1], [[], 1]],
    ],
)
def test_a_message_with_other_probabilities_is_refused(table):
    with pytest.raises(DataError):
        from_data(["~", "array", [1], table], revive=NoiseTable().read)


def test_an_array_comes_back_from_a_message():
    made = np.where(FactoredRandomness().random(6).reshape(2, 3) < 0.25, np.float32(1.5), 2)
    back = from_data(to_data(made, special=write_noisy), revive=read_noisy)
    assert type(back) is FollowedArray
    assert identity_of(back) == identity_of(made)


@pytest.mark.parametrize(
    "use",
    [
        *("bool(bits)", "int(bits)", "float(bits)", "str(bits)", "hash(bits)", "bits @ bits", "bits.__setitem__(0, 1)"),
        *(
            "np.asarray(bits)",
            "np.sum(bits)",
            "bits.sum()",
            "np.add.reduce(bits)",
            "np.arange(4)[bits]",
            "divmod(bits, 2)",
        ),
        *("1 if bits[0] else 0", "np.array([1, 2]) @ bits", "bits + np.array([object(), object()])"),
    ],
)
def test_any_other_use_of_open_choices_is_refused(use):
    with pytest.raises(UnfollowableError):
        eval(use, {"np": np, "bits": FactoredRandomness().bernoulli(0.25, 2)})
    REMEMBERED.clear()


@given(st.lists(st.sets(st.integers(0, 9), max_size=3), max_size=9))
def test_elements_are_one_part_if_they_share_choices(variables):
    """The parts are those of a graph whose edges are common choices."""
    half = Fraction(1, 2)
    tables = [((tuple((one, Fraction(0), half) for one in sorted(each)), 1), ((), 2)) for each in variables]
    parts = {frozenset(part) for part in _connected(tables)}
    expected = {place: {place} for place in range(len(variables))}
    for one in range(len(variables)):
        for other in range(one):
            if variables[one] & variables[other] and expected[one] is not expected[other]:
                expected[one] |= expected[other]
                for place in expected[other]:
                    expected[place] = expected[one]
    assert parts == {frozenset(part) for part in expected.values()}
