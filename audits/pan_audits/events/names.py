"""Names of columns that the learner knows."""

from __future__ import annotations

LIKELIHOOD_RATIO = "log-likelihood ratio"
"""Column with the exact log-likelihood ratio of left against right, where the mechanism has one."""

LIKELIHOOD = "log-likelihood"
"""The beginning of the names of columns that a trusted capability computes from the whole observation."""

OUTPUT = "output"
"""The name of a single output, and the beginning of the names of several; all other columns belong to states."""
