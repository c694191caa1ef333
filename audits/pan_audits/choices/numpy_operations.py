"""Functions of numpy on noisy numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from pan_audits.choices.errors import unfollowable


def _is_noisy(value: Any) -> bool:
    """Whether a value is a noisy number. That module imports this one."""
    return hasattr(type(value), "mirrored")


def _difference(left: Any, right: Any) -> Any:
    return left - right if _is_noisy(left) else right.__rsub__(left)


def _larger(left: Any, right: Any) -> Any:
    _require_numbers(left, right)
    return left if left >= right else right


def _smaller(left: Any, right: Any) -> Any:
    _require_numbers(left, right)
    return left if left <= right else right


def _require_numbers(*values: Any) -> None:
    if any(isinstance(value, np.ndarray) or value != value for value in values if not _is_noisy(value)):
        raise unfollowable("the estimator takes the larger or smaller one of a noisy number and of no single number")


OPERATIONS: dict[Any, Any] = {
    np.add: lambda left, right: left + right if _is_noisy(left) else right + left,
    np.multiply: lambda left, right: left * right if _is_noisy(left) else right * left,
    np.subtract: _difference,
    np.true_divide: lambda left, right: left / right if _is_noisy(left) else right._value(),
    np.negative: lambda number: -number,
    np.positive: lambda number: number,
    np.absolute: abs,
    np.floor: lambda number: number._whole_double(number),
    np.ceil: lambda number: number._whole_double(-number, down=False),
    np.trunc: lambda number: number._whole_double(number, towards_zero=True),
    np.rint: lambda number: round(number, 0),
    np.floor_divide: lambda left, right: left // right if _is_noisy(left) else right._value(),
    np.maximum: _larger,
    np.minimum: _smaller,
    np.greater: lambda left, right: left > right if _is_noisy(left) else right < left,
    np.greater_equal: lambda left, right: left >= right if _is_noisy(left) else right <= left,
    np.less: lambda left, right: left < right if _is_noisy(left) else right > left,
    np.less_equal: lambda left, right: left <= right if _is_noisy(left) else right >= left,
    np.equal: lambda left, right: left == right if _is_noisy(left) else right == left,
    np.not_equal: lambda left, right: left != right if _is_noisy(left) else right != left,
}
"""The functions of numpy that are sums, multiples, comparisons and roundings. Numpy calls them for its own numbers."""


def _numpy_round(number: Any, decimals: Any = 0, out: None = None) -> Any:
    return round(number, decimals)


def _numpy_clip(number: Any, low: Any = None, high: Any = None, out: None = None) -> Any:
    above = number if low is None else _larger(number, low)
    if high is None:
        return above
    return _smaller(above, high) if _is_noisy(above) else min(above, high)


METHODS: dict[str, Any] = {"round": _numpy_round, "clip": _numpy_clip, "rint": _numpy_round}
"""The methods that numpy asks numbers for."""
