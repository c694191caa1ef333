"""The displays and remainders inside the proofs of Theorems 3.5 and 3.6 of the thesis."""

from __future__ import annotations

import sympy as sp

from pan_proofs.engines.limits import derivative_is
from pan_proofs.engines.relations import eq, ge, gt, le, lt
from pan_proofs.engines.vectors import Induction
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, Steps, derived, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.lengths_and_limits import for_every_length
from pan_proofs.ledger.notation import scale
from pan_proofs.ledger.steps import bounded, counterexample, lemma
from pan_proofs.tables.lemmas.moments import chance, holders, noisy_frequency, records

_size = sp.Symbol("d", integer=True, nonnegative=True)
_x = sp.Symbol("x", positive=True)
_noisy, _first, _second, _third = sp.symbols("q S_1 S_2 S_3", real=True)
_a, _t = sp.symbols("a t", nonnegative=True)
_exact_square, _bound_square = sp.symbols("X Y")
_p, _place = sp.Symbol("p", positive=True), sp.Symbol("c", nonnegative=True)
_INVERSES = {
    sp.Symbol("S", real=True): chance,
    sp.Symbol("R", real=True): 1 / chance,
    sp.Symbol("R_2", real=True): 1 / chance**2,
    sp.Symbol("R_3", real=True): 1 / chance**3,
}
_S, _R, _R2, _R3 = _INVERSES


def _induction(name: str, term: sp.Expr, stated: sp.Expr) -> Induction:
    total = sp.Symbol("T", real=True)
    used = {one: part for one, part in _INVERSES.items() if stated.has(one)}
    return Induction(
        f"remainders.{name}",
        eq(total, stated),
        _size,
        (chance,),
        {total: total + sp.expand(term), **{one: one + part for one, part in used.items()}},
        ((sp.Rational(1, 3),), (sp.Rational(2, 3),)),
        {records: 2, holders: 3, scale: 1},
    )


def _sums() -> dict[str, Induction]:
    n, noise = records, holders * scale**2
    fourth = holders * (holders + 1) * scale**4
    return {
        "second": _induction("second", noisy_frequency(2) / chance, (_size - _S) / n + 2 * noise * _R / n**2),
        "third": _induction("third", noisy_frequency(3) / chance**2, (2 * _S - 3 * _size + _R) / n**2),
        "fourth": _induction(
            "fourth",
            noisy_frequency(4) / chance**3,
            (3 * _S - 6 * _size + 3 * _R) / n**2
            + (-6 * _S + 12 * _size - 7 * _R + _R2) / n**3
            + 12 * noise * (_R2 - _R) / n**3
            + 12 * fourth * _R3 / n**4,
        ),
    }


