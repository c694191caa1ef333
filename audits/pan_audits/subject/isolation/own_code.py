"""In the judged process: which functions, classes and modules are the judged code, and their lines.

The judged code is everything that the estimator's class or function can reach by name, without installed packages.
The package of the estimator itself counts, even if it is installed.
"""

from __future__ import annotations

import dis
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from pathlib import Path
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from pan_audits.choices.errors import NOT_JUDGED
from pan_audits.events.observing.values import fields_of, is_filled
from pan_audits.subject.isolation.objects import ObjectEstimator
from pan_audits.subject.isolation.whole_input import WholeInputEstimator

_MOST_REACHED = 4096
_MOST_ENTRIES = 64
_LOOKING_UP = frozenset({"LOAD_METHOD", "LOAD_ATTR", "LOAD_SUPER_ATTR"})
_LIBRARIES = frozenset(NOT_JUDGED | set(sys.stdlib_module_names)) - {"__main__"}


@lru_cache(maxsize=2)
def _places(*names: str) -> tuple[str, ...]:
    """The folders of Python of these names; without a name, all."""
    paths = sysconfig.get_paths()
    places = [paths[name] for name in names] or {*paths.values(), sys.prefix, sys.base_prefix}
    return tuple(f"{Path(place)}/" for place in places)


@lru_cache(maxsize=4096)
def is_own_file(file: str) -> bool:
    """Whether a file is neither installed nor a part of this project."""
    project = (f"{Path(sys.modules[name].__path__[0])}/" for name in ("pan_audits", "pan_estimators", "pan_promises"))
    return not file.startswith((*_places(), *project, "<frozen"))


@lru_cache(maxsize=4096)
def _is_library_file(file: str) -> bool:
    """Whether a file belongs to the standard library."""
    library, *installed = _places("stdlib", "purelib", "platlib")
    return file.startswith(library) and not file.startswith(tuple(installed))


@dataclass
class OwnCode:
    """The judged code of one estimator.

    Attributes
    ----------
    functions, classes, modules
        Its parts.
    """

    functions: dict[CodeType, FunctionType] = field(default_factory=dict)
    classes: list[type] = field(default_factory=list)
    modules: list[ModuleType] = field(default_factory=list)
    _package: str = ""
    _met: dict[int, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, estimator: Any) -> OwnCode:
        """The code that an estimator in this process can reach."""
        root = estimator.code if isinstance(estimator, (ObjectEstimator, WholeInputEstimator)) else estimator
        while isinstance(root, partial):
            root = root.func
        kind = root if isinstance(root, (type, FunctionType, MethodType)) else type(root)
        found = cls(_package=str(kind.__module__).partition(".")[0])
        found._reach(root)
        return found

    @property
    def compiled(self) -> frozenset[CodeType]:
        """The code objects of functions that numba compiles."""
        behind = (
            vars(value).get("py_func")
            for value in self._met.values()
            if str(type(value).__module__).startswith("numba.") and hasattr(value, "__dict__")
        )
        return frozenset(function.__code__ for function in behind if isinstance(function, FunctionType))

    def _is_own(self, module_name: Any, file: str) -> bool:
        top = str(module_name or "").partition(".")[0]
        if top in _LIBRARIES and top != self._package:
            return False
        return top == self._package or is_own_file(file)

    def _is_borrowed(self, function: FunctionType) -> bool:
        """Whether it is a function of the standard library under the name of the judged code, as of a dataclass."""
        return self._package not in sys.stdlib_module_names and _is_library_file(function.__code__.co_filename)

    def _is_own_class(self, kind: type) -> bool:
        module = sys.modules.get(kind.__module__)
        return self._is_own(kind.__module__, str(getattr(module, "__file__", "") or ""))

    def _reach(self, value: Any) -> None:
        waiting = [value]
        while waiting and len(self._met) < _MOST_REACHED:
            one = waiting.pop()
            if id(one) not in self._met:
                self._met[id(one)] = one  # kept, so that no id is used twice
                waiting += reversed(list(self._parts(one)))

    def _parts(self, value: Any) -> Iterator[Any]:
        """The parts of a value in which more judged code may be found."""
        if isinstance(value, FunctionType):
            if self._is_own(value.__module__, value.__code__.co_filename) and not self._is_borrowed(value):
                self.functions[value.__code__] = value
                yield from self._used_by(value)
            elif hasattr(value, "__wrapped__"):
                yield value.__wrapped__
        elif isinstance(value, type):
            if self._is_own_class(value):
                self.classes.append(value)
                self._add_module(value.__module__)
                for base in value.__mro__[1:-1]:
                    if base not in self.classes and self._is_own_class(base):
                        self.classes.append(base)
                        self._add_module(base.__module__)
                yield from _members(value)
        elif isinstance(value, MethodType):
            yield from (value.__func__, value.__self__)
        elif isinstance(value, partial):
            yield from (value.func, *value.args, *value.keywords.values())
        elif isinstance(value, (list, tuple, set, frozenset)):
            yield from list(value)[:_MOST_ENTRIES]
        elif isinstance(value, dict):
            yield from list(value.values())[:_MOST_ENTRIES]
        elif hasattr(value, "__wrapped__") and callable(value):
            yield value.__wrapped__
        elif type(value).__module__.partition(".")[0] not in _LIBRARIES | {"builtins"}:
            yield type(value)
            yield from list((fields_of(value) or {}).values())[:_MOST_ENTRIES]

    def _used_by(self, function: FunctionType) -> Iterator[Any]:
        self._add_module(function.__module__)
        yield function.__defaults__ or ()
        yield function.__kwdefaults__ or {}
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            # The class of a method with ``super()`` is reached already.
            if is_filled(cell) and name != "__class__":
                yield cell.cell_contents
        names = sorted(names_of(function.__code__))
        for name in names:
            found = function.__globals__.get(name)
            if isinstance(found, ModuleType):
                if self._is_own(found.__name__, str(getattr(found, "__file__", "") or "")):
                    yield from (vars(found)[each] for each in names if each in vars(found))
            elif found is not None:
                yield found

    def _add_module(self, name: Any) -> None:
        module = sys.modules.get(str(name))
        if module is not None and module not in self.modules:
            self.modules.append(module)


