"""Whether the code of a function leaves nothing behind and asks for no types: read from its instructions."""

from __future__ import annotations

import builtins
import dis
import math
from collections.abc import Iterator
from functools import partial
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from pan_audits.events.observing.values import is_filled
from pan_audits.subject.isolation.own_code import nested
from pan_estimators.randomness.numpy_names import NumpyNames

_REFUSED = (
    *("STORE_GLOBAL", "DELETE_GLOBAL", "STORE_ATTR", "DELETE_ATTR", "STORE_NAME", "DELETE_NAME", "LOAD_NAME"),
    *("IMPORT_NAME", "IMPORT_FROM", "LOAD_BUILD_CLASS", "LOAD_LOCALS", "LOAD_FROM_DICT_OR_GLOBALS", "IS_OP"),
    *("FORMAT_VALUE", "FORMAT_SIMPLE", "FORMAT_WITH_SPEC", "CONVERT_VALUE", "PUSH_EXC_INFO", "LOAD_SUPER_ATTR"),
    *("BEFORE_WITH", "BEFORE_ASYNC_WITH", "LOAD_SPECIAL", "GET_AWAITABLE", "GET_AITER", "GET_ANEXT", "SEND"),
    *("MATCH_CLASS", "MATCH_MAPPING", "MATCH_SEQUENCE", "MATCH_KEYS"),
)
"""Instructions that keep something, or look at more than a value: a name, an attribute, an error, an identity."""

_BUILTINS = frozenset(
    (
        *("abs", "bool", "enumerate", "float", "int", "len", "list", "max", "min", "range", "reversed", "round"),
        *("sorted", "sum", "tuple", "zip", "AssertionError", "ValueError"),
    )
)
_OF_NUMPY = frozenset(
    (
        *("abs", "absolute", "arange", "argmax", "argmin", "array", "asarray", "bool_", "ceil", "clip", "cumsum"),
        *("concatenate", "count_nonzero", "e", "exp", "expm1", "float64", "floor", "full", "inf", "int64", "log"),
        *("log1p", "logical_and", "logical_not", "logical_or", "logical_xor", "max", "maximum", "mean", "median"),
        *("min", "minimum", "ndim", "ones", "pi", "rint", "round", "shape", "sign", "size", "sqrt", "square", "sum"),
        *("trunc", "var", "where", "zeros"),
    )
)
_OF_MATH = frozenset(name for name in vars(math) if not name.startswith("_"))
_OF_VALUES = frozenset(
    (
        *("append", "argmax", "argmin", "astype", "clear", "copy", "extend", "get", "insert", "items", "keys", "max"),
        *("mean", "min", "ndim", "pop", "reshape", "reverse", "shape", "size", "sort", "std", "sum", "T", "tolist"),
        *("values", "var"),
        *(name for name in vars(NumpyNames) if not name.startswith("_")),
        *("laplace", "bernoulli", "uniform_integers", "discrete_laplace", "two_sided_geometric"),
    )
)
_ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")
_CONSTANTS = (type(None), bool, int, float, str, bytes, np.float64, np.int64, np.bool_)
_MOST_FUNCTIONS = 64


def is_plain(function: Any) -> bool:
    """Whether calls of a function cannot tell a number from a column, and leave nothing behind.

    It may use its arguments, constants, arithmetic, and some functions of Python, of ``math`` and of numpy. This is
    sufficient only together with a refusal of each use of a column that is no arithmetic.
    """
    while type(function) is partial:
        if not all(_is_constant(one) for one in (*function.args, *function.keywords.values())):
            return False
        function = function.func
    waiting, met = [function], set[int]()
    while waiting:
        one = waiting.pop()
        if id(one) in met:
            continue
        met.add(id(one))
        if type(one) is not FunctionType or len(met) > _MOST_FUNCTIONS or one.__dict__:
            return False
        used = list(_used_by(one))
        if not all(_is_constant(value) or type(value) is FunctionType for value in used):
            return False
        waiting += [value for value in used if type(value) is FunctionType]
    return True


def is_plain_data(value: Any, depth: int = 8) -> bool:
    """Whether a value consists of Python's own containers, numbers, texts, and numpy's arrays of numbers."""
    if type(value) is np.ndarray:
        return bool(value.dtype.kind in "biuf")
    if type(value) in (list, tuple, set, frozenset):
        return depth > 0 and all(is_plain_data(one, depth - 1) for one in value)
    if type(value) is dict:
        return depth > 0 and all(is_plain_data(one, depth - 1) for pair in value.items() for one in pair)
    return type(value) in _CONSTANTS


class _Refused:
    """It stands for something that a plain function does not use."""


def _used_by(function: FunctionType) -> Iterator[Any]:
    """The values that a function finds outside of its arguments, other than permitted functions of libraries."""
    yield from function.__defaults__ or ()
    yield from (function.__kwdefaults__ or {}).values()
    yield from (cell.cell_contents if is_filled(cell) else _Refused() for cell in function.__closure__ or ())
    own = function.__code__
    if function.__globals__.get("__builtins__", vars(builtins)) not in (builtins, vars(builtins)):
        yield _Refused()
    for code in nested(own):
        yield from _used_in(code, own, function.__globals__)


def _used_in(code: CodeType, own: CodeType, names: dict[str, Any]) -> Iterator[Any]:
    module: Any = None
    for step in dis.get_instructions(code):
        if step.opname in ("CACHE", "EXTENDED_ARG", "PUSH_NULL", "PRECALL"):
            continue
        if step.opname.startswith(_REFUSED) or (step.opname == "STORE_DEREF" and step.argval in own.co_freevars):
            yield _Refused()
        elif step.opname in _ATTRIBUTES:
            permitted = _OF_VALUES if module is None else _OF_NUMPY if module is np else _OF_MATH
            if step.argval not in permitted:
                yield _Refused()
        elif module is not None:
            yield _Refused()  # a module that is used otherwise than for one of its names
        module = None
        if step.opname == "LOAD_GLOBAL":
            found = names.get(step.argval, _Refused)
            if found is np or found is math:
                module = found
            elif isinstance(found, ModuleType):
                yield _Refused()
            elif found is _Refused:
                if step.argval not in _BUILTINS:
                    yield _Refused()
            elif not _is_named_function(found, step.argval):
                yield found


def _is_named_function(found: Any, name: str) -> bool:
    """Whether a global is one of numpy's or of math's functions, by its own name, or a permitted built-in one."""
    if name in _BUILTINS and found is getattr(builtins, name):
        return True
    return any(
        name in allowed and found is getattr(kind, name) for kind, allowed in ((np, _OF_NUMPY), (math, _OF_MATH))
    )


def _is_constant(value: Any, depth: int = 8) -> bool:
    if type(value) is tuple:
        return depth > 0 and all(_is_constant(one, depth - 1) for one in value)
    return type(value) in _CONSTANTS
