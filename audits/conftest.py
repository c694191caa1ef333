"""Common fixtures of the audits of the shipped estimators."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from pan_audits import GateReport, Verdict
from pan_audits.exact.check import run_check
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.result import CheckResult, CheckSettings
from pan_audits.gate.case import find_case
from pan_audits.reports.commands import again
from pan_estimators import Observed, create_estimator

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
        mechanism = find_case(estimator, Observed(observed), variation).mechanism()
        settings = CheckSettings(**{"users": 3, "length": 3, "appearances": 4} | scope)
        return run_check(SmallInstances.of(mechanism), settings)

    return run


@pytest.fixture
def check_state() -> Check:
    """Check small instances of an audit case exactly, with the state seen once in place of the outputs."""

    def run(estimator: str) -> CheckResult:
        mechanism = find_case(estimator, Observed.OUTPUT).mechanism()
        promise = replace(mechanism.promise, observed=Observed.STATE, intrusions=1, claim=None)
        settings = CheckSettings(users=1, length=2, appearances=4)
        return run_check(SmallInstances.of(replace(mechanism, promise=promise)), settings)

    return run


@pytest.fixture
def counter() -> Callable[..., object]:
    """A counter with the parameters of its audit case, and other steps."""

    def make(estimator: str, *, steps: int) -> object:
        return create_estimator(estimator, **{**find_case(estimator, Observed.OUTPUT).parameters, "steps": steps})

    return make
