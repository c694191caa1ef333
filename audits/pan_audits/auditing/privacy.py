"""The audit of a privacy promise: search, then measure; or the power of a search without a result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, isfinite, log
from typing import Any

from pan_audits.auditing.by_batches import makes_batches, search_by_batches
from pan_audits.auditing.long_audit import LEAST_RUNS, LongAudit
from pan_audits.auditing.long_candidates import long_candidates
from pan_audits.auditing.long_result import LongResult
from pan_audits.auditing.measure import measure
from pan_audits.auditing.sampler import Sampler, block_runs, requests_for
from pan_audits.auditing.search import RUNS_BEFORE_CHOICE, Refutation, Search, search, streams_of
from pan_audits.auditing.sequential import Direction
from pan_audits.auditing.witness import Witness
from pan_audits.inputs.problems import catalogue_for
from pan_audits.inputs.streams.catalogue import Catalogue
from pan_audits.inputs.streams.family import Family, Pair
from pan_audits.judging.settings import Settings
from pan_audits.judging.verdict import Verdict
from pan_audits.running.mechanism import EstimatorMechanism
from pan_audits.statistics import ErrorBudget, detectable_loss
from pan_promises.adjacency import OF_STREAMS
from pan_promises.problem import STREAM, Problem
from pan_promises.promise import Promise

_CALIBRATION_RUNS = 16
_CALIBRATION = 20
_LEAST_RUNS, _MOST_RUNS = 2_000, 1_000_000
_LEARN_LIKELIHOOD, _LEARN_FEATURES, _LEARN_OUTPUT = 3e-5, 1e-4, 1e-5
"""Seconds for learning from one more run, about: from its likelihood, from its features, or from an output alone.

