"""The family of tables: private Bayesian networks that are learned from the rows of a table."""
