"""``panproof synthesize``: synthetic rows of a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from pan_audits.command_line.names import one_of
from pan_audits.command_line.options import Budget, Json, Settings, parse_settings, print_json, require_writable
from pan_audits.command_line.values import option, seed_option, whole_option

_SYNTHESIZERS = (
    "calibrated-tree",
    "privbayes",
    "noisy-sufficient-statistics",
    "noisy-majority-vote",
    "noisy-shared-model",
)
_MOST_ROWS = 10_000_000


def synthesize(
    data: Annotated[Path, typer.Argument(help="A CSV file whose first line names the columns.")],
    schema: Annotated[Path, typer.Option("--schema", help="The schema of the table, a JSON file.", metavar="FILE")],
    out: Annotated[Path, typer.Option("--out", help="The CSV file to write.", metavar="FILE")],
    epsilon: Budget = 1.0,
    by: Annotated[
        str, option("--by", parse=one_of(_SYNTHESIZERS), help="The synthesizer.", metavar="NAME")
    ] = "calibrated-tree",
    rows: Annotated[
        int | None,
        whole_option("--rows", most=_MOST_ROWS, help="Number of synthetic rows; by default that of the data."),
    ] = None,
    settings: Settings = None,
    seed: Annotated[
        int | None,
        seed_option("For tests only: seeded randomness in place of secure random numbers. The promise then fails."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Write synthetic rows of a table, with privacy for one replaced row.

    The number of rows and the schema are public. The promise covers the written file. Noise comes from secure random
    numbers.

    Example: panproof synthesize data.csv --schema schema.json --epsilon 1 --out synthetic.csv
    """
    from pan_audits.tables.csv_rows import read_table, write_rows
    from pan_estimators.common.registry import create_estimator
    from pan_estimators.randomness import NumpyRandomness, SecureRandomness
    from pan_estimators.tables.schema import Schema

    require_writable(out)
    known = Schema.of(schema)
    table = read_table(data, known)
    mechanism: Any = create_estimator(by, epsilon=epsilon, schema=known, **parse_settings(settings or []))
    source: Any = SecureRandomness() if seed is None else NumpyRandomness(seed)
    model = mechanism.post_process(mechanism.release(table, source))
    count = rows or table.rows
    write_rows(mechanism.sample(model, count, source), known, out)
    structure = {known.names[place]: [known.names[parent] for parent in parents] for place, parents in model.structure}
    if as_json:
        print_json(
            {
                "synthesizer": by,
                "promise": mechanism.promise.to_dict(),
                "rows": count,
                "out": str(out),
                "structure": structure,
                "secure": seed is None,
            }
        )
        return
    edges = [f"{name} <- {', '.join(parents)}" for name, parents in structure.items() if parents]
    print(f"synthesizer  {by}")
    print(f"promise      {mechanism.promise.describe()}" + ("" if seed is None else ": none, since a seed was given"))
    print(f"structure    {'; '.join(edges) or 'no edges'}")
    print(f"rows         {count:,} in {out}")
