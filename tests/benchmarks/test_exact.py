"""The cost of an exact check by scope, and of a keyed sample beside a sort of the same ids."""

import time

import pytest

from pan_audits.exact.check import run_check
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.result import CheckSettings
from pan_estimators import Promise


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("optimal-bernoulli", {"epsilon": 0.2}),
        ("calibrated-bernoulli", {"promise_epsilon": 0.4}),
        ("calibrated-insert-delete", {"promise_epsilon": 0.4}),
        ("calibrated-continual-output", {"promise_epsilon": 0.4}),
        ("calibrated-announced-intrusions", {"promise_epsilon": 0.6}),
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
