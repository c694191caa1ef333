"""The two Laplace distributions and their ratio: thesis, Figure 4.6."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from experiments.density.contenders import Setting
from experiments.toolkit.conditions import Condition, Fact, everywhere
from experiments.toolkit.figures import EXACT, PUBLISHED_FORMULA, Experiment, Row, Sheet
from experiments.toolkit.runs import Bench
from experiments.toolkit.sentence import Sentence

INITIAL, UPDATED, SCALE = Fraction(45, 100), Fraction(55, 100), Fraction(1)
"""As printed in the figure: means 0.45 and 0.55, scale 1, hence epsilon = 0.1."""

BUDGET = (UPDATED - INITIAL) / SCALE

PRINTED = (Fraction(456, 1000), Fraction(545, 1000))
"""The interval on which the source says that the budget is not consumed."""

_OUTSIDE = tuple(INITIAL - Fraction(step, 10) for step in range(31)) + tuple(
    UPDATED + Fraction(step, 10) for step in range(31)
)
_BETWEEN = tuple(INITIAL + (UPDATED - INITIAL) * Fraction(step, 100) for step in range(1, 100))
_SOURCE = "thesis, section 4.4.1"


def log_ratio(x: Fraction) -> Fraction:
    """The logarithm of ``f_upd(x)/f_init(x)``, in exact arithmetic: piecewise linear with breaks at the means."""
    return (abs(x - INITIAL) - abs(x - UPDATED)) / SCALE


def _fact(points: Sequence[Fraction], where: str, true: bool) -> Fact:
    return Fact(where, "used part of the budget", true, float(max(abs(log_ratio(x)) for x in points) / BUDGET), high=1)


def _tight_outside(setting: Setting, seed: int) -> Condition:
    return everywhere(
        [
            _fact(_OUTSIDE, "outside the means", all(abs(log_ratio(x)) == BUDGET for x in _OUTSIDE)),
            _fact(_BETWEEN, "between the means", all(abs(log_ratio(x)) < BUDGET for x in _BETWEEN)),
        ]
    )


def _uses_all(setting: Setting, seed: int) -> Condition:
    both = log_ratio(UPDATED) == BUDGET and log_ratio(INITIAL) == -BUDGET
    return everywhere([_fact((INITIAL, UPDATED), "at the two means", both)])


def _inside_printed(setting: Setting, seed: int) -> Condition:
    # The ratio is monotone between the means, so that the ends of the interval decide.
    ends = all(INITIAL < x < UPDATED and abs(log_ratio(x)) < BUDGET for x in PRINTED)
    return everywhere([_fact(PRINTED, "on [0.456, 0.545]", ends)])


def _just_printed(setting: Setting, seed: int) -> Condition:
    edges = (INITIAL + Fraction(1, 1000), UPDATED - Fraction(1, 1000))
    return everywhere([_fact(edges, "at 0.451 and 0.549", all(abs(log_ratio(x)) == BUDGET for x in edges))])


def _rows(bench: Bench) -> Sequence[Row]:
    grid = sorted({Fraction(step, 50) for step in range(-100, 151)} | {INITIAL, UPDATED})
    rows = []
    for x in grid:
        at = float(x)
        before, after = (math.exp(-abs(float(x - mean))) / 2 for mean in (INITIAL, UPDATED))
        rows += [
            Row("densities", "initial", EXACT, at, before),
            Row("densities", "update", EXACT, at, after),
            Row("ratio", "ratio", EXACT, at, math.exp(float(log_ratio(x)))),
            Row("ratio", "exp(epsilon)", PUBLISHED_FORMULA, at, math.exp(float(BUDGET))),
            Row("ratio", "exp(-epsilon)", PUBLISHED_FORMULA, at, math.exp(-float(BUDGET))),
        ]
    return rows


def _sheet(setting: Setting) -> Sheet:
    return Sheet(
        (("densities", "ratio"),),
        "x",
        "density, ratio",
        notes="Means 0.45 and 0.55, scale 1, epsilon = 0.1, as printed.",
    )


FIGURE_4_6 = Experiment(
    name="thesis-4.6",
    title="The Laplace distributions of Algorithm 4.3",
    source="thesis, Figure 4.6",
    sentences=(
        Sentence(
            id="thesis-4.6.tight-outside",
            source=_SOURCE,
            states="The ratio of the two densities satisfies the definition tightly, except between the means.",
            meaning="in exact arithmetic the ratio is exp(epsilon) or exp(-epsilon) at points outside the means, and "
            "strictly between at points between them; it is linear in the logarithm there, so that points decide",
            condition=_tight_outside,
            measured=False,
        ),
        Sentence(
            id="thesis-4.6.uses-all",
            source=_SOURCE,
            states="Since the ratio gets almost to both limits, Algorithm 4.3 uses all of the budget.",
            meaning="the ratio takes both limits, at the means",
            condition=_uses_all,
            measured=False,
        ),
        Sentence(
            id="thesis-4.6.interval",
            source="thesis, caption of Figure 4.6",
            states="The budget is not all consumed on [0.456, 0.545].",
            meaning="the ratio is strictly between its limits there, in exact arithmetic",
            condition=_inside_printed,
            measured=False,
        ),
        Sentence(
            id="thesis-4.6.interval-is-all",
            source="thesis, caption of Figure 4.6",
            states="The budget is not all consumed on [0.456, 0.545]; read as: only there.",
            meaning="at 0.451 and 0.549, between the means but outside the interval, the ratio is at its limits",
            condition=_just_printed,
            measured=False,
        ),
    ),
    rows=_rows,
    sheet=_sheet,
)
