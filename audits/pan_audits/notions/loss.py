"""A privacy loss as an exact number."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from flint import arb, fmpq

from pan_audits.choices.numbers import ONE, Number, as_ball, as_float, exponent, greater, is_simple, rational
from pan_audits.choices.regions.exponential import Exponential
from pan_promises.exact_epsilon import LogFraction

_ROUNDING = 1e-12
"""An excess in nats that can result from the rounding of an estimator's doubles."""

_SHORT = 40
"""Greatest number of digits of a fraction that is written out."""

_LONGEST_SUM = 160
"""Greatest length of a fraction of sums of exponentials that is written out."""


@dataclass(frozen=True)
class Loss:
    """The logarithm of a largest ratio of probabilities, in nats; or the number by which another notion bounds.

    Attributes
    ----------
    ratio
        The ratio: a fraction, or a ball that holds it, or ``None`` if it is unbounded.
    attained
        Whether this is the loss; otherwise the loss may be larger.
    upper
        Whether the loss may also be smaller.
    unit
        The name of the number, such as ``rho``; ``ratio`` is then this number. Empty for the logarithm of a ratio.
    """

    ratio: Number | None
    attained: bool = True
    upper: bool = False
    unit: str = ""

    @property
    def nats(self) -> float:
        """The nearest double."""
        if self.ratio is None:
            return math.inf
        return as_float(self.ratio if self.unit else as_ball(self.ratio).log())

    @property
    def unbounded(self) -> bool:
        """Whether there is no finite bound."""
        return self.ratio is None

    @property
    def closed_form(self) -> str | None:
        """``log(a/b)``, if the fraction or the fraction of sums of exponentials is short enough to be read."""
        if self.unit:
            return str(self.ratio) if len(str(self.ratio)) <= _SHORT else None
        if self.ratio == ONE:
            return "0"
        if isinstance(self.ratio, fmpq) and len(str(self.ratio)) <= _SHORT:
            return f"log({self.ratio})"
        if isinstance(self.ratio, Exponential):
            exponent = self.ratio.exponent
            if exponent is not None:
                return str(exponent)
            text = self.ratio.text()
            return f"log({text})" if len(text) <= _LONGEST_SUM else None
        return None

    def describe(self) -> str:
        """``1.45 = log(17/4)``, or ``rho 0.5 = 1/2``, or ``infinite``."""
        if self.ratio is None:
            return "unknown" if self.upper else "infinite"
        number = f"{self.nats:.6g}"
        least = "at most " if self.upper else "" if self.attained else "at least "
        form = self.closed_form
        if self.unit:
            return f"{self.unit} {least}{number}" + (f" = {form}" if form and form != number and not least else "")
        return least + (f"{number} = {form}" if form and form != number else number)

    def exceeds(self, epsilon: Any, *, exact: bool) -> bool:
        """Whether the loss is larger than a budget."""
        if self.ratio is None:
            return True
        if self.nats <= float(epsilon) - _ROUNDING:
            return False
        rounded = not isinstance(epsilon, LogFraction) and not is_simple(epsilon)
        if not exact or rounded or not isinstance(self.ratio, (fmpq, Exponential)):
            return self.nats > float(epsilon) + _ROUNDING
        budget = exponent(epsilon)
        whole = budget.base is None
        return bool(greater(self.ratio, Exponential.power(rational(budget.coefficient)) if whole else budget.power()))

    def __gt__(self, other: Loss) -> bool:
        if other.ratio is None or self.ratio is None:
            return other.ratio is not None
        return bool(greater(self.ratio, other.ratio))

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready: the number, the fraction if it is one, else a decimal with its error."""
        if self.ratio is None:
            return {"nats": None, "unbounded": True} | ({self.unit: None} if self.unit else {})
        if self.unit:
            return {"nats": self.nats, "unbounded": False, self.unit: str(self.ratio), "attained": self.attained}
        written = str(self.ratio) if isinstance(self.ratio, fmpq) else arb.str(as_ball(self.ratio), 40)
        return {"nats": self.nats, "unbounded": False, "ratio": written, "attained": self.attained}
