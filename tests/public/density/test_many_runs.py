"""Many runs at once have the distribution of single runs, and the states of single runs."""

from __future__ import annotations

import copy
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2_contingency, ks_2samp

from pan_audits.events.observing.features import observation_features
from pan_audits.events.observing.subject import Subject
from pan_audits.subject.running.many_runs import ManyObservations, features_of_many, stack_size
from pan_estimators import ESTIMATORS_OF_IDS, InputError, ManyRuns, NumpyRandomness, kernels
from pan_estimators.density import distinct_samples as many_distinct_samples
from pan_estimators.density.exact_counter import exact_counter
from pan_estimators.density.pan_private_distinct_sampling import (
    PanPrivateDistinctSampling,
    pan_private_distinct_sampling,
    take_turns,
)
from pan_estimators.universes.universe import as_universe
from tests.internals.running.test_many_runs import distribution
from tests.public.density.instances import small
from tests.turns import every


def made(universe, room, epsilon=0.5):
    return PanPrivateDistinctSampling(universe=as_universe(universe), epsilon=epsilon, sample_size=room)


def shown(state):
    return state.multiplier, state.increment, state.level, tuple(state.members.tolist())


def one(estimator, segments, randomness):
    state = estimator.create(randomness)
    for ids in segments:
        state = estimator.update(state, np.array(ids), randomness)
    return shown(state), float(estimator.release(state, randomness))


def many(estimator, segments, randomness, runs=1):
    states = estimator.create_many(runs, randomness)
    for ids in segments:
        states = estimator.update_many(states, np.array(ids), randomness)
    looks = [shown(estimator.state_of(states, run)) for run in range(runs)]
    return tuple(zip(looks, estimator.release_many(states, randomness).tolist(), strict=True))


@pytest.mark.parametrize(
    ("universe", "room", "segments"),
    [(1, 1, [[0], [0]]), (2, 1, [[0], [1, 0]]), (2, 2, [[1, 0, 1]]), (3, 1, [[2]]), (3, 2, [[1, 2]])],
)
@pytest.mark.parametrize("undivided", [many_distinct_samples._FEW, 1])
def test_one_run_of_many_has_exactly_the_distribution_of_a_single_run(universe, room, segments, undivided, monkeypatch):
    monkeypatch.setattr(many_distinct_samples, "_FEW", undivided)
    estimator = made(universe, room)
    alone = distribution(lambda chance: one(estimator, segments, chance))
    together = distribution(lambda chance: many(estimator, segments, chance)[0])
    assert together == pytest.approx(alone, abs=1e-12)
    assert together.keys() == alone.keys()


def test_a_hash_that_is_shared_by_all_runs_would_be_seen():
    estimator = made(2, 1)
    alone = distribution(lambda chance: one(estimator, [], chance))
    found = distribution(lambda chance: many(estimator, [], chance, 2))
    assert found == pytest.approx({(a, b): p * q for a, p in alone.items() for b, q in alone.items()}, abs=1e-12)


@given(
    universe=st.integers(1, 70),
    room=st.integers(1, 12),
    turns=st.lists(st.integers(0, 69), max_size=60),
    probability=st.sampled_from([0.3, 0.9, 1.0]),
    seed=st.integers(0, 99),
)
@settings(max_examples=60)
def test_the_samples_are_the_same_with_and_without_numba(universe, room, turns, probability, seed):
    users = np.array([turn % universe for turn in turns], dtype=np.int64)
    estimator = made(universe, min(room, universe))
    found = []
    for compiling in (True, False):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(kernels, "compiling", lambda answer=compiling: answer)
            states = estimator.create_many(5, NumpyRandomness(seed))
            found.append(take_turns(states, users, probability, min(room, universe), NumpyRandomness(seed + 1)))
    ours, theirs = found
    assert np.array_equal(ours.marks, theirs.marks)
    assert np.array_equal(ours.levels, theirs.levels)


def test_outputs_lie_on_the_grid_of_single_outputs():
    """Noise of one level has one grid. Outputs off the grid would tell runs at once from single runs."""
    estimator = made(64, 4)
    _, singles = zip(*(one(estimator, [range(64)], NumpyRandomness(seed)) for seed in range(40)), strict=True)
    _, outputs = zip(*many(estimator, [range(64)], NumpyRandomness(0), 40), strict=True)
    step = 2.0**-40
    assert all((value / step).is_integer() for value in singles)
    assert all((value / step).is_integer() for value in outputs)


def test_the_sampled_density_is_that_of_the_users_who_qualify():
    estimator = made(50, 6)
    states = estimator.update_many(estimator.create_many(20, NumpyRandomness(3)), np.arange(30), NumpyRandomness(4))
    present = np.arange(50) < 30
    found, sizes = states.sampled_density(present)
    for run in range(20):
        users = estimator.sampled_users(estimator.state_of(states, run))
        assert (found[run], sizes[run]) == (pytest.approx(present[users].mean()), users.size)


def test_the_last_release_erases_all_runs():
    estimator = made(40, 5)
    assert isinstance(estimator, ManyRuns)
    states = estimator.create_many(7, NumpyRandomness(0))
    marks = states.marks
    estimator.release_many(states, NumpyRandomness(1))
    assert not marks.any()
    assert shown(estimator.state_of(states, 3)) == (0, 0, 0, ())
    with pytest.raises(InputError, match="erased"):
        estimator.update_many(states, np.array([1]), NumpyRandomness(1))


def test_a_large_universe_takes_few_runs_at_once():
    assert stack_size(made(2**24, 100)) == 1
    assert stack_size(pan_private_distinct_sampling(universe=2**10, epsilon=0.1, sample_size=100)) == 2**10


