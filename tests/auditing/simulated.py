"""Mechanisms that are drawn a million runs at a time: their losses are known in closed form."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pan_audits.events import Table

Columns = dict[str, NDArray[np.float64]]
_USERS = 8


@dataclass(frozen=True)
class Simulated:
    """A mechanism on two adjacent streams.

    Attributes
    ----------
    name
        What it is.
    loss
        Its exact privacy loss, in nats.
    columns
        Draws so many observations, on the left stream or on the right one.
    """

    name: str
    loss: float
    columns: Callable[[np.random.Generator, int, bool], Columns]

    def draw(self, seed: int | tuple[int, ...], runs: int) -> tuple[Table, Table]:
        """Independent runs on the left and on the right stream."""
        generator = np.random.default_rng(seed)
        return tuple(_table(self.columns(generator, runs, left)) for left in (True, False))


def _table(columns: Columns) -> Table:
    return Table(tuple(columns), np.column_stack(list(columns.values())))


def randomised_response(epsilon: float) -> Simulated:
    """A bit told truthfully with probability e^epsilon / (1 + e^epsilon)."""
    keep = 1 / (1 + math.exp(-epsilon))

    def columns(generator, runs, left):
        return {"output": (generator.random(runs) < (keep if left else 1 - keep)).astype(float)}

    return Simulated(f"randomised response({epsilon:g})", epsilon, columns)


def laplace(scale: float) -> Simulated:
    """A number that differs by one, with Laplace noise."""

    def columns(generator, runs, left):
        return {"output": float(left) + generator.laplace(0.0, scale, runs)}

    return Simulated(f"Laplace({scale:g})", 1 / scale, columns)


def bit(left_probability: float, right_probability: float) -> Simulated:
    """One bit of two probabilities."""
    p, q = left_probability, right_probability
    loss = max(abs(math.log(p / q)), abs(math.log((1 - p) / (1 - q))))

    def columns(generator, runs, left):
        return {"bit": (generator.random(runs) < (p if left else q)).astype(float)}

    return Simulated(f"a bit of {p:g} against {q:g}", loss, columns)


def bit_array(epsilon: float) -> Simulated:
    """A state of eight fair bits, of which the user's is redrawn with probability (1 + tanh(epsilon/2)) / 2."""
    update = (1 + math.tanh(epsilon / 2)) / 2

    def columns(generator, runs, left):
        bits = generator.random((runs, _USERS)) < 0.5
        bits[:, 0] = generator.random(runs) < (update if left else 1 - update)
        return {f"bits[{user}]": bits[:, user].astype(float) for user in range(_USERS)} | {
            "sum of bits": bits.sum(axis=1).astype(float)
        }

    return Simulated(f"state of {_USERS} bits({epsilon:g})", epsilon, columns)


def split_intrusion() -> Simulated:
    """The published flaw in small: fair bits are seen, user 0 is redrawn with 3/4, then their noisy sum is seen.

    The loss is that of the event "bit 0 was 0, and the output is large": log(1/4 + 3/4 e), as the
    output's density grows by e where the bit turned from 0 to 1, with probability 3/4.
    """

    def columns(generator, runs, left):
        bits = generator.random((runs, _USERS)) < 0.5
        seen = bits.copy()
        if left:
            bits[:, 0] = generator.random(runs) < 0.75
        output = bits.sum(axis=1) + generator.laplace(0.0, 1.0, runs)
        return {f"bits[{user}]": seen[:, user].astype(float) for user in range(_USERS)} | {
            "sum of bits": seen.sum(axis=1).astype(float),
            "output": output,
        }

    return Simulated("split intrusion", math.log(0.25 + 0.75 * math.e), columns)
