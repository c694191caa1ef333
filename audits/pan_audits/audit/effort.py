"""The number of runs of an audit: a usual number for each kind of mechanism, or as many as fit into a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil

from pan_audits.audit.sampler import Sampler, block_runs, blocks_for, streams_of
from pan_audits.audit.search import RUNS_BEFORE_CHOICE, makes_batches
from pan_audits.audit.settings import Settings
from pan_audits.problems.inputs.streams.catalogue import Catalogue
from pan_audits.problems.inputs.streams.family import Family
from pan_audits.subject.running.runner import EstimatorRunner, RunsApart

_IN_BATCHES, _LIKELIHOOD_AT_ONCE, _AT_ONCE, _APART, _HERE = 1_000_000, 200_000, 100_000, 80_000, 20_000
"""The usual runs of a search: of batches; of runs at once, from whose likelihood events are learned or not; of single
runs in a judged process, and in a worker."""
_LONG = 80.0
"""Time of the processor, in seconds. Code whose usual runs would take longer is slow."""
_FEWER = 4
"""Slow code makes the usual runs divided by a power of this number: a little more time changes nothing."""
_ASLEEP = 8
"""Code that waits counts as if it worked for one in this number of seconds. Other code waits less on a busy machine."""

_CALIBRATION_RUNS, _MORE_RUNS, _MOST_FAMILIES = 8, 128, 8
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
"""Factors by which a slow estimator may exceed the number of runs."""
_FEWEST_CONFIRMED = 200
"""Runs of a slow estimator on each stream that confirm a refutation."""

_FASTEST_RUN, _SLOWEST_RUN = 1e-6, 1e6
"""Range of plausible seconds for one run."""


@dataclass(frozen=True)
class AuditEffort:
    """The effort of an audit.

    Attributes
    ----------
    runs
        Of each search.
    confirmation
        Most runs on each stream that bound the loss.
    patience
        Factor by which a search may exceed its runs if they would probably decide the verdict.
    because
        Why another machine may make another number of runs; empty if it makes the same.
    """

    runs: int
    confirmation: int
    patience: int = 1
    because: str = ""

    def told(self, runs: int, confirmation: int) -> str:
        """The sentence about a number of runs that depends on time; empty if it does not."""
        if not self.because:
            return ""
        words = f"--runs {runs}" + (f" --confirmation-runs {confirmation}" if confirmation else "")
        return f"{self.because}, so that this audit cannot be repeated by its seed alone: {words} repeats its runs"


def allowed_runs(
    sampler: Sampler,
    stages: Sequence[Catalogue],
    settings: Settings,
    entropy: int,
    *,
    searches: int,
    least: int = 0,
    fewest_confirmed: int = _FEWEST_CONFIRMED,
) -> AuditEffort:
    """The effort: a given number of runs, the usual one, or the number that fits into a time that was asked for."""
    if settings.runs:
        # A slow estimator takes minutes for the runs of a calibration.
        return AuditEffort(settings.runs, settings.confirmation_runs)
    timed, busy = _cost_of_a_run(sampler, stages[0], entropy)
    if settings.seconds is not None:
        number, slow = settings.seconds / timed, True
        because = f"the time of {settings.seconds:g} s determined the number of runs"
    else:
        usual = _usual_runs(sampler, stages[0])
        number = float(usual)
        while number > 1 and number * busy > _LONG:
            number /= _FEWER
        slow = number < usual
        because = f"the code is slow, and the time of a few runs determined the number of runs, below {usual:,}"
    fair = [max(least, RUNS_BEFORE_CHOICE * len(streams_of(stage.pairs))) for stage in stages]
    patient = _PATIENCE_AT_ONCE if runs_at_once(sampler) else PATIENCE
    share = number / searches
    runs = max(rounded(max(share, min(each, patient * share))) for each in fair)
    confirmation = settings.confirmation_runs
    if slow:
        confirmation = min(confirmation, rounded(number / 2, least=fewest_confirmed))
    return AuditEffort(runs, confirmation, min(PATIENCE, MOST_RUNS // runs), because if slow else "")


def _usual_runs(sampler: Sampler, stage: Catalogue) -> int:
    """The usual number of runs of a mechanism. It depends on nothing but its kind."""
    runner = sampler.runner
    if makes_batches(sampler):
        return _IN_BATCHES
    if runs_at_once(sampler):
        assert isinstance(runner, EstimatorRunner)
        known = all(map(runner.has_likelihood, {pair.family for pair in stage.pairs}))
        return _LIKELIHOOD_AT_ONCE if known else _AT_ONCE
    apart = isinstance(runner, EstimatorRunner) and isinstance(runner.estimator, RunsApart)
    return _APART if apart else _HERE


def runs_at_once(sampler: Sampler) -> bool:
    """Whether all runs are made at once."""
    if makes_batches(sampler):
        return True
    return isinstance(sampler.runner, EstimatorRunner) and sampler.runner.runs_at_once > 0


def _cost_of_a_run(sampler: Sampler, stage: Catalogue, entropy: int) -> tuple[float, float]:
    """The time of one run on average over the families of a catalogue: by the clock with all workers, and the work.

    Both differ from time to time: the first values are kept. The work is time of processors, which hardly depends on
    what else a machine does.
    """
    families = {pair.family: pair.left for pair in stage.pairs}
    families = dict([*families.items()][:: ceil(len(families) / _MOST_FAMILIES)])
    assert sampler.engine is not None
    workers = max(1, sampler.engine.workers)
    name = f"cost of a run of {next(iter(families)).name}"
    recorded = sampler.journal.recorded(name) if sampler.journal else None
    if recorded is not None:
        assert sampler.journal is not None
        field = sampler.journal.field(name, recorded)
        kept = [each.number(_FASTEST_RUN, _SLOWEST_RUN) for each in field.items(least=2, most=2)]
        return kept[0], kept[1]

    runner, stacked = sampler.runner, runs_at_once(sampler)

    def timed(rounds: range, places: Mapping[Family, int]) -> Sampler:
        # Without the journal: reading a block from it takes no time.
        trial = replace(sampler, runs=0, busy_seconds=0.0, work_seconds=0.0, journal=None)
        trial.draw(
            [
                block
                for chunk in rounds
                for family, place in places.items()
                for block in blocks_for(
                    family,
                    place,
                    runs,
                    entropy=entropy,
                    purpose=_CALIBRATION,
                    chunk=chunk,
                    size=block_runs(runner),
                    features=not stacked,
                )
            ]
        )
        return trial

    runs = block_runs(runner) if makes_batches(sampler) else _CALIBRATION_RUNS
    one = dict(list(families.items())[:1])
    # The first task of a worker includes imports and the making of streams.
    timed(range(2 * workers), one)
    if not makes_batches(sampler):
        first = timed(range(2 * workers, 3 * workers), one)
        if first.work_seconds < _SLOW * workers:
            runs = block_runs(runner) if stacked else _MORE_RUNS
    # Other work on the machine only adds: the smaller time is the better one.
    trials = [timed(range(place, place + 1), families) for place in (3 * workers, 3 * workers + 1)]
    by_clock = min(trial.busy_seconds / trial.runs / workers for trial in trials)
    work = min(max(trial.work_seconds, trial.busy_seconds / _ASLEEP) / trial.runs for trial in trials)
    if isinstance(runner, EstimatorRunner) and stacked:
        if runner.batch_runs:
            by_clock += _LEARN_OUTPUT
        else:
            by_clock += _LEARN_LIKELIHOOD if all(map(runner.has_likelihood, families)) else _LEARN_FEATURES
    taken = [min(max(each, _FASTEST_RUN), _SLOWEST_RUN) for each in (by_clock, work)]
    if sampler.journal:
        taken = sampler.journal.fact(name, taken)
    return taken[0], taken[1]


def rounded(runs: float, *, least: int = _LEAST_RUNS) -> int:
    """A number of runs, rounded up to one significant digit and a half: a number that is easy to type."""
    step = 5 * 10 ** max(0, len(str(int(runs))) - 2)
    return int(min(max(ceil(runs / step) * step, least), MOST_RUNS))
