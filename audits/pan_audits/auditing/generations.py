"""The search among mutated pairs: new pairs that are made of the most promising ones of a catalogue."""

from __future__ import annotations

from collections.abc import Sequence

from pan_audits.auditing.sampler import Sampler
from pan_audits.auditing.search import RUNS_BEFORE_CHOICE, Search, search
from pan_audits.inputs.streams.family import Pair
from pan_audits.problems import judged
from pan_audits.statistics import ErrorBudget
from pan_promises.problem import Problem
from pan_promises.promise import Promise

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
