"""The promises and the losses of the published estimators at one epsilon, computed from proved formulas."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from pan_estimators.numerics.roots import root
from pan_promises.errors import InputError
from pan_proofs.density.lemmas.losses.published_losses import PublishedLoss, published_losses
from pan_proofs.density.lemmas.losses.published_losses import epsilon as symbol

_LARGEST = 30.0
_GRID = 600


@dataclass(frozen=True)
class LossOfPublished:
    """One published estimator at one epsilon.

    Attributes
    ----------
    entry
        The formula, its witness, and the step of the printed argument that fails.
    promised, loss
        In nats; ``inf`` for a loss without bound.
    holds_from
        The least epsilon from which the printed promise holds, found numerically; ``None`` if it never holds.
    """

    entry: PublishedLoss
    promised: float
    loss: float
    holds_from: float | None

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        entry = self.entry
        return {
            "name": entry.name,
            "claim": entry.claim,
            "promised": self.promised,
            "loss": None if math.isinf(self.loss) else self.loss,
            "unbounded": math.isinf(self.loss),
            "formula": str(entry.loss),
            "latex": sp.latex(entry.loss),
            "before": None if entry.before is None else str(entry.before),
            "after": None if entry.after is None else str(entry.after),
            "eta": str(entry.eta),
            "holds_from": self.holds_from,
            "witness": entry.witness,
            "failing_step": entry.failing_step,
        }


def losses_of_published(epsilon: float) -> list[LossOfPublished]:
    """All published estimators that have parameters at this epsilon.

    Raises
    ------
    InputError
        If epsilon is not between 0 and 30.
    """
    if not 0 < epsilon <= _LARGEST:
        raise InputError(f"epsilon must lie between 0 and {_LARGEST:g}, got {epsilon!r}")
    found = []
    for entry in published_losses():
        if not float(epsilon) < entry.below:
            continue
        promised = float(entry.promised.subs(symbol, float(epsilon)))
        found.append(LossOfPublished(entry, promised, _loss(entry, float(epsilon)), _holds_from(entry)))
    return found


def without_parameters(epsilon: float) -> dict[str, float]:
    """The published estimators that have no parameters at this epsilon, with the end of their range in nats."""
    return {entry.name: float(entry.below) for entry in published_losses() if not float(epsilon) < entry.below}


def _loss(entry: PublishedLoss, epsilon: float) -> float:
    return math.inf if entry.loss is sp.oo else float(entry.loss.subs(symbol, sp.Float(epsilon, 40)))


def _holds_from(entry: PublishedLoss) -> float | None:
    """The last epsilon at which the excess over the promise changes its sign."""
    if entry.loss is sp.oo:
        return None
    top = min(float(entry.below), _LARGEST)
    excess = sp.lambdify(symbol, entry.loss - entry.promised, "mpmath")
    grid = np.linspace(top / _GRID, top * (1 - 1e-9), _GRID)
    values = [float(excess(float(value))) for value in grid]
    if values[-1] > 0:
        return None
    last = max((place for place, value in enumerate(values) if value > 0), default=-1)
    if last < 0:
        return 0.0
    return root(lambda value: float(excess(value)), float(grid[last]), float(grid[last + 1]), tolerance=1e-9)
