"""The best cells for a budget, and what no estimator can do better."""
