"""Inputs that are given with a mechanism, and the pairs of neighbours among them."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from pan_audits.problems.inputs.labelled import LabelledInputs, releases_of
from pan_audits.problems.problem import WholeInputs
from pan_promises.adjacency import Adjacency
from pan_promises.errors import InputError, shown
from pan_promises.problem import Kind
from pan_promises.promise import Observed, Promise


@dataclass(frozen=True)
class OfGivenInputs(WholeInputs):
    """Given inputs. The promise may name any adjacency: the person who gives the pairs vouches for it."""

    kind = Kind.GIVEN
    given = True
    adjacencies = tuple(Adjacency)
    example = "--epsilon 1"

    def groups(self, promise: Promise, seed: int, lengths: Sequence[int] = ()) -> Sequence[LabelledInputs]:
        return [self.small(promise, 1, 1)]

    def small(self, promise: Promise, size: int, length: int) -> LabelledInputs:
        stated = self.stated
        return LabelledInputs("given", stated.labels, stated.pairs, promise.adjacency, releases_of(promise))

    def shown_size(self, size: int) -> int:
        return len(self.stated.labels)

    @property
    def labels(self) -> tuple[str, ...]:
        return self.stated.labels

    def read(self, label: str, given: Mapping[str, Any]) -> Any:
        return self.reader(label, given)()

    def reader(self, label: str, given: Mapping[str, Any]) -> Callable[[], Any]:
        if label not in given:
            raise InputError(f"the given inputs do not hold the input {shown(label)}")
        value = given[label]
        if _never_changes(value):
            return lambda: value
        flat = type(value) is list and all(map(_never_changes, value))
        return value.copy if flat else partial(copy.deepcopy, value)

    def estimated(self, course: Sequence[Any]) -> Any:
        return str(course[0][0][-1])

    def covered(self, size: int, length: int) -> str:
        return "every pair that was given"

    def covered_briefly(self, size: int, length: int) -> str:
        return "on every pair that was given"

    def promise_of(self, bounds: Mapping[str, Any]) -> Promise | None:
        if not bounds:
            return None
        return Promise(**bounds, adjacency=Adjacency.GIVEN, observed=Observed.OUTPUT, intrusions=0)


_UNCHANGING = frozenset((type(None), bool, int, float, complex, str, bytes))


def _never_changes(value: Any) -> bool:
    """Whether a value is its own copy: it and its parts have nothing that code could change."""
    return type(value) in _UNCHANGING or (type(value) is tuple and all(map(_never_changes, value)))
