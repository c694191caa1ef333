"""``panproof count``: the number of distinct users of a stream of ids of any kind."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pan_audits.cli.id_options import (
    Column,
    Format,
    Header,
    Ids,
    InputFormat,
    Missing,
    MissingText,
    print_skipped,
    reading_of,
)
from pan_audits.cli.names import choice, one_of
from pan_audits.cli.options import Epsilon, Json, Level, PromiseEpsilon
from pan_audits.cli.output import print_json
from pan_audits.cli.state_options import checkpoint_option
from pan_audits.cli.usage import formerly
from pan_audits.cli.values import option, parse_bits, real, seed_option, whole_option, words
from pan_estimators.reading.options import Input, Late, MissingPolicy, Reading

if TYPE_CHECKING:
    from pan_estimators.density.distinct.panes import PaneUse
    from pan_estimators.density.distinct.run import CountUse

_MOST_USERS = 2.0**61

Least = Annotated[
    float | None,
    option(
        "--from",
        parse=real(_MOST_USERS, "users"),
        help="Least number of users for which the error is small; by default 1e4.",
        metavar="FLOAT",
    ),
]
Most = Annotated[
    float | None,
    option(
        "--to",
        parse=real(_MOST_USERS, "users"),
        help="Largest number of users for which the error is small; by default 1e9.",
        metavar="FLOAT",
    ),
]

_MOST_RELEASES = 8


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
    memory: Annotated[
        str | None,
        words(
            "--memory",
            parse=lambda text, _: _read_memory(text),
            help="Largest size of the bits, from 128 bytes on: bytes, or 32kbit, 4KiB, 1MB; by default 8KiB.",
        ),
    ] = None,
    least: Least = None,
    most: Most = None,
    column: Column = None,
    kind: Format = InputFormat.AUTO,
    header: Header = None,
    ids: Ids = None,
    missing: Missing = MissingPolicy.FAIL,
    missing_text: MissingText = None,
    level: Level = 0.95,
    state: Annotated[
        Path | None,
        typer.Option(
            "--state",
            help="Keep the counter in this file, which only its owner can read, and go on from it if it exists. Each "
            "reading of a copy is an intrusion; one is covered.",
        ),
    ] = None,
    key_file: Annotated[
        Path | None,
        typer.Option(help="Keep the key of the hash in this file, apart from the state. The last release removes it."),
    ] = None,
    update_only: Annotated[
        bool, typer.Option("--update-only", help="Count the ids and keep the state; release nothing.")
    ] = False,
    release_only: Annotated[bool, typer.Option("--release-only", help="Release from the state; read no ids.")] = False,
    show: Annotated[
        bool, typer.Option("--show", help="Print the outputs that the state has kept; change nothing.")
    ] = False,
    checkpoint: Annotated[
        str | None,
        checkpoint_option(
            "With a state: save while reading, after every 100000 ids, or every 30s; by default every 30s."
        ),
    ] = None,
    input_place: Annotated[
        Input | None,
        choice(
            "--input",
            Input,
            "After an interruption: whole, if the input begins with the ids that were counted; rest, if it begins "
            "after them, or is another one. Without it, the file must be unchanged. All ids of the input are counted: "
            "repeated ids change nothing.",
        ),
    ] = None,
    without_place: Annotated[
        bool,
        typer.Option(
            "--without-place",
            help="Do not save which input is read. After an interruption any input is counted, without a question.",
        ),
    ] = False,
    releases: Annotated[
        int | None,
        whole_option(
            "--releases",
            most=_MOST_RELEASES,
            help="Number of releases of one counter, from 1 to 8; by default 1. Each counts all users so far, and one "
            "promise covers all. The last one ends the count.",
        ),
    ] = None,
    every: Annotated[
        str | None,
        option(
            "--every",
            parse=lambda text, _: _distance(text),
            help="Panes with an output after each: a number of ids, or a time such as 15min, 1h, 1d. "
            "Times are those of --time-column, or of the clock for a pipe. Needs --releases or --fresh-panes.",
            metavar="N|TIME",
        ),
    ] = None,
    fresh_panes: Annotated[
        bool,
        typer.Option(
            "--fresh-panes",
            help="A new counter with a new key for each pane. The promise is for each pane: a user in k panes loses at "
            "most k times as much.",
        ),
    ] = False,
    time_column: Annotated[
        str | None,
        typer.Option(
            "--time-column", help="Column of the times: ISO 8601, whole seconds since 1970, or times of Parquet."
        ),
    ] = None,
    late: Annotated[
        Late,
        choice(
            "--late",
            Late,
            "Ids whose time lies in a pane that has ended. fail: an error. count: count them in the present pane.",
        ),
    ] = Late.FAIL,
    output: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Write the outputs of panes to this file; with --state each one once."),
    ] = None,
    engine: Annotated[
        str | None,
        option(
            "--engine",
            parse=one_of(("dask",)),
            help="dask: divide the cells among the workers of a Dask cluster. Each file is read by one of them.",
            metavar="dask",
        ),
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option("--scheduler", help="Address of the Dask cluster; by default a new one on this machine."),
    ] = None,
    jobs: Annotated[
        int | None,
        whole_option("--jobs", "-j", most=4096, help="Processes of a new cluster; by default the number of cores."),
    ] = None,
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
    from pan_audits.density.count_report import counted, shown
    from pan_estimators.common.registry import with_promised
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
    budget = with_promised("distinct-counter", {}, epsilon, promise_epsilon)
    given = {**budget, "memory": size, "least": least, "most": most, "releases": releases}
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


def use_of(
    *,
    files: Sequence[str],
    state: Path | None,
    key_file: Path | None,
    update_only: bool,
    release_only: bool,
    show: bool,
    checkpoint: str | None,
    input_place: Input | None,
    without_place: bool,
    panes: PaneUse | None,
    releases: int | None,
    reading: Reading,
) -> CountUse:
    """The use that the options ask for; :class:`InputError` if they contradict each other."""
    from pan_estimators.counting.run import Checkpoint
    from pan_estimators.density.distinct.run import CountUse
    from pan_promises.errors import InputError

    if panes is not None:
        if show or without_place:
            told = "--show needs no --every" if show else "panes need the place in the input"
            raise InputError(f"{told}: leave out {'--every' if show else '--without-place'}")
        if panes.output is not None and any(
            other is not None and os.path.realpath(panes.output) == os.path.realpath(other)
            for other in (state, key_file, *files)
        ):
            raise InputError("--out is a file of its own, and neither the state, the key nor the input")
        if len(files) > 1:
            raise InputError("panes are for one input: join the files, or give --update-only for all but the last")
        if panes.fresh and key_file is not None:
            raise InputError("--fresh-panes keeps the key of each pane in the state: leave out --key-file")
    if update_only + release_only + show > 1:
        raise InputError("give one of --update-only, --release-only and --show")
    reads = not (release_only or show)
    if reads and not files:
        raise InputError("give a file with ids, or - for standard input")
    if not reads and files:
        raise InputError(f"{'--show' if show else '--release-only'} reads no ids: leave out the file")
    if state is None:
        for name, given in (
            ("--update-only", update_only),
            ("--release-only", release_only),
            ("--show", show),
            ("--checkpoint", checkpoint is not None),
            ("--key-file", key_file is not None),
            ("--input", input_place is not None),
            ("--without-place", without_place),
            ("--releases", panes is None and releases is not None and releases > 1),
        ):
            if given:
                raise InputError(f"{name} is for a counter that is kept in a file: give --state")
    if state is not None and key_file is not None and os.path.realpath(state) == os.path.realpath(key_file):
        raise InputError("--key-file keeps the key apart from the state: give two different files")
    return CountUse(
        tuple(files),
        state,
        key_file,
        releases=not (update_only or show),
        checkpoint=Checkpoint(seconds=30.0) if checkpoint is None else Checkpoint.parse(checkpoint),
        whole=input_place is not Input.REST,
        told_whole=input_place is Input.WHOLE,
        keeps_place=not without_place,
        reading=reading,
    )


def panes_of(
    *,
    every: str | None,
    releases: int | None,
    fresh_panes: bool,
    time_column: str | None,
    late: Late,
    output: Path | None,
) -> PaneUse | None:
    """The panes that the options ask for, if they ask for panes."""
    from pan_estimators.density.distinct.panes import PaneUse
    from pan_estimators.reading.times import Every
    from pan_promises.errors import InputError

    if every is None:
        for name, given in (
            ("--fresh-panes", fresh_panes),
            ("--time-column", time_column is not None),
            ("--late", late is not Late.FAIL),
            ("--out", output is not None),
        ):
            if given:
                raise InputError(f"{name} is for panes: give --every, such as --every 1h")
        return None
    if fresh_panes and releases is not None:
        raise InputError("give --releases R or --fresh-panes: one counter for all panes, or one for each")
    if not fresh_panes and releases is None:
        raise InputError(
            "--every needs a promise across panes: --releases R for one counter of all users so far, with one "
            "promise for R outputs together, or --fresh-panes for a new counter in each pane, with a promise for "
            "each pane"
        )
    distance = Every.parse(every)
    if distance.entries and time_column is not None:
        raise InputError("--time-column is for panes of a time, such as --every 1h")
    if time_column is None and late is not Late.FAIL:
        raise InputError("--late is for panes of the times in a column: give --time-column")
    return PaneUse(distance, every, fresh_panes, time_column, late, output)


def _read_memory(text: str) -> str:
    """The value of an option that was read without an error."""
    parse_bits(text)
    return text


def _distance(text: str) -> str:
    """The value of an option that was read without an error."""
    from pan_estimators.reading.times import Every

    Every.parse(text)
    return text