@given(st.integers(1, 40), st.integers(1, 12), st.integers(0, 39), st.integers(0, 2**32))
def test_features_of_groups_are_those_of_single_runs(universe, room, user, seed):
    estimator = made(universe, min(room, universe), 1.0)
    randomness, runs, subject = NumpyRandomness(seed), 30, Subject(user % universe, user % universe, universe)
    states = estimator.create_many(runs, randomness)
    states = estimator.update_many(states, np.arange(universe), randomness)
    looked = (copy.deepcopy(states),)
    outputs = estimator.release_many(states, randomness)
    table = features_of_many(estimator, ManyObservations(runs, looked, (outputs,)), subject)
    for run in range(runs):
        row = observation_features([estimator.state_of(looked[0], run)], [outputs[run].item()], subject)
        found = dict(zip(table.names, table.values[run].tolist(), strict=True))
        assert {name: value for name, value in found.items() if not math.isnan(value)} == row


@given(st.integers(1, 40), st.lists(st.lists(st.integers(0, 39), max_size=20), max_size=3))
def test_states_outputs_and_features_of_many_runs_are_those_of_a_single_run(universe, segments):
    estimator, randomness = exact_counter(universe=universe), NumpyRandomness(0)
    assert isinstance(estimator, ManyRuns)
    state, states = estimator.create(randomness), estimator.create_many(5, randomness)
    for users in segments:
        ids = np.array([user % universe for user in users], dtype=np.int64)
        state = estimator.update(state, ids, randomness)
        states = estimator.update_many(states, ids, randomness)
    for run in range(5):
        assert np.array_equal(estimator.state_of(states, run).seen, state.seen)
    looked = ManyObservations(5, (states,), ())
    table = features_of_many(estimator, looked, Subject(0, 0, universe))
    row = observation_features([state], [], Subject(0, 0, universe))
    assert dict(zip(table.names, table.values[3], strict=True)) == row
    assert estimator.release_many(states, randomness).tolist() == [estimator.release(state, randomness)] * 5
    assert estimator.state_of(states, 0).releases == state.releases == 1
    density, users_of_run = states.sampled_density(state.seen)
    assert density.tolist() == [state.seen.mean()] * 5
    assert users_of_run.tolist() == [universe] * 5


RUNS = 1500
LEVEL = 1e-4
WITHOUT_CELLS = {"exact-counter", "pan-private-distinct-sampling"}
MANY = [name for name in ESTIMATORS_OF_IDS if isinstance(small(name), ManyRuns) and name not in WITHOUT_CELLS]


def seen(estimator, state, users):
    """The cells of some users at the look, coarsely enough to be counted."""
    sampled = np.asarray(estimator.sampled_users(state))
    cells = [np.flatnonzero(sampled == user) for user in users]
    return tuple("out" if not place.size else bool(state.cells[place[0]] > 0.5) for place in cells)


def ids_of(estimator, places):
    users = estimator.universe.example_ids(4)
    ids = [users[place] for place in places]
    return np.array(ids) if isinstance(users[0], tuple) else ids


def single(estimator, seed):
    randomness = NumpyRandomness(seed)
    looks, outputs = [], []
    for _ in range(RUNS):
        state = estimator.update(estimator.create(randomness), ids_of(estimator, (0, 1, 0)), randomness)
        looks.append(seen(estimator, state, (0, 1, 2)))
        state = estimator.update(state, ids_of(estimator, (2, 0)), randomness)
        outputs.append(float(estimator.release(state, randomness)))
    return looks, outputs


def at_once(estimator, seed, *, forget=False):
    randomness = NumpyRandomness(seed)
    states = estimator.create_many(RUNS, randomness)
    states = estimator.update_many(states, ids_of(estimator, (0, 1, 0)), randomness)
    looks = [seen(estimator, estimator.state_of(states, run), (0, 1, 2)) for run in range(RUNS)]
    if not forget:
        states = estimator.update_many(states, ids_of(estimator, (2, 0)), randomness)
    return looks, list(estimator.release_many(states, randomness))


def p_values(ours, theirs):
    """A chi-squared test of looks and coarse outputs jointly, and the test of Kolmogorov and Smirnov of the outputs."""
    middle = np.median(ours[1])
    samples = [Counter(zip(looks, np.asarray(outputs) > middle, strict=True)) for looks, outputs in (ours, theirs)]
    common = [value for value, times in (samples[0] + samples[1]).items() if times >= 20]
    table = np.array([[sample[value] for value in common] for sample in samples])
    return chi2_contingency(table).pvalue, ks_2samp(ours[1], theirs[1]).pvalue


@pytest.mark.parametrize("name", every(3, MANY))
def test_many_runs_and_single_runs_have_one_distribution(name):
    estimator = small(name)
    assert min(p_values(single(estimator, 1), at_once(estimator, 2))) > LEVEL


def test_many_runs_that_forget_an_update_would_be_seen():
    estimator = small("dwork")
    assert min(p_values(single(estimator, 1), at_once(estimator, 2, forget=True))) < LEVEL


@pytest.mark.parametrize("name", ["calibrated-bernoulli", "laplace"])
def test_runs_at_once_are_not_correlated(name):
    """The outputs of neighbouring runs, and of runs far apart, have no correlation beyond chance."""
    estimator = small(name)
    outputs = np.array(at_once(estimator, 3)[1])
    for lag in (1, 7, RUNS // 2):
        assert abs(np.corrcoef(outputs[:-lag], outputs[lag:])[0, 1]) < 4.5 / np.sqrt(RUNS - lag)
