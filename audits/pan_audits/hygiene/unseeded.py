"""Random numbers of the system, which no seed repeats: whether runs with them are independent draws of one law.

A library such as OpenDP draws from the operating system. Its runs can be audited like any others, if they are
independent and have one law. A hidden state, a clock or a counter that makes each run differ from the last is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pan_audits.events import Table
from pan_audits.hygiene.finding import Finding, Severity
from pan_audits.hygiene.looked_at import one_look, table_of
from pan_audits.hygiene.paired_runs import paired, varying
from pan_audits.hygiene.runs_in_time import runs_in_time
from pan_audits.hygiene.two_samples import difference_of
from pan_audits.inputs.streams.family import Id
from pan_audits.running.mechanism import RunsApart
from pan_audits.workers.engines import run_in_workers
from pan_audits.workers.limits import Failure, Limits, VariantError

CHECK = "randomness of the system"

_FEWEST, _RUNS = 200, 1200
_SECONDS = 20.0
"""The time of the processor for the runs of a process, which a slow estimator exceeds with the fewest runs only."""
_COMPARISONS = 3


@dataclass(frozen=True)
class _Runs:
    """A task: a table of runs, one after the other in one process; as many as fit into the time, or a given number."""

    estimator: Any
    first: tuple[Id, ...]
    rest: tuple[Id, ...]
    seed: int
    runs: int = 0

    def __call__(self) -> Table:
        look = one_look(self.first, self.rest)
        runs = self.runs or runs_in_time(self.estimator, look, _RUNS, fewest=_FEWEST, seconds=_SECONDS)
        stacks = self.estimator.runs_apart(look, runs, (self.seed,), states_seen=True)
        return table_of(self.estimator, [each for stack in stacks for each in stack], self.first[0])


def findings_of_unseeded(
    estimator: Any, first: Sequence[Id], rest: Sequence[Id], error: float, limits: Limits, seed: int
) -> list[Finding]:
    """A warning if the runs of code with randomness of its own pass for independent draws of one law, else a defect."""
    if not isinstance(estimator, RunsApart):
        return [_defect("it runs in the process that judges it")]
    tables: list[Table] = []
    for number in range(2):
        # One after the other, so that the processes start at different times.
        task = _Runs(estimator, tuple(first), tuple(rest), seed + number, tables[0].runs if tables else 0)
        (outcome,) = run_in_workers([task], 1, limits)
        if isinstance(outcome.result, Failure):
            raise VariantError(outcome.result.sentence)
        tables.append(outcome.result)
    for words, ours, theirs in _comparisons(*tables):
        if (found := difference_of(ours, theirs, error=error / _COMPARISONS)) is not None:
            return [_defect(f"{words} differ: the event {found.event!r}")]
    return [
        Finding(
            CHECK,
            Severity.WARNING,
            "the estimator draws its random numbers from the system, where no seed reaches them: its runs pass for "
            "independent draws of one law, and are audited as such; a replay draws new ones, so that its counts differ",
        )
    ]


def _defect(because: str) -> Finding:
    return Finding(
        "randomness",
        Severity.DEFECT,
        f"results differ under the same seed, and its runs do not pass for independent draws of one law: {because}",
    )


def _comparisons(early: Table, late: Table) -> Iterator[tuple[str, Table, Table]]:
    """Samples that have one law if all runs of both processes are independent and have one law.

    No run is in both samples of a comparison, so that all rows of a comparison are independent.
    """
    half = early.runs // 2
    columns = varying(early)
    both = Table.concatenate([early, late])
    yield "the runs of two processes", early, late
    places = np.arange(half)
    yield "the first and the last runs of a process", _rows(both, places), _rows(both, half + places)
    if not columns:
        return
    near = paired(both, np.arange(0, half - 1, 2), np.arange(1, half, 2), columns)
    # Partners in another process: a repetition at the same place would show as an equality.
    far = paired(both, half + np.arange(half // 2), early.runs + half + np.arange(half // 2), columns)
    yield "pairs of neighbouring runs and pairs of runs of two processes", near, far


def _rows(table: Table, places: Any) -> Table:
    return Table(table.names, table.values[places])
