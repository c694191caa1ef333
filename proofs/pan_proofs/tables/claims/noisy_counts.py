"""The proof of Theorem 3.5 of the thesis: moments of noisy counts and of noisy frequencies."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import comb, factorial

import sympy as sp

from pan_proofs.engines.relations import eq
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, derived, symbolic
from pan_proofs.ledger.notation import scale
from pan_proofs.ledger.steps import counterexample, equal
from pan_proofs.tables.lemmas.moments import (
    COUNTS,
    EXCESS,
    FREQUENCIES,
    FREQUENCY_PAIRS,
    MISSING,
    NOISE,
    NOISY_PAIRS,
    chance,
    holders,
    noisy_count,
    noisy_frequency,
    noisy_pair,
    other,
    proved,
    records,
)

_of_count, _of_frequency, _product = sp.symbols("C_6 E_6 E_11")
_count_sixth, _frequency_sixth, _mixed = sp.symbols("C_6 E_6 E_11", real=True)
_HALF, _THIRD = Fraction(1, 2), Fraction(1, 3)


def sixth_of_one_record(centre: Fraction) -> sp.Rational:
    """The sixth moment about a centre of one fair bit with one holder's noise of scale 1, over both outcomes."""
    total = Fraction(0)
    for bit in (0, 1):
        for power in range(0, 7, 2):
            total += _HALF * comb(6, power) * factorial(power) * (bit - centre) ** (6 - power)
    return sp.Rational(total.numerator, total.denominator)


def product_of_one_record() -> sp.Rational:
    """The mixed central moment of two symbols of probability one third in one record, over its three outcomes."""
    outcomes = ((1, 0), (0, 1), (0, 0))
    total = sum((_THIRD * (one - _THIRD) * (two - _THIRD) for one, two in outcomes), Fraction(0))
    return sp.Rational(total.numerator, total.denominator)


