"""Section 6 of the paper: the densities that its random streams are expected to have."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import floor
from typing import Any

import sympy as sp

from pan_proofs.engines.obligation import load_engine
from pan_proofs.engines.relations import eq, ge, le, lt, ne
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step, symbolic
from pan_proofs.ledger.steps import bounded, counterexample, equal, found

USERS = LENGTH = 10**5
"""Users, and appearances in the stream."""

_chance = sp.Symbol("p_i", positive=True)
_more = sp.Symbol("n", positive=True)
_density = sp.Symbol("d_bar", nonnegative=True)
_two_decimals = sp.Symbol(r"\bar d_2")
"""The first two decimals of the expected density under Zipf's distribution, rounded."""
_uniform_decimals, _zipf_decimals = sp.Symbol(r"\bar u_5"), sp.Symbol(r"\bar d_5")
"""The first five decimals of the expected densities, cut off."""
_spread_decimals = sp.Symbol(r"\bar s_3")
"""The first three decimals of the bound of Chebyshev, cut off."""
_missed = sp.Symbol("P_missed", nonnegative=True)
_bound = sp.Symbol("s_bar", nonnegative=True)


def stream_densities() -> Claim:
    """The two expected densities to two decimals."""
    return Claim(
        id="density.stream_densities",
        title="The densities of the experiments' streams",
        references=(
            Reference("paper", "section 6"),
            Reference("thesis", "section 4.5"),
        ),
        statement=r"Of $T = 10^5$ appearances of $U = 10^5$ users one expects a density of $0.63$ if the users are "
        r"drawn uniformly, and of $0.25$ if they are drawn by Zipf's distribution with parameter $1$.",
        notation=(
            ("$H_U$", r"$\sum_{i=1}^{U} \frac1i$"),
            ("$i$, $j$", "users"),
        ),
        silent=(
            r"the appearances are drawn independently",
            r"Zipf's distribution is cut off at $U$: the $i$-th user has probability $\frac{1}{iH_U}$",
            r"expected is the expectation; one stream's density varies around it",
        ),
        parts=(
            Part(
                Role.PUBLISHED,
                "the uniform stream",
                r"The expected density of the uniform stream is $1 - (1 - 10^{-5})^{10^5} = 0.6321\ldots$. In the "
                r"formulas $\bar d$ is the expected density, and $\bar u_5$ the number of its first five decimals.",
                (_expected(), _uniform()),
                formal=(
                    *symbolic(
                        eq((1 - _chance) ** _more * (1 - _chance), (1 - _chance) ** (_more + 1)),
                        given=(_chance <= 1,),
                    ),
                    *symbolic(
                        ge(_density, sp.Rational(6321, 10**4)),
                        lt(_density, sp.Rational(6322, 10**4)),
                        given=_has_decimals(_density, _uniform_decimals, 5),
                    ),
                ),
            ),
            Part(
                Role.COUNTEREXAMPLE,
                "the Zipf stream to two decimals",
                r"The expected density of the Zipf stream is $0.2444\ldots$, which is $0.24$ to two decimals. "
                r"In the formulas $\bar d$ is the expected density, $\bar d_2$ is it to two "
                r"decimals, and $\bar d_5$ the number of its first five decimals.",
                (_rounded(), _zipf("zipf_cut")),
                formal=(
                    *symbolic(
                        eq(_two_decimals, sp.Rational(24, 100)),
                        ne(_two_decimals, sp.Rational(25, 100)),
                    ),
                    *symbolic(
                        ge(_density, sp.Rational(2444, 10**4)),
                        lt(_density, sp.Rational(2445, 10**4)),
                        given=_has_decimals(_density, _zipf_decimals, 5),
                    ),
                ),
            ),
            Part(
                Role.AMENDED,
                "the Zipf stream",
                r"The expected density of the Zipf stream is between $0.24448$ and $0.24450$: the printed number is "
                r"off by less than $0.006$. The density of one stream is $0.24$ or $0.25$ to two decimals with "
                r"probability at least $0.98$. In the formulas $\bar d$ is the expected density, and $\bar d_5$ the "
                r"number of its first five decimals; $\bar s$ is the bound on the probability $P_{\mathrm{missed}}$ "
                r"of another density, and $\bar s_3$ the number of its first three decimals.",
                (_zipf(), *_spread()),
                formal=(
                    *symbolic(
                        ge(_density, sp.Rational(24448, 10**5)),
                        lt(_density, sp.Rational(24450, 10**5)),
                        lt(sp.Rational(25, 100) - _density, sp.Rational(6, 1000)),
                        given=_has_decimals(_density, _zipf_decimals, 5),
                    ),
                    *symbolic(
                        le(_missed, sp.Rational(2, 100)),
                        given=(le(_missed, _bound), *_has_decimals(_bound, _spread_decimals, 3)),
                    ),
                ),
            ),
        ),
    )


