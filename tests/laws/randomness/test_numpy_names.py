"""The names of numpy's ``Generator`` have its parameters and its distributions, from every source of randomness."""

from __future__ import annotations

import inspect
from collections import Counter
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pan_audits.choices.enumerating import EnumeratingRandomness
from pan_audits.subject.isolation.messages import Script
from pan_audits.subject.isolation.script import perform
from pan_audits.subject.running.presented import presented
from pan_estimators import NumpyRandomness, SecureRandomness
from pan_estimators.randomness.arguments import NoSuchDrawError
from tests.mechanisms import numpy_names
from tests.turns import every

DRAWS = 6_000
LENIENT = 1e-6
MAKERS = {
    "numpy": lambda: NumpyRandomness(7),
    "secure": SecureRandomness,
    "with the draws of another one": lambda: drawing_from(NumpyRandomness(8)),
}


def drawing_from(source):
    return presented(lambda method: getattr(source, method), source.generator)


@pytest.fixture(params=MAKERS, scope="module")
def rng(request):
    return MAKERS[request.param]()


def has_distribution(drawn, expected):
    """A chi-square test of values against the probabilities that they should have."""
    counts = Counter(drawn)
    assert set(counts) <= set(expected)
    observed = [counts[value] for value in expected]
    probabilities = np.array([float(p) for p in expected.values()])
    assert stats.chisquare(observed, len(drawn) * probabilities).pvalue > LENIENT


@pytest.mark.parametrize(
    ("draw", "distribution"),
    every(
        2,
        [
            (lambda rng: rng.random(DRAWS), stats.uniform),
            (lambda rng: rng.uniform(-2, 6, DRAWS), stats.uniform(-2, 8)),
            (lambda rng: rng.normal(3, 0.5, DRAWS), stats.norm(3, 0.5)),
            (lambda rng: rng.standard_normal(DRAWS), stats.norm),
            (lambda rng: rng.laplace(scale=2.0, size=DRAWS), stats.laplace(scale=2)),
            (lambda rng: rng.laplace(loc=-1.0, scale=0.1, size=DRAWS), stats.laplace(-1, 0.1)),
            (lambda rng: rng.laplace(location=-1.0, scale=0.1, size=DRAWS), stats.laplace(-1, 0.1)),
            (lambda rng: rng.exponential(3.0, DRAWS), stats.expon(scale=3)),
            (lambda rng: rng.gumbel(-2.0, 3.0, DRAWS), stats.gumbel_r(-2, 3)),
        ],
    ),
)
def test_numbers_have_the_distribution_of_numpy(rng, draw, distribution):
    drawn = draw(rng)
    assert drawn.shape == (DRAWS,)
    assert drawn.dtype == np.float64
    assert stats.kstest(drawn, distribution.cdf).pvalue > LENIENT


def test_extreme_parameters_leave_one_value(rng):
    assert rng.geometric(1.0, 3).tolist() == [1, 1, 1]
    assert rng.geometric(1) == 1
    assert rng.binomial([0, 5, 5], [0.5, 0.0, 1.0]).tolist() == [0, 0, 5]
    assert np.abs(rng.binomial(3_000_000, 0.5, 4) - 1_500_000).max() < 6 * 0.5 * np.sqrt(3e6)
    assert rng.integers(3, size=4, dtype=np.int8).dtype == np.int8
    assert rng.integers(2, size=4, dtype=bool).dtype == bool
    assert type(rng.integers(3)) is np.int64
    assert rng.integers([1, 1], [2, 2]).tolist() == [1, 1]


PAIRS = list(permutations(range(3), 2))
WEIGHTS = {0: Fraction(1, 2), 1: Fraction(1, 3), 2: Fraction(1, 6)}


