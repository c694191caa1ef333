"""Synthetic rows by the options of a call, and how they are shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pan_estimators.common.registry import create_estimator, takes
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_estimators.tables.fitted import Fitted, fit
from pan_estimators.tables.frames import read_csv
from pan_estimators.tables.members import SYNTHESIZERS
from pan_estimators.tables.schema import Schema
from pan_promises.errors import InputError, shown, suggestion


@dataclass(frozen=True)
class Request:
    """The options of a call.

    Attributes
    ----------
    data, schema
        The files.
    epsilon, delta, rho
        The budget: a rho, or an epsilon with or without a delta.
    mechanism
        The name of the mechanism.
    bins
        ``numbers`` or ``labels``.
    settings
        Other parameters of the mechanism.
    seed
        A seed, or ``None`` for a secure source.
    """

    data: str
    schema: str
    epsilon: float | None
    delta: float | None
    rho: float | None
    mechanism: str
    bins: str
    settings: Mapping[str, Any]
    seed: int | None

    def __post_init__(self) -> None:
        if self.mechanism not in SYNTHESIZERS:
            raise InputError(
                f"unknown mechanism {shown(self.mechanism)}; {suggestion(self.mechanism, list(SYNTHESIZERS))}"
            )
        if self.bins not in ("numbers", "labels"):
            raise InputError(f"--bins takes numbers or labels, got {shown(self.bins)}")
        if (self.epsilon is None) == (self.rho is None):
            raise InputError("give one budget: --epsilon, or --rho")
        if self.rho is not None and self.delta is not None:
            raise InputError("--delta goes with --epsilon, and --rho stands alone")
        for name in ("rho", "delta"):
            if getattr(self, name) is not None and not takes(self.mechanism, name):
                raise InputError(f"{self.mechanism} has a pure epsilon, and takes no --{name}")

    @property
    def parameters(self) -> dict[str, Any]:
        """The budget and the other parameters of the mechanism."""
        budget = {"epsilon": self.epsilon, "delta": self.delta, "rho": self.rho}
        return {name: value for name, value in budget.items() if value is not None} | dict(self.settings)


@dataclass(frozen=True)
class Synthesis:
    """A fitted model with synthetic rows.

    Attributes
    ----------
    request
        The options.
    fitted
        The model.
    columns
        The synthetic rows, by column.
    delta
        The delta of the promised epsilon; ``None`` for a pure epsilon and for a rho.
    """

    request: Request
    fitted: Fitted
    columns: dict[str, list[Any]]
    delta: float | None

    @classmethod
    def of(cls, request: Request, rows: int | None) -> Synthesis:
        """Read the table, fit the model and sample."""
        schema = Schema.of(request.schema)
        made = create_estimator(request.mechanism, schema=schema, **request.parameters)
        data = read_csv(request.data, schema)
        source = None if request.seed is None else NumpyRandomness(request.seed)
        fitted = fit(made, data, source)
        # The rows have a source of their own: the noise and the rows must not be equal random numbers.
        later = None if request.seed is None else request.seed ^ 1
        delta = None if request.rho is not None else getattr(made, "delta", 0.0) or None
        return cls(request, fitted, fitted.sample(rows, seed=later, bins=request.bins), delta)

    @property
    def sampled(self) -> int:
        """The number of synthetic rows."""
        return len(next(iter(self.columns.values())))

    def document(self) -> dict[str, Any]:
        """A JSON-ready dictionary."""
        fitted, request = self.fitted, self.request
        return {
            "mechanism": request.mechanism,
            "promise": fitted.promise.to_dict(),
            "delta": self.delta,
            "epsilon": None if request.epsilon is None else float(request.epsilon),
            "rows": fitted.rows,
            "sampled": self.sampled,
            "seed": request.seed,
            "report": dict(fitted.report),
        }

    def text(self, out: str) -> str:
        """The result in a few lines."""
        fitted, request = self.fitted, self.request
        promise = fitted.promise.describe()
        if self.delta is not None:
            promise += f"; this implies epsilon {float(request.epsilon or 0):.6g} at delta {self.delta:.3g}"
        lines = [
            f"{request.mechanism}: {fitted.rows:,} rows of {len(fitted.network.schema.attributes)} attributes",
            f"promise   {promise}; the number of rows and the schema are public",
        ]
        for step in fitted.report.get("budget", ()):
            ((unit, amount),) = ((name, value) for name, value in step.items() if name != "step")
            lines.append(f"budget    {unit} {amount:.4g} for the {step['step']}")
        for edge in sorted(fitted.report.get("edges", ()), key=lambda one: -one["dependence"]):
            lines.append(f"edge      {' - '.join(edge['attributes'])}: dependence {edge['dependence']:.3f}")
        if request.seed is not None:
            lines.append(f"seed      {request.seed}: the noise is not secure")
        return "\n".join([*lines, f"written   {self.sampled:,} rows to {out}"])
