"""Reports for people, as rows: a label and a text. The first label is the verdict.

The same rows are lines in a pipe and in Python, a coloured grid on a terminal, and a table in a notebook.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from pan_audits.judging.randomness import RandomnessLevel
from pan_audits.judging.verdict import Verdict
from pan_promises.errors import printable

if TYPE_CHECKING:
    from pan_audits.exact.result import CheckResult, Coverage
    from pan_audits.exact.witness import ExactWitness
    from pan_audits.gate.gate import GateReport
    from pan_audits.notions import Loss
    from pan_audits.subject.isolation.conduct import Conduct
    from pan_promises.problem import Problem


STYLES = {
    Verdict.CERTIFIED: "bold green",
    Verdict.NOT_REFUTED: "green",
    Verdict.REFUTED: "bold red",
    Verdict.INCONCLUSIVE: "yellow",
}

_COLOURS = {Verdict.REFUTED: "#D55E00", Verdict.CERTIFIED: "#009E73", Verdict.NOT_REFUTED: "#0072B2"}

_AGAIN = "again"

Rows = Iterable[tuple[str, str]]


def styled(verdict: Verdict) -> Text:
    """A verdict in its colour."""
    return Text(str(verdict), style=STYLES[verdict])


def _head(judged: GateReport | CheckResult, name: str) -> Iterator[tuple[str, str]]:
    yield str(judged.verdict), name
    claim = f" [{judged.promise.claim}]" if judged.promise.claim else ""
    yield "promise", judged.promise.describe() + claim


def gate_lines(report: GateReport, *, verbose: bool = False) -> Iterator[tuple[str, str]]:
    """A gate's report."""
    from pan_audits.notions import notion_of
    from pan_audits.reports.commands import again

    yield from _head(report, f"{report.name}  {describe_configuration(report.configuration)}")
    privacy, exact = report.privacy, report.exact
    if report.resumed:
        yield "resumed", report.resumed
    shown = [each for each in (privacy, exact) if each is not None and each.verdict is report.verdict]
    # The exact check can be inconclusive for another reason.
    if report.verdict is Verdict.CERTIFIED or not shown or (report.verdict is Verdict.INCONCLUSIVE and privacy is None):
        yield "because", report.reason
    if exact is not None:
        yield from _exact_lines(exact)
    notion = notion_of(report.promise)
    if conversion := notion.implied[1]:
        yield "conversion", f"{conversion}; the audit is about {notion.unit} itself"
    if privacy is not None and privacy.witness is not None and privacy.bound is not None:
        yield notion.unit, f"at least {privacy.bound:.3g}, promised {notion.promised:.3g}"
        yield "witness", privacy.witness.describe()
    elif privacy is not None and privacy.witness is not None:
        measured = privacy.witness.loss > privacy.promise.epsilon
        bound = f"at least {privacy.loss:.3g}" if measured else "above the promise"
        yield "loss", f"{bound}, promised {privacy.promise.epsilon:.3g}"
        yield "witness", privacy.witness.describe()
    elif privacy is not None:
        yield "privacy", f"{privacy.verdict}: {privacy.describe()}"
    if privacy is not None and privacy.long is not None:
        yield "long audit", privacy.long.describe()
    wrong = [result for result in report.accuracy if result.verdict is Verdict.REFUTED]
    if report.accuracy:
        yield "accuracy", f"{len(report.accuracy)} statements tested, {len(wrong)} refuted"
    for result in report.accuracy if verbose else wrong:
        yield "", result.describe()
    for finding in report.findings:
        yield str(finding.severity), f"{finding.check}: {finding.sentence}"
    if report.ids and report.verdict is not Verdict.REFUTED:
        yield "ids", report.ids
    yield from conduct_lines(report.conduct, seen=report.promise.sees_state and report.verdict is not Verdict.REFUTED)
    if privacy is None and report.refuted_exactly:
        yield "randomness", RandomnessLevel.FOLLOWED.describe()
        yield "audit", "not needed; `panproof audit` makes it instead"
        return
    if not report.findings:
        yield "hygiene", "no finding"
    if report.randomness is not None:
        yield "randomness", report.randomness.describe()
    yield "code", report.isolation.describe()
    yield "error", f"a true statement is refuted with probability at most {report.error:.3g}"
    yield _AGAIN, again(report)


