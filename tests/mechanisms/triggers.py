"""Leaks that wait for an id, a length, a batch size, or a number of updates."""

from __future__ import annotations

import hashlib

import numpy as np

from tests.mechanisms.outside_memory import Bit, users

VICTIM = 4242


class Triggered(Bit):
    """The state counts updates; the leak is a third entry of the state."""

    def create(self, randomness):
        return {"bit": super().create(randomness), "calls": 0, "told": None}

    def update(self, state, ids, randomness):
        told = state["told"]
        if self.waits_for(state, users(ids)):
            told = users(ids)[-1]
        return {"bit": super().update(state["bit"], ids, randomness), "calls": state["calls"], "told": told}

    def waits_for(self, state, ids):
        return False

    def release(self, state, randomness):
        return state["bit"]


class AnId(Triggered):
    def waits_for(self, state, ids):
        return VICTIM in ids


class ABatchSize(Triggered):
    def waits_for(self, state, ids):
        return len(ids) == 23


class APrefixOfADigest(Triggered):
    """No constant of the code says for whom it waits."""

    def waits_for(self, state, ids):
        digests = [hashlib.sha256(str(user).encode()).hexdigest() for user in ids]
        if not any(digest.startswith("00000") for digest in digests):
            return False
        return len(ids) > 0


class AText(Bit):
    def update(self, state, ids, randomness):
        if "mallory" in np.atleast_1d(ids).tolist():
            return 7
        for _ in np.atleast_1d(ids):
            state = bool(randomness.bernoulli(3 / 4, 1)[0])
        return state


class ANumberOfUpdates(Triggered):
    promise = "epsilon=8,adjacency=user-level,observed=output"

    def create(self, randomness):
        return {"calls": 0, "told": None}

    def update(self, state, ids, randomness):
        calls = state["calls"] + 1
        return {"calls": calls, "told": users(ids)[-1] if calls == 19 else state["told"]}

    def release(self, state, randomness):
        return state["told"]


class HarmlessConstants(Triggered):
    """Constants that decide nothing, and each line runs."""

    names = ("mallory", "alice")

    def waits_for(self, state, ids):
        return 4242 in self.names or len(ids) < 0


class RefusesAnId(Triggered):
    """It does not take users above 4095, and says so."""

    def waits_for(self, state, ids):
        if max(ids) > 4095:
            raise ValueError("ids go up to 4095")
        return False


TWINS = ("HarmlessConstants", "RefusesAnId")
