"""Fisher information and estimates of ``log n`` from counts: the bound of Cramér and Rao, and counts by two moments."""

from __future__ import annotations

import sympy as sp

from pan_proofs.engines.relations import ge
from pan_proofs.engines.vectors import Induction, sum_over_entries
from pan_proofs.foundations.linear_expectations import residual
from pan_proofs.ledger.claim import Part, Role, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.lengths_and_limits import for_every_length

_spread, _information, _variance = sp.symbols("w I v", positive=True)
_slope = sp.Symbol("mu", real=True)
_levels = sp.Symbol("k", integer=True, nonnegative=True)
_whole, _least = sp.symbols("A J", real=True)
_of_a_level, _of_two_moments = _ENTRY = sp.symbols("i j", real=True)


def score_part() -> Part:
    """The bound of Cramér and Rao."""
    return Part(
        Role.PUBLISHED,
        "the least variance",
        r"An unbiased estimate of $\log n$ with the variance $w$ from observations with the Fisher information $I > 0$ "
        r"has $w \ge \frac1I$.",
        (
            equal_as(
                "cramer_rao",
                r"The distribution of all bits is finite, and smooth in $\theta = \log n$. The counts with noise are "
                r"a finite "
                r"mixture of fixed distributions. So the derivative of an expectation is the expectation with the "
                r"derivative of "
                r"the density. Let $s$ be the score, the derivative of the logarithm of the density, with $E[s] = 0$ "
                r"and $E[s^2] = I$. For an unbiased estimate $g$, $E[g s]$ is the derivative of $E[g] = \theta$, "
                r"which is $1$. With $h = g - \theta$ and $w = E[h^2]$, a square is not negative.",
                (lambda: residual(_spread, sp.S.One, _information), _spread - 1 / _information),
                r"0 \le E\left[\left(h - \tfrac{s}{I}\right)^2\right] &= w - \frac1I",
            ),
        ),
        formal=symbolic(
            ge(_spread, 1 / _information),
            given=(ge(residual(_spread, sp.S.One, _information), 0),),
        ),
    )


def information_part() -> Part:
    """The information of independent counts is at least that of two moments, and a linear estimate uses the latter."""
    weight = _slope / _variance / _least
    running = {_whole: _whole + _of_a_level, _least: _least + _of_two_moments}
    condition = ge(_of_a_level, _of_two_moments)
    relation = ge(_whole, _least)
    positive = sp.Symbol("J", positive=True)
    return Part(
        Role.PUBLISHED,
        "counts by two moments",
        r"Independent counts with the variances $v_l$ and the derivatives $\mu_l'$ of their means have an information "
        r"of at least $J = \sum_l \mu_l'^2/v_l$. The linear estimate with the weights $\mu_l'/(v_l J)$ has the "
        r"derivative $1$ of its mean, and the variance $\frac1J$.",
        (
            equal_as(
                "one_count",
                r"Let $X$ be a count with the score $s$, $h = X - \mu$. Then $E[h s] = \mu'$, and",
                (
                    lambda: residual(_information, _slope, _variance),
                    _information - _slope**2 / _variance,
                ),
                r"0 \le E\left[\left(s - \tfrac{\mu'}{v} h\right)^2\right] &= I - \frac{\mu'^2}{v}",
            ),
            for_every_length(
                "all_counts",
                r"The scores of independent counts are independent with mean $0$. So the information of any number of "
                r"counts is the sum of theirs.",
                Induction(
                    "counter_scores.all_counts",
                    relation,
                    _levels,
                    _ENTRY,
                    running,
                    ((1, 1), (2, 2)),
                    {},
                    (condition,),
                    raised=sp.Rational(1, 1000),
                ),
                (r"\sum_l I_l &\ge \sum_l \frac{\mu_l'^2}{v_l}",),
            ),
            equal_as(
                "linear",
                r"A level adds its part of $1$ to the derivative of the mean of the linear estimate,",
                (lambda: weight.subs(_least, positive) * _slope, _slope**2 / _variance / positive),
                r"\frac{\mu_l'}{v_l J}\,\mu_l' &= \frac{1}{J} \cdot \frac{\mu_l'^2}{v_l}",
            ),
            equal_as(
                "linear_variance",
                r"It adds the same part of $\frac1J$ to the variance.",
                (
                    lambda: weight.subs(_least, positive) ** 2 * _variance,
                    _slope**2 / _variance / positive / positive,
                ),
                r"\left(\frac{\mu_l'}{v_l J}\right)^2 v_l &= \frac{1}{J^2} \cdot \frac{\mu_l'^2}{v_l}",
            ),
        ),
        formal=(
            *symbolic(
                ge(_information, _slope**2 / _variance),
                given=(ge(residual(_information, _slope, _variance), 0),),
            ),
            *symbolic(
                relation,
                given=(condition,),
                where={
                    _whole: sum_over_entries(_of_a_level, _ENTRY, _levels),
                    _least: sum_over_entries(_of_two_moments, _ENTRY, _levels),
                },
            ),
        ),
    )
