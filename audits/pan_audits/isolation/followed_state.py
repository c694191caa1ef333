"""The state of a counter of turnstile streams: in a judged process.

A counter has the methods ``create(randomness)`` and ``follow(state, elements, signs, randomness)``. The first makes the
state. The second changes it and gives one output for each entry.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from pan_promises.errors import InputError
from pan_promises.looks import Observed
from pan_promises.turnstile import TurnstileStream


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
