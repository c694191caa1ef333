"""Reports for people: the verdict first, then the witness, then how to see it again."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from pan_audits.verdict import Verdict

if TYPE_CHECKING:
    from pan_audits.exact.result import CheckResult
    from pan_audits.gate import GateReport

STYLES = {
    Verdict.CERTIFIED: "bold green",
    Verdict.NOT_REFUTED: "green",
    Verdict.REFUTED: "bold red",
    Verdict.INCONCLUSIVE: "yellow",
}


def styled(verdict: Verdict) -> Text:
    """A verdict in its colour."""
    return Text(str(verdict), style=STYLES[verdict])


def gate_lines(report: GateReport, *, verbose: bool = False) -> Iterator[tuple[str, str]]:
    """A gate's report as labelled lines; the first label is the verdict."""
    yield str(report.verdict), f"{report.name}  {describe_configuration(report.configuration)}"
    claim = f" [{report.promise.claim}]" if report.promise.claim else ""
    yield "promise", report.promise.describe() + claim
    privacy, exact = report.privacy, report.exact
    if report.verdict is Verdict.CERTIFIED or (
        (privacy is None or privacy.verdict is not report.verdict)
        and (exact is None or exact.verdict is not report.verdict)
    ):
        yield "because", report.reason
    if exact is not None:
        yield from _exact_lines(exact)
    if privacy is not None and privacy.witness is not None:
        measured = privacy.witness.loss > privacy.promise.epsilon
        bound = f"at least {privacy.loss:.3g}" if measured else "above what was promised"
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
    if privacy is None and exact is not None and exact.verdict is Verdict.REFUTED:
        yield "audit", "not needed; with --no-exact the statistical audit is made instead"
        return
    if not report.findings:
        yield "hygiene", "no finding"
    yield "code", report.isolation.describe()
    yield "error", f"at most {report.error:.3g} that anything true is refuted here"
    yield "again", replay_command(report)


def _exact_lines(exact: CheckResult) -> Iterator[tuple[str, str]]:
    """What the exact check of small instances found."""
    if exact.loss is None:
        yield "exact check", f"not made: {exact.note}"
        return
    largest = exact.coverage[-1] if exact.coverage else None
    scope = f", {exact.settings.users} users and streams of up to {exact.settings.length} updates" if largest else ""
    yield "exact loss", f"{exact.loss.describe()}, promised {float(exact.promise.epsilon):.6g}{scope}"
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
    """Print labelled lines, of which the first label is the verdict."""
    screen = Console(highlight=False)
    width = max(len(label) for label, _ in lines)
    if not screen.is_terminal:
        for label, text in lines:
            print(f"{label:{width}}  {text}")
        return
    from pan_audits.hygiene import Severity

    grid = Table.grid(padding=(0, 2))
    styles = {"again": "cyan", str(Severity.DEFECT): "red"}
    for number, (label, text) in enumerate(lines):
        grid.add_row(styled(verdict) if number == 0 else label, Text(text, style=styles.get(label, "")))
    screen.print(grid)


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


def replay_command(report: GateReport) -> str:
    """The command that makes the same runs again."""
    from pan_audits.statistics import DEFAULT_ERROR

    words = ["panproof", "gate", report.name]
    configuration = dict(report.configuration)
    universe = configuration.pop("universe", None)
    if report.stream is not None:
        words += ["--stream", report.stream]
    elif isinstance(universe, int):
        words += ["--universe", str(universe)]
    elif isinstance(universe, dict) and universe.get("kind") == "integers" and universe["first"] == 0:
        words += ["--universe", str(universe["size"])]
    elif isinstance(universe, dict) and universe.get("kind") == "edges":
        words += ["--universe", str(universe["vertices"] * (universe["vertices"] - 1) // 2)]
    for key in ("epsilon", "sample_size"):
        if key in configuration:
            value = configuration.pop(key)
            words += [f"--{key.replace('_', '-')}", f"{value!r}" if isinstance(value, float) else str(value)]
    for key, value in configuration.items():
        if key not in ("estimator", "vertices"):
            words += ["--set", f"{key}={value}"]
    words += ["--promise", _promise_words(report)]
    if report.privacy is not None:
        words += ["--runs", str(report.privacy.search_runs)]
        if report.privacy.confirmation_runs:
            words += ["--confirmation-runs", str(report.privacy.confirmation_runs)]
    if report.error != DEFAULT_ERROR:
        words += ["--error", f"{report.error!r}"]
    words += ["--seed", str(report.seed)]
    return shlex.join(words if report.exact is not None else [*words, "--no-exact"])


def _promise_words(report: GateReport) -> str:
    promise = report.promise
    words = [f"epsilon={promise.epsilon!r}", f"adjacency={promise.adjacency}", f"observed={promise.observed}"]
    words += [f"delta={promise.delta!r}"] if promise.delta else []
    words += [f"intrusions={promise.intrusions}"] if promise.intrusions != 1 else []
    words += [f"announced={promise.announced}"] if promise.announced else []
    words += [f"outputs={promise.outputs}"] if promise.outputs != 1 else []
    return ",".join(words)


def console(*, stderr: bool = False) -> Console:
    """A console that wraps on a terminal only, so that a pipe gets whole lines."""
    plain = Console(stderr=stderr, highlight=False)
    return plain if plain.is_terminal else Console(stderr=stderr, highlight=False, width=240, soft_wrap=True)
