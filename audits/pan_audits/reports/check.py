"""The report of an exact check: the verdict, the loss and its witness, and the covered scopes."""

from __future__ import annotations

from collections.abc import Iterator

from rich.table import Table
from rich.text import Text

from pan_audits.choices.numbers import as_float
from pan_audits.exact.result import CheckResult
from pan_audits.reports.text import console, print_lines
from pan_promises.exact_epsilon import LogFraction


def check_lines(result: CheckResult) -> Iterator[tuple[str, str]]:
    """A check's report as labelled lines; the first label is the verdict."""
    yield str(result.verdict), result.name
    claim = f" [{result.promise.claim}]" if result.promise.claim else ""
    yield "promise", result.promise.describe() + claim
    promised = f"{float(result.promise.epsilon):.6g}"
    if result.witness is not None and result.witness.delta is not None:
        shown = f"{as_float(result.witness.delta):.6g} at epsilon {promised}"
        yield "exact delta", f"{shown}, promised {result.promise.delta:.6g}"
    elif result.loss is not None:
        yield "exact loss", f"{result.loss.describe()}, promised {promised}"
    if result.minimal is not None:
        yield "witness", result.minimal.describe()
    if result.minimal is not None and result.witness is not None and result.witness.loss > result.minimal.loss:
        yield "worst", result.witness.describe()
    if result.growth is not None:
        yield "growth", result.growth.describe()
    elif result.promise.delta and result.coverage:
        yield "growth", "not measured for a promise with a delta"
    if result.coverage:
        yield "numbers", _numbers(result)
    if result.note or result.loss is None:
        yield "not covered", result.note or result.reason


def print_check(result: CheckResult) -> None:
    """Print a report: wrapped and coloured on a terminal, plain lines in a pipe."""
    print_lines(result.verdict, list(check_lines(result)))
    if result.coverage:
        screen = console()
        screen.print()
        screen.print(_scopes(result))


def _numbers(result: CheckResult) -> str:
    if result.exact:
        return "exact: every probability is the fraction that the code specifies"
    text = "exact for the code's doubles: each double is taken as the fraction that it equals"
    if isinstance(result.promise.epsilon, LogFraction) or "epsilon" not in result.configuration:
        return text
    return f"{text}; with --epsilon 'log(3/2)' more of these fractions are simple"


def _scopes(result: CheckResult) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("users", "sampled", "updates", "streams", "pairs", "states", "seconds", "loss"):
        table.add_column(heading, justify="right", no_wrap=True)
    largest = max(row.users for row in result.coverage)
    for number, row in enumerate(result.coverage):
        following = result.coverage[number + 1 : number + 2]
        if row.users < largest and following and following[0].users == row.users:
            continue
        table.add_row(
            str(row.users),
            "" if row.sample_size is None else str(row.sample_size),
            Text(f"up to {row.length}"),
            f"{row.streams:,}",
            f"{row.pairs:,}",
            f"{row.states:,}",
            f"{row.seconds:.2f}",
            "infinite" if row.loss.unbounded else f"{row.loss.nats:.6g}",
        )
    return table
