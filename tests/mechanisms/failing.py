"""Estimators that raise, hang, print, exhaust their memory or end their process."""

from __future__ import annotations

import os
import signal
import sys
import time

import numpy as np

from tests.mechanisms.counter import Counter


class Raises(Counter):
    def update(self, state, ids, randomness):
        return state["total"]


class RaisesLate(Counter):
    def update(self, state, ids, randomness):
        if len(np.atleast_1d(ids)) > 100:
            raise RuntimeError("too many\nat once")
        return super().update(state, ids, randomness)


class TakesOneId(Counter):
    """Its update is written for one id."""

    def update(self, state, user, randomness):
        return state + int(user)


class Hangs(Counter):
    def release(self, state, randomness):
        while True:
            time.sleep(0.01)


class SwallowsEverything(Counter):
    def release(self, state, randomness):
        while True:
            try:
                time.sleep(0.01)
            except Exception:
                continue


class Prints(Counter):
    def release(self, state, randomness):
        print("x" * 20_000)
        os.write(2, b"y" * 20_000)
        return super().release(state, randomness)


class ExhaustsMemory(Counter):
    def create(self, randomness):
        return {"count": 0, "ballast": np.ones(10**10)}


class Exits(Counter):
    def release(self, state, randomness):
        sys.exit(0)


class Dies(Counter):
    def release(self, state, randomness):
        os._exit(3)


class DiesOnce(Counter):
    """Its process is killed by the first run that finds no marker, as by a lack of memory that passes."""

    def __init__(self, marker):
        self.marker = marker

    def update(self, state, ids, randomness):
        if not os.path.exists(self.marker):
            os.close(os.open(self.marker, os.O_CREAT))
            os.kill(os.getpid(), signal.SIGKILL)
        return super().update(state, ids, randomness)


class Recurses(Counter):
    def release(self, state, randomness):
        return self.release(state, randomness)
