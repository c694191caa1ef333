"""The audit of a privacy promise: search, then measure; or the power of a search without a result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import isfinite, log
from typing import Any

from pan_audits.audit.by_bound import audit_by_bound
from pan_audits.audit.doubles import loss_of_doubles
from pan_audits.audit.effort import MOST_RUNS, allowed_runs
from pan_audits.audit.exploring import explored
from pan_audits.audit.long_audit import LEAST_RUNS, LongAudit, LongResult, long_candidates
from pan_audits.audit.measure import measure
from pan_audits.audit.privacy_result import PrivacyResult, noun_of
from pan_audits.audit.sampler import Sampler
from pan_audits.audit.search import (
    GENERATIONS,
    RUNS_BEFORE_CHOICE,
    Search,
    make_singly,
    makes_batches,
    search_catalogues,
    search_mutated,
)
from pan_audits.audit.sequential import FEW_LESSONS
from pan_audits.audit.settings import Settings
from pan_audits.events import AllBits, Grids, Table
from pan_audits.judging.verdict import Verdict
from pan_audits.notions import notion_of
from pan_audits.problems import judged
from pan_audits.problems.inputs.streams.catalogue import CodeConstants
from pan_audits.problems.inputs.streams.family import Pair
from pan_audits.problems.space import OfSpace
from pan_audits.statistics import ErrorBudget, detectable_loss
from pan_audits.subject.running.runner import EstimatorRunner
from pan_audits.workers.limits import one_thread
from pan_promises.problem import STREAM, Problem
from pan_promises.promise import Promise

_SELECTION_PART = 5
_ANOTHER_OFFSET = 2
"""Changes the seed of the offsets of the grids for a long audit."""
_MASSES = (0.5, 0.1, 0.01)
_ALMOST_CERTAIN = 0.99
"""The probability of the event that an audit with few runs can find."""
_LEARNED_AFTER = FEW_LESSONS[1]
"""After this number of runs on each stream an audit has learned this event: it bets with the others."""
_FEWEST_SELECTED = 512


@one_thread()
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
    mined: CodeConstants | None = None,
) -> PrivacyResult:
    """Look for a pair of adjacent streams and an event that break ``promise``.

    With a real stream in the settings, its edits are searched first, then the synthetic catalogue. Of tables, pairs
    that are made of the most promising ones are searched at the end.
    """
    if sampler is None:
        sampler = Sampler(EstimatorRunner(estimator, promise), settings.workers, settings.limits)
    stages = [
        judged(problem).catalogue(
            promise,
            population,
            deletions=bool(getattr(estimator, "deletions", False)),
            stream=stream,
            seed=entropy % 2**32,
            mined=mined,
        )
        for stream in dict.fromkeys((settings.stream, None))
    ]
    sampler.reading = AllBits() if settings.doubles else Grids(entropy)
    exploration = None
    if isinstance(kind := judged(problem), OfSpace):
        exploration, catalogue = explored(sampler, kind, promise, settings, entropy)
        stages = [catalogue]
    if not (notion := notion_of(promise)).bets:
        bounded = audit_by_bound(
            sampler, notion, stages, budget, settings, entropy=entropy, configuration=configuration
        )
        return replace(bounded, explored=exploration.describe() if exploration else "")
    long = (settings.runs or 0) > MOST_RUNS
    share = budget.split({"search": 3, "long": 3, "bound": 4} if long else {"search": 6, "bound": 4})
    generations = GENERATIONS if judged(problem).mutates and not makes_batches(sampler) else 0
    allowed = allowed_runs(sampler, stages, settings, entropy, searches=len(stages))
    parts = [share["search"].share(f"catalogue {number}", len(stages) + generations) for number in range(len(stages))]
    by_catalogue = search_catalogues(
        sampler,
        promise,
        stages,
        parts,
        entropy=entropy,
        runs=min(allowed.runs, MOST_RUNS),
        patience=allowed.patience,
        opening=generations > 0,
    )
    searched = by_catalogue.searches
    for generation in range(generations):
        if searched[-1].refutations:
            break
        part = share["search"].share(f"generation {generation}", len(stages) + generations)
        mutated = search_mutated(
            sampler,
            promise,
            problem,
            searched,
            part,
            entropy=entropy,
            runs=by_catalogue.runs,
            generation=generation,
        )
        searched += [mutated] if mutated is not None else []
    found, after = searched[-1], None
    if by_catalogue.guided:
        make_singly(sampler)
    if long and not found.refutations and _fewest(searched) >= RUNS_BEFORE_CHOICE:
        assert settings.runs is not None
        left = settings.runs - sum(each.runs for each in searched)
        if left >= LEAST_RUNS:
            after = _long(sampler, promise, searched, share["long"], entropy, left)
        if after is not None and after.refuted:
            found = _as_found(after, searched)
            searched = [each for each in searched if each.tests is not found.tests] + [found]
    witness, confirmation = None, 0
    if found.refutations:
        confirmation = allowed.confirmation
        measured = partial(
            measure,
            sampler,
            promise,
            found,
            entropy=entropy,
            # A slow estimator has fewer runs to confirm than this number.
            selection_runs=max(min(_FEWEST_SELECTED, confirmation), confirmation // _SELECTION_PART),
            confirmation_runs=confirmation,
            estimator=configuration,
        )
        if exploration is None:
            witness = measured(share["bound"])
        else:
            halves = share["bound"].split({"shrunk": 1, "as drawn": 1})
            witness = measured(halves["shrunk"], shrink=exploration.shrink)
            if witness is None or witness.loss <= promise.epsilon:
                witness = measured(halves["as drawn"], shrink=lambda pair, holds: pair) or witness
        if witness is None:
            found.refutations.clear()
    doubles = None
    if witness is None and not settings.doubles:
        # No witness has used the share of the bound.
        doubles = loss_of_doubles(_as_they_are(searched), promise, share["bound"].error)
    detectable = {} if witness else _detectable(searched, promise, twice=0 < by_catalogue.singly < 1)
    verdict, reason = _verdict(searched, promise, detectable)
    if verdict is Verdict.NOT_REFUTED and not any(isfinite(best) for _, best in detectable.values()):
        verdict, reason = (
            Verdict.INCONCLUSIVE,
            (
                f"the {found.runs} runs that were allowed are too few to refute this promise, whatever its loss; "
                "allow more with --runs, or a larger error"
            ),
        )
    search_runs = settings.runs if long and settings.runs else by_catalogue.runs
    return PrivacyResult(
        promise=promise,
        verdict=verdict,
        witness=witness,
        pairs=sum(len(each.tests) for each in searched),
        runs=sampler.runs,
        detectable=detectable,
        search_runs=search_runs,
        confirmation_runs=confirmation,
        timed=allowed.told(search_runs, confirmation),
        long=after,
        printed=sampler.printed,
        reason=reason,
        singly=by_catalogue.singly,
        unconfirmed=by_catalogue.unconfirmed,
        doubles=doubles,
        explored=exploration.describe() if exploration else "",
    )


def _as_they_are(searched: Sequence[Search]) -> Iterator[tuple[Pair, Table, Table]]:
    """The first runs of each pair with all bits of their numbers; the pairs with the most runs first."""
    for each in reversed(searched):
        pairs = sorted(each.tests, key=lambda pair: (-each.tests[pair].runs, -each.tests[pair].prospect))
        yield from each.samples.bits_of(pairs)


def _long(
    sampler: Sampler, promise: Promise, searched: Sequence[Search], budget: ErrorBudget, entropy: int, runs: int
) -> LongResult:
    """Make all remaining runs, on the most promising pairs and events of the search."""
    reading = sampler.reading and sampler.reading.anew(entropy ^ _ANOTHER_OFFSET)
    candidates = long_candidates(searched, promise, runs // 2, reading)
    # From here on, the runs of the search would only take memory.
    for search_ in searched:
        search_.forget(candidate.pair for candidate in candidates)
    return LongAudit(sampler, promise, candidates, budget, entropy, runs).run()


def _as_found(after: LongResult, searched: Sequence[Search]) -> Search:
    """The search of the refuted pair's catalogue, with the refutation added."""
    pair, turned = after.pair, Pair(after.pair.family, after.pair.right, after.pair.left)
    found = next(each for each in searched if pair in each.tests or turned in each.tests)
    return replace(found, refutations={pair if pair in found.tests else turned: after.pairs_of_runs})


