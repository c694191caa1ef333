"""The joint loss of state and output, and the estimators that are calibrated to it."""
