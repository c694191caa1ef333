"""Steps about the conditions of Theorems 3.5 and 3.6 of the thesis, with the symbols that they share."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import sympy as sp

from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.limits import tends_to
from pan_proofs.engines.relations import eq, ge, gt, le
from pan_proofs.engines.slopes import Slopes
from pan_proofs.ledger.claim import Step, Steps
from pan_proofs.ledger.lengths_and_limits import by_slopes
from pan_proofs.ledger.steps import at_most, counterexample, enumerated, lemma
from pan_proofs.tables.lemmas.uncertainty import exact, log_variance

inverse_share, noise, total_noise = sp.symbols("q w W", nonnegative=True)
"""``1/(p n)``, ``M b^2/(p n)`` and ``M b^2``."""
small = sp.Symbol("eta", positive=True)
"""A small number."""
BOTH = (
    le(noise, small),
    le(inverse_share, small),
    le(small, 1),
)
THREE = sp.And(
    le(noise, small),
    le(noise * inverse_share, small),
    le(noise**2 * inverse_share, small),
    evaluate=False,
)
NOISY = (
    le(noise, small),
    eq(noise, total_noise * inverse_share),
    ge(total_noise, 1),
)
FEW = (le(noise, small), eq(noise, total_noise * inverse_share))
root = sp.Symbol("y", positive=True)
"""``p^(-1/2)``."""
log_least, theta = sp.symbols("L theta", nonnegative=True)
"""``-log p`` of the least probability, and ``M b^2/n^2``."""
share, records, size = sp.symbols("p n d", positive=True)
spread = sp.Symbol("V")
square = sp.Symbol("z", nonnegative=True)
bound_on_sum, inverse_sum = sp.symbols("Q R")
"""``d/p`` of the least probability, and the sum of all ``1/p``."""
n_attributes, set_size, index = sp.symbols("N s i", real=True)
"""Numbers of attributes and of those in a set, and the place of a factor."""
INDEX = (
    ge(index, 0),
    gt(set_size, index),
    ge(n_attributes, set_size),
)
UNIFORM = tuple([Fraction(1, 8)] * 8)
DOMINATED = le(size / (share * records**2), size * total_noise / (share**2 * records**3))
BY_FIRST = le(size / (share * records**2), size * total_noise / (share * records**2))
variance, below = sp.symbols("V c", positive=True)
"""The variance of the logarithm, and a factor of a bound on it from below."""
ENOUGH = (
    le(inverse_share, small),
    ge(variance, below * size),
)
grows = sp.Symbol("L", positive=True)
root_of_square, probability = sp.symbols("x p", nonnegative=True)
"""The square root of ``1/(p^2 n)``, and the least probability."""
FIVE = (
    root_of_square**2,
    root_of_square**4,
    log_least * probability * root_of_square**2,
    log_least * root_of_square**2,
    root_of_square**3,
)
STRONGEST = (
    le(log_least * root_of_square**2, small**2),
    ge(log_least, 2),
    le(probability, 1),
    le(small, 1),
)


def small_product(name: str, product: sp.Expr) -> Step:
    """A product of small numbers."""
    return at_most(
        name,
        r"A product of small numbers is small.",
        Inequality(f"conditions.{name}", product, small, BOTH, touching={noise: 1, inverse_share: 1, small: 1}),
    )


def little_noise() -> Step:
    """A distribution with little noise."""
    return counterexample(
        "little_noise",
        r"For instance the uniform distribution with $p_{\min} = \frac1n$ and noise with $W = \frac1{100}$:",
        le(inverse_share, small),
        {
            inverse_share: sp.S.One,
            total_noise: sp.Rational(1, 100),
            noise: sp.Rational(1, 100),
            small: sp.Rational(1, 100),
        },
        FEW,
    )


def much_noise() -> Step:
    """Noise of at least one count."""
    return at_most(
        "much_noise",
        r"Since $w = Wq$:",
        Inequality(
            "conditions.much_noise",
            inverse_share,
            small,
            NOISY,
            touching={inverse_share: 1, total_noise: 1, noise: 1, small: 1},
        ),
    )


def not_needed() -> Step:
    """A distribution with one rare value."""
    least = Fraction(1, 10**5)
    distribution = [least, *([(1 - least) / 999] * 999)]
    return counterexample(
        "not_needed",
        r"Both numbers are computed from the distribution:",
        le(bound_on_sum, 50 * inverse_sum),
        {
            bound_on_sum: lambda: exact(len(distribution) / min(distribution)),
            inverse_sum: lambda: exact(sum((1 / one for one in distribution), Fraction(0))),
        },
        lines=r"\frac{d}{p_{\min}} = 10^8 &> 50 \sum_i \frac1{p_i}",
    )


def factor_of_sets() -> Step:
    """One factor of the number of sets of attributes."""
    return at_most(
        "factor_of_sets",
        r"One factor:",
        Inequality(
            "conditions.factor_of_sets",
            n_attributes / set_size,
            (n_attributes - index) / (set_size - index),
            INDEX,
            touching={n_attributes: 5, set_size: 2, index: 0},
        ),
        lines=r"\frac Ns &\le \frac{N - i}{s - i}",
    )


def sets_listed() -> Step:
    """The number of sets between two powers."""
    return enumerated(
        "sets_in_order",
        r"In fractions, for up to twelve attributes:",
        "the number of sets lies between the two powers",
        [(size, chosen) for size in range(1, 13) for chosen in range(1, size + 1)],
        lambda case: Fraction(case[0], case[1]) ** case[1] <= comb(*case) <= case[0] ** case[1],
        mutant=lambda case: comb(*case) >= Fraction(case[0] ** case[1], 2),
        lines=r"\Bigl(\frac Ns\Bigr)^s \le \binom Ns &\le N^s",
    )


def not_dominated() -> Step:
    """Numbers for which a term is not dominated."""
    return counterexample(
        "not_dominated",
        r"For $p_{\min}n = 500$ and $W = 100$:",
        DOMINATED,
        {size: sp.Integer(2), share: sp.Rational(1, 2), records: sp.Integer(1000), total_noise: sp.Integer(100)},
    )


def by_first() -> Step:
    """The term that dominates."""
    return at_most(
        "by_first",
        r"It has the same denominator.",
        Inequality(
            "conditions.by_first",
            size / (share * records**2),
            size * total_noise / (share * records**2),
            (ge(total_noise, 1),),
            touching={size: 1, share: 1, records: 1, total_noise: 1},
        ),
        lines=r"\frac{d}{pn^2} &\le \frac{dW}{pn^2}",
    )


def implications() -> Steps:
    """Bounds on the square of a logarithm."""
    return (
        by_slopes(
            "tangent",
            r"With $y = p^{-1/2}$ the logarithm is $L = 2\log y$.",
            Slopes(
                "conditions.tangent",
                root - 1 - sp.log(root),
                root,
                sp.S.One,
                {root: sp.Rational(101, 100)},
                sp.Rational(1, 1000),
                strict=True,
            ),
            lines=r"\log y &< y - 1 \quad (y > 1)",
        ),
        at_most(
            "squared",
            r"So $L \le 2(y - 1)$, and its square is at most $4y^2 = \frac4p$.",
            Inequality(
                "conditions.squared",
                log_least**2,
                4 * root**2 - 4,
                (root >= 1, le(log_least, 2 * (root - 1))),
                touching={log_least: 0, root: 1},
                weaker=sp.Rational(1, 2),
            ),
            lines=r"L^2 \le 4y^2 - 4 &\le \tfrac4p",
        ),
        at_most(
            "at_least_four",
            r"From $p_{\min} < e^{-2}$, $L \ge 2$.",
            Inequality(
                "conditions.at_least_four",
                4 * theta,
                log_least**2 * theta,
                (ge(log_least, 2), ge(theta, 0)),
                touching={log_least: 2, theta: 1},
            ),
            lines=r"4\theta &\le L^2\theta",
        ),
    )


def no_variance() -> Step:
    """The uniform distribution."""
    return counterexample(
        "no_variance",
        r"The variance of $\log p$ is computed from the distribution. For any $\theta > 0$:",
        le(8 * theta * sp.log(8) ** 2, spread / records),
        {spread: lambda: log_variance(UNIFORM), theta: sp.Rational(1, 10**9), records: sp.Integer(1000)},
        (gt(theta, 0),),
        free=(theta, records),
    )


def enough_variance() -> Step:
    """A variance of at least a multiple of the number of values."""
    return at_most(
        "enough_variance",
        r"With $q = n\theta L^2 \le \eta$:",
        Inequality(
            "conditions.enough_variance",
            size * inverse_share,
            small * variance / below,
            ENOUGH,
            touching={size: 1, inverse_share: 1, small: 1, variance: 1, below: 1},
        ),
        lines=r"d\,n\theta L^2 &\le \frac{\eta\,\sigma^2}{c}",
    )


def logarithm_left() -> Steps:
    """A family along which the printed condition holds."""
    return (
        lemma(
            "vanishing",
            r"Along $n = L\,p_{\min}^{-2}$ the printed condition holds.",
            tends_to("conditions.vanishing", 1 / grows, grows, sp.oo, sp.S.Zero),
            r"\lim_{L \to \infty} \tfrac1L &= 0",
        ),
        counterexample(
            "logarithm_left",
            r"The fourth term is not small there, for instance at $L = 100$:",
            le(log_least * square, sp.Rational(1, 2)),
            {log_least: sp.Integer(100), square: sp.Rational(1, 100)},
        ),
    )


def all_five() -> Steps:
    """All five terms under the strongest condition."""
    shown = ("z", "z^2", "Lpz", "Lz", "z^{3/2}")
    return tuple(
        at_most(
            f"term_{number}",
            r"With $x = \sqrt z$ and $Lz \le \eta^2$:" if number == 1 else r"In the same way:",
            Inequality(
                f"conditions.term_{number}",
                one,
                small,
                STRONGEST,
                weaker=sp.Rational(1, 8),
                touching=ONE if one.has(log_least) else None,
                gap=sp.Rational(3, 4),
            ),
            lines=rf"{line} &\le \eta",
        )
        for number, (one, line) in enumerate(zip(FIVE, shown, strict=True), 1)
    )


ONE = {root_of_square: sp.sqrt(sp.Rational(1, 2)), log_least: sp.Integer(2), probability: sp.S.One, small: sp.S.One}
