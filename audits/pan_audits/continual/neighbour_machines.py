"""Finite machines that read two neighbouring streams of one element at once, for streams of any length.

The counts of a stream have no bound, and the existence of the element depends on their sign alone. Let c and c' be the
counts of the element in both streams.

Item-level: entries of the second stream are entries of the first one, or no-ops. The second count can be kept in
{0, 1}: an entry that leaves the kept count as it is becomes a no-op in the second stream alone. So at each entry c'
changes and ``g = c - c'`` does not, or g changes and c' does not. The element exists in the first stream if and only if
``g + c' > 0``. For c' in {0, 1} this depends on whether g is negative, 0 or positive. So g can be kept in {-1, 0, 1}.

Event-level: the difference changes once. For g in {-1, 0, 1} both existences depend on c' kept in {-1, 0, 1, 2}; an
entry that leaves the kept count as it is becomes a no-op in both streams.

User-level: the two streams are independent of each other, so that both counts can be kept in {0, 1}.

In the strict model no kept count is negative; in the toggle model c and c' are 0 or 1. The kept counts have these
properties if the counts themselves have them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from pan_promises.adjacency import OF_TURNSTILE_STREAMS, Adjacency
from pan_promises.errors import InputError
from pan_promises.turnstile import Model

Counts: TypeAlias = tuple[int, int, bool]
"""The kept counts of both streams, and whether an entry differed (event-level only)."""

START: Counts = (0, 0, False)

_SIGNS = (-1, 0, 1)


def moves(counts: Counts, adjacency: Adjacency, model: Model) -> Iterator[Counts]:
    """The kept counts after one more entry of both streams, each at least once."""
    if adjacency not in OF_TURNSTILE_STREAMS:
        raise InputError(f"turnstile streams have the adjacencies {', '.join(OF_TURNSTILE_STREAMS)}, got {adjacency}")
    one, other, differed = counts
    if adjacency is Adjacency.USER_LEVEL:
        found = [(a, b, False) for a in (0, 1) for b in (0, 1)]
    elif adjacency is Adjacency.ITEM_LEVEL:
        found = [(one + sign, other + sign, False) for sign in _SIGNS]
        found += [(one + sign, other, False) for sign in _SIGNS]
    else:
        found = [(one + sign, other + sign, differed) for sign in _SIGNS]
        found += [] if differed else [(one + sign, other, True) for sign in (-1, 1)]
    yield from (after for after in found if _is_kept(after, adjacency, model))


def _is_kept(counts: Counts, adjacency: Adjacency, model: Model) -> bool:
    one, other, _ = counts
    if model is Model.TOGGLE and not (one in (0, 1) and other in (0, 1)):
        return False
    if model is Model.STRICT and min(one, other) < 0:
        return False
    if adjacency is Adjacency.EVENT_LEVEL:
        return -1 <= other <= 2
    return other in (0, 1) and -1 <= one - other <= 1
