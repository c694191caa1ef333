"""Estimators whose ids, states and messages try to get out of the page that shows them."""

from __future__ import annotations

import numpy as np

IDS = [
    "<script>window.hacked = 1</script>",
    "</script><b id='hacked'>",
    "$\\frac{1}{0}$ & \u202e\x07evil",
    "名前の長い利用者さん",
]


class Names:
    """Keeps who was there."""

    promise = "epsilon=1,adjacency=user-level,observed=state+output"
    universe = IDS

    def create(self, randomness):
        return {"<img src=x onerror='window.hacked = 2'>": frozenset()}

    def update(self, state, ids, randomness):
        return {key: seen | {str(one) for one in np.atleast_1d(ids)} for key, seen in state.items()}

    def release(self, state, randomness):
        (seen,) = state.values()
        return randomness.laplace(float(len(seen)), 1.0)


class Message(Names):
    """Fails, with a message that is no better."""

    def release(self, state, randomness):
        raise KeyError("</script><script>window.hacked = 3</script> $x^2$ --> ]]> \ud800")
