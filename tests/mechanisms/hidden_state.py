"""Estimators that keep data outside their state, or seem to."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from tests.mechanisms.counter import Counter


class HiddenAttribute(Counter):
    def __init__(self):
        self.count = 0

    def update(self, state, ids, randomness):
        self.count += len(np.atleast_1d(ids))
        return state

    def release(self, state, randomness):
        return randomness.laplace(float(self.count), 1.0)


class HiddenInTheClass(Counter):
    seen: ClassVar[set] = set()

    def update(self, state, ids, randomness):
        self.seen.update(np.atleast_1d(ids).tolist())
        return state

    def release(self, state, randomness):
        return randomness.laplace(float(len(self.seen)), 1.0)


_BEHIND = []


class HiddenInTheModule(Counter):
    def update(self, state, ids, randomness):
        _BEHIND.append(1)
        return state

    def release(self, state, randomness):
        return randomness.laplace(float(len(_BEHIND)), 1.0)


class MarksInNewAttributes(Counter):
    def update(self, state, ids, randomness):
        for user in np.atleast_1d(ids).tolist():
            setattr(self, f"seen_{user}", True)
        return super().update(state, ids, randomness)


@dataclass(frozen=True)
class Scale:
    epsilon: float = 1.0

    @cached_property
    def inverse(self):
        return 1 / self.epsilon


@dataclass(frozen=True)
class CachesAConstant(Counter):
    """Nothing is wrong with it."""

    inner: Scale = Scale()

    @cached_property
    def scale(self):
        return self.inner.inverse

    def release(self, state, randomness):
        return randomness.laplace(float(state["count"]), self.scale)
