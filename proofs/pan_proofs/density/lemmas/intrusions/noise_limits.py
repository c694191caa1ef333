"""Conditions on two-sided geometric noise, with a rate for each side, for a total loss."""

from __future__ import annotations

import sympy as sp

from pan_proofs.density.lemmas.intrusions.maximal_ratio_steps import A, B, q1
from pan_proofs.density.lemmas.losses.observations import p1

S, u, v = sp.symbols("S u v", real=True)
"""The exponential of the total; the rates of the noise above and below 0."""

RATIOS = {
    "zero_high": B * (q1 + p1 / u),
    "one_high": A / (p1 + q1 * u),
    "one_low": A * (p1 + q1 / v),
    "zero_low": B / (q1 + p1 * v),
}
"""The four ratios, for ``hi = 1/u`` and ``lo = v``."""

LIMITS = {
    "zero_high": p1 / (S / B - q1),
    "one_high": (A / S - p1) / q1,
    "one_low": q1 / (S / A - p1),
    "zero_low": (B / S - q1) / p1,
}
"""The least u, or v, for which each is at most S."""
