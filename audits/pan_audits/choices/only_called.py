"""Whether the source of a module does nothing with a built-in class than to call it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

_INDIRECT = frozenset(
    {"__builtins__", "__import__", "builtins", "compile", "eval", "exec", "getattr", "globals", "locals", "vars"}
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


def _harmless(module: ast.Module, names: dict[str, Any]) -> Iterator[ast.AST]:
    """Nodes that are called, that are the type of one of numpy's arrays, or that belong to an annotation."""
    for node in ast.walk(module):
        if isinstance(node, ast.Call):
            yield node.func
            if _is_of_numpy(node.func, names):
                yield from (each.value for each in node.keywords if each.arg == "dtype")
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
