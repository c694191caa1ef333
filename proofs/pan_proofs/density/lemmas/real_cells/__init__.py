"""Cells with real values: Laplace, quantised, truncated and Gaussian."""
