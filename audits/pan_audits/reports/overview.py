"""The table of verdicts on all shipped estimators, row by row."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from pan_audits.exact.result import CheckResult
from pan_audits.gate.overview import OverviewRow
from pan_audits.notions import notion_of
from pan_audits.reports.text import STYLES
from pan_estimators.common.registry import ESTIMATORS
from pan_estimators.streams.real import STREAMS
from pan_promises.promise import Observed

_GAP = "  "
_NAMES = max(map(len, ESTIMATORS))
_STREAMS = max(len("synthetic"), *map(len, STREAMS))
_COLUMNS = (
    ("estimator", -_NAMES),
    ("stream", -_STREAMS),
    ("verdict", -12),
    ("promise", 7),
    ("exact loss", 10),
    ("audit", 12),
    ("state alone", 16),
    ("output alone", 16),
    ("RMSE", 6),
    ("bits", 8),
)
"""Headings and widths; a column with a negative width is aligned to the left."""


def overview_heading() -> Text:
    """The names of the columns."""
    return Text(_GAP.join(_aligned(name, width) for name, width in _COLUMNS), style="bold")


def overview_line(row: OverviewRow) -> Text:
    """One estimator on one stream: promise, exact loss, the audit's lower bound, error and memory."""
    promised, *_ = row.exact.values()
    cells = (
        row.name,
        row.stream or "synthetic",
        str(row.verdict),
        notion_of(promised.promise).short,
        _loss(promised),
        _audit(row),
        _part(row, Observed.STATE),
        _part(row, Observed.OUTPUT),
        f"{row.rmse:.3f}" if row.rmse < 100 else f"{row.rmse:.4g}",
        f"{row.bits:,}",
    )
    line = Text()
    for cell, (name, width) in zip(cells, _COLUMNS, strict=True):
        line.append(_GAP if line else "")
        line.append(_aligned(cell, width), style=STYLES[row.verdict] if name == "verdict" else "")
    return line


def overview_legend(*, streams: Sequence[str], promise_epsilon: float, error: float, seconds: float) -> Text:
    """The meaning of the columns."""
    named = " or ".join(streams)
    return Text(
        "\nLosses are in nats. Exact loss: of what the promise is about, for ids of state and output jointly, computed "
        "on every small stream; a ! marks a part that loses more than its proof says. Audit: lower bound of that loss, "
        f"for ids on {named} with one user edited; a true statement is refuted with probability at most {error:.3g}. "
        "RMSE: of the density of the stream, or of the count at every step. A promise of a rho is about the outputs "
        "alone: the state holds the counts in clear, and its loss is infinite. "
        f"The promised epsilon is {promise_epsilon:g} for ids; {seconds:.0f} s.",
        style="dim",
    )


def _aligned(text: str, width: int) -> str:
    return text.ljust(-width) if width < 0 else text.rjust(width)


def _loss(check: CheckResult) -> str:
    if check.loss is None or check.knows_no_loss:
        return "?"
    if check.loss.unbounded:
        return "infinite"
    return f"{'' if check.loss.attained else '>= '}{check.loss.nats:.4g}"


def _part(row: OverviewRow, part: Observed) -> str:
    """A part alone. A promise about the outputs says nothing about the state, and its check is the promise's own."""
    check = row.exact[part]
    if check.loss is None or check.knows_no_loss:
        return "?"
    if not row.promised.promise.sees_state and part is Observed.STATE:
        return f"{_loss(check)}, in clear" if check.loss.unbounded else _loss(check)
    notion = notion_of(check.promise)
    if not notion.bets:
        share = f"{100 * check.loss.nats / notion.promised:.4g}% of {notion.promised:.3g}"
        return _loss(check) if check.loss.unbounded else share
    broken = "!" if check.loss.exceeds(check.promise.epsilon, exact=check.exact) else ""
    return f"{_loss(check)}{broken} of {float(check.promise.epsilon):.3g}"


def _audit(row: OverviewRow) -> str:
    privacy = row.audit.privacy
    if privacy is None:
        return "inconclusive"
    if privacy.bound is not None:
        return f"{notion_of(privacy.promise).unit} {privacy.bound:.3f}"
    if privacy.witness is None:
        return "none found"
    assert privacy.loss is not None
    # A bet may refute the promise although the confirming runs are too few to show a larger loss.
    return f"{'>= ' if privacy.loss > privacy.promise.epsilon else '> '}{privacy.loss:.2f}"
