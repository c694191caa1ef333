"""Steps about ``R x`` released with Gaussian noise, for a right factor whose entries are not negative and do not rise.

``R`` is lower triangular and Toeplitz with entries ``r_0 >= r_1 >= ... >= 0``. Let ``a(i, j)`` be the inner product of
its columns i and j, and ``S`` the squared norm of its first column.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise

import sympy as sp

from pan_proofs.continual.pair_machines import bit_pairs
from pan_proofs.continual.streams import Bits, differences
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import le
from pan_proofs.engines.walks import Machine, Word, bounded_for_every_length
from pan_proofs.ledger.claim import Step, Steps
from pan_proofs.ledger.steps import at_most, enumerated, equal, lemma

_nearer, _farther, _entry = sp.symbols("r rprime u", nonnegative=True)
_sum, _bound = sp.symbols("X B", real=True)
_now, _next = sp.symbols("g gprime", real=True)
_last, _fresh = sp.symbols("a b", nonnegative=True)
_first, _second, _inner, _norm = sp.symbols("A B C S", nonnegative=True)
_square, _rho, _sigma = sp.symbols("q rho sigma", positive=True)
_distance, _delta, _root, _width, _grid, _allowed = sp.symbols("D Delta m eta h s", nonnegative=True)

ROOT = (Fraction(1), Fraction(1, 2), Fraction(3, 8), Fraction(5, 16), Fraction(35, 128), Fraction(63, 256))
"""The first entries ``binom(2k, k)/4^k`` of the square root of the prefix sum."""


def image(changes: Sequence[Fraction | int], entries: Sequence[Fraction] = ROOT) -> tuple[Fraction, ...]:
    """``R x`` for a factor with these entries, by default the square root of the prefix sum and at most 6 steps."""
    return tuple(
        sum((entries[time - place] * changes[place] for place in range(time + 1)), Fraction(0))
        for time in range(len(changes))
    )


def squared(changes: Sequence[Fraction | int], entries: Sequence[Fraction] = ROOT) -> Fraction:
    """The squared norm of ``R x``."""
    return sum((value * value for value in image(changes, entries)), Fraction(0))


@cache
def column(steps: int, entries: Sequence[Fraction] = ROOT) -> Fraction:
    """The squared norm of the first column."""
    return squared((1, *[0] * (steps - 1)), entries)


def columns() -> Steps:
    """Inner products of columns are not negative, and fall with the distance."""
    return (
        at_most(
            "inner_products_fall",
            r"$a(i, j) = \sum_{t \ge j} r_{t - i}\, r_{t - j}$. With $t = j + k$ each term is $r_{j - i + k}\, r_k$. "
            r"If $j$ grows by $1$, there is one term less, and in each of the others the first factor does not grow:",
            Inequality(
                "factored.fall",
                _farther * _entry,
                _nearer * _entry,
                (sp.Le(_farther, _nearer),),
            ),
            lines=r"r_{j + 1 - i + k}\, r_k &\le r_{j - i + k}\, r_k",
        ),
        enumerated(
            "inner_products_of_the_root",
            r"So $0 \le a(i, j + 1) \le a(i, j) \le a(i, i) \le S$ for $i \le j$. The square root of the prefix sum is "
            r"an example.",
            "six entries of the square root: the inner products of all columns are at least 0 and fall",
            [(i, j) for i in range(6) for j in range(i, 5)],
            lambda pair: 0 <= inner(pair[0], pair[1] + 1) <= inner(*pair) <= column(6),
            mutant=lambda pair: inner(*pair) <= inner(pair[0], pair[1] + 1),
        ),
    )


def inner(one: int, other: int, steps: int = 6) -> Fraction:
    """The inner product of two columns of the square root."""
    images = [image([int(place == chosen) for place in range(steps)]) for chosen in (one, other)]
    return sum((a * b for a, b in zip(*images, strict=True)), Fraction(0))


def later_changes() -> Steps:
    """Summation by parts, as an induction over the later changes."""
    return (
        equal(
            "first_later_change",
            r"Fix a change $v_i \ne 0$. By symmetry $v_i > 0$. Let $g_j$ be the difference of the two vectors after "
            r"step $j$, so that $v_j = g_j - g_{j - 1}$ and $g_j \le 1$. For $X_n = \sum_{i < j \le n} v_j a(i, j)$ "
            r"the bound $X_n + (1 - g_n)\, a(i, n) \le (1 - g_i)\, a(i, i + 1)$ holds for $n = i + 1$ with equality:",
            "",
            (_next - _now) * _fresh + (1 - _next) * _fresh,
            (1 - _now) * _fresh,
        ),
        at_most(
            "one_more_later_change",
            r"It passes from $n$ to $n + 1$, since $a = a(i, n)$ does not grow to $b = a(i, n + 1)$. Here $g = g_n$, "
            r"$g' = g_{n + 1}$, $X = X_n$, and $B$ is the right side.",
            Inequality(
                "factored.one_more",
                _sum + (_next - _now) * _fresh + (1 - _next) * _fresh,
                _bound,
                (
                    sp.Le(_sum + (1 - _now) * _last, _bound),
                    sp.Le(_fresh, _last),
                    sp.Le(_now, 1),
                    sp.Ge(_bound, 0),
                ),
            ),
            lines=r"X + (g' - g) b + (1 - g') b &\le X + (1 - g) a \le B",
        ),
    )


def cost(before: int, after: int) -> int:
    """The cost of a change of the difference, in squared norms, if others follow: ``v^2 + 2 abs(v) (1 - abs(g))``."""
    return (after - before) ** 2 + 2 * abs(after - before) * (1 - abs(after))


def _added(before: int, after: int, other: int, other_after: int, first: bool) -> int:
    gap, gap_after = before - other, after - other_after
    units = abs(after - before) + abs(other_after - other)
    return cost(gap, gap_after) - 2 * units + abs(gap_after) - abs(gap)


def costs_below_changes() -> Step:
    """At every length the cost is at most two for each change, less the last difference."""

    def computed(word: Word) -> int:
        one, other = zip(*word, strict=True)
        gaps = (0, *(a - b for a, b in word))
        paid = sum(cost(before, after) for before, after in pairwise(gaps))
        return paid - 2 * units(one, other) + abs(gaps[-1])

    return lemma(
        "costs_below_changes",
        r"So a change $v$ to $g$ costs at most $c(v, g) = v^2 + 2 \lvert v \rvert (1 - \lvert g \rvert)$ times $S$: a "
        r"change from $0$ costs $1$, one to $0$ costs $3$, one between $-1$ and $1$ costs $4$. Let $n$ be the number "
        r"of changes of both vectors up to a step. The costs up to it are at most $2 n - \lvert g \rvert$, for the "
        r"last difference $g$.",
        bounded_for_every_length(
            "factored.costs",
            "pairs of vectors: the costs minus 2 for each change of one, plus the last difference, are at most 0",
            bit_pairs(_added),
            0,
            by_definition=computed,
            up_to=5,
        ),
        lines=r"\sum c(v, g) &\le 2 n - \lvert g \rvert",
    )


def units(one: Bits, other: Bits) -> int:
    """The changes of two vectors."""
    return sum(map(abs, differences(one))) + sum(map(abs, differences(other)))


def parity() -> Step:
    """The number of changes of both vectors is odd if they end apart."""

    def step(state: tuple[int, int, int], letter: tuple[int, int]) -> tuple[tuple[int, int, int], int]:
        one, other, odd = state
        moved = (odd + abs(letter[0] - one) + abs(letter[1] - other)) % 2
        after = (moved + abs(letter[0] - letter[1])) % 2
        return (letter[0], letter[1], moved), after - (odd + abs(one - other)) % 2

    return lemma(
        "parity",
        r"$n + \lvert g \rvert$ is even.",
        bounded_for_every_length(
            "factored.parity",
            "pairs of vectors: the changes of both plus the last difference have the remainder 0 modulo 2",
            Machine((0, 0, 0), ((0, 0), (0, 1), (1, 0), (1, 1)), step),
            0,
            by_definition=lambda word: (units(*zip(*word, strict=True)) + abs(word[-1][0] - word[-1][1])) % 2,
            up_to=5,
        ),
    )


def two_columns(name: str, text: str) -> Step:
    """Two opposite changes cost at most two columns."""
    return at_most(
        name,
        text,
        Inequality(
            f"factored.{name}",
            TWO_COLUMNS.lhs,
            TWO_COLUMNS.rhs,
            TWO_COLUMNS_GIVEN,
        ),
        lines=r"a(i, i) + a(j, j) - 2 a(i, j) &\le 2 S",
    )


def rounding() -> Step:
    """The deviation that covers rounding."""
    moved = _delta + _root * (_width + _grid * _sigma)
    return at_most(
        "rounding",
        r"Let rounding add at most $\eta$ to the difference of a value between two neighbours, and the grid of the "
        r"noise $h \sigma$. Over $m^2$ values the distance grows from $\Delta$ to at most $\Delta + m (\eta + h "
        r"\sigma)$. For $\sigma = (\Delta + m \eta) / (s - m h)$ and $s^2 = 2 \rho$ the loss is at most $\rho$:",
        Inequality(
            "factored.rounding",
            _distance**2,
            2 * _rho * _sigma**2,
            (
                sp.Le(_distance, moved),
                sp.Eq(_sigma * (_allowed - _root * _grid), _delta + _root * _width),
                sp.Eq(_allowed**2, 2 * _rho),
            ),
        ),
        lines=r"\frac{D^2}{2 \sigma^2} &\le \rho",
    )


def calibrated(name: str, columns_paid: sp.Expr, text: str, at: dict[sp.Symbol, object]) -> Step:
    """The Gaussian mechanism for a squared sensitivity in columns."""
    return at_most(
        name,
        text,
        Inequality(
            f"factored.{name}",
            _square / (2 * (columns_paid * _norm / (2 * _rho))),
            _rho,
            (sp.Le(_square, columns_paid * _norm), sp.Gt(_norm, 0), sp.Gt(columns_paid, 0)),
        ),
    )


SQUARE, NORM, RHO = _square, _norm, _rho
TWO_COLUMNS = le(_first + _second - 2 * _inner, 2 * _norm)
TWO_COLUMNS_GIVEN = (sp.Le(_first, _norm), sp.Le(_second, _norm))
"""Two opposite changes: the squared norms A and B of their columns, the inner product C, and the largest norm S."""