def _has_decimals(number: sp.Symbol, decimals_of_it: sp.Symbol, digits: int) -> tuple[sp.Basic, ...]:
    """That these are the first decimals of a number, cut off."""
    return (
        ge(number, decimals_of_it),
        lt(number, decimals_of_it + sp.Rational(1, 10**digits)),
    )


def _expected() -> Step:
    return equal(
        "one_more_appearance",
        r"A user of probability $p_i$ is not among $n+1$ independent appearances just if they are not among $n$ of "
        r"them, nor is the next. So they are among $T$ with probability $q_i = 1 - (1-p_i)^T$, and the expected "
        r"density is the mean of the $q_i$.",
        r"(1-p_i)^n(1-p_i)",
        (1 - _chance) ** _more * (1 - _chance),
        (1 - _chance) ** (_more + 1),
    )


def _uniform() -> Step:
    return found(
        "uniform",
        r"All users have $p_i = \frac1U$:",
        "the first five decimals of 1 - (1 - 10^-5)^(10^5)",
        lambda: decimals(appearance(Fraction(1, USERS), LENGTH), 5),
        Fraction(63212, 10**5),
        engine="flint",
        quantities=(_uniform_decimals,),
        lines=(r"0.63212 < 1 - (1-\tfrac1U)^T &< 0.63213",),
    )


def _rounded() -> Step:
    half = Fraction(5, 1000)
    return counterexample(
        "below_245",
        r"The mean of the $10^5$ probabilities, by balls:",
        eq(_two_decimals, sp.Rational(25, 100)),
        {_two_decimals: lambda: decimals(zipf_moments(USERS, LENGTH)[0] + _ball(half), 2)},
        lines=(r"\frac1U \sum_{i=1}^U \left(1 - \left(1 - \tfrac{1}{iH_U}\right)^T\right) &< 0.245",),
    )


def _zipf(name: str = "zipf") -> Step:
    return found(
        name,
        r"The same balls, on both sides:",
        "the first five decimals of the mean of 1 - (1 - 1/(i H))^T over i",
        lambda: decimals(zipf_moments(USERS, LENGTH)[0], 5),
        Fraction(24448, 10**5),
        engine="flint",
        quantities=(_zipf_decimals,),
        lines=(r"0.24448 < \frac1U \sum_{i=1}^U q_i &< 0.24450",),
    )


def _spread() -> tuple[Step, ...]:
    one, other = sp.symbols("p q", real=True)
    return (
        bounded(
            "pairs_repel",
            r"Two users are both absent with probability $(1-p_i-p_j)^T$, which is not more than if they were "
            r"independent: their indicators are not positively correlated, and the density's variance is at most "
            r"$\frac{1}{U^2}\sum_i q_i(1-q_i)$.",
            le(1 - one - other, (1 - one) * (1 - other)),
            one >= 0,
            other >= 0,
            one + other <= 1,
            lines=r"1 - p_i - p_j &\le (1-p_i)(1-p_j)",
        ),
        found(
            "spread",
            r"By Chebyshev's inequality the density is outside $[0.235, 0.255]$, at least $0.0094$ from its "
            r"expectation, with probability at most",
            "the first three decimals of the sum of q(1-q) over U^2 0.0094^2",
            lambda: decimals(zipf_moments(USERS, LENGTH)[1] / (USERS**2 * _ball(Fraction(94, 10**4)) ** 2), 3),
            Fraction(15, 1000),
            engine="flint",
            quantities=(_spread_decimals,),
            lines=(r"\frac{1}{0.0094^2 U^2} \sum_i q_i(1-q_i) &< 0.02",),
        ),
    )


def appearance(chance: Any, length: int) -> Any:
    """A ball for the probability that a user of the given probability is in a stream."""
    ball = _ball(chance) if isinstance(chance, Fraction) else chance
    return 1 - (1 - ball) ** length


@cache
def zipf_moments(users: int, length: int) -> tuple[Any, Any]:
    """Balls for the expected density under Zipf's distribution, and for the sum of the indicators' variances."""
    arb = load_engine("flint").arb
    harmonic = sum((arb(1) / user for user in range(1, users + 1)), arb(0))
    first, second = arb(0), arb(0)
    for user in range(1, users + 1):
        chance = appearance(1 / (harmonic * user), length)
        first += chance
        second += chance * (1 - chance)
    return first / users, second


def decimals(ball: Any, digits: int) -> Fraction:
    """The first decimals of the positive number in a ball, cut off; the number itself is above them.

    Raises
    ------
    ArithmeticError
        If the ball is too wide to tell.
    """
    scale = 10**digits
    cut = floor(scale * float(ball.mid()))
    if not (ball > _ball(Fraction(cut, scale)) and ball < _ball(Fraction(cut + 1, scale))):
        raise ArithmeticError(f"the ball {ball} does not tell {digits} decimals")
    return Fraction(cut, scale)


def _ball(number: Fraction) -> Any:
    return load_engine("flint").arb(number.numerator) / number.denominator


CLAIMS = {"density.stream_densities": stream_densities}
