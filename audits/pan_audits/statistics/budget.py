"""One error budget for everything that a run may wrongly refute."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pan_promises.errors import InputError

DEFAULT_ERROR = 1e-6
"""Greatest probability, over a whole run, that a true promise or statement is refuted."""


@dataclass(frozen=True)
class ErrorBudget:
    """A probability of error, and its purpose.

    Shares are fixed from the list of cases before anything is sampled: by the union bound the
    probability that any true statement is refuted is at most the total. A selection of cases, early stopping
    and parallel runs do not change this.
    """

    error: float = DEFAULT_ERROR
    purpose: str = "run"

    def __post_init__(self) -> None:
        if not isinstance(self.error, (int, float)) or not 0 < self.error <= 0.5:
            raise InputError(f"the error budget must lie in (0, 1/2], got {self.error!r}")

    def split(self, weights: Mapping[str, float]) -> dict[str, ErrorBudget]:
        """Shares in proportion to ``weights``, one for each named case."""
        total = sum(weights.values())
        return {
            name: ErrorBudget(self.error * weight / total, f"{self.purpose}/{name}") for name, weight in weights.items()
        }

    def share(self, case: str, cases: int) -> ErrorBudget:
        """One of ``cases`` equal shares."""
        return ErrorBudget(self.error / cases, f"{self.purpose}/{case}")
