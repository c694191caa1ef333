"""A lower bound on the bias of the entropy of noisy frequencies, and a family of distributions with a rare symbol."""

from __future__ import annotations

import sympy as sp

from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.limits import tends_to
from pan_proofs.engines.relations import eq, ge, le
from pan_proofs.engines.slopes import Slopes
from pan_proofs.ledger.claim import Steps, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.lengths_and_limits import by_slopes
from pan_proofs.ledger.notation import scale
from pan_proofs.ledger.steps import at_most, counterexample, lemma
from pan_proofs.tables.lemmas.count_moments import chance, records
from pan_proofs.tables.lemmas.noisy_counts import count, holders, noisy_count

_mean = sp.Symbol("lambda", positive=True)
"""The expected count of a symbol."""
_u, _v = sp.symbols("u v", real=True)
_count, _place = sp.Symbol("c", nonnegative=True), sp.Symbol("y", positive=True)
_excess, _least = sp.symbols("g z", nonnegative=True)
_log_records, _log_mean, _logarithm = sp.symbols("l a L", real=True)
_product, _square = sp.symbols("X S", real=True)
_bias, _one, _other = sp.symbols("G G_1 G_2", real=True)
_first, _second = sp.symbols("lambda_1 lambda_2", positive=True)
_growing, _constant = sp.symbols("T C", positive=True)
_doublings = sp.Symbol("K", integer=True, positive=True)
_SMALL, _RAISED = sp.Rational(1, 100), sp.Rational(1, 1000)

_OF_ONE = (
    le(_product, (_mean + _excess) * _log_mean + _square / _mean - _mean - _excess),
    le(_square, _mean**2 + _mean + 2),
)
_ONE_BIAS = (_mean + _excess) * _log_records - _product - _mean * (_log_records - _log_mean)
_ONE_BOUND = _excess * (_log_records - _log_mean) - 1 - 2 / _mean
_OF_TWO = (
    eq(_bias, _one + _other),
    ge(_one, _excess * _logarithm - 1 - 2 / _first),
    ge(_other, -1 - 2 / _second),
    ge(_first, 1),
    ge(_second, 1),
    ge(_logarithm, 0),
    ge(_excess, _least / 2),
)


def _tangent() -> tuple[Slopes, Slopes]:
    above, start = _u - sp.log(1 + _u), sp.S.Zero
    return (
        Slopes("rare.tangent.above", above, _u, start, {_u: _SMALL}, _RAISED),
        Slopes("rare.tangent.below", above.subs(_u, -_v), _v, start, {_v: _SMALL}, _RAISED, end=sp.S.One),
    )


