"""The largest of noisy numbers, and their order: closed forms, integrals, sums with ties, comparisons two by two."""

from __future__ import annotations

import heapq
import math
from collections import defaultdict
from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import laplace

from pan_audits.choices.differences import merged
from pan_audits.choices.enumerating import EnumeratingRandomness, outcomes
from pan_audits.choices.errors import UnfollowableError
from pan_audits.choices.largest import _foremost, _of_array, guarded_max, guarded_min
from pan_audits.choices.numbers import as_float
from pan_audits.exact.factoring import probability_of
from pan_audits.exact.stepping import endings_of

argmax = _of_array(np.argmax, 1, gives_place=True)
nlargest = _foremost(heapq.nlargest, 1)


class TwoByTwo(EnumeratingRandomness):
    """Every question about the largest number is left to comparisons."""

    def largest(self, numbers):
        return None


class ByIntegrals(TwoByTwo):
    """And whether a comparison is possible is left to integrals."""

    def __init__(self, *script):
        super().__init__(*script)
        self.known = None


def chances(code, source=EnumeratingRandomness):
    """The probability of each result, and the numbers of paths and of regions."""
    found = outcomes(code, source=source)
    regions = list(merged(endings_of(found, [result for _, result, _ in found])))
    total = defaultdict(fmpq)
    for place, region in regions:
        total[found[place][1]] += found[place][0] * probability_of(region)
    return dict(total), len(found), len(regions)


def noisy(data, draws):
    return [float(x) + noise for x, noise in zip(data, draws.tolist(), strict=True)]


def place_of_largest(data, name, *parameters):
    def code(randomness):
        v = noisy(data, getattr(randomness, name)(*parameters, len(data)))
        return v.index(guarded_max(v))

    return code


def loop(data):
    def code(randomness):
        best, where = None, None
        for number, x in enumerate(data):
            (noise,) = randomness.laplace_noise(0, 2, 1).tolist()
            if best is None or x + noise > best:
                best, where = x + noise, number
        return where

    return code


data_of_few = st.lists(st.integers(-3, 3), min_size=3, max_size=5)


@settings(max_examples=30, deadline=None)
@given(data_of_few)
def test_noisy_maximum_against_integrals_and_the_loop_by_hand(data):
    found, paths, regions = chances(place_of_largest(data, "laplace_noise", 0, 2))
    by_hand, more_paths, same_regions = chances(loop(data))
    assert found == by_hand
    assert (paths, regions, more_paths, same_regions) == (len(data), len(data), 2 ** (len(data) - 1), len(data))
    for place, chance in found.items():
        others = [x for number, x in enumerate(data) if number != place]

        def density(t, place=place, others=others):
            below = math.prod(laplace.cdf(t, x, 2) for x in others)
            return laplace.pdf(t, data[place], 2) * below

        ends = sorted({-60, *data, 60})
        integral = sum(quad(density, low, high)[0] for low, high in pairwise(ends))
        assert as_float(chance) == pytest.approx(integral, abs=1e-7)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(-4, 4), min_size=3, max_size=30))
def test_gumbel_noise_is_softmax(data):
    def code(randomness):
        return int(argmax(np.array(noisy(data, randomness.gumbel_noise(0, 2, len(data))), dtype=object)))

    found, paths, _ = chances(code)
    assert paths == len(data)
    whole = sum(math.exp(x / 2) for x in data)
    assert [as_float(found[place]) for place in range(len(data))] == pytest.approx(
        [math.exp(x / 2) / whole for x in data]
    )


@settings(max_examples=20, deadline=None)
@given(data_of_few)
def test_exponential_noise_is_permute_and_flip(data):
    """McKenna and Sheldon (2020): in a random order, each candidate is taken with ``exp((score - best) / scale)``."""
    found, _, _ = chances(place_of_largest(data, "exponential_noise", 2))
    flips = [math.exp((x - max(data)) / 2) for x in data]
    for place, chance in found.items():
        # By inclusion and exclusion over the sets of other candidates that come first and are not taken.
        others = [flip for number, flip in enumerate(flips) if number != place]
        expected = flips[place] * sum(
            (-1) ** sum(chosen) * math.prod(f for f, c in zip(others, chosen, strict=True) if c) / (1 + sum(chosen))
            for chosen in product((0, 1), repeat=len(others))
        )
        assert as_float(chance) == pytest.approx(expected)


def rules():
    """Ways to choose a number of a list, and the choice in plain Python, where ties follow the rule of the function."""
    yield lambda v: v.index(guarded_max(v)), lambda v: v.index(max(v))
    yield lambda v: v.index(guarded_min(v)), lambda v: v.index(min(v))
    yield (lambda v: guarded_max(range(len(v)), key=v.__getitem__)), lambda v: max(range(len(v)), key=v.__getitem__)
    yield (
        lambda v: guarded_max(reversed(range(len(v))), key=v.__getitem__),
        lambda v: max(reversed(range(len(v))), key=v.__getitem__),
    )
    yield (
        lambda v: guarded_min(range(len(v)), key=lambda i: -v[i]),
        lambda v: min(range(len(v)), key=lambda i: -v[i]),
    )
    yield (
        lambda v: tuple(nlargest(2, range(len(v)), key=v.__getitem__)),
        lambda v: tuple(sorted(range(len(v)), key=lambda i: -v[i])[:2]),
    )
    yield lambda v: int(argmax(v)), lambda v: int(np.argmax(v))


