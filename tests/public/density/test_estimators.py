"""The estimators are what the sources print: cells, output, noise, state."""

from __future__ import annotations

import math
import pickle
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from pan_audits.choices.enumerating import outcomes
from pan_estimators import (
    ESTIMATORS_OF_IDS,
    EdgeUniverse,
    InputError,
    IntegerUniverse,
    NumpyRandomness,
    create_estimator,
    dwork,
    estimator_from_dict,
    exact_counter,
    laplace,
    lecture,
    optimal_bernoulli,
    pan_private_distinct_sampling,
    quantized_laplace,
)
from pan_proofs.density.lemmas.distinct_sampling import READINGS, Sampler
from tests.public.density.instances import small

SAMPLED = [name for name in ESTIMATORS_OF_IDS if name not in ("exact-counter", "graph-density")]


class Scripted:
    """Randomness whose noise is zero and whose bits are all ones, to read formulas off the code."""

    def __init__(self):
        self.probabilities = []
        self.noises = []

    def bernoulli(self, probability, size):
        self.probabilities.append((probability, size))
        return np.ones(size, dtype=bool)

    def uniform_integers(self, low, high, size):
        return np.full(size, low)

    def uniform_subset(self, population, size):
        return np.arange(size)

    def laplace(self, location, scale, size=None):
        self.noises.append((location, scale))
        return location if size is None else np.full(size, location)


@pytest.mark.parametrize(
    ("factory", "p_init", "p_upd"),
    [
        (dwork, 0.5, 0.5 + 0.3 / 4),
        (lecture, 0.5, 0.5 + 0.3 / 4),
        (optimal_bernoulli, 1 / (1 + math.exp(0.3)), math.exp(0.3) / (1 + math.exp(0.3))),
        (quantized_laplace, math.exp(-0.15) / 2, 1 - math.exp(-0.15) / 2),
    ],
)
def test_bits_are_drawn_as_printed_and_drawn_again_at_every_appearance(factory, p_init, p_upd):
    estimator, script = factory(universe=10, epsilon=0.3, sample_size=4), Scripted()
    state = estimator.create(script)
    assert script.probabilities == [(pytest.approx(p_init), 4)]
    for _ in range(3):
        state = estimator.update(state, 2, script)
    estimator.update(state, 7, script)
    # Nothing is drawn for a user who is not sampled.
    assert script.probabilities[1:] == [(pytest.approx(p_upd), 1)] * 3


@pytest.mark.parametrize(
    ("factory", "estimate", "scale"),
    [
        (dwork, 4 / 0.4 * (30 / 50 - 0.5), 1 / (0.4 * 50)),
        (optimal_bernoulli, (30 / 50 - 0.5 + math.tanh(0.2) / 2) / math.tanh(0.2), 1 / 20),
    ],
)
def test_the_output_is_the_printed_formula(factory, estimate, scale):
    estimator, script = factory(universe=100, epsilon=0.4, sample_size=50), Scripted()
    state = estimator.create(script)
    state.cells[:20] = False
    estimator.release(state, script)
    assert script.noises == [(pytest.approx(estimate), pytest.approx(scale))]


def test_laplace_cells_and_output_are_as_printed():
    estimator, script = laplace(universe=9, epsilon=0.25, sample_size=9, mu_init=2, mu_upd=5), Scripted()
    state = estimator.create(script)
    state = estimator.update(state, [1, 2, 3], script)
    assert script.noises == [(2, pytest.approx(12)), (5, pytest.approx(12))]
    assert estimator.release(state, script) == pytest.approx(3 / 9)
    assert script.noises[-1][1] == pytest.approx(1 / (0.25 * 9))


