"""The source of a function as a syntax tree, and code that is made of a changed tree."""

from __future__ import annotations

import ast
import copy
import linecache
import warnings
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from types import CodeType
from typing import Any

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

_FUTURE = 0x1FE0000
"""The bits of the features of ``__future__``."""


def nested(code: CodeType) -> Iterator[CodeType]:
    """A code object, and those of the functions in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from nested(constant)


@lru_cache(maxsize=1024)
def definition_of(code: CodeType) -> Definition | None:
    """The definition of a code object, if its source is at hand and gives the same instructions."""
    for node in _definitions(code.co_filename).get((code.co_name, code.co_firstlineno), ()):
        again = compiled(node, code)
        if again is not None and _alike(again, code):
            return node
    return None


@lru_cache(maxsize=64)
def _definitions(file: str) -> dict[tuple[str, int], list[Definition]]:
    """The definitions of a module by name and first line."""
    found: dict[tuple[str, int], list[Definition]] = {}
    for node in ast.walk(_module(file) or ast.Module([], [])):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            line = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))])
            found.setdefault((getattr(node, "name", "<lambda>"), line), []).append(node)
    return found


@lru_cache(maxsize=64)
def _module(file: str) -> ast.Module | None:
    try:
        # linecache would keep the text, which looks like a change by the judged code.
        text = Path(file).read_bytes() if Path(file).is_file() else "".join(linecache.getlines(file))
        return ast.parse(text)
    except (OSError, SyntaxError, ValueError, RecursionError):
        return None


@lru_cache(maxsize=64)
def _imports(file: str) -> tuple[ast.stmt, ...]:
    """The imports of a module: Python compiles the call of a function of an imported module differently."""
    found: list[ast.stmt] = []
    waiting: list[ast.AST] = [_module(file) or ast.Module([], [])]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import) or (isinstance(node, ast.ImportFrom) and node.module != "__future__"):
            found.append(node)
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            waiting += ast.iter_child_nodes(node)
    return tuple(found)


def compiled(node: Definition, code: CodeType) -> CodeType | None:
    """The code of a definition, with the names from outside of the function of the given code.

    It can take the place of the given code. ``None`` if there is no such code.
    """
    arguments = ast.arguments(
        posonlyargs=[], args=[ast.arg(name) for name in code.co_freevars], kwonlyargs=[], kw_defaults=[], defaults=[]
    )
    inner: Any = copy.deepcopy(node)
    _without_defaults(inner)
    body: ast.stmt = ast.Return(inner) if isinstance(inner, ast.Lambda) else inner
    of_class = _class_of(code)
    if of_class:
        body = ast.ClassDef(name=of_class, bases=[], keywords=[], body=[body], decorator_list=[])
    # A function that calls itself finds itself under a global name.
    own = [ast.Global([code.co_name])] if code.co_name.isidentifier() and code.co_name not in code.co_freevars else []
    outer = ast.FunctionDef(name="outer", args=arguments, body=[*own, body], decorator_list=[])
    module = ast.fix_missing_locations(ast.Module([*_imports(code.co_filename), outer], []))
    flags = code.co_flags & _FUTURE
    try:
        with warnings.catch_warnings():
            # A text that is called stands for a function.
            warnings.simplefilter("ignore")
            whole = compile(module, code.co_filename, "exec", flags=flags, dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError):
        return None
    made: CodeType | None = next(one for one in whole.co_consts if isinstance(one, CodeType))
    for name in (of_class, code.co_name):
        if name and made is not None:
            made = next((one for one in made.co_consts if isinstance(one, CodeType) and one.co_name == name), None)
    if made is None or made.co_freevars != code.co_freevars:
        return None
    return made.replace(co_qualname=code.co_qualname)


def _class_of(code: CodeType) -> str:
    """The name of the class of a method that uses private names: the class is a part of them."""
    outer, _, _ = code.co_qualname.rpartition(".")
    name = outer.rpartition(".")[2]
    if not name.isidentifier():
        return ""
    start = f"_{name.lstrip('_')}__"
    used = (used for one in nested(code) for used in (*one.co_names, *one.co_varnames))
    return name if any(one.startswith(start) for one in used) else ""


def _without_defaults(node: Any) -> None:
    """Leave out defaults, annotations and decorators, which belong to the function and not to its code."""
    arguments = node.args
    arguments.defaults = [ast.Constant(None) for _ in arguments.defaults]
    arguments.kw_defaults = [one and ast.Constant(None) for one in arguments.kw_defaults]
    for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg):
        if one is not None:
            one.annotation = None
    if not isinstance(node, ast.Lambda):
        node.decorator_list, node.returns = [], None


def _alike(one: CodeType, other: CodeType) -> bool:
    names = ("co_code", "co_names", "co_varnames", "co_freevars", "co_cellvars", "co_argcount", "co_kwonlyargcount")
    if any(getattr(one, name) != getattr(other, name) for name in names):
        return False
    if len(one.co_consts) != len(other.co_consts):
        return False
    return all(
        _alike(ours, theirs)
        if isinstance(ours, CodeType) and isinstance(theirs, CodeType)
        else type(ours) is type(theirs) and repr(ours) == repr(theirs)
        for ours, theirs in zip(one.co_consts, other.co_consts, strict=True)
    )


def with_objects(code: CodeType, put: Mapping[str, Any]) -> CodeType:
    """The code with objects in the place of some texts among its constants."""
    constants = tuple(
        with_objects(one, put) if isinstance(one, CodeType) else put.get(one, one) if type(one) is str else one
        for one in code.co_consts
    )
    return code.replace(co_consts=constants)
