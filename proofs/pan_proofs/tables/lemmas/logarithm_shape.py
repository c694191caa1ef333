"""The function ``|1 + log x|`` on the interval from 0 to 1, in both directions of what the thesis says about it."""

from __future__ import annotations

import sympy as sp

from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import ge, le, lt
from pan_proofs.ledger.claim import Step, Steps, symbolic
from pan_proofs.ledger.steps import at_most, counterexample

_log, _lower = sp.symbols("L ell", real=True)
_probability = sp.Symbol("p", positive=True)
_two = sp.Integer(2)
NEAR = (ge(_log, -2), le(_log, 0))
FAR = (lt(_log, -2),)
BELOW = (lt(_lower, _log), le(_log, -1))
AT_MOST_ONE = le(sp.Abs(1 + _log), 1)
ABOVE_ONE = lt(1, sp.Abs(1 + _log))
FALLS = lt(sp.Abs(1 + _log), sp.Abs(1 + _lower))


def _square(probability: sp.Expr) -> sp.Expr:
    return (1 + sp.log(probability)) ** 2


OF_TWO = le(_square(_probability) + _square(1 - _probability), 2 * _square(_probability))
"""Inequality (ii) for the distribution ``(p, 1 - p)`` with ``p <= 1/2``."""
_LESS = (le(_probability, sp.Rational(1, 2)),)


def shape() -> Steps:
    """At most 1 near 1, above 1 near 0, where it falls."""
    return (
        at_most(
            "near_one",
            r"From $e^{-2} \le x \le 1$ to $f(x) \le 1$, with $L = \log x$:",
            Inequality("logarithm_shape.near", AT_MOST_ONE.lhs, AT_MOST_ONE.rhs, NEAR, touching={_log: -2}),
            lines=r"|1 + L| &\le 1 \quad (-2 \le L \le 0)",
        ),
        at_most(
            "near_zero",
            r"From $x < e^{-2}$ to $f(x) > 1$. Since one of both cases holds for each $x$, both are equivalences.",
            Inequality(
                "logarithm_shape.far", ABOVE_ONE.lhs, ABOVE_ONE.rhs, FAR, strict=True, touching={_log: -2}, raised=_two
            ),
            lines=r"1 &< |1 + L| \quad (L < -2)",
        ),
        at_most(
            "falls",
            r"It falls there, and up to $x = \frac1e$: for $\ell < L \le -1$,",
            Inequality(
                "logarithm_shape.falls",
                FALLS.lhs,
                FALLS.rhs,
                BELOW,
                strict=True,
                touching={_log: -3, _lower: -3},
                raised=_two,
            ),
            lines=r"|1 + L| &< |1 + \ell|",
        ),
    )


def stated_shape() -> tuple[str, ...]:
    """Both cases, and the fall, formally."""
    return (
        *symbolic(AT_MOST_ONE, given=NEAR),
        *symbolic(ABOVE_ONE, given=FAR),
        *symbolic(FALLS, given=BELOW),
    )


def without_condition() -> Step:
    """Inequality (ii) where the least probability is above the limit."""
    return counterexample(
        "without_condition",
        r"For the distribution $(\frac25, \frac35)$ the first logarithm is close to $-1$:",
        OF_TWO,
        {_probability: sp.Rational(2, 5)},
        _LESS,
    )


def stated_without_condition() -> tuple[str, ...]:
    """That the inequality does not hold for all distributions on two values, formally."""
    return symbolic(OF_TWO, given=_LESS, refuted=True)
