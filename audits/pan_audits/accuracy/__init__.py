"""Testing what is stated about the error of an estimator."""

from pan_audits.accuracy.audit import AccuracyResult, audit_accuracy

__all__ = ["AccuracyResult", "audit_accuracy"]
