"""The page of synthesizers of tables: python -m tests.benchmarks.tables writes TABLES.md beside it.

The data are the Diabetes records that the package contains.
"""

from __future__ import annotations

import argparse
import math
import os
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_estimators import NumpyRandomness
from pan_estimators.tables.adaptive_marginals import AdaptiveMarginals
from pan_estimators.tables.budgets import promised_rho
from pan_estimators.tables.calibrated_tree import CalibratedTree
from pan_estimators.tables.diabetes import load_diabetes
from pan_estimators.tables.fitted import fit
from pan_estimators.tables.junction_tree import JunctionMarginals
from pan_estimators.tables.network import Network
from pan_estimators.tables.privbayes import PrivBayes
from pan_estimators.tables.schema import Attribute, Schema
from pan_estimators.tables.table import Table
from tests.benchmarks.peers_of_tables import SAMPLED, error_of_rows
from tests.benchmarks.peers_section import Kept, Ours, section

PAGE = Path(__file__).with_name("TABLES.md")
EPSILONS = (0.1, 1.0, 10.0)
DELTA = 1e-6
ROWS, RUNS = 10_000, 40
WIDE = (43, 57_000)
TREE, CLIQUES = "calibrated-tree, delta 1e-6", "calibrated-tree with degree 3, delta 1e-6"
ADAPTIVE = "adaptive-marginals, delta 1e-6"
TWICE = "with twice the rho, "
FROM_WHICH_ADAPTIVE = 10.0
"""The least epsilon at which the other packages are compared with adaptive-marginals."""
LIMIT = 600.0
"""The longest processor time of a fit of another package, in seconds."""

_AGES = tuple(f"[{low}-{low + 10})" for low in range(0, 100, 10))
_CHANGES = ("No", "Steady", "Up", "Down")
SCHEMA = Schema(
    (
        Attribute("race", ("Caucasian", "AfricanAmerican", "Hispanic", "Asian", "Other", "?")),
        Attribute("gender", ("Female", "Male", "Unknown/Invalid")),
        Attribute("age", _AGES),
        Attribute("admission_type_id", tuple(range(1, 9))),
        Attribute("time_in_hospital", edges=(1, 2, 3, 4, 6, 8, 11, 14)),
        Attribute("num_procedures", tuple(range(7))),
        Attribute("number_inpatient", edges=(0, 1, 2, 3, 4, 100)),
        Attribute("number_diagnoses", edges=(1, 4, 5, 6, 7, 8, 9, 16)),
        Attribute("max_glu_serum", ("None", "Norm", ">200", ">300")),
        Attribute("A1Cresult", ("None", "Norm", ">7", ">8")),
        Attribute("metformin", _CHANGES),
        Attribute("insulin", _CHANGES),
        Attribute("change", ("No", "Ch")),
        Attribute("diabetesMed", ("No", "Yes")),
        Attribute("readmitted", ("NO", ">30", "<30")),
    )
)
"""The 15 attributes, with public domains from the description of the data."""

INTRODUCTION = """\
# Synthesizers of tables

Written by `{command}`, not by hand. {rows:,} rows of the shipped Diabetes records ({attributes} attributes), {runs}
runs with fresh noise for each cell.

- *error*: the mean, over all pairs of attributes, of the total variation distance between the model's joint
  distribution of the pair and that of the table; with its standard error.
- *ratio*: the error divided by that of `privbayes` with mutual information in the same column.
- *seconds*: processor time of one fit, the median.

All promises are about one replaced row, with a public number of rows. A mechanism with a delta promises the rho
that implies epsilon at delta {delta:g}; the pure promises have no delta, and are stronger. `privbayes` is that of the
thesis with k = 1 and the weights of the exponential mechanism. `calibrated-tree` has cliques of up to four attributes
with the degree 3, and `adaptive-marginals` has cliques of several attributes.
"""

RECORDED = """\
## Recorded numbers of other packages

They are not of this run, and their 15 attributes and rows are not those above: compare orders of magnitude only.

| | error at 0.1 | at 1 | at 10 | seconds |
|---|---:|---:|---:|---:|
| thesis, k = 1, a prototype | .313 | .084 | .036 | not recorded |
| MST of `dpmm` | not recorded | .031 | not recorded | 63 |
| tree without privacy, a prototype | .029 | .029 | .029 | not recorded |
"""


@dataclass(frozen=True)
class Contender:
    """One line of the page.

    Attributes
    ----------
    name
        What it is.
    made
        The mechanism for an epsilon.
    """

    name: str
    made: Callable[[float], Any]


def rho(epsilon: float) -> float:
    """The rho that implies an epsilon with the delta of the page."""
    found = promised_rho(epsilon, DELTA, None)
    assert found is not None
    return found


CONTENDERS = (
    Contender("privbayes, mutual information", lambda epsilon: PrivBayes(SCHEMA, epsilon)),
    Contender("privbayes, score R", lambda epsilon: PrivBayes(SCHEMA, epsilon, score="R")),
    Contender(TREE, lambda epsilon: CalibratedTree(SCHEMA, epsilon, DELTA)),
    Contender(CLIQUES, lambda epsilon: CalibratedTree(SCHEMA, epsilon, DELTA, degree=3)),
    Contender(ADAPTIVE, lambda epsilon: AdaptiveMarginals(SCHEMA, epsilon, DELTA)),
    Contender(TWICE + "calibrated-tree", lambda epsilon: CalibratedTree(SCHEMA, rho=2 * rho(epsilon))),
    Contender(
        TWICE + "calibrated-tree with degree 3", lambda epsilon: CalibratedTree(SCHEMA, rho=2 * rho(epsilon), degree=3)
    ),
    Contender(TWICE + "adaptive-marginals", lambda epsilon: AdaptiveMarginals(SCHEMA, rho=2 * rho(epsilon))),
    Contender("calibrated-tree, pure", lambda epsilon: CalibratedTree(SCHEMA, epsilon)),
    Contender("the same tree without privacy", lambda epsilon: CalibratedTree(SCHEMA, rho=1e9)),
)


