"""The state of a counter of turnstile streams: in a judged process.

A counter has the methods ``create(randomness)`` and ``follow(state, elements, signs, randomness)``. The first makes the
state. The second changes it and gives one output for each entry.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pan_promises.errors import InputError
from pan_promises.looks import Observed
from pan_promises.turnstile import TurnstileStream


def observed_of(counter: Any, stream: TurnstileStream, observed: Observed, randomness: Any) -> Any:
    """The state after a stream, or the outputs and the state.

    Parameters
    ----------
    counter
        The counter.
    stream
        The stream.
    observed
        The observation.
    randomness
        Its random choices.

    Raises
    ------
    InputError
        If the counter lacks one of the methods.
    """
    if not all(callable(getattr(counter, name, None)) for name in ("create", "follow")):
        raise InputError(
            "the state of a mechanism on turnstile streams is seen through create(randomness) and "
            "follow(state, elements, signs, randomness), and this mechanism lacks one of them; give observed=output"
        )
    state = counter.create(randomness)
    elements = np.array([0 if entry is None else entry[0] for entry in stream], dtype=np.int64)
    signs = np.array([0 if entry is None else entry[1] for entry in stream], dtype=np.int8)
    outputs = counter.follow(state, elements, signs, randomness)
    return state if observed is Observed.STATE else (list(outputs), state)
