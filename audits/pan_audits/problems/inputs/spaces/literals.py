"""Inputs of any kind as texts, which look as in Python, and which are read as data: nothing in them is run."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import numpy as np

from pan_promises.errors import InputError, shown

_PLAIN = (bool, int, float, str, bytes, type(None))
_FLOATS = {"nan": float("nan"), "inf": float("inf")}
_CONTAINERS: Mapping[type, tuple[str, str]] = {list: ("[", "]"), tuple: ("(", ")"), set: ("{", "}")}


def to_text(value: Any) -> str:
    """The text of an input; :class:`InputError` if a part of it is not plain data."""
    kind = type(value)
    if kind in _PLAIN:
        return repr(value)
    if kind in _CONTAINERS:
        parts = sorted(map(to_text, value)) if kind is set else list(map(to_text, value))
        before, after = _CONTAINERS[kind]
        if kind is set and not parts:
            return "set()"
        return before + ", ".join(parts) + ("," if kind is tuple and len(parts) == 1 else "") + after
    if kind is frozenset:
        return f"frozenset({to_text(set(value)) if value else ''})"
    if kind is dict:
        return "{" + ", ".join(f"{to_text(key)}: {to_text(part)}" for key, part in value.items()) + "}"
    if isinstance(value, np.generic) and value.dtype.kind in "biufSU":
        return f"scalar({to_text(value.item())}, {value.dtype.str!r})"
    if kind is np.ndarray and value.dtype.kind in "biufSU":
        return f"array({to_text(value.tolist())}, {value.dtype.str!r}, {value.shape!r})"
    if kind.__module__.partition(".")[0] == "pandas" and kind.__name__ in ("DataFrame", "Series"):
        return _text_of_pandas(value)
    raise InputError(f"an input of the space holds {shown(value)}, a {kind.__qualname__}, which is no plain data")


def _text_of_pandas(value: Any) -> str:
    if value.index.tolist() != list(range(len(value))):
        raise InputError("a data frame of the space has an index; panproof takes those whose rows are numbered from 0")
    if type(value).__name__ == "Series":
        return f"Series({to_text(value.tolist())}, {str(value.dtype)!r})"
    columns = [(name, str(value[name].dtype), value[name].tolist()) for name in value.columns]
    return f"DataFrame({to_text(columns)})"


def _array(values: Any, dtype: str, shape: tuple[int, ...]) -> Any:
    return np.array(values, dtype=dtype).reshape(shape)


def _frame(columns: list[Any]) -> Any:
    return import_module("pandas").DataFrame({name: _series(values, dtype) for name, dtype, values in columns})


def _series(values: list[Any], dtype: str) -> Any:
    return import_module("pandas").Series(values, dtype=dtype)


_MADE: Mapping[str, Callable[..., Any]] = {
    "array": _array,
    "scalar": lambda value, dtype: np.dtype(dtype).type(value),
    "set": set,
    "frozenset": frozenset,
    "DataFrame": _frame,
    "Series": _series,
}


def from_text(text: str) -> Any:
    """Read the input of :func:`to_text`; :class:`InputError` for any other text."""
    try:
        return _value(ast.parse(text, mode="eval").body)
    except InputError:
        raise
    except (SyntaxError, TypeError, ValueError, MemoryError, RecursionError, OverflowError) as problem:
        raise InputError(f"{text!r:.200} is no input of a space: {problem}") from None


def _value(node: ast.AST) -> Any:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name) if name in _FLOATS:
            return _FLOATS[name]
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_value(inner)
        case ast.List(elts=parts):
            return [_value(part) for part in parts]
        case ast.Tuple(elts=parts):
            return tuple(_value(part) for part in parts)
        case ast.Set(elts=parts):
            return {_value(part) for part in parts}
        case ast.Dict(keys=keys, values=values):
            return {_value(key): _value(part) for key, part in zip(keys, values, strict=True) if key is not None}
        case ast.Call(func=ast.Name(id=name), args=given, keywords=[]) if name in _MADE:
            return _MADE[name](*map(_value, given))
    raise InputError(f"{ast.unparse(node)!r:.200} is no input of a space")
