"""Runs of an estimator on a stream, and the observations of an adversary."""