If an estimator makes many runs at once, learning takes longer than the runs.
"""
_SELECTION_PART = 5
_AGAIN = 2**64
"""Added to the entropy of a search that is made again by single runs."""
_PATIENCE, _PATIENCE_AT_ONCE = 3, 10
_FASTEST_RUN, _SLOWEST_RUN = 1e-6, 1e6
"""Range of plausible seconds for one run."""

_MASSES = (0.5, 0.1, 0.01)


@dataclass(frozen=True)
class PrivacyResult:
    """The result of the audit of one promise.

    Attributes
    ----------
    promise
        The promise.
    verdict
        ``REFUTED``, ``NOT_REFUTED`` or ``INCONCLUSIVE``.
    witness
        For a refutation.
    pairs, runs
        Number of pairs of streams, and number of runs on all of them.
    detectable
        The smallest loss that a bet on the right event would have refuted with 95% power, by the
        event's probability on the stream where it is likelier: on *every* pair, and on the pairs
        that got most runs.
    search_runs, confirmation_runs
        Greatest number of runs of the search, and of the measurement on each stream, to repeat them. For two
        catalogues it is the larger number; a repeated first search may then be a little longer.
    printed
        Bytes that the estimator printed.
    reason
        Why it is inconclusive.
    long
        The result of the long stage, if there was one.
    singly
        The share of the blocks of the search that was made run by run; the others were made at once.
    noun
        A word for the inputs.
    unconfirmed
        Number of single runs that did not confirm a violation that batches of runs seemed to show; 0 without one.
    """

    promise: Promise
    verdict: Verdict
    witness: Witness | None
    pairs: int
    runs: int
    detectable: Mapping[float, tuple[float, float]]
    search_runs: int
    confirmation_runs: int = 0
    printed: int = 0
    reason: str = ""
    long: LongResult | None = None
    singly: float = 1.0
    noun: str = "streams"
    unconfirmed: int = 0

    @property
    def loss(self) -> float | None:
        """The largest lower bound on the loss: the measured one, or the promise that a bet refuted."""
        if self.witness is None:
            return None
        return max(self.witness.loss, self.promise.epsilon, self.long.loss if self.long else 0.0)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "promise": self.promise.to_dict(),
            "verdict": str(self.verdict),
            "loss_at_least": self.loss,
            "witness": self.witness and self.witness.to_dict(),
            "pairs": self.pairs,
            "runs": self.runs,
            "smallest_detectable_loss": [
                {"probability": mass, "every_pair": _finite(every), "best_pairs": _finite(best)}
                for mass, (every, best) in self.detectable.items()
            ],
            "search_runs": self.search_runs,
            "confirmation_runs": self.confirmation_runs,
            "long": self.long and self.long.to_dict(),
            "share_made_singly": self.singly,
            "reason": self.reason,
        }

    def _about_singly(self) -> str:
        if not 0 < self.singly < 1:
            return ""
        return f". Single runs made {self.singly:.0%} of the search, and many runs at once the rest"

    def describe(self) -> str:
        """The result in a sentence or two."""
        if self.verdict is Verdict.REFUTED and self.witness is not None:
            return self.witness.describe()
        if self.verdict is Verdict.INCONCLUSIVE:
            return self.reason
        noun = "streams" if self.promise.adjacency in OF_STREAMS else "inputs"
        reach = "; ".join(_reach(mass, *losses) for mass, losses in self.detectable.items() if isfinite(losses[1]))
        return (
            f"No violation found in {self.pairs} pairs of {noun} and {self.runs} runs. With 95% power, the audit finds "
            f"a known event of these losses (promised {self.promise.epsilon:.3g}): {reach}"
        ) + self._about_singly()


def _reach(mass: float, every: float, best: float) -> str:
    rest = f"loss {every:.3g} on every pair" if isfinite(every) else "no loss on the other pairs"
    return f"probability {mass:g}, loss {best:.3g} on the most promising pairs, {rest}"


def audit_privacy(
    estimator: Any,
    promise: Promise,
    population: Sequence[Any],
    budget: ErrorBudget,
    settings: Settings,
    *,
    entropy: int,
    configuration: Mapping[str, Any],
    sampler: Sampler | None = None,
    problem: Problem = STREAM,
) -> PrivacyResult:
    """Look for a pair of adjacent streams and an event that break ``promise``.

    With a real stream in the settings, its edits are searched first, then the synthetic catalogue.

    Parameters
    ----------
    estimator
        With ``create``, ``update`` and ``release``.
    promise
        The promise to refute.
    population
        Ids to build streams from.
    budget
        Probability that a true promise is refuted here: six parts for the search, four for the
        bound on the loss of what it finds. Of the six, a long audit has three.
    settings, entropy
        Effort and seed.
    configuration
        Written into the witness.
    sampler
        Draws the observations; by default from the estimator, with the workers and limits of the settings.

    problem
        The kind of its inputs.

    Raises
    ------
    VariantError
        If the estimator fails.
    """
    if sampler is None:
        sampler = Sampler(EstimatorMechanism(estimator, promise), settings.workers, settings.limits)
    stages = [
        catalogue_for(
            problem,
            promise,
            population,
            deletions=bool(getattr(estimator, "deletions", False)),
            stream=stream,
            seed=entropy % 2**32,
        )
        for stream in dict.fromkeys((settings.stream, None))
    ]
    long = (settings.runs or 0) > _MOST_RUNS
    share = budget.split({"search": 3, "long": 3, "bound": 4} if long else {"search": 6, "bound": 4})
    searched: list[Search] = []
    most_runs, unconfirmed = 0, 0
    singly = _share_made_singly(sampler)
    guided = 0 < singly < 1
    for number, stage in enumerate(stages):
        seconds_per_run = _calibrate(sampler, stage, entropy)
        runs = min(
            settings.runs
            or _affordable(settings.seconds / seconds_per_run / len(stages), stage, at_once=_at_once(sampler)),
            _MOST_RUNS,
        )
        part = share["search"].share(f"catalogue {number}", len(stages))
        if makes_batches(sampler):
            led = search_by_batches(sampler, promise, stage, part, entropy=entropy, runs=runs)
            searched.append(led.search)
            singly, unconfirmed, most_runs = led.singly, led.unconfirmed, runs
            break  # a function has one catalogue: it has no real stream
        patience = 1 if settings.runs else _PATIENCE
        searched.append(search(sampler, promise, stage, part, entropy=entropy, most_runs=runs, patience=patience))
        if searched[-1].refutations and guided:
            # Many runs at once of a third-party estimator refute no promise: the bets so far do not count.
            _make_singly(sampler)
            guided, again = False, entropy + _AGAIN
            searched[-1] = search(sampler, promise, stage, part, entropy=again, most_runs=runs, patience=patience)
        most_runs = max(most_runs, searched[-1].allowed)
        if searched[-1].refutations:
            break
    found, after = searched[-1], None
    if guided:
        _make_singly(sampler)
    if long and not found.refutations and _verdict(searched)[0] is Verdict.NOT_REFUTED:
        assert settings.runs is not None
        left = settings.runs - sum(each.runs for each in searched)
        if left >= LEAST_RUNS:
            after = _long(sampler, promise, searched, share["long"], entropy, left)
        if after is not None and after.refuted:
            found = _as_found(after, searched)
            searched = [each for each in searched if each.tests is not found.tests] + [found]
    witness, confirmation = None, 0
    if found.refutations:
        confirmation = settings.confirmation_runs
        if settings.runs is None:
            confirmation = min(confirmation, _round(settings.seconds / seconds_per_run / 2, least=500))
        witness = measure(
            sampler,
            promise,
            found,
            share["bound"],
            entropy=entropy,
            selection_runs=max(512, confirmation // _SELECTION_PART),
            confirmation_runs=confirmation,
            estimator=configuration,
        )
    verdict, reason = _verdict(searched)
    return PrivacyResult(
        promise=promise,
        verdict=verdict,
        witness=witness,
        pairs=sum(len(each.tests) for each in searched),
        runs=sampler.runs,
        detectable={} if witness else _detectable(searched, promise),
        search_runs=settings.runs if long and settings.runs else most_runs,
        confirmation_runs=confirmation,
        long=after,
        printed=sampler.printed,
        reason=reason,
        singly=singly,
        unconfirmed=unconfirmed,
    )


def _share_made_singly(sampler: Sampler) -> float:
    """The share of the blocks of a search that are made run by run."""
    return sampler.mechanism.share_made_singly if isinstance(sampler.mechanism, EstimatorMechanism) else 1.0


def _at_once(sampler: Sampler) -> bool:
    """Whether all runs are made at once."""
    if makes_batches(sampler):
        return True
    return isinstance(sampler.mechanism, EstimatorMechanism) and sampler.mechanism.runs_at_once > 0


def _make_singly(sampler: Sampler) -> None:
    """Make single runs from here on."""
    assert isinstance(sampler.mechanism, EstimatorMechanism)
    sampler.mechanism = replace(sampler.mechanism, singly=1.0)


def _long(
    sampler: Sampler, promise: Promise, searched: Sequence[Search], budget: ErrorBudget, entropy: int, runs: int
) -> LongResult:
    """Make all remaining runs, on the most promising pairs and events of the search."""
    candidates = long_candidates(searched, promise, runs // 2)
    # From here on, the runs of the search would only take memory.
    for search_ in searched:
        search_.forget(candidate.pair for candidate in candidates)
    return LongAudit(sampler, promise, candidates, budget, entropy, runs).run()


def _as_found(after: LongResult, searched: Sequence[Search]) -> Search:
    """The search of the refuted pair's catalogue, with the refutation added."""
    pair, turned = after.pair, Pair(after.pair.family, after.pair.right, after.pair.left)
    found = next(each for each in searched if pair in each.tests or turned in each.tests)
    original, direction = (pair, Direction.LEFT) if pair in found.tests else (turned, Direction.RIGHT)
    return replace(found, refutations=[Refutation(original, direction, -log(after.error), after.pairs_of_runs)])


