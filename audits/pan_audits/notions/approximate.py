"""Approximate differential privacy: pure, up to the probability delta."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from flint import fmpq

from pan_audits.choices.numbers import Number, as_ball, as_float, require_finite
from pan_audits.notions.loss import Loss
from pan_audits.notions.notion import Exactly
from pan_audits.notions.pure import Pure

_ROUNDING = 1e-9
"""A relative excess of a delta that can result from the rounding of doubles."""


@dataclass(frozen=True)
class Approximate(Pure):
    """A promise of an epsilon and a delta."""

    exactly: ClassVar[Exactly] = Exactly.PROFILE

    def broken_by(self, loss: Loss, delta: Number | None = None, *, exact: bool) -> bool:
        if delta is None:
            return super().broken_by(loss, exact=exact)
        excess = as_float(require_finite(as_ball(delta))) - self.promise.delta
        return excess > (0.0 if exact and isinstance(delta, fmpq) else _ROUNDING * self.promise.delta)

    def judged(self, loss: Loss, delta: Number | None = None, where: str = "") -> str:
        if delta is None:
            return super().judged(loss, where=where)
        found = f"delta {as_float(delta):.6g} (promised {self.promise.delta:.6g}) at this epsilon"
        return f"{found}{where}, promised {self.promised:.6g}"

    def concluded(self, loss: Loss, delta: Number | None = None, parts: str = "") -> str:
        if delta is None:
            return super().concluded(loss, parts=parts)
        found = f"delta is {as_float(delta):.6g} at epsilon {self.promised:.6g}"
        return f"Over the whole observation, {found}, promised {self.promise.delta:.6g}"

    @property
    def _up_to(self) -> str:
        return f" (delta {self.promise.delta:.3g})"

    @property
    def _up_to_probability(self) -> str:
        return f", up to a probability of {self.promise.delta:.3g}"


NOTION = Approximate
