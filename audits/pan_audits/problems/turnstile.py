"""Turnstile streams: a mechanism is given all entries, and gives an output after each of them.

A mechanism whose state can be seen has the methods ``create(randomness)`` and
``follow(state, elements, signs, randomness)``. The first makes the state. The second changes it and gives one output
for each entry.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pan_audits.problems.inputs.labelled import LabelledInputs
from pan_audits.problems.inputs.turnstile.small import SmallStreams, small_streams
from pan_audits.problems.inputs.turnstile.streams import (
    JUDGED,
    adjacent,
    audited_streams,
    from_text,
    intrusion_in,
    look_in,
)
from pan_audits.problems.problem import NUMBERS, ListedInputs, WholeInputs
from pan_promises.adjacency import Adjacency
from pan_promises.errors import InputError
from pan_promises.problem import Kind
from pan_promises.promise import EVERY, Observed, Promise
from pan_promises.turnstile import TurnstileStream


@dataclass(frozen=True)
class OfTurnstileStreams(WholeInputs):
    """Turnstile streams."""

    kind = Kind.TURNSTILE
    noun = "stream"
    makes_inputs = True
    one_output = False
    listed = False
    adjacencies = JUDGED
    nouns = ("elements", "updates")
    exact_length = True

    def why_not_observed(self, promise: Promise, *, exactly: bool) -> str:
        if promise.sees_output and promise.outputs != EVERY:
            return (
                f"a mechanism on a turnstile stream gives an output after each entry, got {promise.outputs} outputs; "
                "give outputs=every in the promise"
            )
        if promise.sees_state and (promise.intrusions, promise.announced) != (1, 0):
            return "panproof looks at the state of a mechanism on a turnstile stream once; give intrusions=1"
        if promise.observed is Observed.STATE and not exactly:
            return (
                "panproof has no audit of the state alone of a mechanism on turnstile streams; the exact check looks "
                "at it, and an audit looks at observed=state+output"
            )
        return ""

    def groups(self, promise: Promise, seed: int, lengths: Sequence[int] = ()) -> Sequence[LabelledInputs]:
        return audited_streams(self.stated, promise.adjacency, seed, observed=promise.observed)

    def samples(self) -> Sequence[LabelledInputs]:
        return audited_streams(self.stated, Adjacency.ITEM_LEVEL, 0)

    def sizes(self, most: int, longest: int) -> Iterator[tuple[int, int]]:
        for elements in range(1, min(most, self.stated.elements) + 1):
            yield from ((elements, steps) for steps in range(1, min(longest, self.stated.steps) + 1))

    def small(self, promise: Promise, size: int, length: int) -> LabelledInputs | None:
        return small_streams(self.stated, promise.adjacency, size, length, observed=promise.observed)

    def listed_small(self, promise: Promise, size: int, length: int) -> ListedInputs | None:
        small = SmallStreams(size, length, self.stated.model, promise.adjacency, promise.observed)
        if small.too_many:
            return None
        if small.in_groups:
            return ListedInputs(small.labels, lambda: (), small.groups)
        return ListedInputs(small.labels, small.blocks, lambda: ())

    def too_many(self, size: int, length: int) -> str:
        return f"there are too many streams of {length} entries with {size} elements"

    def require_adjacent(self, left: str, right: str, promise: Promise) -> None:
        if {look_in(left), look_in(right)} != {promise.observed} or intrusion_in(left) != intrusion_in(right):
            raise InputError(f"the promise is about another observation than the two inputs: {promise.describe()}")
        if not adjacent(from_text(left), from_text(right), promise.adjacency, self.stated):
            raise InputError(f"the two streams {left!r} and {right!r} are not adjacent ({promise.adjacency})")

    def read(self, label: str, given: Mapping[str, Any]) -> Any:
        return from_text(label)

    def seen(self, label: str, owner: Any, output: Callable[[], Any], randomness: Any) -> Any:
        observed = look_in(label)
        if observed is Observed.OUTPUT:
            return output()
        return observed_of(owner, from_text(label), observed, randomness, after=intrusion_in(label))

    def observed_in(self, label: str) -> Observed:
        return look_in(label)

    @property
    def columns(self) -> Mapping[str, str]:
        return {"users": "elements", "length": "entries", "inputs": "streams"} | NUMBERS

    def covered(self, size: int, length: int) -> str:
        elements = f"{size} element{'s' * (size != 1)}"
        return f"streams of up to {length} entr{'ies' if length != 1 else 'y'} with {elements}"

    def covered_briefly(self, size: int, length: int) -> str:
        return f"streams of up to {length} entries with {size} element{'s' * (size > 1)}"


def observed_of(
    counter: Any, stream: TurnstileStream, observed: Observed, randomness: Any, *, after: int | None = None
) -> Any:
    """The state after a stream, or all outputs and the state at an intrusion."""
    if not all(callable(getattr(counter, name, None)) for name in ("create", "follow")):
        raise InputError(
            "the state of a mechanism on turnstile streams is seen through create(randomness) and "
            "follow(state, elements, signs, randomness), and this mechanism lacks one of them; give observed=output"
        )
    state = counter.create(randomness)
    elements = np.array([0 if entry is None else entry[0] for entry in stream], dtype=np.int64)
    signs = np.array([0 if entry is None else entry[1] for entry in stream], dtype=np.int8)
    if observed is Observed.STATE:
        counter.follow(state, elements, signs, randomness)
        return state
    place = len(stream) if after is None else after
    outputs: list[Any] = []
    if place:
        outputs += list(counter.follow(state, elements[:place], signs[:place], randomness))
    # The counter goes on with the state, and may change it.
    seen = copy.deepcopy(state)
    if place < len(stream):
        outputs += list(counter.follow(state, elements[place:], signs[place:], randomness))
    return outputs, seen
