"""The number of runs that fit into the time of an audit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import ceil

from pan_audits.auditing.by_batches import makes_batches
from pan_audits.auditing.sampler import Sampler, block_runs, requests_for
from pan_audits.auditing.search import RUNS_BEFORE_CHOICE, streams_of
from pan_audits.inputs.streams.catalogue import Catalogue
from pan_audits.inputs.streams.family import Family
from pan_audits.running.mechanism import EstimatorMechanism

_CALIBRATION_RUNS = 16
_CALIBRATION = 20
_SLOW = 0.01
"""Seconds for a few runs at once. Below, many cost little more; from there on they cost in proportion."""
_LEAST_RUNS, MOST_RUNS = 2_000, 1_000_000
"""Runs of a search."""
_LEARN_LIKELIHOOD, _LEARN_FEATURES, _LEARN_OUTPUT = 3e-5, 1e-4, 1e-5
"""Seconds for learning from one more run, about: from its likelihood, from its features, or from an output alone.

If an estimator makes many runs at once, learning takes longer than the runs.
"""
PATIENCE, _PATIENCE_AT_ONCE = 3, 10
"""Factors by which a slow estimator may exceed the time."""

_FASTEST_RUN, _SLOWEST_RUN = 1e-6, 1e6
"""Range of plausible seconds for one run."""


def runs_at_once(sampler: Sampler) -> bool:
    """Whether all runs are made at once."""
    if makes_batches(sampler):
        return True
    return isinstance(sampler.mechanism, EstimatorMechanism) and sampler.mechanism.runs_at_once > 0


def seconds_per_run(sampler: Sampler, stage: Catalogue, entropy: int) -> float:
    """Wall-clock seconds for one run, with all workers, on average over the families of a catalogue.

    It determines the number of runs, and differs from time to time: the first value is kept.
    """
    families = {pair.family: pair.left for pair in stage.pairs}
    assert sampler.engine is not None
    workers = max(1, sampler.engine.workers)
    name = f"seconds per run of {next(iter(families)).name}"
    recorded = sampler.journal.recorded(name) if sampler.journal else None
    if recorded is not None:
        assert sampler.journal is not None
        return sampler.journal.field(name, recorded).number(_FASTEST_RUN, _SLOWEST_RUN)

    mechanism, stacked = sampler.mechanism, runs_at_once(sampler)

    def timed(rounds: range, places: Mapping[Family, int]) -> Sampler:
        # Without the journal: reading a block from it takes no time.
        trial = replace(sampler, runs=0, busy_seconds=0.0, journal=None)
        trial.draw(
            [
                request
                for chunk in rounds
                for family, place in places.items()
                for request in requests_for(
                    family,
                    place,
                    runs,
                    entropy=entropy,
                    purpose=_CALIBRATION,
                    chunk=chunk,
                    size=block_runs(mechanism),
                    features=not stacked,
                )
            ]
        )
        return trial

    runs = block_runs(mechanism) if makes_batches(sampler) else _CALIBRATION_RUNS
    one = dict(list(families.items())[:1])
    # The first task of a worker includes imports and the making of streams.
    timed(range(2 * workers), one)
    if stacked and not makes_batches(sampler):
        first = timed(range(2 * workers, 3 * workers), one)
        if first.busy_seconds < _SLOW * workers:
            runs = block_runs(mechanism)
    trial = timed(range(3 * workers, 3 * workers + 1), families)
    taken = min(max(trial.busy_seconds / trial.runs / workers, _FASTEST_RUN), _SLOWEST_RUN)
    if isinstance(mechanism, EstimatorMechanism) and stacked:
        if mechanism.batch_runs:
            taken += _LEARN_OUTPUT
        else:
            taken += _LEARN_LIKELIHOOD if all(map(mechanism.has_likelihood, families)) else _LEARN_FEATURES
    return float(sampler.journal.fact(name, taken)) if sampler.journal else taken


def affordable(runs: float, stage: Catalogue, *, at_once: bool, least: int = 0) -> int:
    """The number of runs that fit into the time. A slow estimator may take a few times as long, to cover all pairs.

    Parameters
    ----------
    runs
        The runs that the time allows.
    stage
        The pairs.
    at_once
        Whether all runs are made at once.
    least
        The least number of runs that covers all pairs, if it is larger than that of a search for an epsilon.
    """
    fair = max(least, RUNS_BEFORE_CHOICE * len(streams_of(stage.pairs)))
    return rounded(max(runs, min(fair, (_PATIENCE_AT_ONCE if at_once else PATIENCE) * runs)))


def rounded(runs: float, *, least: int = _LEAST_RUNS) -> int:
    """A number of runs, rounded up to one significant digit and a half: a number that is easy to type."""
    step = 5 * 10 ** max(0, len(str(int(runs))) - 2)
    return int(min(max(ceil(runs / step) * step, least), MOST_RUNS))
