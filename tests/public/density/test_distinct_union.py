"""The union of two distinct counters: its loss by enumeration, its errors, its distribution, and refusals."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from pan_estimators import HashedUniverse, InputError, NumpyRandomness
from pan_estimators.density.cells import BernoulliCells
from pan_estimators.density.distinct.counter import distinct_counter
from pan_estimators.density.distinct.union import CounterUnion, counter_for_union, union_of
from pan_estimators.density.distinct.union_tables import (
    union_loss,
    union_noise,
    union_ratio,
    zero_sum_noise,
    zero_sum_variance,
)
from tests.laws.density.shared_observations import Look, Noise, Output, Setting

KEY, OTHER_KEY = b"0123456789abcdef", b"fedcba9876543210"
SIZE = 2**40


@pytest.fixture(scope="module")
def counter():
    """4,096 cells for unions of 1,000 to 100,000 users."""
    return counter_for_union(universe=SIZE, promise_epsilon=2, bits=2**12, least=1e3, most=1e5)


def states_of(counter, users, shared, seed):
    """The states of two counters with some users in common, each of whom appears twice."""
    ids = np.random.default_rng(seed).choice(SIZE, users)
    randomness = NumpyRandomness([seed, 1])
    only = (users - shared) // 2
    streams = (ids[: shared + only], np.concatenate([ids[:shared], ids[shared + only :]]))
    return [
        counter.update(counter.create(randomness), np.concatenate([stream, stream[::-1]]), randomness)
        for stream in streams
    ]


@pytest.mark.parametrize("pair", [(Fraction(2, 5), Fraction(3, 5)), (Fraction(1, 4), Fraction(1, 2))])
@pytest.mark.parametrize("looks", [1, 2])
def test_the_loss_is_that_of_the_whole_mechanism_run_on_all_small_streams(pair, looks):
    """One cell in each counter, up to two moments, any order of looks: the counts are seen with their noise."""
    rate = Fraction(2)

    def table(bits):
        return tuple(int(bits == value) for value in product((0, 1), repeat=2))

    schedule = (Look((0,)), Look((1,)))[:looks]
    runs = Setting(2, (0, 1, (0, 1)), (0,), (*schedule, Output(table)))
    found = max(runs.ratios(2, pair, Noise(1 / rate, 1 / rate), last=True, zero_sum=True))
    assert union_ratio(BernoulliCells(float(pair[0]), float(pair[1])), 1 / rate, looks) == pytest.approx(float(found))


@pytest.mark.parametrize(("looks", "total"), [(1, 1.0), (2, 1.0), (1, 0.3), (2, 3.0)])
def test_the_noise_uses_up_the_promise_and_does_not_exceed_it(looks, total):
    cells = BernoulliCells(0.45, 0.54)
    noise = union_noise(cells, total, looks)
    assert total * (1 - 1e-9) < union_loss(cells, noise, looks) <= total
    assert union_loss(cells, noise * 0.999, looks) > total


@pytest.mark.parametrize(
    ("users", "shared"),
    [(2_000, 1_000), pytest.param(30_000, 30_000, marks=pytest.mark.more)],
)
def test_the_errors_are_the_predicted_ones(counter, users, shared):
    union, runs = CounterUnion(counter), 60
    found = [
        union.estimate(union.release(*states_of(counter, users, shared, seed), NumpyRandomness([seed, 2])))
        for seed in range(runs)
    ]
    each = shared + (users - shared) // 2
    of_union, of_both = union.expected_errors(each, each, users)
    for name, truth, expected in (("union", users, of_union), ("intersection", shared, of_both)):
        errors = np.array([getattr(one, name).count for one in found]) - truth
        # A standard deviation of 60 normal errors is within 45% of the truth with probability above 0.9999. At the
        # end of the possible numbers half of the errors are cut off.
        assert errors.std() < 1.45 * expected
        assert errors.std() > (0.4 if shared == users else 0.6) * expected
        assert abs(errors.mean()) < 0.75 * expected
    covered = sum(one.union.low <= users <= one.union.high for one in found)
    assert covered > 0.8 * runs
    assert sum(one.reliable for one in found) > 0.9 * runs


@pytest.mark.parametrize("ratio", [0.05, 0.5, 0.9])
def test_the_noise_of_a_table_has_the_stated_distribution(ratio):
    """All vectors with the sum zero: the frequencies of the likely ones, and the variance with all of them."""
    runs = 20_000
    drawn = zero_sum_noise(NumpyRandomness(7), ratio, runs)
    assert (drawn.sum(axis=1) == 0).all()
    reach = math.ceil(40 / -math.log(ratio)) + 1
    places = np.arange(-reach, reach + 1)
    alone = ratio ** np.abs(places)
    three = np.convolve(np.convolve(alone, alone), alone)[2 * reach : 4 * reach + 1]
    chances = alone * three[::-1] / (alone * three[::-1]).sum()
    assert (chances * places**2).sum() == pytest.approx(zero_sum_variance(ratio), rel=1e-9)
    assert np.abs((drawn[:, 2, None] == places).mean(axis=0) - chances).max() < 6 * math.sqrt(0.25 / runs)
    # Four numbers have one distribution, and each vector the stated weight.
    ends = [np.array(one) for one in ((1, -1, 0, 0), (0, 1, -1, 0), (1, 1, -1, -1), (0, 0, 0, 0))]
    found = [(drawn == one).all(axis=1).mean() for one in ends]
    weights = ratio ** np.array([2.0, 2.0, 4.0, 0.0])
    expected = weights / (alone * three[::-1]).sum()
    assert np.abs(found - expected).max() < 6 * math.sqrt(0.25 / runs)


def test_a_release_erases_both_states_and_a_second_one_is_refused(counter):
    union = CounterUnion(counter)
    one, other = states_of(counter, 100, 50, 1)
    with pytest.raises(InputError, match="given twice"):
        union.release(one, one, NumpyRandomness(1))
    tables = union.release(one, other, NumpyRandomness(1))
    assert not one.cells.any()
    assert not other.cells.any()
    with pytest.raises(InputError, match="erased"):
        union.release(one, other, NumpyRandomness(1))
    with pytest.raises(InputError, match="erased"):
        counter.release(other, NumpyRandomness(1))
    for wrong in (tables[:-1], "x", np.full(tables.shape, np.nan)):
        with pytest.raises(InputError, match="four finite counts"):
            union.estimate(wrong)
    with pytest.raises(InputError, match="add up"):
        union.estimate(tables + 1)
    assert union.promise.claim == "distinct.union"
    assert CounterUnion(counter).promise.intrusions == 1


def test_other_keys_levels_and_promises_are_refused_with_a_sentence():
    def made(key=KEY, levels="8:2,2:9", epsilon=0.5, p_init=0.45):
        universe = HashedUniverse(10**4, key)
        return distinct_counter(universe=universe, promise_epsilon=2 * epsilon, levels=levels, p_init=p_init, p_upd=0.6)

    one = made()
    assert union_of(one, made()).counter == one
    for other, words in (
        (made(key=OTHER_KEY), "one key"),
        (made(levels="8:3,2:9"), "same levels"),
        (made(p_init=0.44), "same probabilities"),
        (made(epsilon=0.6), "same probabilities and promise"),
    ):
        with pytest.raises(InputError, match=words):
            union_of(one, other)
    with pytest.raises(InputError, match="is 1 or 2"):
        CounterUnion(one, 3)
    planned = distinct_counter(universe=SIZE, promise_epsilon=1, bits=1024, least=10, most=1e4)
    with pytest.raises(InputError, match="the states alone lose"):
        CounterUnion(planned, 2)
    with pytest.raises(InputError, match="has no"):
        CounterUnion(planned).expected_errors(10, 20, 40)
