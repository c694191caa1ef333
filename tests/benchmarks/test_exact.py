"""What an exact check costs by scope, and a keyed sample beside a sort of the same ids."""

import numpy as np
import pytest

from pan_audits.exact.scope import Scope
from pan_audits.exact.search import search_scope
from pan_audits.exact.stepping import Stepper
from pan_estimators import NumpyRandomness, create_estimator, parse_epsilon


@pytest.mark.parametrize(("users", "length"), [(2, 4), (3, 4), (3, 5), (4, 4)])
@pytest.mark.parametrize("name", ["optimal-bernoulli", "calibrated-bernoulli"])
def test_a_scope(benchmark, name, users, length):
    estimator = create_estimator(name, universe=users, epsilon=parse_epsilon("log(3/2)"), sample_size=users - 1)
    scope = Scope.of(estimator.promise, users, length, deletions=False, exchangeable=True)
    found = benchmark.pedantic(lambda: search_scope(Stepper(estimator, tuple(range(users))), scope), rounds=3)
    assert found.streams > 100


@pytest.mark.parametrize("what", ["numpy.unique", "keyed sample"])
def test_membership_in_a_sample(benchmark, what):
    ids = np.random.default_rng(1).integers(0, 10**9, 10**6)
    sample = NumpyRandomness(1).keyed_sample(10**9, 5000)
    result = benchmark(np.unique if what == "numpy.unique" else sample.positions, ids)
    assert result.size
