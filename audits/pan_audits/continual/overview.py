"""The counters side by side, at a size at which an audit has power.

The exact check covers the promise, and asks about the state, which the promise of most counters leaves out.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_audits.audit.settings import Settings
from pan_audits.exact.result import CheckSettings
from pan_audits.subject.intake.discovery import Mechanism, find_mechanism
from pan_estimators.continual.members import MEMBERS, counters_with, create_counter, parameters_for
from pan_estimators.randomness.numpy_randomness import NumpyRandomness

SIDE_BY_SIDE: Mapping[str, Any] = {"steps": 4, "rho": 0.5, "epsilon": 1.0, "flippancy": 2, "period": 1}
"""The size of the exact check and of the audit. Every step is a release."""

LONG: Mapping[str, Any] = {"steps": 2**16, "rho": 0.5, "epsilon": 1.0, "flippancy": 2}
"""The size at which the error and the state are measured: each of 32,768 elements comes, and then each goes."""

_RUNS = 22_000
_LONG_RUNS = 4

_CONFIRMING = 3_000
_SCOPE = CheckSettings(users=2, length=4)
_MEDIUM_SCOPE = CheckSettings(users=2, length=3)
_SHORT_SCOPE = CheckSettings(users=2, length=2)
_FACTORED = ("calibrated-turnstile", "presence")
"""Each of their outputs is a sum of many formulas."""
_MIXTURES = ("turnstile-adaptive", "turnstile-best-of-both")
"""Their outputs are mixtures over the random times of other choices. The exact check shows no rho of them.
Each scope takes ten times as long as the one before."""


@dataclass(frozen=True)
class CounterOverview:
    """The plan for judging the counters side by side."""

    names: tuple[str, ...] = field(default_factory=lambda: tuple(counters_with(SIDE_BY_SIDE)))

    def scope_of(self, name: str) -> CheckSettings:
        """Two elements and four steps; fewer for a counter whose outputs are a mixture, or sums of many formulas."""
        if name in _FACTORED:
            return _MEDIUM_SCOPE
        return _SHORT_SCOPE if name in _MIXTURES else _SCOPE

    def effort(self, name: str, settings: Settings) -> Settings:
        """Runs for all pairs of streams of an audit; fewer that confirm, since some counters make each run alone."""
        return replace(settings, runs=_RUNS, confirmation_runs=min(settings.confirmation_runs, _CONFIRMING))

    def streams_of(self, name: str, wanted: Sequence[str]) -> tuple[str, ...]:
        """None: the real streams of ids are no turnstile streams, and an audit of long ones would take hours."""
        return ()

    def mechanism(self, name: str, stream: str | None, epsilon: float) -> Mechanism:
        """The counter at the size of the audit. Its budget is that of :data:`SIDE_BY_SIDE`."""
        return find_mechanism(name, parameters=counters_with(SIDE_BY_SIDE)[name])

    def error(self, estimator: Any, stream: str | None, seed: int) -> float:
        """The root mean squared error of the count over all steps, at the size of :data:`LONG`."""
        counter, randomness = _long(estimator), NumpyRandomness(seed)
        elements, signs = _stream()
        outputs = [counter.follow(counter.create(randomness), elements, signs, randomness) for _ in range(_LONG_RUNS)]
        return float(np.sqrt(np.mean((np.array(outputs, dtype=float) - signs.cumsum(dtype=np.int64)) ** 2)))

    def bits(self, estimator: Any) -> int:
        """The size of the state after the stream of :data:`LONG`, in bits."""
        counter, randomness = _long(estimator), NumpyRandomness(0)
        state = counter.create(randomness)
        counter.follow(state, *_stream(), randomness)
        return 8 * bytes_of(state)


def _long(estimator: Any) -> Any:
    """The same counter for many steps."""
    name = next(name for name, factory in MEMBERS.items() if factory is type(estimator.owner))
    parameters = parameters_for(name, LONG)
    assert parameters is not None
    return create_counter(name, parameters)


def _stream() -> tuple[NDArray[np.int64], NDArray[np.int8]]:
    half = LONG["steps"] // 2
    return np.tile(np.arange(half), 2), np.repeat(np.array([1, -1], dtype=np.int8), half)


def bytes_of(state: Any) -> int:
    """The bytes of the numbers in a state, without the objects of Python around them."""
    if isinstance(state, np.ndarray):
        return int(state.nbytes) if state.dtype != object else sum(map(bytes_of, state.tolist()))
    if is_dataclass(state) and not isinstance(state, type):
        return sum(bytes_of(getattr(state, one.name)) for one in fields(state))
    if isinstance(state, dict):
        return sum(bytes_of(key) + bytes_of(value) for key, value in state.items())
    if isinstance(state, (list, tuple, set)):
        return sum(map(bytes_of, state))
    if state is None or isinstance(state, (bool, int, float, np.generic)):
        return 8
    return sys.getsizeof(state)


OVERVIEW = CounterOverview()
