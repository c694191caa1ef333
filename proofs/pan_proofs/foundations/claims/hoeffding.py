"""Hoeffding's inequality for independent bits."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product

import sympy as sp

from pan_proofs.engines.relations import le
from pan_proofs.engines.shapes import Convex
from pan_proofs.foundations.exact_tails import Tail, poisson_binomial, tails
from pan_proofs.foundations.hoeffding_bound import (
    centred_moment,
    count,
    cumulant,
    deviation,
    exponent,
    probability,
    tilt,
    two_sided,
)
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, Steps, symbolic
from pan_proofs.ledger.lengths_and_limits import by_shape
from pan_proofs.ledger.notation import tex
from pan_proofs.ledger.steps import enumerated, equal, implied

_LARGEST = 8
_CHANCES = (Fraction(1, 10), Fraction(1, 3), Fraction(1, 2), Fraction(7, 8))

_tail_probability = sp.Symbol("P_tail", nonnegative=True)
_z = sp.Symbol("z", real=True)
_u = sp.Symbol("u", real=True)


def hoeffding() -> Claim:
    """The inequality for independent bits with chances of their own."""
    return Claim(
        id="lemma.hoeffding",
        title="Hoeffding's inequality for independent bits",
        references=(Reference("here", "used for the accuracy theorems, which call it an additive Chernoff bound"),),
        statement=r"Let $b_1, \ldots, b_m$ be independent, $b_i \sim \operatorname{Bernoulli}(p_i)$, "
        r"$D = \frac1m\sum_i (b_i - p_i)$ and $s > 0$. Then $P(D \ge s) \le e^{-2ms^2}$ and "
        r"$P(|D| \ge s) \le 2e^{-2ms^2}$.",
        hypotheses=(r"the $b_i$ are independent; the $p_i$ may differ", r"$s > 0$"),
        in_words=(
            ("independence", "the expectation of a product of independent factors is the product of theirs"),
            ("other_side", "the event that the mean is far away is the union of two events"),
        ),
        parts=(
            Part(
                Role.PUBLISHED,
                "the moment generating function of one bit",
                r"$E\, e^{\lambda(b-p)} \le e^{\lambda^2/8}$ for every real $\lambda$ and $0 < p < 1$; "
                r"for $p \in \{0, 1\}$ the left side is $1$.",
                _one_bit(),
                formal=symbolic(sp.Le(cumulant(), tilt**2 / 8), given=(probability < 1,)),
            ),
            Part(
                Role.PUBLISHED,
                "from one bit to the mean of many",
                r"Both inequalities of the lemma hold.",
                (*_tail(), _tested_tails()),
                formal=symbolic(
                    sp.Le(_tail_probability, two_sided(count, deviation)),
                    given=(sp.Le(_tail_probability, 2 * sp.exp(exponent()[0])),),
                    where={tilt: exponent()[1]},
                ),
            ),
        ),
    )


def _one_bit() -> Steps:
    phi = cumulant()
    share = probability * sp.exp(tilt) / (1 - probability + probability * sp.exp(tilt))
    return (
        equal(
            "moment",
            r"Sum over the two outcomes, and write $\varphi(\lambda)$ for the logarithm.",
            r"E\, e^{\lambda(b-p)}",
            centred_moment(),
            sp.exp(phi),
        ),
        equal(
            "certain_bits",
            r"A bit that is certainly one, or certainly zero, has nothing to deviate.",
            r"E\, e^{\lambda(b-p)}\,\big|_{p = 1}",
            lambda: centred_moment().subs(probability, 1),
            lambda: centred_moment().subs(probability, 0),
            sp.Integer(1),
        ),
        equal("value_at_zero", r"The value at $0$ is", r"\varphi(0)", lambda: phi.subs(tilt, 0), sp.Integer(0)),
        equal(
            "slope_at_zero",
            r"The derivative at $0$ is",
            r"\varphi'(0)",
            lambda: sp.diff(phi, tilt).subs(tilt, 0),
            sp.Integer(0),
        ),
        equal(
            "curvature",
            rf"The second derivative is $z(1-z)$ with $z = {tex(share)}$.",
            r"\varphi''(\lambda)",
            lambda: sp.diff(phi, tilt, 2),
            share * (1 - share),
            lines=r"\varphi''(\lambda) &= z(1-z)",
        ),
        implied(
            "variance_of_a_bit",
            r"A product of two numbers with sum $1$ is at most a quarter.",
            le(_z * (1 - _z), sp.Rational(1, 4)),
            _z >= 0,
            _z <= 1,
        ),
        equal(
            "taylor",
            r"Taylor's formula with the integral remainder, $\varphi(\lambda) = \int_0^\lambda "
            r"(\lambda-u)\varphi''(u)\,du$, whose integrand has one sign, gives at most the same integral with "
            r"$\frac14$ for $\varphi''$.",
            r"\varphi(\lambda) \le \int_0^\lambda \tfrac14 (\lambda-u)\,du",
            lambda: sp.integrate((tilt - _u) / 4, (_u, 0, tilt)),
            tilt**2 / 8,
        ),
        by_shape(
            "convex",
            r"In other words: the difference of the two sides is convex, and vanishes with its derivative at $0$.",
            Convex(
                "hoeffding.convex",
                phi,
                tilt**2 / 8,
                tilt,
                sp.S.Zero,
                {tilt: sp.Rational(1, 10), probability: sp.Rational(1, 3)},
                sp.Rational(1, 100),
                (probability < 1,),
            ),
            lines=r"\varphi(\lambda) &\le \tfrac{\lambda^2}{8}",
        ),
    )


def _tail() -> Steps:
    start, best, _ = exponent()
    value, level = sp.symbols("y a", real=True)
    others = sp.Symbol("A", positive=True)
    weights = sp.symbols("w_0 w_1", positive=True)
    factors = sp.symbols("g_0 g_1", positive=True)
    joint = sum(others * factor * weight for factor, weight in zip(factors, weights, strict=True))
    return (
        equal(
            "independence",
            r"For one more independent bit, with outcomes of weights $w_0, w_1$ and factors $g_0, g_1$, the "
            r"expectation $A$ of the product so far is multiplied by that bit's own. By induction the sum's moment "
            r"generating function is at most $(e^{\lambda^2/8})^m$.",
            "",
            joint,
            others * sum(factor * weight for factor, weight in zip(factors, weights, strict=True)),
        ),
        implied(
            "markov_above",
            r"Markov's inequality: an indicator $1\{y \ge a\}$ is at most $y/a$; where it is $1$:",
            le(sp.Integer(1), value / level),
            value >= level,
            level > 0,
        ),
        implied(
            "markov_below",
            r"Where the indicator is $0$:",
            le(sp.Integer(0), value / level),
            value >= 0,
            value < level,
            level > 0,
            raised=sp.Integer(1),
        ),
        equal(
            "exponent",
            r"With $y = e^{\lambda\sum(b_i-p_i)}$, $a = e^{\lambda ms}$ and $\lambda > 0$ the probability is at most "
            r"$e^{m\lambda^2/8-\lambda ms}$. The derivative of the exponent vanishes at "
            rf"$\lambda = {tex(best)}$, where it is",
            r"\tfrac18 m\lambda^2 - \lambda m s",
            lambda: start.subs(tilt, best),
            lambda: exponent()[2],
            -2 * count * deviation**2,
        ),
        equal(
            "other_side",
            r"The bits $1-b_i$ are independent with chances $1-p_i$: their moment generating function is that of "
            r"$b_i$ at $-\lambda$, so the bound holds below as well, and the two events add up.",
            r"E\, e^{\lambda((1-b)-(1-p))}",
            lambda: centred_moment().subs(probability, 1 - probability),
            lambda: centred_moment().subs(tilt, -tilt),
        ),
    )


def _tested_tails() -> Step:
    return enumerated(
        "tested",
        rf"This is tested in fractions: distributions of up to ${_LARGEST}$ bits with chances among $\frac1{{10}}, "
        rf"\frac13, \frac12, "
        r"\frac78$, at every deviation that occurs.",
        "exact tails are at most a lower bound of exp(-2 m s^2)",
        _small_tails(),
        lambda tail: tail.below(2),
        mutant=lambda tail: tail.below(3),
    )


def _small_tails() -> Iterator[Tail]:
    for size in range(1, _LARGEST + 1):
        for chances in product(_CHANCES, repeat=size) if size <= 4 else _mixtures(size):
            yield from tails(poisson_binomial(chances), sum(chances, Fraction(0)), size)


def _mixtures(size: int) -> list[tuple[Fraction, ...]]:
    """A number of bits of one chance, the others of another."""
    return [
        (one,) * first + (other,) * (size - first)
        for one, other in combinations(_CHANCES, 2)
        for first in range(size + 1)
    ]


CLAIMS = {"lemma.hoeffding": hoeffding}
