"""``python -m experiments compare``: the density estimators at equal memory."""

from __future__ import annotations

import time
from typing import Annotated

from rich.console import Group
from rich.table import Table
from rich.text import Text

from experiments.density.comparison import Comparison, ComparisonRow
from experiments.density.comparison import compare as run_comparison
from pan_audits.cli.options import Jobs, Json, Parameter, Seed
from pan_audits.cli.output import print_json
from pan_audits.cli.progress import spinner
from pan_audits.cli.usage import formerly
from pan_audits.cli.values import whole_option, words
from pan_audits.reports.text import STYLES, console

_COLUMNS = ("sampled", "state bits", "promised", "exact loss", "RMSE", "std. error", "MSE / best kept")


@formerly(epsilon="parameter", e="parameter")
def compare(
    bits: Annotated[
        int,
        whole_option("--bits", "-b", most=10**9, help="Memory for the whole state, in bits."),
    ] = 20_000,
    parameter: Parameter = 0.2,
    stream: Annotated[
        str,
        words(
            "--stream",
            parse=lambda text, _: text,
            help="online-retail, nycflights13, uniform or zipf; the last two have 100,000 users and updates.",
        ),
    ] = "online-retail",
    runs: Annotated[int, whole_option("--runs", most=10**9, help="Runs of each estimator.")] = 300,
    seed: Seed = None,
    jobs: Jobs = 2,
    as_json: Json = False,
) -> None:
    """Compare the estimators of the density of a stream of insertions at equal memory.

    Each estimator has the largest sample for which its whole state, with ids and keys, fits into ``--bits``. The table
    shows the root mean squared error, and the exact privacy loss beside the promised one. A broken promise is not an
    error of the command: the exit code is 0, and 2 for bad input.

    Example: python -m experiments compare --stream uniform --bits 20000 --parameter 0.2
    """
    began = time.perf_counter()
    with spinner("compare") as progress:
        found = run_comparison(
            bits=bits,
            epsilon=parameter,
            stream=stream,
            runs=runs,
            seed=seed,
            jobs=jobs,
            progress=progress,
        )
    if as_json:
        print_json(found.to_dict())
    else:
        console().print(_render(found, seconds=time.perf_counter() - began))


def _render(found: Comparison, *, seconds: float) -> Group:
    """The estimator with the least error among those that keep their promise, then one row for each estimator."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("estimator", no_wrap=True)
    table.add_column("promise", no_wrap=True)
    for heading in _COLUMNS:
        table.add_column(heading, justify="right", no_wrap=True)
    for row in found.rows:
        ratio = found.ratio(row)
        table.add_row(
            _name(row),
            Text(str(row.check.verdict), style=STYLES[row.check.verdict]),
            f"{row.sample_size:,}",
            f"{row.state_bits:,}",
            "nothing" if row.promised is None else f"{row.promised:.3g}",
            row.check.loss.describe() if row.check.loss else "unknown",
            f"{row.rmse:.4f}",
            f"{row.rmse_error:.4f}",
            "" if ratio is None else f"{ratio:.2f}",
        )
    table.add_row("exact-counter", "no promise", f"{found.users:,}", f"{found.users:,}", "nothing", "", "0", "", "")
    notes = [f"left out: {name}: {reason}" for name, reason in found.left_out.items()]
    return Group(Text(_verdict(found)), Text(""), table, *map(Text, notes), Text(_legend(found, seconds), style="dim"))


def _name(row: ComparisonRow) -> str:
    options = ", ".join(f"{value} {name}" for name, value in row.options.items())
    return f"{row.name} ({options})" if options else row.name


def _verdict(found: Comparison) -> str:
    best = found.best
    if best is None:
        return "None of these estimators keeps its promise."
    worse = [row for row in found.rows if row.mean_squared_error < best.mean_squared_error]
    others = f"; only estimators that break their promise have less: {', '.join(map(_name, worse))}" if worse else ""
    return f"{_name(best)} has the least error of those that keep their promise, {best.rmse:.4f}{others}."


def _legend(found: Comparison, seconds: float) -> str:
    fits = "does not fit" if found.users > found.bits else "fits as well"
    silent = any(row.promised is None for row in found.rows)
    held = "(an estimator without a promise is compared with 2 epsilon)" if silent else ""
    return (
        f"\nStream {found.stream}: {found.updates:,} updates by {found.users:,} users, density {found.density:.4f}; "
        f"epsilon {float(found.epsilon):.4g}{held}. Each has the largest sample for which cells, ids and keys take "
        f"at most {found.bits:,} bits; the exact counter, which is not private, {fits}. RMSE against the "
        f"density of the stream, {found.runs} runs each, seed {found.seed}; exact loss in nats, on every stream of "
        f"up to 2 updates by up to 3 users; {seconds:.0f} s."
    )
