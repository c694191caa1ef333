"""In the judged process: from a thing of any form to a function of one input and a randomness.

A function, a partial, a method, or an object that can be called is called with the input. Another object is asked by
one of its methods. A class, or a function that needs no input, makes an object for each run.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial, wraps
from itertools import takewhile
from operator import attrgetter
from types import FunctionType
from typing import Any

from pan_audits.events.observing.values import is_of_compiler
from pan_audits.subject.isolation.objects import (
    RANDOMNESS_PARAMETERS,
    RESULT_METHODS,
    UPDATE_METHODS,
    find_method,
    parameters_of,
)
from pan_audits.subject.isolation.released import published
from pan_audits.subject.isolation.sources import as_numpy_generator, as_parameter, drawn_from
from pan_audits.subject.isolation.synthesizers import FIT_METHODS
from pan_estimators.common.registry import require_parameters
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_promises.errors import InputError

CALLED = (
    *("release", "randomise", "randomize", "privatise", "privatize", "perturb", "obfuscate", "add_noise"),
    *("quick_result", "execute", "apply", "invoke"),
)
"""Methods that take an input and return an output, in the order in which they are looked for."""

_FITTED_AT_ONCE = ("fit_transform", "fit_predict")

OPTIONAL = frozenset({"universe", "epsilon", "delta", "rho", "sample_size"})
"""Parameters that a mechanism without them ignores."""

_SIZE = "size"
"""The parameter for the number of outputs, as numpy calls it."""
_SEED = "seed"
_LEGACY = "random_state"
_IN_ITS_PLACE = ""

_NO_FUNCTION = {
    inspect.iscoroutinefunction: "an async function",
    inspect.isasyncgenfunction: "an async generator function",
}


@dataclass(frozen=True)
class MethodOf:
    """A method of the objects of a class, by its name."""

    kind: type
    name: str


@dataclass(frozen=True)
class Arguments:
    """The arguments of a function besides its input, and how the input is one of them.

    Attributes
    ----------
    before, fixed
        Those in the places before the input, and those by name.
    handed
        The parameter for the randomness, empty for the place after the input, or ``None`` if the function draws from
        the sources of Python and numpy.
    parts
        The number of arguments over which an input, a tuple, is spread.
    by_name
        The parameter for the input, if it has no place.
    takes_size
        Whether a parameter ``size``, by default ``None`` or without a default, is the number of independent outputs.
    """

    before: tuple[Any, ...] = ()
    fixed: Mapping[str, Any] = field(default_factory=dict)
    handed: str | None = None
    parts: int = 1
    by_name: str = ""
    takes_size: bool = False

    def call(self, function: Callable[..., Any], data: Any, randomness: Any, options: Mapping[str, Any]) -> Any:
        """The output of the function on an input."""
        named = {**self.fixed, **options}
        places = [*self.before]
        if self.by_name:
            named[self.by_name] = data
        elif self.parts == 1:
            places.append(data)
        elif isinstance(data, tuple) and len(data) == self.parts:
            places += data
        else:
            raise InputError(f"an input of this mechanism is a tuple of its {self.parts} arguments")
        if self.handed == _IN_ITS_PLACE:
            places.append(as_numpy_generator(randomness) if is_of_compiler(_unwrapped(function)) else randomness)
        elif self.handed is not None:
            named[self.handed] = as_parameter(self.handed, randomness)
        return function(*places, **named)


@dataclass(frozen=True)
class Form:
    """A thing as a function of one input and a randomness.

    Attributes
    ----------
    thing
        A function or an object; or what makes an object for each run.
    arguments
        Those of the function that takes the input.
    asked
        From an object to the function that takes the input; ``None`` if it is that function.
    made_with, made_at_random
        The arguments with which an object is made for each run, and the parameter for a randomness; ``None`` if the
        thing is the object, and if there is no such parameter.
    example
        The object, or one that was made to be looked at.
    taken
        The names of the given parameters that it takes.
    """

    thing: Any
    arguments: Arguments
    asked: Callable[[Any], Callable[..., Any]] | None = None
    made_with: Mapping[str, Any] | None = None
    made_at_random: str | None = None
    example: Any = field(default=None, compare=False, repr=False)
    taken: frozenset[str] = frozenset()

    def __call__(self, data: Any, randomness: Any, **options: Any) -> Any:
        """The output of one run."""
        made = self.thing
        if self.made_with is not None:
            at_random = self.made_at_random
            given = {} if at_random is None else {at_random: as_parameter(at_random, randomness)}
            made = self.thing(**self.made_with, **given)
        function = made if self.asked is None else self.asked(made)
        return self.arguments.call(function, data, randomness, options)

    def with_randomness(self, randomness: Any, options: Mapping[str, Any]) -> Callable[[Any], Any]:
        """The function of the input alone, for runs with one randomness."""
        thing, handed = self.thing, self.arguments.handed
        plain = self.asked is None and self.made_with is None and self.arguments == Arguments(handed=handed)
        if not plain or options or handed or is_of_compiler(_unwrapped(thing)):
            return lambda data: self(data, randomness, **options)
        return thing if handed is None else lambda data: thing(data, randomness)

    @property
    def code(self) -> Any:
        """The judged code: a function, a class, or the object that has the method."""
        if (named := getattr(self.thing, "judged_code", None)) is not None:
            return named
        if self.made_with is None and isinstance(self.asked, attrgetter):
            return self.asked(self.thing)
        return _unwrapped(self.thing)

    @property
    def plain_function(self) -> FunctionType | None:
        """The function of Python that it is; ``None`` for any other form."""
        function = _unwrapped(self.thing)
        plain = self.asked is None and self.made_with is None and isinstance(function, FunctionType)
        return function if plain and self.arguments.parts == 1 else None


def is_mechanism(kind: Any) -> bool:
    """Whether something is a function of data and a randomness."""
    names = [] if isinstance(kind, type) or not callable(kind) else list(parameters_of(kind) or ())
    return len(names) >= 2 and names[1] in RANDOMNESS_PARAMETERS


def takes_an_input(kind: Any, given: Mapping[str, Any]) -> bool:
    """Whether something is a function with a parameter that needs a value, besides those that are given."""
    if not isinstance(_unwrapped(kind), FunctionType):
        return is_mechanism(kind)
    return any(_is_needed(p) and p.name not in given for p in (parameters_of(kind) or {}).values())


def form_of(thing: Any, given: Mapping[str, Any], name: str) -> Form:
    """The form of a thing that is given its whole input.

    Raises
    ------
    InputError
        If nothing says how it takes an input, or a parameter is missing or unknown.
    """
    _require_function(thing, name)
    makes = isinstance(thing, (type, MethodOf)) or _needs_no_input(thing, given)
    kind = thing.kind if isinstance(thing, MethodOf) else thing
    made_with, at_random = _to_make(kind, given, name) if makes else ({}, None)
    example = _made(kind, made_with, at_random, name) if makes else thing
    asked = attrgetter(thing.name) if isinstance(thing, MethodOf) else _asked(example, name)
    function = example if asked is None else asked(example)
    known = parameters_of(function) or {}
    rest = {key: given[key] for key in given if key not in made_with or (key in known and _is_needed(known[key]))}
    arguments = _arguments(function, rest, name, spread=asked is _fit)
    taken = frozenset({key for key in given if key in made_with or accepts(function, key)})
    own = {**(parameters_of(kind) or {}), **known} if makes else known
    require_parameters(name, set(given) - taken - OPTIONAL, own)
    return Form(kind, arguments, asked, made_with if makes else None, at_random, example, taken)


def accepts(function: Any, parameter: str) -> bool:
    """Whether a class or a function takes a parameter of this name. Code without a signature may take any other."""
    if not callable(function):
        return False
    parameters = parameters_of(function)
    if parameters is None:
        return parameter not in OPTIONAL
    return parameter in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())


# An object that is made for each run


def _needs_no_input(thing: Any, given: Mapping[str, Any]) -> bool:
    """Whether a function of Python, with the given parameters, has no parameter left for an input."""
    parameters = parameters_of(thing) if isinstance(_unwrapped(thing), FunctionType) else None
    return parameters is not None and all(
        p.name in given or p.kind is p.VAR_KEYWORD or (p.kind is p.KEYWORD_ONLY and not _is_needed(p))
        for p in parameters.values()
    )


def _to_make(kind: Any, given: Mapping[str, Any], name: str) -> tuple[dict[str, Any], str | None]:
    """The arguments of a class or a function that makes an object, and its parameter for a randomness."""
    listed = list((parameters_of(kind) or {}).values())
    made_with = {key: given[key] for key in given if accepts(kind, key)}
    at_random = _randomness_among(listed, made_with)
    for p in listed:
        if _is_needed(p) and p.name not in made_with and p.name != at_random:
            hint = "--epsilon E" if p.name == "epsilon" else f"--set {p.name}=VALUE"
            raise InputError(f"{name} needs the parameter {p.name!r}: give {hint}")
    return made_with, at_random


def _made(kind: Any, made_with: Mapping[str, Any], at_random: str | None, name: str) -> Any:
    """An object, to be looked at."""
    randomness = NumpyRandomness(0)
    try:
        with drawn_from(randomness):
            return kind(**made_with, **({} if at_random is None else {at_random: as_parameter(at_random, randomness)}))
    except InputError:
        raise
    except (Exception, SystemExit) as problem:
        text = " ".join(str(problem).split())[:200]
        raise InputError(f"{name} could not be made: {type(problem).__name__}: {text}") from None


def _is_needed(parameter: inspect.Parameter) -> bool:
    return parameter.default is parameter.empty and parameter.kind not in (
        parameter.VAR_KEYWORD,
        parameter.VAR_POSITIONAL,
    )


def _randomness_among(parameters: Iterable[inspect.Parameter], given: Mapping[str, Any]) -> str | None:
    """The parameter for a randomness, or for a seed that has no default."""
    free = [p for p in parameters if p.name not in given]
    # Without a value it stands for the global generator of numpy.
    named = (p.name for p in free if p.name in RANDOMNESS_PARAMETERS and (p.name, p.default) != (_LEGACY, None))
    return next(named, None) or next((p.name for p in free if p.name == _SEED and _is_needed(p)), None)


# How an object is asked


def _asked(made: Any, name: str) -> Callable[[Any], Callable[..., Any]] | None:
    if callable(made):
        return None
    if (method := find_method(made, CALLED)) is not None:
        return attrgetter(method)
    if find_method(made, FIT_METHODS) is not None:
        return _fit
    if find_method(made, UPDATE_METHODS) is not None and find_method(made, RESULT_METHODS) is not None:
        return _feed
    if (method := find_method(made, _FITTED_AT_ONCE)) is not None:
        return attrgetter(method)
    own = [] if type(made).__module__ == "builtins" else dir(made)
    methods = [each for each in own if not each.startswith("_") and callable(getattr(made, each, None))]
    raise InputError(
        f"a mechanism is called as f(data) or f(data, rng), or has a method such as {', '.join(CALLED[:4])} or "
        f"{FIT_METHODS[0]}, but {name} is or makes an object of {type(made).__name__}"
        + (f", which has {', '.join(methods[:8])}: name one as module:Class.method" if methods else "")
    )


def _fit(made: Any) -> Callable[..., Any]:
    """The fitting of an object, whose output is what the fitted object shows."""
    name = str(find_method(made, FIT_METHODS))

    @wraps(getattr(made, name))
    def fitted(*data: Any, **options: Any) -> Any:
        own = copy.deepcopy(made)
        return published(own, getattr(own, name)(*data, **options), made, data)

    return fitted


def _feed(made: Any) -> Callable[..., Any]:
    """The result of an object that is fed all entries of an input."""
    update, result = str(find_method(made, UPDATE_METHODS)), str(find_method(made, RESULT_METHODS))

    def fed(data: Any) -> Any:
        own = copy.deepcopy(made)
        for entry in data:
            getattr(own, update)(entry)
        return getattr(own, result)()

    return fed


# The arguments of a function


def _unwrapped(function: Any) -> Any:
    while isinstance(function, partial):
        function = function.func
    return function


def _require_function(thing: Any, name: str) -> None:
    function = _unwrapped(thing)
    codes: list[Any] = [function, getattr(type(function), "__call__", None)]  # noqa: B004
    for code in codes:
        for matches, kind in _NO_FUNCTION.items():
            if matches(code):
                raise InputError(f"{name} is {kind}; a mechanism is an ordinary function f(data) or f(data, rng)")
    owner, _, method = str(getattr(function, "__qualname__", "")).rpartition(".")
    of_objects = isinstance(thing, FunctionType) and thing.__code__.co_varnames[:1] == ("self",)
    if of_objects and owner and not owner.endswith("<locals>"):
        raise InputError(
            f"{name} is a function of an object: give the method of an object, as {owner}(...).{method}, or name it as "
            f"module:{owner}.{method}"
        )


def _arguments(function: Any, given: Mapping[str, Any], name: str, *, spread: bool) -> Arguments:
    """The arguments of a function, from its signature."""
    fixed = {key: given[key] for key in given if accepts(function, key)}
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return Arguments(fixed=fixed)
    listed = list(signature.parameters.values())
    takes_size = _SIZE not in fixed and any(
        p.name == _SIZE and p.default in (None, p.empty) and p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
        for p in listed[1:]
    )
    if takes_size:
        # One output, also from a function whose size has no default.
        fixed[_SIZE] = None
    places = [p for p in listed if p.kind not in (p.KEYWORD_ONLY, p.VAR_KEYWORD)]
    before = tuple(fixed.pop(p.name) for p in list(takewhile(lambda p: p.name in fixed, places)))
    free = [p for p in places[len(before) :] if p.name not in fixed]
    needed = [p.name for p in listed if p.kind is p.KEYWORD_ONLY and _is_needed(p) and p.name not in fixed]
    handed = _randomness_among([p for p in listed if p not in free[:1]], fixed)
    by_name = "" if free or not needed else next((each for each in needed if each != handed), "")
    parts = 1
    if spread:
        parts = max(1, sum(_is_needed(p) and p.name != handed for p in free))
    elif free and free[0].kind is inspect.Parameter.VAR_POSITIONAL:
        handed = _IN_ITS_PLACE
    elif free[1:] and (handed == free[1].name or (handed is None and _is_needed(free[1]))):
        follows = free[1] in places[len(before) + 1 : len(before) + 2] and free[1].name not in (_SEED, _LEGACY)
        handed = _IN_ITS_PLACE if follows else free[1].name
    made = Arguments(before, fixed, handed, parts, by_name, takes_size)
    others = [p.name for p in free[parts + (handed == _IN_ITS_PLACE) :]]
    _require_call(signature, made, others + needed, name)
    return made


def _require_call(signature: inspect.Signature, arguments: Arguments, others: list[str], name: str) -> None:
    def binds(*places: Any, **named: Any) -> None:
        signature.bind(*places, **named)

    try:
        arguments.call(binds, (None,) * arguments.parts if arguments.parts > 1 else None, NumpyRandomness(0), {})
    except TypeError:
        parameters = signature.parameters
        wanting = [each for each in others if _is_needed(parameters[each]) and each != arguments.handed]
        wanting = [each for each in wanting if each not in arguments.fixed and each != arguments.by_name]
        if wanting and len(parameters) > 1:
            raise InputError(f"{name} needs a value for its parameter {wanting[0]!r}") from None
        raise InputError(
            f"a mechanism is called as f(data) or f(data, rng), with its data and perhaps a randomness, but {name} "
            f"takes {', '.join(parameters) or 'no parameters'}"
        ) from None
