"""Bias and variance: laws, sums of cells, sampling without replacement."""
