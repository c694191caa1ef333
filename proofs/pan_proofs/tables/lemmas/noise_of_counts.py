"""Noisy counts of several sets of attributes, for one replaced record: Laplace noise and Gaussian noise."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import sympy as sp

from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import eq, le
from pan_proofs.engines.vectors import Induction, sum_over_entries
from pan_proofs.ledger.claim import Step, Steps, symbolic
from pan_proofs.ledger.lengths_and_limits import for_every_length
from pan_proofs.ledger.steps import at_most, related
from pan_proofs.tables.lemmas.shares import entered, left
from pan_proofs.tables.lemmas.small_tables import Records, adjacent, change, counts

Measure: TypeAlias = Callable[[Records, Records, Sequence[Sequence[int]]], int]
"""A measure of the change of the counts of some sets of attributes."""

budget = sp.Symbol("epsilon", positive=True)
rho = sp.Symbol("rho", positive=True)
part = sp.Symbol("w", positive=True)
"""The share of the budget that the counts have."""
number = sp.Symbol("r", positive=True)
"""The number of sets of attributes."""
_MOVED = (le(sp.Abs(left), 1), le(sp.Abs(entered), 1))
_entry = sp.Symbol("t", real=True)
_sets = sp.Symbol("m", integer=True, nonnegative=True)
_changes = sp.Symbol("T", real=True)
_EACH = (le(_entry, 2),)
TOGETHER = le(_changes, 2 * _sets)
_change, _squares = sp.symbols("C S", nonnegative=True)
LAPLACE = le(_change / (2 * number / (part * budget)), part * budget)
"""The loss of Laplace noise of scale ``2 r / (w epsilon)``."""
GAUSSIAN = le(_squares / (2 * (number / (part * rho))), part * rho)
"""The loss of Gaussian noise of variance ``r / (w rho)``."""
ALL = (le(_change, 2 * number),)
ALL_SQUARES = (le(_squares, 2 * number),)
_found, _found_squares = sp.symbols("L Q")
_SHAPES = (((2, 2), 3), ((2, 3), 2), ((2, 2, 2), 2))


def noise_of_counts() -> Steps:
    """The changes of one set and of all sets, and both losses."""
    return (
        at_most(
            "one_record",
            r"A record leaves one cell of each set of attributes, and enters one. The squares of the changes add up to "
            r"$2$ at most, as the changes do.",
            Inequality(
                "noise_of_counts.squares",
                left**2 + entered**2,
                sp.Integer(2),
                _MOVED,
                touching={left: -1, entered: 1},
            ),
        ),
        for_every_length(
            "all_sets",
            r"The sets together: $t_1, \ldots, t_m$ are the changes of $m$ sets, as L1 norms or as squared L2 norms.",
            Induction(
                "noise_of_counts.sets",
                TOGETHER,
                _sets,
                (_entry,),
                {_changes: _changes + _entry},
                ((2,), (2,)),
                {},
                _EACH,
            ),
            r"t_1 + \ldots + t_m &\le 2 m",
        ),
        _attained(
            "attained",
            r"Two records that differ in every attribute attain it. Over all small tables the largest change $L$ of "
            r"the counts of $r$ sets, in the L1 norm, is",
            _found,
            change,
            r"L = \max \lVert c - c' \rVert_1 &= 2 r",
        ),
        _attained(
            "squares_attained",
            r"The largest change $Q$ in the squared L2 norm is",
            _found_squares,
            _squared,
            r"Q = \max \lVert c - c' \rVert_2^2 &= 2 r",
        ),
        at_most(
            "loss_of_laplace_noise",
            r"Laplace noise of scale $\frac{2 r}{w \varepsilon}$ has the loss",
            Inequality(
                "noise_of_counts.laplace",
                LAPLACE.lhs,
                LAPLACE.rhs,
                ALL,
                touching={_change: 4, number: 2, part: sp.Rational(1, 2), budget: 1},
            ),
            lines=r"C \Big/ \frac{2 r}{w \varepsilon} &\le w \varepsilon",
        ),
        at_most(
            "loss_of_gaussian_noise",
            r"Gaussian noise of variance $\sigma^2 = \frac{r}{w \rho}$ has the zCDP loss $\frac{S}{2 \sigma^2}$ for "
            r"changes whose squares add up to $S$.",
            Inequality(
                "noise_of_counts.gaussian",
                GAUSSIAN.lhs,
                GAUSSIAN.rhs,
                ALL_SQUARES,
                touching={_squares: 4, number: 2, part: sp.Rational(1, 2), rho: 1},
            ),
            lines=r"S \Big/ \frac{2 r}{w \rho} &\le w \rho",
        ),
    )


def stated_noise() -> tuple[str, ...]:
    """The changes, that they are attained, and both losses, formally."""
    numbers = sp.Or(*(eq(number, size) for size in (1, 2, 3)))
    return (
        *symbolic(le(left**2 + entered**2, 2), given=_MOVED),
        *symbolic(
            TOGETHER,
            given=(*_EACH, sp.Ge(_sets, 0)),
            where={_changes: sum_over_entries(_entry, (_entry,), _sets)},
        ),
        *symbolic(eq(_found, 2 * number), given=(numbers,)),
        *symbolic(eq(_found_squares, 2 * number), given=(numbers,)),
        *symbolic(LAPLACE, given=ALL),
        *symbolic(GAUSSIAN, given=ALL_SQUARES),
    )


def _attained(name: str, text: str, found: sp.Symbol, measure: Measure, line: str) -> Step:
    return related(
        name,
        text,
        "the largest changes of the counts of all single attributes, and of all pairs along a path",
        eq(found, 2 * number),
        _cases(found, measure),
        mutant=eq(found, number),
        parameters=(number,),
        lines=(line,),
    )


def _cases(found: sp.Symbol, measure: Measure) -> Iterator[dict[sp.Symbol, int]]:
    for sizes, rows in _SHAPES:
        width = len(sizes)
        for sets in ([(one,) for one in range(width)], [(one, one + 1) for one in range(width - 1)]):
            yield {found: max(measure(one, other, sets) for one, other in adjacent(sizes, rows)), number: len(sets)}


def _squared(one: Records, other: Records, sets: Sequence[Sequence[int]]) -> int:
    """The sum over sets of attributes of the squared l2 distances between their joint counts."""
    total = 0
    for attributes in sets:
        first, second = counts(one, attributes), counts(other, attributes)
        total += sum((first[value] - second[value]) ** 2 for value in set(first) | set(second))
    return total
