"""The guard: an estimator's code may draw from the given randomness only."""

from __future__ import annotations

import os
import random
import secrets
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from pan_audits.choices.errors import REMEMBERED, BypassError

_ELSEWHERE = "the estimator draws from {name}, not from the randomness that it is given"


_CLOCK = "the estimator reads the clock ({name}); the check cannot repeat what depends on the time"


def _refusing(name: str, words: str = _ELSEWHERE) -> Any:
    def refuse(*_: Any, **__: Any) -> Any:
        error = BypassError(words.format(name=name))
        REMEMBERED.append(error)
        raise error

    return refuse


def _refusing_fresh_seeds() -> Any:
    seed = random.Random.seed
    refuse = _refusing("random.Random")

    def seeded(generator: random.Random, a: Any = None, version: int = 2) -> None:
        if a is None:
            refuse()
        seed(generator, a, version)

    return seeded


_REFUSED: tuple[tuple[Any, str, Any], ...] = (
    # Every generator of numpy without a seed, under any name, asks for these bits.
    (np.random.bit_generator, "randbits", _refusing("a generator of numpy without a seed")),
    (random, "_urandom", _refusing("random.SystemRandom")),
    (random.Random, "seed", _refusing_fresh_seeds()),
    (np.random, "default_rng", _refusing("numpy.random.default_rng")),
    (os, "urandom", _refusing("os.urandom")),
    (secrets, "randbelow", _refusing("secrets")),
    (secrets, "randbits", _refusing("secrets")),
    (secrets, "token_bytes", _refusing("secrets")),
)


def _numpy_state() -> tuple[Any, ...]:
    state = np.random.get_state(legacy=False)["state"]
    return state["key"].tobytes(), state["pos"]


def _refusing_clock(name: str) -> Any:
    refuse = _refusing(name, _CLOCK)

    def read() -> Any:
        # A record of the log has a time, which is always the same one here.
        return 0 if sys._getframe(1).f_globals.get("__name__") == "logging" else refuse()

    return read


_CLOCKS: tuple[tuple[Any, str, Any], ...] = tuple(
    (time, name, _refusing_clock(f"time.{name}"))
    for clock in ("time", "perf_counter", "monotonic", "process_time", "thread_time")
    for name in (clock, f"{clock}_ns")
)


@contextmanager
def watched(*, clocks: bool = False) -> Iterator[None]:
    """Refuse fresh generators and system entropy, and notice draws from the global generators."""
    before = random.getstate(), _numpy_state()
    refused = _REFUSED + _CLOCKS if clocks else _REFUSED
    kept = [getattr(module, name) for module, name, _ in refused]
    for module, name, refusing in refused:
        setattr(module, name, refusing)
    try:
        yield
    finally:
        for (module, name, _), original in zip(refused, kept, strict=True):
            setattr(module, name, original)
    if random.getstate() != before[0]:
        raise BypassError(_ELSEWHERE.format(name="random"))
    if _numpy_state() != before[1]:
        raise BypassError(_ELSEWHERE.format(name="numpy.random"))
