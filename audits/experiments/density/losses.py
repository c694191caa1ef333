"""``python -m experiments losses``: what the published estimators promise, and what they lose, by proved formulas."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import sympy as sp
import typer
from rich.table import Table
from rich.text import Text

from pan_audits.cli.options import Json, Parameter
from pan_audits.cli.output import print_json
from pan_audits.cli.usage import formerly
from pan_audits.reports.text import console
from pan_estimators.density.published import STATED_UP_TO
from pan_estimators.numerics import root
from pan_promises.errors import InputError
from pan_proofs.density.lemmas.published_losses import PublishedLoss, published_losses
from pan_proofs.density.lemmas.published_losses import epsilon as symbol

_LARGEST = 30.0
_GRID = 600


@formerly(epsilon="parameter", e="parameter")
def losses(
    parameter: Parameter = 0.1,
    as_json: Json = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Also say which step of each argument fails.")
    ] = False,
) -> None:
    """Show what the published estimators promise for state and output jointly, and what they lose.

    The losses are formulas in epsilon, proved for every number of users and every stream; ``panproof
    check`` finds the same numbers by running the code.

    Example: python -m experiments losses --parameter 0.5 --verbose
    """
    rows, missing = losses_of_published(parameter), without_parameters(parameter)
    if as_json:
        print_json({"estimators": [row.to_dict() for row in rows], "without_parameters": missing})
        return
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("estimator", "promised", "loss", "promise holds", "witness"):
        table.add_column(heading, no_wrap=heading != "witness")
    for row in rows:
        table.add_row(
            row.entry.name,
            f"{row.promised:.4g}",
            "infinite" if math.isinf(row.loss) else f"{row.loss:.4g}",
            "never" if row.holds_from is None else f"from {row.holds_from:.4g} on",
            Text(row.entry.witness),
        )
    screen = console()
    screen.print(table)
    for name, below in missing.items():
        screen.print(Text(f"{name} is not shown: its probabilities exist for epsilon below {below:.4g} only."))
    if parameter > STATED_UP_TO:
        stated = f"The theorems are stated for epsilon up to {STATED_UP_TO:g}. Beyond it the promise is their formula."
        screen.print(Text(stated))
    screen.print(
        Text(
            "\nFor bits with probabilities p0 before and p1 after an appearance, and an output whose noise changes by "
            "at most a factor exp(eta) from one count to the next, the joint loss is log max{B (q1 + p1 exp(eta)), "
            "A (p1 + q1 exp(eta))} with A = p1/p0, B = q0/q1; with p0 + p1 >= 1 the first. Patterns: the last update "
            "of the user in each stretch between two looks.",
            style="dim",
        )
    )
    if verbose:
        for row in rows:
            screen.print(Text(_explained(row.entry)))


def _explained(entry: PublishedLoss) -> str:
    """Formula and failing step, in words."""
    pair = "" if entry.before is None else f" p0 = {entry.before}, p1 = {entry.after}, eta = {entry.eta};"
    return f"\n{entry.name} [{entry.claim}]:{pair} loss = {entry.loss}. {entry.failing_step}"


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
    """All published estimators that have parameters at this epsilon."""
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
