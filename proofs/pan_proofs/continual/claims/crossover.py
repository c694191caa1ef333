"""Sections 1.1 and 3.3: the flippancy from which on recomputing has the smaller error."""

from __future__ import annotations

import sympy as sp

from pan_proofs.continual.roots import positive_root
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import eq, le, lt
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Steps, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.steps import at_most, compared, counterexample

_rho, _length, _flips = sp.symbols("rho T w", positive=True)
_height = sp.Symbol("L", positive=True)
_tree, _recomputed, _root = sp.symbols("A B s", positive=True)

ADAPTIVE = 10 * sp.sqrt(_flips) * _height**2 + 137 * _height**4
"""The derived error of Algorithm 3 for rho = 1, T = 2^L."""
RECOMPUTED = 5 * sp.cbrt(2**_height * _height * sp.log(2))
"""The derived error of recomputing for rho = 1, T = 2^L."""
_NO_WORSE = le(ADAPTIVE, RECOMPUTED)
_FAR_BELOW = (le(_flips, 2 ** (sp.Rational(2, 3) * _height)),)
"""``w`` is below the threshold ``T^(2/3)``."""
_AT_100 = le(ADAPTIVE.subs({_flips: 1, _height: 100}), RECOMPUTED.subs(_height, 100))
_BELOW = (sp.Le(_flips, _root**2), sp.Eq(_tree**2, _flips), sp.Eq(_recomputed, _root))
_ABOVE = (sp.Ge(_flips, _root**2), sp.Eq(_tree**2, _flips), sp.Eq(_recomputed, _root))


def crossover() -> Claim:
    """Where the two terms are equal, and from which length on that matters."""
    return Claim(
        id="turnstile.crossover",
        title="From which flippancy on recomputing wins",
        references=(
            Reference("turnstile", "section 3.3", "the threshold is lost"),
            Reference("turnstile", "section 1.1 and 1.4", "the ranges are lost"),
        ),
        statement=r"If the maximum flippancy is larger than roughly $\rho^{1/3} T^{2/3}$, recomputing has a smaller "
        r"error than Algorithm 3, and a larger one if it is smaller. At the event level the lower bound has the order "
        r"of the error up to $w = \sqrt T$, for $\varepsilon = 1$.",
        hypotheses=(r"$T$ is sufficiently large",),
        silent=(
            r"the lost numbers are read as the places where the terms without logarithms are equal: $\sqrt{w/\rho}$, "
            r"$(T/\rho)^{1/3}$ and $T^{1/4}$",
        ),
        parts=(
            Part(
                Role.PUBLISHED,
                "the terms without logarithms",
                r"$\sqrt{w/\rho}$ and $(T/\rho)^{1/3}$ are equal at $w = \rho^{1/3} T^{2/3}$. Below, the first is "
                r"smaller, and above, the second.",
                terms(),
                formal=symbolic(le(_tree, _recomputed), given=_BELOW),
            ),
            Part(
                Role.PUBLISHED,
                "the event-level range",
                r"$\sqrt w$ and $T^{1/4}$ are equal at $w = \sqrt T$; $\sqrt w$ and $T^{1/3}$ at $w = T^{2/3}$.",
                ranges(),
                formal=(
                    *symbolic(
                        eq(_flips, sp.sqrt(_length)),
                        given=(eq(_flips**2, _length),),
                    ),
                    *symbolic(
                        eq(_flips, _length ** sp.Rational(2, 3)),
                        given=(eq(_flips**3, _length**2),),
                    ),
                ),
            ),
            Part(
                Role.READING,
                "with the logarithms and constants that are derived",
                r"With the bounds of turnstile.adaptive and turnstile.recompute, $\rho = 1$ and $w = 1$, recomputing "
                r"has the smaller bound for $T = 2^{64}$ and $2^{80}$. Algorithm 3 has it for $T = 2^{100}$.",
                derived(),
                formal=(
                    *symbolic(_NO_WORSE, given=_FAR_BELOW, refuted=True),
                    *symbolic(_AT_100),
                ),
                holds=False,
                departs="where the terms without logarithms are equal",
            ),
        ),
        uses=("turnstile.adaptive", "turnstile.recompute"),
    )


def terms() -> Steps:
    """Equality, and one inequality on each side."""
    return (
        equal_as(
            "equal_terms",
            r"The sixth powers of $\sqrt{w/\rho}$ and $(T/\rho)^{1/3}$ are equal at",
            (
                lambda: positive_root((_flips / _rho) ** 3 - (_length / _rho) ** 2, _flips),
                sp.cbrt(_rho) * _length ** sp.Rational(2, 3),
            ),
            r"w &= \rho^{1/3} T^{2/3}",
        ),
        *(
            at_most(
                name,
                text,
                Inequality(
                    f"crossover.{name}",
                    smaller,
                    larger,
                    given,
                ),
            )
            for name, text, smaller, larger, given in (
                (
                    "below",
                    r"In units in which $\rho = 1$, let $A = \sqrt w$ and $B = s$, where $s^2$ is the threshold. "
                    r"Below:",
                    _tree,
                    _recomputed,
                    _BELOW,
                ),
                ("above", r"Above:", _recomputed, _tree, _ABOVE),
            )
        ),
    )


def ranges() -> Steps:
    """Two equalities."""
    return (
        equal_as(
            "lower_bound",
            r"The fourth powers of $\sqrt w$ and $T^{1/4}$ are equal at",
            (lambda: positive_root(_flips**2 - _length, _flips), sp.sqrt(_length)),
            r"w &= \sqrt T",
        ),
        equal_as(
            "upper_bound",
            r"The sixth powers of $\sqrt w$ and $T^{1/3}$ are equal at",
            (lambda: positive_root(_flips**3 - _length**2, _flips), _length ** sp.Rational(2, 3)),
            r"w &= T^{2/3}",
        ),
        compared(
            "gap",
            r"The exponents of $T$ in between differ: the lower bound stays at $\frac14$.",
            lt(sp.Rational(1, 4), sp.Rational(1, 3)),
        ),
    )


def derived() -> Steps:
    """Three lengths."""
    return (
        *(
            counterexample(
                f"recomputing_wins_{height}",
                rf"For $w = 1$ and $L = \log_2 T = {height}$ the threshold is far above $w$.",
                _NO_WORSE,
                {_flips: sp.Integer(1), _height: sp.Integer(height)},
                _FAR_BELOW,
            )
            for height in (64, 80)
        ),
        compared(
            "algorithm_3_wins",
            r"For $L = 100$ it is the reverse.",
            _AT_100,
        ),
    )


CLAIMS = {"turnstile.crossover": crossover}
