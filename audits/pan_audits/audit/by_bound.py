"""The audit of a notion that no bet on an event refutes: choose one pair of inputs, then bound it on fresh runs.

A few runs on every pair, then more on the best ones, choose the pair. Nothing is refuted there, so that the search
costs no part of the error budget. An event and, where a notion has one, a score are learned from the same runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import ceil, log
from typing import Any

from pan_audits.audit.doubles import loss_of_doubles
from pan_audits.audit.effort import MOST_RUNS, allowed_runs, rounded
from pan_audits.audit.measure import fresh_runs
from pan_audits.audit.privacy_result import PrivacyResult
from pan_audits.audit.sampler import Sampler, Samples, block_runs, streams_of
from pan_audits.audit.search import RUNS_BEFORE_CHOICE, share_made_singly
from pan_audits.audit.settings import Settings
from pan_audits.audit.witness import Witness
from pan_audits.events import Objective, Table, learn_events
from pan_audits.judging.verdict import Verdict
from pan_audits.notions import Notion
from pan_audits.problems.inputs.streams.catalogue import Catalogue
from pan_audits.problems.inputs.streams.family import Pair
from pan_audits.statistics import ErrorBudget
from pan_audits.subject.running.runner import EstimatorRunner

_MAIN_SHARE = 0.9
"""The share of the error for that of score and event which is expected to show more."""
_MOST_LEARNED = 50_000
_MOST_CONFIRMATION = 10**7
_SEARCHED = 2
"""One run in this number belongs to the search."""
_FEWEST_CONFIRMED = 500
_PURPOSE = 7
_KEPT = 4
"""After a round, one pair in this number goes on."""
_PART_FOR_CHOICE = 2
"""One run in this number chooses the pair. The others, on the chosen pair alone, are learned from."""
_FEWEST_RUNS = 16
"""Runs on each side of every pair before the search drops a pair."""
_LEARNED = 8192
_DEVIATIONS = 5.0
_CAUTION = 1.0


def audit_by_bound(
    sampler: Sampler,
    notion: Notion,
    stages: Sequence[Catalogue],
    budget: ErrorBudget,
    settings: Settings,
    *,
    entropy: int,
    configuration: Mapping[str, Any],
) -> PrivacyResult:
    """Look for a pair of inputs on which the promised number is larger.

    The search refutes nothing. The whole budget belongs to the bound on the one chosen pair.
    """
    pairs = [pair for stage in stages for pair in stage.pairs]
    fair = _SEARCHED * _runs_for_all(pairs)
    allowed = allowed_runs(
        sampler, stages[:1], settings, entropy, searches=1, least=fair, fewest_confirmed=_FEWEST_CONFIRMED
    )
    # Half of the runs bound the number, on two sides.
    runs = allowed.runs
    confirmation = min(max(allowed.confirmation, runs // (2 * _SEARCHED)), _MOST_CONFIRMATION)
    result = PrivacyResult(
        promise=notion.promise,
        verdict=Verdict.INCONCLUSIVE,
        witness=None,
        pairs=len(pairs),
        runs=0,
        detectable={},
        search_runs=runs,
        confirmation_runs=confirmation,
        timed=allowed.told(runs, confirmation),
    )
    share = share_made_singly(sampler)
    largest = notion.measured(confirmation, 0, confirmation, budget.error).bound
    if largest <= notion.promised:
        return replace(
            result,
            reason=f"{confirmation} runs on each side can show no {notion.unit} above {largest:.3g}, and the promise "
            f"is {notion.promised:.3g}; allow more with --runs, or a larger error",
        )
    chosen = _choose_pair(
        sampler, notion, pairs, entropy=entropy, runs=min(runs, MOST_RUNS) // _SEARCHED, confirmation_runs=confirmation
    )
    if chosen is None:
        return replace(
            result,
            runs=sampler.runs,
            printed=sampler.printed,
            reason=f"the {runs} runs that were allowed give fewer than {_FEWEST_RUNS} for each of {len(pairs)} "
            f"pairs; allow more with --runs {rounded(fair)}",
        )
    pair, samples = chosen
    if isinstance(runner := sampler.runner, EstimatorRunner):
        # From here on, many runs at once are made by a shipped estimator alone: only single runs refute.
        guided = 0 < runner.share_made_singly < 1
        sampler.runner = replace(runner, batch_runs=0, singly=1.0 if guided else runner.singly)
    witness, bound = _measure(
        sampler, notion, pair, samples, budget.error, entropy=entropy, runs=confirmation, estimator=configuration
    )
    made_singly = 2 * confirmation * share_made_singly(sampler)
    refuted = bound > notion.promised
    doubles = None
    if not refuted and not settings.doubles:
        # The bound has the whole budget: what it says about the doubles is no verdict.
        doubles = loss_of_doubles(samples.bits_of([pair, *pairs]), notion.implied[0], budget.error)
    return replace(
        result,
        verdict=Verdict.REFUTED if refuted else Verdict.NOT_REFUTED,
        witness=witness if refuted else None,
        bound=bound,
        singly=(share * samples.runs + made_singly) / (samples.runs + 2 * confirmation),
        detectable_bound=None if refuted else notion.detectable(confirmation, budget.error),
        runs=sampler.runs,
        printed=sampler.printed,
        doubles=doubles,
    )


def _runs_for_all(pairs: Sequence[Pair]) -> int:
    """The runs of a search that compares all pairs."""
    return _PART_FOR_CHOICE * _FEWEST_RUNS * len(streams_of(pairs))


def _choose_pair(
    sampler: Sampler, notion: Notion, pairs: Sequence[Pair], *, entropy: int, runs: int, confirmation_runs: int
) -> tuple[Pair, Samples] | None:
    """The pair with the largest expected bound, oriented so that its best event is likelier on the left."""
    samples = Samples()

    def draw(pairs: Sequence[Pair], runs: int, number: int) -> None:
        size = block_runs(sampler.runner)
        samples.draw(sampler, streams_of(pairs), runs, entropy=entropy, purpose=_PURPOSE, chunk=number, size=size)

    active = list(pairs)
    rounds = ceil(log(len(pairs), _KEPT)) if len(pairs) > 1 else 0
    objective = notion.objective(confirmation_runs, _DEVIATIONS, _CAUTION)
    for number in range(rounds):
        each = runs // (_PART_FOR_CHOICE * rounds * len(streams_of(active)))
        if number == 0 and each < RUNS_BEFORE_CHOICE:
            each = max(_FEWEST_RUNS, min(RUNS_BEFORE_CHOICE, runs // (_PART_FOR_CHOICE * len(streams_of(active)))))
            if each * len(streams_of(active)) > runs // _PART_FOR_CHOICE:
                return None
        if each:
            draw(active, each, number)
        ranked = sorted(active, key=lambda pair: -_prospect(*samples.of(pair), objective)[0])
        active = ranked[: max(1, len(active) // _KEPT)] if number + 1 < rounds else ranked[:1]
    (pair,) = active
    rest = (runs - samples.runs) // 2
    if rest < RUNS_BEFORE_CHOICE:
        return None
    draw([pair], rest, rounds)
    if _prospect(*samples.of(pair), objective)[1]:
        pair = Pair(pair.family, pair.right, pair.left)
    return pair, samples


def _prospect(left: Table, right: Table, objective: Objective) -> tuple[float, bool]:
    """The expected bound of the best event, and whether it is likelier on the right."""
    ours, theirs = learn_events(left.last(_LEARNED), right.last(_LEARNED), objective)
    return max(ours.worth, theirs.worth), theirs.worth > ours.worth


def _measure(
    sampler: Sampler,
    notion: Notion,
    pair: Pair,
    samples: Samples,
    error: float,
    *,
    entropy: int,
    runs: int,
    estimator: Mapping[str, Any],
) -> tuple[Witness, float]:
    """The witness of a pair, and the bound from fresh runs."""
    from scipy.special import ndtri

    left, right = (table.last(_MOST_LEARNED) for table in samples.of(pair))
    objective = notion.objective(runs, float(-ndtri(error / 4)))
    # The event is likelier on the left, as the pair was oriented so.
    candidate, _ = learn_events(left, right, objective, scores=objective)
    score = notion.learn_score(left, right, runs=runs, error=_MAIN_SHARE * error)
    share = 0.0
    if score is not None:
        share = _MAIN_SHARE if score.worth > candidate.worth else 1 - _MAIN_SHARE
    fresh = sampler.reading and sampler.reading.anew(entropy)
    event = candidate.event.on(fresh)
    if score is not None:
        score = replace(score, score=score.score.on(fresh))
    seen = fresh_runs(sampler, pair, event, score, share, entropy=entropy, runs=runs)
    measured = notion.measured(seen.counts.left, seen.counts.right, runs, error, seen.score)
    witness = Witness.of(
        measured,
        promise=notion.promise,
        pair=pair,
        event=event,
        counts=seen.counts,
        error=error,
        seed=entropy,
        estimator=estimator,
    )
    return witness, measured.bound
