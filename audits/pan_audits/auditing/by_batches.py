"""The search with a function that takes a size: batches guide it, and single runs refute."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pan_audits.auditing.sampler import Sampler
from pan_audits.auditing.search import Search, search
from pan_audits.inputs.streams.catalogue import Catalogue
from pan_audits.running.mechanism import EstimatorMechanism
from pan_audits.statistics import ErrorBudget
from pan_promises.promise import Promise

_FIRST, _AGAIN = 2**65, 2**66
"""Added to the entropy of the searches by single runs."""
_PART_SINGLY, _QUARTER, _ENOUGH_SINGLY = 128, 4, 8192
_GENEROUS = 4
"""Factor between the runs of the search by single runs and the runs with which batches seemed to break the promise."""


@dataclass(frozen=True)
class Guided:
    """The search that counts.

    Attributes
    ----------
    search
        A refutation in it is one of single runs.
    singly
        The share of its runs and of those before it that was made singly.
    unconfirmed
        Single runs after batches seemed to break the promise, if these runs did not refute it; else 0.
    """

    search: Search
    singly: float
    unconfirmed: int = 0


def makes_batches(sampler: Sampler) -> bool:
    """Whether the mechanism of a sampler makes batches of runs."""
    return isinstance(sampler.mechanism, EstimatorMechanism) and sampler.mechanism.batch_runs > 0


def search_by_batches(
    sampler: Sampler, promise: Promise, catalogue: Catalogue, budget: ErrorBudget, *, entropy: int, runs: int
) -> Guided:
    """Search by a few single runs, then by batches, and, if these find something, by single runs once more.

    Afterwards the sampler makes single runs.
    """
    batches = sampler.mechanism
    assert isinstance(batches, EstimatorMechanism)
    share = budget.split({"single runs first": 1, "single runs again": 1})
    sampler.mechanism = replace(batches, batch_runs=0)
    singles = max(runs // _PART_SINGLY, min(runs // _QUARTER, _ENOUGH_SINGLY))
    first = search(sampler, promise, catalogue, share["single runs first"], entropy=entropy + _FIRST, most_runs=singles)
    if first.refutations:
        return Guided(first, 1.0)
    sampler.mechanism = batches
    # Nothing is refuted by batches: these bets cost none of the budget.
    led = search(sampler, promise, catalogue, budget, entropy=entropy, most_runs=runs - first.runs)
    sampler.mechanism = replace(batches, batch_runs=0)
    if not led.refutations:
        return Guided(led, first.runs / max(1, first.runs + led.runs))
    again = search(
        sampler,
        promise,
        catalogue,
        share["single runs again"],
        entropy=entropy + _AGAIN,
        most_runs=min(max(_GENEROUS * led.runs, singles), runs),
    )
    return Guided(again, 1.0, 0 if again.refutations else again.runs)
