"""The commands that a report shows. A shell runs them unchanged, with the same outcome."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pan_audits.judging.ranges import CONFIRMATION_RUNS
from pan_audits.notions import notion_of
from pan_audits.notions.pure import number_in_words
from pan_audits.subject.intake.documents import named
from pan_estimators.common.registry import ships
from pan_promises.exact_epsilon import LogFraction
from pan_promises.promise import Promise

if TYPE_CHECKING:
    from pan_audits.gate.gate import GateReport


class _UnwritableError(Exception):
    """Raised for a parameter that the command line cannot express."""


def replay_command(report: GateReport) -> str:
    """The command that makes the same runs again; empty if no command can give the parameters of the estimator."""
    from pan_audits.statistics import DEFAULT_ERROR
    from pan_audits.workers.limits import Limits

    try:
        parameters = _parameters(report)
    except _UnwritableError:
        return ""
    settings, privacy = report.settings, report.privacy
    checked = report.exact is not None if settings is None else settings.exact
    words = ["panproof", "gate" if checked else "audit", report.name, *parameters]
    words += ["--promise", promise_words(report.promise)]
    if privacy is not None:
        words += ["--runs", str(privacy.search_runs)]
        if privacy.confirmation_runs:
            words += ["--confirmation-runs", str(privacy.confirmation_runs)]
    elif settings is not None:
        words += ["--runs", str(settings.runs)] if settings.runs is not None else []
        words += ["--seconds", repr(settings.seconds)] if settings.runs is None and settings.seconds is not None else []
        if settings.confirmation_runs != CONFIRMATION_RUNS:
            words += ["--confirmation-runs", str(settings.confirmation_runs)]
    if report.error != DEFAULT_ERROR:
        words += ["--error", repr(report.error)]
    if settings is not None:
        limits, usual = settings.limits, Limits()
        words += ["--timeout", repr(limits.seconds)] if limits.seconds != usual.seconds else []
        words += (
            ["--memory-limit", repr(limits.memory_bytes / 2**30)] if limits.memory_bytes != usual.memory_bytes else []
        )
    words += ["--seed", str(report.seed)]
    words += ["--doubles"] if settings is not None and settings.doubles else []
    return shlex.join(words)


def again(report: GateReport) -> str:
    """The command that repeats a report, or the reason why there is none."""
    return replay_command(report) or (
        f"in Python only, with seed={report.seed}: no option gives the parameters of this estimator"
    )


def witness_command(file: Path | str, name: str, inputs: str = "") -> str:
    """The command that replays a witness or a report in a file, about the estimator of this name."""
    path = str(file)
    command = shlex.join(["panproof", "replay", f"./{path}" if path.startswith("-") else path])
    if ships(name):
        return command
    return f"{command} {named(name)}" + (f" {shlex.join(['--neighbours', inputs])}" if inputs else "")


def promise_words(promise: Promise) -> str:
    """A promise as ``--promise`` takes it, without its claim."""
    words = [notion_of(promise).words, f"adjacency={promise.adjacency}", f"observed={promise.observed}"]
    words += [f"delta={promise.delta!r}"] if promise.delta else []
    words += [f"intrusions={promise.intrusions}"] if promise.intrusions != 1 else []
    words += [f"announced={promise.announced}"] if promise.announced else []
    words += [f"outputs={promise.outputs}"] if promise.outputs != 1 else []
    words += [f"public={'+'.join(promise.public)}"] if promise.public else []
    return ",".join(words)


def _parameters(report: GateReport) -> list[str]:
    """The parameters of the estimator."""
    given = {key: value for key, value in report.configuration.items() if key != "estimator" and value is not None}
    universe, inputs = given.pop("universe", None), given.pop("inputs", None)
    words = ["--stream", report.stream] if report.stream is not None else _universe(universe)
    words += ["--neighbours", str(inputs)] if inputs else []
    for name, value in given.pop("space", {}).items():
        if value is None:
            raise _UnwritableError
        words += [f"--{name}", value]
    size = given.get("sample_size")
    for name in ("epsilon", "promise_epsilon"):
        budget = given.get(name)
        if isinstance(budget, (int, float)) and not isinstance(budget, bool):
            text = number_in_words(_exact(report, name, given.pop(name)))
            whole = name == "promise_epsilon" or budget == report.promise.epsilon
            words += [f"--{name.replace('_', '-')}", text] if whole else ["--set", f"{name}={text}"]
    if isinstance(size, int) and not isinstance(size, bool):
        words += ["--sample-size", str(given.pop("sample_size"))]
    for key, value in given.items():
        words += ["--set", f"{key}={_value(value)}"]
    return words


def _universe(universe: Any) -> list[str]:
    if universe is None:
        return []
    if isinstance(universe, int):
        return ["--universe", str(universe)]
    if isinstance(universe, Mapping) and universe.get("kind") == "integers" and universe["first"] == 0:
        return ["--universe", str(universe["size"])]
    if isinstance(universe, Mapping) and universe.get("kind") == "edges":
        return ["--universe", str(universe["vertices"] * (universe["vertices"] - 1) // 2)]
    raise _UnwritableError


def _exact(report: GateReport, name: str, budget: Any) -> Any:
    """The budget as it was given, if the exact check has it as the logarithm of a fraction."""
    for witness in (report.exact.minimal, report.exact.witness) if report.exact is not None else ():
        known = None if witness is None else witness.parameters.get(name)
        if isinstance(known, LogFraction) and float(known) == budget:
            return known
    return budget


def _value(value: Any) -> str:
    """A value as ``--set`` takes it: JSON, a tuple of Python, or a text that is neither."""
    if isinstance(value, tuple):
        return repr(value)
    if isinstance(value, str):
        try:
            json.loads(value)
        except ValueError:
            if value.isprintable():
                return value
    try:
        return json.dumps(value)
    except (TypeError, ValueError):
        raise _UnwritableError from None
