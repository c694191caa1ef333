"""Mechanisms that are drawn many runs at a time, whose losses are known; and whole audits of them by a bound."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pan_audits.audit.by_bound import audit_by_bound
from pan_audits.audit.sampler import Sampler
from pan_audits.audit.settings import Settings
from pan_audits.events import AllBits, Grids, Table
from pan_audits.notions import notion_of
from pan_audits.problems.inputs.labelled import LabelledInputs, catalogue_of
from pan_audits.statistics import ErrorBudget
from pan_audits.workers.limits import one_thread
from pan_promises.adjacency import Adjacency
from pan_promises.promise import Observed, Promise

Columns = dict[str, NDArray[np.float64]]
_USERS = 8


@dataclass(frozen=True)
class Simulated:
    """A mechanism on two adjacent inputs.

    Attributes
    ----------
    name
        What it is.
    loss
        Its exact privacy loss in nats; its exact rho where a rho is promised.
    columns
        Draws so many observations, on the left input or on the right one.
    rounded
        Whether the numbers are rounded to coarse grids, or read with all their bits; by default, neither.
    """

    name: str
    loss: float
    columns: Callable[[np.random.Generator, int, bool], Columns]
    rounded: bool | None = None

    def draw(self, seed: int | tuple[int, ...], runs: int) -> tuple[Table, Table]:
        """Independent runs on the left and on the right input."""
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

    def observe(self, family, place, runs, seed):
        """Runs on the input of this label: the left one is called ``left``."""
        return _table(self.columns(np.random.default_rng(seed), runs, family.labels[place] == "left"))


def _table(columns: Columns) -> Table:
    return Table(tuple(columns), np.column_stack(list(columns.values())))


def bit(p: float, q: float, name: str = "") -> Simulated:
    """One bit, of the probability ``p`` on the left and ``q`` on the right."""
    loss = max(abs(math.log(p / q)), abs(math.log((1 - p) / (1 - q))))

    def columns(generator, runs, left):
        return {"bit": (generator.random(runs) < (p if left else q)).astype(float)}

    return Simulated(name or f"a bit of {p:g} against {q:g}", loss, columns)


def randomised_response(epsilon: float) -> Simulated:
    """A bit told truthfully with probability e^epsilon / (1 + e^epsilon)."""
    keep = 1 / (1 + math.exp(-epsilon))
    return bit(keep, 1 - keep, f"randomised response({epsilon:g})")


def laplace(scale: float) -> Simulated:
    """A number that differs by one, with Laplace noise."""

    def columns(generator, runs, left):
        return {"output": float(left) + generator.laplace(0.0, scale, runs)}

    return Simulated(f"Laplace({scale:g})", 1 / scale, columns)


def bit_array(epsilon: float) -> Simulated:
    """A state of eight fair bits, of which the user's is redrawn with probability (1 + tanh(epsilon/2)) / 2."""
    update = (1 + math.tanh(epsilon / 2)) / 2

    def columns(generator, runs, left):
        bits = generator.random((runs, _USERS)) < 0.5
        bits[:, 0] = generator.random(runs) < (update if left else 1 - update)
        return _bits(bits)

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
        return _bits(seen) | {"output": bits.sum(axis=1) + generator.laplace(0.0, 1.0, runs)}

    return Simulated("split intrusion", math.log(0.25 + 0.75 * math.e), columns)


def _bits(bits) -> Columns:
    columns = {f"bits[{user}]": bits[:, user].astype(float) for user in range(_USERS)}
    return columns | {"sum of bits": bits.sum(axis=1).astype(float)}


def off_the_grid(kind: str, *, bits: int | None) -> Simulated:
    """Laplace noise on values that are off its grid, beside numbers whose rounding errors tell the value.

    The noise is a multiple of ``2**-bits``, or that of numpy.
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


def normal(rho: float, factor: float = 1.0) -> Simulated:
    """A number that differs by one, with normal noise of deviation ``1/sqrt(2 rho)``, times ``factor``."""

    def columns(generator, runs, left):
        return {"output": float(left) + generator.normal(0, factor / math.sqrt(2 * rho), runs)}

    return Simulated("normal", rho / factor**2, columns)


def leak(chance: float, kept: float = 0.6) -> Simulated:
    """A bit with randomised response, which is told as it is in one run of some."""

    def columns(generator, runs, left):
        told = np.where(generator.random(runs) < kept, left, not left).astype(float)
        return {"output": np.where(generator.random(runs) < chance, 2.0 + left, told)}

    return Simulated("leak", math.inf, columns)


@one_thread()
def audited(mechanism, rho, *, seed, runs, confirmation_runs, error=1e-6, labels=("left", "right"), pairs=((0, 1),)):
    """A whole audit of a promise of a rho."""
    promise = Promise(rho=rho, adjacency=Adjacency.GIVEN, observed=Observed.OUTPUT, intrusions=0)
    inputs = LabelledInputs("given", labels, pairs, Adjacency.GIVEN)
    return audit_by_bound(
        Sampler(mechanism),
        notion_of(promise),
        [catalogue_of([inputs])],
        ErrorBudget(error),
        Settings(runs=runs, confirmation_runs=confirmation_runs),
        entropy=seed,
        configuration={"estimator": "simulated"},
    )
