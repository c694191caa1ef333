"""The verdicts on the sentences of the sources about their experiments, as a table."""

from __future__ import annotations

from pathlib import Path

from rich.console import Group
from rich.table import Table
from rich.text import Text

from pan_audits.experiments.reproduction import Reproduction
from pan_audits.experiments.sentence import Verdict

STYLES = {
    Verdict.REPRODUCED: "bold green",
    Verdict.NOT_REPRODUCED: "bold red",
    Verdict.UNDECIDED: "yellow",
}


def render_reproduction(found: Reproduction, *, folder: Path, seconds: float) -> Group:
    """How many sentences have which verdict, one row for each, and where the rest is."""
    counts = Text(", ").join(
        Text(f"{found.count(verdict)} {verdict}", style=style) for verdict, style in STYLES.items()
    )
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("verdict", no_wrap=True)
    table.add_column("sentence", no_wrap=True)
    table.add_column("runs", justify="right", no_wrap=True)
    table.add_column("effect")
    for judgement in found.judgements:
        table.add_row(
            Text(str(judgement.verdict), style=STYLES[judgement.verdict]),
            judgement.sentence.id,
            f"{judgement.runs:,}" if judgement.runs else "computed",
            Text(judgement.effect),
        )
    measured = any(judgement.runs for judgement in found.judgements)
    sure = f"With probability at least 1 - {found.error:g} none of the measured verdicts is wrong. " if measured else ""
    assumed = sorted({judgement.assumes.partition(";")[0] for judgement in found.judgements if judgement.assumes})
    if assumed:
        sure += f"Assumed: {'; '.join(assumed)}. "
    legend = (
        f"\n{sure}What each sentence says, and what was tested for it, is written beside its verdict in {folder}: "
        f"{len(found.files)} files. Budgets 0.05 to 0.5, which the sources do not print; seed {found.seed}; "
        f"{seconds:.0f} s."
    )
    return Group(counts, Text(""), table, Text(legend, style="dim"))