def diabetes() -> Table:
    """A fixed random choice of the shipped records, with 15 attributes."""
    every = load_diabetes()
    chosen = np.random.default_rng(1).choice(every.rows, ROWS, replace=False)
    columns = Table(every.schema, every.codes[chosen]).to_columns()
    return Table.of({name: columns[name] for name in SCHEMA.names}, SCHEMA)


def error(model: Network, table: Table) -> float:
    """The mean total variation distance of all pairs."""
    joints = JunctionMarginals.of_network(model).pairs()
    distances = [
        np.abs(joints[pair] - table.counts(pair) / table.rows).sum() / 2
        for pair in combinations(range(len(table.schema.attributes)), 2)
    ]
    return float(np.mean(distances))


def measured(contender: Contender, epsilon: float, table: Table, runs: int) -> tuple[NDArray[np.float64], float]:
    """The errors of some runs, and the processor time of one fit."""
    errors, seconds = [], []
    for run in range(runs):
        mechanism = contender.made(epsilon)
        began = time.process_time()
        model = mechanism.post_process(mechanism.release(table, NumpyRandomness(run)))
        seconds.append(time.process_time() - began)
        errors.append(error(model, table))
    return np.array(errors), float(np.median(seconds))


def wide_table() -> dict[str, list[int]]:
    """A synthetic table of 43 attributes with 2 to 10 values, each near the one before it."""
    generator = np.random.default_rng(2)
    attributes, rows = WIDE
    codes = [generator.integers(0, 5, rows)]
    for place in range(1, attributes):
        size = 2 + place % 9
        codes.append(np.where(generator.random(rows) < 0.6, codes[-1] % size, generator.integers(0, size, rows)))
    return {f"x{place}": column.tolist() for place, column in enumerate(codes)}


def wide_seconds() -> float:
    """The time from columns to a model and as many synthetic rows, with secure randomness."""
    columns = wide_table()
    schema = Schema(tuple(Attribute(name, tuple(range(max(2, 1 + max(column))))) for name, column in columns.items()))
    began = time.process_time()
    found = fit(CalibratedTree(schema, 1.0, DELTA), columns).sample()
    assert len(found["x0"]) == WIDE[1]
    return time.process_time() - began


def resampled(table: Table) -> Table:
    """As many rows as are sampled from a peer, drawn from the table itself."""
    chosen = np.random.default_rng(3).integers(0, table.rows, SAMPLED)
    return Table(table.schema, table.codes[chosen])


def shuffled(table: Table) -> Table:
    """The rows with each column in an order of its own."""
    generator = np.random.default_rng(4)
    return Table(table.schema, np.array([generator.permutation(column) for column in table.codes.T]).T)


def page(table: Table, command: str, runs: int = RUNS, limit: float = LIMIT, kept: Kept | None = None) -> str:
    """The whole page."""
    kept = kept or Kept()
    introduction = INTRODUCTION.format(
        command=command, rows=table.rows, attributes=len(SCHEMA.attributes), runs=runs, delta=DELTA
    )
    heads = [f"error at {epsilon:g} | ratio" for epsilon in EPSILONS]
    lines = [introduction, "| | " + " | ".join(heads) + " | seconds |", "|---|" + "---:|" * (2 * len(EPSILONS) + 1)]
    base: list[float] = []
    means: dict[str, Ours] = {}
    for contender in CONTENDERS:
        cells, seconds, own = [], [], []
        for place, epsilon in enumerate(EPSILONS):
            errors, each = measured(contender, epsilon, table, runs)
            mean = float(errors.mean())
            own.append(mean)
            if len(base) <= place:
                base.append(mean)
            cells.append(f"{mean:.4f} ± {errors.std(ddof=1) / math.sqrt(runs):.4f} | {mean / base[place]:.2f}")
            seconds.append(each)
        errors_of = dict(zip(EPSILONS, own, strict=True))
        means[contender.name] = Ours(contender.name.split(",")[0], errors_of, float(np.median(seconds)))
        lines.append(f"| {contender.name} | " + " | ".join(cells) + f" | {np.median(seconds):.3f} |")
    attributes, rows = WIDE
    lines += ["", f"A synthetic table of {attributes} attributes and {rows:,} rows takes `calibrated-tree` "]
    lines[-1] += f"{wide_seconds():.1f} s of processor time,"
    lines += ["from columns to as many synthetic rows, with secure randomness."]
    chosen = {epsilon: ADAPTIVE if epsilon >= FROM_WHICH_ADAPTIVE else CLIQUES for epsilon in EPSILONS}
    ours = {epsilon: means[name] for epsilon, name in chosen.items()}
    alike = {epsilon: means[TWICE + name.split(",")[0]] for epsilon, name in chosen.items()}
    extremes = (error_of_rows(resampled(table), table), error_of_rows(shuffled(table), table))
    lines += [*section(table, ours, alike, DELTA, limit, kept, extremes), RECORDED]
    return "\n".join([*lines, f"{os.cpu_count()} cores, Python {platform.python_version()}.", ""])


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=PAGE)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--seconds", type=float, default=LIMIT, help="processor time of a fit of another package")
    given = parser.parse_args()
    # The fits take an hour. A place that cannot be written is told before.
    with given.out.open("a"):
        pass
    kept = Kept()
    given.out.write_text(page(diabetes(), "make peers-tables", given.runs, given.seconds, kept))
    kept.forget()
    print(given.out.read_text())


if __name__ == "__main__":
    main()
