"""An estimator that counts its releases, and refuses more, is checked like any other."""

from __future__ import annotations

import pytest

import panproof
from pan_audits import Verdict
from tests.variants import counted_releases

OUTPUT = "epsilon={},adjacency=user-level,observed=output"


@pytest.mark.parametrize(("epsilon", "verdict"), [("1", Verdict.NOT_REFUTED), ("1/2", Verdict.REFUTED)])
def test_an_erased_state_that_takes_no_update_leaves_the_verdict_as_it_is(epsilon, verdict):
    result = panproof.check(counted_releases.RefusesASecondRelease, promise=OUTPUT.format(epsilon), users=2, length=2)
    assert result.verdict is verdict, result.report.reason
