"""Lemma 3.6 of the thesis: bias and mean squared error of the entropy of frequencies."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from math import comb

import sympy as sp

from pan_proofs.engines.balls import enclosure
from pan_proofs.engines.relations import eq, le, lt, replaced
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Steps, derived, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.lengths_and_limits import over_entries
from pan_proofs.ledger.steps import bounded, counterexample, enumerated, equal
from pan_proofs.tables.lemmas.expansion import deviation, expansion, remainder, remainder_steps
from pan_proofs.tables.lemmas.information import entropy_of, exact
from pan_proofs.tables.lemmas.moments import chance, other, proved, records, relative
from pan_proofs.tables.lemmas.symbol_sums import (
    alphabet,
    log_chance,
    log_other,
    over_pairs,
    over_symbols,
    pairs_of_symbols,
    spread,
)

share, _p = sp.symbols("s p", positive=True)
_product, _found = sp.symbols("v h", nonnegative=True)
_second_order, _first_order = sp.symbols("c_2 c_1", real=True)
_in_bits_error, _multiplied, _square, _entropy = sp.symbols("B G S H")
_DISTRIBUTIONS = ((Fraction(1, 3), Fraction(2, 3)), (Fraction(1, 5), Fraction(2, 5), Fraction(2, 5)))
_MOST = 6
_FACTORS = {1: -log_chance, 2: -sp.Rational(1, 2), 3: sp.Rational(1, 6), 4: -sp.Rational(1, 12)}
"""The factors of ``p u^k`` in the expansion of the error of one symbol; the first one is with the logarithm."""
_EXACT = ((1, 1), (1, 2), (2, 2), (1, 3), (2, 3), (1, 4))
"""The products of powers of two deviations whose expectations are taken exactly."""
_UNIFORM = (sp.Rational(1, 2), sp.Rational(1, 2))

Distribution = tuple[sp.Rational, ...]


def entropy(distribution: Distribution, base: sp.Expr = sp.E) -> sp.Expr:
    """The entropy of a distribution."""
    return -sp.Add(*(one * sp.log(one) for one in distribution)) / sp.log(base)


def mean_square(distribution: Distribution, base: sp.Expr = sp.E) -> sp.Expr:
    """The mean squared logarithm of the probability of a random symbol."""
    return sp.Add(*(one * sp.log(one) ** 2 for one in distribution)) / sp.log(base) ** 2


_PAIR = (_p, 1 - _p)
_OF_TWO = (lt(_p, 1),)
_NAMED = {_square: mean_square(_PAIR), _entropy: entropy(_PAIR)}
_SHORT = tuple(
    eq(_square - _entropy**2, _square / sp.log(2) ** 2 - (_entropy / base) ** 2) for base in (sp.S.One, sp.log(2))
)
"""The true coefficient of order 1/n against the printed one, for two symbols, with H in nats and in bits.

