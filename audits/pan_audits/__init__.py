"""The audit harness and the gate: is a privacy promise kept, as far as runs of the code can tell?

>>> from pan_audits import Settings, find_variant, run_gate
>>> variant = find_variant("optimal-bernoulli", parameters={"epsilon": 0.1})
>>> report = run_gate(variant, Settings(seed=1))  # doctest: +SKIP
>>> report.verdict  # doctest: +SKIP
<Verdict.REFUTED: 'REFUTED'>
"""

from pan_audits.verdict import Verdict

__all__ = [
    "AccuracyResult",
    "Finding",
    "GateReport",
    "Limits",
    "PrivacyResult",
    "Settings",
    "Severity",
    "Variant",
    "Verdict",
    "Witness",
    "find_variant",
    "run_gate",
]

_HOMES = {
    "AccuracyResult": "pan_audits.accuracy",
    "Finding": "pan_audits.hygiene",
    "GateReport": "pan_audits.gate",
    "Limits": "pan_audits.running.limits",
    "PrivacyResult": "pan_audits.privacy",
    "Settings": "pan_audits.settings",
    "Severity": "pan_audits.hygiene",
    "Variant": "pan_audits.discovery",
    "Witness": "pan_audits.witness",
    "find_variant": "pan_audits.discovery",
    "run_gate": "pan_audits.gate",
}


def __getattr__(name: str) -> object:
    # Imported when used, so that the command starts without scipy and hypothesis.
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'pan_audits' has no attribute {name!r}")