@pytest.mark.parametrize("name", [name for name in SAMPLED if not name.startswith("calibrated")])
def test_promise_is_two_epsilon_up_to_one_half_and_none_beyond(name):
    known = create_estimator(name, universe=20, epsilon=0.5, sample_size=5)
    assert known.promise.epsilon == pytest.approx(1.5 if name == "announced-intrusions" else 1.0)
    assert known.promise_of_state.epsilon == (1.0 if name == "announced-intrusions" else 0.5)
    assert known.promise_of_output.epsilon == 0.5
    more = {"centre": 0.5} if name == "bernoulli-family" else {}
    assert create_estimator(name, universe=20, epsilon=0.6, sample_size=5, **more).promise is None


@pytest.mark.parametrize("name", list(ESTIMATORS_OF_IDS))
def test_a_configuration_survives_its_dictionary_and_a_pickle(name):
    estimator = small(name)
    assert estimator_from_dict(estimator.to_dict()).to_dict() == estimator.to_dict()
    assert pickle.loads(pickle.dumps(estimator)).to_dict() == estimator.to_dict()
    with pytest.raises((AttributeError, TypeError)):
        estimator.universe = None


@pytest.mark.parametrize("name", list(ESTIMATORS_OF_IDS))
def test_every_estimator_is_close_to_the_density_on_average(name):
    estimator, randomness = small(name), NumpyRandomness(3)
    users = np.arange(estimator.universe.size)[::2]
    outputs = []
    for _ in range(1000):
        state = estimator.update(estimator.create(randomness), users, randomness)
        outputs.append(estimator.release(state, randomness))
    deviation = np.std(outputs) / math.sqrt(len(outputs)) + 1e-12
    assert abs(np.mean(outputs) - users.size / estimator.universe.size) < 5 * deviation


def test_integer_ids_come_as_users_have_them():
    estimator = exact_counter(universe=IntegerUniverse(10, first=5))
    columns = [
        [5, 14],
        (5, 14),
        range(5, 15, 9),
        np.array([5, 14], dtype=np.uint8),
        np.array([5.0, 14.0]),
        pd.Series([5, 14]),
        pd.Series([5, 14], dtype="Int64"),
        pl.Series([5, 14]),
        pa.array([5, 14]),
        pa.chunked_array([[5], [14]]),
    ]
    for column in columns:
        state = estimator.update(estimator.create(None), column, None)
        assert state.seen.tolist() == [True] + 8 * [False] + [True], type(column)
    assert not estimator.update(estimator.create(None), [], None).seen.any()


@pytest.mark.parametrize(
    ("ids", "words"),
    [
        ([1, 99], "id 99 is outside the universe 0..9"),
        ([float("nan")], "missing, got NaN at position 0"),
        (["seven"], "integer ids 0..9, got the string 'seven'"),
        ([1, None], "missing, got None at position 1"),
        ([1, "a"], "all integers or all strings, got int and str"),
        ([True], "integers or strings, got values of type bool"),
        ([[1, 2], [3, 4]], "one-dimensional"),
        (np.array(["2020-01-01"], dtype="datetime64[D]"), "values of type datetime64"),
        (pl.Series([1, None]), "missing"),
    ],
)
def test_bad_ids_get_one_clear_sentence(ids, words):
    estimator = exact_counter(universe=10)
    with pytest.raises(InputError, match=words) as caught:
        estimator.update(estimator.create(None), ids, None)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"epsilon": 0.0}, "epsilon must be positive and finite, got 0.0"),
        ({"epsilon": math.inf}, "epsilon must be positive and finite, got inf"),
        ({"epsilon": "1"}, "epsilon must be a number"),
        ({"sample_size": 11}, "between 1 and 10 .the size of the universe., got 11"),
        ({"sample_size": 2.5}, "whole number, got 2.5"),
        ({"universe": 0}, "the universe size must be"),
        ({"alpha": 0.1}, "either the sample size m or both alpha and beta, not both"),
        (
            {"sample_size": None, "alpha": 0.1, "beta": 0.05},
            "need a sample of .* users by .*accuracy, more than the 10",
        ),
        ({"sample_size": None, "alpha": 2.0, "beta": 0.05}, "alpha must lie strictly between 0 and 1"),
    ],
)
def test_bad_configurations_get_one_clear_sentence(arguments, words):
    good = {"universe": 10, "epsilon": 0.3, "sample_size": 5}
    for factory in (dwork, optimal_bernoulli, laplace, pan_private_distinct_sampling):
        with pytest.raises(InputError, match=words):
            factory(**{**good, **arguments})
    with pytest.raises(InputError, match=r"below 2 .*Algorithm 1.*got 2"):
        dwork(universe=10, epsilon=2, sample_size=5)


