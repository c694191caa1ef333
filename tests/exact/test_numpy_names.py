"""Choices by numpy's names are followed exactly, or refused in a sentence that names the line."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from fractions import Fraction
from itertools import permutations
from math import comb, log

import numpy as np
import pytest

from pan_audits import Verdict
from pan_audits.choices.enumerating import EnumeratingRandomness, outcomes
from pan_audits.choices.errors import REMEMBERED, TooLargeError, UnfollowableError
from pan_audits.exact.check import run_check
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.result import CheckSettings
from pan_audits.exact.stepping import Stepper
from pan_audits.isolation.process import end_all
from tests.turns import every
from tests.variants import numpy_names as variants

HERE = "tests.variants.numpy_names"
SMALL = CheckSettings(users=3, length=2, appearances=2)


@pytest.fixture(autouse=True)
def _no_process_is_left():
    yield
    end_all()


MORE = ("ByRandomInAnArray", "ByIntegersWithAnEnd", "ByEqualChoice", "ByPermutation", "ByShuffle")
"""Names that `make test-more` looks at; another way to the same choice is among the others."""


def check(name):
    return run_check(SmallInstances(f"{HERE}:{name}"), SMALL)


@pytest.mark.parametrize(
    ("name", "ratio"),
    every(
        2,
        [
            *(
                pytest.param(each, 3, marks=pytest.mark.more if each in MORE else ())
                for each in (
                    "ByRandom",
                    "ByRandomFromTheOtherSide",
                    "ByRandomInAnArray",
                    "ByUniform",
                    "ByIntegers",
                    "ByIntegersWithAnEnd",
                    "ByChoice",
                    "ByEqualChoice",
                    "ByChoiceWithoutReplacement",
                    "ByBinomial",
                    "ByPermutation",
                    "ByShuffle",
                )
            ),
            ("OneOfThreeRanges", 2),
            ("SampledByPermutation", Fraction(5, 3)),
            pytest.param("SampledByShuffle", Fraction(5, 3), marks=pytest.mark.more),
            ("SampledByChoice", Fraction(5, 3)),
            ("Geometric", 3),
        ],
    ),
)
def test_the_loss_is_exact(name, ratio):
    result = check(name)
    assert result.exact, result.reason
    assert Fraction(int(result.loss.ratio.p), int(result.loss.ratio.q)) == ratio
    assert result.verdict is (Verdict.REFUTED if name == "Geometric" else Verdict.NOT_REFUTED)


@pytest.mark.parametrize("name", ["LaplaceAdded", "LaplaceAround", "LaplaceHistogram", "LaplaceAroundAHistogram"])
def test_laplace_noise_is_followed_by_its_formula(name):
    result = check(name)
    assert result.verdict is Verdict.NOT_REFUTED
    assert result.exact
    assert result.loss.nats == pytest.approx(1 / 2)


@pytest.mark.more
def test_one_sided_noise_that_moves_loses_everything():
    result = check("GeometricAdded")
    assert result.verdict is Verdict.REFUTED
    assert result.loss.ratio is None


@pytest.mark.more
def test_one_sided_noise_without_a_location_is_followed():
    result = check("Exponential")
    assert result.verdict is Verdict.REFUTED
    assert result.loss.ratio is None


def test_a_constant_that_is_no_simple_fraction_is_noted_and_followed():
    result = check("RangesOfADouble")
    assert not result.exact
    expected = log(0.5 / np.exp(-1.5))
    assert result.loss.nats == pytest.approx(max(expected, log((1 - np.exp(-1.5)) / 0.5)), rel=1e-12)


REFUSED = [
    ("Gamma", "rng.gamma", "has no 'gamma', which some generators have; its kinds of noise are laplace"),
    ("Poisson", "rng.poisson", "has no 'poisson', which some generators have; its kinds of noise are laplace"),
    ("Permuted", "rng.permuted", "has no 'permuted', which some generators have; use permutation or shuffle"),
    ("BitGenerator", "rng.bit_generator", "has no 'bit_generator', which some generators have; there is no generator"),
    ("CalculatesWithANumber", "1 - rng.random", "a number of random or uniform outside of a comparison"),
    ("CatchesTheRefusal", "0 * rng.random", "outside of a comparison with a constant"),
    ("ComparesTwoNumbers", "< rng.random", "compares a uniform number with a UniformNumber, not with a constant"),
    ("AtMostZero", "rng.random", "is at most 0, its least value"),
]


IN_A_PROCESS = ("Gamma", "Permuted", "CatchesTheRefusal")
"""Refusals that the ordinary run sees from a process of its own as well; all of them are seen here."""


@pytest.mark.parametrize(
    ("place", "name", "code", "words"),
    [
        *(("here", *each) for each in REFUSED),
        *(pytest.param("apart", *each, marks=() if each[0] in IN_A_PROCESS else pytest.mark.more) for each in REFUSED),
    ],
)
def test_a_refusal_names_the_line_the_method_and_what_there_is_instead(name, code, words, place):
    kind = getattr(variants, name)
    lines, first = inspect.getsourcelines(kind)
    line = first + next(number for number, text in enumerate(lines) if code in text)
    if place == "here":
        stepper = Stepper(kind(), (0,))
        created = stepper.created()[0][1]
        with pytest.raises(UnfollowableError) as caught:
            stepper._released(created, 0)
        told = str(caught.value)
        REMEMBERED.clear()
    else:
        result = check(name)
        assert result.verdict is Verdict.INCONCLUSIVE
        told = result.reason
    assert f"numpy_names.py:{line}: " in told
    assert told.count("numpy_names.py") == 1
    assert words in told


@pytest.mark.parametrize("name", ["ReleasesANumber", "KeepsANumber"])
def test_a_uniform_number_must_not_leave_the_step_that_draws_it(name):
    result = check(name)
    assert result.verdict is Verdict.INCONCLUSIVE
    assert "outside of a comparison with a constant, and this cannot be followed exactly; use integers" in (
        result.reason
    )
    stepper = Stepper(getattr(variants, name)(), (0,))
    with pytest.raises(UnfollowableError, match="outside of a comparison"):
        stepper._released(stepper.created()[0][1], 0)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("DrawsElsewhere", "draws from numpy.random.default_rng, not from the randomness that it is given"),
        ("DrawsFromTheGlobalGenerator", "draws from numpy.random, not from the randomness that it is given"),
        ("DrawsFromTheGenerator", "draws from the generator of a seeded randomness, not from the randomness itself"),
    ],
)
def test_a_source_of_its_own_is_told_as_before(name, words):
    result = check(name)
    assert result.verdict is Verdict.INCONCLUSIVE
    assert words in result.reason


@pytest.mark.parametrize(("name", "told"), [("LongPermutation", "4.03e+04"), ("ManyBits", "more than 1e+100")])
def test_too_many_outcomes_are_told(name, told):
    result = check(name)
    assert result.verdict is Verdict.INCONCLUSIVE
    assert f"one random choice has {told} outcomes" in result.reason


def law(call):
    """The probabilities of the values of a call."""
    found = Counter()
    for probability, value, randomness in outcomes(call):
        assert randomness.exact
        found[value] += Fraction(int(probability.p), int(probability.q))
    assert sum(found.values()) == 1
    return dict(found)


def test_the_laws_are_those_of_numpy():
    assert law(lambda rng: int(rng.integers(3, 6))) == dict.fromkeys((3, 4, 5), Fraction(1, 3))
    assert law(lambda rng: int(rng.choice(3, p=[0.1, 0.2, 0.7]))) == {
        0: Fraction(1, 10),
        1: Fraction(1, 5),
        2: Fraction(7, 10),
    }
    assert law(lambda rng: int(rng.choice(3, p=[0.5, 0.0, 0.5]))) == {0: Fraction(1, 2), 2: Fraction(1, 2)}
    assert law(lambda rng: tuple(rng.choice(2, 2, p=[Fraction(1, 3), Fraction(2, 3)]).tolist())) == {
        (0, 0): Fraction(1, 9),
        (0, 1): Fraction(2, 9),
        (1, 0): Fraction(2, 9),
        (1, 1): Fraction(4, 9),
    }
    # Of 1/2, 1/3 and 1/6, each in proportion to what is left.
    weights = [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)]
    assert law(lambda rng: tuple(rng.choice(3, 2, replace=False, p=weights).tolist())) == {
        (i, j): weights[i] * weights[j] / (1 - weights[i]) for i, j in permutations(range(3), 2)
    }
    assert law(lambda rng: tuple(rng.choice(4, 2, replace=False).tolist())) == dict.fromkeys(
        permutations(range(4), 2), Fraction(1, 12)
    )
    assert law(lambda rng: tuple(rng.permutation(4).tolist())) == dict.fromkeys(permutations(range(4)), Fraction(1, 24))
    assert law(lambda rng: rng.binomial(5, 0.3)) == {
        k: comb(5, k) * Fraction(3, 10) ** k * Fraction(7, 10) ** (5 - k) for k in range(6)
    }
    assert law(lambda rng: rng.bytes(1)) == {bytes([byte]): Fraction(1, 256) for byte in range(256)}
    assert law(lambda rng: rng.binomial(100, 1.0)) == {100: 1}
    assert law(lambda rng: int(np.searchsorted([0.25, 0.5], rng.random()))) == {
        0: Fraction(1, 4),
        1: Fraction(1, 4),
        2: Fraction(1, 2),
    }
    assert law(lambda rng: tuple((rng.random(2) < [0.25, 0.5]).tolist())) == {
        (False, False): Fraction(3, 8),
        (False, True): Fraction(3, 8),
        (True, False): Fraction(1, 8),
        (True, True): Fraction(1, 8),
    }
    assert law(lambda rng: tuple((rng.random() < np.array([0.25, 0.5])).tolist())) == {
        (True, True): Fraction(1, 4),
        (False, True): Fraction(1, 4),
        (False, False): Fraction(1, 2),
    }


def test_a_number_keeps_to_its_earlier_comparisons():
    def call(rng):
        number = rng.random()
        return number < 0.75, number >= 0.5, number > 0.75, number < 0.5, number < 2, number >= -1

    assert law(call) == {
        (True, False, False, True, True, True): Fraction(1, 2),
        (True, True, False, False, True, True): Fraction(1, 4),
        (False, True, True, False, True, True): Fraction(1, 4),
    }


def test_a_double_next_to_an_end_is_not_read_as_the_end():
    assert law(lambda rng: rng.random() < 1 - 2.0**-53) == {True: 1 - Fraction(1, 2**53), False: Fraction(1, 2**53)}


def test_the_line_is_that_of_the_estimator_not_of_a_library_between():
    def call(rng):
        return np.apply_along_axis(lambda row: rng.normal(), 0, np.zeros((1, 1)))

    with pytest.raises(UnfollowableError, match=re.escape("test_numpy_names.py:")):
        outcomes(call)


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng: rng.permutation(10**9),
        lambda rng: rng.bernoulli(0.5, 10**12),
        lambda rng: rng.integers(3, size=10**12),
        lambda rng: rng.choice(2, 10**12, p=[0.5, 0.5]),
        lambda rng: rng.binomial(10**12, 0.5, 10**12),
    ],
)
def test_a_draw_with_very_many_outcomes_is_refused_at_once(draw):
    with pytest.raises(TooLargeError, match="outcomes, more than 20,000"):
        draw(EnumeratingRandomness())
    REMEMBERED.clear()
