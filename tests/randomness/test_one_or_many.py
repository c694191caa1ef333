"""Draws that name themselves return one number without a size, and arrays of any shape with one."""

from fractions import Fraction

import numpy as np
import pytest

from pan_audits.choices.enumerating import EnumeratingRandomness
from pan_audits.choices.factored import FactoredRandomness
from pan_estimators.randomness import NumpyRandomness, SecureRandomness

DRAWS = {
    "bernoulli": (lambda randomness, **size: randomness.bernoulli(0.25, **size), bool),
    "uniform_integers": (lambda randomness, **size: randomness.uniform_integers(2, 5, **size), int),
    "discrete_laplace": (lambda randomness, **size: randomness.discrete_laplace(1.5, **size), int),
    "two_sided_geometric": (lambda randomness, **size: randomness.two_sided_geometric(0.5, 0.25, **size), int),
}
SOURCES = {"numpy": lambda: NumpyRandomness(1), "secure": SecureRandomness}


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("name", DRAWS)
def test_without_a_size_a_draw_is_one_python_number_and_with_one_an_array_of_that_shape(name, source):
    draw, kind = DRAWS[name]
    randomness = SOURCES[source]()
    assert type(draw(randomness)) is kind
    assert draw(randomness, size=4).shape == (4,)
    assert draw(randomness, size=np.int64(4)).shape == (4,)
    assert draw(randomness, size=(2, 3)).shape == (2, 3)
    assert draw(randomness, size=0).shape == (0,)


@pytest.mark.parametrize("source", SOURCES)
def test_an_array_of_parameters_has_one_draw_for_each(source):
    randomness = SOURCES[source]()
    assert randomness.bernoulli(np.array([0.0, 1.0, 0.0])).tolist() == [False, True, False]
    assert randomness.uniform_integers([3, 8], [4, 9]).tolist() == [3, 8]


@pytest.mark.parametrize("source", SOURCES)
def test_single_draws_have_the_law_of_draws_of_an_array(source):
    randomness = SOURCES[source]()
    ones = sum(randomness.bernoulli(0.25) for _ in range(4000))
    assert abs(ones - 1000) < 6 * np.sqrt(4000 * 0.25 * 0.75)
    assert {randomness.uniform_integers(2, 5) for _ in range(200)} == {2, 3, 4}


@pytest.mark.parametrize("enumerating", [EnumeratingRandomness, FactoredRandomness])
def test_the_exact_check_follows_single_draws(enumerating):
    chances = {}
    for outcome in range(2):
        randomness = enumerating((outcome,))
        bit = randomness.bernoulli(Fraction(1, 4))
        chances[bit] = Fraction(str(randomness.probability))
    assert chances == {True: Fraction(1, 4), False: Fraction(3, 4)}
    assert type(enumerating((1,)).bernoulli(Fraction(1, 4))) is bool
    assert enumerating((2,)).uniform_integers(2, 5) == 4
