"""The report of an exact check on a terminal."""

from __future__ import annotations

from rich.console import Group
from rich.table import Table
from rich.text import Text

from pan_audits.exact.numbers import as_float
from pan_audits.exact.result import CheckResult
from pan_audits.reports.text import STYLES, console


def print_check(result: CheckResult) -> None:
    """The verdict first, then the loss and its witness, then what was covered."""
    console().print(render_check(result))


def render_check(result: CheckResult) -> Group:
    """The report as a table of facts and one of scopes."""
    facts = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    facts.add_column(no_wrap=True)
    facts.add_column()
    facts.add_row(Text(str(result.verdict), style=STYLES[result.verdict]), Text(result.name))
    claim = f" [{result.promise.claim}]" if result.promise.claim else ""
    facts.add_row("promise", Text(result.promise.describe() + claim))
    if result.witness is not None and result.witness.delta is not None:
        shown = f"{as_float(result.witness.delta):.6g} at epsilon {float(result.promise.epsilon):.6g}"
        facts.add_row("exact delta", f"{shown}, promised {result.promise.delta:.6g}")
    elif result.loss is not None:
        facts.add_row("exact loss", f"{result.loss.describe()}, promised {float(result.promise.epsilon):.6g}")
    if result.minimal is not None:
        facts.add_row("witness", Text(result.minimal.describe()))
    if result.minimal is not None and result.witness is not None and result.witness.loss > result.minimal.loss:
        facts.add_row("worst", Text(result.witness.describe()))
    if result.growth is not None:
        facts.add_row("growth", result.growth.describe())
    facts.add_row("numbers", _numbers(result))
    if (result.reason and result.loss is None) or result.note:
        facts.add_row("not covered", Text(result.note or result.reason))
    if not result.coverage:
        return Group(facts)
    return Group(facts, Text(""), _scopes(result))


def _numbers(result: CheckResult) -> str:
    if result.exact:
        return "exact: every probability is the fraction that the code means"
    return "the code's doubles, taken as the fractions that they are; --epsilon 'log(3/2)' makes them simple fractions"


def _scopes(result: CheckResult) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("users", "sampled", "updates", "streams", "pairs", "states", "seconds", "loss"):
        table.add_column(heading, justify="right")
    largest = max(row.users for row in result.coverage)
    for number, row in enumerate(result.coverage):
        following = result.coverage[number + 1 : number + 2]
        if row.users < largest and following and following[0].users == row.users:
            continue
        table.add_row(
            str(row.users),
            "" if row.sample_size is None else str(row.sample_size),
            f"up to {row.length}",
            f"{row.streams:,}",
            f"{row.pairs:,}",
            f"{row.states:,}",
            f"{row.seconds:.2f}",
            "infinite" if row.loss.unbounded else f"{row.loss.nats:.6g}",
        )
    return table