def remainders() -> Claim:
    """The displays of sums and squares are right; two bounds on remainders are false."""
    return Claim(
        id="bayesnet.remainders",
        title="Displays and remainders inside the proofs",
        references=(Reference("networks", "proofs of Theorems 3.5 and 3.6, section 3.4.2"),),
        statement=r"The Taylor expansions with the remainders $-\frac{1}{12} \sum_i \frac{(\tilde p_i - "
        r"p_i)^4}{((1-c)p_i + c\tilde p_i)^3}$ and $\frac16 \sum_i \frac{(\tilde p_i - p_i)^3}{((1-c)p_i + c\tilde "
        r"p_i)^2}$; the sums of the moments over the symbols; the expansion of the square; the orders of the products "
        r"of moments; and the bounds of the remainders, in which $(1-c)p_i + c\tilde p_i$ is replaced by $(1-c)p_i$.",
        hypotheses=(r"$c \in [0, 1]$",),
        silent=(r"$\tilde p_i > 0$ in the expansions", r"$c$ is another number for each symbol and each outcome"),
        parts=(
            derived(
                Role.PUBLISHED,
                "the coefficients of the expansions",
                r"The derivatives of $-x\log x$ give the printed factors $-(1 + \log p)$, $-\frac12$, $\frac16$ and "
                r"$-\frac{1}{12}$, with $\frac{1}{24} \cdot 2 = \frac{1}{12}$.",
                *tuple(
                    lemma(
                        f"derivative_{number}",
                        r"A derivative:" if number > 1 else r"The first derivative of $-x\log x$:",
                        derivative_is(f"remainders.derivative_{number}", before, _x, after),
                        rf"\frac{{d}}{{dx}} \Bigl({sp.latex(before)}\Bigr) &= {sp.latex(after)}",
                    )
                    for number, (before, after) in enumerate(_CHAIN, 1)
                ),
            ),
            derived(
                Role.PUBLISHED,
                "the sums of the moments",
                r"The three displays of Theorem 3.5, for every number of symbols. In the formulas $T$ is the sum of "
                r"the moments, $S$, $R$, $R_2$ and $R_3$ are the sums of $p_i$, $\frac1{p_i}$, $\frac1{p_i^2}$ and "
                r"$\frac1{p_i^3}$, and $S = 1$.",
                *_summed(),
            ),
            Part(
                Role.PUBLISHED,
                "the square and its six terms",
                r"With $S_1$, $S_2$ and $S_3$ for the three sums the square of the error is as printed.",
                (
                    equal_as(
                        "square",
                        r"The error is $-S_1 - \frac12 S_2 + \frac16 S_3$.",
                        (
                            lambda: sp.expand(_error_square()),
                            _six(),
                        ),
                        r"\bigl(-S_1 - \tfrac12 S_2 + \tfrac16 S_3\bigr)^2 &= S_1^2 + \tfrac14 S_2^2 + \tfrac{1}{36} "
                        r"S_3^2 + S_1S_2 - \tfrac13 S_1S_3 - \tfrac16 S_2S_3",
                    ),
                ),
                formal=symbolic(eq(_error_square(), _six())),
            ),
            derived(
                Role.PUBLISHED,
                "the orders of products of moments",
                r"The square roots of the products of orders are of the printed orders. In the formulas $a = "
                r"n^{-1/2}$ and $t = \theta^{1/2}$: a moment of order $2$ is $O(a^2 + t^2)$, of order $4$ $O(a^4 + "
                r"a^2t^2 + t^4)$, and of order $6$ $O(a^6 + a^4t^2 + a^2t^4 + t^6)$.",
                *_products(),
            ),
            derived(
                Role.COUNTEREXAMPLE,
                "the remainder of Theorem 3.5",
                r"If a noisy frequency is negative, $(1-c)p + c\tilde p$ can be less than $(1-c)p$. In the formula $q "
                r"= \tilde p$.",
                counterexample(
                    "negative_frequency",
                    r"For $\tilde p = -\frac p2$ and $c = \frac12$:",
                    le(1 / ((1 - _place) * _p + _place * _noisy) ** 3, 1 / ((1 - _place) * _p) ** 3),
                    {_p: sp.Rational(1, 2), _place: sp.Rational(1, 2), _noisy: sp.Rational(-1, 4)},
                ),
            ),
            derived(
                Role.COUNTEREXAMPLE,
                "the remainder of Theorem 3.6",
                r"Terms of both signs do not keep a bound that each of them has. In the formula $X$ is the squared "
                r"sum with $(1-c)p_i + c\tilde p_i$, and $Y$ that with $(1-c)p_i$, for two symbols with $p_i = "
                r"\frac12$, $\tilde p_i = \frac12 \pm \frac14$ and $c = \frac12$.",
                _signs(),
            ),
            derived(
                Role.AMENDED,
                "remainders without c",
                r"For $\tilde p \ge 0$ and $c < 1$ the first bound holds for a single symbol. Bounds without $c$, for "
                r"all values of the noise, are those of bayesnet.entropy\_bias and bayesnet.entropy\_mse: $p(\frac13 "
                r"+ |\log p|)u^4$ and $p(1 + |\log p|)u^2$. In the formula $q = \tilde p$.",
                bounded(
                    "not_negative",
                    r"Then the denominator of the remainder is not less.",
                    le((1 - _place) * _p, (1 - _place) * _p + _place * _noisy),
                    ge(_noisy, 0),
                    lt(_place, 1),
                    ge(_place, 0),
                    gt(_p, 0),
                    lines=r"(1 - c)\,p &\le (1 - c)\,p + c\,\tilde p",
                ),
            ),
        ),
        uses=("bayesnet.noisy_count_moments", "bayesnet.entropy_bias", "bayesnet.entropy_mse"),
        remark=r"For $c = 1$ the bounds of the remainders are infinite. One display of Theorem 3.6 writes $\theta$ "
        r"for $c$. Its first term is $\frac{\sigma^2}{n}$ with the negative sign of $E[(\tilde p_i - p_i)(\tilde p_j "
        r"- p_j)]$, which is printed as positive before. The sensitivity in the proof of Theorem 3.4 is judged by "
        r"bayesnet.sufficient\_statistics\_privacy, and the comparisons of terms by bayesnet.entropy\_conditions.",
    )