@pytest.mark.parametrize(
    ("draw", "expected"),
    [
        (lambda rng: min(rng.geometric(0.3), 12), {k: 0.3 * 0.7 ** (k - 1) for k in range(1, 12)} | {12: 0.7**11}),
        (lambda rng: rng.binomial(4, 0.3), {k: stats.binom(4, 0.3).pmf(k) for k in range(5)}),
        (lambda rng: int(rng.integers(5)), dict.fromkeys(range(5), 1 / 5)),
        (lambda rng: int(rng.integers(-2, 1, endpoint=True, dtype=np.int8)), dict.fromkeys(range(-2, 2), 1 / 4)),
        (lambda rng: int(rng.choice(3)), dict.fromkeys(range(3), 1 / 3)),
        (lambda rng: str(rng.choice(["a", "b"], p=[0.2, 0.8])), {"a": 0.2, "b": 0.8}),
        (lambda rng: tuple(rng.choice(3, 2, replace=False).tolist()), dict.fromkeys(PAIRS, 1 / 6)),
        (
            lambda rng: tuple(rng.choice(3, 2, replace=False, p=list(WEIGHTS.values())).tolist()),
            {(i, j): WEIGHTS[i] * WEIGHTS[j] / (1 - WEIGHTS[i]) for i, j in PAIRS},
        ),
        (lambda rng: tuple(rng.permutation(3).tolist()), dict.fromkeys(permutations(range(3)), 1 / 6)),
        (lambda rng: tuple(rng.permutation([5, 6, 7]).tolist()), dict.fromkeys(permutations((5, 6, 7)), 1 / 6)),
        (lambda rng: tuple(shuffled(rng, [5, 6, 7])), dict.fromkeys(permutations((5, 6, 7)), 1 / 6)),
        (lambda rng: tuple(shuffled(rng, np.array([5, 6, 7])).tolist()), dict.fromkeys(permutations((5, 6, 7)), 1 / 6)),
    ],
)
def test_choices_have_the_distribution_of_numpy(rng, draw, expected):
    has_distribution([draw(rng) for _ in range(3000)], expected)


def shuffled(rng, values):
    assert rng.shuffle(values) is None
    return values


def test_axes_and_shapes(rng):
    table = np.arange(6).reshape(2, 3)
    assert rng.permutation(table, axis=1).shape == (2, 3)
    assert rng.choice(table).shape == (3,)
    assert rng.choice(table, size=5, axis=1).shape == (2, 5)
    changed = table.copy()
    rng.shuffle(changed, axis=1)
    assert sorted((changed[1] - changed[0]).tolist()) == [3, 3, 3]
    assert rng.laplace([[0.0], [1.0]], [1.0, 2.0, 3.0]).shape == (2, 3)
    for one in (rng.random(), rng.normal(), rng.laplace(), rng.exponential(), rng.gumbel(), rng.uniform()):
        assert type(one) is float
    for one in (rng.geometric(0.5), rng.binomial(3, 0.5)):
        assert type(one) is int
    assert len(rng.bytes(9)) == 9
    assert type(rng.bytes(9)) is bytes


def test_noise_on_the_reals_lies_on_a_grid(rng):
    step = 2.0 ** (-2 - 32)
    for drawn in (rng.normal(1 / 3, 0.3, 300), rng.exponential(0.3, 300), rng.gumbel(1 / 3, 0.3, 300)):
        assert np.all(drawn / step == np.rint(drawn / step))


def test_random_numbers_have_53_bits(rng):
    drawn = rng.random(2000) * 2.0**53
    assert np.all(drawn == np.rint(drawn))
    assert {int(number) % 2 for number in drawn} == {0, 1}


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda rng: rng.integers(0), "integers needs low below high, got 0 and 0"),
        (lambda rng: rng.integers(300, dtype=np.int8), "integers draws no int8 from 0 to 299"),
        (lambda rng: rng.choice(2, 3, replace=False), "choice cannot choose 3 of 2 without replacement"),
        (lambda rng: rng.choice(2, p=[0.5, 0.6]), "choice needs probabilities whose sum is 1, got the sum 1.1"),
        (lambda rng: rng.geometric(0.0), "geometric needs a probability above 0 and up to 1, got 0.0"),
        (lambda rng: rng.laplace(scale=-1), "the scale of noise must be positive, got -1"),
        (lambda rng: rng.laplace([1.0, 2.0], size=3), None),
    ],
)
def test_wrong_arguments_are_one_sentence(rng, call, words):
    with pytest.raises((ValueError, TypeError), match=words):
        call(rng)


