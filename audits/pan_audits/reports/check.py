"""The report of an exact check: the verdict, the loss and its witness, and the covered scopes."""

from __future__ import annotations

from collections.abc import Iterator

from rich.table import Table

from pan_audits.exact.result import CheckResult
from pan_audits.exact.witness import ExactWitness
from pan_audits.judging.verdict import Verdict
from pan_audits.problems import judged
from pan_audits.reports.text import cells, conduct_lines, console, exact_line, print_lines, scopes
from pan_audits.subject.isolation.conduct import KEEPS, places_in_words
from pan_promises.exact_epsilon import LogFraction


def check_lines(result: CheckResult) -> Iterator[tuple[str, str]]:
    """A check's report as labelled lines; the first label is the verdict."""
    yield str(result.verdict), result.name
    claim = f" [{result.promise.claim}]" if result.promise.claim else ""
    yield "promise", result.promise.describe() + claim
    if result.loss is not None:
        yield exact_line(result, result.loss)
    if result.minimal is not None:
        yield "witness", result.minimal.describe()
    if result.witness is not None and _tells_more(result.witness, result):
        yield "worst", result.witness.describe()
    if result.growth is not None:
        yield "growth", result.growth.describe()
    elif result.promise.delta and result.coverage:
        yield "growth", "not measured for a promise with a delta"
    if result.coverage:
        yield "numbers", _numbers(result)
    if result.note or result.loss is None:
        yield "not covered", result.note or result.reason
    if result.timed:
        yield "time", result.timed
    if result.conduct is not None and result.conduct.kept and not result.promise.sees_state:
        yield "memory", f"{KEEPS}{places_in_words(result.conduct.kept)}"
    accepts = result.verdict is Verdict.NOT_REFUTED
    yield from conduct_lines(result.conduct, seen=result.promise.sees_state and accepts)


def _tells_more(worst: ExactWitness, result: CheckResult) -> bool:
    """Whether the worst pair is shown: it is worse than the first one, or it is two tables of a kept promise."""
    if result.minimal is None:
        return judged(result.problem).worst_of_kept and worst.loss.nats > 0
    return worst.loss > result.minimal.loss


def print_check(result: CheckResult) -> None:
    """Print a report: wrapped and coloured on a terminal, plain lines in a pipe."""
    print_lines(result.verdict, list(check_lines(result)))
    if result.coverage:
        screen = console()
        screen.print()
        screen.print(_scopes(result))


def _numbers(result: CheckResult) -> str:
    if result.exact:
        return "exact: no number that the code specifies is rounded"
    text = "exact for the code's doubles: each double is taken as the fraction that it equals"
    if isinstance(result.promise.epsilon, LogFraction) or result.configuration.keys().isdisjoint(
        {"epsilon", "promise_epsilon"}
    ):
        return text
    return f"{text}; with --epsilon 'log(3/2)' more of these fractions are simple"


def _scopes(result: CheckResult) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    shown = judged(result.problem).columns
    for heading in shown.values():
        table.add_column(heading, justify="right", no_wrap=True)
    for row in scopes(result.coverage):
        table.add_row(*cells(row, result.problem, shown))
    return table
