"""Whether two samples have one law: an exact test of each of a few events."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pan_audits.events import Table
from pan_audits.hygiene.hypergeometric import above, at_most

_QUANTILES = (0.01, *np.linspace(0, 1, 15)[1:-1], 0.99)


@dataclass(frozen=True)
class Difference:
    """An event whose probability differs, and in which sample it is likelier."""

    event: str
    in_first: bool


def difference_of(first: Table, second: Table, *, error: float) -> Difference | None:
    """An event that is likelier in one of two samples.

    The limits of the events are quantiles of both samples together. If all rows are independent and have one law,
    then given the rows, all their divisions into two samples are equally likely, and the count of an event in the
    first sample is hypergeometric.
    """
    names = list(dict.fromkeys((*first.names, *second.names)))
    for name in names:
        ours, theirs = first.column(name), second.column(name)
        events = list(_events(ours, theirs))
        found = np.array([[event[1].sum(), event[2].sum()] for event in events])
        counts, happened = found[:, 0], found.sum(axis=1)
        share = error / (len(names) * len(events))
        # A count this near to its mean has a probability above the share, and exact tests of all counts take long.
        least = math.sqrt(math.log(1 / share) / 2)
        far = np.flatnonzero(away_from_the_mean(counts, happened, len(ours), len(theirs)) >= least)
        if not far.size:
            continue
        law = len(ours) + len(theirs), happened[far], len(ours)
        likelier, rarer = above(counts[far] - 1, *law), at_most(counts[far], *law)
        both = 2 * np.minimum(likelier, rarer)
        if both.min() <= share:
            place = int(both.argmin())
            return Difference(f"{name} {events[far[place]][0]}", bool(likelier[place] < rarer[place]))
    return None


def away_from_the_mean(
    counts: NDArray[np.int64], happened: NDArray[np.int64], ours: int, theirs: int
) -> NDArray[np.float64]:
    """The distances of counts from their means, in standard deviations."""
    total = ours + theirs
    means = happened * (ours / total)
    variances = means * (theirs / total) * (total - happened) / max(1, total - 1)
    return np.abs(counts - means) / np.sqrt(np.maximum(variances, 1e-300))


def _events(
    ours: NDArray[np.float64], theirs: NDArray[np.float64]
) -> list[tuple[str, NDArray[np.bool_], NDArray[np.bool_]]]:
    """Events in words, and where they happened; they depend on both samples together alone."""
    pooled = np.concatenate([ours, theirs])
    known = pooled[~np.isnan(pooled)]
    found = [("is missing", np.isnan(ours), np.isnan(theirs))]
    limits = np.unique(np.quantile(known, _QUANTILES, method="lower")) if known.size else ()
    for limit in limits:
        found.append((f"is above {limit:.6g}", ours > limit, theirs > limit))
        found.append((f"is at least {limit:.6g}", ours >= limit, theirs >= limit))
    return found
