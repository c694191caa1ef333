"""The bias of the entropy of frequencies: its terms, and a bound on the rest for every number of records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import comb
from typing import Any

import sympy as sp

from pan_proofs.engines.balls import enclosure
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import eq, le
from pan_proofs.engines.vectors import Induction
from pan_proofs.ledger.claim import Step, Steps, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.lengths_and_limits import for_every_length
from pan_proofs.ledger.steps import at_most, enumerated, equal
from pan_proofs.tables.lemmas.count_moments import chance, proved, records, relative
from pan_proofs.tables.lemmas.expansion import deviation, expansion

share = sp.Symbol("s", positive=True)
"""``1/n``."""
_product = sp.Symbol("v", nonnegative=True)
"""``p (1 - p)``."""
_DISTRIBUTIONS = ((Fraction(1, 3), Fraction(2, 3)), (Fraction(1, 5), Fraction(2, 5), Fraction(2, 5)))
_MOST = 6


def leading(size: sp.Expr = chance) -> sp.Expr:
    """The terms of one symbol's share in the bias: of orders one and two in ``1/n``, without the sign."""
    return (1 - size) / (2 * records) + (1 / size - size) / (12 * records**2)


def expected() -> sp.Expr:
    """``p E[...]`` of the expansion up to the fifth order, without the first, whose sum over the symbols is 0."""
    terms = sp.Poly(expansion(5) - deviation, deviation).terms()
    return sp.expand(chance * sp.Add(*(factor * relative((power,)) for (power,), factor in terms)))


def rest() -> sp.Expr:
    """The part of it that is left, times ``n^3 p^4``, in ``s = 1/n``."""
    return _scaled(expected() - leading())


def sixth() -> sp.Expr:
    """A fifth of ``p E[u^6]``, times ``n^3 p^4``."""
    return _scaled(chance * relative((6,)) / 5)


def _scaled(expression: sp.Expr) -> sp.Expr:
    return sp.expand(sp.expand(expression * records**3 * chance**4).subs(records, 1 / share))


def one_symbol() -> Steps:
    """The share of one symbol."""
    ratio = sp.Symbol("f", positive=True)
    return (
        equal(
            "frequency",
            r"Let a frequency be $f = p(1+u)$. The term $u \log p$ has expectation $0$.",
            "",
            lambda: (-ratio * sp.log(ratio)).subs(ratio, chance * sp.Symbol("w", positive=True)),
            -chance * sp.Symbol("w", positive=True) * (sp.log(chance) + sp.log(sp.Symbol("w", positive=True))),
        ),
        *(proved((order,)) for order in range(2, 7)),
        equal_as(
            "one_symbol",
            r"These moments give the terms of one symbol, from the second order to the fifth.",
            (
                lambda: sp.limit((expected() - leading()) * records**2, records, sp.oo),
                sp.S.Zero,
            ),
            r"p\,E\bigl[\tfrac{u^2}2 - \tfrac{u^3}6 + \tfrac{u^4}{12} - \tfrac{u^5}{20}\bigr] &= \frac{1-p}{2n} + "
            r"\frac{\frac1p - p}{12n^2} + \frac{R(p, n)}{n^3p^4}",
        ),
    )


def bounded() -> Steps:
    """Bounds on the rest of one symbol, for every number of records."""
    region = (chance <= 1, share <= 1)
    fifth = sp.Rational(1, 5)
    in_product = _bracket()
    return (
        *(
            at_most(
                f"rest_{name}",
                rf"The rest $R(p, n)$ is a polynomial in $p$ and $s = \frac1n$. A bound from {name}:",
                Inequality(
                    f"entropy_bias.rest_{name}",
                    sign * rest(),
                    fifth,
                    region,
                    gap=sp.Rational(9, 10),
                    weaker=sp.Rational(1, 100),
                ),
                lines=rf"{'' if sign > 0 else '-'}R(p, n) &\le \tfrac15",
            )
            for name, sign in (("above", 1), ("below", -1))
        ),
        equal_as(
            "sixth_moment",
            r"The bound on the remainder, with $v = p(1-p)$.",
            (
                sixth,
                (1 - chance) / 5 * in_product.subs(_product, chance * (1 - chance)),
            ),
            r"\tfrac15 p\,E[u^6] &= \frac{1-p}{5n^3p^4} \bigl(15v^2 + 5sv(5-26v) + s^2(1 - 30v + 120v^2)\bigr)",
        ),
        at_most(
            "sixth_bounded",
            r"The bracket is at most $1$, so that $p\,E[r(u)]$ lies between $0$ and $\frac{1}{5n^3p^4}$.",
            Inequality(
                "entropy_bias.sixth_bounded",
                in_product,
                sp.S.One,
                (_product <= sp.Rational(1, 4), share <= 1),
                touching={_product: 0, share: 1},
            ),
            lines=r"15v^2 + 5sv(5-26v) + s^2(1 - 30v + 120v^2) &\le 1",
        ),
    )


def _bracket() -> sp.Expr:
    return (15 * _product**2 + 5 * share * _product * (5 - 26 * _product)) + share**2 * (
        1 - 30 * _product + 120 * _product**2
    )