def conduct_lines(conduct: Conduct | None, *, seen: bool) -> Iterator[tuple[str, str]]:
    """The lines of the judged code that never ran, its branches of one way, and memory that is not seen."""
    if conduct is None:
        return
    if missing := conduct.describe_lines():
        yield "never ran", missing
    if branches := conduct.describe_branches():
        yield "one way", branches
    if seen:
        yield "not seen", conduct.describe_unseen()


def exact_line(exact: CheckResult, loss: Loss) -> tuple[str, str]:
    """The loss beside the promise; for a promise with a delta, the least delta for its epsilon."""
    if exact.least_delta is not None:
        return "exact delta", _compared_delta(exact)
    from pan_audits.notions import notion_of

    return "exact loss", "not known" if exact.knows_no_loss else notion_of(exact.promise).compared(loss)


def _compared_delta(exact: CheckResult) -> str:
    epsilon, promised = float(exact.promise.epsilon), exact.promise.delta
    return f"{exact.least_delta:.6g} at epsilon {epsilon:.6g}, promised {promised:.6g}"


def _exact_lines(exact: CheckResult) -> Iterator[tuple[str, str]]:
    """The result of the exact check of small instances."""
    if exact.loss is None:
        yield "exact check", f"not made: {exact.note}"
        return
    scope = ""
    if exact.coverage:
        last = largest(exact.coverage)
        from pan_audits.problems import judged

        scope = f", {judged(exact.problem).covered_briefly(last.users, last.length)}"
    label, compared = exact_line(exact, exact.loss)
    yield label, f"{compared}{scope}"
    if exact.minimal is not None:
        yield "witness", exact.minimal.describe()
        if exact.growth is not None and exact.growth.unbounded:
            yield "growth", exact.growth.describe()
    elif exact.note:
        yield "", f"not covered: {exact.note}"


def check_lines(result: CheckResult) -> Iterator[tuple[str, str]]:
    """A check's report."""
    from pan_audits.subject.isolation.conduct import KEEPS, places_in_words

    yield from _head(result, result.name)
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
    if result.randomness is not None:
        yield "randomness", result.randomness.describe()
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
    from pan_audits.problems import judged

    if result.minimal is None:
        return judged(result.problem).worst_of_kept and worst.loss.nats > 0
    return worst.loss > result.minimal.loss


def _numbers(result: CheckResult) -> str:
    from pan_promises.exact_epsilon import LogFraction

    if result.exact:
        return "exact: no number that the code specifies is rounded"
    text = "exact for the code's doubles: each double is taken as the fraction that it equals"
    if isinstance(result.promise.epsilon, LogFraction) or result.configuration.keys().isdisjoint(
        {"epsilon", "promise_epsilon"}
    ):
        return text
    return f"{text}; with --epsilon 'log(3/2)' more of these fractions are simple"


def _scopes(result: CheckResult) -> Table:
    from pan_audits.problems import judged

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    shown = judged(result.problem).columns
    for heading in shown.values():
        table.add_column(heading, justify="right", no_wrap=True)
    for row in scopes(result.coverage):
        table.add_row(*cells(row, result.problem, shown))
    return table


def in_brief(judged: GateReport | CheckResult, *details: tuple[str, str]) -> list[tuple[str, str]]:
    """The rows of a session of Python, and of an accepting verdict that about which it says nothing."""
    rows = [(str(judged.verdict), judged.name), ("promise", judged.promise.describe()), *details]
    if judged.conduct is not None and judged.verdict is Verdict.NOT_REFUTED:
        from pan_audits.subject.isolation.conduct import places_in_words

        rows += [*conduct_lines(judged.conduct, seen=False), ("memory", places_in_words(judged.conduct.kept))]
    return [row for row in rows if row[1]]


def loss_in_brief(result: CheckResult) -> tuple[str, str]:
    """The loss or the delta of a check, with what it did not cover."""
    from pan_audits.notions import notion_of

    if result.loss is None:
        return "loss", result.reason
    noted = f"; {result.note}" if result.note else ""
    if result.least_delta is not None:
        return "delta", _compared_delta(result) + noted
    return "loss", notion_of(result.promise).compared(result.loss) + noted


