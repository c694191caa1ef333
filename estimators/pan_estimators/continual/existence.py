"""The counts of all elements of a turnstile stream, and the changes of their existence from step to step."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pan_promises.errors import InputError
from pan_promises.turnstile import Model

_LARGEST = 2**31 - 1
"""Largest count, and largest number of an element."""


class ForbiddenEntryError(InputError):
    """An entry that the model of a counter forbids. The state of the counter is as before."""

    def __init__(self, fault: str, element: int, entry: int) -> None:
        super().__init__(f"{fault}, got one of element {element} in entry {entry + 1} of this part of the stream")
        self.fault = fault
        self.entry = entry


def _no_counts() -> NDArray[np.int32]:
    return np.zeros(0, dtype=np.int32)


@dataclass(eq=False, slots=True)
class Elements:
    """The state of all elements: 8 bytes for each. It holds the counts in clear.

    Attributes
    ----------
    counts
        Insertions minus deletions of each element; 1 or 0 if the last entry decides. Shape ``(elements,)``.
    flips
        The number of changes of existence of each element, shape ``(elements,)``.
    steps
        The number of steps that have ended.
    """

    counts: NDArray[np.int32] = field(default_factory=_no_counts)
    flips: NDArray[np.int32] = field(default_factory=_no_counts)
    steps: int = 0


class Part(NamedTuple):
    """Whole steps of a stream, as columns.

    Attributes
    ----------
    elements, signs
        The entries: elements from 0 on, and 1 for an insertion, -1 for a deletion, 0 for a no-op.
    ends
        The number of entries up to the end of each step.
    """

    elements: NDArray[np.int64]
    signs: NDArray[np.int8]
    ends: NDArray[np.int64]

    @property
    def steps(self) -> int:
        """The number of steps."""
        return int(self.ends.size)


@dataclass(frozen=True, slots=True)
class Changes:
    """The elements that exist after a step and not before it, or the other way round.

    Attributes
    ----------
    steps
        The step of each change, from 0 on, in any order.
    signs
        1 if the element appears, -1 if it disappears.
    reached
        The number of changes of this element up to this one.
    elements
        The element of each change.
    """

    steps: NDArray[np.int64]
    signs: NDArray[np.int64]
    reached: NDArray[np.int64]
    elements: NDArray[np.int64]


def follow_steps(
    state: Elements,
    part: Part,
    *,
    model: Model,
    last_entry_decides: bool = False,
    first_step_flips: bool = True,
) -> Changes:
    """Follow whole steps of a stream, and change the state."""
    elements, signs, ends = part
    real = np.flatnonzero(signs)
    # Entries of one element stand together, in the order of time.
    order = real[np.argsort(elements[real], kind="stable")]
    users, kinds = elements[order], signs[order].astype(np.int64)
    step = np.searchsorted(ends, order, side="right")
    _grow(state, int(users[-1]) + 1 if users.size else 0)
    newly = _first_of_each(users)
    begins = np.flatnonzero(newly)
    if last_entry_decides:
        after = (kinds > 0).astype(np.int64)
        before = np.empty_like(after)
        before[1:] = after[:-1]
        before[begins] = state.counts[users[begins]]
    else:
        after = _running(kinds, begins) + state.counts[users]
        before = after - kinds
    _require_legal(users, order, kinds, before, after, model)
    # The first and the last entry of an element in a step.
    first = np.flatnonzero(newly | _first_of_each(step))
    last = _ends(first, users.size)
    was, becomes = before[first] > 0, after[last] > 0
    changed = was != becomes
    counted = changed.astype(np.int64)
    if state.steps == 0 and not first_step_flips:
        counted[step[first] == 0] = 0
    own = np.flatnonzero(_first_of_each(users[first]))
    reached = _running(counted, own) + state.flips[users[first]]
    ending = _ends(own, first.size)
    state.counts[users[last[ending]]] = after[last[ending]]
    state.flips[users[first[ending]]] = reached[ending]
    state.steps += ends.size
    return Changes(step[first][changed], np.where(becomes, 1, -1)[changed], reached[changed], users[first][changed])


def entries_of(elements: Any, signs: Any, ends: Any | None) -> Part:
    """The columns of whole steps, in their types. Without ends each entry is a step."""
    given, kinds = np.asarray(elements), np.asarray(signs)
    stops = np.arange(1, given.size + 1) if ends is None else np.asarray(ends)
    if given.ndim != 1 or given.shape != kinds.shape or stops.ndim != 1:
        raise InputError(
            f"elements and signs must be lists of one length, got the shapes {given.shape} and {kinds.shape}"
        )
    for name, column in (("elements", given), ("signs", kinds), ("ends", stops)):
        if column.size and column.dtype.kind not in "iu":
            raise InputError(f"the {name} must be whole numbers, got the type {column.dtype}")
    if given.size and not 0 <= int(given.min()) <= int(given.max()) < _LARGEST:
        wrong = int(given.min()) if given.min() < 0 else int(given.max())
        raise InputError(f"an element must lie between 0 and {_LARGEST - 1}, got {wrong}")
    if kinds.size and not -1 <= int(kinds.min()) <= int(kinds.max()) <= 1:
        raise InputError(f"a sign must be 1, -1 or 0, got {int(kinds[np.abs(kinds.astype(np.int64)) > 1][0])}")
    if stops.size and (int(stops.min()) < 0 or (np.diff(stops) < 0).any()):
        raise InputError("the ends of the steps must be in order")
    if given.size != (int(stops[-1]) if stops.size else 0):
        raise InputError("the last step must end with the last entry")
    return Part(given.astype(np.int64), kinds.astype(np.int8), stops.astype(np.int64))


def _grow(state: Elements, size: int) -> None:
    """Make room for more elements, at least a 128th more: little of it stays free, and copies take little time."""
    have = state.counts.size
    if size > have:
        more = np.zeros(max(size, have + have // 128) - have, dtype=np.int32)
        state.counts = np.concatenate([state.counts, more])
        state.flips = np.concatenate([state.flips, more])


def _first_of_each(values: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each value differs from the one before it."""
    differs = np.ones(values.size, dtype=np.bool_)
    np.not_equal(values[1:], values[:-1], out=differs[1:])
    return differs