def stated_bias() -> tuple[str, ...]:
    """The rest of one symbol, the bound on its remainder, the terms of all symbols, and all rests, formally."""
    fifth, within_range = sp.Rational(1, 5), (chance <= 1, share <= 1)
    leading_sum, rests = _leading_sum(), _rests()
    return (
        *symbolic(le(rest(), fifth), le(-rest(), fifth), given=within_range),
        *symbolic(
            le(_bracket(), 1),
            given=(_product <= sp.Rational(1, 4), share <= 1),
        ),
        *(
            text
            for one in (leading_sum, rests)
            for text in symbolic(
                one.relation, given=one.conditions, where={part.lhs: part.rhs for part in one.sums() or ()}
            )
        ),
    )


def _summed(mass: sp.Expr, inverse: sp.Expr, count: sp.Expr) -> sp.Expr:
    return -(count - mass) / (2 * records) - (inverse - mass) / (12 * records**2)


def _leading_sum() -> Induction:
    total, mass, inverse = sp.symbols("T M R", real=True)
    count = sp.Symbol("d", nonnegative=True, integer=True)
    return Induction(
        "entropy_bias.leading_sum",
        eq(total, _summed(mass, inverse, count)),
        count,
        (chance,),
        {total: total - leading(), mass: mass + chance, inverse: inverse + 1 / chance},
        ((sp.Rational(1, 3),), (sp.Rational(2, 3),)),
        {sp.Symbol("n", positive=True, integer=True): sp.Integer(2)},
    )


def _rests() -> Induction:
    total, bound = sp.symbols("E B", real=True)
    one, most = sp.symbols("e y", real=True)
    return Induction(
        "entropy_bias.errors_add_up",
        le(sp.Abs(total), bound),
        sp.Symbol("k", nonnegative=True, integer=True),
        (one, most),
        {total: total + one, bound: bound + most},
        ((-1, 1), (-2, 2)),
        conditions=(le(sp.Abs(one), most),),
    )


def all_symbols() -> Steps:
    """Sums over all symbols."""
    inverse, size = sp.Symbol("R", real=True), sp.Symbol("d", positive=True, integer=True)
    return (
        for_every_length(
            "leading_sum",
            r"The terms of all symbols add up, with $M = \sum p_i$ and $R = \sum \frac1{p_i}$, for every number of "
            r"symbols.",
            _leading_sum(),
            lines=r"-\sum_{i=1}^d \Bigl(\frac{1-p_i}{2n} + \frac{\frac1{p_i} - p_i}{12n^2}\Bigr) &= -\frac{d - M}{2n} "
            r"- \frac{R - M}{12n^2}",
        ),
        equal_as(
            "leading_terms",
            r"For a distribution $M = 1$: the printed terms.",
            (
                lambda: _summed(sp.S.One, inverse, size),
                -(size - 1) / (2 * records) + (1 - inverse) / (12 * records**2),
            ),
            r"-\frac{d - 1}{2n} - \frac{R - 1}{12n^2} &= -\frac{d-1}{2n} + \frac{1 - \sum_i \frac1{p_i}}{12n^2}",
        ),
        _errors_add_up(),
    )


def _errors_add_up() -> Step:
    return for_every_length(
        "errors_add_up",
        r"The rests of all symbols, each between $\pm y_i$ with $y_i = \frac{2}{5n^3p_i^4}$: their sum lies between "
        r"$\pm \sum_i y_i$.",
        _rests(),
        lines=r"\Bigl|\sum_i e_i\Bigr| &\le \frac{2}{5n^3} \sum_i \frac{1}{p_i^4}",
    )


def tested() -> Step:
    """The bound for small samples, in balls."""
    return enumerated(
        "bias_tested",
        r"This is tested for two small alphabets and up to six records, in balls, against the sum over all samples.",
        "the bias of the entropy of frequencies, over all samples, is within the bound of the two terms",
        ((distribution, size) for distribution in _DISTRIBUTIONS for size in range(1, _MOST + 1)),
        lambda case: within(*case, Fraction(2, 5)),
        mutant=lambda case: within(*case, Fraction(1, 10_000)),
        engine="flint",
    )


def within(distribution: Sequence[Fraction], size: int, factor: Fraction) -> bool:
    """Whether the bias is within ``factor / n^3 sum p^-4`` of the two terms."""
    bias = sum(
        (_expected_term(chance, size) + _exact(chance) * _log(chance) for chance in distribution), enclosure(sp.S.Zero)
    )
    terms = Fraction(1 - len(distribution), 2 * size) + Fraction(1 - sum(1 / one for one in distribution), 12 * size**2)
    bound = factor / size**3 * sum(1 / one**4 for one in distribution)
    return bool(abs(bias - _exact(terms)) <= _exact(bound))


def _expected_term(chance: Fraction, size: int) -> Any:
    """The expectation of ``-f log f`` of the frequency of a symbol, over all its counts."""
    return sum(
        (
            -_exact(weight * Fraction(count, size)) * _log(Fraction(count, size))
            for count, weight in _counts(chance, size)
            if count
        ),
        enclosure(sp.S.Zero),
    )


def _counts(chance: Fraction, size: int) -> Iterator[tuple[int, Fraction]]:
    for count in range(size + 1):
        yield count, comb(size, count) * chance**count * (1 - chance) ** (size - count)


def _exact(number: Fraction) -> Any:
    return enclosure(sp.Rational(number.numerator, number.denominator))


def _log(number: Fraction) -> Any:
    return enclosure(sp.log(sp.Rational(number.numerator, number.denominator)))
