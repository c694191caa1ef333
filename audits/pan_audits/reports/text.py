"""Reports for people: the verdict, the witness, and the command that repeats it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from pan_audits.judging.verdict import Verdict
from pan_promises.errors import printable

if TYPE_CHECKING:
    from pan_audits.exact.result import CheckResult, Coverage
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

_AGAIN = "again"


def styled(verdict: Verdict) -> Text:
    """A verdict in its colour."""
    return Text(str(verdict), style=STYLES[verdict])


def gate_lines(report: GateReport, *, verbose: bool = False) -> Iterator[tuple[str, str]]:
    """A gate's report as labelled lines; the first label is the verdict."""
    from pan_audits.notions import notion_of
    from pan_audits.reports.commands import again

    yield str(report.verdict), f"{report.name}  {describe_configuration(report.configuration)}"
    claim = f" [{report.promise.claim}]" if report.promise.claim else ""
    yield "promise", report.promise.describe() + claim
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
    if privacy is None and exact is not None and exact.verdict is Verdict.REFUTED:
        yield "audit", "not needed; `panproof audit` makes it instead"
        return
    if not report.findings:
        yield "hygiene", "no finding"
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
    if exact.witness is not None and exact.witness.delta is not None:
        from pan_audits.choices.numbers import as_float

        promised = f"epsilon {float(exact.promise.epsilon):.6g}, promised {exact.promise.delta:.6g}"
        return "exact delta", f"{as_float(exact.witness.delta):.6g} at {promised}"
    from pan_audits.notions import notion_of

    return "exact loss", "not known" if exact.knows_no_loss else notion_of(exact.promise).compared(loss)


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


def print_gate(report: GateReport, *, verbose: bool = False) -> None:
    """Print a gate's report: wrapped and coloured on a terminal, plain lines in a pipe."""
    print_lines(report.verdict, list(gate_lines(report, verbose=verbose)))


def print_lines(verdict: Verdict, lines: list[tuple[str, str]]) -> None:
    """Print labelled lines, each on one line. The first label is the verdict."""
    lines = [(printable(label), printable(text)) for label, text in lines]
    screen = Console(highlight=False)
    width = max(len(label) for label, _ in lines)
    if not screen.is_terminal:
        for label, text in lines:
            print(f"{label:{width}}  {text}")
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
