"""Lemma 3.6 of the thesis: bias and mean squared error of the entropy of frequencies."""

from __future__ import annotations

import sympy as sp

from pan_proofs.engines.relations import eq, lt, ne, replaced
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, Steps, symbolic
from pan_proofs.ledger.steps import counterexample, equal
from pan_proofs.tables.lemmas.entropy_bias import all_symbols, bounded, one_symbol, stated_bias, tested
from pan_proofs.tables.lemmas.entropy_error import main_terms, small_products
from pan_proofs.tables.lemmas.expansion import even_remainder, odd_remainder
from pan_proofs.tables.lemmas.symbol_sums import alphabet, spread

_true, _printed = sp.symbols("V G", nonnegative=True)
_second_order = sp.Symbol("c_2", real=True)
_first_order = sp.Symbol("c_1", real=True)
_UNIFORM = (sp.Rational(1, 2), sp.Rational(1, 2))
_UNEVEN = (sp.Rational(1, 4), sp.Rational(3, 4))
Distribution = tuple[sp.Rational, ...]


def entropy(distribution: Distribution, base: sp.Expr = sp.E) -> sp.Expr:
    """The entropy of a distribution."""
    return -sp.Add(*(one * sp.log(one) for one in distribution)) / sp.log(base)


def mean_square(distribution: Distribution, base: sp.Expr = sp.E) -> sp.Expr:
    """The mean squared logarithm of the probability of a random symbol."""
    return sp.Add(*(one * sp.log(one) ** 2 for one in distribution)) / sp.log(base) ** 2


def variance(distribution: Distribution, base: sp.Expr = sp.E) -> sp.Expr:
    """The variance of the logarithm of the probability of a random symbol."""
    return sp.expand(mean_square(distribution, base) - entropy(distribution, base) ** 2)


_in_bits_error, _multiplied = sp.symbols("B G")
_found = sp.Symbol("h", nonnegative=True)
_p = sp.Symbol("p", positive=True)
_PAIR = (_p, 1 - _p)
_OF_TWO = (lt(_p, 1),)
_square, _entropy = sp.symbols("S H")
_NAMED = {_square: mean_square(_PAIR), _entropy: entropy(_PAIR)}
_SHORT = tuple(
    eq(_square - _entropy**2, _square / sp.log(2) ** 2 - (_entropy / base) ** 2) for base in (sp.S.One, sp.log(2))
)
"""The true coefficient of order 1/n against the printed one, for two symbols, with H in nats and in bits.

The names are the mean square of the logarithm and the entropy, in nats; the printed coefficient has the one in bits.
"""
_IN_NATS, _IN_BITS = (replaced(one, dict(_NAMED)) for one in _SHORT)
_SECOND_IN_BITS = eq((alphabet**2 - 1) / (4 * sp.log(2) ** 2), (alphabet**2 - 1) / 4)


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
            Part(
                Role.PUBLISHED,
                "the bias",
                r"In nats the bias is as printed, and for every $n \ge 1$ the rest is at most $\frac{2}{5n^3} \sum_i "
                r"\frac1{p_i^4}$ in absolute value. In the formulas $s = \frac1n$ and $v = p(1-p)$; $T$ is the sum of "
                r"the terms of all symbols, $E$ that of their rests, and $M$ and $R$ are those of $p_i$ and "
                r"$\frac1{p_i}$.",
                (*even_remainder(), *one_symbol(), *bounded(), *all_symbols(), tested()),
                formal=stated_bias(),
            ),
            Part(
                Role.COUNTEREXAMPLE,
                "the base of the logarithm in the error",
                r"In nats the term of order $\frac1n$ is not as printed, whether $H$ is in nats or in bits. In the "
                r"formulas $H$ is the entropy of two symbols in nats, and $S$ the mean square of the logarithm.",
                _wrong_base(),
                formal=symbolic(*_SHORT, given=_OF_TWO, where=_NAMED, refuted=True),
            ),
            Part(
                Role.AMENDED,
                "the mean squared error",
                r"In nats $E[(\hat H - H)^2] = \frac{\sum_i p_i \log^2 p_i - H^2}{n} + \frac{d^2-1}{4n^2} + "
                r"O(n^{-3})$ with natural logarithms. In the formulas $c_1$ and $c_2$ are the coefficients of "
                r"$\frac1n$ and $\frac1{n^2}$, and $\sigma^2$ is the variance of $\log p_i$.",
                (*odd_remainder(), *main_terms(), *small_products()),
                formal=symbolic(
                    eq(_first_order, spread**2),
                    eq(_second_order, (alphabet**2 - 1) / 4),
                ),
            ),
            Part(
                Role.COUNTEREXAMPLE,
                "the factor from nats to bits",
                r"The text says that everything is multiplied by $\log_2 e$ in the end. For the error this is the "
                r"wrong factor. In the formula $B$ is the error in bits of one record of a fair bit, and $G$ is "
                r"$\log_2 e$ times the error in nats.",
                (_one_factor(),),
                formal=symbolic(ne(_in_bits_error, _multiplied)),
            ),
            Part(
                Role.AMENDED,
                "the factors from nats to bits",
                r"The bias has the factor $\log_2 e$, and the squared error has $\log_2^2 e$. In the formula $h$ is an "
                r"entropy of frequencies in nats, and the other one is that of two symbols with the probabilities $p$ "
                r"and $1 - p$.",
                (_two_factors(),),
                formal=symbolic(eq(_error_in_bits(), _error_in_nats() / sp.log(2) ** 2)),
            ),
            Part(
                Role.READING,
                "everything in bits",
                r"If $\hat H$ and $H$ are in bits, the term of order $\frac1n$ is as printed, and that of order "
                r"$\frac1{n^2}$ lacks the factor $\log_2^2 e$.",
                (_in_bits(),),
                formal=symbolic(_SECOND_IN_BITS, refuted=True),
                holds=False,
            ),
        ),
    )


