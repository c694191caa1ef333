"""The experiments on the estimators: specifications over one toolkit, run in the repository."""
