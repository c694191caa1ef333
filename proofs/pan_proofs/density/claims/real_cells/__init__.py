"""Cells with real values that no shipped estimator uses."""
