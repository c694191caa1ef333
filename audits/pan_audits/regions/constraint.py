"""Linear comparisons of noise variables."""

from __future__ import annotations

from dataclasses import dataclass

from flint import fmpq

from pan_audits.regions.function import End


class RegionError(Exception):
    """The probability of a region has no exact form here; the message is a sentence."""


@dataclass(frozen=True)
class Constraint:
    """The comparison ``constant + sum of weight * variable > 0``, or ``>= 0``.

    Attributes
    ----------
    terms
        Number and weight of each variable, by number; no weight is 0.
    constant
        The constant.
    strict
        Whether 0 is excluded.
    """

    terms: tuple[tuple[int, fmpq], ...]
    constant: fmpq
    strict: bool

    @property
    def negated(self) -> Constraint:
        """The comparison that holds when this one does not."""
        return Constraint(tuple((number, -weight) for number, weight in self.terms), -self.constant, not self.strict)

    @property
    def variables(self) -> tuple[int, ...]:
        """The numbers of its variables."""
        return tuple(number for number, _ in self.terms)


@dataclass(frozen=True)
class Limit:
    """A bound ``slope * t + shift`` of one variable, where ``t`` is another one.

    A lower one is included, an upper one excluded. On the reals this makes no difference.
    """

    lower: bool
    slope: fmpq
    shift: fmpq

    def at(self, place: fmpq) -> fmpq:
        """Its value."""
        return self.slope * place + self.shift


def limit_of(constraint: Constraint, variable: int, *, discrete: bool) -> Limit:
    """A comparison as the bound of one of its variables."""
    weight = dict(constraint.terms)[variable]
    slope = sum((-other / weight for number, other in constraint.terms if number != variable), fmpq(0))
    shift = -constraint.constant / weight
    lower = weight > 0
    if discrete:
        if len(constraint.terms) > 1 and abs(slope) != 1:
            raise RegionError("integer noise of different step sizes is compared")
        # A lower bound is the first integer that counts, and an upper one the first that counts no more.
        beyond = constraint.strict if lower else not constraint.strict
        shift = fmpq(shift.floor() + 1) if beyond else fmpq(shift.ceil())
    return Limit(lower, slope, shift)


def interval_of(limits: list[Limit]) -> tuple[End, End]:
    """The interval that bounds without another variable leave."""
    lows = [limit.shift for limit in limits if limit.lower]
    highs = [limit.shift for limit in limits if not limit.lower]
    return max(lows, default=None), min(highs, default=None)
