"""The parts that the mechanisms on tables share: the promise and the problem."""

from __future__ import annotations

from typing import Any

from pan_estimators.tables.settings import promise_of
from pan_promises.problem import Problem
from pan_promises.promise import Promise


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
