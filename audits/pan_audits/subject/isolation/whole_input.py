"""A mechanism that is given its whole input, as an estimator: in a judged process.

The judge sends a label. The state is that label, and a release runs the mechanism on the input that it stands for.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_audits.events.observing.values import fields_of, fingerprint, is_filled, is_of_compiler, source_of
from pan_audits.problems import judged, whole_inputs
from pan_audits.subject.isolation.objects import RANDOMNESS_PARAMETERS
from pan_audits.subject.isolation.sources import as_numpy_generator, as_parameter, drawn_from
from pan_audits.subject.isolation.synthesizers import FitAndSample
from pan_audits.subject.running.course import front_of_shipped, is_shipped
from pan_promises.errors import InputError
from pan_promises.problem import Problem
from pan_promises.promise import Observed, Promise

_SIZE = "size"
"""The parameter for the number of outputs, as numpy calls it."""

_NO_FUNCTION = {
    inspect.iscoroutinefunction: "an async function",
    inspect.isasyncgenfunction: "an async generator function",
    inspect.isgeneratorfunction: "a generator function",
}


_SEED = "seed"
_LEGACY = "random_state"


@dataclass(frozen=True)
class CalledParameters:
    """The arguments of a mechanism besides its data.

    Attributes
    ----------
    handed
        How it gets its randomness: the name of a parameter, empty for the second position, or ``None`` if it draws from
        the sources of Python and numpy.
    take_size
        Whether it takes a number of outputs: ``size``, by default ``None`` or without a default. A size with another
        default is an ordinary parameter.
    """

    handed: str | None = ""
    take_size: bool = False


def called_parameters(mechanism: Callable[..., Any], fixed: Mapping[str, Any], name: str) -> CalledParameters:
    """Read the signature of a mechanism."""
    _require_function(mechanism, name)
    try:
        signature = inspect.signature(mechanism)
    except (TypeError, ValueError):
        return CalledParameters()
    parameters = list(signature.parameters.values())
    handed = _handed(parameters, fixed)
    take_size = any(
        p.name == _SIZE and p.default in (None, p.empty) and p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
        for p in parameters[1:]
    )
    given = dict(fixed) if not take_size else {_SIZE: None, **fixed}
    if handed:
        given[handed] = None
    _require_call(signature, (None, None) if handed == "" else (None,), given, name)
    return CalledParameters(handed, take_size)


def _handed(parameters: Sequence[inspect.Parameter], fixed: Mapping[str, Any]) -> str | None:
    """The parameter for the randomness: one of a known name, or else the second one if it needs a value."""
    free = [p for p in parameters if p.name not in fixed and p.kind is not p.VAR_KEYWORD]
    places = [p for p in free if p.kind is not p.KEYWORD_ONLY]
    if places and places[0].kind is inspect.Parameter.VAR_POSITIONAL:
        return ""
    # Without a value it stands for the global generator of numpy.
    named = [p for p in free[1:] if p.name in RANDOMNESS_PARAMETERS and (p.name, p.default) != (_LEGACY, None)]
    seeds = [p for p in free[1:] if p.name == _SEED and p.default is p.empty]
    if named:
        return "" if named[0] in places[1:2] and named[0].name != _LEGACY else named[0].name
    if seeds:
        return _SEED
    return "" if places[1:] and places[1].default is places[1].empty else None


def _require_function(mechanism: Any, name: str) -> None:
    mechanism = _unwrapped(mechanism)
    codes: list[Any] = [mechanism, type(mechanism).__call__]
    for code in codes:
        for matches, kind in _NO_FUNCTION.items():
            if matches(code):
                raise InputError(f"{name} is {kind}; a mechanism is an ordinary function f(data, rng) with one output")


def _require_call(signature: inspect.Signature, places: tuple[None, ...], given: Mapping[str, Any], name: str) -> None:
    try:
        signature.bind(*places, **given)
    except TypeError:
        bound = signature.bind_partial(**{key: given[key] for key in given if key in signature.parameters}).arguments
        wanting = [
            p.name
            for p in list(signature.parameters.values())[2:]
            if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD) and p.name not in bound
        ]
        if wanting:
            raise InputError(f"{name} needs a value for its parameter {wanting[0]!r}") from None
        raise InputError(
            f"a mechanism is called as f(data) or f(data, rng), with its data and perhaps a randomness, but {name} "
            f"takes {', '.join(signature.parameters) or 'no parameters'}"
        ) from None


_MOST_PAIRS = 256
_LONGEST_LABEL = 60


@dataclass(frozen=True)
class WholeInputEstimator:
    """Makes an estimator of a mechanism ``f(data, randomness)``.

    Attributes
    ----------
    mechanism
        The mechanism.
    problem
        The inputs that it takes.
    inputs
        Those that came with it, by their labels; a table or a turnstile stream is read from its label.
    promise
        Its promise, if it has one.
    statements
        Its statements about its error on tables or turnstile streams.
    takes_size
        Whether it has a parameter ``size``, the number of independent outputs that a call returns.
    handed
        How it gets its randomness, as in :class:`CalledParameters`.
    owner
        The object that shows more than the output, if the problem lets it: on tables by its methods ``post_process``
        and ``sample``, on turnstile streams by ``create`` and ``follow``.
    plain
        Whether it draws from seeds and generators of its own, so that its choices cannot be followed.
    code
        The judged code, which is not the mechanism itself if that stands for other code.
    """

    mechanism: Callable[..., Any]
    problem: Problem
    inputs: Mapping[str, Any]
    promise: Promise | None = None
    statements: tuple[Any, ...] = ()
    takes_size: bool = False
    handed: str | None = ""
    owner: Any = None
    plain: bool = False
    code: Any = None

    def create(self, randomness: Any) -> str:
        """No input yet; no random choice is made."""
        return ""

    def update(self, state: str, ids: Any, randomness: Any) -> str:
        """The last of the labels."""
        return ids if isinstance(ids, str) else str(ids[-1])

    def release(self, state: str, randomness: Any) -> Any:
        """The mechanism's output on the input that the state names."""
        return self._run(state, randomness)

    def release_batch(self, state: str, size: int, randomness: Any) -> Any:
        """The outputs of ``size`` runs, by one call of a mechanism that takes a size."""
        return self._run(state, randomness, size=size)

    def _run(self, label: str, randomness: Any, **options: Any) -> Any:
        whole = whole_inputs(self.problem)

        def output() -> Any:
            given = whole.read(label, self.inputs)
            if self.handed == "":
                taken = as_numpy_generator(randomness) if self._is_compiled else randomness
                return self.mechanism(given, taken, **options)
            if self.handed:
                options[self.handed] = as_parameter(self.handed, randomness)
            return self.mechanism(given, **options)

        with drawn_from(randomness):
            return whole.seen(label, self.owner, output, randomness)

    @property
    def _is_compiled(self) -> bool:
        return is_of_compiler(_unwrapped(self.mechanism))

    @property
    def remembered(self) -> tuple[Any, ...]:
        """Values outside the input in which the mechanism could keep something: globals, closures, attributes."""
        return tuple(_kept_by(self.mechanism))

    @property
    def universe(self) -> tuple[str, ...]:
        """Labels to feed it."""
        return whole_inputs(self.problem).labels