def print_gate(report: GateReport, *, verbose: bool = False) -> None:
    """Print a gate's report."""
    print_lines(report.verdict, gate_lines(report, verbose=verbose))


def print_check(result: CheckResult) -> None:
    """Print a check's report, and a table of what it covered."""
    print_lines(result.verdict, check_lines(result))
    if result.coverage:
        screen = console()
        screen.print()
        screen.print(_scopes(result))


def as_text(rows: Rows) -> str:
    """Rows as lines, each whole."""
    shown = [(printable(label), printable(text)) for label, text in rows]
    width = max(len(label) for label, _ in shown)
    return "\n".join(f"{label:{width}}  {text}" for label, text in shown)


def as_table(verdict: Verdict, rows: Rows) -> str:
    """Rows as a table of HTML."""
    cells, style = [], f";color:{_COLOURS.get(verdict, '#777777')}"
    for label, text in rows:
        cells.append(
            f'<tr><th style="text-align:left{style}">{escape(label)}</th><td>{escape(printable(text))}</td></tr>'
        )
        style = ""
    return f"<table>{''.join(cells)}</table>"


def print_lines(verdict: Verdict, rows: Rows) -> None:
    """Print rows: wrapped and coloured on a terminal, whole lines in a pipe."""
    lines = [(printable(label), printable(text)) for label, text in rows]
    screen = Console(highlight=False)
    if not screen.is_terminal:
        print(as_text(lines))
        return
    from pan_audits.conduct import Severity

    grid = Table.grid(padding=(0, 2))
    styles = {str(Severity.DEFECT): "red"}
    for number, (label, text) in enumerate(lines):
        if label != _AGAIN:
            grid.add_row(styled(verdict) if number == 0 else label, Text(text, style=styles.get(label, "")))
    screen.print(grid)
    for label, text in lines:
        if label == _AGAIN:
            width = max(len(label) for label, _ in lines)
            # A command with line breaks could not be copied.
            screen.print(Text(f"{label:{width}}  ").append(text, style="cyan"), soft_wrap=True)


def describe_configuration(configuration: Any) -> str:
    """Parameters on one line: ``epsilon 0.1, sample size 8, universe 16``."""
    parts = []
    for key, value in configuration.items():
        if key == "estimator":
            continue
        if key == "universe" and isinstance(value, dict):
            value = value.get("size") or value.get("vertices") or len(value.get("labels", ()))
        if key == "space" and isinstance(value, dict):
            parts += [f"{name} {given}" for name, given in value.items() if given is not None]
            continue
        if isinstance(value, float):
            value = f"{value:.6g}"
        parts.append(f"{key.replace('_', ' ')} {value}")
    return ", ".join(parts)


def console(*, stderr: bool = False) -> Console:
    """A console that wraps on a terminal only, so that a pipe gets whole lines."""
    plain = Console(stderr=stderr, highlight=False)
    return plain if plain.is_terminal else Console(stderr=stderr, highlight=False, width=240, soft_wrap=True)


def largest(coverage: Sequence[Coverage]) -> Coverage:
    """The largest of some covered scopes."""
    return max(coverage, key=lambda row: (row.users, row.length))


def scopes(coverage: Sequence[Coverage]) -> list[Coverage]:
    """The covered scopes: all lengths for the most users, the largest for fewer."""
    most = max((row.users for row in coverage), default=0)
    following = [row.users for row in coverage[1:]] + [0]
    return [row for row, users in zip(coverage, following, strict=True) if row.users == most or users != row.users]


def cells(row: Coverage, problem: Problem, shown: Iterable[str]) -> list[str]:
    """The cells of a row."""
    from pan_audits.problems import judged

    every = {
        "users": str(row.users),
        "sampled": "" if row.sample_size is None else str(row.sample_size),
        "length": f"{'up to ' * (not judged(problem).exact_length)}{row.length}",
        "inputs": f"{row.streams:,}",
        "pairs": f"{row.pairs:,}",
        "states": f"{row.states:,}",
        "seconds": f"{row.seconds:.2f}",
        "loss": "infinite" if row.loss.unbounded else f"{row.loss.nats:.6g}",
    }
    return [every[name] for name in shown]