def _members(kind: type) -> Iterator[Any]:
    """The functions of a class. Those that a derived class replaces count only if it calls ``super()``."""
    replaced: set[str] = set()
    above: set[str] = set()
    for base in kind.__mro__:
        for name, member in vars(base).items():
            functions = list(functions_in(member))
            if name in replaced and name not in above:
                continue
            replaced.add(name)
            for function in functions:
                above |= set(_of_super(function.__code__))
                yield function
            if not functions and not isinstance(member, type):
                yield member


def _of_super(code: CodeType) -> Iterator[str]:
    """The names that a function looks up by ``super()``."""
    for each in nested(code):
        steps = list(dis.get_instructions(each))
        for place, step in enumerate(steps):
            if step.argval == "super":
                following = (later for later in steps[place + 1 : place + 8] if later.opname in _LOOKING_UP)
                yield from (str(later.argval) for later in [*following][:1])


def functions_in(member: Any) -> Iterator[FunctionType]:
    """The functions behind a member of a class: a method, a property, a cached one."""
    for part in (
        member,
        getattr(member, "__func__", None),
        getattr(member, "fget", None),
        getattr(member, "fset", None),
        member.func if isinstance(member, cached_property) else None,
        getattr(member, "__wrapped__", None),
    ):
        if isinstance(part, FunctionType):
            yield part


def nested(code: CodeType) -> Iterator[CodeType]:
    """A code object, and those of the functions and comprehensions in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from nested(constant)


def names_of(code: CodeType) -> set[str]:
    """The global names and attributes that a function uses."""
    return {name for each in nested(code) for name in each.co_names}


def lines_of(codes: Iterable[CodeType]) -> set[int]:
    """The lines with instructions, without the line of the definition itself."""
    found: set[int] = set()
    for code in codes:
        own = {line for _, _, line in code.co_lines() if line is not None}
        found |= own - {code.co_firstlineno} if len(own) > 1 else own
    return found
