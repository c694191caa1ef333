"""The exact check: it follows an estimator's own code through every outcome of its random choices."""