_CHAIN = (
    (-_x * sp.log(_x), -1 - sp.log(_x)),
    (-1 - sp.log(_x), -1 / _x),
    (-1 / _x, _x**-2),
    (_x**-2, -2 * _x**-3),
)
_TWO = _a**2 + _t**2
_FOUR = _a**4 + _a**2 * _t**2 + _t**4
_SIX = _a**6 + _a**4 * _t**2 + _a**2 * _t**4 + _t**6
_SUM_4 = sp.Add(*(_a ** (4 - k) * _t**k for k in range(5)))
_SUM_5 = sp.Add(*(_a ** (5 - k) * _t**k for k in range(6)))


def _summed() -> Steps:
    lines = {
        "second": r"\sum_i \frac{E[(\tilde p_i - p_i)^2]}{p_i} &= \frac{d - S}{n} + \frac{2Mb^2R}{n^2}",
        "third": r"\sum_i \frac{E[(\tilde p_i - p_i)^3]}{p_i^2} &= \frac{2S - 3d + R}{n^2}",
        "fourth": r"\sum_i \frac{E[(\tilde p_i - p_i)^4]}{p_i^3} &= \frac{3S - 6d + 3R}{n^2} + \frac{-6S + 12d - 7R + "
        r"R_2 + 12Mb^2(R_2 - R)}{n^3} + \frac{12(M^2 + M)b^4R_3}{n^4}",
    }
    return tuple(
        for_every_length(f"sum_of_{name}", r"By induction over the symbols:", one, (lines[name],))
        for name, one in _sums().items()
    )


def _error_square() -> sp.Expr:
    return (-_first - _second / 2 + _third / 6) ** 2


def _six() -> sp.Expr:
    return _first**2 + _second**2 / 4 + _third**2 / 36 + _first * _second - _first * _third / 3 - _second * _third / 6


def _products() -> Steps:
    inside = (ge(_a, 0), ge(_t, 0))
    return (
        bounded(
            "orders_1_3",
            r"Orders $2$ and $6$, for $E[(\tilde p_i - p_i)(\tilde p_j - p_j)^3]$:",
            le(_TWO * _SIX, _SUM_4**2),
            *inside,
            lines=r"(a^2 + t^2)(a^6 + a^4t^2 + a^2t^4 + t^6) &\le (a^4 + a^3t + a^2t^2 + at^3 + t^4)^2",
        ),
        bounded(
            "orders_2_3",
            r"Orders $4$ and $6$, for $E[(\tilde p_i - p_i)^2(\tilde p_j - p_j)^3]$:",
            le(_FOUR * _SIX, _SUM_5**2),
            *inside,
            lines=r"(a^4 + a^2t^2 + t^4)(a^6 + a^4t^2 + a^2t^4 + t^6) &\le "
            r"(a^5 + a^4t + a^3t^2 + a^2t^3 + at^4 + t^5)^2",
        ),
    )


def _signs() -> Step:
    half, moves = sp.Rational(1, 2), (sp.Rational(1, 4), sp.Rational(-1, 4))

    def exactly() -> sp.Rational:
        return sum(move**3 / (half * half + half * (half + move)) ** 2 for move in moves) ** 2

    def bounded() -> sp.Rational:
        return sum(move**3 / (half * half) ** 2 for move in moves) ** 2

    return counterexample(
        "signs",
        r"The terms of the bound cancel:",
        le(_exact_square, _bound_square),
        {_exact_square: exactly, _bound_square: bounded},
    )


CLAIMS = {"bayesnet.remainders": remainders}
