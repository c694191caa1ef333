"""Estimators with outputs whose low bits tell about the input."""

from __future__ import annotations

import numpy as np

from tests.mechanisms.counter import Counter


class NoiseInFloatingPoint(Counter):
    def release(self, state, randomness):
        uniform = randomness.uniform_integers(1, 2**52, 1)[0] / 2**52 - 0.5
        return state["count"] - float(np.sign(uniform) * np.log(1 - 2 * abs(uniform)))


class ValueOffTheGrid(Counter):
    def release(self, state, randomness):
        return state["count"] / 3 + randomness.laplace(0.0, 1.0)
