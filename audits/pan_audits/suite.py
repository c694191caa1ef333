"""The audit suite for an estimator of one's own, to be run by pytest from any repo.

``pytest --pyargs pan_audits.suite --estimator my_module:MyEstimator --epsilon 0.5``
"""

from __future__ import annotations

import pytest

from pan_audits.gate import GateReport
from pan_audits.hygiene import Severity
from pan_audits.reports.commands import again
from pan_audits.verdict import Verdict

pytestmark = pytest.mark.panproof_suite


def test_conduct(panproof_report: GateReport) -> None:
    """Its state is all that it keeps, its randomness all that it uses, and a release changes nothing.

    It does not show that the state is small, or that its update is correct.
    """
    defects = [finding.sentence for finding in panproof_report.findings if finding.severity is Severity.DEFECT]
    if defects:
        pytest.fail("; ".join(defects), pytrace=False)


def test_accuracy(panproof_report: GateReport) -> None:
    """No statement that it makes about its error is refuted by the runs.

    It does not show that the statements are true, only that a deviation as large as reported would
    have been seen.
    """
    wrong = [result.describe() for result in panproof_report.accuracy if result.verdict is Verdict.REFUTED]
    if wrong:
        pytest.fail("; ".join(wrong), pytrace=False)


def test_privacy(panproof_report: GateReport) -> None:
    """No pair of adjacent streams and no event were found that break its promise.

    On all small streams if its code can be checked exactly, and in audits at its real size. It does not
    show that it is private: a smaller violation than reported, a rarer event, or streams that were not
    tried can still break the promise.
    """
    report = panproof_report
    exact = report.exact
    if exact is not None and exact.verdict is Verdict.REFUTED:
        shown = exact.minimal.describe() if exact.minimal else exact.reason
        pytest.fail(f"REFUTED: {shown}\nagain: {again(report)}", pytrace=False)
    if report.privacy is None:
        pytest.fail(report.reason, pytrace=False)
    if report.privacy.verdict is not Verdict.NOT_REFUTED:
        text = f"{report.privacy.verdict}: {report.privacy.describe()}\nagain: {again(report)}"
        pytest.fail(text, pytrace=False)
