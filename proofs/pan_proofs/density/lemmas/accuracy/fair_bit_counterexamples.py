"""Where displays of the accuracy proof for the fair first bit fail, read to the letter."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from pan_proofs.density.lemmas.accuracy.accuracy_terms import accuracy_terms
from pan_proofs.density.lemmas.accuracy.cells_given_density import cells_given_density
from pan_proofs.engines.relations import eq, ge, gt, le, lt, ne
from pan_proofs.foundations.exact_tails import hypergeometric, poisson_binomial, two_sided_tail
from pan_proofs.ledger.claim import Step, symbolic
from pan_proofs.ledger.notation import alpha, beta, delta_1, delta_2, delta_3, delta_4, epsilon, m
from pan_proofs.ledger.steps import counterexample

_half = sp.Rational(1, 2)
_p1 = sp.Symbol(r"P(|d(\mathcal{S}_M) - d(\mathcal{S})| \ge \frac{1}{20})")
_p2 = sp.Symbol(r"P(|\hat{d} - E[\hat{d}]| \ge \frac{1}{64})")
"""The exact probabilities of the first two events in the examples."""
_joint, _single = sp.Symbol("P(X_1 = X_2 = 1)"), sp.Symbol("P(X_1 = 1)")
_ALL_SAMPLED = {m: 10, alpha: sp.Rational(1, 10), beta: _half, delta_1: _half, delta_3: sp.Rational(1, 3)}
_FAIR_BITS = {m: 2, epsilon: _half, alpha: _half, beta: sp.Rational(3, 4), delta_1: _half, delta_2: _half}
_FAIR_BITS |= {delta_4: sp.Rational(2, 3)}


def dependent_draws() -> Step:
    """Two draws without replacement."""
    # U = 2, one of them has appeared, both are drawn.
    distribution = hypergeometric(2, 1, 2)
    both = distribution.get(2, Fraction(0))
    single = hypergeometric(2, 1, 1)[1]
    return counterexample(
        "dependent_draws",
        r"Of $U = 2$ users one has appeared, and $m = 2$. Let $X_i = 1$ if the user of the $i$-th draw has appeared. "
        r"Both are $1$ with probability $0$, and each is $1$ with probability $\frac12$.",
        eq(_joint, _single**2),
        {
            _joint: sp.Rational(both.numerator, both.denominator),
            _single: sp.Rational(single.numerator, single.denominator),
        },
        lines=(r"P(X_1 = X_2 = 1) = 0 &\ne \tfrac14 = P(X_1 = 1)\,P(X_2 = 1)",),
    )


def stated_dependent_draws() -> tuple[str, ...]:
    """That both draws have not appeared with the square of the probability of one, formally."""
    return symbolic(ne(_joint, _single**2))


def stated_letter() -> tuple[str, ...]:
    """The two examples in which a probability is within its share although the sample is too small, formally."""
    sizes = accuracy_terms("dwork").sizes
    return (
        *symbolic(le(_p1, delta_3 * beta), lt(m, sizes[0]), where=_ALL_SAMPLED),
        *symbolic(le(_p2, delta_4 * beta), lt(m, sizes[1]), where=_FAIR_BITS),
    )


def given_the_density() -> Step:
    """Two bits, given that half of the sample has appeared."""
    return cells_given_density(
        "given_the_density",
        r"With $\varepsilon = \frac12$ the bits are one with probability $\frac12$ and $\frac58$.",
        Fraction(1, 2),
        Fraction(5, 8),
        r"P(b_1 = b_2 = 1) = \tfrac{80}{256} &\ne \tfrac{81}{256} = \left(\tfrac{9}{16}\right)^2 "
        r"= P(b_1 = 1)\,P(b_2 = 1)",
    )


def everybody_is_sampled() -> Step:
    """A small first probability below the first size."""
    values = _ALL_SAMPLED
    tail = two_sided_tail(hypergeometric(10, 5, 10), Fraction(5), Fraction(10, 20))
    return counterexample(
        "everybody_is_sampled",
        r"All of $U = m = 10$ users are sampled, half of which have appeared; $\alpha = \frac{1}{10}$, "
        r"$\beta = \delta_1 = \frac12$, $\delta_3 = \frac13$.",
        ge(m, accuracy_terms("dwork").sizes[0]),
        values | {_p1: sp.Rational(tail.numerator, tail.denominator)},
        hypotheses=(
            le(_p1, delta_3 * beta),
            gt(accuracy_terms("dwork").sizes[0], 496),
        ),
        lines=(r"p_1 = 0 \le \delta_3\beta,\quad m = 10 &< 496 < m_1",),
    )


def two_fair_bits() -> Step:
    """A small second probability below the second size."""
    values = dict(_FAIR_BITS)
    threshold = 2 * accuracy_terms("dwork").thresholds[1].subs(values)
    tail = two_sided_tail(poisson_binomial([Fraction(1, 2)] * 2), Fraction(1), Fraction(threshold.p, threshold.q))
    return counterexample(
        "two_fair_bits",
        r"Two users, of which nobody appears; $\varepsilon = \alpha = \delta_1 = \delta_2 = \frac12$, "
        r"$\beta = \frac34$, $\delta_4 = \frac23$: the bits' mean is exactly $\frac12$ with probability $\frac12$.",
        ge(m, accuracy_terms("dwork").sizes[1]),
        values | {_p2: sp.Rational(tail.numerator, tail.denominator)},
        hypotheses=(
            le(_p2, delta_4 * beta),
            gt(accuracy_terms("dwork").sizes[1], 2800),
        ),
        lines=(r"p_2 = \tfrac12 \le \delta_4\beta,\quad m = 2 &< 2800 < m_2",),
    )
