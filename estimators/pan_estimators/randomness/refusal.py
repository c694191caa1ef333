"""Errors for refused draws, with the line of the calling code."""

from __future__ import annotations

import random
import sys
from collections.abc import Mapping
from pathlib import Path
from types import FrameType

import numpy as np

ROOM = "pan_estimators.randomness"


class NoSuchDrawError(AttributeError):
    """A method of numpy's ``Generator`` that a randomness does not have. The message names the one to use instead."""


def calling_line(*rooms: str) -> tuple[str, str]:
    """The code that called the randomness: its module, and its file and line as ``file.py:7``."""
    inner = (ROOM, "numpy", *rooms)
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        module = str(frame.f_globals.get("__name__", ""))
        if not any(module == room or module.startswith(f"{room}.") for room in inner):
            return module, f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}"
        frame = frame.f_back
    return "", ""


def refused_name(kind: type, name: str) -> AttributeError:
    """The error for a name that a randomness does not have."""
    if name.startswith("_") or not any(hasattr(known, name) for known in _KNOWN):
        return AttributeError(f"{kind.__name__!r} object has no attribute {name!r}")
    _, line = calling_line()
    instead = _INSTEAD.get(name, _NOISE)
    return NoSuchDrawError(f"{line}: a randomness has no {name!r}, which some generators have; {instead}")


def wrong_argument(method: str, sentence: str) -> ValueError:
    """The error for an argument that is invalid for a method."""
    return ValueError(f"{method} {sentence}")


_KNOWN = (np.random.Generator, np.random.RandomState, random.Random)

_NOISE = (
    "its kinds of noise are laplace, discrete_laplace, two_sided_geometric, geometric, exponential and normal; "
    "for a law on finitely many values use choice with the probabilities p"
)
_ITSELF = "there is no generator to share, seed or keep: make every random choice by a method of the randomness itself"
_NUMBERS = "use random for numbers from 0 to 1"
_INTEGERS = "use integers"
_FINITE = "use choice with the probabilities p, several times if necessary"
_ORDER = "use permutation or shuffle, once for each row"
_SUBSET = "use choice with replace=False, or uniform_subset"

_INSTEAD: Mapping[str, str] = {
    **dict.fromkeys(("bit_generator", "spawn", "seed", "get_state", "set_state", "getstate", "setstate"), _ITSELF),
    **dict.fromkeys(("rand", "random_sample"), _NUMBERS),
    **dict.fromkeys(("randint", "random_integers", "randrange", "getrandbits", "tomaxint"), _INTEGERS),
    **dict.fromkeys(("randn", "gauss", "normalvariate"), "use normal"),
    **dict.fromkeys(("expovariate", "standard_exponential"), "use exponential"),
    **dict.fromkeys(("multinomial", "choices"), _FINITE),
    **dict.fromkeys(("hypergeometric", "multivariate_hypergeometric", "sample"), _SUBSET),
    "binomialvariate": "use binomial",
    "permuted": _ORDER,
    "randbytes": "use bytes",
}
