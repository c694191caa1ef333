"""``a if condition else b`` where the condition is a random choice that is left open: both values, in a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pan_audits.choices.errors import UnfollowableError, unfollowable
from pan_audits.choices.followed import PYTHON, FollowedArray, joint, of_numbers, single
from pan_audits.choices.followed_uniform import FollowedUniforms
from pan_audits.choices.guarded_builtins import guarded_float, guarded_int

CONVERSIONS = {"int": (int, guarded_int), "float": (float, guarded_float), "abs": (abs,)}
"""Functions of one number that change nothing, by the names under which the values may use them."""

_OF_NUMPY = (np.bool_, np.int64, np.float64)


def is_open(condition: Any) -> bool:
    """Whether a condition is a random choice that is left open."""
    return type(condition) is FollowedArray and not condition.shape


def chosen(condition: Any, first: Callable[[], Any], second: Callable[[], Any], used: Callable[[], Any]) -> Any:
    """The value of ``first`` where a condition holds, and that of ``second`` elsewhere.

    If the condition is open, both are computed. Neither may change anything: they are arithmetic of plain values.
    """
    if not is_open(condition):
        return first() if condition else second()
    try:
        plain = all(map(_is_plain, used()))
        values = (first(), second()) if plain else ()
    except UnfollowableError:
        raise
    except Exception as problem:
        raise unfollowable(
            f"one of two values between which a random choice decides cannot be computed ({type(problem).__name__}), "
            "and this cannot be followed element by element"
        ) from None
    if not plain or not all(_is_number(value) for value in values):
        raise unfollowable("a random choice decides between other things than numbers or texts")
    tables: list[Any] = [one.tables[()] if type(one) is FollowedArray else (((), one),) for one in (condition, *values)]
    return _merged(tables)


def _merged(tables: list[Any]) -> Any:
    truth = of_numbers(bool, FollowedArray(single(tuple((box, bool(value)) for box, value in tables[0]))))
    condition: Any = truth.tables[()]
    rows = joint([condition, *tables[1:]], _MOST_BOXES)
    if rows is None:
        raise unfollowable(f"a number depends on random choices in more than {_MOST_BOXES} ways")
    return FollowedArray(single(tuple((box, one if holds else other) for box, (holds, one, other) in rows)))


_MOST_BOXES = 64


def _is_number(value: Any) -> bool:
    if type(value) is FollowedArray:
        return not value.shape
    return type(value) in (*PYTHON, *_OF_NUMPY)


def _is_plain(value: Any, depth: int = 6) -> bool:
    """Whether a value is a number, a text, or one of Python's or numpy's containers of them."""
    if type(value) in (list, tuple):
        return depth > 0 and all(_is_plain(one, depth - 1) for one in value)
    if type(value) is dict:
        return depth > 0 and all(_is_plain(one, depth - 1) for pair in value.items() for one in pair)
    if type(value) is np.ndarray:
        return bool(value.dtype.kind in "biuf")
    if any(value is one for known in CONVERSIONS.values() for one in known):
        return True
    return type(value) in (*PYTHON, *_OF_NUMPY, range, FollowedArray, FollowedUniforms)
