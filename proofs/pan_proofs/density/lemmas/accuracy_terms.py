"""The three sources of error of a sampled density estimator, with the bound on each and the size that it asks for.

The steps here are those that several claims share; they differ in the gap of the two probabilities.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial

import sympy as sp

from pan_proofs.engines.balls import enclosure
from pan_proofs.engines.exponentials import widest_term
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.limits import tends_to
from pan_proofs.engines.minima import exceeds_on_box
from pan_proofs.engines.obligation import Obligation, Status
from pan_proofs.engines.quantities import one_of, related_in_every_case
from pan_proofs.engines.relations import eq, gt, le, lt
from pan_proofs.foundations.hoeffding_bound import laplace_tail, two_sided
from pan_proofs.ledger.claim import Step, symbolic
from pan_proofs.ledger.notation import alpha, beta, delta_1, delta_2, delta_3, delta_4, epsilon, m, t, tex
from pan_proofs.ledger.steps import equal, lemma

PAIRS: dict[str, tuple[sp.Expr, sp.Expr]] = {
    "dwork": (sp.Rational(1, 2), sp.Rational(1, 2) + epsilon / 4),
    "optimal": ((1 - sp.tanh(epsilon / 2)) / 2, (1 + sp.tanh(epsilon / 2)) / 2),
}
"""Probabilities of a one before and after an appearance."""


SHARES = (1 - delta_1, delta_1 * (1 - delta_2), delta_1 * delta_2)
"""The shares of the accuracy: the lemma on sums is applied twice, and the second share is split by ``delta_2``."""
GOALS = (delta_3 * beta, delta_4 * beta, (1 - delta_3 - delta_4) * beta)
"""The bounds on the three probabilities."""
NAMES = ("sampling", "cells", "noise")
"""The three sources of error, numbered 1, 2, 3 in the sources."""
plain = {symbol: sp.Symbol(symbol.name, real=True) for symbol in (epsilon, alpha, delta_1, delta_2)}
"""The symbols without assumptions, which the solvers are told instead."""


@dataclass(frozen=True)
class AccuracyTerms:
    """The split of the error and what follows from it.

    Attributes
    ----------
    gap
        Difference of the two probabilities.
    thresholds
        The least deviation of the sample, of the cells and of the noise for each event.
    sampling, cells, noise
        The bounds on the three probabilities; the last is the probability itself.
    sizes
        The least real sample sizes for which they are at most ``delta_3 beta``, ``delta_4 beta`` and the rest.
    """

    gap: sp.Expr
    thresholds: tuple[sp.Expr, sp.Expr, sp.Expr]
    sampling: sp.Expr
    cells: sp.Expr
    noise: sp.Expr
    sizes: tuple[sp.Expr, sp.Expr, sp.Expr]


@cache
def accuracy_terms(pair: str) -> AccuracyTerms:
    """Compute everything from the two probabilities."""
    gap = PAIRS[pair][1] - PAIRS[pair][0]
    thresholds = (alpha * SHARES[0], gap * alpha * SHARES[1], alpha * SHARES[2])
    sampling, cells = (two_sided(m, distance) for distance in thresholds[:2])
    noise = laplace_tail(1 / (epsilon * m), thresholds[2])
    sizes = tuple(map(least_size, (sampling, cells, noise), GOALS))
    return AccuracyTerms(gap, thresholds, sampling, cells, noise, sizes)


def total_bound(terms: AccuracyTerms) -> sp.Expr:
    """The sum of the three bounds."""
    return terms.sampling + terms.cells + terms.noise


def rate(bound: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """Factor and rate of a bound ``factor * exp(-rate * m)``."""
    factor = bound.subs(m, 0)
    speed = sp.simplify(-sp.diff(bound, m) / bound)
    return factor, speed


def least_size(bound: sp.Expr, goal: sp.Expr) -> sp.Expr:
    """The size at which ``factor * exp(-rate * m)`` equals the goal, by solving for the exponent."""
    factor, speed = rate(bound)
    return sp.log(factor / goal) / speed


def bounds_of(terms: AccuracyTerms) -> tuple[sp.Expr, sp.Expr, sp.Expr]:
    """The bounds on the three probabilities."""
    return terms.sampling, terms.cells, terms.noise


def stated_total(pair: str, total: sp.Symbol, third: sp.Symbol) -> tuple[str, ...]:
    """The bound on the probability of an error, formally: the lemmas on sums and on tails are assumptions."""
    tails = (*sp.symbols("p_1 p_2", nonnegative=True), third)
    bounds = bounds_of(accuracy_terms(pair))
    given = (sp.Le(total, sum(tails)), *(sp.Le(tail, bound) for tail, bound in zip(tails, bounds, strict=True)))
    return symbolic(sp.Le(total, sum(bounds)), given=given)


_JUST_FROM = (
    r"A bound $c\,e^{-rm}$ with $r > 0$ decreases in $m$. So it is at most its goal if and only if $m \ge m_i$."
)


def decreasing(pair: str) -> tuple[Step, ...]:
    """The three bounds decrease with the size of the sample."""
    factor, speed = sp.symbols("c r", positive=True)
    generic = factor * sp.exp(-speed * m)
    return (
        equal("decreasing", _JUST_FROM, r"\frac{d}{dm}\, c\,e^{-rm}", lambda: sp.diff(generic, m), -speed * generic),
        rates(pair),
    )


_POSITIVE = r"The three rates are positive for $\delta_1, \delta_2$ in the open interval."


def rates(pair: str, name: str = "rates", text: str = _POSITIVE) -> Step:
    """The rates of the three bounds are positive."""
    terms, gap = accuracy_terms(pair), sp.Symbol("g", real=True)
    inside = (
        *(plain[one] > 0 for one in (delta_1, delta_2, alpha, epsilon)),
        *(plain[one] < 1 for one in (delta_1, delta_2)),
    )
    positive = [
        Inequality(
            f"accuracy.{pair}.rate_{source}",
            sp.Integer(0),
            rate(bound)[1].subs(terms.gap, gap).subs(plain),
            (*inside, gap > 0),
            strict=True,
            raised=sp.Integer(1),
        ).discharge()
        for source, bound in zip(NAMES, bounds_of(terms), strict=True)
    ]
    return lemma(name, text, positive, (r"r_1, r_2, r_3 &> 0",))


def goals_add_up() -> Step:
    """The three goals add up to beta."""
    return equal(
        "goals_add_up",
        r"The three goals add up; so for an integer $m \ge \max(m_1, m_2, m_3)$, $m \le U$:",
        r"P(|\tilde d - d(\mathcal{S})| \ge \alpha) \le \delta_3\beta + \delta_4\beta + (1-\delta_3-\delta_4)\beta",
        sum(GOALS),
        beta,
        lines=(
            r"P(|\tilde d - d(\mathcal{S})| \ge \alpha) &\le \delta_3\beta + \delta_4\beta + "
            r"(1-\delta_3-\delta_4)\beta = \beta",
        ),
    )


BUDGETS = (Fraction(1, 20), Fraction(1, 10), Fraction(1, 5), Fraction(3, 10), Fraction(2, 5), Fraction(1, 2))
"""Budgets at which sizes are certified."""
ACCURACY, FAILURE = Fraction(1, 10), Fraction(1, 20)
"""Alpha and beta for which sizes are certified."""

FIRST, SECOND = plain[delta_1], plain[delta_2]
"""The two shares, which may be 0 and 1."""

CLOSED = {delta_1: FIRST, delta_2: SECOND}
"""The shares of the open square, as those of the closed one."""

OF_PAIR = {"dwork": "fair first bit", "optimal": "optimal pair"}

BOX = dict.fromkeys((FIRST, SECOND), (sp.S.Zero, sp.S.One))
"""The closed square of the shares."""

LOGARITHM = sp.Symbol("L", positive=True)
"""The logarithm of one over the probability of failure."""

STEP = sp.Symbol("q", positive=True)
PATH = {delta_1: 1 - STEP, delta_2: STEP**2, epsilon: STEP**4}
"""The path on which the first and the third size are of smaller order than the second, as ``q`` tends to 0."""

LIMITS = {"dwork": sp.Integer(8), "optimal": sp.Integer(2)}
"""The limits of ``epsilon^2 m_opt``, as multiples of ``log(2/beta)/alpha^2``."""
_TYPICAL = {alpha: ACCURACY, beta: FAILURE, delta_3: Fraction(1, 3), delta_4: Fraction(1, 3)}


@dataclass(frozen=True)
class Minimum:
    """The minimum of the bound over the square of shares.

    Attributes
    ----------
    low, high
        The minimum lies between them.
    shares
        Shares at which the bound is at most ``high``.
    """

    low: Fraction
    high: Fraction
    shares: tuple[Fraction, Fraction]

    @property
    def point(self) -> dict[sp.Symbol, sp.Rational]:
        """The shares by their symbols."""
        return dict(zip((FIRST, SECOND), map(sp.Rational, self.shares), strict=True))


@cache
def tightest_beta(
    size: int, eps: Fraction, accuracy: Fraction, pair: str = "dwork", *, width: Fraction = Fraction(1, 10**9)
) -> Minimum:
    """Enclose the tightest bound on the probability of error: floating point proposes the shares, balls decide.

    Parameters
    ----------
    size, eps, accuracy
        Sample size, epsilon and alpha.
    pair
        ``"dwork"`` or ``"optimal"``: which cells are kept.
    width
        Width of the enclosure.

    Raises
    ------
    ArithmeticError
        If balls do not show that the bound is nowhere lower.
    """
    high, shares = near_minimum(size, eps, accuracy, pair)
    if not exceeds(size, eps, accuracy, high - width, pair):
        raise ArithmeticError(f"the width {width} was not reached")
    return Minimum(high - width, high, shares)


def near_minimum(
    size: int, eps: Fraction, accuracy: Fraction, pair: str = "dwork"
) -> tuple[Fraction, tuple[Fraction, Fraction]]:
    """The bound at shares near its minimum, rounded up by a ball, and these shares."""
    shares, _ = _best(size, eps, accuracy, pair)
    point = dict(zip((FIRST, SECOND), map(sp.Rational, shares), strict=True))
    mantissa, exponent = enclosure(in_the_square(pair), {**_at(size, eps, accuracy), **point}).upper().man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent), shares


def exceeds(size: int, eps: Fraction, accuracy: Fraction, target: Fraction, pair: str = "dwork") -> bool:
    """Whether balls show that the bound is above ``target`` on the whole square; ``False`` means not shown."""
    value, shares = near_minimum(size, eps, accuracy, pair)
    asked = exceeds_on_box(
        "exceeds",
        in_the_square(pair),
        sp.Rational(target),
        BOX,
        [_at(size, eps, accuracy)],
        close=[dict(zip((FIRST, SECOND), shares, strict=True))],
        stronger=sp.Rational(abs(value - target)) + 1,
    )
    return asked.status is Status.DISCHARGED


def _at(size: int, eps: Fraction, accuracy: Fraction) -> dict[sp.Symbol, sp.Expr]:
    return {m: sp.Integer(size), epsilon: sp.Rational(eps), alpha: sp.Rational(accuracy)}


@dataclass(frozen=True)
class SampleSize:
    """The least sample size for which the tightest bound is at most ``beta``, as floating point finds it.

    Attributes
    ----------
    size
        The size.
    shares
        Shares with which it suffices.
    """

    size: int
    shares: tuple[Fraction, Fraction]


@cache
def sample_size(eps: Fraction, accuracy: Fraction, target: Fraction, pair: str = "dwork") -> SampleSize:
    """The least sample size; :func:`certified_sizes` asks balls."""

    def reaches(size: int) -> bool:
        return _best(size, eps, accuracy, pair)[1] <= float(target)

    low, high = 1, 2
    while not reaches(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reaches(middle) else (middle, high)
    return SampleSize(high, _best(high, eps, accuracy, pair)[0])


def _best(size: int, eps: Fraction, accuracy: Fraction, pair: str) -> tuple[tuple[Fraction, Fraction], float]:
    """Shares near the minimum and the bound there, by nested golden-section search."""
    value = partial(_in_floats(pair), size, float(eps), float(accuracy))
    first, _ = _golden(lambda share: _golden(partial(value, share))[1])
    second, least = _golden(partial(value, first))
    return (Fraction(first).limit_denominator(10**9), Fraction(second).limit_denominator(10**9)), least


@cache
def _in_floats(pair: str) -> Callable[..., float]:
    function: Callable[..., float] = sp.lambdify((m, epsilon, alpha, FIRST, SECOND), in_the_square(pair), "math")
    return function


def _golden(function: Callable[[float], float], low: float = 0.0, high: float = 1.0) -> tuple[float, float]:
    ratio = (math.sqrt(5) - 1) / 2
    left, right = high - ratio * (high - low), low + ratio * (high - low)
    at_left, at_right = function(left), function(right)
    while high - low > 1e-10:
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = high - ratio * (high - low)
            at_left = function(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + ratio * (high - low)
            at_right = function(right)
    return (left, at_left) if at_left <= at_right else (right, at_right)


def in_the_square(pair: str) -> sp.Expr:
    """The sum of the three bounds, for shares in the closed square."""
    return total_bound(accuracy_terms(pair)).xreplace(CLOSED)


def closed_square() -> tuple[sp.Basic, ...]:
    """That the shares lie in the closed square."""
    return tuple(end for share in (FIRST, SECOND) for end in (sp.Ge(share, 0), sp.Le(share, 1)))


def certified_sizes(name: str, pair: str, budgets: Sequence[Fraction] = BUDGETS) -> tuple[Obligation, Obligation]:
    """The obligations that the optimal sizes are enough with the shares that were found, and that one less is not."""
    sizes, bound = [sample_size(eps, ACCURACY, FAILURE, pair) for eps in budgets], in_the_square(pair)
    points = [dict(zip((FIRST, SECOND), one.shares, strict=True)) for one in sizes]
    cases = _cases(pair, budgets)
    return (
        related_in_every_case(
            f"{name}.enough",
            f"the bound at m*, for the shares found ({pair})",
            le(bound, beta),
            [{**case, **point} for case, point in zip(cases, points, strict=True)],
            mutant=le(bound, beta * sp.Rational(99, 100)),
            parameters=(epsilon, m, alpha, beta, FIRST, SECOND),
        ),
        exceeds_on_box(
            f"{name}.one_less",
            bound.xreplace({m: m - 1}),
            beta,
            BOX,
            cases,
            close=points,
            stronger=sp.Rational(1, 1000),
        ),
    )


def stated_certified_sizes(pair: str, budgets: Sequence[Fraction] = BUDGETS) -> tuple[str, ...]:
    """The same, formally."""
    bound, cases = in_the_square(pair), _cases(pair, budgets)
    shares = [sample_size(eps, ACCURACY, FAILURE, pair).shares for eps in budgets]
    points = [dict(zip((FIRST, SECOND), one, strict=True)) for one in shares]
    return (
        *symbolic(
            le(bound, beta),
            given=(one_of({**case, **point} for case, point in zip(cases, points, strict=True)),),
        ),
        *symbolic(gt(bound.xreplace({m: m - 1}), beta), given=(*closed_square(), one_of(cases))),
    )


def _cases(pair: str, budgets: Sequence[Fraction]) -> list[dict[sp.Symbol, sp.Expr]]:
    fixed = {alpha: sp.sympify(ACCURACY), beta: sp.sympify(FAILURE)}
    return [
        {epsilon: sp.sympify(eps), m: sp.Integer(sample_size(eps, ACCURACY, FAILURE, pair).size), **fixed}
        for eps in budgets
    ]


def widest_cells(pair: str) -> sp.Expr:
    """The cells' bound at ``delta_1 = 1``, ``delta_2 = 0``, the least that it is for any shares."""
    return accuracy_terms(pair).cells.xreplace({delta_1: sp.S.One, delta_2: sp.S.Zero})


