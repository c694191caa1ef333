"""An estimator that counts its releases, and refuses more, is checked like any other."""

from __future__ import annotations

import numpy as np
import pytest

import panproof
from pan_audits import Verdict
from pan_audits.inputs.streams.family import SegmentEnd
from pan_audits.running.course import repeated
from pan_estimators import calibrated_bernoulli, calibrated_continual_output
from tests.variants import counted_releases

OUTPUT = "epsilon={},adjacency=user-level,observed=output"


@pytest.mark.parametrize(("epsilon", "verdict"), [("1", Verdict.NOT_REFUTED), ("1/2", Verdict.REFUTED)])
def test_an_erased_state_that_takes_no_update_leaves_the_verdict_as_it_is(epsilon, verdict):
    result = panproof.check(counted_releases.RefusesASecondRelease, promise=OUTPUT.format(epsilon), users=2, length=2)
    assert result.verdict is verdict, result.report.reason


@pytest.mark.parametrize(
    ("estimator", "releases"),
    [
        (calibrated_bernoulli(universe=4, epsilon=1, sample_size=4), 1),
        (calibrated_continual_output(universe=4, epsilon=1, sample_size=4, outputs=2), 2),
        (counted_releases.ReleaseThatWrites(), 3),
    ],
)
def test_ids_are_fed_again_with_as_many_releases_as_the_promise_covers(estimator, releases):
    steps = [step for *_, step in repeated(estimator, np.array([0]), 3)]
    assert steps == [SegmentEnd.INTRUSION] * (3 - releases) + [SegmentEnd.RELEASE] * releases
