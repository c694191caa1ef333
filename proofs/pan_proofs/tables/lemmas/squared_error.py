"""The squared error of the entropy of noisy frequencies: its linear part, and a bound on the rest by squares."""

from __future__ import annotations

from functools import cache

import sympy as sp

from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import eq, ge, gt, le, lt
from pan_proofs.engines.slopes import Slopes
from pan_proofs.ledger.claim import Steps, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.lengths_and_limits import by_slopes
from pan_proofs.ledger.notation import scale
from pan_proofs.ledger.steps import at_most
from pan_proofs.tables.lemmas.count_moments import records
from pan_proofs.tables.lemmas.expansion import deviation
from pan_proofs.tables.lemmas.noisy_counts import holders, noisy_frequency, noisy_pair
from pan_proofs.tables.lemmas.symbol_sums import (
    log_chance,
    log_other,
    over_pairs,
    over_symbols,
    pairs_of_symbols,
    spread,
)

_below, _logarithm = sp.symbols("v L", real=True)
_SMALL, _RAISED = sp.Rational(1, 100), sp.Rational(1, 1000)
_BEYOND = (ge(_below, 1), ge(_logarithm, 0))
_REST = _logarithm * (_below - 1) - _below
_MOST = (1 + _logarithm) * _below**2
_error, _linear, _cross, _square = sp.symbols("E A C R", real=True)
_root, _rest_root = sp.symbols("x y", nonnegative=True)
_PARTS = (
    eq(_error, _linear + 2 * _cross + _square),
    le(sp.Abs(_cross), _root * _rest_root),
    ge(_square, 0),
    le(_square, _rest_root**2),
)
_variance, _small, _width = sp.symbols("s eta w", positive=True)


def _first(remainder: sp.Expr, name: str) -> tuple[Slopes, Slopes]:
    turned = remainder.subs(deviation, -_below)
    return (
        Slopes(f"squared.{name}.above", remainder, deviation, sp.S.Zero, {deviation: _SMALL}, _RAISED),
        Slopes(f"squared.{name}.below", turned, _below, sp.S.Zero, {_below: _SMALL}, _RAISED, end=sp.S.One),
    )


def _remainder() -> sp.Expr:
    return (1 + deviation) * sp.log(1 + deviation) - deviation


def rest_of_one() -> Steps:
    """The rest of one symbol after its linear term is at most a multiple of the squared deviation."""
    return (
        by_slopes(
            "first_remainder",
            r"The remainder $r_1(u) = (1+u)\log(1+u) - u$ is not negative: it and its derivative vanish at $0$, and "
            r"its second derivative is $\frac{1}{1+u}$.",
            *_first(_remainder(), "first_remainder"),
            lines=r"0 &\le r_1(u) \quad (u > -1)",
        ),
        by_slopes(
            "tangent_of_logarithm",
            r"The logarithm lies below its tangent; times $1 + u > 0$, $r_1(u) \le u^2$.",
            *_first(deviation - sp.log(1 + deviation), "tangent_of_logarithm"),
            lines=r"\log(1+u) &\le u \quad (u > -1)",
        ),
        at_most(
            "set_to_zero_above",
            r"A negative frequency $p(1 - v)$, $v > 1$, is set to $0$. With $L = -\log p$ its linear terms miss $0$ "
            r"by $p$ times $L(v-1) - v$.",
            Inequality(
                "squared.above",
                _REST,
                _MOST,
                _BEYOND,
                gap=sp.Rational(1, 2),
                weaker=sp.Rational(1, 20),
            ),
            lines=r"L(v - 1) - v &\le (1 + L)\,v^2",
        ),
        at_most(
            "set_to_zero_below",
            r"From below:",
            Inequality("squared.below", -_REST, _MOST, _BEYOND, touching={_below: 1, _logarithm: 0}),
            lines=r"-L(v - 1) + v &\le (1 + L)\,v^2",
        ),
    )


@cache
def linear_square() -> sp.Expr:
    """The expectation of the square of ``sum (1 + log p)(noisy frequency - p)``."""
    alone = over_symbols(sp.expand((1 + log_chance) ** 2 * noisy_frequency(2)))
    pairs = over_pairs(sp.expand((1 + log_chance) * (1 + log_other) * noisy_pair((1, 1), centred=True)))
    return sp.expand(alone + pairs)


