"""The protocols of mechanisms on tables, the parts that all share, and checks of their parameters."""

from __future__ import annotations

import math
from typing import Any, Protocol

from pan_estimators.randomness.interface import Randomness
from pan_estimators.tables.schema import Schema
from pan_promises.adjacency import Adjacency
from pan_promises.errors import InputError, require_count, shown
from pan_promises.problem import Problem
from pan_promises.promise import Observed, Promise

MOST_CELLS = 1_000_000
"""The largest number of cells of one joint distribution."""

LEAST_BUDGET = 1e-100
"""The least epsilon or rho."""

MOST_EPSILON = 1e100
"""The largest epsilon."""

_PUBLIC = ("n", "schema")


def require_epsilon(epsilon: Any) -> None:
    """Raise :class:`InputError` unless a budget is positive and finite."""
    if isinstance(epsilon, bool) or not isinstance(epsilon, (int, float)) or not 0 < epsilon < math.inf:
        raise InputError(f"epsilon must be positive and finite, got {shown(epsilon)}")
    require_not_tiny("epsilon", epsilon)
    if epsilon > MOST_EPSILON:
        raise InputError(f"epsilon must be at most {MOST_EPSILON:g}, got {shown(epsilon)}")


def require_not_tiny(name: str, budget: float) -> None:
    """Raise :class:`InputError` for a budget whose noise is beyond the range of doubles."""
    if budget < LEAST_BUDGET:
        raise InputError(f"{name} must be at least {LEAST_BUDGET:g}, got {budget:.3g}")


def require_degree(degree: Any, schema: Schema) -> None:
    """Raise :class:`InputError` unless a network of this degree exists and its joint distributions are small enough."""
    if len(schema.attributes) < 2:
        raise InputError("a network needs at least two attributes, and the schema has one")
    require_count("the degree", degree, most=len(schema.attributes) - 1)
    cells = math.prod(sorted(schema.sizes)[-1 - degree :])
    if cells > MOST_CELLS:
        raise InputError(
            f"joint distributions of {degree + 1} attributes have up to {cells:,} cells, more than {MOST_CELLS:,}"
        )


def promise_of(epsilon: float = math.inf, *, rho: float | None = None) -> Promise:
    """The promise of a mechanism on tables whose number of rows is public: an epsilon or a rho."""
    return Promise(
        epsilon=epsilon,
        rho=rho,
        adjacency=Adjacency.REPLACE_ROW,
        observed=Observed.TRANSCRIPT,
        intrusions=0,
        public=_PUBLIC,
    )


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


class OnTables:
    """A mechanism with a schema, a budget and a number of rows on which it is audited.

    Attributes
    ----------
    schema
        The schema.
    epsilon
        The budget, in nats, if there is no rho.
    rows
        The number of rows of the tables on which it is audited.
    """

    schema: Any
    epsilon: float
    rows: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "schema", Schema.of(self.schema))
        require_count("the number of rows", self.rows)

    @property
    def promise(self) -> Promise:
        """Epsilon or rho, for one replaced row."""
        return promise_of(self.epsilon) if self._rho is None else promise_of(rho=self._rho)

    @property
    def problem(self) -> Problem:
        """The tables on which the promise is judged."""
        problem: Problem = self.schema.problem(self.rows)
        return problem

    @property
    def _rho(self) -> float | None:
        """The promised rho; ``None`` if the promise is a pure epsilon."""
        return None
