"""A mechanism that is given its whole input, as an estimator: in a judged process.

The judge sends a label. The state is that label, and a release runs the mechanism on the input that it stands for.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_audits.events.observing.values import fields_of, fingerprint, is_filled, source_of
from pan_audits.problems import judged, whole_inputs
from pan_audits.subject.isolation.forms import Form, form_of
from pan_audits.subject.isolation.released import released
from pan_audits.subject.isolation.sources import drawn_from
from pan_audits.subject.isolation.synthesizers import FitAndSample
from pan_audits.subject.running.course import front_of_shipped, is_shipped
from pan_promises.errors import InputError
from pan_promises.problem import Problem
from pan_promises.promise import Observed, Promise

_MOST_PAIRS = 256
_LONGEST_LABEL = 60


@dataclass(frozen=True)
class WholeInputEstimator:
    """Makes an estimator of a mechanism that is given its whole input.

    Attributes
    ----------
    form
        The mechanism as a function of an input and a randomness.
    problem
        The inputs that it takes.
    inputs
        Those that came with it, by their labels; a table or a turnstile stream is read from its label.
    promise
        Its promise, if it has one.
    statements
        Its statements about its error on tables or turnstile streams.
    owner
        The object that shows more than the output, if the problem lets it: on tables by its methods ``post_process``
        and ``sample``, on turnstile streams by ``create`` and ``follow``.
    plain
        Whether it draws from seeds and generators of its own, so that its choices cannot be followed.
    """

    form: Form
    problem: Problem
    inputs: Mapping[str, Any]
    promise: Promise | None = None
    statements: tuple[Any, ...] = ()
    owner: Any = None
    plain: bool = False

    def create(self, randomness: Any) -> str:
        """No input yet; no random choice is made."""
        return ""

    def update(self, state: str, ids: Any, randomness: Any) -> str:
        """The last of the labels."""
        return ids if isinstance(ids, str) else str(ids[-1])

    def release(self, state: str, randomness: Any) -> Any:
        """The mechanism's output on the input that the state names."""
        return self.releases(state, randomness)()

    def release_batch(self, state: str, size: int, randomness: Any) -> Any:
        """The outputs of ``size`` runs, by one call of a mechanism that takes a size."""
        return self.releases(state, randomness, size=size)()

    def releases(self, label: str, randomness: Any, **options: Any) -> Callable[[], Any]:
        """What makes a run on an input, and another one at each call."""
        whole, owner, source = whole_inputs(self.problem), self.owner, drawn_from(randomness)
        read, function = whole.reader(label, self.inputs), self.form.with_randomness(randomness, options)

        def output() -> Any:
            return function(read())

        def run() -> Any:
            with source:
                seen = whole.seen(label, owner, output, randomness)
                # An object that has an owner is shown by the owner's methods.
                return released(seen) if owner is None else seen

        return run

    @property
    def code(self) -> Any:
        """The judged code."""
        return self.form.code

    @property
    def takes_size(self) -> bool:
        """Whether it has a parameter ``size``, the number of independent outputs that a call returns."""
        return self.form.arguments.takes_size

    @property
    def remembered(self) -> tuple[Any, ...]:
        """Values outside the input in which the mechanism could keep something: globals, closures, attributes."""
        return tuple(_kept_by(self.form.code))

    @property
    def universe(self) -> tuple[str, ...]:
        """Labels to feed it."""
        return whole_inputs(self.problem).labels


def _kept_by(mechanism: Any) -> Iterator[Any]:
    """The values that a function can change and find again, and the attributes of the object that it belongs to."""
    if isinstance(mechanism, type):
        for member in vars(mechanism).values():
            yield from _kept_by(member) if isinstance(member, FunctionType) else ()
        yield {name: member for name, member in vars(mechanism).items() if not _is_code(member)}
        return
    mechanism = source_of(mechanism)
    owner = getattr(mechanism, "__self__", None)
    if owner is not None:
        yield fields_of(owner) or {}
    function = getattr(mechanism, "__func__", mechanism)
    # numba keeps what it has compiled beside the function.
    function = getattr(function, "__dict__", {}).get("py_func", function)
    if not isinstance(function, FunctionType):
        yield fields_of(function) or {}
        return
    yield function.__dict__
    yield function.__defaults__
    yield [cell.cell_contents for cell in function.__closure__ or () if is_filled(cell)]
    for name in function.__code__.co_names:
        # A name that is missing is one of Python itself; the check may put another conversion in its place.
        value = function.__globals__.get(name, int)
        if not _is_code(value):
            yield value


def _is_code(value: Any) -> bool:
    return isinstance(value, (ModuleType, FunctionType, BuiltinFunctionType, type)) or inspect.isdatadescriptor(value)


def whole_input_estimator(
    made: Any,
    problem: Problem,
    inputs: Mapping[str, Any],
    promise: Promise | None,
    arguments: Mapping[str, Any],
    *,
    name: str = "the mechanism",
) -> WholeInputEstimator:
    """The estimator of a thing of any form."""
    makes_inputs = judged(problem).makes_inputs
    statements = tuple(getattr(made, "statements", ())) if makes_inputs else ()
    return WholeInputEstimator(
        form_of(made, arguments, name),
        problem,
        inputs,
        promise,
        statements,
        made if makes_inputs else None,
        plain=isinstance(made, FitAndSample),
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
        raise InputError(
            f"neighbours are pairs of inputs, or a function that yields them, got {_in_words(found)}; a strategy for "
            "inputs is given as data"
        )
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
            seen[run] = self.release(states.label, randomness)
        return seen

    def state_of(self, states: Labels, run: int) -> str:
        """The label."""
        return states.label


def with_many_runs(estimator: WholeInputEstimator) -> WholeInputEstimator:
    """The same estimator, with many runs at once if it stands for a shipped counter that makes them."""
    if not is_shipped(estimator.owner) or not hasattr(estimator.owner, "release_many"):
        return estimator
    return ManyWholeInputs(**{each.name: getattr(estimator, each.name) for each in fields(estimator)})
