"""A refutation by the exact check is made only of code that repeats itself."""

from __future__ import annotations

import pytest

from pan_audits import Verdict
from pan_audits.exact.check import run_check
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.result import CheckSettings
from pan_promises.promise import Promise

PLACE = "tests.variants.unseen"


def checked(function, epsilon):
    promise = Promise.parse(f"epsilon={epsilon},adjacency=given,observed=output,intrusions=0")
    made = SmallInstances(f"{PLACE}:{function}", promise=promise, inputs=f"{PLACE}:bits")
    return run_check(made, CheckSettings())


@pytest.mark.parametrize(
    ("function", "epsilon"),
    [
        ("truth_in_three_of_four", 1.1),
        ("truth_in_nine_of_ten", 2.2),
        ("beside_a_given_coin", 1.1),
        ("below_noise", 0.8),
    ],
)
def test_noise_that_the_check_does_not_see_is_never_a_loss(function, epsilon):
    # Without the repetition about one check in ten said REFUTED, of the second function one in three.
    for _ in range(8):
        result = checked(function, epsilon)
        assert result.verdict is Verdict.INCONCLUSIVE
        assert result.loss is None
        assert result.witness is None


@pytest.mark.more
def test_a_leak_without_noise_is_still_refuted():
    promise = Promise.parse("epsilon=1,adjacency=given,observed=output,intrusions=0")
    made = SmallInstances("tests.variants.whole_inputs:forgets_the_noise", promise=promise, inputs=f"{PLACE}:lists")
    assert run_check(made, CheckSettings()).verdict is Verdict.REFUTED
