"""Scalars, shapes and arrays of parameters, as in the methods of numpy's ``Generator``."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from pan_estimators.randomness.refusal import wrong_argument

Size: TypeAlias = int | Sequence[int] | None
"""The shape of the draws: ``None`` for one scalar, a number of draws, or the shape of an array."""


def shape_of(size: Size) -> tuple[int, ...]:
    """The shape as a tuple; the shape of a scalar for ``None``."""
    if size is None:
        return ()
    return tuple(map(operator.index, size)) if isinstance(size, Sequence) else (operator.index(size),)


def shaped(draw: Callable[..., Any], size: Size, *parameters: Any) -> Any:
    """The draws in the requested shape."""
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
