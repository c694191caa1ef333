"""The parameters that the counters of the family share, and their promise."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pan_promises.adjacency import Adjacency
from pan_promises.errors import InputError, require_count
from pan_promises.looks import EVERY, Observed
from pan_promises.problem import Problem
from pan_promises.promise import Promise
from pan_promises.turnstile import Model

MOST_STEPS = 2**31 - 1
"""Largest number of steps."""
_ELEMENTS = 2
"""The number of elements of the streams on which a counter is judged."""


@dataclass(frozen=True)
class Settings:
    """The public parameters of a counter.

    Attributes
    ----------
    steps
        The number T of steps, from 1 to 2**31 - 1. There is an output after each step.
    rho
        The bound of zero-concentrated differential privacy, positive.
    model
        The streams that are allowed.
    """

    steps: int
    rho: float
    model: Model

    @classmethod
    def of(cls, steps: int, rho: float, model: str) -> Settings:
        """The settings, if they are in range."""
        require_count("the number of steps", steps, most=MOST_STEPS)
        if isinstance(rho, bool) or not isinstance(rho, (int, float)) or not 0 < rho < math.inf:
            raise InputError(f"rho must be positive and finite, got {rho!r}")
        return cls(steps, float(rho), Problem.of_turnstile(_ELEMENTS, steps, model).model)

    @property
    def problem(self) -> Problem:
        """The streams on which a counter is judged."""
        return Problem.of_turnstile(_ELEMENTS, self.steps, self.model)

    def promise(self, adjacency: Adjacency, claim: str | None) -> Promise:
        """rho-zCDP of all outputs together."""
        return Promise(
            rho=self.rho,
            adjacency=adjacency,
            observed=Observed.OUTPUT,
            intrusions=0,
            outputs=EVERY,
            public=("steps", "model"),
            claim=claim,
        )

    def require_room(self, done: int, more: int) -> None:
        """Refuse steps beyond the last one."""
        if done + more > self.steps:
            raise InputError(
                f"the stream has at most {self.steps} steps (the parameter steps), got {done} and {more} more"
            )


def require_bound(flippancy: int) -> None:
    """Raise :class:`InputError` unless the bound on the flippancy is a whole number of at least 1."""
    require_count("the bound on the flippancy", flippancy)
