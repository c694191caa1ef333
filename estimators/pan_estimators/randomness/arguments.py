"""Arguments of draws: their shapes, and what is refused."""

from __future__ import annotations

import math
import operator
import random
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import Any, TypeAlias, TypeVar

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
    "for a distribution on finitely many values use choice with the probabilities p"
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


Size: TypeAlias = int | Sequence[int] | None
"""The shape of the draws: ``None`` for one scalar, a number of draws, or the shape of an array."""


def shape_of(size: Size) -> tuple[int, ...]:
    """The shape as a tuple; the shape of a scalar for ``None``."""
    if size is None:
        return ()
    return tuple(map(operator.index, size)) if isinstance(size, Sequence) else (operator.index(size),)


_PLAIN = frozenset((int, float))

_Many = TypeVar("_Many", bound=Callable[..., Any])


def drawn_singly(one: Callable[..., Any]) -> Callable[[_Many], _Many]:
    """Mark a method for many draws with a function that makes one: the same number, as Python's own."""

    def mark(many: _Many) -> _Many:
        many.one = one  # type: ignore[attr-defined]
        return many

    return mark


def shaped(draw: Callable[..., Any], size: Size, *parameters: Any) -> Any:
    """The draws in the requested shape."""
    if size is None and _PLAIN.issuperset(map(type, parameters)):
        one = getattr(draw, "one", None)
        return scalar(draw(*parameters, 1)[0]) if one is None else one(draw.__self__, *parameters)  # type: ignore[attr-defined]
    if all(isinstance(parameter, (int, float)) or np.ndim(parameter) == 0 for parameter in parameters):
        if size is None:
            return scalar(draw(*parameters, 1)[0])
        shape = shape_of(size)
        return draw(*parameters, math.prod(shape)).reshape(shape)
    shape = np.broadcast_shapes(*map(np.shape, parameters), shape_of(size))
    if size is not None and shape != shape_of(size):
        raise wrong_argument("size", f"{size!r} does not fit parameters of shape {shape}")
    columns = [np.broadcast_to(np.asarray(parameter, dtype=object), shape).ravel() for parameter in parameters]
    drawn = [draw(*each, 1) for each in zip(*columns, strict=True)]
    return np.concatenate(drawn).reshape(shape) if drawn else np.empty(shape)


def scalar(drawn: Any) -> Any:
    """One draw as a Python number."""
    if isinstance(drawn, np.generic):
        return drawn.item()
    # A number that an exact check leaves open becomes a Python number itself.
    as_python = getattr(type(drawn), "as_python", None)
    return drawn if as_python is None else as_python(drawn)


def whole(method: str, name: str, value: Any) -> int:
    """A whole number of any type, as an integer."""
    try:
        return operator.index(value)
    except TypeError:
        if isinstance(value, (float, np.floating)) and float(value).is_integer():
            return int(value)
        raise wrong_argument(method, f"takes a whole number for {name}, got {value!r}") from None
