"""Lemma A.1 of the paper: an error above a threshold is due to one of two parts."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from pan_proofs.engines.relations import le, lt
from pan_proofs.foundations.finite_mechanisms import Distribution, probability
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, symbolic
from pan_proofs.ledger.steps import found, implied

_a, _delta, _x, _y = sp.symbols("a delta x y", real=True)
_range = (_a > 0, _delta > 0, _delta < 1)


def union_lemma() -> Claim:
    """The lemma as printed, and with ``>=``, as the proofs use it."""
    inclusion = implied(
        "inclusion",
        r"If neither $|x| > a\delta$ nor $|y| > a(1-\delta)$, then $|x+y| \le a$: the event on the left is contained "
        r"in the union of those on the right.",
        le(sp.Abs(_x + _y), _a),
        *_range,
        sp.Abs(_x) <= _a * _delta,
        sp.Abs(_y) <= _a * (1 - _delta),
    )
    strict = implied(
        "inclusion_weak",
        r"The same for the complements of events with $\ge$, which is what the accuracy proofs use.",
        lt(sp.Abs(_x + _y), _a),
        *_range,
        sp.Abs(_x) < _a * _delta,
        sp.Abs(_y) < _a * (1 - _delta),
    )
    only_x, only_y, both = sp.symbols("P_10 P_01 P_11", real=True)
    union = implied(
        "union_bound",
        r"The probability of a union is at most the sum: with $P_{10}, P_{01}, P_{11}$ those of only the first, only "
        r"the second and both events, the difference is $P_{11} \ge 0$.",
        le(only_x + only_y + both, (only_x + both) + (only_y + both)),
        only_x >= 0,
        only_y >= 0,
        both >= 0,
        only_x + only_y + both <= 1,
    )
    # X = 2, Y = 0 or X = 0, Y = 2, each with probability 1/2; a = 1, delta = 1/2.
    distribution: Distribution = {(2, 0): Fraction(1, 2), (0, 2): Fraction(1, 2)}
    half = Fraction(1, 2)
    attained = found(
        "attained",
        r"The bound is attained: $(X, Y) = (2, 0)$ or $(0, 2)$ with probability $\frac12$ each, $\alpha = 1$, "
        r"$\delta = \frac12$.",
        "both sides",
        lambda: (
            probability(distribution, lambda pair: abs(pair[0] + pair[1]) > 1),
            probability(distribution, lambda pair: abs(pair[0]) > half)
            + probability(distribution, lambda pair: abs(pair[1]) > half),
        ),
        (Fraction(1), Fraction(1)),
        lines=r"P(|X+Y| > 1) = 1 &= P(|X| > \tfrac12) + P(|Y| > \tfrac12)",
    )
    return Claim(
        id="density.union_lemma",
        title="Splitting an error in two",
        references=(
            Reference("paper", "Lemma A.1, appendix A"),
            Reference("thesis", "Lemma 4.2, section 4.2.2"),
        ),
        statement=r"For any random variables $X$, $Y$, any $\alpha > 0$ and $\delta \in (0, 1)$: "
        r"$P(|X+Y| > \alpha) \le P(|X| > \alpha\delta) + P(|Y| > \alpha(1-\delta))$.",
        notation=(("$a$, $x$, $y$", r"$\alpha$, and values of $X$ and $Y$"),),
        hypotheses=(r"$\alpha > 0$", r"$0 < \delta < 1$"),
        parts=(
            Part(
                Role.PUBLISHED,
                "as printed, and with weak inequalities",
                r"The inequality holds for every joint distribution of $X$ and $Y$, with $>$ throughout and with $\ge$ "
                r"throughout.",
                (inclusion, strict, union, attained),
                formal=symbolic(
                    sp.Implies(sp.Abs(_x + _y) > _a, (sp.Abs(_x) > _a * _delta) | (sp.Abs(_y) > _a * (1 - _delta)))
                ),
            ),
        ),
        remark=r"The bound $|x+y| \le |x| + |y|$ is all that is used.",
    )


CLAIMS = {"density.union_lemma": union_lemma}
