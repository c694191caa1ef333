"""The protocol of the mechanisms on tables."""

from __future__ import annotations

from typing import Any, Protocol

from pan_estimators.randomness.interface import Randomness
from pan_promises.problem import Problem
from pan_promises.promise import Promise


class TableMechanism(Protocol):
    """A frozen configuration of a mechanism on tables.

    Attributes
    ----------
    promise
        The privacy promise about the observation. It covers the model and the sample, which are computed from it.
    problem
        The tables on which the promise is judged.
    """

    @property
    def promise(self) -> Promise: ...

    @property
    def problem(self) -> Problem: ...

    def release(self, table: Any, randomness: Randomness) -> Any:
        """The observation: everything that leaves the holder of the table."""
        ...


class Synthesizer(TableMechanism, Protocol):
    """A mechanism whose observation gives a model, from which rows are sampled. Neither step reads the table again.

    Attributes
    ----------
    schema
        The attributes of its tables.
    """

    @property
    def schema(self) -> Any: ...

    def post_process(self, observation: Any) -> Any:
        """The model of an observation."""
        ...

    def sample(self, model: Any, rows: int, randomness: Randomness) -> list[tuple[Any, ...]]:
        """Rows of the model."""
        ...

    def report(self, observation: Any, model: Any, rows: int) -> dict[str, Any]:
        """Marginals, structure and budget for a reader, from the observation alone; empty if there is no report."""
        ...
