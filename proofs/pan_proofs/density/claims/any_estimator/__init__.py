"""Statements that hold for any estimator, or for the streams themselves."""
