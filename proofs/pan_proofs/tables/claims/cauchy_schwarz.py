"""Lemma 3.4 of the thesis: the inequality of Cauchy and Schwarz for expectations, and its case of equality."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from pan_proofs.engines.relations import eq, le, ne
from pan_proofs.engines.vectors import sum_over_entries
from pan_proofs.foundations.linear_expectations import expectation
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, Steps, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.lengths_and_limits import over_entries
from pan_proofs.ledger.steps import bounded, counterexample

_x, _y, _first, _cross, _second, _factor, _of_square, _u, _v = sp.symbols("x y A B C c S u v", real=True)
_weight = sp.Symbol("lambda", positive=True)
_count = sp.Symbol("k", integer=True, nonnegative=True)
_mass = sp.Symbol("w", nonnegative=True)
Distribution = tuple[tuple[Fraction, Fraction, Fraction], ...]
"""Outcomes: a probability, and the values of the two variables."""
_roots = sp.symbols("a b", positive=True)
_seen = sp.symbols("A B C D")
"""The moments and the least distance of the degenerate distribution."""
_SQUARE = eq(_of_square, _u**2 * _first - 2 * _u * _v * _cross + _v**2 * _second)
_ENTRY = (_mass, _x, _y)
_TERMS = {_first: _mass * _x**2, _cross: _mass * _x * _y, _second: _mass * _y**2}
_PRODUCT = (_weight * _x**2 + _y**2 / _weight) / 2
_ANY_VALUES = tuple(le(sign * _x * _y, _PRODUCT) for sign in (1, -1))
"""The bound on a product of two values."""
_DEGENERATE: Distribution = ((Fraction(1), Fraction(1), Fraction(0)),)


def moments(distribution: Distribution) -> tuple[Fraction, Fraction, Fraction]:
    """The second moment of the first variable, the mixed one, and that of the second variable."""
    return (
        sum((p * x * x for p, x, _ in distribution), Fraction(0)),
        sum((p * x * y for p, x, y in distribution), Fraction(0)),
        sum((p * y * y for p, _, y in distribution), Fraction(0)),
    )


def distance(distribution: Distribution) -> sp.Rational:
    """The least ``E[(X - c Y)^2]`` over all numbers ``c``; it is 0 if and only if ``X = c Y`` for one of them."""
    first, cross, second = moments(distribution)
    least = first if second == 0 else first - cross * cross / second
    return sp.Rational(least.numerator, least.denominator)


def cauchy_schwarz() -> Claim:
    """The inequality is true; its case of equality forgets a second variable that vanishes."""
    return Claim(
        id="bayesnet.cauchy_schwarz",
        title="Cauchy and Schwarz for expectations",
        references=(Reference("networks", "Lemma 3.4, section 3.4.2"),),
        statement=r"For any two random variables $|E[XY]| \le \sqrt{E[X^2]\,E[Y^2]}$, with equality if and only if $X "
        r"= cY$ for some real $c$.",
        notation=(("$a$, $b$", "square roots of $A$ and $C$"),),
        silent=(
            "the second moments are finite",
            "equalities of random variables hold with probability one",
        ),
        parts=(
            Part(
                Role.PUBLISHED,
                "the inequality",
                r"$E[XY]^2 \le E[X^2]\,E[Y^2]$. On every probability space it follows from the bound on $xy$ for "
                r"single "
                r"values, since expectations keep inequalities: with $A = E[X^2]$, $B = E[XY]$ and $C = E[Y^2]$ the "
                r"first formulas are this bound, and what it says of $B$ at the weight $\lambda = b/a$, $A = a^2$ and "
                r"$C = "
                r"b^2$. The last one is "
                r"about finitely many outcomes.",
                (
                    *tuple(
                        bounded(
                            name,
                            text,
                            le(sign * _x * _y, _PRODUCT),
                            _weight > 0,
                            lines=(line,),
                        )
                        for name, text, sign, line in (
                            (
                                "product_above",
                                r"For every $\lambda > 0$ and all values of the two variables",
                                1,
                                r"xy &\le \tfrac12 \bigl(\lambda x^2 + \tfrac1\lambda y^2\bigr)",
                            ),
                            (
                                "product_below",
                                r"The same with the other sign:",
                                -1,
                                r"-xy &\le \tfrac12 \bigl(\lambda x^2 + \tfrac1\lambda y^2\bigr)",
                            ),
                        )
                    ),
                    *_scaled(),
                    equal_as(
                        "second_vanishes",
                        r"If $C = 0$, the bound tends to $0$ with $\lambda$, so that $E[XY] = 0$.",
                        (
                            lambda: sp.limit(_bound().subs(_second, 0), _weight, 0, "+"),
                            sp.S.Zero,
                        ),
                        r"\lim_{\lambda \to 0} \tfrac12 \lambda A &= 0",
                    ),
                    equal_as(
                        "first_vanishes",
                        r"If $A = 0$, it does as $\lambda$ grows.",
                        (
                            lambda: sp.limit(_bound().subs(_first, 0), _weight, sp.oo),
                            sp.S.Zero,
                        ),
                        r"\lim_{\lambda \to \infty} \tfrac1{2\lambda} C &= 0",
                    ),
                    over_entries(
                        "finitely_many_outcomes",
                        r"For finitely many outcomes with weights $w_i \ge 0$ there is a second proof, by induction "
                        r"over their number: $A = \sum w_i x_i^2$, $B = \sum w_i x_i y_i$, $C = \sum w_i y_i^2$.",
                        sp.Le(_cross**2, _first * _second),
                        _count,
                        _TERMS,
                        _ENTRY,
                        ((1, 1, 2), (3, 2, 4)),
                        r"B^2 &\le A C",
                        along=(sp.Ge(_first, 0), sp.Ge(_second, 0)),
                    ),
                ),
                formal=(
                    *symbolic(*_ANY_VALUES),
                    *symbolic(
                        le(_cross, _roots[0] * _roots[1]),
                        given=(
                            le(_cross, _PRODUCT.subs({_x: _roots[0], _y: _roots[1]})),
                            eq(_weight * _roots[0], _roots[1]),
                        ),
                    ),
                    *symbolic(
                        sp.Le(_cross**2, _first * _second),
                        where={one: sum_over_entries(term, _ENTRY, _count) for one, term in _TERMS.items()},
                    ),
                ),
            ),
            Part(
                Role.COUNTEREXAMPLE,
                "a second variable that vanishes",
                r"For $X = 1$ and $Y = 0$ both sides are $0$, and $X = cY$ for no $c$: the least $D$ of $E[(X - "
                r"cY)^2]$ over all $c$ is not $0$. In the formulas $A = E[X^2]$, $B = E[XY]$ and $C = E[Y^2]$.",
                (_degenerate(),),
                formal=symbolic(eq(_seen[1] ** 2, _seen[0] * _seen[2]), ne(_seen[3], 0)),
            ),
            Part(
                Role.AMENDED,
                "the case of equality",
                r"There is equality if and only if $X = cY$ for some real $c$, or $Y = 0$. In the formulas $S = \sum "
                r"w_i (u x_i - v y_i)^2$, which is $C (AC - B^2)$ for $u = C$ and $v = B$: if there is equality, no "
                r"outcome of positive weight has $C x \ne B y$, and for $C = 0$ none has $y \ne 0$.",
                (
                    *_equality(),
                    over_entries(
                        "squared_sum",
                        r"The sum of the squares, for any number of outcomes and any $u$ and $v$:",
                        _SQUARE,
                        _count,
                        {_of_square: _mass * (_u * _x - _v * _y) ** 2, **_TERMS},
                        _ENTRY,
                        ((1, 1, 2), (3, 2, 4)),
                        r"S &= u^2 A - 2 u v B + v^2 C",
                        at={_u: 1, _v: 2},
                    ),
                ),
                formal=_stated_equality(),
            ),
        ),
    )


def _scaled() -> Steps:
    a, b = _roots
    return (
        equal_as(
            "expected",
            r"Expectations are linear and keep inequalities: with $A = E[X^2]$, $C = E[Y^2]$ the bound becomes",
            (
                _bound,
                (_weight * _first + _second / _weight) / 2,
            ),
            r"|E[XY]| \le E\bigl[\tfrac12(\lambda X^2 + \tfrac1\lambda Y^2)\bigr] &= \tfrac12 \bigl(\lambda A + "
            r"\tfrac1\lambda C\bigr)",
        ),
        equal_as(
            "best_weight",
            r"If $A = a^2$ and $C = b^2$ are positive, put $\lambda = b/a$.",
            (
                lambda: _bound().subs({_first: a**2, _second: b**2, _weight: b / a}),
                a * b,
            ),
            r"\tfrac12 \bigl(\tfrac ba a^2 + \tfrac ab b^2\bigr) &= ab",
        ),
    )


def _bound() -> sp.Expr:
    return expectation(_PRODUCT, (_x, _y), {_x**2: _first, _y**2: _second})


def _degenerate() -> Step:
    def part(place: int) -> sp.Rational:
        value = moments(_DEGENERATE)[place]
        return sp.Rational(value.numerator, value.denominator)

    return counterexample(
        "degenerate",
        r"The least $E[(X - cY)^2]$ over all $c$ would be $0$. It is $1$, while the two sides are equal.",
        eq(_seen[3], 0),
        {_seen[3]: lambda: distance(_DEGENERATE), **{one: part(place) for place, one in enumerate(_seen[:3])}},
        (eq(_seen[1] ** 2, _seen[0] * _seen[2]),),
        lines=r"X = 1,\ Y = 0:\quad E[XY]^2 = E[X^2]\,E[Y^2] = 0,\ \min_c E[(X-cY)^2] &= 1",
    )


def _stated_equality() -> tuple[str, ...]:
    """The sum of squares, its value, what it being 0 means for each outcome, and the converse, formally."""
    sums = {one: sum_over_entries(term, _ENTRY, _count) for one, term in _TERMS.items()}
    sums[_of_square] = sum_over_entries(_mass * (_u * _x - _v * _y) ** 2, _ENTRY, _count)
    weight = sp.Symbol("w_0", positive=True)
    first, other, factor = sp.symbols("x_0 y_0 c", real=True)
    one, mixed, two = sp.symbols("A_0 B_0 C_0", real=True)
    vanishes = le(weight * (two * first - mixed * other) ** 2, 0)
    value = two**2 * one - 2 * two * mixed * mixed + mixed**2 * two
    product = eq(mixed**2, one * two)
    multiple = (eq(one - factor**2 * two, 0), eq(mixed - factor * two, 0))
    return (
        *symbolic(_SQUARE, where=sums),
        *symbolic(eq(value, two * (one * two - mixed**2))),
        *symbolic(eq(first, mixed / two * other), given=(vanishes, sp.Gt(two, 0))),
        *symbolic(eq(other, 0), given=(le(weight * other**2, 0),)),
        *symbolic(product, given=multiple),
        *symbolic(product, given=(sp.Le(two, 0), sp.Ge(two, 0), sp.Le(mixed, 0), sp.Ge(mixed, 0))),
    )


def _equality() -> Steps:
    known = {_x**2: _first, _x * _y: _cross, _y**2: _second}
    of_multiple = {_y**2: _second}
    return (
        equal_as(
            "square",
            r"This holds by linearity. If $C > 0$ and $B^2 = AC$, a square has expectation $0$. Then it is $0$ "
            r"with probability one, and $X = \frac BC Y$. If $C = 0$, then $Y = 0$ for the same reason.",
            (
                lambda: expectation((_second * _x - _cross * _y) ** 2, (_x, _y), known),
                _second * (_first * _second - _cross**2),
            ),
            r"E\bigl[(CX - BY)^2\bigr] &= C (AC - B^2)",
        ),
        equal_as(
            "multiple",
            r"Conversely for $X = cY$, whatever $c$ is; for $Y = 0$ both sides are $0$.",
            (
                lambda: expectation(_factor * _y**2, (_y,), of_multiple) ** 2,
                lambda: expectation(_factor**2 * _y**2, (_y,), of_multiple) * expectation(_y**2, (_y,), of_multiple),
            ),
            r"E[cY \cdot Y]^2 &= E[c^2 Y^2]\, E[Y^2]",
        ),
    )


CLAIMS = {"bayesnet.cauchy_schwarz": cauchy_schwarz}