def stated_linear_square() -> sp.Expr:
    """The variance of the logarithm over n, and the noise."""
    squares = over_symbols(sp.expand((1 + log_chance) ** 2))
    return spread**2 / records + 2 * holders * scale**2 / records**2 * squares


def linear_part() -> Steps:
    """The expectation of the squared linear part."""
    return (
        pairs_of_symbols(),
        equal_as(
            "linear_square",
            r"The linear part is $-\sum_i (1 + \log p_i)(\tilde p_i - p_i)$. By the moments of noisy frequencies, "
            r"with $E[(\tilde p_i - p_i)(\tilde p_j - p_j)] = -\frac{p_ip_j}{n}$:",
            (
                linear_square,
                stated_linear_square(),
            ),
            r"E\Bigl[\Bigl(\sum_i (1 + \log p_i)(\tilde p_i - p_i)\Bigr)^2\Bigr] &= \frac{\sigma^2}{n} + "
            r"\frac{2Mb^2}{n^2} \sum_i (1 + \log p_i)^2",
        ),
    )


def together() -> Steps:
    """The whole error from its linear part and the rest."""
    bound = 2 * _root * _rest_root + _rest_root**2
    return (
        at_most(
            "whole_error",
            r"The error is the linear part $Z$ and a rest $\rho$: $E = A + 2C + R$ with $A = E[Z^2] = x^2$, $C = "
            r"E[Z\rho]$ and $R = E[\rho^2] \le y^2 = B$. By the inequality of Cauchy and Schwarz $|C| \le xy$.",
            Inequality(
                "squared.whole_error",
                sp.Abs(_error - _linear),
                bound,
                _PARTS,
                touching={_error: 4, _linear: 1, _cross: 1, _square: 1, _root: 1, _rest_root: 1},
            ),
            lines=r"|E - A| &\le 2xy + y^2",
        ),
        at_most(
            "mixed_term",
            r"If $A \le (1 + \eta)s$ and $B \le \eta^2 s$ with $s = \frac{\sigma^2}{n} = w^2$, the mixed term is "
            r"small.",
            Inequality(
                "squared.mixed_term",
                2 * _root * _small * _width,
                _small * (_root**2 + _width**2),
                (gt(_small, 0), gt(_width, 0)),
                touching={_root: 1, _width: 1, _small: 1},
            ),
            lines=r"2x \cdot \eta w &\le \eta\,(x^2 + w^2)",
        ),
        at_most(
            "all_terms",
            r"So $|E - s| \le \eta s + \eta((1 + \eta)s + s) + \eta^2 s$.",
            Inequality(
                "squared.all_terms",
                _small * _variance + _small * ((1 + _small) * _variance + _variance) + _small**2 * _variance,
                5 * _small * _variance,
                _LITTLE,
                touching={_small: 1, _variance: 1},
            ),
            lines=r"\eta s + \eta\,(2 + \eta)\,s + \eta^2 s &\le 5\,\eta s",
        ),
    )


_LITTLE = (le(_small, 1),)


def stated_error() -> tuple[str, ...]:
    """The remainder, the linear part, and the whole error, formally."""
    u = deviation
    turned = _remainder().subs(u, -_below)
    inside = (gt(_below, 0), lt(_below, 1))
    squares = stated_linear_square()
    return (
        *symbolic(ge(_remainder(), 0), le(_remainder(), u**2), given=(u > 0,)),
        *symbolic(ge(turned, 0), le(turned, _below**2), given=inside),
        *symbolic(le(_REST, _MOST), le(-_REST, _MOST), given=_BEYOND),
        *symbolic(eq(sp.Symbol("A_Z", real=True), squares)),
        *symbolic(le(sp.Abs(_error - _linear), 2 * _root * _rest_root + _rest_root**2), given=_PARTS),
    )


def stated_small() -> tuple[str, ...]:
    """The whole error close to its leading term, formally."""
    return symbolic(
        le(
            _small * _variance + _small * ((1 + _small) * _variance + _variance) + _small**2 * _variance,
            5 * _small * _variance,
        ),
        given=_LITTLE,
    )
