"""The order of the largest variance of the logarithm of a probability: that of the squared logarithm of the number."""

from __future__ import annotations

import sympy as sp

from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.limits import tends_to
from pan_proofs.engines.relations import eq, le
from pan_proofs.engines.vectors import Induction, sum_over_entries
from pan_proofs.ledger.claim import Steps, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.lengths_and_limits import for_every_length
from pan_proofs.ledger.steps import at_most, lemma

_first, _second, _point = sp.symbols("S_1 S_2 ell", real=True)
_root = sp.Symbol("w", nonnegative=True)
_scaled = sp.Symbol("t", nonnegative=True)
_log, _most = sp.symbols("x ell", nonnegative=True)
_term, _chance = sp.symbols("e p", nonnegative=True)
_total, _mass = sp.symbols("T Q", real=True)
_length = sp.Symbol("d", nonnegative=True, integer=True)
_size, _square = sp.symbols("g m", positive=True)
_many = sp.Symbol("d", positive=True)

_RARE = (le(_scaled, 2 * (1 - _root)),)
OF_RARE = le(_scaled**2, 4)
_FREQUENT = (le(_log, _most),)
OF_FREQUENT = le(_log**2, _most**2)
_EACH = (le(_size * _term, 4 + _square * _size * _chance),)
_SUMS = {_total: _term, _mass: _chance}
TOGETHER = le(_size * _total, 4 * _length + _square * _size * _mass)
_VANISHES = (sp.log(_many) ** 2 + 4) / _many


def _half_at_one() -> sp.Expr:
    """The variance for half of the mass at one of the values, and the rest spread over the others."""
    half = sp.Rational(1, 2)
    logs = (sp.log(2), sp.log(2) + sp.log(_many - 1))
    mean = half * logs[0] + half * logs[1]
    return half * logs[0] ** 2 + half * logs[1] ** 2 - mean**2


def order_of_variance() -> Steps:
    """A bound by the squared logarithm, and distributions that reach a quarter of it."""
    return (
        equal_as(
            "about_a_point",
            r"Let $S_1$ and $S_2$ be the means of $|\log p|$ and of its square. The variance is at most the mean "
            r"square about any point $\ell$, here $\ell = \log d$.",
            (
                lambda: sp.expand(_second - 2 * _point * _first + _point**2),
                _second - _first**2 + (_first - _point) ** 2,
            ),
            r"S_2 - 2\ell S_1 + \ell^2 &= S_2 - S_1^2 + (S_1 - \ell)^2",
        ),
        at_most(
            "rare_values",
            r"A value with $q = pd \le 1$: with $w = \sqrt q$ the tangent of the logarithm gives $|\log q| \le "
            r"2(\frac1w - 1)$, so that $t = w\,|\log q|$ has $t^2 \le 4$. The term is $p\log^2 q = \frac{t^2}{d}$.",
            Inequality("log_order.rare", OF_RARE.lhs, OF_RARE.rhs, _RARE, touching={_scaled: 2, _root: 0}),
            lines=r"t^2 &\le 4 \quad (t \le 2(1 - w))",
        ),
        at_most(
            "frequent_values",
            r"A value with $q \ge 1$: the logarithm $x = \log q$ is at most $\ell$, since $p \le 1$.",
            Inequality("log_order.frequent", OF_FREQUENT.lhs, OF_FREQUENT.rhs, _FREQUENT, touching={_log: 1, _most: 1}),
            lines=r"x^2 &\le \ell^2",
        ),
        for_every_length(
            "all_values",
            r"So each term $e_i = p_i\log^2(p_id)$ has $g\,e_i \le 4 + m\,g\,p_i$ with $g = d$ and $m = \ell^2$. With "
            r"$T = \sum e_i$ and $Q = \sum p_i = 1$ this is $T \le 4 + \ell^2$.",
            Induction(
                "log_order.together",
                TOGETHER,
                _length,
                (_term, _chance),
                {one: one + term for one, term in _SUMS.items()},
                ((4, 0), (4, 0)),
                {_size: sp.Integer(1), _square: sp.Integer(1)},
                _EACH,
            ),
            r"g\sum_{i=1}^d e_i &\le 4d + m\,g\sum_{i=1}^d p_i",
        ),
        lemma(
            "small_share",
            r"Over the number of values the bound tends to $0$.",
            tends_to("log_order.share", _VANISHES, _many, sp.oo, sp.S.Zero),
            r"\lim_{d \to \infty} \frac{\log^2 d + 4}{d} &= 0",
        ),
        equal_as(
            "half_at_one",
            r"The order is reached: half of the mass at one value, and the rest in equal parts at the others.",
            (
                _half_at_one,
                sp.log(_many - 1) ** 2 / 4,
            ),
            r"\sigma^2 &= \tfrac14\log^2(d-1)",
        ),
    )


def stated_order() -> tuple[str, ...]:
    """The terms, their sum, the limit, and the variance that is reached, formally."""
    return (
        *symbolic(OF_RARE, given=_RARE),
        *symbolic(OF_FREQUENT, given=_FREQUENT),
        *symbolic(
            TOGETHER,
            given=_EACH,
            where={one: sum_over_entries(term, (_term, _chance), _length) for one, term in _SUMS.items()},
        ),
        *symbolic(eq(sp.Limit(_VANISHES, _many, sp.oo), 0)),
        *symbolic(eq(_half_at_one(), sp.log(_many - 1) ** 2 / 4)),
    )
