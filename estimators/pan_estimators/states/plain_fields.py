"""States as plain data: the fields of dataclasses as numbers, texts, lists and arrays.

The document of a state holds no name of a class. A state is made again from the annotations of its class, which the
estimator brings, so that a file never chooses code. An estimator with methods of its own
(:class:`pan_estimators.states.state_file.Storable`) needs none of this.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_promises.errors import InputError, StateFileError

Arrays = dict[str, NDArray[np.int64]]
_KINDS = "biufc"
_WORD = 8
_DEEPEST = 50


def state_to_plain(state: Any) -> tuple[Any, Arrays]:
    """A state as a JSON-ready document, and the contents of its arrays as words of 64 bits."""
    arrays: Arrays = {}
    return _plain(state, arrays, 0), arrays


def state_from_plain(kind: type, document: Any, arrays: Mapping[str, NDArray[np.int64]]) -> Any:
    """The state that :func:`state_to_plain` wrote."""
    return _made(document, kind, arrays, 0)


def _plain(value: Any, arrays: Arrays, depth: int) -> Any:
    if depth > _DEEPEST:
        raise InputError(f"a state may be nested {_DEEPEST} times at most")
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return {"int": str(int(value))}
    if isinstance(value, float):
        return {"float": value.hex()}
    if isinstance(value, np.ndarray) and value.dtype.kind in _KINDS:
        name = f"array {len(arrays)}"
        content = np.ascontiguousarray(value, dtype=value.dtype.newbyteorder("<")).tobytes()
        arrays[name] = np.frombuffer(content.ljust(-(-len(content) // _WORD) * _WORD, b"\0"), dtype="<i8")
        return {"array": name, "dtype": value.dtype.newbyteorder("<").str, "shape": list(value.shape)}
    if isinstance(value, (list, tuple)):
        return {"list": [_plain(one, arrays, depth + 1) for one in value]}
    if isinstance(value, dict):
        pairs = [(_plain(key, arrays, depth + 1), _plain(one, arrays, depth + 1)) for key, one in value.items()]
        return {"dict": [list(pair) for pair in pairs]}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [one.name for one in dataclasses.fields(value)]
        return {"fields": {name: _plain(getattr(value, name), arrays, depth + 1) for name in names}}
    raise InputError(f"a state with a {type(value).__name__} cannot be written to a file")


def _made(document: Any, hint: Any, arrays: Mapping[str, NDArray[np.int64]], depth: int) -> Any:
    value = _value(document, hint, arrays, depth)
    if not _fits(value, hint):
        raise StateFileError(f"the state has a {type(value).__name__} where its estimator has {_named(hint)}")
    return value


def _value(document: Any, hint: Any, arrays: Mapping[str, NDArray[np.int64]], depth: int) -> Any:
    if document is None or isinstance(document, (bool, str)):
        return document
    if not isinstance(document, dict) or depth > _DEEPEST:
        raise _bad()
    try:
        match document:
            case {"int": str(text)} if len(text) < 400:
                return int(text)
            case {"float": str(text)}:
                return float.fromhex(text)
            case {"array": str(name), "dtype": str(kind), "shape": list(shape)}:
                return _array(arrays[name], np.dtype(kind), shape)
            case {"list": list(items)}:
                inner = _arguments(hint, (list, tuple))
                found = [_made(one, _item(inner, place), arrays, depth + 1) for place, one in enumerate(items)]
                return tuple(found) if _is_tuple(hint) else found
            case {"dict": list(pairs)}:
                keys, values = (*_arguments(hint, (dict,)), Any, Any)[:2]
                made = [(_made(k, keys, arrays, depth + 1), _made(v, values, arrays, depth + 1)) for k, v in pairs]
                return dict(made)
            case {"fields": dict(fields)}:
                return _dataclass(fields, hint, arrays, depth)
    except (KeyError, ValueError, TypeError, OverflowError) as problem:
        if isinstance(problem, InputError):
            raise
        raise _bad() from None
    raise _bad()


def _array(words: NDArray[np.int64], kind: np.dtype[Any], shape: list[Any]) -> NDArray[Any]:
    if kind.kind not in _KINDS or any(type(one) is not int or one < 0 for one in shape):
        raise _bad()
    size = int(np.prod(shape, dtype=object)) * kind.itemsize
    content = np.ascontiguousarray(words, dtype="<i8").tobytes()
    if not 0 <= len(content) - size < _WORD:
        raise _bad()
    return np.frombuffer(content[:size], dtype=kind).reshape(shape).astype(kind.newbyteorder("="))


def _dataclass(fields: dict[str, Any], hint: Any, arrays: Mapping[str, NDArray[np.int64]], depth: int) -> Any:
    for kind in _alternatives(hint):
        if not (isinstance(kind, type) and dataclasses.is_dataclass(kind)):
            continue
        names = [one.name for one in dataclasses.fields(kind)]
        if set(names) != set(fields):
            continue
        hints = typing.get_type_hints(kind)
        made = object.__new__(kind)
        for name in names:
            object.__setattr__(made, name, _made(fields[name], hints[name], arrays, depth + 1))
        return made
    raise StateFileError(f"the state has the fields {', '.join(map(str, fields))[:200]}, which its estimator has not")


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value is of the annotated type. Annotations of other kinds than those of states fit everything."""
    if hint is Any:
        return True
    if typing.get_origin(hint) in (types.UnionType, typing.Union):
        return any(_fits(value, one) for one in typing.get_args(hint))
    kind = typing.get_origin(hint) or hint
    if kind is np.ndarray:
        wanted = [one for part in typing.get_args(hint)[1:] for one in typing.get_args(part)]
        # From Python 3.11 on, Any is a class.
        exact = [one for one in wanted if isinstance(one, type) and issubclass(one, np.generic)]
        return isinstance(value, np.ndarray) and all(issubclass(value.dtype.type, one) for one in exact)
    if kind is float:
        return type(value) in (int, float)
    if kind in (int, bool, str, list, tuple, dict):
        return type(value) is kind
    if kind in (None, types.NoneType):
        return value is None
    return isinstance(value, kind) if isinstance(kind, type) and dataclasses.is_dataclass(kind) else True


def _alternatives(hint: Any) -> tuple[Any, ...]:
    if typing.get_origin(hint) in (types.UnionType, typing.Union):
        return typing.get_args(hint)
    return (hint,)


def _arguments(hint: Any, kinds: tuple[type, ...]) -> tuple[Any, ...]:
    """The parameters of the first alternative that is one of these containers."""
    for one in _alternatives(hint):
        if typing.get_origin(one) in kinds:
            return typing.get_args(one)
    return ()


def _item(arguments: tuple[Any, ...], place: int) -> Any:
    """The annotation of an item of a list or a tuple."""
    if not arguments:
        return Any
    fixed = len(arguments) > 1 and arguments[-1] is not Ellipsis
    return arguments[min(place, len(arguments) - 1)] if fixed else arguments[0]


def _is_tuple(hint: Any) -> bool:
    return any((typing.get_origin(one) or one) is tuple for one in _alternatives(hint))


def _named(hint: Any) -> str:
    return str(getattr(hint, "__name__", hint))[:80]


def _bad() -> StateFileError:
    return StateFileError("the state is not written as an estimator writes it")