def noisy_count_moments() -> Claim:
    """The sixth moments and the sign of one mixed moment are wrong."""
    return Claim(
        id="bayesnet.noisy_count_moments",
        title="Moments of noisy counts and frequencies",
        references=(Reference("networks", "proof of Theorem 3.5, section 3.4.2"),),
        statement=r"The moments of orders $1$ to $6$ of $\tilde c_i = c_i + \sum_j \eta_i^{(j)}$, the central moments "
        r"of $\tilde p_i = \tilde c_i/n$, and the mixed moments for $i \ne j$, as displayed.",
        notation=(("$E_{11}$", r"mixed moment $E[(\tilde p_i - p_i)(\tilde p_j - p_j)]$"),),
        hypotheses=(
            "the counts are multinomial",
            "the noise is Laplace, independent of the counts and over all entries",
        ),
        uses=("bayesnet.multinomial_moments", "bayesnet.laplace_sum_moments"),
        parts=(
            Part(
                Role.PUBLISHED,
                "orders up to five, and mixed moments",
                r"All displayed moments but the two of order six and $E[(\tilde p_i - p_i)(\tilde p_j - "
                r"p_j)]$. In the formulas $C$ is a moment of counts and $E$ a central moment of frequencies, with the "
                r"orders as indices.",
                (
                    *(proved((order,)) for order in range(2, 7)),
                    *(proved(powers) for powers in ((1, 1), (2, 1))),
                    *(_step(f"raw_{k}", _raw(k), partial(noisy_count, k), COUNTS[k] + NOISE[k]) for k in range(1, 6)),
                    *(
                        _step(f"frequency_{k}", _central(k), partial(noisy_frequency, k), FREQUENCIES[k])
                        for k in range(2, 6)
                    ),
                    *(
                        _step(
                            f"noisy_pair_{one}_{two}",
                            _pair(one, two),
                            partial(noisy_pair, (one, two), centred=False),
                            stated,
                        )
                        for (one, two), stated in NOISY_PAIRS.items()
                    ),
                    _step(
                        "frequency_pair_2_1",
                        _central_pair(2, 1),
                        partial(noisy_pair, (2, 1), centred=True),
                        FREQUENCY_PAIRS[2, 1],
                    ),
                ),
                formal=_published(),
            ),
            derived(
                Role.COUNTEREXAMPLE,
                "the sixth moments and a sign",
                r"One record of a fair bit with the noise of one holder has other sixth moments. Two different "
                r"symbols in one record exclude each other, so that their product has a negative mean.",
                *(
                    counterexample(
                        f"sixth_of_a_{name}",
                        rf"This is the sixth moment of the noisy {name}, central for a frequency.",
                        eq(sixth, printed),
                        {
                            sixth: partial(sixth_of_one_record, centre),
                            records: 1,
                            chance: sp.Rational(1, 2),
                            holders: 1,
                            scale: 1,
                        },
                    )
                    for name, sixth, printed, centre in (
                        ("count", _of_count, COUNTS[6] + NOISE[6], Fraction(0)),
                        ("frequency", _of_frequency, FREQUENCIES[6], _HALF),
                    )
                ),
                counterexample(
                    "sign_of_the_product",
                    r"Over the three outcomes of one record with two symbols of probability $\frac13$; the noise has "
                    r"mean $0$.",
                    eq(_product, FREQUENCY_PAIRS[1, 1]),
                    {_product: product_of_one_record, records: 1, chance: sp.Rational(1, 3), other: sp.Rational(1, 3)},
                ),
            ),
            Part(
                Role.AMENDED,
                "the sixth moments and the mixed one",
                r"In both sixth moments $30(-p^2+p)Mb^2$ is replaced by $30(-6p^4+12p^3-7p^2+p)Mb^2$, and "
                r"$240(M^3+2M)b^6$ by $120M(M+1)(M+2)b^6$. In the formulas $C_6$ is that of the count, and $E_6$ that "
                r"of the frequency. The mixed central moment is $-\frac1n p_i p_j$.",
                (
                    _step("raw_6", _raw(6), partial(noisy_count, 6), COUNTS[6] + NOISE[6] + MISSING - EXCESS),
                    _step(
                        "frequency_6",
                        _central(6),
                        partial(noisy_frequency, 6),
                        FREQUENCIES[6] + (MISSING - EXCESS) / records**6,
                    ),
                    _step(
                        "frequency_pair_1_1",
                        _central_pair(1, 1),
                        partial(noisy_pair, (1, 1), centred=True),
                        -FREQUENCY_PAIRS[1, 1],
                    ),
                ),
                formal=symbolic(
                    eq(_count_sixth, COUNTS[6] + NOISE[6] + MISSING - EXCESS),
                    eq(_frequency_sixth, FREQUENCIES[6] + (MISSING - EXCESS) / records**6),
                    eq(_mixed, -chance * other / records),
                ),
            ),
        ),
    )


def _published() -> tuple[str, ...]:
    """The moments of counts as ``C``, the central ones of frequencies as ``E``, with an index for each power."""
    stated = {
        **{f"C_{order}": COUNTS[order] + NOISE[order] for order in range(1, 6)},
        **{f"E_{order}": FREQUENCIES[order] for order in range(2, 6)},
        **{f"C_{one}{two}": value for (one, two), value in NOISY_PAIRS.items()},
        "E_21": FREQUENCY_PAIRS[2, 1],
    }
    return symbolic(*(eq(sp.Symbol(name, real=True), value) for name, value in stated.items()))


def _raw(order: int) -> str:
    return rf"E[\tilde c_i^{order}]"


def _central(order: int) -> str:
    return rf"E[(\tilde p_i - p_i)^{order}]"


def _pair(one: int, two: int) -> str:
    return rf"E[\tilde c_i^{one} \tilde c_j^{two}]"


def _central_pair(one: int, two: int) -> str:
    return rf"E[(\tilde p_i - p_i)^{one} (\tilde p_j - p_j)^{two}]"


def _step(name: str, left: str, compute: Callable[[], sp.Expr], stated: sp.Expr) -> Step:
    full = "By the binomial theorem, from the moments of the count and of the noise, which are independent."
    return equal(name, full if name in ("raw_1", "raw_6") else "In the same way:", left, compute, stated)


CLAIMS = {"bayesnet.noisy_count_moments": noisy_count_moments}
