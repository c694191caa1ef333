"""The orders inside the proofs of Theorems 3.5 and 3.6 of the thesis: of moments, of sums, and of the five terms."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import sympy as sp

from pan_proofs.engines.relations import ge, gt, le
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, Steps, derived, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.notation import scale, tex
from pan_proofs.ledger.steps import bounded, counterexample
from pan_proofs.tables.lemmas.moments import chance, holders, noisy_frequency, noisy_pair, other, records

_inverse_moment, _noise_moment, _square, _spread, _skew, _one, _other = sp.symbols("s theta B v g x y", real=True)
_p_moment, _q, _root, _alone, _between, _bound, _theta, _inverse, _square_root = sp.symbols(
    "p q x a e K theta s t", nonnegative=True
)
_p, _least, _records, _noise, _constant, _lengths = sp.symbols("p m n W C d", positive=True)
_exact, _stated, _exact_other, _stated_other = sp.symbols("X Y X_5 Y_5")
_REGION = (
    ge(_inverse_moment, 0),
    le(_inverse_moment, 1),
    ge(_noise_moment, 0),
)
_OF_SPREAD = (ge(_spread, 0), le(_spread, sp.Rational(1, 4)))
_OF_SQUARE = (ge(_square, 0), le(_square, _noise_moment))
_v, _g, _s, _t, _b = _spread, _skew, _inverse_moment, _noise_moment, _square
FORMS = {
    2: _v * _s + 2 * _t,
    3: _v * _g * _s**2,
    4: 3 * _v**2 * _s**2 + _v * (1 - 6 * _v) * _s**3 + 12 * _v * _s * _t + 12 * _t * (_t + _b),
    5: _v * _g * (10 * _v * _s**3 + (1 - 12 * _v) * _s**4 + 20 * _s**2 * _t),
    6: 15 * _v**3 * _s**3
    + 5 * _v**2 * (5 - 26 * _v) * _s**4
    + _v * (1 - 30 * _v + 120 * _v**2) * _s**5
    + 90 * _v**2 * _s**2 * _t
    + 30 * _v * (1 - 6 * _v) * _s**3 * _t
    + 180 * _v * _s * _t * (_t + _b)
    + 120 * _t * (_t + _b) * (_t + 2 * _b),
}
"""The central moments of a noisy frequency, by order."""
BOUNDS = {
    2: _s / 4 + 2 * _t,
    3: _s**2 / 4,
    4: sp.Rational(3, 16) * _s**2 + 3 * _s * _t + 24 * _t**2,
    5: sp.Rational(5, 8) * _s**3 + 5 * _s**2 * _t,
    6: sp.Rational(5, 8) * _s**3 + sp.Rational(55, 8) * _s**2 * _t + 90 * _s * _t**2 + 720 * _t**3,
}
"""Multiples of the printed orders. No coefficient can be smaller, but those of the first two terms of order 6."""
_PARTS = (
    (15 * _v**3, sp.Rational(15, 64)),
    (5 * _v**2 * (5 - 26 * _v), sp.Rational(625, 4563)),
    (_v * (1 - 30 * _v + 120 * _v**2), sp.Rational(1, 4)),
    (90 * _v**2, sp.Rational(45, 8)),
    (30 * _v * (1 - 6 * _v), sp.Rational(5, 4)),
    (180 * _v, sp.Integer(45)),
)
"""The coefficients of the moment of order 6 with their largest values."""
_PAIR = (le(_p_moment, 1), le(_q, 1), *_REGION[:2])
_PAIRS = {(1, 1): (-_p_moment * _q * _s, _s), (2, 1): (_p_moment * _q * (2 * _p_moment - 1) * _s**2, _s**2)}
_LEAST = (ge(_p, _least), le(_p, 1))
_REST = 1 / (_p**2 * _records**3)
_PRINTED = 1 / (_p * _records**2) + _noise / (_p**2 * _records**3)
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
            derived(
                Role.PUBLISHED,
                "the moments of one symbol",
                r"All five orders hold with numbers as constants, also of the corrected moment of order $6$. In the "
                r"formulas $v = p(1-p)$, $s = \frac1n$ and $\theta = \frac{Mb^2}{n^2}$.",
                *(
                    equal_as(
                        f"form_{order}",
                        r"With $v = p(1 - p)$, $g = 1 - 2p$, $s = \frac1n$, $\theta = \frac{Mb^2}{n^2}$ and $B = "
                        r"\frac{b^2}{n^2} \le \theta$:",
                        (partial(noisy_frequency, order), sp.expand(_form(order))),
                        rf"E[(\tilde p_i - p_i)^{order}] &= {tex(form)}",
                    )
                    for order, form in FORMS.items()
                ),
                *(
                    bounded(
                        f"order_{order}",
                        r"Here $0 \le v \le \frac14$, $|g| \le 1$, $0 \le s \le 1$ and $0 \le B \le \theta$:",
                        le(_size(order), BOUNDS[order]),
                        *_region(order),
                    )
                    for order in range(2, 6)
                ),
                *(
                    bounded(
                        f"sixth_{number}",
                        r"The coefficients of the moment of order $6$, one by one:",
                        le(coefficient, bound),
                        *_OF_SPREAD,
                    )
                    for number, (coefficient, bound) in enumerate(_PARTS, 1)
                ),
                bounded(
                    "order_6",
                    r"With these bounds in their places:",
                    le(_sixth_most(), BOUNDS[6]),
                    *_REGION,
                    *_OF_SQUARE,
                ),
                but=tuple(f"form_{order}" for order in FORMS),
            ),
            derived(
                Role.PUBLISHED,
                "the mixed moments",
                r"Both orders hold, with the constant $1$. In the formulas $p$ and $q$ are the probabilities of two "
                r"symbols.",
                *pairs(),
                but=("pair_1_1", "pair_2_1"),
            ),
            derived(
                Role.PUBLISHED,
                "the sums of Theorem 3.5",
                r"Symbol by symbol, with $m = p_{\min}$: the third moment over $p_i^2$ is at most $\frac{1}{mn^2}$ in "
                r"absolute value; for $W = Mb^2 \ge 1$ the term $\frac{1}{p_i^2n^3}$ of the fourth one is at most "
                r"$\frac{W}{m^2n^3}$. The other terms are the printed ones.",
                bounded(
                    "third_of_a_symbol",
                    r"The quotient is $\frac{2p^3 - 3p^2 + p}{p^2} = \frac{(1-p)(1-2p)}{p}$.",
                    le(sp.Abs((1 - _p) * (1 - 2 * _p)) * _least, _p),
                    *_LEAST,
                    lines=r"|(1-p)(1-2p)|\,m &\le p",
                ),
                bounded(
                    "fourth_of_a_symbol",
                    r"A term of the fourth moment over $p^3$.",
                    le(1 / _p**2, _noise / _least**2),
                    *_LEAST,
                    ge(_noise, 1),
                    lines=r"\frac{1}{p^2} &\le \frac{W}{m^2}",
                ),
            ),
            derived(
                Role.READING,
                "the third sum, with little noise",
                r"If $Mb^2 = W$ may be small, the term $\frac{d}{p_{\min}^2n^3}$ has none of the printed orders: no "
                r"$C$ is large enough where $p_{\min}n$ and $W$ are small, as the example $C = 1000$ shows.",
                counterexample(
                    "little_noise_in_the_sum",
                    r"For $p_{\min}n = 10^{-4}$ and $W = 10^{-4}$:",
                    le(_REST, _constant * _PRINTED),
                    {
                        _p: sp.Rational(1, 10**8),
                        _records: sp.Integer(10**4),
                        _noise: sp.Rational(1, 10**4),
                        _constant: 1000,
                    },
                ),
                holds=False,
            ),
            derived(
                Role.PUBLISHED,
                "the five terms of Theorem 3.6",
                r"A sum of $d$ terms and $d(d-1)$ pairs, each at most $K$, is at most $d^2K$. If $\theta \le \frac1n "
                r"= s$, orders $4$ and $6$ are at most $3s^2$ and $4s^3$, and with $s = x^2$ the mixed orders of $5$ "
                r"factors are at most $6x^5$. In the formulas $a$ and $e$ are a term and a pair.",
                bounded(
                    "pairs_and_terms",
                    r"Terms and pairs:",
                    le(_sum, _lengths**2 * _bound),
                    le(_alone, _bound),
                    le(_between, _bound),
                    ge(_lengths, 1),
                    lines=r"da + d(d-1)e &\le d^2K",
                ),
                bounded(
                    "order_four",
                    r"With $\theta \le s$:",
                    le(_FOUR, 3 * _inverse**2),
                    *_SMALL,
                    lines=r"s^2 + s\theta + \theta^2 &\le 3s^2",
                ),
                bounded(
                    "order_six",
                    r"And:",
                    le(_SIX, 4 * _inverse**3),
                    *_SMALL,
                    lines=r"s^3 + s^2\theta + s\theta^2 + \theta^3 &\le 4s^3",
                ),
                bounded(
                    "order_five",
                    r"With $s = x^2$ and $\theta = t^2$, $t \le x$:",
                    le(_mixed(), 6 * _root**5),
                    le(_square_root, _root),
                    lines=r"x^5 + x^4t + x^3t^2 + x^2t^3 + xt^4 + t^5 &\le 6x^5",
                ),
            ),
            derived(
                Role.COUNTEREXAMPLE,
                "the remainders of the mixed terms",
                r"Both products have terms of both signs. In the formula $X$ and $Y$ are the expectations of $\sum_i "
                r"(1 + \log p_i)(\tilde p_i - p_i)$ times the sum of the third powers over $((1-c)p_i + c\tilde "
                r"p_i)^2$ and over $(1-c)^2p_i^2$, and $X_5$ and $Y_5$ those of $\sum_i \frac{(\tilde p_i - "
                r"p_i)^2}{p_i}$ times the same sums: for two symbols with $p_1 = \frac14$ and $p_2 = \frac34$, $c = "
                r"\frac12$, and $\tilde p_1 - p_1$ equal to $-\frac18$ with probability $\frac13$ and to $\frac1{16}$ "
                r"otherwise.",
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
            ),
            Part(
                Role.AMENDED,
                "the mixed terms without remainders",
                r"The amended statement of bayesnet.entropy\_mse has one rest with a bound on its square, and no "
                r"products of signed sums: a product $ab$ has $2|ab| \le a^2 + b^2$. In the formula $x$ and $y$ are "
                r"$a$ and $b$.",
                (
                    bounded(
                        "two_squares",
                        r"The square of the difference of the absolute values is not negative.",
                        le(2 * sp.Abs(_one * _other), _one**2 + _other**2),
                        gt(_one**2 + _other**2, 0),
                        lines=r"2|xy| &\le x^2 + y^2",
                    ),
                ),
                formal=symbolic(le(2 * sp.Abs(_one * _other), _one**2 + _other**2)),
            ),
        ),
        uses=("bayesnet.noisy_count_moments", "bayesnet.entropy_mse"),
        remark=r"That the first term is $O(\frac{\sigma^2}{n}) + O(d\,\theta\log^2 p_{\min})$ follows from its value, "
        r"in bayesnet.entropy\_mse, and from inequality (ii) of bayesnet.sum\_bounds. Which of the conditions on the "
        r"five terms is the strongest is judged by bayesnet.entropy\_conditions.",
    )


def _mixed() -> sp.Expr:
    return sp.Add(*(_root ** (5 - k) * _square_root**k for k in range(6)))


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


def _region(order: int) -> tuple[sp.Basic, ...]:
    return (*_REGION, *_OF_SPREAD, *((ge(_skew, -1), le(_skew, 1)) if order % 2 else _OF_SQUARE))


def _size(order: int) -> sp.Expr:
    """The absolute value of an odd moment; an even one is not negative."""
    return sp.Abs(FORMS[order]) if order % 2 else FORMS[order]


def _form(order: int) -> sp.Expr:
    n, p = records, chance
    return FORMS[order].subs(
        {_v: p * (1 - p), _g: 1 - 2 * p, _s: 1 / n, _t: holders * scale**2 / n**2, _b: scale**2 / n**2}
    )


def _sixth_most() -> sp.Expr:
    """The moment of order 6 with the bounds in place of its coefficients."""
    third, fourth, fifth, square, cube, line = (bound for _, bound in _PARTS)
    both = _t * (_t + _b)
    return (
        third * _s**3
        + fourth * _s**4
        + fifth * _s**5
        + square * _s**2 * _t
        + cube * _s**3 * _t
        + line * _s * both
        + 120 * both * (_t + 2 * _b)
    )


def pairs() -> Steps:
    """The two mixed moments of two symbols."""
    steps: list[Step] = []
    for powers, (form, bound) in _PAIRS.items():
        name = "_".join(map(str, powers))
        exact = form.subs({_p_moment: chance, _q: other, _s: 1 / records})
        square = "^2" if powers[0] == 2 else ""
        shown = r"pq(2p - 1)s^2" if square else "-pqs"
        steps += [
            equal_as(
                f"pair_{name}",
                r"Two different symbols with the probabilities $p$ and $q$:",
                (
                    partial(noisy_pair, powers, centred=True),
                    sp.expand(exact),
                ),
                rf"E[(\tilde p_i - p_i){square}(\tilde p_j - p_j)] &= {shown}",
            ),
            bounded(
                f"order_of_pair_{name}",
                r"Probabilities are at most $1$.",
                le(sp.Abs(form), bound),
                *_PAIR,
                lines=rf"|{shown}| &\le s{square}",
            ),
        ]
    return tuple(steps)


CLAIMS = {"bayesnet.orders": orders}
