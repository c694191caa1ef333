"""The distribution of the level counts of the distinct counter, and the least error of an estimate from them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import sympy as sp

from pan_proofs.density.lemmas.joint_loss import p0, p1
from pan_proofs.engines.independent_sums import Distribution, Powers, moment_of_sum
from pan_proofs.engines.relations import eq, ge, le
from pan_proofs.foundations.linear_expectations import expectation, residual
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, derived, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.lengths_and_limits import moment, over_entries
from pan_proofs.ledger.steps import bounded, enumerated

Pair = tuple[Fraction, Fraction]
"""The probabilities of a one at first and after a touch."""


@dataclass(frozen=True)
class Cells:
    """Cells of one span in a small universe of indices, and a number of users whose indices are independent.

    Attributes
    ----------
    size
        The number of indices.
    cells
        The number of cells.
    span
        The number of indices of each cell; the other indices belong to none.
    users
        The number of users.
    """

    size: int
    cells: int
    span: int
    users: int

    @property
    def rate(self) -> Fraction:
        """The probability that a user touches a given cell."""
        return Fraction(self.span, self.size)

    def touched(self) -> Iterator[tuple[frozenset[int], Fraction]]:
        """For each way in which the users can fall: the touched cells, and its probability."""
        weight = Fraction(1, self.size**self.users)
        for indices in product(range(self.size), repeat=self.users):
            yield frozenset(one // self.span for one in indices if one < self.cells * self.span), weight

    def untouched(self, *places: int) -> Fraction:
        """The probability that all of some cells are untouched."""
        return sum((weight for touched, weight in self.touched() if not touched & {*places}), Fraction(0))

    def moments(self, pair: Pair) -> tuple[Fraction, Fraction]:
        """The mean and the variance of the number of ones: bits are independent given the touched cells."""
        first = second = Fraction(0)
        for touched, weight in self.touched():
            chances = [pair[cell in touched] for cell in range(self.cells)]
            mean, spread = sum(chances, Fraction(0)), sum((one * (1 - one) for one in chances), Fraction(0))
            first, second = first + weight * mean, second + weight * (mean**2 + spread)
        return first, second - first**2


def stated_moments(cells: Cells, pair: Pair, *, dependent: bool = True) -> tuple[Fraction, Fraction]:
    """The mean and the variance by the formulas: with the covariance of two cells, or without it."""
    low, high = pair
    one, both = (1 - cells.rate) ** cells.users, (1 - 2 * cells.rate) ** cells.users
    chance = high - (high - low) * one
    covariance = (high - low) ** 2 * (both - one**2) * dependent
    return cells.cells * chance, cells.cells * chance * (1 - chance) + cells.cells * (cells.cells - 1) * covariance


_spread, _information, _variance = sp.symbols("w I v", positive=True)
_slope = sp.Symbol("mu", real=True)
_levels = sp.Symbol("k", integer=True, nonnegative=True)
_whole, _least = sp.symbols("A J", real=True)
_of_a_level, _of_two_moments = sp.symbols("i j", real=True)


def score_part() -> Part:
    """The bound of Cramér and Rao."""
    return Part(
        Role.PUBLISHED,
        "the least variance",
        r"An unbiased estimate of $\log n$ with the variance $w$ from observations with the Fisher information $I > 0$ "
        r"has $w \ge \frac1I$.",
        (
            equal_as(
                "cramer_rao",
                r"The distribution of all bits is finite, and smooth in $\theta = \log n$. The counts with noise are "
                r"a finite "
                r"mixture of fixed distributions. So the derivative of an expectation is the expectation with the "
                r"derivative of "
                r"the density. Let $s$ be the score, the derivative of the logarithm of the density, with $E[s] = 0$ "
                r"and $E[s^2] = I$. For an unbiased estimate $g$, $E[g s]$ is the derivative of $E[g] = \theta$, "
                r"which is $1$. With $h = g - \theta$ and $w = E[h^2]$, a square is not negative.",
                (lambda: residual(_spread, sp.S.One, _information), _spread - 1 / _information),
                r"0 \le E\left[\left(h - \tfrac{s}{I}\right)^2\right] &= w - \frac1I",
            ),
        ),
        formal=symbolic(
            ge(_spread, 1 / _information),
            given=(ge(residual(_spread, sp.S.One, _information), 0),),
        ),
    )


def information_part() -> Part:
    """The information of independent counts is at least that of two moments, and a linear estimate uses the latter."""
    total = sp.Symbol("J", positive=True)
    weight, part = _slope / _variance / total, _slope**2 / _variance
    square = residual(_information, _slope, _variance)
    all_counts = over_entries(
        "all_counts",
        r"The scores of independent counts are independent with mean $0$. So the information of any number of counts "
        r"is the sum of theirs.",
        ge(_whole, _least),
        _levels,
        {_whole: _of_a_level, _least: _of_two_moments},
        (_of_a_level, _of_two_moments),
        ((1, 1), (2, 2)),
        r"\sum_l I_l &\ge \sum_l \frac{\mu_l'^2}{v_l}",
        (ge(_of_a_level, _of_two_moments),),
        raised=sp.Rational(1, 1000),
    )
    return derived(
        Role.PUBLISHED,
        "counts by two moments",
        r"Independent counts with the variances $v_l$ and the derivatives $\mu_l'$ of their means have an information "
        r"of at least $J = \sum_l \mu_l'^2/v_l$. The linear estimate with the weights $\mu_l'/(v_l J)$ has the "
        r"derivative $1$ of its mean, and the variance $\frac1J$.",
        equal_as(
            "one_count",
            r"Let $X$ be a count with the score $s$, $h = X - \mu$. Then $E[h s] = \mu'$, and",
            (lambda: residual(_information, _slope, _variance), _information - part),
            r"0 \le E\left[\left(s - \tfrac{\mu'}{v} h\right)^2\right] &= I - \frac{\mu'^2}{v}",
        ),
        all_counts,
        equal_as(
            "linear",
            r"A level adds its part of $1$ to the derivative of the mean of the linear estimate,",
            (lambda: weight * _slope, part / total),
            r"\frac{\mu_l'}{v_l J}\,\mu_l' &= \frac{1}{J} \cdot \frac{\mu_l'^2}{v_l}",
        ),
        equal_as(
            "linear_variance",
            r"It adds the same part of $\frac1J$ to the variance.",
            (lambda: weight**2 * _variance, part / total**2),
            r"\left(\frac{\mu_l'}{v_l J}\right)^2 v_l &= \frac{1}{J^2} \cdot \frac{\mu_l'^2}{v_l}",
        ),
        only=("all_counts",),
        formal=symbolic(ge(_information, part), given=(ge(square, 0),)),
    )


_rate = sp.Symbol("f", real=True)
_width = sp.Symbol("W", integer=True, positive=True)
_mean_users = sp.Symbol("lambda", positive=True)
_chance, _untouched = sp.symbols("q z", real=True)
_noise_mean, _noise_spread = sp.symbols("nu V", real=True)
_CELLS = [
    Cells(size, cells, span, users) for size, cells, span in ((4, 2, 1), (5, 2, 2), (4, 4, 1)) for users in range(1, 5)
]
_PAIR = (Fraction(1, 3), Fraction(3, 4))


def distinct_error() -> Claim:
    """Untouched cells, moments of the counts, and the bounds of information."""
    return Claim(
        id="distinct.error",
        title="The distribution of the level counts of the distinct counter, and its least error",
        references=(Reference("here", "for the distinct counter"),),
        statement=r"Let a user touch a given cell of a level with probability $f$ and no other cell then, "
        r"independently of other users. A level has $W$ cells. Its noisy number of ones is released, with noise of "
        r"mean $\nu$ and variance $V$. If the number of users is Poisson with mean $n$, the cells are independent, "
        r"and the count has the mean $W q + \nu$ and the variance $W q (1 - q) + V$, $q = p_{\mathrm{upd}} - "
        r"(p_{\mathrm{upd}} - p_{\mathrm{init}}) e^{-n f}$. For exactly $n$ users the same holds with $(1-f)^n$ in the "
        r"place of $e^{-n f}$, and with a variance that is at most this. Every unbiased estimate of $\log n$ from the "
        r"counts has a variance of at least the inverse of the Fisher information. The information of independent "
        r"levels is at least $J = \sum_l \mu_l'^2/v_l$, with the variances $v_l$ and the derivatives $\mu_l'$ of the "
        r"means in $\log n$. A linear estimate that is unbiased near one $n$ has the variance $\frac1J$ there.",
        hypotheses=(
            r"$0 \le f \le \frac12$",
            r"$0 < p_{\mathrm{init}} < p_{\mathrm{upd}} < 1$",
            "the noise is independent of the bits, and has a finite variance",
            "estimates have a finite variance",
        ),
        notation=(
            ("$k$", "in a sum over a Poisson number of users: this number"),
            (
                "$X$, $N$",
                "number of ones of a level, and its noise; where information is bounded, $X$ is a noisy count",
            ),
            (
                r"$\mu$, $\mu'$, $v$",
                r"mean of a single count, the derivative of the mean in $\log n$, and the variance of the count",
            ),
            ("$I$, $I_l$", r"information on $\log n$, and that of the count of the level $l$"),
        ),
        silent=("The hash gives each user an index that is uniform and independent of those of others.",),
        uses=("distinct.order_free",),
        in_words=(
            (
                "untouched",
                "the users fall independently, so that for each of them one factor is added, for every number of users",
            ),
            (
                "independent",
                "a Poisson number of users that is divided among the cells gives independent Poisson numbers, "
                "so that all cells are independent",
            ),
            (
                "covariance",
                "the displayed covariance holds for every number of users and cells; the listing is for up to "
                "four users",
            ),
            (
                "cramer_rao",
                "the derivative of an expectation is the expectation with the derivative of the density; so "
                r"$E[s] = 0$ and $E[h s] = 1$",
            ),
            (
                "all_counts",
                r"the scores of independent counts are independent with mean $0$, so that the information of all "
                "counts is the sum of theirs",
            ),
        ),
        parts=(_one_cell(), _poisson(), _fixed(), score_part(), information_part()),
        remark=r"The relative error of an estimate of $n$ is, to first order, the error of $\log n$. For exactly $n$ "
        r"users the levels are dependent; the counter then uses the distribution of two moments with this covariance.",
    )


def _one_cell() -> Part:
    tail = sp.Symbol("k", integer=True, nonnegative=True)

    def poisson(share: sp.Expr) -> sp.Expr:
        weight = sp.exp(-_mean_users) * _mean_users**tail / sp.factorial(tail)
        return sp.summation(weight * (1 - share) ** tail, (tail, 0, sp.oo))

    positive = sp.Symbol("f", positive=True)
    return Part(
        Role.PUBLISHED,
        "an untouched cell",
        r"A cell is untouched with probability $(1-f)^n$ by $n$ users, and with $e^{-\lambda f}$ by Poisson many with "
        r"mean $\lambda$; then two cells are independent. Its bit is one with probability $q = p_{\mathrm{upd}} - "
        r"(p_{\mathrm{upd}} - p_{\mathrm{init}}) z$, where $z$ is this probability.",
        (
            enumerated(
                "untouched",
                r"Each of $n$ users leaves a cell out with probability $1 - f$, and two cells of one level with "
                r"probability $1 - 2f$, independently of the others.",
                "listing where all users fall gives these powers, for up to four users and five indices",
                _CELLS,
                lambda one: (
                    (one.untouched(0), one.untouched(0, 1))
                    == ((1 - one.rate) ** one.users, (1 - 2 * one.rate) ** one.users)
                ),
                # Two cells as if they were independent.
                mutant=lambda one: one.untouched(0, 1) == (1 - one.rate) ** (2 * one.users),
                lines=(r"P(\text{untouched}) = (1-f)^n, &\quad P(\text{both untouched}) = (1-2f)^n",),
            ),
            equal_as(
                "poisson",
                r"Averaged over a Poisson number of users,",
                (lambda: sp.simplify(poisson(positive)), sp.exp(-_mean_users * positive)),
                r"\sum_k e^{-\lambda} \frac{\lambda^k}{k!} (1-f)^k &= e^{-\lambda f}",
            ),
            equal_as(
                "independent",
                r"Both of two cells are untouched with the product of these probabilities. In general a Poisson number "
                r"of users is divided among the cells into independent Poisson numbers.",
                (lambda: sp.simplify(poisson(2 * positive)), sp.exp(-_mean_users * positive) ** 2),
                r"\sum_k e^{-\lambda} \frac{\lambda^k}{k!} (1-2f)^k &= e^{-2\lambda f}",
            ),
            equal_as(
                "bit",
                r"By distinct.order\_free the bit is $\operatorname{Bernoulli}(p_{\mathrm{init}})$ if the cell is "
                r"untouched, and otherwise $\operatorname{Bernoulli}(p_{\mathrm{upd}})$.",
                (
                    lambda: sum(w * p for w, p in ((_untouched, p0), (1 - _untouched, p1))),
                    p1 - (p1 - p0) * _untouched,
                ),
                r"z\,p_{\mathrm{init}} + (1-z)\,p_{\mathrm{upd}} &= p_{\mathrm{upd}} - (p_{\mathrm{upd}} - "
                r"p_{\mathrm{init}})\,z",
            ),
        ),
        formal=symbolic(
            eq(_untouched * p0 + (1 - _untouched) * p1, p1 - (p1 - p0) * _untouched),
            where={_untouched: sp.exp(-_mean_users * positive)},
        ),
    )


def _poisson() -> Part:
    def single(powers: Powers) -> sp.Expr:
        return _chance if any(powers) else sp.S.One

    distribution: Distribution = {(Fraction(0),): Fraction(2, 3), (Fraction(1),): Fraction(1, 3)}
    at = {_chance: sp.Rational(1, 3), _width: sp.Integer(4)}
    square = _width * _chance + _width * (_width - 1) * _chance**2
    ones, noise = sp.symbols("X N", real=True)
    known = {
        ones: _width * _chance,
        ones**2: square,
        noise: _noise_mean,
        noise**2: _noise_spread + _noise_mean**2,
        ones * noise: _width * _chance * _noise_mean,
    }

    def spread() -> sp.Expr:
        total = ones + noise
        first, second = (expectation(total**power, (ones, noise), known) for power in (1, 2))
        return sp.expand(second - first**2)

    return Part(
        Role.PUBLISHED,
        "the count of a level, for Poisson many users",
        r"The noisy count has the mean $W q + \nu$ and the variance $W q (1-q) + V$.",
        (
            moment(
                "mean",
                r"The number of ones is a sum of $W$ independent bits.",
                moment_of_sum("distinct_error.mean", (1,), single, _width, _width * _chance, distribution, at),
                (r"E[X] &= W q",),
            ),
            moment(
                "square",
                r"Its second moment is",
                moment_of_sum("distinct_error.square", (2,), single, _width, square, distribution, at),
                (r"E[X^2] &= W q + W (W-1) q^2",),
            ),
            equal_as(
                "spread",
                r"The noise is independent of the bits, so that",
                (spread, _width * _chance * (1 - _chance) + _noise_spread),
                r"\operatorname{Var}(X + N) &= W q (1-q) + V",
            ),
        ),
        formal=symbolic(
            eq(sp.Symbol("Var_X"), _width * _chance * (1 - _chance) + _noise_spread),
        ),
    )


def _fixed() -> Part:
    both, one = sp.symbols("a b", real=True)
    within = (_rate >= 0, 2 * _rate <= 1, both >= 0, both <= one)
    return derived(
        Role.PUBLISHED,
        "exactly n users",
        r"The covariance of two bits of a level is $(p_{\mathrm{upd}} - p_{\mathrm{init}})^2 \left((1-2f)^n - "
        r"(1-f)^{2n}\right) \le 0$. So the variance of a count is at most that of independent bits.",
        enumerated(
            "covariance",
            r"Given the touched cells the bits are independent, so that the covariance of two bits is that of the "
            r"probabilities of a one.",
            "the mean and the variance of the number of ones, with all ways in which users can fall, are these",
            _CELLS,
            lambda one: one.moments(_PAIR) == stated_moments(one, _PAIR),
            # Without the covariance.
            mutant=lambda one: one.moments(_PAIR) == stated_moments(one, _PAIR, dependent=False),
            lines=(
                r"\operatorname{Var}(X) &= W q (1-q) + W (W-1) (p_{\mathrm{upd}} - p_{\mathrm{init}})^2 "
                r"\left((1-2f)^n - (1-f)^{2n}\right)",
            ),
        ),
        bounded(
            "one_more_user",
            r"By induction over $n$, from $1 \le 1$ for no users: if $a = (1-2f)^n$ is at most $b = (1-f)^{2n}$, "
            r"the same holds for one more user.",
            le(both * (1 - 2 * _rate), one * (1 - _rate) ** 2),
            *within,
            lines=r"(1-2f)\,a &\le (1-f)^2\,b",
        ),
    )


CLAIMS = {"distinct.error": distinct_error}
