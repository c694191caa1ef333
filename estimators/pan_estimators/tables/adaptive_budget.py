"""The spending of a rho on choices and noisy counts, in exact arithmetic."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from pan_estimators.tables.noise_scales import cost_of_counts, deviation_for, epsilon_for
from pan_promises.errors import InputError

_PER_ATTRIBUTE = 16
"""The least rounds for each attribute, if no round gets more than the least budget. Source: AIM."""

_GROWTH = 4
"""The factor of the budget of a round after one that taught less than its noise. Source: AIM."""


@dataclass(frozen=True)
class Round:
    """The noise of a choice and of the counts after it.

    Attributes
    ----------
    epsilon
        The epsilon of the exponential mechanism, in nats.
    deviation
        The standard deviation of the noise of a count.
    """

    epsilon: float
    deviation: float

    @property
    def rho(self) -> Fraction:
        """The exact cost: ``epsilon^2/8`` of the choice (Cesar and Rogers 2021), ``1/deviation^2`` of the counts."""
        return Fraction(self.epsilon) ** 2 / 8 + cost_of_counts(self.deviation)


@dataclass
class Spending:
    """A rho that is spent step by step, and never exceeded."""

    rho: Fraction
    spent: Fraction = Fraction(0)

    def spend(self, rho: Fraction) -> None:
        """Spend a part of the budget, before its noise is drawn."""
        if self.spent + rho > self.rho:
            raise InputError(f"the budget is spent: {float(self.spent):g} of {float(self.rho):g} are used")
        self.spent += rho

    @property
    def left(self) -> Fraction:
        """The unspent part of the budget."""
        return self.rho - self.spent


@dataclass(frozen=True)
class Rounds:
    """The budgets of adaptive rounds.

    Attributes
    ----------
    least
        The rho of a first round.
    choice
        The share of the choice in a round.
    """

    least: Fraction
    choice: Fraction

    @classmethod
    def of(cls, left: Fraction, attributes: int, choice: Fraction) -> Rounds:
        """The rounds that share a budget."""
        return cls(left / (_PER_ATTRIBUTE * attributes), choice)

    def grown(self, taught: float, noise: float) -> Rounds:
        """The rounds after one."""
        return self if taught > noise else Rounds(_GROWTH * self.least, self.choice)

    def next(self, left: Fraction) -> Round:
        """The next round. It is the last one if less than two such rounds are left."""
        rho = self.least if left >= 2 * self.least else left
        epsilon = epsilon_for(self.choice * rho)
        return Round(epsilon, deviation_for(rho - Fraction(epsilon) ** 2 / 8))
