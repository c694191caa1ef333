"""Testing what is stated about the error of an estimator."""

from pan_audits.accuracy.audit import audit_accuracy
from pan_audits.accuracy.result import AccuracyResult

__all__ = ["AccuracyResult", "audit_accuracy"]
