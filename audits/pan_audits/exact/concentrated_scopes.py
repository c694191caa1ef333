"""The scopes of an exact check of a rho: all small turnstile streams, all small tables, or the given inputs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from pan_audits.choices.errors import TooLargeError
from pan_audits.exact.concentrated import ConcentratedFound, Places, search_laws
from pan_audits.exact.effort import Allowance
from pan_audits.exact.gaussian_outputs import GaussianOutputs, OutputLaw
from pan_audits.exact.result import CheckSettings
from pan_audits.exact.stepping import Stepper
from pan_audits.inputs.problems import all_small_inputs
from pan_audits.inputs.turnstile.small import SmallStreams
from pan_audits.intake.discovery import Variant
from pan_promises.problem import Kind, Problem


@dataclass(frozen=True)
class Inputs:
    """Inputs, and the adjacent pairs among them.

    Attributes
    ----------
    labels
        The inputs.
    blocks, groups
        The pairs, as :func:`pan_audits.exact.concentrated.search_laws` takes them.
    size, length
        Elements or rows, and entries.
    """

    labels: tuple[str, ...]
    blocks: Callable[[], Iterable[Places]]
    groups: Callable[[], Iterable[Places]]
    size: int
    length: int = 1

    @property
    def number(self) -> int:
        """The number of inputs."""
        return len(self.labels)


@dataclass
class ConcentratedScope:
    """A scope that was searched.

    Attributes
    ----------
    variant, stepper, inputs, found
        The estimator, its laws, the inputs and the result.
    seconds
        The time.
    """

    variant: Variant
    stepper: Stepper
    inputs: Inputs
    found: ConcentratedFound
    seconds: float


def sizes_of(problem: Problem, most: int, longest: int) -> Iterator[tuple[int, int]]:
    """The sizes of the scopes: rows, or elements and entries, the small ones first."""
    if problem.kind is Kind.GIVEN:
        yield 1, 1
    elif problem.kind is Kind.TABLE:
        yield from ((size, 1) for size in range(1, most + 1))
    else:
        for elements in range(1, min(most, problem.elements) + 1):
            yield from ((elements, steps) for steps in range(1, min(longest, problem.steps) + 1))


def searched_scopes(
    make: Callable[[int, int | None], Variant], settings: CheckSettings, notes: list[str], allowance: Allowance
) -> Iterator[ConcentratedScope]:
    """Search one scope after the other, the small ones first."""
    each = 0.0
    for variant, inputs in _inputs(make, settings, notes):
        if why := allowance.lacks(each * inputs.number):
            notes.append(f"{inputs.number:,} inputs of length {inputs.length} are not covered: {why}")
            return
        before = allowance.work.done
        scope = _searched(variant, inputs, allowance)
        each = (allowance.work.done - before) / max(1, inputs.number)
        yield scope


def _searched(variant: Variant, inputs: Inputs, allowance: Allowance) -> ConcentratedScope:
    began, part = time.perf_counter(), allowance.begin()
    stepper = Stepper(variant.estimator, inputs.labels, work=allowance.work)
    outputs = GaussianOutputs(stepper)
    known: dict[Any, int] = {}
    laws: list[OutputLaw] = []
    numbers = np.zeros(inputs.number, dtype=np.int64)
    for place, label in enumerate(inputs.labels):
        part.require()
        law = outputs.law(label)
        name = frozenset((output, str(probability)) for output, probability in law.items())
        if name not in known:
            known[name] = len(laws)
            laws.append(law)
        numbers[place] = known[name]
    stepper.exact &= outputs.exact
    found = search_laws(laws, numbers, inputs.blocks(), inputs.groups(), variant.promise, exact=stepper.exact)
    if not found.pairs:
        raise TooLargeError("no two of the inputs differ: there are no neighbours to judge")
    return ConcentratedScope(variant, stepper, inputs, found, time.perf_counter() - began)


def _inputs(
    make: Callable[[int, int | None], Variant], settings: CheckSettings, notes: list[str]
) -> Iterator[tuple[Variant, Inputs]]:
    problem = make(1, None).problem
    for size, length in sizes_of(problem, settings.users, settings.length):
        variant = make(size, None)
        if problem.kind is Kind.TURNSTILE:
            small = SmallStreams(size, length, problem.model, variant.promise.adjacency, variant.promise.observed)
            if small.too_many:
                notes.append(f"there are too many streams of {length} entries with {size} elements")
                return
            yield variant, _of_streams(small)
            continue
        listed = all_small_inputs(problem, variant.promise, size)
        if listed is None:
            if size == 1:
                raise TooLargeError("there are too many tables of one row; give the columns fewer values")
            notes.append(f"there are too many tables of {size} rows")
            return
        if listed.remark:
            notes.append(listed.remark)
        pairs = np.array(listed.adjacent, dtype=np.int64).reshape(-1, 2)
        rows = size if problem.kind is Kind.TABLE else len(listed.labels)
        yield variant, Inputs(listed.labels, lambda pairs=pairs: (pairs,), lambda: (), rows)  # type: ignore[misc]


def _of_streams(small: SmallStreams) -> Inputs:
    labels = small.labels
    if small.in_groups:
        return Inputs(labels, lambda: (), small.groups, small.elements, small.steps)
    return Inputs(labels, small.blocks, lambda: (), small.elements, small.steps)
