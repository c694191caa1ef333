"""The audit suite for your own estimators. pytest runs it from any repository.

``pytest --pyargs pan_audits.suite --panproof-estimator my_module:MyEstimator --panproof-epsilon 0.5``
"""

from __future__ import annotations

import pytest

from pan_audits.gate.gate import GateReport
from pan_audits.reports.commands import again
from pan_audits.reports.junit import PartResult, accuracy, conduct, privacy

pytestmark = pytest.mark.panproof_suite


def test_conduct(panproof_report: GateReport) -> None:
    """It keeps no data outside its state, uses only the given randomness, and a release changes nothing.

    It does not show that the state is small, or that its update is correct.
    """
    _is_kept(conduct(panproof_report), panproof_report)


def test_accuracy(panproof_report: GateReport) -> None:
    """No statement that it makes about its error is refuted by the runs.

    It does not show that the statements are true. It would have found a deviation as large as
    reported.
    """
    _is_kept(accuracy(panproof_report), panproof_report)


def test_privacy(panproof_report: GateReport) -> None:
    """No pair of adjacent streams and no event were found that break its promise.

    The test covers all small streams if its code can be checked exactly, and audits at its real size. It does not
    show that the estimator is private: a smaller violation than reported, a rarer event, or other streams
    can still break the promise.
    """
    _is_kept(privacy(panproof_report), panproof_report)


def _is_kept(result: PartResult, report: GateReport) -> None:
    if result.failure:
        pytest.fail(f"{result.failure}\nagain: {again(report)}", pytrace=False)
    if result.untested:
        pytest.skip(result.untested)
