"""Lemma 4.6 and Theorem 1.5: the event-level lower bound, from a cited bound for inner products."""

from __future__ import annotations

from itertools import product

import sympy as sp

from pan_proofs.continual.reductions import all_bits, inner_product
from pan_proofs.continual.small_budget import CONTRADICTION, FLOORED, floored, scaled, scaled_formula, tiny
from pan_proofs.continual.streams import Bits
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import ge
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, Steps, symbolic
from pan_proofs.ledger.notation import epsilon
from pan_proofs.ledger.steps import at_most, enumerated

_flips, _length, _bits, _queries = sp.symbols("w T n k", positive=True)
_many, _least = sp.symbols("c_1 c_2", positive=True)
_error = sp.Symbol("alpha", positive=True)
_square, _square_of_least = sp.symbols("q c", positive=True)

_FOURTH_ROOT = _length ** sp.Rational(1, 4) / epsilon ** sp.Rational(3, 4)
_EMBEDDED = (
    sp.Ge(_flips, 1),
    sp.Le(_flips**2, _many * _length),
    sp.Eq(_queries, _flips / 2),
    sp.Eq(_many * _bits, _queries),
)
_ACCURATE = (*_EMBEDDED, sp.Ge((2 * _error) ** 2, _least**2 * _bits))


def event_lower_bound() -> Claim:
    """The cited theorem, its consequence for epsilon = 1, and the scaling."""
    return Claim(
        id="turnstile.event_lower_bound",
        title="The event-level lower bound",
        references=(
            Reference("turnstile", "Theorem 1.5, section 1.1, and Lemma 4.6, section 4.2", "the formulas are lost"),
            Reference("turnstile", "Theorem 4.5, section 4.2", "taken from the literature"),
        ),
        statement=r"If an $(\varepsilon, \delta)$-event-level-differentially private mechanism is $\alpha$-accurate "
        r"for all streams of length $T$ with flippancy at most $w$, then $\alpha = \Omega(\min(\sqrt w/\varepsilon,\ "
        r"T^{1/4}/\varepsilon^{3/4},\ T))$.",
        hypotheses=(r"$0 < \varepsilon \le 1$, $T$ is sufficiently large, and $\delta$ is small",),
        silent=(
            r"Theorem 4.5 is read as: there are $c_1, c_2 > 0$ such that no algorithm that answers $k = c_1 n$ inner "
            r"product queries with an error below $c_2 \sqrt n$ is $(1, 1/3)$-differentially private",
            r"$\delta = o(\varepsilon/T)$; below, $\delta \le 1/(10 T)$ for $\varepsilon \le 2/T$",
            r"$k$, $n$ and $w/2$ are rounded to whole numbers, which changes constants only",
            "the streams are those of the general or of the strict model: see turnstile.legal_models",
        ),
        parts=(
            Part(
                Role.CITED,
                "inner product queries (Theorem 4.5)",
                r"No algorithm that answers $c_1 n$ inner product queries with an error below $c_2 \sqrt n$ is $(1, "
                r"1/3)$-differentially private. It is not derived here. For all $2^n$ queries and small $n$ it is "
                r"tested that the answers determine most bits.",
                (reconstruction(),),
                no_formula="the theorem speaks of every algorithm, and no step derives it",
            ),
            Part(
                Role.PUBLISHED,
                "epsilon = 1 (Lemma 4.6)",
                r"For $w \le \sqrt{c_1 T}$ the error is at least $\frac{c_2}{2} \sqrt{w/(2 c_1)}$. For larger $w$ the "
                r"bound for $w = \sqrt{c_1 T}$ holds, which is of order $T^{1/4}$.",
                embedded(),
                formal=symbolic(ge(_error**2, _least**2 * _flips / (8 * _many)), given=_ACCURATE),
            ),
            Part(
                Role.PUBLISHED,
                "smaller epsilon",
                r"For $\varepsilon > 2/T$ Theorem B.1 gives $\min(\sqrt w, (\varepsilon T)^{1/4}) / \varepsilon$, up "
                r"to a constant.",
                (
                    floored("event"),
                    scaled(
                        "fourth_root",
                        r"The second term of the minimum:",
                        4,
                        _FOURTH_ROOT,
                    ),
                ),
                formal=(*FLOORED, *scaled_formula(4, _FOURTH_ROOT)),
            ),
            Part(
                Role.PUBLISHED,
                "epsilon at most 2/T",
                r"There the error is at least $T/2$, by group privacy for $T$ entries.",
                tiny("event"),
                formal=CONTRADICTION,
            ),
        ),
        uses=("turnstile.inner_product_reduction", "turnstile.small_epsilon", "turnstile.group_privacy"),
        remark=r"The error of Theorem 1.4 for $\varepsilon = 1$ is of the same order for $w \le \sqrt T$, up to "
        r"logarithms. For larger $w$ a gap remains, from $T^{1/4}$ to $\min(\sqrt w, T^{1/3})$.",
    )


def reconstruction() -> Step:
    """Data that agree on all queries up to an error differ in few bits."""
    return enumerated(
        "reconstruction",
        r"If two data agree in all $2^n$ inner products up to $a$, they differ in at most $2 a$ bits: the queries for "
        r"the ones of one that the other lacks.",
        "pairs of data of 1 to 5 bits: twice the largest difference of an inner product is at least their distance",
        ((one, other) for size in range(1, 6) for one, other in product(all_bits(size), repeat=2)),
        lambda pair: 2 * _largest(*pair) >= _apart(*pair),
        mutant=lambda pair: _largest(*pair) >= _apart(*pair),
    )


def _largest(one: Bits, other: Bits) -> int:
    return max(abs(inner_product(one, query) - inner_product(other, query)) for query in all_bits(len(one)))


def _apart(one: Bits, other: Bits) -> int:
    return sum(a != b for a, b in zip(one, other, strict=True))


def embedded() -> Steps:
    """The length of the stream, and the error."""
    return (
        at_most(
            "fits",
            r"Let $k = w/2$ and $n = k/c_1$. The stream of Algorithm 4 has flippancy at most $2 k = w$, and its "
            r"length is $(2 k + 1) n$. For $1 \le w \le \sqrt{c_1 T}$ it fits:",
            Inequality(
                "event_lower_bound.fits",
                (2 * _queries + 1) * _bits,
                _length,
                _EMBEDDED,
            ),
        ),
        at_most(
            "error",
            r"By Lemma 4.2 Algorithm 4 is $(1, \delta)$-differentially private with error $2 \alpha$. By Theorem 4.5 "
            r"$2 \alpha \ge c_2 \sqrt n$.",
            Inequality(
                "event_lower_bound.error",
                _least**2 * _flips / (8 * _many),
                _error**2,
                _ACCURATE,
            ),
            lines=r"\frac{c_2^2 w}{8 c_1} &\le \alpha^2",
        ),
        at_most(
            "largest",
            r"At $w = \sqrt{c_1 T}$ the bound is of order $T^{1/4}$: with $q = \alpha^2$ and $c = c_2^2$,",
            Inequality(
                "event_lower_bound.largest",
                _square_of_least**2 * _length,
                64 * _many * _square**2,
                (sp.Ge(_square, _square_of_least * _flips / (8 * _many)), sp.Eq(_flips**2, _many * _length)),
            ),
            lines=r"c_2^4 T &\le 64 c_1 \alpha^4",
        ),
    )


CLAIMS = {"turnstile.event_lower_bound": event_lower_bound}
