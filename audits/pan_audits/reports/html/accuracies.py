"""The drawings of the measured accuracy, beside the stated one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pan_audits.accuracy import AccuracyResult
from pan_audits.judging.verdict import Verdict
from pan_audits.reports.html.drawing import FAINT, INK, LEFT, PROMISE, Drawing, draw, label_row, plain, scale_rows
from pan_audits.statistics import proportion_lower, proportion_upper
from pan_estimators.common.accuracy_statement import Quantity, Relation

ERROR = 0.01
"""One minus the confidence of the intervals that are drawn; verdicts rest on the gate's own tests."""

_LOGARITHMIC = 20.0
_MARKS = {Verdict.REFUTED: "X", Verdict.INCONCLUSIVE: "d"}
_TITLES = {
    Quantity.BIAS: "Bias",
    Quantity.VARIANCE: "Variance",
    Quantity.MEAN_SQUARED_ERROR: "Mean squared error",
    Quantity.ERROR_PROBABILITY: "Probability of error",
}


def accuracy_drawings(results: Sequence[AccuracyResult]) -> list[Drawing]:
    """One drawing for each quantity of a statement."""
    kinds = dict.fromkeys(result.statement.quantity for result in results)
    return [_drawing(kind, [one for one in results if one.statement.quantity is kind]) for kind in kinds]


def _drawing(quantity: Quantity, results: Sequence[AccuracyResult]) -> Drawing:
    known = [value for one in results for value in (one.measured, one.stated) if value is not None]
    positive = [value for value in known if value > 0]
    logarithmic = quantity is not Quantity.BIAS and bool(positive) and max(positive) / min(positive) > _LOGARITHMIC
    reaches = [edge for one in results for edge in _interval(one) or ()]
    low, high = min([*known, *reaches], default=0.0), max([*known, *reaches], default=1.0)
    if logarithmic:
        limits = (min(positive) / 3, high * 3)
    else:
        room = (high - low or abs(high) or 1.0) * 0.12
        limits = (low - room, high + room)

    def paint(axes: Any) -> None:
        scale_rows(axes, str(quantity), limits, (-len(results) + 0.4, 0.9), logarithmic=logarithmic)
        for place, one in enumerate(results):
            _paint(axes, -place, one, limits[0], logarithmic=logarithmic)

    told = "; ".join(plain(one.describe()) for one in results)
    name = f"accuracy-{quantity.name.lower().replace('_', '-')}"
    return draw(name, f"{_TITLES[quantity]}, measured and stated", told, 58 + 44 * len(results), paint)


def _paint(axes: Any, y: float, one: AccuracyResult, low: float, *, logarithmic: bool) -> None:
    line = y - 0.2
    band = _interval(one)
    if band is not None:
        ends = [max(edge, low) for edge in band]
        axes.plot(ends, [line, line], color=FAINT, linewidth=1.2, marker="|", markersize=9)
    if not logarithmic or one.stated > 0:
        axes.plot([one.stated], [line], "|", color=PROMISE, markersize=17, markeredgewidth=2.2)
        if one.statement.relation is Relation.AT_MOST:
            axes.annotate(
                "",
                (one.stated, line),
                (-14, 0),
                textcoords="offset points",
                arrowprops={"arrowstyle": "<|-,head_width=0.2,head_length=0.4", "color": PROMISE, "linewidth": 0},
            )
    refuted = one.verdict is Verdict.REFUTED
    if one.measured is not None and (not logarithmic or one.measured > 0):
        colour = LEFT if refuted else INK
        axes.plot([one.measured], [line], _MARKS.get(one.verdict, "o"), color=colour, markersize=8 if refuted else 6)
    parts = [one.label.describe()]
    if one.statement.alpha is not None:
        parts.append(f"alpha {one.statement.alpha:g}")
    parts.append(plain(str(one.statement.claim), 26))
    word = {Verdict.REFUTED: "REFUTED: ", Verdict.INCONCLUSIVE: "inconclusive: "}.get(one.verdict, "")
    label_row(axes, y + 0.08, word + ", ".join(parts), bold=refuted, fontsize=10.5)


def _interval(one: AccuracyResult) -> tuple[float, float] | None:
    """For a probability an interval around the measured value; else the undetectable deviations from the stated one."""
    if one.measured is not None and one.statement.quantity is Quantity.ERROR_PROBABILITY:
        wrong = round(one.measured * one.runs)
        return (
            proportion_lower(wrong, one.runs, error=ERROR / 2),
            proportion_upper(wrong, one.runs, error=ERROR / 2),
        )
    if one.detectable is None:
        return None
    least = one.stated if one.statement.relation is Relation.AT_MOST else one.stated - one.detectable
    return least, one.stated + one.detectable
