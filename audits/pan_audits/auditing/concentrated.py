"""The audit of a promise of a rho: choose a pair, learn a score and an event, and bound rho on fresh runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isfinite
from typing import Any

from pan_audits.auditing.by_batches import makes_batches
from pan_audits.auditing.concentrated_measure import measure_rho
from pan_audits.auditing.concentrated_search import FEWEST_RUNS, choose_pair, runs_for_all
from pan_audits.auditing.doubles import as_they_are, loss_of_doubles
from pan_audits.auditing.effort import MOST_RUNS, Allowed, allowed_runs, rounded
from pan_audits.auditing.privacy_result import PrivacyResult
from pan_audits.auditing.sampler import Sampler
from pan_audits.inputs.streams.catalogue import Catalogue
from pan_audits.judging.settings import Settings
from pan_audits.judging.verdict import Verdict
from pan_audits.problems.problem import implied_by
from pan_audits.running.mechanism import EstimatorMechanism
from pan_audits.statistics import ErrorBudget, detectable_rho, event_rho_bound
from pan_promises.promise import Promise

_MOST_CONFIRMATION = 10**7
_SEARCHED = 2
"""One run in this number belongs to the search."""
_FEWEST_CONFIRMED = 500


def audit_rho(
    sampler: Sampler,
    promise: Promise,
    stages: Sequence[Catalogue],
    budget: ErrorBudget,
    settings: Settings,
    *,
    entropy: int,
    configuration: Mapping[str, Any],
) -> PrivacyResult:
    """Look for a pair of inputs on which rho is larger than promised.

    The search refutes nothing. The whole budget belongs to the bound on the one chosen pair.
    """
    assert promise.rho is not None
    pairs = [pair for stage in stages for pair in stage.pairs]
    runs, confirmation, allowed = _effort(sampler, stages, settings, entropy)
    result = PrivacyResult(
        promise=promise,
        verdict=Verdict.INCONCLUSIVE,
        witness=None,
        pairs=len(pairs),
        runs=0,
        detectable={},
        search_runs=runs,
        confirmation_runs=confirmation,
        timed=allowed.told(runs, confirmation),
    )
    share = _share_made_singly(sampler)
    largest, _ = event_rho_bound(confirmation, confirmation, 0, confirmation, error=budget.error)
    if largest <= promise.rho:
        return replace(
            result,
            reason=f"{confirmation} runs on each side can show no rho above {largest:.3g}, and the promise is "
            f"{promise.rho:.3g}; allow more with --runs, or a larger error",
        )
    chosen = choose_pair(
        sampler, pairs, entropy=entropy, runs=min(runs, MOST_RUNS) // _SEARCHED, confirmation_runs=confirmation
    )
    if chosen is None:
        return replace(
            result,
            runs=sampler.runs,
            printed=sampler.printed,
            reason=f"the {runs} runs that were allowed give fewer than {FEWEST_RUNS} for each of {len(pairs)} "
            f"pairs; allow more with --runs {rounded(_SEARCHED * runs_for_all(pairs))}",
        )
    _only_single_runs(sampler)
    witness = measure_rho(sampler, promise, chosen, budget, entropy=entropy, runs=confirmation, estimator=configuration)
    assert witness.concentrated is not None
    made_singly = 2 * confirmation * _share_made_singly(sampler)
    refuted = witness.concentrated.rho > promise.rho
    doubles = None
    if not refuted and not settings.doubles:
        # The bound of rho has the whole budget: what it says about the doubles is no verdict.
        samples = as_they_are(chosen.as_they_are, [chosen.pair, *pairs])
        doubles = loss_of_doubles(samples, implied_by(promise), budget.error)
    detectable = detectable_rho(confirmation, error=budget.error, rho=promise.rho)
    return replace(
        result,
        verdict=Verdict.REFUTED if refuted else Verdict.NOT_REFUTED,
        witness=witness if refuted else None,
        rho=witness.concentrated.rho,
        singly=(share * chosen.runs + made_singly) / (chosen.runs + 2 * confirmation),
        detectable_rho=detectable if isfinite(detectable) and not refuted else None,
        runs=sampler.runs,
        printed=sampler.printed,
        doubles=doubles,
    )


def _effort(
    sampler: Sampler, stages: Sequence[Catalogue], settings: Settings, entropy: int
) -> tuple[int, int, Allowed]:
    """Runs of the search and the bound together, and fresh runs on each side for the bound."""
    pairs = [pair for stage in stages for pair in stage.pairs]
    fair = _SEARCHED * runs_for_all(pairs)
    allowed = allowed_runs(
        sampler, stages[:1], settings, entropy, searches=1, least=fair, fewest_confirmed=_FEWEST_CONFIRMED
    )
    # Half of the runs bound rho, on two sides.
    confirmation = min(max(allowed.confirmation, allowed.runs // (2 * _SEARCHED)), _MOST_CONFIRMATION)
    return allowed.runs, confirmation, allowed


def _share_made_singly(sampler: Sampler) -> float:
    """The share of the next runs that are made run by run."""
    if makes_batches(sampler):
        return 0.0
    return sampler.mechanism.share_made_singly if isinstance(sampler.mechanism, EstimatorMechanism) else 1.0


def _only_single_runs(sampler: Sampler) -> None:
    """From here on, many runs at once are made by a shipped estimator alone: only single runs refute."""
    mechanism = sampler.mechanism
    if isinstance(mechanism, EstimatorMechanism):
        guided = 0 < mechanism.share_made_singly < 1
        sampler.mechanism = replace(mechanism, batch_runs=0, singly=1.0 if guided else mechanism.singly)
