"""Somebody's own estimator: ``pytest audits/ --panproof-estimator module:Class --panproof-epsilon 0.5``."""

from pan_audits.suite import pytestmark, test_accuracy, test_conduct, test_privacy

__all__ = ["pytestmark", "test_accuracy", "test_conduct", "test_privacy"]