def _ends(begins: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """The last place of each run of places, from the first ones; ``size`` is the number of all places."""
    ends = np.empty_like(begins)
    ends[:-1] = begins[1:]
    ends[-1:] = size
    return ends - 1


def _running(values: NDArray[np.int64], begins: NDArray[np.int64]) -> NDArray[np.int64]:
    """Running sums that begin anew at each place."""
    sums = np.cumsum(values)
    before = sums[begins] - values[begins]
    return np.asarray(sums - np.repeat(before, _ends(begins, values.size) + 1 - begins))


def _require_legal(
    users: NDArray[np.int64],
    places: NDArray[np.int64],
    kinds: NDArray[np.int64],
    before: NDArray[np.int64],
    after: NDArray[np.int64],
    model: Model,
) -> None:
    """Refuse the first entry that the model forbids."""
    absent = (kinds < 0) & (before <= 0) & (model is not Model.GENERAL)
    present = (kinds > 0) & (before > 0) & (model is Model.TOGGLE)
    wrong = absent | present | (np.abs(after) > _LARGEST)
    if not wrong.any():
        return
    found = np.flatnonzero(wrong)
    place = found[np.argmin(places[found])]
    if absent[place]:
        fault = "no deletion of an absent element"
    elif present[place]:
        fault = "no insertion of a present element"
    else:
        fault = f"no count beyond {_LARGEST}"
    raise ForbiddenEntryError(f"the {model} model has {fault}", int(users[place]), int(places[place]))
