"""The exact check: an estimator's own code, followed through every outcome of its random choices."""
