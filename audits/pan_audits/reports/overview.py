"""The table of verdicts on all shipped estimators."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group
from rich.table import Table
from rich.text import Text

from pan_audits.exact.result import CheckResult
from pan_audits.overview import OverviewRow
from pan_audits.reports.text import STYLES


def render_overview(rows: Sequence[OverviewRow], *, stream: str, epsilon: float, error: float, seconds: float) -> Group:
    """One row for each estimator: promise, exact loss, the audit's lower bound, error and memory."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("estimator", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    for heading in ("promise", "exact loss", "audit", "state alone", "output alone", "RMSE", "bits"):
        table.add_column(heading, no_wrap=True, justify="right")
    for row in rows:
        joint, state, output = row.exact.values()
        table.add_row(
            row.name,
            Text(str(row.verdict), style=STYLES[row.verdict]),
            f"{float(joint.promise.epsilon):.3g}",
            _loss(joint),
            _audit(row),
            _part(state),
            _part(output),
            f"{row.rmse:.3f}",
            f"{row.bits:,}",
        )
    legend = Text(
        "\nLosses are in nats. Exact loss: of state and output jointly, computed on every stream of up to 3 updates "
        "by 2 users; a ! marks a part that loses more than its proof says. Audit: lower bound of the joint loss on "
        f"{stream} with one user edited; at most {error:.3g} that anything true is refuted. RMSE: of the density of "
        f"{stream}. Epsilon {epsilon:g}; {seconds:.0f} s.",
        style="dim",
    )
    return Group(table, legend)


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


def _audit(row: OverviewRow) -> str:
    privacy = row.audit.privacy
    if privacy is None:
        return "inconclusive"
    if privacy.loss is None:
        return "none found"
    # A bet may refute the promise where the confirming runs are too few to show more.
    return f"{'>= ' if privacy.loss > privacy.promise.epsilon else '> '}{privacy.loss:.2f}"
