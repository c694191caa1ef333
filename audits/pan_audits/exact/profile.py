"""The privacy profile delta(epsilon) of a pair of streams, and its export for composition.

``delta(epsilon)`` is the least delta with which the two distributions are (epsilon, delta)-close: the
integral of the positive part of ``p - exp(epsilon) q``. Between two neighbouring locations of Laplace
noise that difference is of the form ``a u + b / u`` and changes its sign at most once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from pan_audits.choices.errors import UnfollowableError
from pan_audits.choices.laws import GeometricLaw, LaplaceLaw
from pan_audits.choices.numbers import ONE, ZERO, Exponent, Number, as_ball, as_float, exponent, greater, rational
from pan_audits.exact.extreme import Mixture
from pan_audits.exact.gaussian_profile import gaussian_part, has_gaussian_noise
from pan_audits.exact.region_profile import region_part
from pan_audits.exact.scope import Stream
from pan_audits.exact.stepping import Law, Stepper
from pan_audits.regions.exponential import Exponential
from pan_promises.errors import MissingExtraError


@dataclass(frozen=True)
class PrivacyProfile:
    """The profile of an ordered pair of distributions.

    Attributes
    ----------
    left, right
        Distributions of the observations.
    """

    left: Law
    right: Law

    @classmethod
    def of(cls, stepper: Stepper, left: Stream, right: Stream) -> PrivacyProfile:
        """The profile of two streams."""
        return cls(stepper.law(left), stepper.law(right))

    def delta(self, epsilon: Any) -> Number:
        """The least delta for a budget in nats: a fraction, or a ball that holds it.

        Raises
        ------
        UnfollowableError
            For several outputs with noise, or sums of several noise variables.
        """
        budget = exponent(epsilon) if epsilon else None
        factor = ONE if budget is None else budget.power()
        exact = factor
        if budget is not None and budget.base is None:
            exact = Exponential.power(rational(budget.coefficient))
        return sum(
            (_positive_part(self.left.get(key, ()), self.right.get(key, ()), factor, exact) for key in self.left), ZERO
        )

    def table(self, *, largest: float, points: int = 41) -> dict[str, list[float]]:
        """Budgets from 0 to ``largest`` nats and their deltas, JSON-ready."""
        budgets = [largest * number / (points - 1) for number in range(points)]
        return {"epsilon": budgets, "delta": [self._upper(budget) for budget in budgets]}

    def to_privacy_loss_distribution(self, *, interval: float = 1e-3, largest: float | None = None) -> Any:
        """A pessimistic ``dp_accounting`` privacy loss distribution, for composition.

        Parameters
        ----------
        interval
            Distance of the losses at which the profile is evaluated, in nats.
        largest
            Largest loss to evaluate; by default the point at which the profile vanishes, at most 50 nats.
        """
        try:
            from dp_accounting.pld import pld_pmf, privacy_loss_distribution
        except ImportError:
            raise MissingExtraError("a privacy loss distribution", "accounting") from None
        import math

        import numpy as np

        made = []
        for profile in (self, PrivacyProfile(self.right, self.left)):
            top = largest if largest is not None else profile._vanishes(interval)
            steps = np.arange(-math.ceil(top / interval), math.ceil(top / interval) + 1)
            deltas = np.array([profile._upper(float(step) * interval) for step in steps])
            made.append(pld_pmf.create_pmf_pessimistic_connect_dots(interval, steps, deltas))
        return privacy_loss_distribution.PrivacyLossDistribution(*made)

    def _upper(self, epsilon: float) -> float:
        return min(1.0, max(0.0, as_float(self.delta(epsilon)) + 1e-15))

    def _vanishes(self, interval: float) -> float:
        top = interval
        while top < 50 and greater(self.delta(top), ZERO) is not False and as_float(self.delta(top)) > 1e-15:
            top *= 1.5
        return min(top, 50.0)


def _positive_part(left: Mixture, right: Mixture, factor: Number, exact_factor: Number) -> Number:
    """The integral of the positive part of ``left - factor * right``. The factor is given as a ball and exactly."""
    if has_gaussian_noise((left, right)):
        return gaussian_part(left, right, factor)
    dimension = max((len(path.coordinates) for _, path in (*left, *right)), default=0)
    if dimension == 0:
        difference = sum((w for w, _ in left), ZERO) - factor * sum((w for w, _ in right), ZERO)
        return difference if greater(difference, ZERO) else ZERO
    if not left or not right:
        return sum((w for w, _ in left), ZERO)
    laws = {(c.slope, c.law) for _, path in (*left, *right) for c in path.coordinates}
    if any(isinstance(law, tuple) for _, law in laws):
        raise UnfollowableError("the profile of sums of several noise variables is not computed")
    law = next(iter(laws))[1]
    if dimension > 1 or len(laws) > 1 or not isinstance(law, (LaplaceLaw, GeometricLaw)):
        return region_part(left, right, exact_factor)
    parts: list[tuple[Number, Fraction]] = [(w, path.coordinates[0].location) for w, path in left]
    parts += [(-factor * w, path.coordinates[0].location) for w, path in right]
    if isinstance(law, LaplaceLaw):
        return _laplace_part(parts, law)
    return _geometric_part(parts, law)


def _laplace_part(parts: Sequence[tuple[Number, Fraction]], law: LaplaceLaw) -> Number:
    """For densities ``rate/2 exp(-rate abs(y - location))``."""
    places = sorted({place for _, place in parts})
    total: Number = ZERO
    # Beyond the outermost locations everything decays alike: the sign does not change.
    for end in (places[0], places[-1]):
        height = sum((weight * law.decay(end - place) for weight, place in parts), ZERO)
        if greater(height, ZERO):
            total = total + height / 2
    for low, high in pairwise(places):
        # In z = exp(rate (y - low)), from 1 to top: the difference is up / z + down z.
        top = 1 / law.decay(high - low)
        up = sum((weight * law.decay(low - place) for weight, place in parts if place <= low), ZERO)
        down = sum((weight * law.decay(place - low) for weight, place in parts if place >= high), ZERO)
        total = total + _between(up, down, top)
    return total


def _between(up: Number, down: Number, top: Number) -> Number:
    """Half the integral of the positive part of ``up / z + down z`` over ``dz / z`` from 1 to ``top``."""

    def integral(start: Number, stop: Number) -> Number:
        return (up * (1 / start - 1 / stop) + down * (stop - start)) / 2

    first, last = up + down, up / top + down * top
    if not greater(first, ZERO) and not greater(last, ZERO):
        return ZERO
    if greater(first, ZERO) and greater(last, ZERO):
        return integral(ONE, top)
    root = (as_ball(-up) / as_ball(down)).sqrt()
    return integral(ONE, root) if greater(first, ZERO) else integral(root, top)


def _geometric_part(parts: Sequence[tuple[Number, Fraction]], law: GeometricLaw) -> Number:
    """For probabilities on the integers."""
    up, down = (_ratio(side) for side in (law.up, law.down))
    scale = (1 - up) * (1 - down) / (1 - up * down)
    places = sorted({place for _, place in parts})
    low, high = places[0].numerator, places[-1].numerator
    if high - low > 10_000:
        raise UnfollowableError("the locations of the noise are too far apart for a profile")
    total: Number = ZERO
    for k in range(low, high + 1):
        value = sum((weight * law.decay(k - place) for weight, place in parts), ZERO)
        # Beyond the outermost locations the values are geometric, without a change of sign.
        if k == low:
            value = value / (1 - down) if low < high else value * (1 / (1 - down) + up / (1 - up))
        elif k == high:
            value = value / (1 - up)
        if greater(value, ZERO):
            total = total + value
    return total * scale


def _ratio(side: Exponent | Fraction) -> Number:
    return side.power() if isinstance(side, Exponent) else rational(side)
