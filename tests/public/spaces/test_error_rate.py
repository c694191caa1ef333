"""The rate of false refutations on a space whose pairs have exactly the promised loss."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import strategies as st

from pan_audits.audit.privacy import audit_privacy
from pan_audits.audit.settings import Settings
from pan_audits.judging.verdict import Verdict
from pan_audits.statistics import ErrorBudget
from pan_audits.subject.intake.discovery import find_thing

AUDITS, ERROR, MOST = 200, 0.05, 24


def count_of_ones(data: Any, rng: Any) -> int:
    return int(sum(data) + rng.discrete_laplace(1.0))


@pytest.mark.more
def test_a_true_promise_on_a_space_is_refuted_within_the_error_budget() -> None:
    """Each added 1 has a loss of exactly 1. At a rate of 5%, more than 24 refutations have a chance below 1e-4."""
    data = st.lists(st.integers(0, 1), max_size=2)
    found = find_thing(count_of_ones, data=data, neighbours="add-row", epsilon=1, parameters={})

    def refuted(promise: Any, seed: int) -> bool:
        result = audit_privacy(
            found.estimator,
            promise,
            found.population,
            ErrorBudget(ERROR, "test"),
            Settings(runs=4000, error=ERROR, confirmation_runs=1000, workers=0, accuracy_runs=0),
            entropy=seed,
            configuration={},
            problem=found.problem,
        )
        return result.verdict is Verdict.REFUTED

    assert sum(refuted(found.promise, seed) for seed in range(AUDITS)) <= MOST
    # The same audits find a promise that is false.
    assert all(refuted(replace(found.promise, epsilon=0.5), seed) for seed in range(3))
