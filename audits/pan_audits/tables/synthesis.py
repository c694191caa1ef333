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
class SynthesisOptions:
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
    options
        The options.
    fitted
        The model.
    columns
        The synthetic rows, by column.
    delta
        The delta of the promised epsilon; ``None`` for a pure epsilon and for a rho.
    """

    options: SynthesisOptions
    fitted: Fitted
    columns: dict[str, list[Any]]
    delta: float | None

    @classmethod
    def of(cls, options: SynthesisOptions, rows: int | None) -> Synthesis:
        """Read the table, fit the model and sample."""
        schema = Schema.of(options.schema)
        made = create_estimator(options.mechanism, schema=schema, **options.parameters)
        data = read_csv(options.data, schema)
        source = None if options.seed is None else NumpyRandomness(options.seed)
        fitted = fit(made, data, source)
        # The rows have a source of their own: the noise and the rows must not be equal random numbers.
        later = None if options.seed is None else options.seed ^ 1
        delta = None if options.rho is not None else getattr(made, "delta", 0.0) or None
        return cls(options, fitted, fitted.sample(rows, seed=later, bins=options.bins), delta)

    @property
    def sampled(self) -> int:
        """The number of synthetic rows."""
        return len(next(iter(self.columns.values())))

    def document(self) -> dict[str, Any]:
        """A JSON-ready dictionary."""
        fitted, options = self.fitted, self.options
        return {
            "mechanism": options.mechanism,
            "promise": fitted.promise.to_dict(),
            "delta": self.delta,
            "epsilon": None if options.epsilon is None else float(options.epsilon),
            "rows": fitted.rows,
            "sampled": self.sampled,
            "seed": options.seed,
            "report": dict(fitted.report),
        }

    def text(self, out: str) -> str:
        """The result in a few lines."""
        fitted, options = self.fitted, self.options
        promise = fitted.promise.describe()
        if self.delta is not None:
            promise += f"; this implies epsilon {float(options.epsilon or 0):.6g} at delta {self.delta:.3g}"
        lines = [
            f"{options.mechanism}: {fitted.rows:,} rows of {len(fitted.network.schema.attributes)} attributes",
            f"promise   {promise}; the number of rows and the schema are public",
        ]
        for step in fitted.report.get("budget", ()):
            ((unit, amount),) = ((name, value) for name, value in step.items() if name != "step")
            lines.append(f"budget    {unit} {amount:.4g} for the {step['step']}")
        for edge in sorted(fitted.report.get("edges", ()), key=lambda one: -one["dependence"]):
            lines.append(f"edge      {' - '.join(edge['attributes'])}: dependence {edge['dependence']:.3f}")
        if options.seed is not None:
            lines.append(f"seed      {options.seed}: the noise is not secure")
        return "\n".join([*lines, f"written   {self.sampled:,} rows to {out}"])
