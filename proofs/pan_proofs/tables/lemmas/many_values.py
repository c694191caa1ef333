"""Distributions with a fixed variance of the logarithm, along which the noise exceeds the printed error."""

from __future__ import annotations

import sympy as sp

from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.limits import tends_to
from pan_proofs.engines.relations import eq, ge, le
from pan_proofs.ledger.claim import Steps, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.steps import at_most, counterexample, lemma

_size = sp.Symbol("d", positive=True)
_constant = sp.Symbol("C", positive=True)
_error, _linear, _cross, _square = sp.symbols("E A C_Z R", real=True)
_root, _rest_root = sp.symbols("x y", nonnegative=True)
_logarithm = sp.Symbol("L", real=True)
_TWO = (ge(_logarithm, 2),)
_QUARTER = sp.Rational(1, 4)
_variance = 3 * sp.log(3) ** 2 / 16
"""The variance of the logarithm: a quarter of the mass at one probability, the rest at three times that."""
_log_least = sp.log(2 * _size)
_PARTS = (
    eq(_error, _linear + 2 * _cross + _square),
    eq(_linear, _root**2),
    ge(_cross, -_root * _rest_root),
    ge(_square, 0),
    le(_rest_root, _root / 4),
)


def _spread_of_two_levels() -> sp.Expr:
    low = -_log_least
    levels = ((_QUARTER, low), (1 - _QUARTER, low + sp.log(3)))
    mean = sp.Add(*(mass * one for mass, one in levels))
    return sp.Add(*(mass * one**2 for mass, one in levels)) - mean**2


def _noise_part() -> sp.Expr:
    """The noise in n A, for noise with W = n / (sqrt(d) L^2)."""
    low = 1 - _log_least
    return (low**2 + (low + sp.log(3)) ** 2) * sp.sqrt(_size) / _log_least**2


def _rest() -> sp.Expr:
    """A bound on n B for n = d^4."""
    d, log = _size, _log_least
    return (1 + log) ** 2 * (3 / d**2 + 2 / d**5 + 24 / (d ** sp.Rational(3, 2) * log**2) + 96 / (d * log**4))


_PRINTED = le((_variance + _noise_part()) / 2, _constant * _variance)


def noise_exceeds() -> Steps:
    """The linear part of the error is much more than the variance over n, and half of it is left in the error."""
    return (
        equal_as(
            "two_levels",
            r"Half of $d$ values have the probability $\frac{1}{2d}$, and the others $\frac{3}{2d}$. For every "
            r"$d$:",
            (
                _spread_of_two_levels,
                _variance,
            ),
            r"\sigma^2 &= \tfrac{3}{16} \log^2 3",
        ),
        at_most(
            "noise_grows",
            r"Let $n = d^4$, $L = |\log p_{\min}| = \log(2d)$ and $Mb^2 = \frac{n}{\sqrt d\,L^2}$. Then "
            r"$p_{\min}\sqrt n = \frac d2 \to \infty$ and $n\theta L^2 = \frac{1}{\sqrt d} \to 0$, so that all "
            r"hypotheses hold. The noise in $nA$ is at least $2n\theta \cdot \frac d2 (1 - L)^2 \ge "
            r"\frac{\sqrt d}{4}$.",
            Inequality(
                "many.noise_grows",
                _logarithm**2 / 4,
                (1 - _logarithm) ** 2,
                _TWO,
                touching={_logarithm: 2},
            ),
            lines=r"\tfrac14 L^2 &\le (1 - L)^2 \quad (L \ge 2)",
        ),
        lemma(
            "rest_vanishes",
            r"By the bounds on the fourth moment, $p_i \ge \frac{1}{2d}$ and $|\log p_i| \le L$, the rest $B$ of the "
            r"amended statement has $nB \le (1 + L)^2\bigl(\frac{3}{d^2} + \frac{2}{d^5} + \frac{24}{d^{3/2}L^2} + "
            r"\frac{96}{dL^4}\bigr)$, which tends to $0$. So $B \le \frac{A}{16}$ for large $d$.",
            tends_to("many.rest", _rest(), _size, sp.oo, sp.S.Zero),
            r"\lim_{d \to \infty} (1 + L)^2 \Bigl(\frac{3}{d^2} + \frac{2}{d^5} + \frac{24}{d^{3/2}L^2} + "
            r"\frac{96}{dL^4}\Bigr) &= 0",
        ),
        at_most(
            "half_is_left",
            r"The error is $E = A + 2C_Z + R$ with $A = x^2$, $C_Z \ge -xy$ and $R \ge 0$, where $y = \sqrt B \le "
            r"\frac x4$.",
            Inequality(
                "many.half_is_left",
                _linear / 2,
                _error,
                _PARTS,
                touching={_root: 4, _rest_root: 1, _linear: 16, _cross: -4, _square: 0, _error: 8},
            ),
            lines=r"\tfrac A2 &\le E",
        ),
        counterexample(
            "noise_dominates",
            r"So $nE \ge \frac{nA}{2}$ is at most $C\sigma^2$ for no $C$. For $C = 1000$ and $d = 10^8$:",
            _PRINTED,
            {_size: sp.Integer(10) ** 8, _constant: sp.Integer(1000)},
        ),
    )


def stated_many_values() -> tuple[str, ...]:
    """The variance, the noise, the limit of the rest, the part that is left, and the printed order, formally."""
    return (
        *symbolic(eq(_spread_of_two_levels(), _variance)),
        *symbolic(le(_logarithm**2 / 4, (1 - _logarithm) ** 2), given=_TWO),
        *symbolic(eq(sp.Limit(_rest(), _size, sp.oo), 0)),
        *symbolic(le(_linear / 2, _error), given=_PARTS),
        *symbolic(_PRINTED, refuted=True),
    )
