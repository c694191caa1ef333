"""Code that is rewritten, so that choices in it are followed.

The source of a function as a syntax tree, and code that is made of a changed tree.

``a if condition else b`` where the condition is a random choice that is left open: both values, in a table.

Functions in which a condition may be a random choice that is left open.

Code like ``out.append(bit if rng.random() < 0.75 else 1 - bit)`` decides by each random choice, so that 20 of them
have 2**20 ways. For the time of one call, such a condition is replaced by :func:`pan_audits.choices.rewritten.chosen`,
which computes both values. This is done where the two values are arithmetic of names, constants and entries:

*   conditional expressions;
*   ``if`` with ``else``, whose parts assign to one name or entry, append to one list, or return;
*   ``if`` without ``else``, whose parts assign to names or entries, or ``if`` with a return before a return.

All other code stays as it is. If a condition is not open, the original statement is executed.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import dis
import linecache
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from pan_audits.choices.errors import UnfollowableError, unfollowable
from pan_audits.choices.followed import PYTHON, FollowedArray, FollowedUniforms, joint, of_numbers, single
from pan_audits.choices.guarded_builtins import guarded_float, guarded_int

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


_CHOSEN, _IS_OPEN = "panproof: chosen", "panproof: is open"
_PUT: dict[str, Callable[..., Any]] = {_CHOSEN: chosen, _IS_OPEN: is_open}
"""The functions that take the place of these texts in rewritten code."""

_IDENTITY = frozenset({"id", "is_", "is_not"})
_OTHER_NAMES = frozenset({"locals", "eval", "exec", "vars", "globals", "super", "__class__"})
_CALM = (
    *(ast.Constant, ast.Name, ast.UnaryOp, ast.BinOp, ast.Compare, ast.Subscript, ast.Load, ast.operator),
    *(ast.unaryop, ast.cmpop),
)
"""Expressions that change nothing, if the values are plain."""


@contextlib.contextmanager
def rewritten(functions: Iterable[FunctionType]) -> Iterator[None]:
    """Let functions follow open conditions, until the end of the context."""
    before: list[tuple[FunctionType, CodeType]] = []
    try:
        for function in functions:
            code = _code_of(function.__code__)
            if code is not None:
                before.append((function, function.__code__))
                function.__code__ = code
        yield
    finally:
        for function, code in before:
            function.__code__ = code


def require_no_identities(functions: Iterable[FunctionType]) -> None:
    """Refuse code that can ask whether a number is a certain object, which an open number never is."""
    for function in functions:
        for code in nested(function.__code__):
            steps = [step for step in dis.get_instructions(code) if step.opname not in ("CACHE", "EXTENDED_ARG")]
            of_none = {step for before, step in pairwise(steps) if before.argval is None and "CONST" in before.opname}
            if _IDENTITY & {*code.co_names} or any(s.opname == "IS_OP" and s not in of_none for s in steps):
                raise unfollowable(
                    "the estimator compares identities of objects (is, id), so that choices of a loop cannot be "
                    "followed separately"
                )


@lru_cache(maxsize=1024)
def _code_of(code: CodeType) -> CodeType | None:
    """The rewritten code; ``None`` if there is nothing to rewrite, or if the source is not at hand."""
    if _OTHER_NAMES & {*code.co_names, *code.co_freevars}:
        return None
    found = definition_of(code)
    if found is None or any(isinstance(node, (ast.Global, ast.Nonlocal)) for node in ast.walk(found)):
        return None
    changed = copy.deepcopy(found)
    rewriting = _Rewriting()
    if isinstance(changed, ast.Lambda):
        changed.body = rewriting.visit(changed.body)
    else:
        changed.body = rewriting.block(changed.body)
    if not rewriting.count:
        return None
    made = compiled(ast.fix_missing_locations(changed), code)
    return None if made is None else with_objects(made, _PUT)


class _Rewriting(ast.NodeTransformer):
    """Rewrites one function."""

    def __init__(self) -> None:
        self.count = 0

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        self.generic_visit(node)
        return self._either(node.test, node.body, node.orelse) or node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.body = self.block(node.body)
        return node

    def generic_visit(self, node: ast.AST) -> ast.AST:
        for name, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                setattr(node, name, self.block(value))
            elif isinstance(value, list):
                setattr(node, name, [self.visit(one) if isinstance(one, ast.AST) else one for one in value])
            elif isinstance(value, ast.AST):
                setattr(node, name, self.visit(value))
        return node

    def block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        """A list of statements."""
        made: list[ast.stmt] = []
        place = 0
        while place < len(statements):
            one, after = statements[place], statements[place + 1 : place + 2]
            returned = isinstance(one, ast.If) and not one.orelse and bool(after) and isinstance(after[0], ast.Return)
            if isinstance(one, ast.If):
                alternative = after if returned and isinstance(one.body[0], ast.Return) else one.orelse
                done = self._statement(one, alternative)
                if done:
                    made += done
                    place += 2 if alternative is after else 1
                    continue
            made.append(self.visit(one))
            place += 1
        return made

    def _statement(self, node: ast.If, alternative: list[ast.stmt]) -> list[ast.stmt]:
        """The statements for an open condition beside the original one; none if it is of another form."""
        test, negated = _without_not(node.test)
        body, other = (alternative, node.body) if negated else (node.body, alternative)
        name = f"panproof condition {self.count}"
        condition = ast.Name(name, ast.Load())
        values = self._assigned(condition, body, other)
        if not values:
            return []
        self.count += 1
        first = ast.Assign([ast.Name(name, ast.Store())], self.visit(test))
        closed = ast.If(condition, [*map(self.visit, body)] or [ast.Pass()], [*map(self.visit, other)])
        opened = ast.If(ast.Call(ast.Constant(_IS_OPEN), [condition], []), values, [closed])
        return [ast.copy_location(first, node), ast.copy_location(opened, node)]

    def _assigned(self, condition: ast.expr, body: list[ast.stmt], other: list[ast.stmt]) -> list[ast.stmt]:
        """The statements that stand for two lists of statements if the condition is open."""
        if body and other:
            if len(body) > 1 or len(other) > 1:
                return []
            one, two = self._put(body[0]), self._put(other[0])
            if one is None or two is None or one.place != two.place:
                return []
            value = self._either(condition, one.value, two.value)
            return [] if value is None else [one.made(value)]
        made: list[ast.stmt] = []
        for statement in body or other:
            found = self._put(statement)
            if found is None or found.before is None:
                return []
            pair = (found.value, found.before) if body else (found.before, found.value)
            value = self._either(condition, *pair)
            if value is None:
                return []
            made.append(found.made(value))
        return made

    def _put(self, statement: ast.stmt) -> _Put | None:
        """Where a statement puts which value; for ``if`` with ``else``, one place of both parts."""
        if isinstance(statement, ast.If) and len(statement.body) == len(statement.orelse) == 1:
            one, two = self._put(statement.body[0]), self._put(statement.orelse[0])
            test = copy.deepcopy(statement.test)
            if one is None or two is None or one.place != two.place or not _is_calm(_without_not(test)[0]):
                return None
            value = self._either(test, one.value, two.value)
            return None if value is None else _Put(one.place, value, one.made, None)
        found = _put_by(statement)
        return found and _Put(found.place, self.visit(copy.deepcopy(found.value)), found.made, found.before)

    def _either(self, test: ast.expr, one: ast.expr, other: ast.expr) -> ast.expr | None:
        """An expression that follows an open condition; ``None`` if a value may change something."""
        test, negated = _without_not(test)
        if not _is_calm(one) or not _is_calm(other):
            return None
        self.count += 1
        values = [other, one] if negated else [one, other]
        nodes = (node for value in values for node in ast.walk(value) if isinstance(node, ast.Name))
        names = sorted({node.id for node in nodes})
        used = ast.Tuple([ast.Name(name, ast.Load()) for name in names], ast.Load())
        return ast.Call(ast.Constant(_CHOSEN), [test, *map(_later, [*values, used])], [])


def _later(value: ast.expr) -> ast.Lambda:
    arguments = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    return ast.Lambda(arguments, copy.deepcopy(value))


def _is_calm(value: ast.expr) -> bool:
    """Whether an expression is arithmetic of names, constants and entries, or a choice that is rewritten already."""
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Constant) and value.func.value == _CHOSEN:
        condition, first, second = value.args[:3]
        parts = [condition, *(one.body for one in (first, second) if isinstance(one, ast.Lambda))]
        return all(map(_is_calm, parts))
    if isinstance(value, ast.Call):
        converts = isinstance(value.func, ast.Name) and value.func.id in CONVERSIONS
        return converts and not value.keywords and all(map(_is_calm, value.args))
    if isinstance(value, ast.IfExp):
        return False
    if isinstance(value, ast.Compare) and len(value.ops) > 1:
        return False
    if not isinstance(value, _CALM):
        return False
    if isinstance(value, (ast.Compare,)) and isinstance(value.ops[0], (ast.Is, ast.IsNot, ast.In, ast.NotIn)):
        return False
    return all(_is_calm(one) for one in ast.iter_child_nodes(value))  # type: ignore[arg-type]


@dataclass(frozen=True)
class _Put:
    """A value that is put somewhere: the place, the value, a statement with another value, and the value before."""

    place: str
    value: ast.expr
    made: Callable[[ast.expr], ast.stmt]
    before: ast.expr | None


def _put_by(statement: ast.stmt) -> _Put | None:
    """Where a statement puts which value, if it does nothing else."""

    def like(made: ast.stmt) -> ast.stmt:
        return ast.copy_location(made, statement)

    if isinstance(statement, ast.Return) and statement.value is not None:
        return _Put("return", statement.value, lambda value: like(ast.Return(value)), None)
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1 and _is_place(statement.targets[0]):
        target = statement.targets[0]
        return _Put(ast.dump(target), statement.value, lambda value: like(ast.Assign([target], value)), _loaded(target))
    if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
        name = statement.target
        value = ast.BinOp(_loaded(name), statement.op, statement.value)
        return _Put(ast.dump(name), value, lambda value: like(ast.Assign([name], value)), _loaded(name))
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        call = statement.value
        function = call.func
        if (
            isinstance(function, ast.Attribute)
            and function.attr == "append"
            and isinstance(function.value, ast.Name)
            and len(call.args) == 1
            and not call.keywords
        ):
            place = ast.dump(function)
            return _Put(place, call.args[0], lambda value: like(ast.Expr(ast.Call(function, [value], []))), None)
    return None


def _without_not(test: ast.expr) -> tuple[ast.expr, bool]:
    """A condition without ``not``, and whether it is negated."""
    negated = False
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, negated = test.operand, not negated
    return test, negated


def _is_place(target: ast.expr) -> bool:
    """Whether it is a name, or an entry at a calm place."""
    if isinstance(target, ast.Subscript):
        return isinstance(target.value, ast.Name) and _is_calm(target.slice)
    return isinstance(target, ast.Name)


def _loaded(target: ast.expr) -> ast.expr:
    found = copy.deepcopy(target)
    found.ctx = ast.Load()  # type: ignore[attr-defined]
    return found
