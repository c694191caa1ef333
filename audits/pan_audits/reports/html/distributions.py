"""The drawings of the observation on the two streams, with the event marked."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_audits.reports.html.distribution import Curve, ExactDistribution, OutcomeRow
from pan_audits.reports.html.drawing import FAINT, INK, LEFT, PAPER, RIGHT, Drawing, draw, label_row, plain, scale_rows
from pan_audits.reports.html.evidence import FreshRuns

_BINS = 36
_MOST_VALUES = 12
_LETTERS = 56
_WIDE = 60.0
"""Least ratio of the largest to the smallest height for logarithmic heights."""

Floats = NDArray[np.float64]


def distribution_drawings(distribution: ExactDistribution, noun: str) -> list[Drawing]:
    """Exact probabilities of the observation, and of an output with noise along its values; ``noun`` is an input."""
    # A single certain outcome needs no drawing.
    drawings = [_outcomes(distribution)] if len(distribution.outcomes) > 1 else []
    if distribution.curve is not None:
        drawings.append(_curve(distribution.curve, noun, alone=len(distribution.outcomes) == 1))
    return drawings


def _outcomes(distribution: ExactDistribution) -> Drawing:
    """A pair of bars for each outcome."""
    values = [value for one in distribution.outcomes for value in (one.left, one.right)]
    smallest, top = min((value for value in values if value > 0), default=1.0), max(values)
    logarithmic = top / smallest > _WIDE
    low = smallest / 3 if logarithmic else 0.0

    labels = _different([one.label for one in distribution.outcomes])

    def paint(axes: Any) -> None:
        limits = (low, top * (8 if logarithmic else 1.35))
        height = (-2.1 * (len(distribution.outcomes) - 1) - 0.8, 1.15)
        scale_rows(axes, "probability", limits, height, logarithmic=logarithmic)
        for place, (one, label) in enumerate(zip(distribution.outcomes, labels, strict=True)):
            _paint_outcome(axes, -2.1 * place, one, label, low)

    told = "; ".join(
        f"{one.label}: {_number(one.left)} on A, {_number(one.right)} on B" for one in distribution.outcomes
    )
    return draw("outcomes", "Exact probabilities of the observation", told, 70 + 58 * len(distribution.outcomes), paint)


def _different(labels: list[str]) -> list[str]:
    """Labels without the words that all of them begin or end with."""
    parts = [re.split(r"(?<=[ ,(])", label) for label in labels]
    least = min(map(len, parts)) - 1
    before = after = 0
    if len(labels) > 1:
        while before < least and len({part[before] for part in parts}) == 1:
            before += 1
        while after < least - before and len({part[-1 - after] for part in parts}) == 1:
            after += 1
    before, after = max(0, before - 1), max(0, after - 1)
    kept = ["".join(part[before : len(part) - after]) for part in parts]
    return [plain("…" * (before > 0) + text.strip() + "…" * (after > 0), _LETTERS) for text in kept]


def _paint_outcome(axes: Any, y: float, one: OutcomeRow, label: str, low: float) -> None:
    label_row(axes, y + 0.5, "▶ " * one.witnessed + label, bold=one.witnessed, fontsize=10.5)
    for offset, value, colour, hatch, name in ((0.2, one.left, LEFT, "", "A"), (-0.35, one.right, RIGHT, "////", "B")):
        face = colour if not hatch else "none"
        axes.barh(
            y + offset, max(value - low, 0), 0.45, left=low, facecolor=face, edgecolor=colour, hatch=hatch, linewidth=1
        )
        axes.annotate(
            f"{name}: {_number(value)}",
            (max(value, low), y + offset),
            (4, 0),
            textcoords="offset points",
            va="center",
            fontsize=10.5,
        )


def _curve(curve: Curve, noun: str, *, alone: bool) -> Drawing:
    """Both densities over the output, the event shaded under the one of input A."""
    positive = [float(v) for v in np.concatenate([curve.left, curve.right]) if v > 0]
    top = max(positive, default=1.0)
    floor = max(min(positive, default=top), top * 1e-6)
    logarithmic = top / floor > 5

    def paint(axes: Any) -> None:
        bottom = floor / 2 if logarithmic else 0.0
        _shade(axes, curve, bottom)
        if curve.lattice and curve.places.size <= 60:
            axes.plot(curve.places, _kept(curve.left), "o", color=LEFT, markersize=5, label=f"{noun} A")
            axes.plot(
                curve.places,
                _kept(curve.right),
                "s",
                color=RIGHT,
                markerfacecolor=PAPER,
                markersize=5,
                label=f"{noun} B",
            )
        else:
            axes.plot(curve.places, _kept(curve.left), color=LEFT, label=f"{noun} A")
            axes.plot(curve.places, _kept(curve.right), color=RIGHT, dashes=(4, 2), label=f"{noun} B")
        if not (curve.right > 0).any():
            axes.text(0.98, 0.72, f"never on {noun} B", transform=axes.transAxes, ha="right", color=RIGHT)
        along = "output" if alone else "output, given the marked outcome"
        _scale_heights(axes, along, "probability" if curve.lattice else "density", bottom, top, logarithmic)

    here = "exceeds the promise" if curve.exceeds else "comes nearest to the promise"
    left, right = curve.probabilities
    told = (
        f"The part in which {noun} A {here} is shaded. {'It' if alone else 'Together with the marked outcome it'} has "
        f"probability {_number(left)} on {noun} A and {_number(right)} on {noun} B."
    )
    return draw("output", f"The output on both {noun}s", told, 250, paint)


def _shade(axes: Any, curve: Curve, bottom: float) -> None:
    style = {"facecolor": "none", "edgecolor": FAINT, "hatch": "///", "linewidth": 0.0}
    if curve.lattice:
        for place, height, within in zip(curve.places, curve.left, curve.inside, strict=True):
            if within and height > 0:
                axes.plot([place, place], [bottom, height], color=FAINT, linewidth=1.2, zorder=1)
        return
    axes.fill_between(curve.places, bottom, np.maximum(curve.left, bottom), where=curve.inside, **style)


def _kept(values: Floats) -> Floats:
    return np.where(values > 0, values, np.nan)


def runs_drawing(runs: FreshRuns, noun: str) -> Drawing | None:
    """The number of fresh runs with each value of the statistic. The event is shaded."""
    values = np.concatenate([runs.left, runs.right])
    finite = values[np.isfinite(values)]
    if not runs.condition.uses_value or finite.size == 0:
        return None
    distinct = np.unique(finite)
    discrete = distinct.size <= _MOST_VALUES
    edges = _middles(distinct) if discrete else _edges(finite, runs.condition.value)
    centres = distinct if discrete else (edges[1:] + edges[:-1]) / 2
    sides = (runs.left, runs.right)
    # Values beyond the bins are counted in the outermost ones.
    placed = [np.clip(side[np.isfinite(side)], centres[0], centres[-1]) for side in sides]
    heights = [np.histogram(side, edges)[0] / runs.counts.runs for side in placed]
    inside = runs.condition(centres)
    positive = np.concatenate(heights)
    positive = positive[positive > 0]
    logarithmic = bool(positive.size) and positive.max() / positive.min() > _WIDE
    bottom = float(positive.min()) / 2 if logarithmic else 0.0

    def paint(axes: Any) -> None:
        for height, colour, name, style in zip(
            heights, (LEFT, RIGHT), (f"{noun} A", f"{noun} B"), ({}, {"linestyle": (0, (4, 2))}), strict=True
        ):
            axes.stairs(
                np.maximum(height, bottom), edges, baseline=bottom, color=colour, linewidth=1.6, label=name, **style
            )
        shaded = np.where(inside, np.maximum(np.maximum(*heights), bottom), bottom)
        axes.stairs(
            shaded, edges, baseline=bottom, fill=True, facecolor="none", edgecolor=FAINT, hatch="///", linewidth=0
        )
        if not discrete:
            axes.axvline(runs.condition.value, color=INK, linewidth=1.2)
        if discrete:
            axes.set_xticks(distinct)
            axes.xaxis.set_major_formatter("{x:.4g}")
        feature = plain(runs.condition.feature, 58)
        _scale_heights(axes, feature, "part of the runs", bottom, float(np.max(heights)), logarithmic)

    counts = runs.counts
    outside = sum(int(((side < edges[0]) | (side > edges[-1])).sum()) for side in sides)
    beyond = f" {outside:,} values beyond the ends are counted in the outermost bars." if outside else ""
    told = (
        f"{counts.runs:,} fresh runs on each {noun}; shaded where {plain(runs.condition.describe())}. "
        f"The event happened {counts.left:,} times on {noun} A and {counts.right:,} times on {noun} B.{beyond}"
    )
    return draw("runs", "The statistic of the event in fresh runs", told, 250, paint)


def _scale_heights(axes: Any, along: str, up: str, bottom: float, top: float, logarithmic: bool) -> None:
    axes.set_yscale("log" if logarithmic else "linear")
    axes.set_ylim(bottom, top * (6 if logarithmic else 1.35))
    axes.set_xlabel(along)
    axes.set_ylabel(up)
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.legend(loc="upper right", ncols=2)


def _middles(distinct: Floats) -> Floats:
    """Edges around few values, so that each has a bin of its own."""
    if distinct.size == 1:
        return np.array([distinct[0] - 0.5, distinct[0] + 0.5])
    inner = (distinct[1:] + distinct[:-1]) / 2
    return np.concatenate([[2 * distinct[0] - inner[0]], inner, [2 * distinct[-1] - inner[-1]]])


def _edges(finite: Floats, threshold: float) -> Floats:
    """Bins of one width, with an edge at the threshold; values far from all others have no bin."""
    low, high = (float(edge) for edge in np.quantile(finite, (0.002, 0.998)))
    low, high = min(low, threshold), max(high, threshold)
    width = (high - low) / _BINS or 1.0
    before, after = (
        min(max(1, math.ceil(reach / width)), 3 * _BINS)
        for reach in (threshold - float(finite.min()), float(finite.max()) - threshold + width / 2)
    )
    return np.asarray(threshold + width * np.arange(-before, after + 1, dtype=np.float64))


def _number(value: float) -> str:
    return "0" if value == 0 else f"{value:.4g}"