def _unwrapped(mechanism: Any) -> Any:
    """The function of which a mechanism fixes parameters."""
    while isinstance(mechanism, partial):
        mechanism = mechanism.func
    return mechanism


def _kept_by(mechanism: Any) -> Iterator[Any]:
    """The values that a function can change and find again, and the attributes of the object that it belongs to."""
    mechanism = source_of(_unwrapped(mechanism))
    owner = getattr(mechanism, "__self__", None)
    if owner is not None:
        yield fields_of(owner) or {}
    function = getattr(mechanism, "__func__", mechanism)
    if not isinstance(function, FunctionType):
        yield fields_of(function) or {}
        return
    yield function.__dict__
    yield function.__defaults__
    yield [cell.cell_contents for cell in function.__closure__ or () if is_filled(cell)]
    for name in function.__code__.co_names:
        # A name that is missing is one of Python itself; the check may put another conversion in its place.
        value = function.__globals__.get(name, int)
        if not isinstance(value, (ModuleType, FunctionType, BuiltinFunctionType, type)):
            yield value


def is_mechanism(kind: Any) -> bool:
    """Whether something is a function of data and a randomness."""
    if isinstance(kind, type) or not callable(kind):
        return False
    try:
        names = list(inspect.signature(kind).parameters)
    except (TypeError, ValueError):
        return False
    return len(names) >= 2 and names[1] in RANDOMNESS_PARAMETERS


