"""The stages of a search: batches of runs, single runs, and mutated pairs.

The search with a function that takes a size: batches guide it, and single runs refute.

The search among mutated pairs: new pairs that are made of the most promising ones of a catalogue.

The searches of an audit: one catalogue after the other, with one number of runs for all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pan_audits.audit.sampler import Sampler
from pan_audits.audit.search import RUNS_BEFORE_CHOICE, Search, search
from pan_audits.problems import judged
from pan_audits.problems.inputs.streams.catalogue import Catalogue
from pan_audits.problems.inputs.streams.family import Pair
from pan_audits.statistics import ErrorBudget
from pan_audits.subject.running.runner import EstimatorRunner
from pan_promises.problem import Problem
from pan_promises.promise import Promise

_FIRST, _AGAIN_SINGLY = 2**65, 2**66
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
    return isinstance(sampler.runner, EstimatorRunner) and sampler.runner.batch_runs > 0


def search_by_batches(
    sampler: Sampler, promise: Promise, catalogue: Catalogue, budget: ErrorBudget, *, entropy: int, runs: int
) -> Guided:
    """Search by a few single runs, then by batches, and, if these find something, by single runs once more.

    Afterwards the sampler makes single runs.
    """
    batches = sampler.runner
    assert isinstance(batches, EstimatorRunner)
    share = budget.split({"single runs first": 1, "single runs again": 1})
    sampler.runner = replace(batches, batch_runs=0)
    singles = max(runs // _PART_SINGLY, min(runs // _QUARTER, _ENOUGH_SINGLY))
    first = search(sampler, promise, catalogue, share["single runs first"], entropy=entropy + _FIRST, most_runs=singles)
    if first.refutations:
        return Guided(first, 1.0)
    sampler.runner = batches
    # Nothing is refuted by batches: these bets cost none of the budget.
    led = search(sampler, promise, catalogue, budget, entropy=entropy, most_runs=runs - first.runs)
    sampler.runner = replace(batches, batch_runs=0)
    if not led.refutations:
        return Guided(led, first.runs / max(1, first.runs + led.runs))
    again = search(
        sampler,
        promise,
        catalogue,
        share["single runs again"],
        entropy=entropy + _AGAIN_SINGLY,
        most_runs=min(max(_GENEROUS * led.runs, singles), runs),
    )
    return Guided(again, 1.0, 0 if again.refutations else again.runs)


GENERATIONS = 2
"""The number of generations. Each one has a share of the error budget, which is fixed before the first run."""

_SHARE = 6
"""A generation has a sixth of the runs of the catalogue."""
_MOST_PAIRS = 16
_MOST_PARENTS = 8
_ANOTHER = 2**65
"""Added to the entropy. A pair is chosen by runs, so that its own runs must be new ones."""


def search_mutated(
    sampler: Sampler,
    promise: Promise,
    problem: Problem,
    searched: Sequence[Search],
    budget: ErrorBudget,
    *,
    entropy: int,
    runs: int,
    generation: int,
) -> Search | None:
    """Bet against the promise on mutated pairs."""
    allowed = runs // _SHARE
    count = min(_MOST_PAIRS, allowed // (2 * RUNS_BEFORE_CHOICE))
    if count == 0:
        return None
    own = entropy + (generation + 1) * _ANOTHER
    tried = [pair for each in searched for pair in each.tests]
    catalogue = judged(problem).mutated(promise, _best(searched), count, own % 2**32 + generation, tried=tried)
    if catalogue is None:
        return None
    return search(sampler, promise, catalogue, budget, entropy=own, most_runs=allowed)


def _best(searched: Sequence[Search]) -> list[Pair]:
    """The pairs whose bets have grown most, by the growth that they need."""
    ranked = sorted(
        ((test.prospect - each.thresholds[pair], pair) for each in searched for pair, test in each.tests.items()),
        key=lambda one: -one[0],
    )
    return [pair for _, pair in ranked[:_MOST_PARENTS]]


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
    kept = sampler.runner, sampler.runs, sampler.printed

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
            sampler.runner, sampler.runs, sampler.printed = kept
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
    return sampler.runner.share_made_singly if isinstance(sampler.runner, EstimatorRunner) else 1.0


def make_singly(sampler: Sampler) -> None:
    """Make single runs from here on."""
    assert isinstance(sampler.runner, EstimatorRunner)
    sampler.runner = replace(sampler.runner, singly=1.0)
