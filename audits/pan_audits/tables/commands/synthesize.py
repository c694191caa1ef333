"""``panproof synthesize``: synthetic rows of a table in a CSV file."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from pan_audits.cli.judged import parse_settings
from pan_audits.cli.options import Epsilon, Json, Seed, Settings
from pan_audits.cli.output import print_json, require_writable, write_text
from pan_audits.cli.usage import formerly
from pan_audits.cli.values import argument, option, probability, real, whole_option


@formerly(model="model_file")
def synthesize(
    data: Annotated[
        str, argument(parse=lambda text, _: text, help="CSV file with a line of names, in UTF-8.", metavar="FILE")
    ],
    schema: Annotated[
        str,
        typer.Option("--schema", help="The schema of the table, a JSON file. It is public.", metavar="FILE"),
    ],
    epsilon: Epsilon = None,
    delta: Annotated[
        float | None,
        option("--delta", parse=probability, help="With --epsilon, for Gaussian noise: delta.", metavar="FLOAT"),
    ] = None,
    rho: Annotated[
        float | None,
        option("--rho", parse=real(1e9), help="In place of --epsilon: the bound of zCDP.", metavar="FLOAT"),
    ] = None,
    mechanism: Annotated[
        str,
        typer.Option("--mechanism", help="adaptive-marginals, calibrated-tree or privbayes.", metavar="NAME"),
    ] = "calibrated-tree",
    rows: Annotated[
        int | None,
        whole_option("--rows", most=10**8, help="Number of synthetic rows; by default that of the table."),
    ] = None,
    bins: Annotated[
        str,
        typer.Option("--bins", help="numbers: a bin becomes a number in it. labels: its text.", metavar="WORD"),
    ] = "numbers",
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="CSV file for the synthetic rows; by default standard output.", metavar="FILE"
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option("--report", help="JSON file for marginals, structure and budget.", metavar="FILE"),
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(
            "--model-file", help="JSON file for the model, from which more rows can be sampled.", metavar="FILE"
        ),
    ] = None,
    settings: Settings = None,
    seed: Seed = None,
    as_json: Json = False,
) -> None:
    """Write synthetic rows of a table with privacy, from a private model of it.

    The promise is about one replaced row. The number of rows and the schema are public. Without --seed the randomness
    is secure. A seed is for tests: a reader who knows it can remove the noise.

    Example: panproof synthesize data.csv --schema schema.json --epsilon 1 --out synth.csv

    Example: panproof synthesize data.csv --schema schema.json --epsilon 1 --delta 1e-6 --out synth.csv --report r.json
    """
    from pan_audits.tables.synthesis import Synthesis, SynthesisOptions
    from pan_estimators.tables.frames import write_csv, write_lines
    from pan_promises.errors import InputError

    options = SynthesisOptions(data, schema, epsilon, delta, rho, mechanism, bins, parse_settings(settings or []), seed)
    require_writable(out, report, model)
    if as_json and out is None:
        raise InputError("--json needs --out, the file for the rows")
    found = Synthesis.of(options, rows)
    if out is not None:
        write_csv(out, found.columns)
    if model is not None:
        found.fitted.save(model)
    if report is not None:
        write_text(report, json.dumps(found.document(), indent=2, allow_nan=False) + "\n")
    if as_json:
        print_json({**found.document(), "out": str(out)})
    elif out is None:
        write_lines(sys.stdout, found.columns)
    else:
        print(found.text(str(out)))
