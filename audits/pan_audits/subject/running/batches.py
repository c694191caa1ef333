"""Batches of runs of a function, read as one row for each run.

The function takes a size, or its runs can be made side by side (:mod:`pan_audits.subject.isolation.side_by_side`). A
batch is one call that returns several outputs. It is another program than a single run, and the promise is about the
single runs. So batches only guide an audit, and these rules hold:

*   Before they are used, they are compared with single runs, and their runs with each other
    (:mod:`pan_audits.conduct.many_runs`).
*   A part of the search is made by single runs alone, before any batch (:mod:`pan_audits.audit.by_batches`).
*   Nothing is refuted by them: the search is made again, and the loss is measured, by single runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from pan_audits.events import Table
from pan_audits.events.observing.features import observation_features, stacked_features
from pan_audits.events.observing.subject import Subject
from pan_audits.problems.inputs.streams.family import Family, SegmentEnd
from pan_audits.subject.running.course import course_of
from pan_audits.workers.limits import MechanismError

_NUMBERS = "biuf"


@runtime_checkable
class BatchesApart(Protocol):
    """A mechanism that makes batches of runs, in a process of its own."""

    @property
    def makes_batches(self) -> bool:
        """Whether it does, or may make runs side by side."""
        ...

    def batches_apart(self, label: str, sizes: Sequence[int], seed: Sequence[int]) -> list[Any]:
        """The outputs of batches of these sizes on the input with this label, unchecked."""
        ...


def offers_batches(estimator: Any, family: Family) -> bool:
    """Whether a mechanism makes batches of runs on the inputs of a family."""
    return (
        isinstance(estimator, BatchesApart)
        and estimator.makes_batches
        and tuple(family.schedule) == (SegmentEnd.RELEASE,)
    )


def label_of(family: Family, place: int) -> str:
    """The label of an input."""
    ids, *_ = course_of(family, place)[0]
    return str(ids[-1])


def table_of_batches(
    estimator: BatchesApart, family: Family, place: int, sizes: Sequence[int], seed: Sequence[int]
) -> Table:
    """One row for each run of some batches, in their order."""
    returned = estimator.batches_apart(label_of(family, place), sizes, seed)
    outputs = [outputs_of(each, size) for each, size in zip(returned, sizes, strict=True)]
    subject = Subject(family.user)
    # Batches of one form are read together.
    arrays = [each for each in outputs if isinstance(each, np.ndarray)]
    if len(arrays) == len(outputs) and len({(each.shape[1:], each.dtype) for each in arrays}) == 1:
        joined = np.concatenate(arrays)
        if (table := stacked_features([], [joined], len(joined), subject)) is not None:
            return table
    rows = [observation_features([], [one], subject) for each in outputs for one in _singly(each)]
    return Table.from_rows(rows)


def outputs_of(returned: Any, size: int) -> NDArray[Any] | Sequence[Any]:
    """The outputs of a batch, in an array or a list."""
    if isinstance(returned, np.ndarray):
        if returned.ndim == 0 or len(returned) != size:
            raise MechanismError(
                f"for size={size} it must return {size} outputs along the first axis, but it returned an array of "
                f"shape {returned.shape}"
            )
        return returned
    if not isinstance(returned, (list, tuple)):
        raise MechanismError(
            f"for size={size} it must return an array or a list of {size} outputs, but it returned {_kind(returned)}"
        )
    if len(returned) != size:
        raise MechanismError(
            f"for size={size} it must return {size} outputs, but it returned a {type(returned).__name__} of "
            f"{len(returned)}"
        )
    if all(type(one) is float for one in returned):
        return np.array(returned, dtype=np.float64)
    return returned


def _kind(value: Any) -> str:
    return "nothing" if value is None else f"a value of the type {type(value).__name__}"


def _singly(outputs: NDArray[Any] | Sequence[Any]) -> Sequence[Any]:
    """Each output as a single run returns it."""
    if isinstance(outputs, np.ndarray) and outputs.ndim == 1 and outputs.dtype.kind in _NUMBERS:
        return list(outputs.tolist())
    return list(outputs)
