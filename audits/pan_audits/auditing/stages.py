"""The searches of an audit: one catalogue after the other, with one number of runs for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pan_audits.auditing.by_batches import makes_batches, search_by_batches
from pan_audits.auditing.sampler import Sampler
from pan_audits.auditing.search import Search, search
from pan_audits.inputs.streams.catalogue import Catalogue
from pan_audits.running.mechanism import EstimatorMechanism
from pan_audits.statistics import ErrorBudget
from pan_promises.promise import Promise

_AGAIN = 2**64
"""Added to the entropy of a search that is made again by single runs."""


@dataclass
class Searched:
    """The searches of the catalogues.

    Attributes
    ----------
    searches
        The last one found a refutation, or none did.
    runs
        The number of runs that each search was allowed. With this number from the beginning, all of them are the same.
    singly
        The share of the blocks that are made run by run.
    guided
        Whether many runs at once have led the searches so far.
    unconfirmed
        Refutations by batches that single runs did not confirm.
    """

    searches: list[Search]
    runs: int
    singly: float
    guided: bool
    unconfirmed: int = 0


def search_catalogues(
    sampler: Sampler,
    promise: Promise,
    stages: Sequence[Catalogue],
    budgets: Sequence[ErrorBudget],
    *,
    entropy: int,
    runs: int,
    patience: int,
    opening: bool = False,
) -> Searched:
    """Search the catalogues until a bet succeeds."""
    singly = _share_made_singly(sampler)
    found = Searched([], runs, singly, guided=0 < singly < 1)
    kept = sampler.mechanism, sampler.runs, sampler.printed

    def searched(stage: Catalogue, budget: ErrorBudget, entropy: int, *, first: bool) -> Search | None:
        nonlocal patience
        made = search(
            *(sampler, promise, stage, budget),
            entropy=entropy,
            most_runs=found.runs,
            patience=patience,
            first=first,
            opening=opening,
        )
        if made.allowed > found.runs:
            found.runs, patience = made.allowed, 1
            if made.unfinished:
                return None
        return made

    for stage, budget in zip(stages, budgets, strict=True):
        if makes_batches(sampler):
            led = search_by_batches(sampler, promise, stage, budget, entropy=entropy, runs=runs)
            found.searches.append(led.search)
            found.singly, found.unconfirmed = led.singly, led.unconfirmed
            return found  # a function has one catalogue: it has no real stream
        made = searched(stage, budget, entropy, first=not found.searches)
        if made is not None and made.refutations and found.guided:
            # Many runs at once of a third-party estimator refute no promise: the bets so far do not count.
            make_singly(sampler)
            found.guided = False
            made = searched(stage, budget, entropy + _AGAIN, first=False)
        if made is None:
            sampler.mechanism, sampler.runs, sampler.printed = kept
            return search_catalogues(
                *(sampler, promise, stages, budgets),
                entropy=entropy,
                runs=found.runs,
                patience=patience,
                opening=opening,
            )
        found.searches.append(made)
        if made.refutations:
            break
    return found


def _share_made_singly(sampler: Sampler) -> float:
    """The share of the blocks of a search that are made run by run."""
    return sampler.mechanism.share_made_singly if isinstance(sampler.mechanism, EstimatorMechanism) else 1.0


def make_singly(sampler: Sampler) -> None:
    """Make single runs from here on."""
    assert isinstance(sampler.mechanism, EstimatorMechanism)
    sampler.mechanism = replace(sampler.mechanism, singly=1.0)
