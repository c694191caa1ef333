"""A bound on the variance of the logarithm of a probability, and what follows for the conditions of Theorem 3.6."""

from __future__ import annotations

import sympy as sp

from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.limits import tends_to
from pan_proofs.engines.relations import eq, ge, le
from pan_proofs.engines.slopes import Slopes
from pan_proofs.engines.vectors import Induction, sum_over_entries
from pan_proofs.ledger.claim import Step, Steps, symbolic
from pan_proofs.ledger.lengths_and_limits import by_slopes, for_every_length
from pan_proofs.ledger.steps import at_most, counterexample, lemma

_y = sp.Symbol("y", positive=True)
_root = sp.Symbol("w", positive=True)
"""``p^(1/4)``."""
_log = sp.Symbol("L", nonnegative=True)
_size_root, _below, _variance = sp.symbols("g c V", positive=True)
_square_root, _chance = sp.symbols("r p", nonnegative=True)
_roots, _mass = sp.symbols("S Q", real=True)
_length = sp.Symbol("d", nonnegative=True, integer=True)
_small = sp.Symbol("eta", positive=True)
_ratio, _share = sp.symbols("rho p", nonnegative=True)
_x = sp.Symbol("x", nonnegative=True)

_TANGENT = (le(_log * _root, 4 * (1 - _root)), le(_root, 1))
OF_ONE = le(_root**4 * _log**2, 16 * _root**2)
"""The term of one value, ``p log^2 p``."""
_ENTRY = (_square_root, _chance)
_EACH = (eq(_square_root**2, _chance),)
_ROOTS = le(2 * _size_root * _roots, _size_root**2 * _mass + _length)
_SUMS = {_roots: _square_root, _mass: _chance}
FROM_BELOW = (
    ge(_variance, _below * _size_root**2),
    le(_variance, 16 * _size_root),
)
FEW_VALUES = le(_below * _size_root, 16)
STRONGEST = (
    le(_ratio * _log * _x**2, _small**2 / 4),
    ge(_ratio, sp.Rational(1, 16)),
    ge(_log, 2),
    le(_share, 1),
    le(_small, 1),
)
FIVE = (
    _ratio * _x**2,
    _ratio * _x**4,
    _ratio * _log * _share * _x**2,
    _ratio * _log * _x**2,
    _ratio * _x**3,
)
"""The five terms over ``sigma^2/n``, with ``rho = d^2/sigma^2`` and ``x = 1/(p sqrt(n))``."""
_SHOWN = (r"\rho z", r"\rho z^2", r"\rho Lpz", r"\rho Lz", r"\rho z^{3/2}")
_many, _constant = sp.symbols("d C", positive=True)
_of_two_levels = 3 * sp.log(3) ** 2 / 16
LARGE_TERM = le(4 * _many ** sp.Rational(3, 2) / _of_two_levels, _constant)
"""The first of the five terms over the leading one, along ``n = d^(5/2)``."""
_budget, _factor = sp.symbols("epsilon c", positive=True)
_square, _most = sp.symbols("T C", positive=True)
LARGE_BUDGET = (le(_square, _small * _budget), le(_factor, _most))
ENOUGH = le(_factor**2 * _square**2, _most**2 * _small**2 * _budget**2)
LITTLE = (
    le(_factor**2 * _square**2, _small**2 * _budget**2),
    ge(_factor, _most),
)
NEEDED = le(_most * _square, _small * _budget)


def variance_above() -> Steps:
    """The variance is at most a multiple of the root of the number of values."""
    return (
        by_slopes(
            "tangent_of_root",
            r"With $y = p^{-1/4}$ the logarithm is $L = |\log p| = 4\log y$.",
            Slopes(
                "log_variance.tangent",
                _y - 1 - sp.log(_y),
                _y,
                sp.S.One,
                {_y: sp.Rational(101, 100)},
                sp.Rational(1, 1000),
                strict=True,
            ),
            lines=r"\log y &< y - 1 \quad (y > 1)",
        ),
        at_most(
            "term_of_one",
            r"So with $w = p^{1/4}$ the logarithm is $L \le 4(\frac1w - 1)$, and the term $p \log^2 p$ of a value is "
            r"at most $16\sqrt p$.",
            Inequality(
                "log_variance.of_one",
                OF_ONE.lhs,
                OF_ONE.rhs,
                _TANGENT,
                touching={_root: 0, _log: 0},
                weaker=sp.Rational(1, 100),
            ),
            lines=r"w^4L^2 &\le 16\,w^2",
        ),
        for_every_length(
            "sum_of_roots",
            r"For $d$ values, with $r_i = \sqrt{p_i}$, $S = \sum r_i$ and $Q = \sum p_i$: $2gr_i \le g^2p_i + 1$ for "
            r"every $g$. With $g = \sqrt d$ and $Q = 1$ this is $S \le \sqrt d$.",
            Induction(
                "log_variance.sum_of_roots",
                _ROOTS,
                _length,
                _ENTRY,
                {one: one + term for one, term in _SUMS.items()},
                ((sp.Rational(1, 2), sp.Rational(1, 4)), (sp.Rational(1, 2), sp.Rational(1, 4))),
                {_size_root: sp.Integer(2)},
                _EACH,
            ),
            r"2g\sum_{i=1}^d r_i &\le g^2 \sum_{i=1}^d p_i + d",
        ),
    )


