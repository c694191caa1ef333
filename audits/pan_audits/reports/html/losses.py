"""The drawings of the loss: in nats beside the promise, and as the certainty of an adversary."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any

from pan_audits.gate.gate import GateReport
from pan_audits.judging.verdict import Verdict
from pan_audits.notions import Loss, notion_of
from pan_audits.reports.html.drawing import FAINT, INK, LEFT, PAPER, PROMISE, Drawing, draw, label_row, scale_rows
from pan_audits.reports.html.evidence import Evidence
from pan_audits.reports.html.words import SEEN_OF_TABLES, input_word
from pan_promises.promise import Observed

_LOGARITHMIC = 12.0
"""Least ratio of the largest to the smallest number for a logarithmic axis."""

_SAME = 1e-9
_LEAST_DOUBT = 1e-5
_PART = {Observed.STATE: "state alone", Observed.OUTPUT: "output alone"}
_WHOLE = {
    **_PART,
    Observed.STATE_AND_OUTPUT: "state and output",
    **SEEN_OF_TABLES,
}


class Reading(Enum):
    """How a number about the loss is to be read: its mark in the drawing, and the words before it."""

    EXACT = ("o", "")
    AT_LEAST = (">", "at least ")
    ABOVE = (">", "above ")
    AT_MOST = ("<", "at most ")
    PROVED = ("s", "")
    CAUGHT = ("D", "from ")

    @property
    def mark(self) -> str:
        return self.value[0]

    @property
    def words(self) -> str:
        return self.value[1]

    @classmethod
    def of(cls, loss: Loss) -> Reading:
        """That of the loss of an exact check."""
        return cls.AT_MOST if loss.upper else cls.EXACT if loss.attained else cls.AT_LEAST


@dataclass(frozen=True)
class LossRow:
    """One number about the loss.

    Attributes
    ----------
    label
        Its subject.
    reading
        How it is to be read.
    nats
        The number; infinite without a bound.
    promised
        The promised loss, in nats; ``None`` if there is no promise for this part.
    """

    label: str
    reading: Reading
    nats: float
    promised: float | None

    @property
    def words(self) -> str:
        """The number in words."""
        value = "infinite" if math.isinf(self.nats) else f"{self.nats:.4g}"
        return self.reading.words + value

    @property
    def exceeds(self) -> bool:
        """Whether it shows a loss above the promise."""
        if self.promised is None or self.reading in (Reading.CAUGHT, Reading.AT_MOST):
            return False
        return self.reading is Reading.ABOVE or self.nats > self.promised * (1 + _SAME)


def loss_rows(report: GateReport, evidence: Evidence) -> Iterator[LossRow]:
    """All numbers about the loss: of the whole, of its parts, and from an audit."""
    if not notion_of(report.promise).bets:
        return  # The bound is no loss in nats of an event.
    promised = float(report.promise.epsilon)
    whole = _WHOLE[report.promise.observed]
    if report.certificate is not None:
        yield LossRow(f"{whole}, every size", Reading.PROVED, report.certificate.loss, promised)
    # With a delta, the largest loss of an event says nothing: the event may be as rare as the delta.
    if report.exact is not None and report.exact.loss is not None and not report.promise.delta:
        loss = report.exact.loss
        yield LossRow(f"{whole}, small {input_word(report.promise)}s", Reading.of(loss), loss.nats, promised)
    for part in evidence.parts:
        yield LossRow(_PART[part.observed], Reading.of(part.loss), part.loss.nats, part.promised)
    privacy = report.privacy
    if privacy is None:
        return
    if privacy.loss is not None:
        # If the measurement shows less than the search, only the success of the bets is known.
        reading = Reading.AT_LEAST if privacy.loss > promised else Reading.ABOVE
        yield LossRow("audit at real size", reading, privacy.loss, promised)
    long = privacy.long
    if long is not None and not long.refuted:
        if long.loss > 0:
            yield LossRow("long audit", Reading.AT_LEAST, long.loss, promised)
        if math.isfinite(long.detectable):
            yield LossRow("long audit would catch, its event", Reading.CAUGHT, long.detectable, promised)
    for mass, (_, best) in privacy.detectable.items():
        if math.isfinite(best):
            yield LossRow(f"audit would catch, event of {mass:g}", Reading.CAUGHT, best, promised)


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
        limits = (low, edge * (1.06 if not logarithmic else 1.15))
        scale_rows(axes, "privacy loss in nats", limits, (-len(rows) + 0.35, 1.3), logarithmic=logarithmic)
        if logarithmic:
            _label_often(axes, low, high)

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
    hollow = row.reading in (Reading.CAUGHT, Reading.AT_MOST)
    if math.isinf(row.nats):
        axes.annotate(
            "",
            (edge, line),
            (-28, 0),
            textcoords="offset points",
            arrowprops={
                "arrowstyle": "-|>,head_width=0.35,head_length=0.7",
                "color": LEFT if row.exceeds else INK,
                "linewidth": 4,
            },
        )
    else:
        colour = LEFT if row.exceeds else INK
        face = "none" if hollow else colour
        axes.plot([value], [line], row.reading.mark, color=colour, markerfacecolor=face, markersize=8)
    if row.promised is not None and row.reading in (Reading.EXACT, Reading.PROVED):
        axes.plot([row.promised], [line], "|", color=PROMISE, markersize=13, markeredgewidth=1.8)
    number = "∞" if math.isinf(row.nats) else row.words
    held = row.promised is not None and row.reading not in (Reading.CAUGHT, Reading.ABOVE)
    of = f" of {row.promised:.4g}" if held else ""
    box = {"facecolor": PAPER, "edgecolor": "none", "pad": 1.0}
    label_row(axes, y + 0.08, f"{row.label}: {number}{of}", bold=row.exceeds, bbox=box)


def _label_often(axes: Any, low: float, high: float) -> None:
    """Two or three labels for each power of ten, where there are few of them."""
    from matplotlib.ticker import LogLocator, NullLocator

    few = high / low < 300
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if few else (1.0,), numticks=12))
    axes.xaxis.set_minor_locator(NullLocator())


@dataclass(frozen=True)
class Certainty:
    """The meaning of a loss for an adversary who considers two inputs equally likely.

    Attributes
    ----------
    promised
        The promised bound on the loss, in nats.
    shown
        The row with the largest loss that was shown.
    input
        The word for an input.
    """

    promised: float
    shown: LossRow
    input: str = "stream"

    @property
    def words(self) -> str:
        """The certainty that the adversary can reach."""
        least = {Reading.AT_LEAST: "at least ", Reading.ABOVE: "more than "}.get(self.shown.reading, "")
        reached = percent(self.shown.nats)
        return reached if reached.startswith("more") else least + reached

    def describe(self) -> str:
        """The certainty in a sentence; small inputs may show less than large ones."""
        sure = "as sure as they want (up to 100 %)" if math.isinf(self.shown.nats) else f"{self.words} sure"
        where = f" on the small {self.input}s of the exact check" if self.shown.reading is Reading.EXACT else ""
        return (
            f"An adversary who considers two adjacent {self.input}s equally likely can become {sure} of the right "
            f"one{where}; the promise allows at most {percent(self.promised)}."
        )


def certainty(report: GateReport, rows: tuple[LossRow, ...]) -> Certainty | None:
    """The losses as probabilities; none with a delta, which bounds no single event, and none without a conclusion."""
    if report.promise.delta or report.verdict is Verdict.INCONCLUSIVE:
        return None
    shown = [row for row in rows if row.reading in (Reading.EXACT, Reading.AT_LEAST, Reading.ABOVE, Reading.PROVED)]
    largest = max(shown, key=lambda row: round(row.nats, 9), default=None)
    return None if largest is None else Certainty(float(report.promise.epsilon), largest, input_word(report.promise))


def percent(nats: float) -> str:
    """The probability after a loss, starting from one half, in percent; 100 only for an infinite loss."""
    if math.isinf(nats):
        return "100 %"
    doubt = 1 / (1 + math.exp(min(nats, 700.0)))
    if doubt < _LEAST_DOUBT:
        return f"more than {100 * (1 - _LEAST_DOUBT):.3f} %"
    return f"{100 * (1 - doubt):.{1 if doubt > 0.005 else 3}f} %"