def cells_alone(name: str, pair: str, bound: sp.Expr = beta) -> Step:
    """If the three bounds add up to the probability of failure at most, the cells' widest bound is less."""
    terms = accuracy_terms(pair)
    factor, speed = rate(widest_cells(pair))
    share = Inequality(
        f"{name}.share",
        FIRST**2 * (1 - SECOND) ** 2,
        sp.S.One,
        closed_square(),
    )
    rest = (terms.sampling + terms.noise).xreplace(CLOSED)
    return lemma(
        name,
        r"The bound of the cells is at least that at $\delta_1 = 1$, $\delta_2 = 0$, and the other two are positive. "
        rf"({OF_PAIR[pair].capitalize()}.)",
        widest_term(name, factor, m * speed, share, rest, bound),
        (rf"{tex(widest_cells(pair))} &< {tex(bound)}",),
    )


def stated_cells_alone(pair: str, bound: sp.Expr = beta) -> tuple[str, ...]:
    """The same, formally."""
    total = le(in_the_square(pair), bound)
    return symbolic(lt(widest_cells(pair), bound), given=(*closed_square(), total))


def stated_floor(pair: str) -> tuple[str, ...]:
    """Formally: from the cells' widest bound to the lower bound of the size, with ``beta = exp(-L)``."""
    gap = {sp.tanh(epsilon / 2): t}
    cells = lt(widest_cells(pair).xreplace(gap), sp.exp(-LOGARITHM))
    return symbolic(gt(m, floor(pair).xreplace(gap)), given=(cells,))