def test_the_last_of_several_insertions_and_deletions_counts():
    estimator, script = create_estimator("dwork-insert-delete", universe=4, epsilon=0.4, sample_size=4), Scripted()
    state = estimator.create(script)
    estimator.update(state, [0, 1, 0, 2, 1, 0], script, deletions=[False, False, True, False, True, False])
    # 0 and 2 are inserted at the end, 1 is deleted: one draw from 1/2, two from 1/2 + epsilon/4.
    assert sorted(script.probabilities[1:]) == [(0.5, 1), (pytest.approx(0.6), 2)]


def test_graph_density_counts_edges():
    estimator = exact_counter(universe=EdgeUniverse(4))
    state = estimator.update(estimator.create(None), [(0, 1), (3, 2), (1, 0)], None)
    assert estimator.release(state, None) == pytest.approx(2 / 6)
    with pytest.raises(InputError, match=r"\(1, 1\) is not an edge"):
        estimator.update(state, [(1, 1)], None)
    with pytest.raises(InputError, match="is not an edge"):
        estimator.update(state, [(0, 4)], None)


def test_announcing_draws_the_bits_through_randomised_response():
    estimator = create_estimator("announced-intrusions", universe=50, epsilon=0.5, sample_size=50)
    randomness = NumpyRandomness(2)
    flips = []
    for _ in range(400):
        state = estimator.create(randomness)
        before = state.cells.copy()
        state = estimator.announce(state, randomness)
        flips.append(np.mean(state.cells != before))
        assert state.announced == 1
    assert np.mean(flips) == pytest.approx(1 / (1 + math.exp(0.5)), abs=0.02)
    continuous = laplace(universe=4, epsilon=0.4, sample_size=4)
    state = continuous.create(randomness)
    with pytest.raises(InputError, match="only bits are re-randomised"):
        continuous.announce(state, randomness)


CASES = [(2, 1, ((0, 1, 0),)), (4, 1, ((3,),)), (4, 2, ((0, 3),)), (4, 2, ((1,), (2,))), (3, 2, ((2, 0, 2),))]


def distribution_of_the_code(users, size, batches):
    """The distribution of the level and the members, by every random choice of the estimator."""
    estimator = pan_private_distinct_sampling(universe=users, epsilon=math.log(3 / 2), sample_size=size)

    def run(source):
        state = estimator.create(source)
        for ids in batches:
            state = estimator.update(state, list(ids), source)
        return state.level, frozenset(state.members.tolist())

    distribution = defaultdict(float)
    for chance, state, _ in outcomes(run):
        distribution[state] += float(chance)
    return distribution


def distribution_of_the_listing(users, size, batches, *, repeated=False):
    sampler = Sampler(users, size, Fraction(3, 2), repeated)
    distribution = defaultdict(float)
    for state, chance in sampler.average_distribution([user for ids in batches for user in ids]).items():
        distribution[state] += float(chance)
    return {state: chance for state, chance in distribution.items() if chance}


@pytest.mark.parametrize(("users", "size", "batches"), CASES)
def test_the_code_has_the_distribution_of_the_listing(users, size, batches):
    assert distribution_of_the_code(users, size, batches) == pytest.approx(
        distribution_of_the_listing(users, size, batches)
    )


def test_the_distribution_of_a_repeated_check_is_another_one():
    printed, repeated = (distribution_of_the_listing(4, 2, ((0, 3),), repeated=one) for one in READINGS)
    assert any(len(members) >= 2 for _, members in printed)
    assert not any(len(members) >= 2 for _, members in repeated)
