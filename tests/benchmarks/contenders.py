"""Counters of distinct ids from Python, each behind the same four calls."""

from __future__ import annotations

import copy
import sys
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

import datasketches
import opendp.prelude as opendp
import polars

from pan_estimators import SecureRandomness, confidence_interval, create_estimator, distinct_count

LEVEL = 0.6827
"""Of the stated intervals: one standard error to either side, for a normal error."""


class Counter(Protocol):
    """Counts the distinct ids that it is given."""

    def update(self, ids: Any) -> None: ...
    def estimate(self) -> float: ...
    def stated_error(self) -> float | None: ...
    def state_bits(self) -> int | None: ...


@dataclass
class PanPrivate:
    """An estimator of this package, with the randomness of a deployment."""

    name: str
    universe: int
    sample_size: int
    epsilon: float = 0.5
    _random: Any = field(default_factory=SecureRandomness)

    def __post_init__(self):
        parameters = {"universe": self.universe, "epsilon": self.epsilon, "sample_size": self.sample_size}
        self._estimator = create_estimator(self.name, **parameters)
        self._state = self._estimator.create(self._random)

    def update(self, ids):
        self._state = self._estimator.update(self._state, ids, self._random)

    def estimate(self):
        self._density = self._estimator.release(copy.deepcopy(self._state), self._random)
        return distinct_count(self._estimator, self._density)

    def stated_error(self):
        interval = confidence_interval(self._estimator, self._density, level=LEVEL)
        return (interval.count_high - interval.count_low) / 2

    def state_bits(self):
        return self._estimator.state_bits


@dataclass
class Sketch:
    """A sketch of Apache DataSketches. Its ``update`` takes one value: called from a loop that runs in C."""

    make: Callable[[], Any]
    serialised: Callable[[Any], bytes]

    def __post_init__(self):
        self._sketch = self.make()

    def update(self, ids):
        deque(map(self._sketch.update, ids.tolist()), maxlen=0)

    def estimate(self):
        return self._sketch.get_estimate()

    def stated_error(self):
        return (self._sketch.get_upper_bound(1) - self._sketch.get_lower_bound(1)) / 2

    def state_bits(self):
        return 8 * len(self.serialised(self._sketch))


@dataclass
class PythonSet:
    """The ids themselves."""

    _seen: set[int] = field(default_factory=set)

    def update(self, ids):
        self._seen.update(ids.tolist())

    def estimate(self):
        return float(len(self._seen))

    def stated_error(self):
        return 0.0

    def state_bits(self):
        return 8 * (sys.getsizeof(self._seen) + len(self._seen) * sys.getsizeof(2**40))


@dataclass
class WholeColumn:
    """A function of the whole column: it keeps the ids, and cannot go on with more of them."""

    count: Callable[[Any], float]
    noise: float = 0.0

    def update(self, ids):
        self._counted = float(self.count(ids))

    def estimate(self):
        return self._counted

    def stated_error(self):
        return self.noise or None

    def state_bits(self):
        return None


@dataclass(frozen=True)
class Contender:
    """One line of the table.

    Attributes
    ----------
    name
        What it is.
    kind
        ``pan-private``, ``sketch`` (keeps a small state), ``column`` (approximates the column's count) or ``exact``.
    promise
        What is kept secret of the users.
    make
        A fresh counter.
    most
        The most ids that it is fed, in one batch; ``None`` for all of them.
    """

    name: str
    kind: str
    promise: str
    make: Callable[[], Counter]
    most: int | None = None


def opendp_count(epsilon=1.0):
    """OpenDP's count of distinct ids with Laplace noise; one user changes it by at most 1."""
    opendp.enable_features("contrib")
    column = opendp.vector_domain(opendp.atom_domain(T="i64")), opendp.symmetric_distance()
    return column >> opendp.t.then_count_distinct(TO="i64") >> opendp.m.then_laplace(scale=1 / epsilon)


def contenders(universe):
    """All of them, for a universe of so many users; the first is the one that the others are compared with."""
    sizes = [20_000, 10**6] if universe > 10**6 else [universe]
    keeps, refuted = "state and output: 1", "refuted"
    chosen = [("calibrated-bernoulli", m, keeps) for m in sizes] + [("optimal-bernoulli", sizes[0], refuted)]
    ours = [
        Contender(f"{name}, {m:,} sampled", "pan-private", promise, partial(PanPrivate, name, universe, m))
        for name, m, promise in chosen
    ]
    return [*ours, *SKETCHES, *COLUMNS]


SKETCHES = [
    Contender(f"DataSketches {name}", "sketch", "none", partial(Sketch, make, serialised))
    for name, make, serialised in [
        ("HLL, 2^12 registers", partial(datasketches.hll_sketch, 12), lambda sketch: sketch.serialize_compact()),
        ("theta, 2^12", partial(datasketches.update_theta_sketch, 12), lambda sketch: sketch.compact().serialize()),
        ("CPC, 2^11", partial(datasketches.cpc_sketch, 11), lambda sketch: sketch.serialize()),
    ]
]
COLUMNS = [
    Contender(f"polars {name}", kind, "none", partial(WholeColumn, count), 10**7)
    for name, kind, count in [
        ("approx_n_unique", "column", lambda ids: polars.Series(ids).approx_n_unique()),
        ("n_unique", "exact", lambda ids: polars.Series(ids).n_unique()),
    ]
]
COLUMNS += [
    Contender("Python set", "exact", "none", PythonSet, 10**7),
    Contender(
        "OpenDP count of distinct",
        "exact",
        "output alone: 1",
        lambda: WholeColumn(opendp_count(), noise=1.15),  # P(|X| < 1.15) = 68% for Laplace noise of scale 1
        10**6,
    ),
]