def _calibrate(sampler: Sampler, stage: Catalogue, entropy: int) -> float:
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

    mechanism, at_once = sampler.mechanism, _at_once(sampler)

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
                    features=not at_once,
                )
            ]
        )
        return trial

    # A few runs at once cost nearly as much as many.
    runs = block_runs(mechanism) if at_once else _CALIBRATION_RUNS
    # The first task of a worker includes imports and the making of streams.
    timed(range(2 * workers), dict(list(families.items())[:1]))
    trial = timed(range(2 * workers, 2 * workers + 1), families)
    taken = min(max(trial.busy_seconds / trial.runs / workers, _FASTEST_RUN), _SLOWEST_RUN)
    if isinstance(mechanism, EstimatorMechanism) and at_once:
        if mechanism.batch_runs:
            taken += _LEARN_OUTPUT
        else:
            taken += _LEARN_LIKELIHOOD if all(map(mechanism.has_likelihood, families)) else _LEARN_FEATURES
    return float(sampler.journal.fact(name, taken)) if sampler.journal else taken


def _affordable(runs: float, stage: Catalogue, *, at_once: bool) -> int:
    """The number of runs that fit into the time. A slow estimator may take a few times as long, to cover all pairs."""
    fair = RUNS_BEFORE_CHOICE * len(streams_of(stage.pairs))
    return _round(max(runs, min(fair, (_PATIENCE_AT_ONCE if at_once else _PATIENCE) * runs)))


def _round(runs: float, *, least: int = _LEAST_RUNS) -> int:
    """A number of runs, rounded up to one significant digit and a half: a number that is easy to type."""
    step = 5 * 10 ** max(0, len(str(int(runs))) - 2)
    return int(min(max(ceil(runs / step) * step, least), _MOST_RUNS))


def _detectable(searched: Sequence[Search], promise: Promise) -> dict[float, tuple[float, float]]:
    runs = [test.runs for each in searched for test in each.tests.values()]
    highest = max(max(each.thresholds.values()) for each in searched)

    def loss(count: int, mass: float) -> float:
        return detectable_loss(count, log_threshold=highest, epsilon=promise.epsilon, delta=promise.delta, mass=mass)

    return {mass: (loss(min(runs), mass), loss(max(runs), mass)) for mass in _MASSES}


def _verdict(searched: Sequence[Search]) -> tuple[Verdict, str]:
    if searched[-1].refutations:
        return Verdict.REFUTED, ""
    for each in searched:
        fewest = min(test.runs for test in each.tests.values())
        if fewest < RUNS_BEFORE_CHOICE:
            return Verdict.INCONCLUSIVE, (
                f"the {each.runs} runs that were allowed give only {fewest} for each pair of streams, at least "
                f"{RUNS_BEFORE_CHOICE} are needed; allow more with --runs or --time"
            )
    return Verdict.NOT_REFUTED, ""


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None