@pytest.mark.parametrize("rule", range(7))
@pytest.mark.parametrize("data", [(0, 0, 0), (1, 0, 2), (0, 1, 1)])
def test_ties_of_integer_noise_against_sums(rule, data):
    choose, plain = list(rules())[rule]

    def code(randomness):
        return choose([x + noise for x, noise in zip(data, randomness.geometric_numbers(0.5, 3).tolist(), strict=True)])

    expected = defaultdict(float)
    for draws in product(range(1, 41), repeat=3):
        expected[plain([x + k for x, k in zip(data, draws, strict=True)])] += 0.5 ** sum(draws)
    found, _, _ = chances(code)
    assert {result: as_float(chance) for result, chance in found.items()} == pytest.approx(expected, abs=1e-9)
    assert found == chances(code, TwoByTwo)[0]


def order_of(randomness, data):
    v = noisy(data, randomness.laplace_noise(0, 2, len(data)))
    return sorted(range(len(v)), key=lambda i: -v[i])


def test_the_first_two_of_an_order_are_one_region_each():
    data = (0, 1, 0, 2)
    found, paths, regions = chances(lambda randomness: tuple(order_of(randomness, data)[:2]))
    assert (paths, regions) == (24, 12)
    assert sum(map(as_float, found.values())) == pytest.approx(1)
    orders, _, _ = chances(lambda randomness: tuple(order_of(randomness, data)))
    for first_two, chance in found.items():
        assert chance == sum((one for order, one in orders.items() if order[:2] == first_two), fmpq(0))


MIXED_CODE = [
    lambda r, v: (v[0] > 1, v[1] > v[0], guarded_max(v) is v[2]),
    lambda r, v: (v[0] > v[1], guarded_max(v) is v[2], bool(r.bernoulli(0.25)), v[2] > 3),
    lambda r, v: sum(x > 0.5 for x in v),
    lambda r, v: (guarded_max(v) is guarded_max(v[:2] + v[2:]), guarded_min(v) is v[0]),
    lambda r, v: guarded_max([*v, 1.0]) == 1.0,
    # Then it is no comparison of a difference.
    lambda r, v: (v[0] > v[1], v[2] > 1, v[1] > 2 * v[2], guarded_max(v[:2]) is v[0]),
]


@pytest.mark.parametrize("number", range(len(MIXED_CODE)))
@pytest.mark.parametrize("noise", [("laplace_noise", 0, 2), ("exponential_noise", 2), ("geometric_numbers", 0.5)])
def test_bounds_decide_as_integrals_do(number, noise):
    def code(randomness):
        draws = getattr(randomness, noise[0])(*noise[1:], 3)
        return MIXED_CODE[number](randomness, draws.tolist())

    if noise[0] == "geometric_numbers" and number in (3, 5):
        # With ties, that one is the largest and another one the smallest is no tree of comparisons. Multiples have
        # other steps.
        for source in (EnumeratingRandomness, TwoByTwo, ByIntegrals):
            with pytest.raises(UnfollowableError, match=r"cycle|step sizes"):
                chances(code, source)
        return
    assert chances(code)[0] == chances(code, ByIntegrals)[0] == chances(code, TwoByTwo)[0]


def test_paths_whose_regions_have_more_in_common_stay_apart():
    """One of three lies above 0: what the three paths have in common is everything."""

    def code(randomness):
        return sum(x > 0 for x in randomness.laplace_noise(0, 2, 3).tolist())

    found, paths, regions = chances(code)
    assert (paths, regions) == (8, 8)
    assert found == {0: fmpq(1, 8), 1: fmpq(3, 8), 2: fmpq(3, 8), 3: fmpq(1, 8)}
    ends = endings_of(*zip(*[(one, one[1]) for one in outcomes(code)], strict=True))
    # Without their bounds they stay apart as well, whatever they lead to.
    assert len(list(merged([replace(end, known=None, result=0) for end in ends]))) == 8


def test_mixed_lists_keep_the_rules_of_the_built_in_functions():
    nan = math.nan
    for values in ([1, 2.0, 2], [nan, 1.0], [1.0, nan], [True, 1], ["a", "b"]):
        assert repr(guarded_max(values)) == repr(max(values))
        assert repr(guarded_min(values)) == repr(min(values))
    assert guarded_max([], default=3) == max([], default=3)
    assert guarded_max(1, 2, 3, key=lambda one: -one) == 1
    for arguments in ((), ([],), (5,)):
        with pytest.raises((TypeError, ValueError)) as told:
            guarded_max(*arguments)
        with pytest.raises(type(told.value), match=str(told.value).split("(")[0][:20]):
            max(*arguments)

    def code(randomness):
        v = randomness.laplace_noise(0, 2, 2).tolist()
        return guarded_max([*v, math.inf]), guarded_min([-math.inf, *v])

    assert chances(code)[0] == {(math.inf, -math.inf): fmpq(1)}