The names are the mean square of the logarithm and the entropy, in nats; the printed coefficient has the one in bits.
"""


def empirical_entropy() -> Claim:
    """The bias is right; the mean squared error has a logarithm to the wrong base."""
    return Claim(
        id="bayesnet.empirical_entropy",
        title="Bias and error of the empirical entropy",
        references=(Reference("networks", "Lemma 3.6, section 3.4.2", "cited there from two papers; derived here"),),
        statement=r"For $n$ independent records over $d$ symbols, without the factor $\log_2 e$: $E[\hat H - H] = "
        r"-\frac{d-1}{2n} + \frac{1 - \sum_i 1/p_i}{12n^2} + O(n^{-3})$ and $E[(\hat H - H)^2] = "
        r"\frac{\sum_i p_i \log_2^2 p_i - H^2}{n} + \frac{d^2-1}{4n^2} + O(n^{-3})$. Multiplied by $\log_2 e$, "
        r"everything is in bits.",
        notation=(
            ("$w$", "$1 + u$"),
            ("$e_i$", "rest of one symbol"),
            ("$V$, $G$", r"true and printed coefficient of $\frac1n$"),
            ("$a_i$, $b_i$", "terms of the symbol $i$ in two sums"),
            ("$x$, $y$", "absolute deviations of two frequencies"),
            (r"$\sigma^2$", r"variance of $\log p_i$"),
        ),
        hypotheses=(r"the records are independent, with distribution $p$",),
        silent=(
            r"all $d$ symbols have positive probability",
            r"$p$ is fixed as $n$ grows: the constant in $O(n^{-3})$ depends on $p$",
            r"$0 \log 0 = 0$",
        ),
        parts=(
            derived(
                Role.PUBLISHED,
                "the bias",
                r"In nats the bias is as printed, and for every $n \ge 1$ the rest is at most $\frac{2}{5n^3} \sum_i "
                r"\frac1{p_i^4}$ in absolute value. In the formulas $s = \frac1n$ and $v = p(1-p)$; $T$ is the sum of "
                r"the terms of all symbols, $E$ that of their rests, and $M$ and $R$ are those of $p_i$ and "
                r"$\frac1{p_i}$.",
                *remainder_steps(5),
                equal_as(
                    "remainder_at_the_end",
                    r"A frequency of $0$ is $u = -1$, with $0 \log 0 = 0$. That is the limit, where the bound is "
                    r"attained.",
                    (lambda: sp.limit(remainder(5), deviation, -1, "+"), sp.Rational(1, 5)),
                    r"r(-1) = \lim_{u \to -1} r(u) &= \tfrac15",
                ),
                *one_symbol(),
                *bounds(),
                *all_symbols(),
                enumerated(
                    "bias_tested",
                    r"This is tested for two small alphabets and up to six records, in balls, against the sum over "
                    r"all samples.",
                    "the bias of the entropy of frequencies, over all samples, is within the bound of the two terms",
                    ((distribution, size) for distribution in _DISTRIBUTIONS for size in range(1, _MOST + 1)),
                    lambda case: within(*case, Fraction(2, 5)),
                    mutant=lambda case: within(*case, Fraction(1, 10_000)),
                    engine="flint",
                ),
                only=("rest_above", "rest_below", "sixth_bounded", "leading_sum", "errors_add_up"),
            ),
            Part(
                Role.COUNTEREXAMPLE,
                "the base of the logarithm in the error",
                r"In nats the term of order $\frac1n$ is not as printed, whether $H$ is in nats or in bits. In the "
                r"formulas $H$ is the entropy of two symbols in nats, and $S$ the mean square of the logarithm.",
                tuple(
                    counterexample(
                        f"two_symbols_in_{unit}",
                        rf"For two symbols with the probabilities $p$ and $1 - p$ and $H$ in {unit} both coefficients "
                        r"are formulas in $p$. They differ at $p = \frac14$:",
                        replaced(one, dict(_NAMED)),
                        {_p: sp.Rational(1, 4)},
                        _OF_TWO,
                    )
                    for unit, one in zip(("nats", "bits"), _SHORT, strict=True)
                ),
                formal=symbolic(*_SHORT, given=_OF_TWO, where=_NAMED, refuted=True),
            ),
            Part(
                Role.AMENDED,
                "the mean squared error",
                r"In nats $E[(\hat H - H)^2] = \frac{\sum_i p_i \log^2 p_i - H^2}{n} + \frac{d^2-1}{4n^2} + "
                r"O(n^{-3})$ with natural logarithms. In the formulas $c_1$ and $c_2$ are the coefficients of "
                r"$\frac1n$ and $\frac1{n^2}$, and $\sigma^2$ is the variance of $\log p_i$.",
                (
                    *remainder_steps(4),
                    pairs_of_symbols(),
                    *(proved(powers) for powers in _EXACT),
                    equal_as(
                        "order_one",
                        r"The squared sum over the symbols of $-p_i\bigl(u_i \log p_i + \frac{u_i^2}2 - \frac{u_i^3}6 "
                        r"+ \frac{u_i^4}{12}\bigr)$, with $\sum p_i = 1$ and $\sum p_i u_i = 0$: all products of "
                        r"order five at most give, at order $\frac1n$,",
                        (
                            lambda: coefficient(1),
                            spread**2,
                        ),
                        r"\lim_{n \to \infty} n\,E[(\hat H - H)^2] &= \sigma^2 = \sum_i p_i \log^2 p_i - H^2",
                    ),
                    equal_as(
                        "order_two",
                        r"At order $\frac1{n^2}$ they give",
                        (lambda: coefficient(2), (alphabet**2 - 1) / 4),
                        r"\lim_{n \to \infty} n^2 \bigl(E[(\hat H - H)^2] - \tfrac{\sigma^2}n\bigr) &= \frac{d^2-1}{4}",
                    ),
                    equal_as(
                        "no_lower_order",
                        r"There is no other order below three among them.",
                        (
                            lambda: sp.limit(
                                records**2 * (exact_part() - coefficient(1) / records - coefficient(2) / records**2),
                                records,
                                sp.oo,
                            ),
                            sp.S.Zero,
                        ),
                        r"\lim_{n \to \infty} n^2 \Bigl(\text{exact part} - \frac{\sigma^2}n - "
                        r"\frac{d^2-1}{4n^2}\Bigr) &= 0",
                    ),
                    *small_products(),
                ),
                formal=symbolic(
                    eq(_first_order, spread**2),
                    eq(_second_order, (alphabet**2 - 1) / 4),
                ),
            ),
            derived(
                Role.COUNTEREXAMPLE,
                "the factor from nats to bits",
                r"The text says that everything is multiplied by $\log_2 e$ in the end. For the error this is the "
                r"wrong factor. In the formula $B$ is the error in bits of one record of a fair bit, and $G$ is "
                r"$\log_2 e$ times the error in nats.",
                counterexample(
                    "one_factor",
                    r"The entropy of the frequencies is $0$ for both outcomes, so that the error is $\log^2 2$ in "
                    r"nats and $1$ in bits:",
                    eq(_in_bits_error, _multiplied),
                    {
                        _in_bits_error: lambda: _one_record(sp.Integer(2)),
                        _multiplied: lambda: _one_record(sp.E) / sp.log(2),
                    },
                ),
            ),
            derived(
                Role.AMENDED,
                "the factors from nats to bits",
                r"The bias has the factor $\log_2 e$, and the squared error has $\log_2^2 e$. In the formula $h$ is an "
                r"entropy of frequencies in nats, and the other one is that of two symbols with the probabilities $p$ "
                r"and $1 - p$.",
                equal(
                    "two_factors",
                    r"Both entropies have the factor $\log_2 e$, and their squared difference has its square.",
                    "",
                    _error_in_bits,
                    _error_in_nats() / sp.log(2) ** 2,
                ),
            ),
            derived(
                Role.READING,
                "everything in bits",
                r"If $\hat H$ and $H$ are in bits, the term of order $\frac1n$ is as printed, and that of order "
                r"$\frac1{n^2}$ lacks the factor $\log_2^2 e$.",
                counterexample(
                    "second_order_in_bits",
                    r"In bits the error is that in nats times $\log_2^2 e$. For two symbols:",
                    eq((alphabet**2 - 1) / (4 * sp.log(2) ** 2), (alphabet**2 - 1) / 4),
                    {alphabet: 2},
                ),
                holds=False,
            ),
        ),
    )


def _one_record(base: sp.Expr) -> sp.Expr:
    """The squared error of one record of a fair bit: its frequencies are 0 and 1, and their entropy is 0."""
    found = entropy(_UNIFORM, base)
    return sp.Add(*(chance * (0 - found) ** 2 for chance in _UNIFORM))


def _error_in_bits() -> sp.Expr:
    return (_found / sp.log(2) - entropy(_PAIR, sp.Integer(2))) ** 2


def _error_in_nats() -> sp.Expr:
    return (_found - entropy(_PAIR)) ** 2


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


def bounds() -> Steps:
    """Bounds on the rest of one symbol, for every number of records."""
    region = (chance <= 1, share <= 1)
    fifth = sp.Rational(1, 5)
    in_product = _bracket()
    return (
        *(
            bounded(
                f"rest_{name}",
                rf"The rest $R(p, n)$ is a polynomial in $p$ and $s = \frac1n$. A bound from {name}:",
                le(sign * rest(), fifth),
                *region,
                lines=rf"{'' if sign > 0 else '-'}R(p, n) &\le \tfrac15",
                gap=sp.Rational(9, 10),
                weaker=sp.Rational(1, 100),
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
        bounded(
            "sixth_bounded",
            r"The bracket is at most $1$, so that $p\,E[r(u)]$ lies between $0$ and $\frac{1}{5n^3p^4}$.",
            le(in_product, sp.S.One),
            _product <= sp.Rational(1, 4),
            share <= 1,
            lines=r"15v^2 + 5sv(5-26v) + s^2(1 - 30v + 120v^2) &\le 1",
        ),
    )


def _bracket() -> sp.Expr:
    return (15 * _product**2 + 5 * share * _product * (5 - 26 * _product)) + share**2 * (
        1 - 30 * _product + 120 * _product**2
    )


def _summed(mass: sp.Expr, inverse: sp.Expr, count: sp.Expr) -> sp.Expr:
    return -(count - mass) / (2 * records) - (inverse - mass) / (12 * records**2)


def all_symbols() -> Steps:
    """Sums over all symbols."""
    total, mass, inverse, errors, bound, error, most = sp.symbols("T M R E B e y", real=True)
    size, count = (sp.Symbol(name, integer=True, nonnegative=True) for name in "dk")
    third = sp.Rational(1, 3)
    return (
        over_entries(
            "leading_sum",
            r"The terms of all symbols add up, with $M = \sum p_i$ and $R = \sum \frac1{p_i}$, for every number of "
            r"symbols.",
            eq(total, _summed(mass, inverse, size)),
            size,
            {total: -leading(), mass: chance, inverse: 1 / chance},
            (chance,),
            ((third,), (2 * third,)),
            r"-\sum_{i=1}^d \Bigl(\frac{1-p_i}{2n} + \frac{\frac1{p_i} - p_i}{12n^2}\Bigr) &= -\frac{d - M}{2n} "
            r"- \frac{R - M}{12n^2}",
            at={records: 2},
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
        over_entries(
            "errors_add_up",
            r"The rests of all symbols, each between $\pm y_i$ with $y_i = \frac{2}{5n^3p_i^4}$: their sum lies "
            r"between $\pm \sum_i y_i$.",
            le(sp.Abs(errors), bound),
            count,
            {errors: error, bound: most},
            (error, most),
            ((-1, 1), (-2, 2)),
            r"\Bigl|\sum_i e_i\Bigr| &\le \frac{2}{5n^3} \sum_i \frac{1}{p_i^4}",
            (le(sp.Abs(error), most),),
        ),
    )


def within(distribution: Sequence[Fraction], size: int, factor: Fraction) -> bool:
    """Whether the bias, over all samples, is within ``factor / n^3 sum p^-4`` of the two terms."""
    bias = sp.Add(
        *(
            exact(comb(size, count) * chance**count * (1 - chance) ** (size - count))
            * entropy_of([Fraction(count, size)])
            for chance in distribution
            for count in range(size + 1)
        ),
        -entropy_of(distribution),
    )
    terms = Fraction(1 - len(distribution), 2 * size) + Fraction(1 - sum(1 / one for one in distribution), 12 * size**2)
    bound = factor / size**3 * sum(1 / one**4 for one in distribution)
    return bool(abs(enclosure(bias - exact(terms))) <= enclosure(exact(bound)))


@cache
def exact_part() -> sp.Expr:
    """The expectation of all products of order five at most in the squared sum over the symbols."""
    total = sp.S.Zero
    for one, two in _EXACT:
        ways = 1 if one == two else 2
        factor = ways * _FACTORS[one] * _FACTORS[two].subs(log_chance, log_other)
        total += over_pairs(factor * chance * other * relative((one, two)))
        total += over_symbols(factor.subs(log_other, log_chance) * chance**2 * relative((one + two,)))
    return sp.expand(total)


def coefficient(order: int) -> sp.Expr:
    """The coefficient of a power of ``1/n``."""
    return sp.factor(exact_part().coeff(records, -order))


def small_products() -> Steps:
    """All other products are of order six or more, and of order three in ``1/n``."""
    first, second = sp.symbols("x y", nonnegative=True)
    frequency = sp.Symbol("f", nonnegative=True)
    within = (frequency <= 1, chance < 1)
    return (
        *(
            bounded(
                f"product_{power}",
                rf"A product of orders ${power}$ and ${6 - power}$ of absolute deviations is at most a mean of their "
                r"sixth powers.",
                le(6 * first**power * second ** (6 - power), power * first**6 + (6 - power) * second**6),
                first >= 0,
                second >= 0,
                lines=rf"6\,x^{power} y^{6 - power} &\le {power}\,x^6 + {6 - power}\,y^6",
            )
            for power in (1, 2, 3)
        ),
        bounded(
            "largest_deviation",
            r"A deviation $u = \frac fp - 1$ is bounded above",
            le(frequency / chance - 1, 1 / chance - 1),
            *within,
            lines=r"u &\le \tfrac1p - 1",
        ),
        bounded(
            "least_deviation",
            r"It is bounded below. Its absolute value is at most $\frac1p$. So a product of a higher order is at most "
            r"a constant times one of order six. Its expectation is at most a constant times $E[u_i^6] + E[u_j^6]$, "
            r"and $E[u^6] \le \frac{1}{n^3p^5}$ by the part on the bias.",
            le(1 - frequency / chance, sp.S.One),
            *within,
            lines=r"-u &\le 1",
        ),
    )


CLAIMS = {"bayesnet.empirical_entropy": empirical_entropy}
