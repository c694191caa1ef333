"""Common fixtures of the audits of the shipped estimators."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pan_audits import GateReport, Verdict
from pan_audits.exact.check import run_check
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.result import CheckResult, CheckSettings
from pan_audits.gating.case import find_case
from pan_audits.reports.commands import again
from pan_estimators import Observed

Audit = Callable[..., GateReport]
Check = Callable[..., CheckResult]


@pytest.fixture
def audit() -> Audit:
    """Run an audit case and check its verdict and loss, as the list of cases expects them."""

    def run(estimator: str, observed: str = "state+output", variation: str = "") -> GateReport:
        case = find_case(estimator, Observed(observed), variation)
        report = case.run()
        assert report.privacy is not None, report.reason
        assert report.privacy.verdict is case.verdict, f"{report.reason}\nagain: {again(report)}"
        if case.verdict is Verdict.REFUTED:
            assert report.privacy.witness is not None
            assert report.privacy.witness.loss >= case.loss
        return report

    return run


@pytest.fixture
def check() -> Check:
    """Check small instances of an audit case exactly: every stream of up to three updates by three users."""

    def run(estimator: str, observed: str = "state+output", variation: str = "", **scope: int) -> CheckResult:
        variant = find_case(estimator, Observed(observed), variation).variant()
        settings = CheckSettings(**{"users": 3, "length": 3, "appearances": 4} | scope)
        return run_check(SmallInstances.of(variant), settings)

    return run
