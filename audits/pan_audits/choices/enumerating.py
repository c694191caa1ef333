"""The enumerating randomness: random choices that follow a script, with their exact probability."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, islice
from typing import Any

import numpy as np
from flint import fmpq
from numpy.typing import NDArray

from pan_audits.choices.errors import REMEMBERED, BypassError, TooLargeError, unfollowable
from pan_audits.choices.noise import GeometricLaw, LaplaceLaw, Law, Noise, NoisyNumber
from pan_audits.choices.numbers import ONE, fraction, is_simple, probability, rational, reciprocal
from pan_audits.choices.uniform import uniform_numbers
from pan_estimators.randomness.numpy_names import NumpyNames
from pan_estimators.samples.keyed_sample import ListedSample

MOST_OUTCOMES = 20_000
"""Greatest number of outcomes of one call that the check follows."""

_LARGEST_FACTORIAL, _LARGEST_EXPONENT, _LARGEST_SHOWN = 100, 400, 10**100
"""Limits on numbers of outcomes. Above the first or second, a number is too large; above the third, it is not shown."""

DOES_NOT_REPEAT = (
    "the estimator behaves differently when its random choices are repeated: it draws from another source, or keeps "
    "data outside of its state"
)


class EnumeratingRandomness(NumpyNames):
    """Random choices that follow a script; beyond its end they take the first outcome and note the others.

    Laplace and geometric noise is not enumerated but kept as a :class:`NoisyNumber`.

    Parameters
    ----------
    script
        The outcome of each choice, by number.
    moment
        When the noise is drawn, as part of its name.
    """

    def __init__(self, script: tuple[int, ...] = (), moment: int = 0) -> None:
        self.script = script
        self.moment = moment
        self.probability: fmpq = ONE
        self.options: list[int] = []
        self.noises = 0
        self.exact = True

    def bernoulli(self, probability: Any, size: int) -> NDArray[np.bool_]:
        p = self._probability(probability)
        if p in (0, 1):
            return np.full(size, p == 1, dtype=np.bool_)
        number = self._choose(self._limited(_power(2, size)))
        bits = np.array([number >> place & 1 for place in range(size)], dtype=np.bool_)
        ones = int(np.count_nonzero(bits))
        self.probability *= rational(p) ** ones * rational(1 - p) ** (size - ones)
        return bits

    def uniform_integers(self, low: int, high: int, size: int) -> NDArray[np.int64]:
        span = int(high) - int(low)
        if span < 1:
            raise unfollowable(f"there is no integer from {low} to {high - 1}")
        number = self._choose(self._limited(_power(span, size)))
        self.probability /= span**size
        return np.array([low + number // span**place % span for place in range(size)], dtype=np.int64)

    def uniform_subset(self, population: int, size: int) -> NDArray[np.int64]:
        count = self._limited(math.comb(population, size))
        number = self._choose(count)
        self.probability /= count
        return np.array(next(islice(combinations(range(population), size), number, None)), dtype=np.int64)

    def keyed_sample(self, population: int, size: int) -> ListedSample:
        """A uniform sample, which the check takes in place of a keyed permutation."""
        return ListedSample(population, self.uniform_subset(population, size))

    def laplace_noise(self, location: Any, scale: Any, size: int) -> NDArray[Any]:
        self.exact &= is_simple(scale)
        drawn = self._array(LaplaceLaw(reciprocal(scale)), size)
        drawn[:] = [location + noise for noise in drawn.tolist()]
        return drawn

    def normal_noise(self, location: Any, scale: Any, size: int) -> NDArray[Any]:
        raise unfollowable(
            "the noise of normal and standard_normal cannot be followed exactly; that of laplace, discrete_laplace and "
            "two_sided_geometric can (panproof gate audits normal noise at real size)"
        )

    def exponential_noise(self, scale: Any, size: int) -> NDArray[Any]:
        raise unfollowable(
            "the noise of exponential cannot be followed exactly; that of laplace, geometric and two_sided_geometric "
            "can (panproof gate audits exponential noise at real size)"
        )

    def discrete_laplace(self, scale: Any, size: int) -> NDArray[Any]:
        self.exact &= is_simple(scale)
        rate = reciprocal(scale)
        return self._array(GeometricLaw(rate.times(Fraction(-1)), rate.times(Fraction(-1))), size)

    def two_sided_geometric(self, up: Any, down: Any, size: int) -> NDArray[Any]:
        for ratio in (up, down):
            if not 0 < ratio < 1:
                raise unfollowable(f"the ratio of geometric noise must lie between 0 and 1, got {ratio!r}")
            self.exact &= is_simple(ratio)
        return self._array(GeometricLaw(fraction(up), fraction(down)), size)

    def geometric_numbers(self, probability: Any, size: int) -> NDArray[Any]:
        success = self._probability(probability)
        if success == 0:
            raise unfollowable(f"the probability of geometric must lie above 0, got {probability!r}")
        if success == 1:
            return np.ones(size, dtype=np.int64)
        drawn = self._array(GeometricLaw(1 - success, Fraction(0)), size)
        drawn[:] = [1 + noise for noise in drawn.tolist()]
        return drawn

    def binomial_numbers(self, trials: int, probability: Any, size: int) -> NDArray[np.int64]:
        p = self._probability(probability)
        self._limited(_power(trials + 1, size))
        ways = [math.comb(trials, ones) * p**ones * (1 - p) ** (trials - ones) for ones in range(trials + 1)]
        return self._places(ways, size)

    def weighted_places(self, weights: Sequence[Any], size: int) -> NDArray[np.int64]:
        return self._places([self._probability(weight) for weight in weights], size)

    def _places(self, weights: list[Fraction], size: int) -> NDArray[np.int64]:
        total = sum(weights)
        likely = [place for place, weight in enumerate(weights) if weight]
        if not likely:
            raise unfollowable("the probabilities of choice are all 0")
        number = self._choose(self._limited(_power(len(likely), size)))
        places = [likely[number // len(likely) ** turn % len(likely)] for turn in range(size)]
        for place in places:
            self.probability *= rational(weights[place] / total)
        return np.array(places, dtype=np.int64)

    def uniform_order(self, size: int) -> NDArray[np.int64]:
        count = self._limited(math.factorial(min(size, _LARGEST_FACTORIAL)))
        number = self._choose(count)
        self.probability /= count
        left, order = list(range(size)), []
        for still in range(size, 0, -1):
            number, place = divmod(number, still)
            order.append(left.pop(place))
        return np.array(order, dtype=np.int64)

    def uniform_numbers(self, low: Any, high: Any, size: int) -> NDArray[Any]:
        return uniform_numbers(low, high, size, self.bernoulli)

    def _array(self, law: Law, size: int) -> NDArray[Any]:
        drawn = np.empty(size, dtype=object)
        drawn[:] = self._noise(law, size)
        return drawn

    def _noise(self, law: Law, size: int) -> list[NoisyNumber]:
        self.noises += size
        # The outcomes of earlier choices are part of the name: noise after different outcomes is different noise.
        name = (
            self.moment,
            self.noises,
            *self.script[: len(self.options)],
            *[0] * len(self.options[len(self.script) :]),
        )
        return [NoisyNumber(Fraction(0), ((Noise((*name, place), law), Fraction(1)),)) for place in range(size)]

    def _probability(self, value: Any) -> Fraction:
        if not 0 <= value <= 1:
            raise unfollowable(f"the probability of a bit must lie between 0 and 1, got {value!r}")
        self.exact &= is_simple(value)
        return probability(value)

    def _limited(self, count: int) -> int:
        if count > MOST_OUTCOMES:
            told = f"{count:.3g}" if count < _LARGEST_SHOWN else f"more than {float(_LARGEST_SHOWN):.0e}"
            error = TooLargeError(f"one random choice has {told} outcomes, more than {MOST_OUTCOMES:,}")
            REMEMBERED.append(error)
            raise error
        return count

    def _choose(self, options: int) -> int:
        place = len(self.options)
        self.options.append(options)
        if place >= len(self.script):
            return 0
        if self.script[place] >= options:
            raise BypassError(DOES_NOT_REPEAT)
        return self.script[place]


def _power(outcomes: int, draws: int) -> int:
    """The number of outcomes of several draws together, or a smaller number that is too large already."""
    count: int = outcomes ** min(draws, _LARGEST_EXPONENT)
    return count
