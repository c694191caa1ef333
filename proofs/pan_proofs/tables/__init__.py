"""Claims about private Bayesian networks that are learned from tables."""
