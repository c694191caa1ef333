"""``panproof replay``: see a witness again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from pan_audits.command_line.options import Jobs, Json, print_json
from pan_audits.command_line.values import option, whole


def replay(
    file: Annotated[Path, typer.Argument(help="A witness, or the report of a gate or check; JSON, or a gate's HTML.")],
    fresh: Annotated[bool, typer.Option("--fresh", help="Make new runs instead of the same ones.")] = False,
    runs: Annotated[
        int | None,
        option("--runs", parse=whole(10, 2**53), help="Runs on each stream, at least 10.", metavar="INTEGER"),
    ] = None,
    jobs: Jobs = 2,
    as_json: Json = False,
) -> None:
    """Run both streams of a witness again and count its event.

    The same runs give the same counts; with --fresh the claim is tested on new ones. The witness of an
    exact check is computed afresh from the estimator's code instead. Exit codes: 1 if this refutes the
    promise by itself, 3 if it does not, 2 for bad input.

    Example: panproof replay witness.json --fresh
    """
    from pan_audits.replay import replay_witness, witness_in
    from pan_audits.reports.text import console, styled

    document = _read(file)
    document = _exact_witness(document)
    if document.get("exact") is True:
        raise typer.Exit(_replay_exact(document, as_json))
    witness = witness_in(document)
    result = replay_witness(witness, _estimator(witness), fresh=fresh, runs=runs, workers=jobs)
    if as_json:
        print_json(result.to_dict())
    else:
        screen = console()
        screen.print(styled(result.verdict), f"loss at least {result.loss:.3g}, promised {witness.promise.epsilon:.3g}")
        screen.print(witness.describe(), markup=False)
        counts = f"{result.counts.left} against {result.counts.right} of {result.counts.runs} runs"
        same = "" if fresh or runs else (", as recorded" if result.identical else ", NOT as recorded")
        screen.print(f"This time: {counts}{same}.")
    raise typer.Exit(result.verdict.exit_code)


def _exact_witness(document: dict[str, Any]) -> dict[str, Any]:
    """The witness of an exact check in a report; what holds none comes back as it is."""
    check = document.get("exact") if isinstance(document.get("exact"), dict) else document
    found = check.get("minimal_witness") if isinstance(check, dict) else None
    return found if isinstance(found, dict) else document


def _replay_exact(document: dict[str, Any], as_json: bool) -> int:
    from pan_audits.exact.numbers import as_float
    from pan_audits.exact.witness import replay_exact
    from pan_audits.reports.text import console, styled
    from pan_audits.verdict import Verdict

    stored, fresh = replay_exact(document)
    violated = fresh.loss.exceeds(fresh.promise.epsilon, exact=False)
    broken = violated if fresh.delta is None else as_float(fresh.delta) > fresh.promise.delta
    verdict = Verdict.REFUTED if broken else Verdict.INCONCLUSIVE
    if as_json:
        print_json({"verdict": str(verdict), "stored": stored.loss.to_dict(), "witness": fresh.to_dict()})
        return verdict.exit_code
    screen = console()
    screen.print(styled(verdict), f"loss {fresh.loss.describe()}, recorded {stored.loss.describe()}")
    screen.print(fresh.describe(), markup=False)
    return verdict.exit_code


def _read(file: Path) -> dict[str, Any]:
    from pan_estimators import InputError

    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError as problem:
        raise InputError(f"cannot read {file}: {problem.strerror}") from None
    if text.startswith("<!DOCTYPE html>"):
        from pan_audits.reports.html import embedded_report

        return embedded_report(text)
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError(f"{file} is not JSON") from None
    if not isinstance(document, dict):
        raise InputError(f"{file} is not a witness")
    return document


def _estimator(witness: Any) -> Any:
    from pan_audits.discovery import find_variant
    from pan_estimators import ESTIMATORS, estimator_from_dict
    from pan_estimators.universe import universe_from_dict

    configuration = dict(witness.estimator)
    name = configuration.get("estimator")
    if name in ESTIMATORS:
        return estimator_from_dict(configuration)
    configuration.pop("estimator", None)
    if isinstance(configuration.get("universe"), dict):
        configuration["universe"] = universe_from_dict(configuration["universe"])
    return find_variant(str(name), parameters=configuration, promise=witness.promise).estimator