def _wrong_base() -> Steps:
    claimed = eq(_true, _printed)
    return (
        counterexample(
            "two_symbols_in_nats",
            r"For two symbols with the probabilities $p$ and $1 - p$ both coefficients are formulas in $p$. With $H$ "
            r"in nats they differ at $p = \frac14$:",
            _IN_NATS,
            {_p: sp.Rational(1, 4)},
            _OF_TWO,
        ),
        counterexample(
            "two_symbols_in_bits",
            r"With $H$ in bits as well:",
            _IN_BITS,
            {_p: sp.Rational(1, 4)},
            _OF_TWO,
        ),
        counterexample(
            "entropy_in_nats",
            r"For the uniform distribution on two symbols the true coefficient is $0$, and the printed one with $H$ in "
            r"nats is $1 - \log^2 2$.",
            claimed,
            {
                _true: lambda: variance(_UNIFORM),
                _printed: lambda: sp.expand(mean_square(_UNIFORM, sp.Integer(2)) - entropy(_UNIFORM) ** 2),
            },
        ),
        counterexample(
            "entropy_in_bits",
            r"With $H$ in bits the printed coefficient is too large by the factor $\log_2^2 e$, unless both are $0$, "
            r"as here for the distribution $(\frac14, \frac34)$.",
            claimed,
            {
                _true: lambda: variance(_UNEVEN),
                _printed: lambda: variance(_UNEVEN, sp.Integer(2)),
            },
        ),
    )


def _one_record(base: sp.Expr) -> sp.Expr:
    """The squared error of one record of a fair bit: its frequencies are 0 and 1, and their entropy is 0."""
    found = entropy(_UNIFORM, base)
    return sp.Add(*(chance * (0 - found) ** 2 for chance in _UNIFORM))


def _one_factor() -> Step:
    return counterexample(
        "one_factor",
        r"The entropy of the frequencies is $0$ for both outcomes, so that the error is $\log^2 2$ in nats and $1$ in "
        r"bits:",
        eq(_in_bits_error, _multiplied),
        {
            _in_bits_error: lambda: _one_record(sp.Integer(2)),
            _multiplied: lambda: _one_record(sp.E) / sp.log(2),
        },
    )


def _error_in_bits() -> sp.Expr:
    return (_found / sp.log(2) - entropy(_PAIR, sp.Integer(2))) ** 2


def _error_in_nats() -> sp.Expr:
    return (_found - entropy(_PAIR)) ** 2


def _two_factors() -> Step:
    return equal(
        "two_factors",
        r"Both entropies have the factor $\log_2 e$, and their squared difference has its square.",
        "",
        _error_in_bits,
        _error_in_nats() / sp.log(2) ** 2,
    )


def _in_bits() -> Step:
    return counterexample(
        "second_order_in_bits",
        r"In bits the error is that in nats times $\log_2^2 e$. For two symbols:",
        _SECOND_IN_BITS,
        {alphabet: sp.Integer(2)},
    )


CLAIMS = {"bayesnet.empirical_entropy": empirical_entropy}
