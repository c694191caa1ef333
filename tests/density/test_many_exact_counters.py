"""Many runs of the exact counter at once are equal to single runs."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pan_audits.observing.features import observation_features
from pan_audits.observing.subject import Subject
from pan_audits.running.many_runs import ManyObservations, features_of_many
from pan_estimators import ManyRuns, NumpyRandomness
from pan_estimators.density.exact_counter import exact_counter


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
