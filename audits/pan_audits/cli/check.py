"""``panproof check``: compute the privacy loss of an estimator exactly, on all small streams."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pan_audits.cli.judged import parse_settings, require_parameters, with_table
from pan_audits.cli.options import (
    Data,
    Epsilon,
    Isolation,
    Json,
    Name,
    Neighbours,
    PromiseEpsilon,
    SampleSize,
    Seconds,
    Settings,
    Stated,
    TableSchema,
    WitnessFile,
)
from pan_audits.cli.output import Files, print_inconclusive, print_json, require_writable
from pan_audits.cli.usage import formerly
from pan_audits.cli.values import whole_option
from pan_audits.judging.ranges import MOST_APPEARANCES


@formerly(time="seconds", inputs="neighbours", table="schema", u="users")
def check(
    name: Name,
    epsilon: Epsilon = None,
    promise_epsilon: PromiseEpsilon = None,
    users: Annotated[
        int, whole_option("--users", "--rows", most=16, help="Most users, or most rows of a table, 1 to 16.")
    ] = 3,
    length: Annotated[int, whole_option("--length", "-l", most=64, help="Most updates in a stream, 1 to 64.")] = 4,
    sample_size: SampleSize = None,
    appearances: Annotated[
        int,
        whole_option(
            "--appearances",
            least=2,
            most=MOST_APPEARANCES,
            help="Most appearances of one user when the growth of the loss is measured, 2 to 64.",
        ),
    ] = 8,
    promise: Stated = None,
    runs: Annotated[
        int,
        whole_option(
            "--runs",
            most=10**9,
            help="Runs of the code, one for each outcome of its random choices, after which the check starts no larger "
            "scope, 1 to 10^9.",
        ),
    ] = 20_000,
    seconds: Annotated[
        float | None,
        Seconds(
            "Instead of --runs: seconds after which the check starts no larger scope. The coverage then differs "
            "between machines."
        ),
    ] = None,
    settings: Settings = None,
    neighbours: Neighbours = "",
    data: Data = None,
    schema: TableSchema = None,
    isolation: Isolation = "best",
    as_json: Json = False,
    witness: WitnessFile = None,
    profile: Annotated[
        Path | None, typer.Option(help="Also write delta as a function of epsilon for the worst pair to this file.")
    ] = None,
) -> None:
    """Compute the privacy loss of an estimator exactly, on every small stream.

    The command runs the estimator's own code for every outcome of its random choices, on every stream of up to
    that many users and updates, on every adjacent stream, and for every moment of an intrusion. The result is
    a number, not an estimate. Exit codes: 0 kept on the whole scope, 1 refuted, 2 bad input, 3 inconclusive.

    Example: panproof check optimal-bernoulli --promise-epsilon "log(9/4)"

    Example: panproof check my_module:MyEstimator --epsilon "log(3/2)" --users 3 --length 4

    Example: panproof check privbayes --epsilon 1 --schema schema.json --rows 3
    """
    from pan_audits.cli.progress import spinner
    from pan_audits.subject.isolation.sandbox import start_ahead

    start_ahead(name, isolation)
    from pan_audits.exact.instances import check_in_worker, limits_of, small_instances
    from pan_audits.exact.result import CheckSettings
    from pan_audits.exact.witness import profile_of
    from pan_audits.reports.text import print_check
    from pan_audits.subject.intake.discovery import arguments_for
    from pan_audits.workers.limits import MechanismError

    require_parameters(name, epsilon, promise_epsilon, settings)
    require_writable(witness, profile)
    given = parse_settings(settings or [])
    neighbours = with_table(name, schema, max(users, 1), neighbours, given)
    effort = CheckSettings(
        users=users, length=length, sample_size=sample_size, appearances=appearances, runs=runs, seconds=seconds
    )
    limits = limits_of(effort)
    try:
        with spinner(f"check {name}"):
            asked = arguments_for(
                name,
                epsilon=epsilon,
                promise_epsilon=promise_epsilon,
                promise=promise,
                neighbours=neighbours or None,
                data=data,
                parameters=given,
                isolation=isolation,
                limits=limits,
            )
            result = check_in_worker(small_instances(asked, limits), effort, limits)
    except MechanismError as problem:
        print_inconclusive(f"{name} cannot be checked: {problem}", as_json=as_json, name=name)
    files = Files()
    if profile and result.witness:
        files.write_json(profile, profile_of(result.witness, inputs=neighbours, isolation=isolation))
    written = files.write_witness(witness, result.minimal, name, neighbours if data is None else "")
    if as_json:
        print_json(result.to_dict())
    else:
        print_check(result)
        if written:
            print(written)
    files.require_written()
    raise typer.Exit(result.verdict.exit_code)
