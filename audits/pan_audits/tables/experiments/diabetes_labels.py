"""The labels of the curves on the Diabetes records, beside those of the synthetic data, and how they are drawn."""

from __future__ import annotations

from pan_audits.tables.experiments.contenders import AT_ANALYST

SEVEN = "noisy ss, noise of 7 attributes"
SHARE, SHARE_BINARY, SHARE_SEVEN = (
    "noisy ss, share of the way to the uniform distribution",
    "noisy ss, the same share for binary attributes",
    "noisy ss, the same share with the noise of 7 attributes",
)
EXPECTED = "noisy ss, expected value of the noise"
LOCAL = "one local model"
SMALL_SITES = "noisy model, sites of n/30 rows"
ZERO_MEAN = AT_ANALYST

STYLES = {
    SEVEN: ("P", "#7A5C00"),
    EXPECTED: ("1", "#AA4499"),
    LOCAL: ("d", "#44AA99"),
    SMALL_SITES: ("2", "#999933"),
}
"""Marker and colour of each curve that the synthetic data does not have."""