def whole_input_estimator(
    made: Any,
    problem: Problem,
    inputs: Mapping[str, Any],
    promise: Promise | None,
    arguments: Mapping[str, Any],
    *,
    name: str = "the mechanism",
) -> WholeInputEstimator:
    """The estimator of a function, or of an object with a method ``release(data, randomness)``."""
    mechanism = made if callable(made) else getattr(made, "release", None)
    if not callable(mechanism):
        raise InputError(
            "a mechanism that is given its whole input is a function of the data and a randomness, or an object with "
            "a method release(data, randomness)"
        )
    makes_inputs = judged(problem).makes_inputs
    statements = tuple(getattr(made, "statements", ())) if makes_inputs else ()
    fixed = dict(arguments)
    parameters = called_parameters(mechanism, fixed, name)
    takes_size = _SIZE not in fixed and parameters.take_size
    if takes_size:
        # One output, also from a function whose size has no default.
        fixed[_SIZE] = None
    called = partial(mechanism, **fixed) if fixed else mechanism
    return WholeInputEstimator(
        called,
        problem,
        inputs,
        promise,
        statements,
        takes_size,
        parameters.handed,
        made if makes_inputs else None,
        plain=isinstance(made, FitAndSample),
        code=getattr(made, "judged_code", called),
    )


def labelled(neighbours: Any) -> tuple[dict[str, Any], Problem]:
    """Inputs by their labels, from pairs of neighbours."""
    inputs: dict[str, Any] = {}
    known: dict[tuple[int, str], str] = {}
    pairs: list[tuple[int, int]] = []

    def place(value: Any) -> int:
        # A generator may change one object between two pairs.
        name = (id(value), fingerprint(value))
        if name not in known:
            label = f"{len(inputs)}: {_in_words(value)}"
            known[name] = label
            inputs[label] = copy.deepcopy(value)
        return list(inputs).index(known[name])

    kept: list[Any] = []
    differ = False
    for number, pair in enumerate(_pairs_in(neighbours), start=1):
        if number > _MOST_PAIRS:
            raise InputError(f"the neighbours are more than {_MOST_PAIRS} pairs, and a part of them would be left out")
        try:
            left, right = pair
        except (TypeError, ValueError):
            raise InputError(f"neighbours are pairs of two inputs, got {_in_words(pair)}") from None
        kept.append(pair)  # so that no id is used twice
        if left is right:
            raise InputError(f"the two inputs of a pair are one object: {_in_words(left)}; there is nothing to compare")
        differ |= fingerprint(left) != fingerprint(right)
        pairs.append((place(left), place(right)))
    if pairs and not differ:
        raise InputError("the two inputs of each pair are equal: there is nothing to compare")
    return inputs, Problem.of_inputs(list(inputs), pairs)


def _pairs_in(neighbours: Any) -> Iterator[Any]:
    found = neighbours() if callable(neighbours) else neighbours
    if not isinstance(found, Iterable):
        raise InputError(f"neighbours are pairs of inputs, or a function that yields them, got {_in_words(found)}")
    return iter(found)


def _in_words(value: Any) -> str:
    # It needs flint, which a list of names does not.
    from pan_audits.choices.noise import shown

    text = " ".join(shown(value).split())
    return text if len(text) <= _LONGEST_LABEL else text[: _LONGEST_LABEL - 3] + "..."


@dataclass(frozen=True)
class Labels:
    """The states of many runs on one input: its label, which is the same in all of them."""

    runs: int
    label: str = ""


@front_of_shipped
@dataclass(frozen=True)
class ManyWholeInputs(WholeInputEstimator):
    """An estimator of a counter with a method ``release_many(stream, runs, randomness)``."""

    def create_many(self, runs: int, randomness: Any) -> Labels:
        """No input yet; no random choice is made."""
        return Labels(runs)

    def update_many(self, states: Labels, ids: Any, randomness: Any) -> Labels:
        """The last of the labels."""
        return Labels(states.runs, self.update(states.label, ids, randomness))

    def release_many(self, states: Labels, randomness: Any) -> NDArray[Any]:
        """The outputs of all runs, one row for each; single runs where more than the outputs is seen."""
        kind = whole_inputs(self.problem)
        if kind.observed_in(states.label) is Observed.OUTPUT:
            made: Callable[..., NDArray[Any]] = self.owner.release_many
            return made(kind.read(states.label, self.inputs), states.runs, randomness)
        seen = np.empty(states.runs, dtype=object)
        for run in range(states.runs):
            seen[run] = self._run(states.label, randomness)
        return seen

    def state_of(self, states: Labels, run: int) -> str:
        """The label."""
        return states.label


def with_many_runs(estimator: WholeInputEstimator) -> WholeInputEstimator:
    """The same estimator, with many runs at once if it stands for a shipped counter that makes them."""
    if not is_shipped(estimator.owner) or not hasattr(estimator.owner, "release_many"):
        return estimator
    return ManyWholeInputs(**{each.name: getattr(estimator, each.name) for each in fields(estimator)})