def _detectable(searched: Sequence[Search], promise: Promise, *, twice: bool) -> dict[float, tuple[float, float]]:
    """The losses that are found with a power of 95%.

    If many runs at once led the search, single runs must refute the promise again. The second search has half of the
    error budget, and each of the two must find the event with a power of 97.5%.
    """
    runs = [test.runs for each in searched for test in each.tests.values()]
    highest = max(max(each.thresholds.values()) for each in searched) + (log(2) if twice else 0.0)
    power = 0.975 if twice else 0.95

    def loss(count: int, mass: float) -> float:
        return detectable_loss(
            count, log_threshold=highest, epsilon=promise.epsilon, delta=promise.delta, mass=mass, power=power
        )

    found = {mass: (loss(min(runs), mass), loss(max(runs), mass)) for mass in _MASSES}
    if min(runs) < RUNS_BEFORE_CHOICE:
        every, best = (loss(max(0, count - _LEARNED_AFTER), _ALMOST_CERTAIN) for count in (min(runs), max(runs)))
        found = {_ALMOST_CERTAIN: (every, best)} | found
    return found


def _fewest(searched: Sequence[Search]) -> int:
    """The runs of the pair that had the fewest."""
    return min(test.runs for each in searched for test in each.tests.values())


def _verdict(
    searched: Sequence[Search], promise: Promise, detectable: Mapping[float, tuple[float, float]]
) -> tuple[Verdict, str]:
    """The verdict of the searches: with few runs it is open, unless some event would have been found on every pair."""
    if searched[-1].refutations:
        return Verdict.REFUTED, ""
    fewest = _fewest(searched)
    if fewest < RUNS_BEFORE_CHOICE and not any(isfinite(every) for every, _ in detectable.values()):
        return Verdict.INCONCLUSIVE, (
            f"the runs that were allowed give only {fewest} for each pair of {noun_of(promise)}s, at least "
            f"{RUNS_BEFORE_CHOICE} are needed; allow more with --runs or --seconds"
        )
    return Verdict.NOT_REFUTED, ""
