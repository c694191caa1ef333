"""In the judged process: the values of conditions and operations, as far as they tell whether they ever varied."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Sequence
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as np

from pan_audits.isolation.sites import PREFIX, Kind, Site

_PLAIN = frozenset({bool, int, float, complex, str, bytes, type(None)})
_CONTAINERS = frozenset({list, tuple, dict, set, frozenset})
_NAMED = (FunctionType, BuiltinFunctionType, type, ModuleType)
_OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "Eq": operator.eq,
    "NotEq": operator.ne,
    "Lt": operator.lt,
    "LtE": operator.le,
    "Gt": operator.gt,
    "GtE": operator.ge,
    "Is": operator.is_,
    "IsNot": operator.is_not,
    "In": lambda one, other: one in other,
    "NotIn": lambda one, other: one not in other,
    "Add": operator.add,
    "Sub": operator.sub,
    "Mult": operator.mul,
    "MatMult": operator.matmul,
    "Div": operator.truediv,
    "Mod": operator.mod,
    "Pow": operator.pow,
    "LShift": operator.lshift,
    "RShift": operator.rshift,
    "BitOr": operator.or_,
    "BitXor": operator.xor,
    "BitAnd": operator.and_,
    "FloorDiv": operator.floordiv,
    "iAdd": operator.iadd,
    "iSub": operator.isub,
    "iMult": operator.imul,
    "iMatMult": operator.imatmul,
    "iDiv": operator.itruediv,
    "iMod": operator.imod,
    "iPow": operator.ipow,
    "iLShift": operator.ilshift,
    "iRShift": operator.irshift,
    "iBitOr": operator.ior,
    "iBitXor": operator.ixor,
    "iBitAnd": operator.iand,
    "iFloorDiv": operator.ifloordiv,
    "entry": operator.getitem,
}
_CONVERSIONS: dict[int, Callable[[Any], str]] = {ord("r"): repr, ord("s"): str, ord("a"): ascii}
_OPAQUE = object()
EMPTY = "without entries"
"""It stands for the contents of a container that has none."""

_MOST_ENTRIES = 16
_MOST_RESULTS = 4

Place = int | tuple[int, int]
"""The number of a site, or one of its results."""
_MOST_NUMBERS = 2**20
_MOST_BYTES = 2**15


class Recorder:
    """Records for each site whether its value varied, and whether the parts did on which it depends.

    Parameters
    ----------
    is_followed
        Whether a function is recorded itself, so that the result of a call needs no record.
    """

    def __init__(self, is_followed: Callable[[FunctionType], bool]) -> None:
        self.is_followed = is_followed
        self.sites: list[Site] = []
        self.first: dict[Place, Any] = {}
        self.parts: dict[Place, Any] = {}
        self.varied: set[Place] = set()
        self.moved: set[Place] = set()
        self.looks: dict[str, None] = {}
        self.put: dict[str, Callable[..., Any]] = {
            f"{PREFIX}{name}": self._recorded(operation) for name, operation in _OPERATIONS.items()
        }
        for known in (
            *(self.truth, self.operand, self.reached, self.call),
            *(self.method, self.part),
            *(self.attribute, self.formatted),
        ):
            self.put[f"{PREFIX}{known.__name__}"] = known

    def _recorded(self, operation: Callable[[Any, Any], Any]) -> Callable[[int, Any, Any], Any]:
        varied, see = self.varied, self._see

        def recorded(site: int, one: Any, other: Any) -> Any:
            result = operation(one, other)
            if site not in varied:
                see(site, result, (one, other))
            return result

        return recorded

    def truth(self, site: int, value: Any) -> bool:
        """The truth of a value."""
        result = bool(value)
        if site not in self.varied:
            self._see(site, result, ())
        return result

    def operand(self, site: int, value: Any) -> Any:
        """A value, whose truth is recorded if that changes nothing."""
        if site not in self.varied:
            kind = type(value)
            known = kind in _PLAIN or isinstance(value, (np.generic, list, tuple, dict, set, frozenset))
            self._see(site, bool(value) if known else value, ())
        return value

    def reached(self, site: int, value: Any) -> Any:
        """A value; its place was reached."""
        self.varied.add(site)
        return value

    def call(self, site: int, function: Any, /, *arguments: Any, **named: Any) -> Any:
        """The result of a function."""
        if function is hash or function is id:
            self._note_number_of_a_process(function, arguments)
        result = function(*arguments, **named)
        if site not in self.varied:
            self._see_call(site, function, result, (*arguments, *named.values()))
        return result

    def part(self, site: int, value: Any, *ends: Any) -> Any:
        """The part of a sequence between two ends."""
        result = value[slice(*ends)]
        if site not in self.varied:
            self._see(site, result, (value, *ends))
        return result

    def attribute(self, site: int, value: Any, owner: Any) -> Any:
        """An attribute of an object."""
        if site not in self.varied:
            self._see(site, value, (owner,))
        return value

    def formatted(self, site: int, value: Any, conversion: int, form: str) -> str:
        """The text of a value in an f-string."""
        convert = _CONVERSIONS.get(conversion)
        result = format(value if convert is None else convert(value), form)
        if site not in self.varied:
            self._see(site, result, (value,))
        return result

    def _note_number_of_a_process(self, function: Any, arguments: Sequence[Any]) -> None:
        """Note a hash of a text, and the address of an object: they differ between processes."""
        if function is id:
            self.looks["the address of an object, which differs between processes (id)"] = None
        elif any(isinstance(one, (str, bytes)) for given in arguments for one in _flat(given)):
            self.looks["the hash of a text, which differs between processes (hash)"] = None

    def method(self, site: int, owner: Any, name: str, /, *arguments: Any, **named: Any) -> Any:
        """The result of a method."""
        function = getattr(owner, name)
        if site in self.varied:
            return function(*arguments, **named)
        # The method may change the object.
        before = () if self.sites[site].kind is Kind.TRUTH else tuple(_part(one) for one in (owner, *arguments))
        result = function(*arguments, **named)
        self._see_call(site, function, result, before)
        return result

    def _see_call(self, site: int, function: Any, result: Any, parts: Sequence[Any]) -> None:
        inner = getattr(function, "__func__", function)
        if isinstance(inner, FunctionType) and self.is_followed(inner):
            self.varied.add(site)
        else:
            self._see(site, result, parts)

    def _see(self, site: int, result: Any, parts: Sequence[Any]) -> None:
        if type(result) is tuple and 0 < len(result) <= _MOST_RESULTS:
            # Each of several results is looked at.
            places = [(site, place) for place in range(len(result))]
            for place, one in zip(places, result, strict=True):
                if place not in self.varied:
                    self._see_at(place, one, parts, isinstance(one, bool))
            if self.varied.issuperset(places):
                self.varied.add(site)
        else:
            self._see_at(site, result, parts, self.sites[site].kind is Kind.TRUTH)

    def _see_at(self, place: Place, result: Any, parts: Sequence[Any], alone: bool) -> None:
        """Record a result. A truth needs no look at the parts on which it depends."""
        form = _form(result)
        if form is _OPAQUE or (form[0] is np.ndarray and type(form[1]) is bytes):
            # An array with several numbers has both values of a condition.
            self.varied.add(place)
        elif place not in self.first:
            self.first[place] = form
            self.parts[place] = () if alone else tuple(_part(one) for one in parts)
        elif form != self.first[place]:
            self.varied.add(place)
            del self.first[place], self.parts[place]
        elif place not in self.moved and tuple(_part(one) for one in parts) != self.parts[place]:
            self.moved.add(place)
            self.parts[place] = ()

    def reached_sites(self) -> set[int]:
        """The numbers of the sites that any run has reached."""
        return {place if isinstance(place, int) else place[0] for place in (*self.varied, *self.first)}

    def constant(self) -> dict[int, Any]:
        """The sites that never varied, with their values.

        A place that was never reached has the value ``None``. It counts only if its statement began.
        """
        found: dict[int, Any] = {}
        for number, site in enumerate(self.sites):
            if site.kind is Kind.PLACE:
                if number not in self.varied and (site.within < 0 or site.within in self.varied):
                    found[number] = None
            elif number in self.first:
                kind, value = self.first[number]
                if site.kind is Kind.TRUTH or kind is bool or number in self.moved:
                    found[number] = value
        for place in self.first:
            if isinstance(place, tuple) and place in self.moved:
                found.setdefault(place[0], self.first[place][1])
        return found


def _flat(value: Any) -> Sequence[Any]:
    return value if isinstance(value, (tuple, frozenset)) else (value,)  # type: ignore[return-value]


def _form(value: Any) -> Any:
    """The type and the contents of a plain value; an array of equal numbers is one number."""
    kind = type(value)
    if kind in _PLAIN:
        return kind, value
    if isinstance(value, np.generic):
        plain = value.item()
        return type(plain), plain
    if kind is np.ndarray:
        if value.size == 0:
            return kind, EMPTY
        if value.dtype.kind not in "biuf" or value.size > _MOST_NUMBERS:
            return _OPAQUE
        first = value.flat[0]
        return (type(first.item()), first.item()) if (value == first).all() else (kind, value.tobytes()[:_MOST_BYTES])
    if isinstance(value, _NAMED):
        return type(value), value
    if kind in _CONTAINERS and not value:
        return kind, EMPTY
    return _OPAQUE


def _part(value: Any, depth: int = 1) -> Any:
    """As much of a value as is sufficient to notice most changes."""
    form = _form(value)
    if form is not _OPAQUE:
        return (*form, value.shape) if isinstance(value, np.ndarray) else form
    if isinstance(value, np.ndarray):
        return value.shape
    if isinstance(value, dict):
        return len(value), tuple(_part(one, depth - 1) for one in itertools.islice(value.items(), _MOST_ENTRIES))
    if isinstance(value, (set, frozenset)):
        return frozenset(value) if len(value) <= _MOST_ENTRIES else len(value)
    if hasattr(value, "__next__"):
        # Nobody can look into an iterator: each counts as another one.
        return object()
    if isinstance(value, (list, tuple)):
        entries = [_part(one, depth - 1) for one in value[:_MOST_ENTRIES]] if depth >= 0 else []
        return len(value), tuple(entries)
    return type(value)
