"""The guard: an estimator's code may draw from the given randomness only."""

from __future__ import annotations

import os
import random
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from pan_audits.choices.errors import REMEMBERED, BypassError

_ELSEWHERE = "the estimator draws from {name}, not from the randomness that it is given"


def _refusing(name: str) -> Any:
    def refuse(*_: Any, **__: Any) -> Any:
        error = BypassError(_ELSEWHERE.format(name=name))
        REMEMBERED.append(error)
        raise error

    return refuse


_REFUSED: tuple[tuple[Any, str, Any], ...] = (
    (np.random, "default_rng", _refusing("numpy.random.default_rng")),
    (os, "urandom", _refusing("os.urandom")),
    (secrets, "randbelow", _refusing("secrets")),
    (secrets, "randbits", _refusing("secrets")),
    (secrets, "token_bytes", _refusing("secrets")),
)


def _numpy_state() -> tuple[Any, ...]:
    state = np.random.get_state(legacy=False)["state"]
    return state["key"].tobytes(), state["pos"]


@contextmanager
def watched() -> Iterator[None]:
    """Refuse fresh generators and system entropy, and notice draws from the global generators.

    Raises
    ------
    BypassError
        If a global generator has moved on.
    """
    before = random.getstate(), _numpy_state()
    kept = [getattr(module, name) for module, name, _ in _REFUSED]
    for module, name, refusing in _REFUSED:
        setattr(module, name, refusing)
    try:
        yield
    finally:
        for (module, name, _), original in zip(_REFUSED, kept, strict=True):
            setattr(module, name, original)
    if random.getstate() != before[0]:
        raise BypassError(_ELSEWHERE.format(name="random"))
    if _numpy_state() != before[1]:
        raise BypassError(_ELSEWHERE.format(name="numpy.random"))
