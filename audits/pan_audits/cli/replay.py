"""``panproof replay``: repeat a witness."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pan_audits.cli.options import Jobs, Json, MemoryLimit, Neighbours, Timeout
from pan_audits.cli.output import print_inconclusive, print_json
from pan_audits.cli.usage import formerly
from pan_audits.cli.values import whole_option

if TYPE_CHECKING:
    from pan_audits.judging.reading import Field
    from pan_audits.judging.verdict import Verdict
    from pan_audits.workers.limits import Limits


@formerly(memory="memory_limit", inputs="neighbours")
def replay(
    file: Annotated[Path, typer.Argument(help="A witness, or the report of a gate or check; JSON, or a gate's HTML.")],
    fresh: Annotated[bool, typer.Option("--fresh", help="Make new runs instead of the recorded ones.")] = False,
    runs: Annotated[
        int | None,
        whole_option("--runs", least=10, most=2**53, help="Runs on each stream, at least 10."),
    ] = None,
    estimator: Annotated[
        str | None,
        typer.Option(
            "--estimator",
            help="For an estimator that is not shipped: its name, as in the file. The command runs its code.",
            metavar="NAME",
        ),
    ] = None,
    neighbours: Neighbours = "",
    timeout: Timeout = 120.0,
    memory_limit: MemoryLimit = 2.0,
    jobs: Jobs = 2,
    as_json: Json = False,
) -> None:
    """Run both streams of a witness again and count its event.

    The same runs give the same counts. With --fresh the command makes new runs; use it for a file from another person.
    For the witness of an exact check, the command computes the loss again from the estimator's code. A file is data:
    the command runs the code of an estimator that is not shipped only if --estimator names it too. Exit codes: 1 if
    this refutes the promise by itself, 3 if it does not, 2 for bad input.

    Example: panproof replay witness.json --fresh

    Example: panproof replay witness.json --estimator my_module:MyEstimator
    """
    from pan_audits.workers.limits import Limits, MechanismError

    limits = Limits(seconds=timeout, memory_bytes=int(memory_limit * 2**30))
    document = _exact_witness(_read(file))
    try:
        if (exact := document.get("exact")) is not None and exact.value is True:
            verdict = _replay_exact(document, estimator, neighbours, limits, as_json=as_json)
        else:
            verdict = _replay_runs(
                document, estimator, neighbours, limits, fresh=fresh, runs=runs, jobs=jobs, as_json=as_json
            )
    except MechanismError as problem:
        print_inconclusive(f"the estimator failed: {problem}", as_json=as_json)
    raise typer.Exit(verdict.exit_code)


def _exact_witness(document: Field) -> Field:
    """The witness of an exact check in a report; a document without one is returned unchanged."""
    exact = document.value.get("exact")
    check = document["exact"] if isinstance(exact, dict) else document
    return check.get("minimal_witness") or document


def _replay_runs(
    document: Field,
    named: str | None,
    inputs: str,
    limits: Limits,
    *,
    fresh: bool,
    runs: int | None,
    jobs: int,
    as_json: bool,
) -> Verdict:
    from pan_audits.audit.replay import estimator_of, replay_witness, witness_field
    from pan_audits.audit.witness import Witness
    from pan_audits.notions import notion_of
    from pan_audits.reports.text import console, styled
    from pan_promises.errors import printable

    field = witness_field(document)
    witness = Witness.from_dict(field)
    made = estimator_of(witness, named, field["estimator"].place, inputs, limits)
    result = replay_witness(witness, made, fresh=fresh, runs=runs, workers=jobs, limits=limits)
    if as_json:
        print_json(result.to_dict())
        return result.verdict
    screen = console()
    bound = notion_of(result.witness.promise).at_least(result.bound)
    screen.print(styled(result.verdict), f"{bound}, promised {result.promised:.3g}")
    screen.print(printable(witness.describe()), markup=False)
    counts = f"{result.counts.left} against {result.counts.right} of {result.counts.runs} runs"
    same = "" if fresh or runs else (", as recorded" if result.identical else ", NOT as recorded")
    screen.print(f"This time: {counts}{same}; wrong with probability at most {witness.error:.3g}.")
    return result.verdict


def _replay_exact(document: Field, named: str | None, inputs: str, limits: Limits, *, as_json: bool) -> Verdict:
    from pan_audits.exact.witness import replay_exact
    from pan_audits.judging.verdict import Verdict
    from pan_audits.notions import notion_of
    from pan_audits.reports.text import console, styled
    from pan_promises.errors import printable

    stored, fresh = replay_exact(document, third_party=named, inputs=inputs, limits=limits)
    broken = notion_of(fresh.promise).broken_by(fresh.loss, fresh.delta, exact=False)
    verdict = Verdict.REFUTED if broken else Verdict.INCONCLUSIVE
    if as_json:
        print_json({"verdict": str(verdict), "stored": stored.loss.to_dict(), "witness": fresh.to_dict()})
        return verdict
    screen = console()
    screen.print(styled(verdict), f"loss {fresh.loss.describe()}, recorded {stored.loss.describe()}")
    screen.print(printable(fresh.describe()), markup=False)
    return verdict


def _read(file: Path) -> Field:
    from pan_audits.judging.reading import Field, parse_document, read_text
    from pan_promises.errors import InputError

    try:
        with file.open("rb") as opened:
            text = read_text(opened, str(file))
    except OSError as problem:
        raise InputError(f"cannot read {file}: {problem.strerror}") from None
    if text.startswith("<!DOCTYPE html>"):
        from pan_audits.reports.html import embedded_report

        return Field(embedded_report(text))
    return parse_document(text, str(file))
