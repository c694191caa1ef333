"""The privacy profile of two inputs.

The positive part of a difference of two distributions that are piecewise sums of exponentials, as of noise that was
compared.

On the integers it is a sum, and on the reals an integral. A piece on which a proof is found that the difference keeps
its sign counts as a whole, or not at all; any other piece is halved.

The privacy profile delta(epsilon) of a pair of streams, and its export for composition.

``delta(epsilon)`` is the least delta with which the two distributions are (epsilon, delta)-close: the
integral of the positive part of ``p - exp(epsilon) q``. Between two neighbouring locations of Laplace
noise that difference is of the form ``a u + b / u`` and changes its sign at most once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from typing import Any

from flint import arb, fmpq

from pan_audits.choices.distributions import GeometricDistribution, LaplaceDistribution
from pan_audits.choices.errors import UnfollowableError
from pan_audits.choices.numbers import (
    ONE,
    ZERO,
    Exponent,
    Number,
    as_ball,
    as_float,
    exponent,
    greater,
    plain,
    rational,
)
from pan_audits.choices.region import RegionError
from pan_audits.choices.regions.exponential import NOTHING, UNIT, Exponential
from pan_audits.choices.regions.function import (
    End,
    Function,
    Piece,
    Terms,
    common_pieces,
    growth,
    nowhere_negative,
    value,
)
from pan_audits.exact.gaussian_profile import gaussian_part, has_gaussian_noise
from pan_audits.exact.observation import Mixture, as_product, density_of
from pan_audits.exact.scope import Stream
from pan_audits.exact.stepping import Distribution, Stepper
from pan_promises.errors import MissingExtraError

_HALVINGS = 64
_FAR = fmpq(16)
"""The distance at which a ray is cut, which is doubled each time."""

_MOST_INTEGERS = 2_000
_MOST_ATOMS = 20_000

Atom = tuple[Exponential, Exponential]
"""The probabilities of some values under both distributions; their ratio is the same for all of these values."""


def region_part(left: Mixture, right: Mixture, factor: Number) -> Number:
    """The integral, or the sum, of the positive part of ``left - factor * right``."""
    weights = [sum((weight for weight, _ in side), ZERO) for side in (left, right)]
    if not left or not right:
        return weights[0]
    left, right = as_product(left), as_product(right)
    if any(any(one.slope) for _, path in (*left, *right) for one in path.coordinates):
        raise UnfollowableError("the profile is not computed of an output that depends on an earlier one")
    times = Exponential.of(factor)
    try:
        if len(left) > 1 or len(right) > 1:
            if len(left[0][1].coordinates) > 1:
                raise UnfollowableError(
                    "the profile is not computed of several numbers with noise beside other random choices"
                )
            one, other = (
                reduce(Function.plus, (density_of(path.coordinates[0]).scaled(_of(weight)) for weight, path in side))
                for side in (left, right)
            )
            return plain(_positive_part_of_region(one.plus(other, -times)))
        pairs = [
            (density_of(one), density_of(other))
            for one, other in zip(left[0][1].coordinates, right[0][1].coordinates, strict=True)
        ]
    except RegionError as problem:
        raise UnfollowableError(f"the profile of the noise cannot be followed exactly: {problem}") from None
    # A number with the same distribution on both sides shows nothing.
    differ = [(one, other) for one, other in pairs if not one.plus(other, -UNIT).is_zero]
    above, below = _of(weights[0]), _of(weights[1]) * times
    if not differ:
        return plain(above - below) if (above - below).sign() > 0 else ZERO
    if len(differ) == 1:
        ((one, other),) = differ
        return plain(_positive_part_of_region(one.scaled(above).plus(other, -below)))
    atoms: list[Atom] = [(above, below)]
    for one, other in differ:
        each = list(_atoms(one, other))
        if len(atoms) * len(each) > _MOST_ATOMS:
            raise UnfollowableError(f"the profile of several numbers with noise has more than {_MOST_ATOMS:,} parts")
        atoms = [(p * high, q * low) for p, q in atoms for high, low in each]
    gains = (p - q for p, q in atoms)
    return plain(sum((gain for gain in gains if gain.sign() > 0), NOTHING))


def _of(weight: Number) -> Exponential:
    if isinstance(weight, arb):
        raise RegionError("a probability is not a fraction")
    return Exponential.of(weight)


def _atoms(one: Function, other: Function) -> Iterator[Atom]:
    """The values of one number in groups with one ratio: integers, and rays on which both distributions decay alike."""
    if not one.discrete:
        raise UnfollowableError("the profile is not computed of several numbers with a density that differ")
    for low, high, (top, bottom) in common_pieces((one, other)):
        if not top and not bottom:
            continue
        keys = set(top) | set(bottom)
        if not top or not bottom or (len(keys) == 1 and not next(iter(keys))[2]):
            yield _total(low, high, top), _total(low, high, bottom)
        elif low is None or high is None or high - low > _MOST_INTEGERS:
            raise UnfollowableError("the profile is not computed of several numbers whose noise decays in several ways")
        else:
            for place in range(int(low), int(high)):
                yield value(top, fmpq(place)), value(bottom, fmpq(place))


def _total(low: End, high: End, terms: Terms, *, discrete: bool = True) -> Exponential:
    return Function((Piece(low, high, terms),), discrete).total if terms else NOTHING


def _positive_part_of_region(difference: Function) -> Number:
    """The integral, or the sum, of a function where it is positive."""
    total: Number = NOTHING
    for piece in difference.pieces:
        part = _of_piece(piece, _HALVINGS, discrete=difference.discrete)
        total = total + part if isinstance(part, Exponential) and isinstance(total, Exponential) else _sum(total, part)
    return total


def _sum(one: Number, other: Number) -> Number:
    return as_ball(one) + as_ball(other)


def _of_piece(piece: Piece, halvings: int, *, discrete: bool) -> Number:
    low, high, terms = piece.low, piece.high, piece.terms
    if discrete and low is not None and high == low + 1:
        at = value(terms, low)
        return at if at.sign() > 0 else NOTHING
    last = high - 1 if discrete and high is not None else high
    if nowhere_negative(terms, low, last, depth=0):
        return _total(low, high, terms, discrete=discrete)
    if nowhere_negative({key: -one for key, one in terms.items()}, low, last, depth=0):
        return NOTHING
    if not halvings:
        if low is None or high is None or discrete:
            raise UnfollowableError("the sign of a difference of densities is not followed to infinity")
        return _between_points(low, high, terms)
    middle = _middle(low, high, _HALVINGS - halvings, discrete=discrete)
    pieces = Piece(low, middle, terms), Piece(middle, high, terms)
    parts = [_of_piece(each, halvings - 1, discrete=discrete) for each in pieces]
    exact = all(isinstance(part, Exponential) for part in parts)
    return parts[0] + parts[1] if exact else _sum(*parts)


def _middle(low: End, high: End, times: int, *, discrete: bool) -> fmpq:
    far = _FAR * fmpq(2) ** min(times, 20)
    if low is None:
        found = fmpq(0) if high is None else high - far
    else:
        found = low + far if high is None else (low + high) / 2
    return fmpq(found.floor()) if discrete else found


def _between_points(low: fmpq, high: fmpq, terms: Terms) -> arb:
    """A ball that holds the part of a short interval."""
    most = arb(0)
    for key, one in terms.items():
        ends = [abs(as_ball(growth(key)) ** arb(end)) * abs(arb(end)) ** key[2] for end in (low, high)]
        most = most + abs(as_ball(one)) * (ends[0] + ends[1])
    width = (most * arb(high - low)).upper()
    return arb(width / 2, width / 2)


@dataclass(frozen=True)
class PrivacyProfile:
    """The profile of an ordered pair of distributions.

    Attributes
    ----------
    left, right
        Distributions of the observations.
    """

    left: Distribution
    right: Distribution

    @classmethod
    def of(cls, stepper: Stepper, left: Stream, right: Stream) -> PrivacyProfile:
        """The profile of two streams."""
        return cls(stepper.distribution(left), stepper.distribution(right))

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
    distributions = {(c.slope, c.distribution) for _, path in (*left, *right) for c in path.coordinates}
    distribution = next(iter(distributions))[1]
    if (
        dimension > 1
        or len(distributions) > 1
        or not isinstance(distribution, (LaplaceDistribution, GeometricDistribution))
    ):
        return region_part(left, right, exact_factor)
    parts: list[tuple[Number, Fraction]] = [(w, path.coordinates[0].location) for w, path in left]
    parts += [(-factor * w, path.coordinates[0].location) for w, path in right]
    if isinstance(distribution, LaplaceDistribution):
        return _laplace_part(parts, distribution)
    return _geometric_part(parts, distribution)


def _laplace_part(parts: Sequence[tuple[Number, Fraction]], distribution: LaplaceDistribution) -> Number:
    """For densities ``rate/2 exp(-rate abs(y - location))``."""
    places = sorted({place for _, place in parts})
    total: Number = ZERO
    # Beyond the outermost locations everything decays alike: the sign does not change.
    for end in (places[0], places[-1]):
        height = sum((weight * distribution.decay(end - place) for weight, place in parts), ZERO)
        if greater(height, ZERO):
            total = total + height / 2
    for low, high in pairwise(places):
        # In z = exp(rate (y - low)), from 1 to top: the difference is up / z + down z.
        top = 1 / distribution.decay(high - low)
        up = sum((weight * distribution.decay(low - place) for weight, place in parts if place <= low), ZERO)
        down = sum((weight * distribution.decay(place - low) for weight, place in parts if place >= high), ZERO)
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


def _geometric_part(parts: Sequence[tuple[Number, Fraction]], distribution: GeometricDistribution) -> Number:
    """For probabilities on the integers."""
    up, down = (_ratio(side) for side in (distribution.up, distribution.down))
    scale = (1 - up) * (1 - down) / (1 - up * down)
    places = sorted({place for _, place in parts})
    low, high = places[0].numerator, places[-1].numerator
    if high - low > 10_000:
        raise UnfollowableError("the locations of the noise are too far apart for a profile")
    total: Number = ZERO
    for k in range(low, high + 1):
        value = sum((weight * distribution.decay(k - place) for weight, place in parts), ZERO)
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
