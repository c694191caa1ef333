"""The estimators of ``--panproof-estimator``: each has its own tests of the suite."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pan_audits.pytest_plugin.marked import PURPOSE, PartOfPromise
from pan_audits.pytest_plugin.options import estimators_of, option_of, refusal, settings_of

if TYPE_CHECKING:
    from pan_audits.gate.gate import GateReport
    from pan_audits.subject.intake.discovery import Mechanism

SUITE = "panproof_suite"
"""The marker of the suite's tests."""

_REPORT = "panproof_report"
_FOUND = pytest.StashKey[dict[str, "Mechanism"]]()


def parametrise(metafunc: pytest.Metafunc) -> None:
    """Make a test that takes a report once for each estimator."""
    names = estimators_of(metafunc.config)
    if names and _REPORT in metafunc.fixturenames:
        metafunc.parametrize(_REPORT, names, ids=names, indirect=True, scope="session")


def require_ready(session: pytest.Session) -> None:
    """Check that all requested estimators can be judged."""
    from pan_promises.errors import InputError
    from pan_promises.extras import require_extra

    suite = [item for item in session.items if item.get_closest_marker(SUITE) is not None]
    if not suite and not any(isinstance(item, PartOfPromise) for item in session.items):
        return
    used = {item.callspec.params.get(_REPORT) for item in suite if hasattr(item, "callspec")}
    try:
        require_extra(PURPOSE, "suite")
        for name in estimators_of(session.config):
            if name in used:
                settings_of(session.config)
                _mechanism(session.config, name)
    except InputError as problem:
        raise pytest.UsageError(f"panproof: {problem}") from None


def report_on(config: pytest.Config, name: str | None) -> GateReport:
    """The gate's report on one of the estimators."""
    from pan_promises.errors import InputError
    from pan_promises.extras import require_extra

    try:
        if name is None:
            raise InputError("name an estimator with --panproof-estimator")
        require_extra(PURPOSE, "suite")
        from pan_audits.gate.gate import run_gate

        return run_gate(_mechanism(config, name), settings_of(config))
    except InputError as problem:
        raise refusal(problem) from None


def _mechanism(config: pytest.Config, name: str) -> Mechanism:
    """The estimator, configured by the options; made once."""
    from pan_audits.subject.intake.discovery import find_thing

    found = config.stash.setdefault(_FOUND, {})
    if name not in found:
        found[name] = find_thing(
            name,
            epsilon=option_of(config, "epsilon"),
            promise_epsilon=option_of(config, "promise-epsilon"),
            promise=option_of(config, "promise") or None,
            neighbours=option_of(config, "neighbours") or None,
            parameters={"universe": option_of(config, "universe"), "sample_size": option_of(config, "sample-size")},
        )
    return found[name]
