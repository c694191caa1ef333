"""Random numbers of the system: independent draws are audited, a counter, a clock and sticky coins are not."""

from __future__ import annotations

import pytest

from pan_audits import Settings, Verdict, find_mechanism, run_gate
from pan_promises.promise import Promise

PLACE = "tests.mechanisms.unseen"


def gate(function, epsilon=1.1):
    promise = Promise.parse(f"epsilon={epsilon},adjacency=given,observed=output,intrusions=0")
    mechanism = find_mechanism(f"{PLACE}:{function}", parameters={}, promise=promise, inputs=f"{PLACE}:bits")
    return run_gate(mechanism, Settings(runs=5_000, seed=3, workers=0, accuracy_runs=0, exact=False))


@pytest.mark.parametrize(
    ("function", "epsilon", "verdict"),
    [
        ("truth_in_three_of_four", 1.1, Verdict.NOT_REFUTED),
        pytest.param("truth_in_nine_of_ten", 1.1, Verdict.REFUTED, marks=pytest.mark.more),
        pytest.param("beside_a_given_coin", 1.1, Verdict.NOT_REFUTED, marks=pytest.mark.more),
    ],
)
def test_independent_draws_of_the_system_are_audited(function, epsilon, verdict):
    report = gate(function, epsilon)
    assert report.verdict is verdict, report.reason
    found = {finding.check: str(finding.severity) for finding in report.findings}
    # The bytes of the last draw stay in memory, which the adversary of this promise does not see.
    assert found.pop("memory outside the state", "warning") == "warning"
    assert found == {"randomness of the system": "warning"}


@pytest.mark.parametrize(
    "function",
    [
        "coins_that_stick",
        pytest.param("counts", marks=pytest.mark.more),
        pytest.param("tells_the_time", marks=pytest.mark.more),
    ],
)
def test_runs_that_are_not_independent_are_no_evidence(function):
    report = gate(function)
    assert report.verdict is Verdict.INCONCLUSIVE
    assert report.privacy is None
    assert any(finding.check in ("randomness", "hidden state") for finding in report.findings)
