from pan_audits.accuracy import AccuracyResult
from pan_audits.audit.privacy_result import PrivacyResult
from pan_audits.audit.settings import Settings
from pan_audits.audit.witness import Witness
from pan_audits.conduct import Finding, Severity
from pan_audits.exact.check import run_check
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.profile import PrivacyProfile
from pan_audits.exact.result import CheckResult, CheckSettings
from pan_audits.gate.gate import GateReport, run_gate
from pan_audits.judging.verdict import Verdict
from pan_audits.subject.intake.discovery import Mechanism, find_mechanism
from pan_audits.workers.limits import Limits

__all__ = [
    "AccuracyResult",
    "CheckResult",
    "CheckSettings",
    "Finding",
    "GateReport",
    "Limits",
    "Mechanism",
    "PrivacyProfile",
    "PrivacyResult",
    "Settings",
    "Severity",
    "SmallInstances",
    "Verdict",
    "Witness",
    "find_mechanism",
    "run_check",
    "run_gate",
]
