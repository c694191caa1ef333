"""The table of verdicts on all shipped estimators, row by row."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from pan_audits.exact.result import CheckResult
from pan_audits.gating.overview import OverviewRow
from pan_audits.reports.text import STYLES
from pan_estimators.common.registry import ESTIMATORS
from pan_estimators.streams.real import STREAMS

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
    joint, state, output = row.exact.values()
    cells = (
        row.name,
        row.stream or "synthetic",
        str(row.verdict),
        _promised(joint),
        _loss(joint),
        _audit(row),
        _part(state),
        _part(output),
        f"{row.rmse:.3f}",
        f"{row.bits:,}",
    )
    line = Text()
    for cell, (name, width) in zip(cells, _COLUMNS, strict=True):
        line.append(_GAP if line else "")
        line.append(_aligned(cell, width), style=STYLES[row.verdict] if name == "verdict" else "")
    return line


def overview_legend(*, streams: Sequence[str], epsilon: float, error: float, seconds: float) -> Text:
    """The meaning of the columns."""
    named = " or ".join(streams)
    return Text(
        "\nLosses are in nats. Exact loss: of state and output jointly, computed on every stream of up to 3 updates "
        "by 2 users; a ! marks a part that loses more than its proof says. Audit: lower bound of the joint loss on "
        f"{named} with one user edited; a true statement is refuted with probability at most {error:.3g}. RMSE: of "
        f"the density of "
        f"the stream. Epsilon {epsilon:g}; {seconds:.0f} s.",
        style="dim",
    )


def _aligned(text: str, width: int) -> str:
    return text.ljust(-width) if width < 0 else text.rjust(width)


def _loss(check: CheckResult) -> str:
    if check.loss is None:
        return "?"
    if check.loss.unbounded:
        return "infinite"
    return f"{'' if check.loss.attained else '>= '}{check.loss.nats:.4g}"


def _part(check: CheckResult) -> str:
    if check.loss is None:
        return "?"
    broken = "!" if check.loss.exceeds(check.promise.epsilon, exact=check.exact) else ""
    return f"{_loss(check)}{broken} of {float(check.promise.epsilon):.3g}"


def _promised(check: CheckResult) -> str:
    promise = check.promise
    return f"{float(promise.epsilon):.3g}" if promise.rho is None else f"rho {promise.rho:.3g}"


def _audit(row: OverviewRow) -> str:
    privacy = row.audit.privacy
    if privacy is None:
        return "inconclusive"
    if privacy.witness is None:
        return "none found"
    if privacy.rho is not None:
        return f"rho {privacy.rho:.2f}"
    assert privacy.loss is not None
    # A bet may refute the promise although the confirming runs are too few to show a larger loss.
    return f"{'>= ' if privacy.loss > privacy.promise.epsilon else '> '}{privacy.loss:.2f}"
