"""``panproof estimate``: count a stream of ids."""

from __future__ import annotations

from typing import Annotated

import typer

from pan_audits.cli import names
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
from pan_audits.cli.options import (
    Alpha,
    Beta,
    Epsilon,
    Json,
    Level,
    PromiseEpsilon,
    SampleSize,
    Universe,
)
from pan_audits.cli.output import print_json
from pan_audits.cli.state_options import (
    CheckpointText,
    KeyFile,
    Load,
    ReleaseOnly,
    Save,
    State,
    UpdateOnly,
    files_of,
    places,
)
from pan_audits.cli.usage import formerly, warn
from pan_audits.cli.values import MOST_USERS, argument, seed_option, whole_option, words
from pan_estimators.reading.options import MissingPolicy


@formerly(release="release_only")
def estimate(
    name: Annotated[str, argument(parse=names.estimator_of_ids, help="A shipped estimator; see panproof list.")],
    file: Annotated[
        str | None, typer.Argument(help="CSV, Parquet or text, gzip or zstd, or - for standard input.")
    ] = None,
    epsilon: Epsilon = None,
    promise_epsilon: PromiseEpsilon = None,
    universe: Universe = None,
    first: Annotated[
        int | None,
        whole_option(
            "--first", least=-MOST_USERS, most=MOST_USERS, help="Smallest integer id of the universe; by default 0."
        ),
    ] = None,
    hash_cells: Annotated[
        int | None,
        whole_option(
            "--hash",
            most=MOST_USERS,
            help="Instead of --universe: number of cells to which ids of any kind are hashed.",
            metavar="CELLS",
        ),
    ] = None,
    memory: Annotated[
        str | None,
        words(
            "--memory",
            parse=lambda text, _: _read_memory(text),
            help="Size of the state with the ids of the sample: bytes, or 32kbit, 4KiB, 1MB.",
        ),
    ] = None,
    sample_size: SampleSize = None,
    alpha: Alpha = None,
    beta: Beta = None,
    column: Column = None,
    kind: Format = InputFormat.AUTO,
    header: Header = None,
    ids: Ids = None,
    missing: Missing = MissingPolicy.FAIL,
    missing_text: MissingText = None,
    level: Level = 0.95,
    seed: Annotated[
        int | None,
        seed_option("Seed, for tests: the estimate is reproducible and therefore not private."),
    ] = None,
    state_file: State = None,
    load: Load = None,
    save: Save = None,
    update_only: UpdateOnly = False,
    release_only: ReleaseOnly = False,
    checkpoint: CheckpointText = None,
    key_file: KeyFile = None,
    as_json: Json = False,
) -> None:
    """Estimate the density and the distinct count of a stream of ids, in constant memory.

    Ids are integers of a universe (--universe, --first), or texts of any kind, hashed (--hash). A text id includes its
    white space. The size of the state comes from --memory, --sample-size, or --alpha and --beta; with none of them,
    every user has a cell. With a kept state these options are optional, and must agree with it. The interval accounts
    for the sampling of users, their random cells, the noise of the output, and for hash collisions. The command prints
    nothing else about the stream: the promise does not cover its length, for example.

    A stream may come in parts: --update-only --state FILE for all but the last, --state FILE for the last. A promise
    covers a fixed number of releases of one state, most often one. The file counts them, and after the last one it
    holds no state. panproof cannot count releases from a copy of the file. Ctrl-C and SIGTERM save the state too.

    Example: panproof estimate calibrated-bernoulli --promise-epsilon 1 --universe 1000000 --memory 4096
    --column customer_id sales.csv
    """
    from pan_audits.cli.estimation import (
        report_of,
        require_agreement,
        start,
        user_universe,
    )
    from pan_audits.cli.progress import byte_bar
    from pan_audits.cli.room import enough_room
    from pan_audits.cli.values import parse_bits
    from pan_estimators.common.registry import with_promised
    from pan_estimators.counting.run import EstimatingRun

    if load is not None or save is not None:
        warn("--load or --save", "--state")
    load, save = places(state_file, load, save, release_only=release_only)
    files = files_of(
        file=file,
        load=load,
        save=save,
        key_file=key_file,
        update_only=update_only,
        release_only=release_only,
        checkpoint=checkpoint,
        about_ids=bool(column or missing_text or ids or header is not None)
        or (kind, missing) != (InputFormat.AUTO, MissingPolicy.FAIL),
    )
    reading = reading_of(column, kind, header, ids, missing, missing_text)
    users = user_universe(universe, first, hash_cells, load)
    parameters = {"universe": users, "sample_size": sample_size, "alpha": alpha, "beta": beta}
    parameters = with_promised(name, parameters, epsilon, promise_epsilon)
    with enough_room("this estimate"):
        estimator, state, randomness = start(name, parameters, memory, seed, load, key_file if load else None)
        if load is not None:
            require_agreement(
                load,
                estimator,
                universe=universe,
                first=first,
                hash_cells=hash_cells,
                accuracy={"alpha": alpha, "beta": beta},
                bits=None if memory is None else parse_bits(memory),
            )
        run = EstimatingRun(estimator, state, randomness, files)
        if file is not None:
            run.read(file, reading, byte_bar)
        density = None
        if update_only:
            run.keep()
        else:
            density = run.release()
        result = report_of(run.estimator, run.state, randomness, density, level)
    skipped = reading.tally.skipped
    if as_json:
        print_json(result.document | ({"missing_skipped": skipped} if missing is MissingPolicy.SKIP else {}))
    else:
        for line in result.lines():
            print(line)
        print_skipped(skipped)


def _read_memory(text: str) -> str:
    """The value of an option that was read without an error."""
    from pan_audits.cli.values import parse_bits

    parse_bits(text)
    return text
