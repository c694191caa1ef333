from pan_audits.judging.verdict import Verdict
from pan_audits.subject.isolation.command import Command
from pan_promises.errors import InputError
from pan_promises.problem import Problem
from pan_promises.promise import Adjacency, Observed, Promise
from panproof.judge import audit, check, gate
from panproof.ledger import claims
from panproof.results import AuditResult, CheckResult, ClaimTable
from panproof.shipped import estimator
from panproof.version import __version__

__all__ = [
    "Adjacency",
    "AuditResult",
    "CheckResult",
    "ClaimTable",
    "Command",
    "InputError",
    "Observed",
    "Problem",
    "Promise",
    "Verdict",
    "__version__",
    "audit",
    "check",
    "claims",
    "estimator",
    "gate",
]
