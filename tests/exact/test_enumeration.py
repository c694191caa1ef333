"""The number of outcomes of a step is known after a few of them."""

from __future__ import annotations

import pytest

from pan_audits.choices.enumerating import MOST_OUTCOMES, outcomes
from pan_audits.choices.errors import TooLargeError, TooManyOutcomesError


def counted(step):
    """The step, and how often it was called."""
    calls = []

    def call(randomness):
        calls.append(1)
        return step(randomness)

    return call, calls


def bits(number):
    return lambda randomness: [bool(randomness.bernoulli(0.25, 1)[0]) for _ in range(number)]


@pytest.mark.parametrize("number", [16, 20, 200])
def test_too_many_outcomes_are_refused_after_a_few_calls(number):
    call, calls = counted(bits(number))
    with pytest.raises(TooLargeError, match="outcomes, more than 20,000"):
        outcomes(call)
    assert len(calls) < 40


def test_a_long_path_is_refused_in_its_first_call():
    call, calls = counted(bits(5000))
    with pytest.raises(TooManyOutcomesError, match="more than 256 random choices"):
        outcomes(call)
    assert len(calls) == 1


def until_the_first_one(randomness):
    """As many outcomes as bits, but a first path with the product of all of them."""
    return next((place for place in range(40) if randomness.bernoulli(0.5, 1)[0]), None)


def until_there_is_none(randomness):
    return next((place for place in range(40) if not randomness.bernoulli(0.5, 1)[0]), None)


@pytest.mark.parametrize("step", [until_the_first_one, until_there_is_none])
def test_few_outcomes_on_long_paths_are_followed(step):
    call, calls = counted(step)
    found = outcomes(call)
    assert len(found) == 41
    assert sum(probability for probability, *_ in found) == 1
    assert len(calls) < 41 + 66


@pytest.mark.more
def test_a_number_of_outcomes_below_the_limit_is_followed():
    found = outcomes(bits(14))
    assert len(found) == 2**14 < MOST_OUTCOMES