def floor(pair: str) -> sp.Expr:
    """The lower bound of the size, with ``beta = exp(-L)``."""
    return (sp.log(2) + LOGARITHM) / rate(widest_cells(pair))[1]


def size_limits(name: str, pair: str) -> tuple[Obligation, ...]:
    """The obligations that the three sizes, times ``epsilon^2``, have their limits on the path of the shares."""
    path = [
        tends_to(f"{name}.{number}", size, STEP, sp.S.Zero, value, at=_TYPICAL)
        for number, (size, value) in enumerate(_limits(pair))
    ]
    meet = tends_to(f"{name}.meet", _second(pair), delta_4, sp.S.One, _least(pair), side="-", at=_TYPICAL)
    return (*path, meet)


def stated_size_limits(pair: str) -> tuple[str, ...]:
    """The same, formally."""
    rest = lt(delta_3 + delta_4, 1)
    equations = (eq(sp.Limit(size, STEP, 0), value) for size, value in _limits(pair))
    return (
        *symbolic(*equations, given=(rest,)),
        *symbolic(eq(sp.Limit(_second(pair), delta_4, 1, "-"), _least(pair))),
    )


def _limits(pair: str) -> tuple[tuple[sp.Expr, sp.Expr], ...]:
    sizes = [(epsilon**2 * size).xreplace(PATH) for size in accuracy_terms(pair).sizes]
    return tuple(zip(sizes, (sp.S.Zero, _second(pair), sp.S.Zero), strict=True))


def _second(pair: str) -> sp.Expr:
    return LIMITS[pair] * sp.log(2 / (beta * delta_4)) / alpha**2


def _least(pair: str) -> sp.Expr:
    return LIMITS[pair] * sp.log(2 / beta) / alpha**2