def stated_variance_above() -> tuple[str, ...]:
    """The term of one value, and the sum of roots, formally."""
    return (
        *symbolic(OF_ONE, given=_TANGENT),
        *symbolic(
            _ROOTS,
            given=_EACH,
            where={one: sum_over_entries(term, _ENTRY, _length) for one, term in _SUMS.items()},
        ),
    )


def few_values() -> Step:
    """A variance of the order of the number of values is possible for few values only."""
    return at_most(
        "few_values",
        r"With $V = \sigma^2 \le 16g$ and $V \ge cd = cg^2$, the number of values is at most $\frac{256}{c^2}$:",
        Inequality(
            "log_variance.few_values",
            FEW_VALUES.lhs,
            FEW_VALUES.rhs,
            FROM_BELOW,
            touching={_below: 1, _size_root: 16, _variance: 256},
        ),
        lines=r"c\,g &\le 16",
    )


def five_terms() -> Steps:
    """All five terms, compared with the leading one."""
    return tuple(
        at_most(
            f"over_variance_{number}",
            r"With $\rho Lz \le \frac{\eta^2}{4}$, $\rho \ge \frac{1}{16}$ and $L \ge 2$:"
            if number == 1
            else r"In the same way:",
            Inequality(
                f"log_variance.over_variance_{number}",
                one,
                _small,
                STRONGEST,
                gap=sp.Rational(1, 2),
                weaker=sp.Rational(1, 1000),
            ),
            lines=rf"{line} &\le \eta",
        )
        for number, (one, line) in enumerate(zip(FIVE, _SHOWN, strict=True), 1)
    )


def fixed_variance() -> Steps:
    """Distributions of one variance, along which the printed condition holds and the first term is large."""
    return (
        lemma(
            "printed_condition_holds",
            r"Half of $d$ values have the probability $\frac{1}{2d}$, and the others $\frac{3}{2d}$, as in "
            r"bayesnet.entropy\_mse: $V = \sigma^2 = \frac{3}{16}\log^2 3$ for every $d$. Let $n = d^{5/2}$. Then $z = "
            r"\frac{4d^2}{n} = \frac{4}{\sqrt d}$, and the printed condition holds.",
            tends_to("log_variance.printed", 4 / sp.sqrt(_many), _many, sp.oo, sp.S.Zero),
            r"\lim_{d \to \infty} \frac{4}{\sqrt d} &= 0",
        ),
        counterexample(
            "first_term_is_large",
            r"The first of the five terms over $\frac{\sigma^2}{n}$ is $\frac{d^2z}{V}$, and is at most $C$ for no "
            r"$C$. For $C = 1000$ and $d = 10^8$:",
            LARGE_TERM,
            {_many: sp.Integer(10) ** 8, _constant: sp.Integer(1000)},
        ),
    )


def stated_fixed_variance() -> tuple[str, ...]:
    """That the condition holds, and that the term is not bounded, formally."""
    return (
        *symbolic(eq(sp.Limit(4 / sp.sqrt(_many), _many, sp.oo), 0)),
        *symbolic(LARGE_TERM, refuted=True),
    )


def conditions_on_budget() -> Steps:
    """A condition on the noise as one on the budget, in both directions."""
    return (
        at_most(
            "budget_is_enough",
            r"Let $c \le C$. If $\frac T\varepsilon \le \eta$ is small, the quantity is small.",
            Inequality(
                "log_variance.budget_is_enough",
                ENOUGH.lhs,
                ENOUGH.rhs,
                LARGE_BUDGET,
                touching={_factor: 1, _most: 1, _square: 1, _budget: 1, _small: 1},
            ),
            lines=r"c^2T^2 &\le C^2\eta^2\varepsilon^2",
        ),
        at_most(
            "budget_is_needed",
            r"Conversely, let $c \ge C$ for another $C > 0$. If the quantity is at most $\eta^2$, then $\frac "
            r"T\varepsilon$ is small.",
            Inequality(
                "log_variance.budget_is_needed",
                NEEDED.lhs,
                NEEDED.rhs,
                LITTLE,
                touching={_factor: 1, _most: 1, _square: 1, _budget: 1, _small: 1},
            ),
            lines=r"C\,T &\le \eta\,\varepsilon",
        ),
    )


def stated_on_budget() -> tuple[str, ...]:
    """Both directions, formally."""
    return (*symbolic(ENOUGH, given=LARGE_BUDGET), *symbolic(NEEDED, given=LITTLE))
