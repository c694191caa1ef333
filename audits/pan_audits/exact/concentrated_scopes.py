"""The scopes of an exact check of a rho: all small turnstile streams, all small tables, or the given inputs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from pan_audits.choices.errors import TooLargeError
from pan_audits.exact.concentrated import ConcentratedFound, search_laws
from pan_audits.exact.effort import Allowance
from pan_audits.exact.gaussian_outputs import GaussianOutputs, OutputLaw
from pan_audits.exact.result import CheckSettings
from pan_audits.exact.stepping import Stepper
from pan_audits.intake.discovery import Variant
from pan_audits.problems import judged
from pan_audits.problems.problem import ListedInputs


@dataclass(frozen=True)
class Inputs:
    """Inputs and their pairs, with their numbers of elements or rows, and of entries."""

    listed: ListedInputs
    size: int
    length: int

    @property
    def number(self) -> int:
        """The number of inputs."""
        return len(self.listed.labels)


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
    stepper = Stepper(variant.estimator, inputs.listed.labels, work=allowance.work)
    outputs = GaussianOutputs(stepper)
    known: dict[Any, int] = {}
    laws: list[OutputLaw] = []
    numbers = np.zeros(inputs.number, dtype=np.int64)
    for place, label in enumerate(inputs.listed.labels):
        part.require()
        law = outputs.law(label)
        name = frozenset((output, str(probability)) for output, probability in law.items())
        if name not in known:
            known[name] = len(laws)
            laws.append(law)
        numbers[place] = known[name]
    stepper.exact &= outputs.exact
    found = search_laws(
        laws, numbers, inputs.listed.blocks(), inputs.listed.groups(), variant.promise, exact=stepper.exact
    )
    if not found.pairs:
        raise TooLargeError("no two of the inputs differ: there are no neighbours to judge")
    return ConcentratedScope(variant, stepper, inputs, found, time.perf_counter() - began)


def _inputs(
    make: Callable[[int, int | None], Variant], settings: CheckSettings, notes: list[str]
) -> Iterator[tuple[Variant, Inputs]]:
    kind = judged(make(1, None).problem)
    for size, length in kind.sizes(settings.users, settings.length):
        variant = make(size, None)
        listed = kind.listed_small(variant.promise, size, length)
        if listed is None:
            notes.append(kind.too_many(size, length))
            return
        if listed.remark:
            notes.append(listed.remark)
        yield variant, Inputs(listed, kind.shown_size(size), length)
