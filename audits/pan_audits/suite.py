"""The audit suite for estimators of one's own, to be run by pytest from any repo.

``pytest --pyargs pan_audits.suite --panproof-estimator my_module:MyEstimator --panproof-epsilon 0.5``
"""

from __future__ import annotations

import pytest

from pan_audits.gating.gate import GateReport
from pan_audits.reports.commands import again
from pan_audits.reports.parts import Outcome, accuracy, conduct, privacy

pytestmark = pytest.mark.panproof_suite


def test_conduct(panproof_report: GateReport) -> None:
    """Its state is all that it keeps, its randomness all that it uses, and a release changes nothing.

    It does not show that the state is small, or that its update is correct.
    """
    _is_kept(conduct(panproof_report), panproof_report)


def test_accuracy(panproof_report: GateReport) -> None:
    """No statement that it makes about its error is refuted by the runs.

    It does not show that the statements are true, only that a deviation as large as reported would
    have been seen.
    """
    _is_kept(accuracy(panproof_report), panproof_report)


def test_privacy(panproof_report: GateReport) -> None:
    """No pair of adjacent streams and no event were found that break its promise.

    On all small streams if its code can be checked exactly, and in audits at its real size. It does not
    show that it is private: a smaller violation than reported, a rarer event, or streams that were not
    tried can still break the promise.
    """
    _is_kept(privacy(panproof_report), panproof_report)


def _is_kept(outcome: Outcome, report: GateReport) -> None:
    if outcome.failure:
        pytest.fail(f"{outcome.failure}\nagain: {again(report)}", pytrace=False)
    if outcome.untested:
        pytest.skip(outcome.untested)
