"""The result of a comparison at equal memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_audits.exact.result import CheckResult
from pan_audits.judging.verdict import Verdict


@dataclass(frozen=True)
class ComparisonRow:
    """One estimator.

    Attributes
    ----------
    name
        As shipped.
    options
        Further parameters.
    sample_size, state_bits
        The largest sample that fits, and the size of its state.
    promised
        The promise of the source for state and output jointly, in nats; ``None`` without a promise.
    check
        The exact check of the cells and the noise that were run, at a few users. It is compared with the promise, or
        without one with 2 epsilon.
    squared_errors
        The squared error of each run, against the density of the stream.
    """

    name: str
    options: Mapping[str, Any]
    sample_size: int
    state_bits: int
    promised: float | None
    check: CheckResult
    squared_errors: NDArray[np.float64]

    @property
    def keeps(self) -> bool:
        """Whether the exact check found no violation."""
        return self.check.verdict is Verdict.NOT_REFUTED

    @property
    def mean_squared_error(self) -> float:
        """Mean squared error, the sampling error included."""
        return float(self.squared_errors.mean())

    @property
    def rmse(self) -> float:
        """Its root."""
        return float(np.sqrt(self.mean_squared_error))

    @property
    def rmse_error(self) -> float:
        """Standard error of :attr:`rmse`, by the delta method."""
        spread = self.squared_errors.std(ddof=1) / np.sqrt(self.squared_errors.size)
        return float(spread / (2 * self.rmse))

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "name": self.name,
            "options": dict(self.options),
            "sample_size": self.sample_size,
            "state_bits": self.state_bits,
            "promised": self.promised,
            "loss": self.check.loss and self.check.loss.to_dict(),
            "verdict": str(self.check.verdict),
            "rmse": self.rmse,
            "rmse_standard_error": self.rmse_error,
            "mean_squared_error": self.mean_squared_error,
        }


@dataclass(frozen=True)
class Comparison:
    """All estimators on one stream.

    Attributes
    ----------
    stream, users, updates, density
        The stream, the size of its universe, its length, and its density.
    epsilon, bits, runs, seed
        The settings.
    rows
        The estimators that fit.
    left_out
        The reasons for missing estimators, by name.
    """

    stream: str
    users: int
    updates: int
    density: float
    epsilon: float
    bits: int
    runs: int
    seed: int
    rows: tuple[ComparisonRow, ...]
    left_out: Mapping[str, str]

    @property
    def best(self) -> ComparisonRow | None:
        """The estimator with the least error among those that keep their promise."""
        return min((row for row in self.rows if row.keeps), key=lambda row: row.mean_squared_error, default=None)

    def ratio(self, row: ComparisonRow) -> float | None:
        """The mean squared error in units of the best one's."""
        return row.mean_squared_error / self.best.mean_squared_error if self.best else None

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "panproof": 1,
            "stream": self.stream,
            "users": self.users,
            "updates": self.updates,
            "density": self.density,
            "epsilon": float(self.epsilon),
            "bits": self.bits,
            "runs": self.runs,
            "seed": self.seed,
            "exact_counter_bits": self.users,
            "best": self.best and self.best.name,
            "estimators": [row.to_dict() | {"ratio": self.ratio(row)} for row in self.rows],
            "left_out": dict(self.left_out),
        }
