"""``panproof count``: the number of distinct users of a stream of ids of any kind."""

from __future__ import annotations

import os
import sys
import warnings
from typing import Annotated

import typer

from pan_audits.cli.id_options import (
    Column,
    Format,
    Header,
    Ids,
    Kind,
    Missing,
    MissingText,
    print_skipped,
    reading_of,
)
from pan_audits.cli.options import Epsilon, Json, Level, PromiseEpsilon
from pan_audits.cli.output import print_json
from pan_audits.cli.usage import formerly
from pan_audits.cli.values import seed_option
from pan_audits.density.commands.count_options import (
    CheckpointText,
    CounterMemory,
    Engine,
    EveryText,
    FreshPanes,
    InputPlace,
    Jobs,
    KeyFile,
    LatePolicy,
    Least,
    Most,
    Output,
    ReleaseOnly,
    Releases,
    Scheduler,
    Show,
    State,
    TimeColumn,
    UpdateOnly,
    WithoutPlace,
    panes_of,
    use_of,
)
from pan_estimators.reading.options import Late, MissingPolicy


@formerly(release="release_only", output="out")
def count(
    file: Annotated[
        list[str] | None,
        typer.Argument(
            help="Text, CSV, Parquet or Arrow, gzip or zstd, a named pipe, or - for standard input; also several.",
            metavar="FILE",
        ),
    ] = None,
    epsilon: Epsilon = None,
    promise_epsilon: PromiseEpsilon = None,
    memory: CounterMemory = None,
    least: Least = None,
    most: Most = None,
    column: Column = None,
    kind: Format = Kind.AUTO,
    header: Header = None,
    ids: Ids = None,
    missing: Missing = MissingPolicy.FAIL,
    missing_text: MissingText = None,
    level: Level = 0.95,
    state: State = None,
    key_file: KeyFile = None,
    update_only: UpdateOnly = False,
    release_only: ReleaseOnly = False,
    show: Show = False,
    checkpoint: CheckpointText = None,
    input_place: InputPlace = None,
    without_place: WithoutPlace = False,
    releases: Releases = None,
    every: EveryText = None,
    fresh_panes: FreshPanes = False,
    time_column: TimeColumn = None,
    late: LatePolicy = Late.FAIL,
    output: Output = None,
    engine: Engine = None,
    scheduler: Scheduler = None,
    jobs: Jobs = None,
    seed: Annotated[
        int | None,
        seed_option("Seed, for tests: the output is reproducible and therefore not private."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Count the distinct users of a stream, for ids of any kind and an unknown number of users, in a few KiB.

    The promise of --promise-epsilon is user-level, for one intrusion and the output together, also if the adversary
    knows the key. Every copy of the state that is read, from memory, a file or a backup, is an intrusion, and one is
    covered.
    The promise does not cover the kind of the ids, texts or whole numbers, which is the same for all. A checkpoint
    names its input, by its file and the time of its last change, unless --without-place is given.

    With --state the same command goes on after kill -9, Ctrl-C or a full disk: it counts all ids of its input again,
    and repeated ids change nothing. A pipe, or a file that was changed, needs --input. --update-only counts a part of
    the stream. The last release erases the state and the key, and keeps the output, which --show prints again.

    --every divides the stream into panes. The promise across panes and its price are printed before the count begins.
    The outputs are CSV. --releases R counts all users so far; --fresh-panes counts the users of each pane.

    Example: panproof count --promise-epsilon 1 --from 1e4 --to 1e9 --column customer_id --state sales.state sales.csv

    --engine dask divides the cells among the workers of a Dask cluster. The count has the distribution of one counter.

    Example: panproof count --promise-epsilon 1 --every 1h --fresh-panes --time-column time --column id sales.csv
    """
    from pan_audits.cli.room import enough_room
    from pan_audits.cli.values import parse_bits
    from pan_audits.density.count_report import counted, shown
    from pan_estimators.common.promised import with_promised
    from pan_promises.errors import InputError

    panes = panes_of(
        every=every, releases=releases, fresh_panes=fresh_panes, time_column=time_column, late=late, output=output
    )
    if panes is not None and as_json and (state is not None or output is not None):
        raise InputError("--json prints one document at the end: leave out --state and --out")
    if engine is None and (scheduler is not None or jobs is not None):
        raise InputError("--scheduler and --jobs are for a cluster: give --engine dask")
    if engine is not None and (seed is not None or checkpoint is not None):
        raise InputError("--engine dask takes neither --seed nor --checkpoint")
    reading = reading_of(column, kind, header, ids, missing, missing_text)
    use = use_of(
        files=file or (),
        state=state,
        key_file=key_file,
        update_only=update_only,
        release_only=release_only,
        show=show,
        checkpoint=checkpoint,
        input_place=input_place,
        without_place=without_place,
        panes=panes,
        releases=releases,
        reading=reading,
    )
    size = None if memory is None else parse_bits(memory) // 8
    epsilon = with_promised("distinct-counter", {}, epsilon, promise_epsilon).get("epsilon")
    given = {"epsilon": epsilon, "memory": size, "least": least, "most": most, "releases": releases}
    with enough_room("this counter"), warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always", UserWarning)
        parameters = {name: value for name, value in given.items() if value is not None}
        if engine is not None:
            from pan_audits.density.count_cluster import Cluster, run_on_cluster

            cluster = Cluster(scheduler, jobs or os.cpu_count() or 1)
            report = run_on_cluster(use, panes, cluster, parameters, level=level)
        elif show:
            report = shown(use, parameters)
        else:
            report = counted(use, panes, parameters, level=level, seed=seed, keep=as_json)
    told = [str(one.message) for one in noted if one.category is UserWarning]
    if as_json:
        skipped = reading.tally.skipped if missing is MissingPolicy.SKIP else None
        print_json(report.to_dict() | {"warnings": told, "missing_skipped": skipped})
        return
    for line in told:
        print(f"panproof: {line}", file=sys.stderr)
    for line in report.lines():
        print(line)
    print_skipped(reading.tally.skipped)
