"""Builtins that meet followed values.

Whether the source of a module does nothing with a built-in class than to call it.

The names ``type``, ``float`` and ``int`` for judged code, where numbers of a run are not drawn.

``type`` does not show that they are no doubles. ``float`` and ``int`` convert them, which the built-in classes cannot.
"""

from __future__ import annotations

import ast
import math
import sys
from collections.abc import Iterable, Iterator
from functools import cached_property, partial
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from pan_audits.choices.errors import NOT_JUDGED, unfollowable
from pan_audits.choices.followed import FollowedArray, FollowedUniforms, of_numbers
from pan_audits.choices.largest import CHOOSING
from pan_audits.choices.noise import NoisyNumber
from pan_audits.choices.uniform import UniformNumber

_INDIRECT = frozenset(
    {"__builtins__", "__import__", "builtins", "compile", "eval", "exec", "globals", "locals", "vars"}
)
"""Names by which code may reach other names."""


def only_called(names: dict[str, Any], builtins: Iterable[str]) -> list[str]:
    """The names of built-in classes that a module only calls, or gives to numpy as the type of an array.

    Another class changes nothing there. Annotations do not count. They are evaluated at import, or never.
    """
    try:
        with open(names["__file__"], encoding="utf-8") as file:
            module = ast.parse(file.read())
    except (KeyError, TypeError, OSError, ValueError, SyntaxError):
        return []
    met = {node.id for node in ast.walk(module) if isinstance(node, ast.Name)}
    if met & _INDIRECT:
        return []
    harmless = {id(node) for node in _harmless(module, names)}
    bound = set(_bound(module))
    others = {node.id for node in ast.walk(module) if isinstance(node, ast.Name) and id(node) not in harmless}
    return [name for name in builtins if name not in others | bound]


_TYPE_OF = {True: ("dtype",), False: ("type",)}
"""The keyword for a type in a call of numpy, and in one of ``argparse``."""


def _harmless(module: ast.Module, names: dict[str, Any]) -> Iterator[ast.AST]:
    """Nodes that are called, that are the type of one of numpy's arrays, or that belong to an annotation."""
    for node in ast.walk(module):
        if isinstance(node, ast.Call):
            yield node.func
            yield from (each.value for each in node.keywords if each.arg in _TYPE_OF[_is_of_numpy(node.func, names)])
            if isinstance(node.func, ast.Name) and node.func.id in ("isinstance", "map"):
                yield from node.args
            if isinstance(node.func, ast.Attribute) and node.func.attr == "astype":
                made = node.func.value
                if isinstance(made, ast.Call) and _is_of_numpy(made.func, names):
                    yield from node.args
        for field in ("annotation", "returns"):
            annotation = getattr(node, field, None)
            if isinstance(annotation, ast.AST):
                yield from ast.walk(annotation)


def _is_of_numpy(function: ast.AST, names: dict[str, Any]) -> bool:
    """Whether a function is an attribute of the module numpy."""
    return (
        isinstance(function, ast.Attribute)
        and isinstance(function.value, ast.Name)
        and names.get(function.value.id) is np
    )


def _bound(module: ast.Module) -> Iterator[str]:
    """Names that the source binds by anything but an assignment, which is a name of its own."""
    for node in ast.walk(module):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.alias):
            yield (node.asname or node.name).partition(".")[0]
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            yield from node.names
        elif isinstance(node, ast.ExceptHandler) and node.name:
            yield node.name


class _Guarded(type):
    """The class of a class that replaces a built-in one by name."""

    builtin: Any

    def __instancecheck__(cls, value: Any) -> bool:
        _require_no_noise(value)
        return isinstance(value, cls.builtin)

    def __subclasscheck__(cls, kind: Any) -> bool:
        return issubclass(kind, cls.builtin)


class _GuardedType(_Guarded):
    def __call__(cls, *arguments: Any, **options: Any) -> Any:
        if cls is not guarded_type:
            return super().__call__(*arguments, **options)
        if len(arguments) == 1:
            _require_no_noise(arguments[0])
            if hasattr(type(arguments[0]), "of_draws"):
                return np.ndarray
        return type(*arguments, **options)


