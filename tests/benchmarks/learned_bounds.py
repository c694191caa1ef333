"""The page of known mechanisms, ``tests/benchmarks/KNOWN.md``: ``make known`` writes it.

For each mechanism, one pair is given. A selection sample chooses an event, as an audit does after a refutation. A fresh
sample of 100,000 runs a side bounds its loss at 95%. A larger one gives the expected counts of the event. The truth and
the oracle are computed. The bounds of peers are recorded ones.
"""

from __future__ import annotations

import argparse
import math
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed

from pan_audits.audit.measure import choose_event
from pan_audits.events import Table
from pan_audits.events.observing.features import stacked_features
from pan_audits.events.observing.subject import Subject
from pan_audits.problems.inputs.labelled import LabelledInputs
from pan_audits.problems.inputs.streams.family import Pair
from pan_audits.statistics import loss_lower_bound, proportion_lower, proportion_upper
from pan_promises.promise import Adjacency, Observed, Promise
from tests.benchmarks.known_mechanisms import KNOWN, Known

RUNS = 100_000
SELECTION = RUNS // 5
SEARCHED = 200_000
"""Runs a side that a search made before: they choose the event as well."""
SEEDS = 5
LEAST_EXPECTED, MOST_EXPECTED = 20, 60
"""Fresh samples that give the expected counts, so many that the log of their ratio is precise."""
PRECISION = 0.01
"""The standard error of this log, as a part of it."""
ERROR = 0.05


@dataclass(frozen=True)
class Row:
    """What was measured of one mechanism.

    Attributes
    ----------
    known
        The mechanism.
    bounds, expected
        Of each seed: from one sample, and at the expected counts.
    event
        Of the last seed, in words.
    separate, joint
        The oracle's bound at the expected counts: by two Clopper-Pearson bounds, and by one test.
    seconds
        Processor time of one seed.
    """

    known: Known
    bounds: tuple[float, ...]
    expected: tuple[float, ...]
    event: str
    truth: float
    separate: float
    joint: float
    seconds: float

    @property
    def median(self) -> float:
        return float(np.median(self.expected))


def drawn(known: Known, seed: int, purpose: int, runs: int) -> tuple[Table, Table]:
    """Runs on both inputs, read as the audit reads batches."""
    tables = []
    for place, data in enumerate((known.left, known.right)):
        outputs = np.asarray(known.run(data, np.random.default_rng((seed, purpose, place)), size=runs))
        table = stacked_features([], [outputs], runs, Subject("the data"))
        assert table is not None
        tables.append(table)
    return tables[0], tables[1]


def measured(known: Known, promised: float, seed: int) -> tuple[float, float, str]:
    """The 95% lower bound of one sample, the bound at the expected counts, and the event."""
    selection = drawn(known, seed, 1, SELECTION)
    earlier = drawn(known, seed, 2, SEARCHED)
    joined = tuple(Table.concatenate([one, other]) for one, other in zip(earlier, selection, strict=True))
    promise = Promise(epsilon=promised, adjacency=Adjacency.GIVEN, observed=Observed.OUTPUT, intrusions=0)
    family = LabelledInputs("given", ("0", "1"), ((0, 1),), promise.adjacency, promise.output_count)
    pair = Pair(family, 0, 1)
    oriented, candidate = choose_event(pair, joined, joined, promise, RUNS, ERROR)
    counts: list[list[int]] = []
    while len(counts) < LEAST_EXPECTED or not (precise(*np.sum(counts, axis=0)) or len(counts) == MOST_EXPECTED):
        fresh = drawn(known, seed, 3 + len(counts), RUNS)
        left, right = fresh if oriented == pair else fresh[::-1]
        counts.append([int(candidate.event(left).sum()), int(candidate.event(right).sum())])
    one, many = (
        loss_lower_bound(round(x), RUNS, round(y), RUNS, error=ERROR) for x, y in (counts[0], np.mean(counts, axis=0))
    )
    return one, many, candidate.event.describe()


def precise(x: int, y: int) -> bool:
    """Whether the log of the ratio of two counts is known well enough."""
    return bool(y) and math.sqrt(1 / x + 1 / y) <= PRECISION * abs(math.log(x / y))


