"""Steps that state which likelihood ratios of a setting are the largest, and that bound all others by them."""

from __future__ import annotations

from functools import partial

import sympy as sp

from pan_proofs.density.lemmas.losses.joint_loss import Setting, distinct_ratios, dominator, limit, maximal_ratios
from pan_proofs.density.lemmas.losses.joint_loss_proofs import dominance
from pan_proofs.density.lemmas.losses.observations import p0, p1
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import le
from pan_proofs.ledger.claim import Step, symbolic
from pan_proofs.ledger.steps import at_most, equal, lemma

q0, q1 = 1 - p0, 1 - p1
"""Probabilities of a zero before and after an appearance."""

A, B = p1 / p0, q0 / q1
"""The ratios of the two distributions of the bit, at 1 and at 0."""

FIRST, SECOND = B * (q1 + p1 * limit), A * (p1 + q1 * limit)
"""The two ratios of which the larger is the exponential of the joint loss."""

WITH_DELETIONS = A * (p0 + q0 * limit)
"""The replacement of the second one, if users can be deleted."""


def largest(
    setting: Setting, name: str, text: str, stated: tuple[sp.Expr, ...], lines: tuple[str, ...]
) -> tuple[Step, Step]:
    """The stated maximal ratios of a setting, which bound all others.

    Parameters
    ----------
    setting
        Assumptions on the parameters, and the adjacency.
    name, text, lines
        Of the first step.
    stated
        The maximal ratios in the order in which they are found.
    """
    maximal = maximal_ratios(setting)
    if len(stated) != len(maximal):
        raise ValueError(f"{name}: {len(stated)} ratios are stated, and {len(maximal)} are maximal")
    equalities = [
        equal(f"{name}.{number}", "", "", partial(_maximal, setting, number), one) for number, one in enumerate(stated)
    ]
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


def stated_largest(setting: Setting) -> tuple[str, ...]:
    """That no ratio exceeds those named, formally."""
    maximal = maximal_ratios(setting)
    others = (one for one in distinct_ratios(setting) if one not in maximal)
    below = (le(one.value, dominator(setting, one).value) for one in others)
    return symbolic(sp.And(*below), given=setting.hypotheses)


def _maximal(setting: Setting, number: int) -> sp.Expr:
    return maximal_ratios(setting)[number].value


def heavy_first(name: str, text: str, *, deletions: bool = False) -> Step:
    """For ``p0 + p1 >= 1`` the first of the two maximal ratios is the larger, with and without deletions."""
    half = sp.Rational(1, 2)
    second = WITH_DELETIONS if deletions else SECOND
    shown = r"A\,(p_0 + q_0 r)" if deletions else r"A\,(p_1 + q_1 r)"
    return at_most(
        name,
        text,
        Inequality(
            f"maximal.{name}",
            second,
            FIRST,
            (p0 > 0, p0 < p1, p1 < 1, p0 + p1 >= 1, limit > 1),
            touching={p0: half, p1: half, limit: 1},
        ),
        (rf"{shown} &\le B\,(q_1 + p_1 r) \qquad (p_0 + p_1 \ge 1)",),
    )
