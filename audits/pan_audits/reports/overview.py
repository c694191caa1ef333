"""The table of verdicts on all shipped estimators."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group
from rich.table import Table
from rich.text import Text

from pan_audits.gate import GateReport
from pan_audits.overview import OverviewRow
from pan_audits.reports.text import STYLES
from pan_audits.verdict import Verdict
from pan_estimators import Observed


def render_overview(rows: Sequence[OverviewRow], *, stream: str, epsilon: float, error: float, seconds: float) -> Group:
    """One row for each estimator: three verdicts, each with the measured loss and the promised one."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("estimator", no_wrap=True)
    table.add_column("state and output, jointly", no_wrap=True)
    table.add_column("state alone", no_wrap=True)
    table.add_column("output alone", no_wrap=True)
    table.add_column("witness: the user on the two streams")
    for row in rows:
        joint = row.reports[Observed.STATE_AND_OUTPUT]
        table.add_row(row.name, *(_cell(report) for report in row.reports.values()), _witness(joint))
    legend = Text(
        f"\nREFUTED a > b: the privacy loss is at least a nats where b was promised. "
        f"NOT_REFUTED b: no violation of b was found, which is no proof. "
        f"Stream {stream} with one user edited, epsilon {epsilon:g}; at most {error:.3g} that anything true "
        f"is refuted in this table; {seconds:.0f} s.",
        style="dim",
    )
    return Group(table, legend)


def _cell(report: GateReport) -> Text:
    privacy = report.privacy
    verdict = privacy.verdict if privacy else Verdict.INCONCLUSIVE
    if privacy and privacy.loss is not None:
        # A bet may refute the promise where the confirming runs are too few to show more.
        measured = f" {privacy.loss:.2f}" if privacy.loss > privacy.promise.epsilon else ""
        words = f"{verdict}{measured} > {privacy.promise.epsilon:.2g}"
    elif verdict is Verdict.NOT_REFUTED:
        words = f"{verdict} {report.promise.epsilon:.2g}"
    else:
        words = str(verdict)
    return Text(words, style=STYLES[verdict])


def _witness(report: GateReport) -> str:
    witness = report.privacy and report.privacy.witness
    if not witness:
        return report.reason if report.verdict is Verdict.INCONCLUSIVE else ""
    family = witness.pair.family
    left, right = (family.describe(place).partition(" ")[2] for place in (witness.pair.left, witness.pair.right))
    user = f"{family.user} "
    return f"{left} / {right.removeprefix(user)}"
