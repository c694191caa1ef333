"""Steps that state which likelihood ratios of a setting are the largest, and that bound all others by them."""

from __future__ import annotations

import sympy as sp

from pan_proofs.joint_loss import Setting, distinct_ratios, limit, maximal_ratios
from pan_proofs.joint_loss_proofs import dominance
from pan_proofs.ledger.claim import Step
from pan_proofs.ledger.steps import equal, lemma
from pan_proofs.observations import p0, p1

q0, q1 = 1 - p0, 1 - p1
"""Probabilities of a zero before and after an appearance."""

A, B = p1 / p0, q0 / q1
"""The ratios of the two laws of the bit, at 1 and at 0."""

FIRST, SECOND = B * (q1 + p1 * limit), A * (p1 + q1 * limit)
"""The two ratios of which the larger is the exponential of the joint loss."""


def largest(
    setting: Setting, name: str, text: str, stated: tuple[sp.Expr, ...], lines: tuple[str, ...]
) -> tuple[Step, Step]:
    """Which ratios of a setting are maximal, as they are stated, and that they bound all others.

    Parameters
    ----------
    setting
        What is known of the parameters, and what is adjacent.
    name, text, lines
        Of the first step.
    stated
        The maximal ratios in the order in which they are found.
    """
    maximal = maximal_ratios(setting)
    pairs = [(ratio.value, one) for ratio, one in zip(maximal, stated, strict=True)]
    equalities = [equal(f"{name}.{number}", "", "", *pair) for number, pair in enumerate(pairs)]
    count = len(distinct_ratios(setting))
    return (
        lemma(f"{name}_candidates", text, [one for step in equalities for one in step.obligations], lines),
        lemma(
            f"{name}_dominance",
            f"There are {count} different ratios of two likelihoods at the ends of the noise. Each of the other "
            f"{count - len(maximal)} is bounded by one of those named, for all parameters.",
            dominance(setting),
        ),
    )