class _Converting(_Guarded):
    of_noise: Any

    def __call__(cls, *arguments: Any, **options: Any) -> Any:
        (number,) = arguments if len(arguments) == 1 else (None,)
        if type(number) is FollowedArray and number.is_python:
            return of_numbers(cls.builtin, number)
        if type(number) is np.ndarray and number.dtype == object and not number.ndim:
            number = number.item()
        return (
            cls.of_noise(number) if type(number) in (NoisyNumber, UniformNumber) else cls.builtin(*arguments, **options)
        )


def _require_no_noise(value: Any) -> None:
    if type(value) in (NoisyNumber, UniformNumber, FollowedArray, FollowedUniforms):
        raise unfollowable(
            "the estimator asks for the type of a noisy or of a uniform number, which is not the double of a run"
        )


class guarded_type(type, metaclass=_GuardedType):  # noqa: N801 (it has the place of ``type``)
    """The built-in ``type``, which refuses noise and uniform numbers."""

    builtin = type


class guarded_float(metaclass=_Converting):  # noqa: N801 (it has the place of ``float``)
    """The built-in ``float``, which leaves noise as it is."""

    builtin = float
    of_noise = staticmethod(lambda number: number)
    dtype = np.dtype(float)


class guarded_int(metaclass=_Converting):  # noqa: N801 (it has the place of ``int``)
    """The built-in ``int``, which rounds noise towards 0."""

    builtin = int
    of_noise = staticmethod(math.trunc)
    dtype = np.dtype(int)


_CONVERSIONS = {"float": guarded_float, "int": guarded_int}
_REPLACED = {**_CONVERSIONS, **CHOOSING}
_LIBRARIES = {*NOT_JUDGED, *sys.stdlib_module_names, "scipy", "pandas", "numba", "sklearn", "torch"} - {"__main__"}
"""Packages whose modules convert no noise of judged code."""

_GUARDED: dict[int, dict[str, Any]] = {}
"""The modules that have the names already."""


def guard_builtins(judged: Any) -> None:
    """Let the modules of judged code find the guarded classes under the names of the built-in ones.

    ``float``, ``int``, ``max`` and ``min`` are replaced in a module whose source only calls them
    (:func:`pan_audits.choices.guarded_builtins.only_called`).
    """
    for names in _globals_of(judged):
        if id(names) in _GUARDED:
            continue
        _GUARDED[id(names)] = names
        names.setdefault("type", guarded_type)
        for name in only_called(names, _CONVERSIONS if _compiles(names) else _REPLACED):
            names.setdefault(name, _REPLACED[name])


def _compiles(names: dict[str, Any]) -> bool:
    """Whether a module uses a compiler that knows the built-in functions alone."""
    kinds = (type(value).__module__ if type(value) is not ModuleType else value.__name__ for value in names.values())
    return any(str(kind).partition(".")[0] == "numba" for kind in kinds)


_MOST_MODULES = 32


def _globals_of(judged: Any) -> Iterator[dict[str, Any]]:
    """The names of the modules of judged code, and of modules and functions that these modules name."""
    left = list(_first_globals(judged))
    known: dict[int, dict[str, Any]] = {}
    while left and len(known) < _MOST_MODULES:
        names = left.pop(0)
        if id(names) in known or str(names.get("__name__", "")).partition(".")[0] in _LIBRARIES:
            continue
        known[id(names)] = names
        values = [value for value in names.values() if type(value) in (ModuleType, FunctionType)]
        left += [vars(value) if type(value) is ModuleType else value.__globals__ for value in values]
    yield from known.values()


def _first_globals(judged: Any) -> Iterator[dict[str, Any]]:
    while isinstance(judged, partial):
        judged = judged.func
    judged = getattr(judged, "__func__", judged)
    if isinstance(judged, FunctionType):
        yield judged.__globals__
        return
    for base in (judged if isinstance(judged, type) else type(judged)).__mro__:
        for part in vars(base).values():
            if isinstance(part, cached_property):
                part = part.func
            for function in (part, getattr(part, "__func__", None), getattr(part, "fget", None)):
                if isinstance(function, FunctionType):
                    yield function.__globals__