def oracle_bounds(events: tuple[tuple[float, float], ...]) -> tuple[float, float]:
    """The largest bound of the best events at their expected counts, by two bounds and by one test."""

    def separate(p: float, q: float) -> float:
        x, y = round(RUNS * p), round(RUNS * q)
        low, high = proportion_lower(x, RUNS, error=ERROR / 2), proportion_upper(y, RUNS, error=ERROR / 2)
        return math.log(low / high) if low > 0 else -math.inf

    def approximate(p: float, q: float) -> float:
        x, y = RUNS * p, max(RUNS * q, 0.5)
        return math.log(x / y) - _NORMAL * math.sqrt(max(0.0, 1 - p) / x + max(0.0, 1 - q) / y)

    possible = [(p, q) for p, q in events if p > 0]
    # The exact test of the two counts takes long; the best events are best by one of these bounds as well.
    tried = {
        event
        for bound in (separate, approximate)
        for event in sorted(possible, key=lambda event: bound(*event), reverse=True)[:_TRIED]
    }
    joint = [loss_lower_bound(round(RUNS * p), RUNS, round(RUNS * q), RUNS, error=ERROR) for p, q in tried]
    return max(separate(p, q) for p, q in possible), max(joint)


_TRIED, _NORMAL = 3, 1.6449


def row_of(known: Known, seeds: int) -> Row:
    """The bounds of some seeds beside the oracle."""
    oracle = known.oracle()
    separate, joint = oracle_bounds(oracle.events)
    promised = oracle.loss / 2 if math.isfinite(oracle.loss) else 1.0
    began = time.process_time()
    found = [measured(known, promised, seed) for seed in range(1, seeds + 1)]
    spent = (time.process_time() - began) / seeds
    bounds, expected = tuple(one for one, _, _ in found), tuple(many for _, many, _ in found)
    return Row(known, bounds, expected, found[-1][2], oracle.loss, separate, joint, spent)


INTRODUCTION = """# Bounds of known mechanisms

Written by `{command}`, not by hand. 95% lower bounds of the loss at {runs:,} fresh runs a side, one pair given: the
median of {seeds} seeds.

- *panproof*: the bound at the expected counts of the event that was chosen, from {least} to {most} fresh samples.
  These counts have a random error too, of about a hundredth of the loss: a bound can pass the oracle's by that.
- *one sample*: the least and the greatest bound from one fresh sample.
- *truth*: the loss on this pair, computed from the densities.
- *oracle*: the bound at the expected counts of the best event, which is known beforehand: by two Clopper-Pearson
  bounds, and by one exact test of both counts.
- *before* and *peer* are recorded: panproof before the learned score of trees, and the best of Delta-Siege and
  DP-Sniper. A dash means that the promise of the half of the loss was not refuted.
- Rows below the best peer: {below}. Rows with a finite truth that are more than 4% below the oracle: {far}.
- Recorded for Laplace: by its density, the events that five seeds choose have the bound 0.987 in the median. Their
  counts on this page have a random error of 0.002.
- Recorded for mechanism 6: on eight seeds the best threshold of the fitted score is that of the oracle. The choice of
  the threshold has a random error: the events on both sides of it differ by a few hundred runs of 100,000.
- This page measures the choice of the event and its bound. The search, which refutes, has made its runs before.

| mechanism | truth | panproof | one sample | before (recorded) | peer (recorded) | oracle | event | CPU s |
|---|---:|---:|---|---:|---:|---|---|---:|
"""


def written(row: Row) -> str:
    """A line of the table."""
    before = "-" if row.known.before is None else f"{row.known.before:g}"
    truth = "infinite" if math.isinf(row.truth) else f"{row.truth:.3f}"
    spread = f"{min(row.bounds):.3f}, {max(row.bounds):.3f}"
    return (
        f"| {row.known.name} | {truth} | **{row.median:.3f}** | {spread} | {before} "
        f"| {row.known.peer:g} | {row.separate:.3f} / {row.joint:.3f} | {row.event} | {row.seconds:.1f} |"
    )


def page(rows: list[Row], command: str) -> str:
    """The whole page."""
    seeds = len(rows[0].bounds)
    below = [row.known.name for row in rows if round(row.median, 3) < row.known.peer]
    far = [row.known.name for row in rows if math.isfinite(row.truth) and row.median < 0.96 * row.joint]
    introduction = INTRODUCTION.format(
        command=command,
        runs=RUNS,
        seeds=seeds,
        least=LEAST_EXPECTED,
        most=MOST_EXPECTED,
        below="; ".join(below) or "none",
        far="; ".join(far) or "none",
    )
    return introduction + "\n".join([*map(written, rows), ""])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--jobs", type=int, default=1, help="rows that are measured at the same time")
    parser.add_argument("--only", default="", help="a part of a name")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    rows = (delayed(row_of)(one, given.seeds) for one in KNOWN if given.only in one.name)
    measured_rows = []
    for found in Parallel(n_jobs=given.jobs, return_as="generator")(rows):
        measured_rows.append(found)
        print(written(found), flush=True)
    if given.out:
        own = "" if given.seeds == SEEDS else f", with --seeds {given.seeds}"
        given.out.write_text(page(measured_rows, f"make known{own}"))