def bias_below() -> Steps:
    """For one holder and noise of scale 1: n times the bias of a symbol is at least the excess times a logarithm."""
    return (
        by_slopes(
            "tangent_at_the_mean",
            r"Let $y = \max(0, c + \eta)$ be the count of a symbol with the noise of one holder, $b = 1$, set to $0$ "
            r"where it is negative, and $\lambda = np$. With $y = \lambda(1 + u)$ the logarithm of $y$ lies below its "
            r"tangent at $\lambda$.",
            *_tangent(),
            lines=r"\log y &\le \log\lambda + u \quad (u > -1)",
        ),
        equal_as(
            "times_the_count",
            r"Times $y$; for $y = 0$ both sides are $0$.",
            (
                lambda: sp.expand(_mean * (1 + _u) * (sp.log(_mean) + _u)),
                sp.expand(_mean * (1 + _u) * sp.log(_mean) + (_mean * (1 + _u)) ** 2 / _mean - _mean * (1 + _u)),
            ),
            r"y \log y \le y(\log\lambda + u) &= y\log\lambda + \frac{y^2}{\lambda} - y",
        ),
        equal_as(
            "mean_set_to_zero",
            r"Where the noise is below $-c$ by $x$, setting to $0$ adds $x$.",
            (
                lambda: _count + sp.exp(-_count) * sp.integrate(_place * sp.exp(-_place) / 2, (_place, 0, sp.oo)),
                _count + sp.exp(-_count) / 2,
            ),
            r"E[y \mid c] = c + e^{-c} \int_0^\infty \frac x2\,e^{-x}\,dx &= c + \tfrac12 e^{-c}",
        ),
        equal_as(
            "mean_of_the_exponential",
            r"With $1 + u = e^{\lambda - c}$ the same tangent says $e^{\lambda - c} \ge 1 + \lambda - c$. So "
            r"$E[e^{-c}] \ge e^{-\lambda}$, and $E[y] = \lambda + g$ with an excess $g \ge \frac z2$, $z = "
            r"e^{-\lambda}$.",
            (
                lambda: sp.expand(sp.exp(-_mean) * (1 + _mean - count((1,)).subs(chance, _mean / records))),
                sp.exp(-_mean),
            ),
            r"E[e^{-c}] \ge e^{-\lambda}\,E[1 + \lambda - c] &= e^{-\lambda}",
        ),
        equal_as(
            "second_moment_of_the_count",
            r"A square does not grow where a negative number is set to $0$: $S = E[y^2]$ is at most the second "
            r"moment of the noisy count, and so at most $\lambda^2 + \lambda + 2$.",
            (
                lambda: sp.expand(noisy_count(2).subs({holders: 1, scale: 1}).subs(chance, _mean / records)),
                _mean**2 + _mean - _mean**2 / records + 2,
            ),
            r"E[\tilde c_i^2] &= \lambda^2 + \lambda - \frac{\lambda^2}{n} + 2",
        ),
        at_most(
            "bias_of_one",
            r"The term of a symbol is $-\frac yn \log\frac yn$. With $X = E[y\log y]$, $l = \log n$ and $a = "
            r"\log\lambda$, $n$ times its bias is $(\lambda + g)\,l - X - \lambda(l - a)$.",
            Inequality(
                "rare.bias_of_one",
                _ONE_BOUND,
                _ONE_BIAS,
                _OF_ONE,
                touching={_excess: 0, _mean: 1, _square: 4, _product: 3, _log_records: 0, _log_mean: 0},
                raised=sp.S.One,
            ),
            lines=r"g\,(l - a) - 1 - \frac2\lambda &\le (\lambda + g)\,l - X - \lambda(l - a)",
        ),
        at_most(
            "bias_of_two",
            r"Two symbols with $\lambda_1, \lambda_2 \ge 1$. Let $G$ be $n$ times the bias of the entropy, and $L = "
            r"\log\frac{n}{\lambda_1}$; the excess of the second symbol is not negative.",
            Inequality(
                "rare.bias_of_two",
                _least * _logarithm / 2 - 6,
                _bias,
                _OF_TWO,
                touching={
                    _bias: -6,
                    _one: -3,
                    _other: -3,
                    _first: 1,
                    _second: 1,
                    _logarithm: 0,
                    _excess: 0,
                    _least: 0,
                },
                raised=sp.S.One,
            ),
            lines=r"\tfrac12 z L - 6 &\le G",
        ),
    )


def _lower(growing: sp.Expr) -> sp.Expr:
    return (growing - sp.log(sp.log(growing) / 2)) / (2 * sp.sqrt(growing)) - 6


def _printed() -> sp.Basic:
    growing = _doublings * sp.log(2)
    inverse = 2 / sp.log(growing)
    return le(
        _lower(growing),
        sp.Rational(1, 2) + 2 * _constant * (inverse + inverse**2 + inverse**3),
    )


def rare_family() -> Steps:
    """Distributions of two symbols along which the printed conditions hold, and the printed bound does not."""
    return (
        lemma(
            "grows_like_a_root",
            r"Let $n = 2^K$, $T = \log n$ and $\lambda_1 = np_{\min} = \frac12 \log T$, so that $z = T^{-1/2}$ and "
            r"$L = T - \log\lambda_1$. The bound $\frac12zL - 6$ grows like $\frac12\sqrt T$.",
            tends_to("rare.root", _lower(_growing) / sp.sqrt(_growing), _growing, sp.oo, sp.Rational(1, 2)),
            r"\lim_{T \to \infty} \frac{1}{\sqrt T} \Bigl(\frac{T - \log(\frac12\log T)}{2\sqrt T} - 6\Bigr) &= "
            r"\tfrac12",
        ),
        counterexample(
            "printed_conditions",
            r"With $d = 2$, $M = b = 1$ the printed bound, times $n$, is $\frac12 + 2C\,(w + wq + w^2q)$ with $w = q = "
            r"\frac{1}{\lambda_1}$. For $C = 1000$ and $K = 2^{30}$:",
            _printed(),
            {_doublings: sp.Integer(2) ** 30, _constant: sp.Integer(1000)},
        ),
    )


def stated_rare_symbols() -> tuple[str, ...]:
    """The bounds on the biases, the growth, and the printed bound, formally."""
    root = _lower(_growing) / sp.sqrt(_growing)
    return (
        *symbolic(le(_ONE_BOUND, _ONE_BIAS), given=_OF_ONE),
        *symbolic(le(_least * _logarithm / 2 - 6, _bias), given=_OF_TWO),
        *symbolic(eq(sp.Limit(root, _growing, sp.oo), sp.Rational(1, 2))),
        *symbolic(_printed(), refuted=True),
    )
