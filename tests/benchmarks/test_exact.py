"""The cost of an exact check by scope, and of a keyed sample beside a sort of the same ids."""

import time

import numpy as np
import pytest

from pan_audits.exact.check import run_check
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.result import CheckSettings
from pan_audits.exact.scope import Scope
from pan_audits.exact.search import search_scope
from pan_audits.exact.stepping import Stepper
from pan_estimators import NumpyRandomness, Promise, create_estimator, parse_epsilon


@pytest.mark.parametrize("length", range(1, 6))
@pytest.mark.parametrize("users", range(1, 5))
@pytest.mark.parametrize("name", ["optimal-bernoulli", "calibrated-bernoulli"])
def test_a_scope(benchmark, figure, name, users, length):
    """From nothing: the states, steps and distributions of one scope are worked out anew in each round."""
    size = max(1, users - 1)
    estimator = create_estimator(name, universe=users, epsilon=parse_epsilon("log(3/2)"), sample_size=size)
    scope = Scope.of(estimator.promise, users, length, deletions=False, exchangeable=True)
    seconds = []

    def search():
        stepper = Stepper(estimator, tuple(range(users)))
        began = time.process_time()
        found = search_scope(stepper, scope)
        seconds.append(time.process_time() - began)
        return stepper, found

    stepper, found = benchmark.pedantic(search, rounds=3, warmup_rounds=1)
    covered = f"{found.streams:,} streams, {found.pairs:,} pairs, {len(stepper.states)} states"
    figure(f"{name}: {users} users, up to {length} updates, ms", 1e3 * min(seconds), "none", covered)
    assert found.streams >= scope.length


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("optimal-bernoulli", {"epsilon": 0.2}),
        ("calibrated-bernoulli", {"epsilon": 0.2}),
        ("calibrated-insert-delete", {"epsilon": 0.2}),
        ("calibrated-continual-output", {"epsilon": 0.2}),
        ("calibrated-announced-intrusions", {"epsilon": 0.2}),
        ("tests.mechanisms.ten_lines:RandomisedResponse", {"epsilon": 0.3}),
    ],
)
def test_a_whole_check(benchmark, figure, name, parameters):
    """As the command does it by default: 3 users, up to 4 updates, and the growth with the appearances of one user."""
    promise = Promise.parse("epsilon=1,adjacency=user-level") if ":" in name else None
    instances = SmallInstances(name, parameters, promise)
    seconds = []

    def check():
        began = time.process_time()
        result = run_check(instances, CheckSettings(seconds=1000))
        seconds.append(time.process_time() - began)
        return result

    result = benchmark.pedantic(check, rounds=2)
    streams, pairs = (sum(getattr(row, what) for row in result.coverage) for what in ("streams", "pairs"))
    covered = f"{streams:,} streams, {pairs:,} pairs"
    figure(f"{name.rpartition(':')[2]}: a whole check, s", min(seconds), "none", covered)
    assert not result.note


@pytest.mark.parametrize("what", ["numpy.unique", "keyed sample"])
def test_membership_in_a_sample(benchmark, what):
    ids = np.random.default_rng(1).integers(0, 10**9, 10**6)
    sample = NumpyRandomness(1).keyed_sample(10**9, 5000)
    result = benchmark(np.unique if what == "numpy.unique" else sample.positions, ids)
    assert result.size