@pytest.mark.parametrize("draw", ["laplace", "normal", "gumbel"])
def test_noise_of_scale_zero_is_the_location_but_not_in_a_deployment(draw):
    assert getattr(NumpyRandomness(7), draw)(3, 0) == getattr(np.random.default_rng(7), draw)(3, 0) == 3.0
    with pytest.raises(ValueError, match="the scale of noise must be positive, got 0"):
        getattr(SecureRandomness(), draw)(3, 0)


ABSENT = sorted(
    name for name in dir(np.random.Generator) if not name.startswith("_") and not hasattr(NumpyRandomness, name)
)


def test_an_absent_name_is_refused_alike_by_every_source(rng):
    for name in [*ABSENT, "randint", "rand", "randn", "seed", "sample", "gauss"]:
        assert not hasattr(rng, name)
        line = inspect.currentframe().f_lineno + 2
        with pytest.raises(NoSuchDrawError) as caught:
            getattr(rng, name)
        told = str(caught.value)
        assert told.startswith(f"test_numpy_names.py:{line}: a randomness has no {name!r}, which some generators have")
        with pytest.raises(NoSuchDrawError) as followed:
            getattr(EnumeratingRandomness(), name)
        assert str(followed.value).split(": ", 1)[1] == told.split(": ", 1)[1]


def test_draws_of_another_source_are_the_same_by_every_name():
    drawn = [
        [
            source.random(2).tolist(),
            source.integers(100),
            source.choice(9, 3, replace=False).tolist(),
            source.choice(9, 3, p=[1 / 9] * 9).tolist(),
            source.normal(),
            source.laplace(),
            source.exponential(),
            source.geometric(0.1),
            source.binomial(50, 0.5),
            source.permutation(9).tolist(),
            source.bytes(4),
        ]
        for source in (drawing_from(NumpyRandomness(4)), NumpyRandomness(4))
    ]
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize("name", ["ByRandom", "ByIntegers", "ByChoice", "ByPermutation", "ByBinomial"])
def test_draws_by_these_names_are_counted(name):
    shown = perform(getattr(numpy_names, name)(), Script((1,), (2,), 1, global_seed=2))
    assert shown.draws == 3


def test_the_methods_that_were_there_draw_what_they_drew():
    """Recorded before the names of numpy were added."""
    source = NumpyRandomness(11)
    drawn = [
        source.bernoulli(0.3, 8).tolist(),
        source.uniform_integers(0, 100, 4).tolist(),
        source.uniform_subset(20, 4).tolist(),
        source.laplace(1.5, 2.0),
        source.laplace(1.5, 2.0, 2).tolist(),
        source.discrete_laplace(3.0, 4).tolist(),
        source.two_sided_geometric(0.5, 0.8, 4).tolist(),
    ]
    assert drawn == RECORDED


RECORDED = [
    [True, False, False, True, True, False, True, True],
    [75, 94, 97, 62],
    [2, 6, 10, 14],
    2.2881185207515955,
    [0.3065706710331142, -1.0751715921796858],
    [-1, 0, 7, 7],
    [-5, -17, 1, -2],
]


def test_seeded_uniform_and_normal_numbers_are_those_of_numpy_with_this_seed():
    ours, theirs = NumpyRandomness(5), np.random.default_rng(5)
    assert ours.random() == theirs.random()
    np.testing.assert_array_equal(ours.uniform(-2, 7, 5), theirs.uniform(-2, 7, 5))
    np.testing.assert_allclose(ours.normal(1, 3, 5), theirs.normal(1, 3, 5), atol=3 * 2.0**-32)
    assert ours.binomial(50, 0.3) == theirs.binomial(50, 0.3)


NUMBERS = st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize("name", ["laplace", "normal", "gumbel", "uniform", "bernoulli", "integers"])
@given(first=NUMBERS, second=NUMBERS, seed=st.integers(0, 99))
def test_one_draw_is_the_first_of_an_array_with_the_same_seed(name, first, second, seed):
    parameters = (first,) if name == "bernoulli" else (first, second)

    def drawn(size):
        source = NumpyRandomness(seed)
        try:
            found = getattr(source, name)(*parameters, size)
        except (ValueError, ArithmeticError, TypeError) as problem:
            return type(problem), source.random()
        # Python's numbers, but for integers, which are numpy's.
        one = found if size is None else found[0] if name == "integers" else found[0].item()
        return type(one), repr(one), source.random()

    assert drawn(None) == drawn(1)
