"""A privacy loss as an exact number, and its comparison with a promise."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from flint import arb, fmpq

from pan_audits.choices.numbers import Number, as_ball, as_float, exponent, greater, is_simple
from pan_promises.exact_epsilon import LogFraction

_ROUNDING = 1e-12
"""An excess in nats that can result from the rounding of an estimator's doubles."""

_SHORT = 40
"""Greatest number of digits of a fraction that is written out."""


@dataclass(frozen=True)
class Loss:
    """The logarithm of a largest ratio of probabilities, in nats.

    Attributes
    ----------
    ratio
        The ratio: a fraction, or a ball that holds it, or ``None`` if it is unbounded.
    attained
        Whether this is the loss; otherwise the loss may be larger.
    upper
        Whether the loss may also be smaller.
    """

    ratio: Number | None
    attained: bool = True
    upper: bool = False

    @property
    def nats(self) -> float:
        """The nearest double."""
        return math.inf if self.ratio is None else as_float(as_ball(self.ratio).log())

    @property
    def unbounded(self) -> bool:
        """Whether there is no finite bound."""
        return self.ratio is None

    @property
    def closed_form(self) -> str | None:
        """``log(a/b)`` where the ratio is a fraction that is short enough to be read."""
        if isinstance(self.ratio, fmpq) and len(str(self.ratio)) <= _SHORT:
            return f"log({self.ratio})"
        return None

    def describe(self) -> str:
        """``1.45 = log(17/4)``, or ``infinite``."""
        if self.ratio is None:
            return "unknown" if self.upper else "infinite"
        number = f"{self.nats:.6g}"
        least = "at most " if self.upper else "" if self.attained else "at least "
        return least + (f"{number} = {self.closed_form}" if self.closed_form else number)

    def exceeds(self, epsilon: Any, *, exact: bool) -> bool:
        """Whether the loss is larger than a budget.

        Parameters
        ----------
        epsilon
            The budget, in nats.
        exact
            Whether all probabilities are the intended ones. Otherwise an excess that can result from the
            rounding of doubles does not count.
        """
        if self.ratio is None:
            return True
        if self.nats <= float(epsilon) - _ROUNDING:
            return False
        rounded = not isinstance(epsilon, LogFraction) and not is_simple(epsilon)
        if not exact or rounded or not isinstance(self.ratio, fmpq):
            return self.nats > float(epsilon) + _ROUNDING
        return bool(greater(self.ratio, exponent(epsilon).power()))

    def __gt__(self, other: Loss) -> bool:
        if other.ratio is None or self.ratio is None:
            return other.ratio is not None
        return bool(greater(self.ratio, other.ratio))

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready: the number, the fraction if it is one, else a decimal with its error."""
        if self.ratio is None:
            return {"nats": None, "unbounded": True}
        written = str(self.ratio) if isinstance(self.ratio, fmpq) else arb.str(as_ball(self.ratio), 40)
        return {"nats": self.nats, "unbounded": False, "ratio": written, "attained": self.attained}
