"""The exact check, the audit harness and the gate: is a privacy promise kept?

>>> from pan_audits import CheckSettings, SmallInstances, run_check
>>> from pan_estimators import parse_epsilon
>>> published = SmallInstances("optimal-bernoulli", {"epsilon": parse_epsilon("log(3/2)")})
>>> run_check(published, CheckSettings(users=2, length=2)).loss.closed_form
'log(2379/320)'
>>> from pan_audits import Settings, find_variant, run_gate
>>> variant = find_variant("optimal-bernoulli", parameters={"epsilon": 0.1})
>>> report = run_gate(variant, Settings(seed=1))  # doctest: +SKIP
>>> report.verdict  # doctest: +SKIP
<Verdict.REFUTED: 'REFUTED'>
"""

from typing import TYPE_CHECKING

from pan_audits.verdict import Verdict

if TYPE_CHECKING:
    from pan_audits.accuracy import AccuracyResult
    from pan_audits.discovery import Variant, find_variant
    from pan_audits.exact.check import run_check
    from pan_audits.exact.instances import SmallInstances
    from pan_audits.exact.profile import PrivacyProfile
    from pan_audits.exact.result import CheckResult, CheckSettings
    from pan_audits.gate import GateReport, run_gate
    from pan_audits.hygiene import Finding, Severity
    from pan_audits.privacy import PrivacyResult
    from pan_audits.running.limits import Limits
    from pan_audits.settings import Settings
    from pan_audits.witness import Witness

__all__ = [
    "AccuracyResult",
    "CheckResult",
    "CheckSettings",
    "Finding",
    "GateReport",
    "Limits",
    "PrivacyProfile",
    "PrivacyResult",
    "Settings",
    "Severity",
    "SmallInstances",
    "Variant",
    "Verdict",
    "Witness",
    "find_variant",
    "run_check",
    "run_gate",
]

_HOMES = {
    "AccuracyResult": "pan_audits.accuracy",
    "CheckResult": "pan_audits.exact.result",
    "CheckSettings": "pan_audits.exact.result",
    "Finding": "pan_audits.hygiene",
    "GateReport": "pan_audits.gate",
    "Limits": "pan_audits.running.limits",
    "PrivacyProfile": "pan_audits.exact.profile",
    "PrivacyResult": "pan_audits.privacy",
    "Settings": "pan_audits.settings",
    "Severity": "pan_audits.hygiene",
    "SmallInstances": "pan_audits.exact.instances",
    "Variant": "pan_audits.discovery",
    "Witness": "pan_audits.witness",
    "find_variant": "pan_audits.discovery",
    "run_check": "pan_audits.exact.check",
    "run_gate": "pan_audits.gate",
}


def __getattr__(name: str) -> object:
    # Imported when used, so that the command starts without scipy and hypothesis.
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'pan_audits' has no attribute {name!r}")
