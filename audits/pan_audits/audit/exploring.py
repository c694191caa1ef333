"""The pairs of an audit that are drawn from a space, each weighed by a few runs on both inputs.

The weights decide which pairs are searched, and the shrinking decides by runs of its own which pair is measured. None
of these runs enters a bet or a bound. Given the pairs, the bets on them and the bound on the last one are made on fresh
runs. Each has a share of the error budget that is fixed before the first run: it does not depend on how many pairs were
drawn, weighed or shrunk. So a true promise is refuted with at most the probability of the budget.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pan_audits.audit.effort import allowed_runs
from pan_audits.audit.sampler import Block, Sampler
from pan_audits.audit.search import RUNS_BEFORE_CHOICE
from pan_audits.audit.settings import Settings
from pan_audits.events import Table
from pan_audits.events.table import is_error
from pan_audits.problems.inputs.streams.catalogue import Catalogue
from pan_audits.problems.space import MOST_PAIRS, Exploration, OfSpace
from pan_audits.workers.limits import MechanismError
from pan_promises.promise import Promise

_RUNS, _PURPOSE = 8, 9
_MOST_EXAMPLES, _FEWEST_EXAMPLES = 300, 20
_PART = 4
"""The weights take at most one run in this number."""
_GROSS = 1000.0
"""The weight of a difference without noise."""


def explored(
    sampler: Sampler, kind: OfSpace, promise: Promise, settings: Settings, entropy: int
) -> tuple[Exploration, Catalogue]:
    """Draw pairs of a space, and take the most promising ones."""
    few = kind.catalogue(promise, ())
    runs = allowed_runs(sampler, [few], settings, entropy, searches=1).runs
    examples = min(max(_FEWEST_EXAMPLES, runs // (_PART * 2 * _RUNS)), _MOST_EXAMPLES)
    found = kind.exploration(examples, entropy % 2**32)

    def weight(left: str, right: str) -> float | None:
        family: Any = kind.inputs([(left, right)], promise)
        # With the same draws on both sides, what differs is the effect of the inputs.
        blocks = [Block(family, place, _RUNS, (entropy, _PURPOSE)) for place in (0, 1)]
        return difference(*sampler.draw(blocks))

    found.run(weight)
    found.failing = len(found.weights) - len(found.tried)
    if not found.tried:
        raise MechanismError("it fails on both inputs of each pair that was drawn from the space")
    best = found.best(min(MOST_PAIRS, max(1, runs // (4 * RUNS_BEFORE_CHOICE))))
    return found, kind.catalogue_of(best, promise)


def difference(left: Table, right: Table) -> float | None:
    """How far runs on two inputs with the same draws are apart, in units of the noise; ``None`` if all of them fail."""
    names = tuple(dict.fromkeys((*left.names, *right.names)))
    if names and all(map(is_error, names)) and left.names == right.names:
        return None
    total = 0.0
    with np.errstate(all="ignore"):
        for name in names:
            ours, theirs = left.column(name), right.column(name)
            there = np.isfinite(ours) & np.isfinite(theirs)
            # A part, an error or a number that is not finite on one side only.
            found = _GROSS * float((np.isfinite(ours) != np.isfinite(theirs)).mean())
            if there.any():
                apart = np.abs(ours - theirs)[there]
                noise = max(float(ours[there].std()), float(theirs[there].std()))
                found += float(np.minimum(apart / noise, _GROSS).mean()) if noise > 0 else _GROSS * (apart > 0).mean()
            total += min(found, _GROSS) ** 2
    return float(np.sqrt(total))
