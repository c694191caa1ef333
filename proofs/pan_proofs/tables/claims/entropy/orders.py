"""The orders inside the proofs of Theorems 3.5 and 3.6 of the thesis: of moments, of sums, and of the five terms."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import ge, gt, le
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, Steps, symbolic
from pan_proofs.ledger.steps import at_most, counterexample
from pan_proofs.tables.lemmas.moment_orders import bounded, forms, pairs, stated_orders, stated_pairs

_p, _least, _records, _noise, _constant = sp.symbols("p m n W C", positive=True)
_root = sp.Symbol("x", nonnegative=True)
_lengths = sp.Symbol("d", positive=True)
_alone, _between, _bound = sp.symbols("a e K", nonnegative=True)
_theta, _inverse = sp.symbols("theta s", nonnegative=True)
_exact, _stated = sp.symbols("X Y")
_exact_other, _stated_other = sp.symbols("X_5 Y_5")
_LEAST = (ge(_p, _least), le(_p, 1))
_THIRD = le(sp.Abs((1 - _p) * (1 - 2 * _p)) * _least, _p)
_REST = 1 / (_p**2 * _records**3)
_PRINTED = 1 / (_p * _records**2) + _noise / (_p**2 * _records**3)
_LITTLE = le(_REST, _constant * _PRINTED)
_SUMS = (
    le(_alone, _bound),
    le(_between, _bound),
    ge(_lengths, 1),
)
_SMALL = (le(_theta, _inverse),)
_sum = _lengths * _alone + _lengths * (_lengths - 1) * _between
_FOUR = _inverse**2 + _inverse * _theta + _theta**2
_SIX = _inverse**3 + _inverse**2 * _theta + _inverse * _theta**2 + _theta**3


def orders() -> Claim:
    """The orders of all moments, sums and terms hold; two bounds on remainders of mixed terms are false."""
    return Claim(
        id="bayesnet.orders",
        title="Orders of moments, sums and terms",
        references=(Reference("networks", "proofs of Theorems 3.5 and 3.6, section 3.4.2"),),
        notation=(
            ("$g$", "$1 - 2p$"),
            ("$B$", r"$\frac{b^2}{n^2}$"),
            ("$c$", "number between $0$ and $1$ in a remainder"),
        ),
        statement=r"The central moments of orders $2$ to $6$ are $O(\frac1n + \theta)$, $O(\frac1{n^2})$, "
        r"$O(\frac1{n^2} + \frac\theta n + \theta^2)$, $O(\frac1{n^3} + \frac{\theta}{n^2})$ and $O(\frac1{n^3} + "
        r"\frac{\theta}{n^2} + \frac{\theta^2}{n} + \theta^3)$, and the mixed ones $O(\frac1n)$ and $O(\frac1{n^2})$. "
        r"The sums of Theorem 3.5 are $\frac{d-1}{n} + O(\frac{dMb^2}{p_{\min}n^2})$, $O(\frac{d}{p_{\min}n^2})$ and "
        r"$O(\frac{d}{p_{\min}n^2} + \frac{dMb^2}{p_{\min}^2n^3} + \frac{dM^2b^4}{p_{\min}^3n^4})$. With $\theta = "
        r"o(\frac1n)$ the five terms of Theorem 3.6 have the orders $\frac{d^2}{p_{\min}^2n^2}$, "
        r"$\frac{d^2}{p_{\min}^4n^3}$, $\frac{d^2\log p_{\min}}{p_{\min}n^2}$, $\frac{d^2\log "
        r"p_{\min}}{p_{\min}^2n^2}$ and $\frac{d^2}{p_{\min}^3n^{5/2}}$; in the remainders of the last two $(1-c)p_i "
        r"+ c\tilde p_i$ is replaced by $(1-c)p_i$.",
        hypotheses=(r"$0 < p_{\min} \le p_i \le 1$, $n \ge 1$", r"$M \ge 1$"),
        silent=(r"$Mb^2 \ge 1$ in the third sum of Theorem 3.5", "orders are of absolute values, uniformly in $p_i$"),
        parts=(
            Part(
                Role.PUBLISHED,
                "the moments of one symbol",
                r"All five orders hold with numbers as constants, also of the corrected moment of order $6$. In the "
                r"formulas $v = p(1-p)$, $s = \frac1n$ and $\theta = \frac{Mb^2}{n^2}$.",
                (*forms(), *bounded()),
                formal=stated_orders(),
            ),
            Part(
                Role.PUBLISHED,
                "the mixed moments",
                r"Both orders hold, with the constant $1$. In the formulas $p$ and $q$ are the probabilities of two "
                r"symbols.",
                pairs(),
                formal=stated_pairs(),
            ),
            Part(
                Role.PUBLISHED,
                "the sums of Theorem 3.5",
                r"Symbol by symbol, with $m = p_{\min}$: the third moment over $p_i^2$ is at most $\frac{1}{mn^2}$ in "
                r"absolute value; for $W = Mb^2 \ge 1$ the term $\frac{1}{p_i^2n^3}$ of the fourth one is at most "
                r"$\frac{W}{m^2n^3}$. The other terms are the printed ones.",
                _sums(),
                formal=(
                    *symbolic(_THIRD, given=_LEAST),
                    *symbolic(
                        le(1 / _p**2, _noise / _least**2),
                        given=(*_LEAST, ge(_noise, 1)),
                    ),
                ),
            ),
            Part(
                Role.READING,
                "the third sum, with little noise",
                r"If $Mb^2 = W$ may be small, the term $\frac{d}{p_{\min}^2n^3}$ has none of the printed orders: no "
                r"$C$ is large enough where $p_{\min}n$ and $W$ are small, as the example $C = 1000$ shows.",
                (_little_noise(),),
                formal=symbolic(_LITTLE, refuted=True),
                holds=False,
            ),
            Part(
                Role.PUBLISHED,
                "the five terms of Theorem 3.6",
                r"A sum of $d$ terms and $d(d-1)$ pairs, each at most $K$, is at most $d^2K$. If $\theta \le \frac1n "
                r"= s$, orders $4$ and $6$ are at most $3s^2$ and $4s^3$, and with $s = x^2$ the mixed orders of $5$ "
                r"factors are at most $6x^5$. In the formulas $a$ and $e$ are a term and a pair.",
                _five(),
                formal=(
                    *symbolic(le(_sum, _lengths**2 * _bound), given=_SUMS),
                    *symbolic(le(_FOUR, 3 * _inverse**2), given=_SMALL),
                    *symbolic(le(_SIX, 4 * _inverse**3), given=_SMALL),
                    *symbolic(le(_mixed(), 6 * _root**5), given=_SMALL_ROOT),
                ),
            ),
            Part(
                Role.COUNTEREXAMPLE,
                "the remainders of the mixed terms",
                r"Both products have terms of both signs. In the formula $X$ and $Y$ are the expectations of $\sum_i "
                r"(1 + \log p_i)(\tilde p_i - p_i)$ times the sum of the third powers over $((1-c)p_i + c\tilde "
                r"p_i)^2$ and over $(1-c)^2p_i^2$, and $X_5$ and $Y_5$ those of $\sum_i \frac{(\tilde p_i - "
                r"p_i)^2}{p_i}$ times the same sums: for two symbols with $p_1 = \frac14$ and $p_2 = \frac34$, $c = "
                r"\frac12$, and $\tilde p_1 - p_1$ equal to $-\frac18$ with probability $\frac13$ and to $\frac1{16}$ "
                r"otherwise.",
                _mixed_remainders(),
                formal=(
                    *symbolic(gt(_exact, _stated)),
                    *symbolic(gt(_exact_other, _stated_other)),
                ),
            ),
            Part(
                Role.AMENDED,
                "the mixed terms without remainders",
                r"The amended statement of bayesnet.entropy\_mse has one rest with a bound on its square, and no "
                r"products of signed sums: a product $ab$ has $2|ab| \le a^2 + b^2$. In the formula $x$ and $y$ are "
                r"$a$ and $b$.",
                (_two_squares(),),
                formal=symbolic(le(2 * sp.Abs(_one * _other), _one**2 + _other**2)),
            ),
        ),
        uses=("bayesnet.noisy_count_moments", "bayesnet.entropy_mse"),
        remark=r"That the first term is $O(\frac{\sigma^2}{n}) + O(d\,\theta\log^2 p_{\min})$ follows from its value, "
        r"in bayesnet.entropy\_mse, and from inequality (ii) of bayesnet.sum\_bounds. Which of the conditions on the "
        r"five terms is the strongest is judged by bayesnet.entropy\_conditions.",
    )


_one, _other = sp.symbols("x y", real=True)
_square_root = sp.Symbol("t", nonnegative=True)
_SMALL_ROOT = (le(_square_root, _root),)


def _mixed() -> sp.Expr:
    return sp.Add(*(_root ** (5 - k) * _square_root**k for k in range(6)))


def _sums() -> Steps:
    return (
        at_most(
            "third_of_a_symbol",
            r"The quotient is $\frac{2p^3 - 3p^2 + p}{p^2} = \frac{(1-p)(1-2p)}{p}$.",
            Inequality("orders.third", _THIRD.lhs, _THIRD.rhs, _LEAST, touching={_p: 0, _least: 0}),
            lines=r"|(1-p)(1-2p)|\,m &\le p",
        ),
        at_most(
            "fourth_of_a_symbol",
            r"A term of the fourth moment over $p^3$.",
            Inequality(
                "orders.fourth",
                1 / _p**2,
                _noise / _least**2,
                (*_LEAST, ge(_noise, 1)),
                touching={_p: 1, _least: 1, _noise: 1},
            ),
            lines=r"\frac{1}{p^2} &\le \frac{W}{m^2}",
        ),
    )


def _little_noise() -> Step:
    return counterexample(
        "little_noise_in_the_sum",
        r"For $p_{\min}n = 10^{-4}$ and $W = 10^{-4}$:",
        _LITTLE,
        {
            _p: sp.Rational(1, 10**8),
            _records: sp.Integer(10**4),
            _noise: sp.Rational(1, 10**4),
            _constant: sp.Integer(1000),
        },
    )


def _five() -> Steps:
    return (
        at_most(
            "pairs_and_terms",
            r"Terms and pairs:",
            Inequality(
                "orders.pairs_and_terms",
                _sum,
                _lengths**2 * _bound,
                _SUMS,
                touching={_alone: 1, _between: 1, _bound: 1, _lengths: 2},
            ),
            lines=r"da + d(d-1)e &\le d^2K",
        ),
        at_most(
            "order_four",
            r"With $\theta \le s$:",
            Inequality("orders.four", _FOUR, 3 * _inverse**2, _SMALL, touching={_inverse: 1, _theta: 1}),
            lines=r"s^2 + s\theta + \theta^2 &\le 3s^2",
        ),
        at_most(
            "order_six",
            r"And:",
            Inequality("orders.six", _SIX, 4 * _inverse**3, _SMALL, touching={_inverse: 1, _theta: 1}),
            lines=r"s^3 + s^2\theta + s\theta^2 + \theta^3 &\le 4s^3",
        ),
        at_most(
            "order_five",
            r"With $s = x^2$ and $\theta = t^2$, $t \le x$:",
            Inequality("orders.five", _mixed(), 6 * _root**5, _SMALL_ROOT, touching={_root: 1, _square_root: 1}),
            lines=r"x^5 + x^4t + x^3t^2 + x^2t^3 + xt^4 + t^5 &\le 6x^5",
        ),
    )


def _expected(first: Callable[[sp.Rational], sp.Expr], *, exact: bool) -> sp.Expr:
    """The expectation of a sum times the sum of the third powers, over the two values of the deviation."""
    chances, half = (sp.Rational(1, 4), sp.Rational(3, 4)), sp.Rational(1, 2)
    total = sp.S.Zero
    for mass, move in ((sp.Rational(1, 3), sp.Rational(-1, 8)), (sp.Rational(2, 3), sp.Rational(1, 16))):
        thirds = [
            one**3 / ((1 - half) * chance + (half * (chance + one) if exact else 0)) ** 2
            for chance, one in zip(chances, (move, -move), strict=True)
        ]
        total += mass * first(move) * sp.Add(*thirds)
    return total


def _linear(move: sp.Rational) -> sp.Expr:
    return move * (sp.log(sp.Rational(1, 4)) - sp.log(sp.Rational(3, 4)))


def _quadratic(move: sp.Rational) -> sp.Expr:
    return move**2 * (4 + sp.Rational(4, 3))


def _mixed_remainders() -> Steps:
    return (
        counterexample(
            "linear_and_third",
            r"The linear sum and the third powers:",
            le(_exact, _stated),
            {_exact: lambda: _expected(_linear, exact=True), _stated: lambda: _expected(_linear, exact=False)},
        ),
        counterexample(
            "second_and_third",
            r"The second and the third powers:",
            le(_exact_other, _stated_other),
            {
                _exact_other: lambda: _expected(_quadratic, exact=True),
                _stated_other: lambda: _expected(_quadratic, exact=False),
            },
        ),
    )


def _two_squares() -> Step:
    return at_most(
        "two_squares",
        r"The square of the difference of the absolute values is not negative.",
        Inequality(
            "orders.two_squares",
            2 * sp.Abs(_one * _other),
            _one**2 + _other**2,
            (gt(_one**2 + _other**2, 0),),
            touching={_one: 1, _other: 1},
        ),
        lines=r"2|xy| &\le x^2 + y^2",
    )


CLAIMS = {"bayesnet.orders": orders}
