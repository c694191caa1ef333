"""The drawings of the loss: in nats beside the promise, and as what an intruder becomes sure of."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pan_audits.gate import GateReport
from pan_audits.reports.html.drawing import FAINT, INK, LEFT, PAPER, PROMISE, Drawing, draw
from pan_audits.reports.html.evidence import Evidence
from pan_estimators import Observed

_LOGARITHMIC = 12.0
"""From this ratio of the largest to the smallest number on, the axis is logarithmic."""

_PART = {Observed.STATE: "state alone", Observed.OUTPUT: "output alone"}


class Kind(StrEnum):
    """What a number says about the loss."""

    EXACT = "exact"
    AT_LEAST = "at least"
    AT_MOST = "at most"
    PROVED = "proved"
    CAUGHT = "would have been caught from"


@dataclass(frozen=True)
class LossRow:
    """One number about the loss.

    Attributes
    ----------
    label
        Of what.
    kind
        What it says.
    nats
        The number; infinite where there is no bound.
    promised
        What it is held against, in nats; ``None`` if nothing is said of this part.
    """

    label: str
    kind: Kind
    nats: float
    promised: float | None

    @property
    def words(self) -> str:
        """The number in words."""
        value = "infinite" if math.isinf(self.nats) else f"{self.nats:.4g}"
        sign = {Kind.AT_LEAST: "at least ", Kind.AT_MOST: "at most ", Kind.CAUGHT: "from "}.get(self.kind, "")
        return sign + value

    @property
    def exceeds(self) -> bool:
        """Whether it shows that too much is lost."""
        return (
            self.promised is not None
            and self.kind in (Kind.EXACT, Kind.AT_LEAST, Kind.PROVED)
            and self.nats > self.promised * (1 + 1e-9)
        )


def loss_rows(report: GateReport, evidence: Evidence) -> tuple[LossRow, ...]:
    """All that is known about the loss, the whole first, then its parts, then what an audit says."""
    return tuple(_rows(report, evidence))


def _rows(report: GateReport, evidence: Evidence) -> Iterator[LossRow]:
    promised = float(report.promise.epsilon)
    whole = {Observed.STATE_AND_OUTPUT: "state and output", **_PART}[report.promise.observed]
    if report.promise.delta:
        whole += ", without delta"
    if report.certificate is not None:
        yield LossRow(f"{whole}, every size", Kind.PROVED, report.certificate.loss, promised)
    if report.exact is not None and report.exact.loss is not None:
        loss = report.exact.loss
        kind = Kind.AT_MOST if loss.upper else Kind.EXACT if loss.attained else Kind.AT_LEAST
        yield LossRow(f"{whole}, small streams", kind, loss.nats, None if report.promise.delta else promised)
    for part in evidence.parts:
        kind = Kind.AT_MOST if part.loss.upper else Kind.EXACT if part.loss.attained else Kind.AT_LEAST
        yield LossRow(_PART[part.observed], kind, part.loss.nats, part.promised)
    privacy = report.privacy
    if privacy is None:
        return
    if privacy.loss is not None:
        yield LossRow("audit at real size", Kind.AT_LEAST, privacy.loss, promised)
    for mass, (_, best) in privacy.detectable.items():
        if math.isfinite(best):
            yield LossRow(f"audit, event of {mass:.0%}", Kind.CAUGHT, best, promised)


def loss_drawing(report: GateReport, rows: tuple[LossRow, ...]) -> Drawing:
    """Numbers about the loss as marks on one axis, with the promise as a line through all of them."""
    promised = float(report.promise.epsilon)
    finite = [value for row in rows for value in (row.nats, row.promised) if value and math.isfinite(value)]
    top, least = max([*finite, promised]), min([*finite, promised])
    logarithmic = top / least > _LOGARITHMIC
    low, high = (least / 1.6, top * 1.8) if logarithmic else (0.0, top * 1.25)
    infinite = any(math.isinf(row.nats) for row in rows)
    edge = high * (1.9 if logarithmic else 1.12) if infinite else high

    def paint(axes: Any) -> None:
        for place, row in enumerate(rows):
            _paint_row(axes, -place, row, low, edge)
        axes.axvline(promised, color=PROMISE, linewidth=1.6, dashes=(5, 2), zorder=1)
        axes.annotate(
            f"promised {promised:.4g}", (promised, 0.8), (4, 0), textcoords="offset points", color=PROMISE, va="bottom"
        )
        axes.set_xscale("log" if logarithmic else "linear")
        if logarithmic:
            _label_often(axes, low, high)
        axes.set_xlim(low, edge * (1.06 if not logarithmic else 1.15))
        axes.set_ylim(-len(rows) + 0.35, 1.3)
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
        axes.xaxis.set_major_formatter("{x:g}")
        axes.set_xlabel("privacy loss in nats" + (" (logarithmic)" if logarithmic else ""))

    told = "; ".join(f"{row.label}: {row.words}" for row in rows)
    return draw(
        "losses",
        f"Privacy loss against the promise of {promised:.4g} nats",
        f"Promised: {promised:.4g}. {told}.",
        62 + 42 * max(1, len(rows)),
        paint,
    )


def _paint_row(axes: Any, y: float, row: LossRow, low: float, edge: float) -> None:
    value = edge if math.isinf(row.nats) else row.nats
    line = y - 0.2
    axes.plot([low, value], [line, line], color=FAINT, linewidth=0.8, zorder=1)
    if row.exceeds and row.promised is not None:
        axes.plot([row.promised, value], [line, line], color=LEFT, linewidth=4, solid_capstyle="butt", zorder=2)
    marks = {Kind.EXACT: "o", Kind.PROVED: "s", Kind.AT_LEAST: ">", Kind.AT_MOST: "<", Kind.CAUGHT: "D"}
    hollow = row.kind in (Kind.CAUGHT, Kind.AT_MOST)
    if math.isinf(row.nats):
        axes.annotate(
            "",
            (edge, line),
            (-28, 0),
            textcoords="offset points",
            arrowprops={"arrowstyle": "-|>,head_width=0.35,head_length=0.7", "color": LEFT, "linewidth": 4},
        )
    else:
        face = "none" if hollow else LEFT if row.exceeds else INK
        axes.plot(
            [value], [line], marks[row.kind], color=LEFT if row.exceeds else INK, markerfacecolor=face, markersize=8
        )
    if row.promised is not None and row.kind in (Kind.EXACT, Kind.PROVED):
        axes.plot([row.promised], [line], "|", color=PROMISE, markersize=13, markeredgewidth=1.8)
    number = "∞" if math.isinf(row.nats) else row.words
    of = f" of {row.promised:.4g}" if row.promised is not None and row.kind is not Kind.CAUGHT else ""
    axes.text(
        0.0,
        y + 0.08,
        f"{row.label}: {number}{of}",
        transform=axes.get_yaxis_transform(),
        ha="left",
        va="bottom",
        fontweight="bold" if row.exceeds else "normal",
        bbox={"facecolor": PAPER, "edgecolor": "none", "pad": 1.0},
    )


def _label_often(axes: Any, low: float, high: float) -> None:
    """Two or three labels for each power of ten, where there are few of them."""
    from matplotlib.ticker import LogLocator, NullLocator

    few = high / low < 300
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if few else (1.0,), numticks=12))
    axes.xaxis.set_minor_locator(NullLocator())


@dataclass(frozen=True)
class Certainty:
    """What a loss means for an intruder who holds two streams for equally likely.

    Attributes
    ----------
    promised
        Probability that the intruder may reach at most.
    shown
        Probability that the intruder reaches, at least.
    exact
        Whether that is exact.
    """

    promised: float
    shown: float | None
    exact: bool

    def describe(self) -> str:
        """The translation in a sentence."""
        least = "" if self.exact else "at least "
        reached = f" can become {least}{percent(self.shown)} sure" if self.shown is not None else ""
        return (
            f"An intruder who holds two adjacent streams for equally likely{reached}"
            f"{';' if reached else ','} the promise is at most {percent(self.promised)}."
        )


def certainty(report: GateReport, rows: tuple[LossRow, ...]) -> Certainty | None:
    """The losses as probabilities; with a delta there is no such bound."""
    if report.promise.delta:
        return None
    shown = [row for row in rows if row.promised is not None and row.kind in (Kind.EXACT, Kind.AT_LEAST, Kind.PROVED)]
    whole = [row for row in shown if row.label not in _PART.values()] or shown
    largest = max(whole, key=lambda row: row.nats, default=None)
    return Certainty(
        _posterior(float(report.promise.epsilon)),
        None if largest is None else _posterior(largest.nats),
        largest is not None and largest.kind in (Kind.EXACT, Kind.PROVED),
    )


def _posterior(nats: float) -> float:
    return 1 / (1 + math.exp(-nats))


def percent(probability: float | None) -> str:
    """A probability in percent, never rounded to certainty."""
    if probability is None:
        return "unknown"
    if probability == 1:
        return "100 %"
    digits = 1 if probability < 0.995 else 3
    return f"{min(100 * probability, 100 - 10.0**-digits):.{digits}f} %"


def certainty_drawing(told: Certainty) -> Drawing:
    """From 50 to 100 percent: what is promised, and what can be reached."""

    def paint(axes: Any) -> None:
        axes.axvspan(50, 100 * told.promised, facecolor="none", edgecolor=PROMISE, hatch="//", linewidth=0)
        axes.axvline(100 * told.promised, color=PROMISE, dashes=(5, 2))
        axes.text(100 * told.promised + 0.6, 1.02, f"promised: at most {percent(told.promised)}", color=PROMISE)
        if told.shown is not None:
            over = told.shown > told.promised * (1 + 1e-9)
            colour = LEFT if over else INK
            axes.plot([50, 100 * told.shown], [0.45, 0.45], color=colour, linewidth=5, solid_capstyle="butt")
            axes.plot([100 * told.shown], [0.45], "o" if told.exact else ">", color=colour, markersize=9, clip_on=False)
            side = "right" if told.shown > 0.8 else "left"
            words = ("" if told.exact else "at least ") + percent(told.shown)
            axes.text(100 * told.shown, 0.6, words, ha=side, fontweight="bold" if over else "normal")
        axes.set_xlim(50, 100)
        axes.set_ylim(0, 1.25)
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
        axes.xaxis.set_major_formatter("{x:g} %")
        axes.set_xlabel("how sure of the right stream, from 50 : 50")

    return draw("certainty", "How sure an intruder can become", told.describe(), 150, paint)


def growth_drawing(report: GateReport) -> Drawing | None:
    """The loss by the number of appearances of one user, where it was measured at three of them or more."""
    growth = report.exact.growth if report.exact is not None else None
    if growth is None or len(growth.losses) < 3:
        return None
    promised = float(report.promise.epsilon)
    values = [loss.nats for loss in growth.losses]
    finite = [value for value in values if math.isfinite(value)]

    def paint(axes: Any) -> None:
        axes.plot(range(len(finite)), finite, "o-", color=INK, markersize=6)
        if len(finite) < len(values):
            axes.annotate("∞", (len(finite), max(finite)), ha="center", fontsize=16, color=LEFT)
        axes.axhline(promised, color=PROMISE, dashes=(5, 2))
        axes.text(-0.25, promised, "promised", color=PROMISE, ha="left", va="bottom")
        axes.set_xticks(range(len(values)))
        axes.set_xlim(-0.3, len(values) - 0.7)
        axes.set_ylim(0, max([promised, *finite]) * 1.2)
        axes.set_xlabel("appearances of one user, at most")
        axes.set_ylabel("loss in nats")

    return draw("growth", "Loss by appearances of one user", f"{growth.describe()}.", 210, paint)
