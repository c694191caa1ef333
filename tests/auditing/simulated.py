"""Mechanisms that are drawn a million runs at a time: their losses are known in closed form."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pan_audits.events import AllBits, Grids, Table

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
    rounded
        Whether the numbers are rounded to coarse grids, or read with all their bits; by default, neither.
    """

    name: str
    loss: float
    columns: Callable[[np.random.Generator, int, bool], Columns]
    rounded: bool | None = None

    def draw(self, seed: int | tuple[int, ...], runs: int) -> tuple[Table, Table]:
        """Independent runs on the left and on the right stream."""
        generator = np.random.default_rng(seed)
        tables = [_table(self.columns(generator, runs, left)) for left in (True, False)]
        if self.rounded:
            # As in a search: by runs on which nothing is bet, at an offset of its own for each sample.
            grids = Grids(int(generator.integers(2**32)))
            grids.learn(table.rows(0, 8) for table in tables)
            tables = [grids(table) for table in tables]
        if self.rounded is False:
            bits = AllBits()
            bits.learn(tables)
            tables = [bits(table) for table in tables]
        return tuple(tables)


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


def off_the_grid(kind: str, *, bits: int | None) -> Simulated:
    """Laplace noise on values that are off its grid, beside numbers whose rounding errors tell the value.

    Parameters
    ----------
    kind
        ``"a fixed number"``, ``"the complement"`` or ``"a third"``: what stands beside the noisy number.
    bits
        The noise is a multiple of ``2**-bits``; ``None`` for that of numpy.
    """
    beside = {
        "a fixed number": lambda v: np.full(v.size, 3.0),
        "the complement": lambda v: 1.0 - v,
        "a third": lambda v: v / 3,
    }

    def columns(generator, runs, left):
        noise = generator.laplace(0.0, 1.0, runs)
        noise = noise if bits is None else np.rint(noise * 2.0**bits) / 2.0**bits
        v = (1.4 / 3 if left else 4.4 / 3) + noise
        other = beside[kind](v)
        return {"output.length": np.full(runs, 2.0), "output.sum": v + other, "output[0]": v, "output[1]": other}

    name = f"{kind} beside Laplace noise" + ("" if bits is None else f" on the grid 2^-{bits}")
    return Simulated(name, 1.0, columns, rounded=True)


def as_doubles(mechanism: Simulated) -> Simulated:
    """The same mechanism, whose numbers are not rounded."""
    return replace(mechanism, rounded=False)
