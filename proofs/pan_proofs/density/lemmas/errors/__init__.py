"""Bias and variance: distributions, sums of cells, sampling without replacement."""
