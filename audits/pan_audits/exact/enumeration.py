"""The enumerating randomness: the estimator's own code, run once for every outcome of its random choices."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, islice
from typing import Any, TypeVar

import numpy as np
from flint import fmpq
from numpy.typing import NDArray

from pan_audits.exact.errors import REMEMBERED, BypassError, TooLargeError, unfollowable
from pan_audits.exact.noise import GeometricLaw, LaplaceLaw, Law, Noise, NoisyNumber
from pan_audits.exact.numbers import ONE, fraction, is_simple, probability, rational, reciprocal
from pan_audits.exact.watch import watched
from pan_estimators.keyed_sample import ListedSample

T = TypeVar("T")

MOST_OUTCOMES = 20_000
"""Outcomes of one call of the estimator that are followed."""


class EnumeratingRandomness:
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
        number = self._choose(self._limited(2**size))
        bits = np.array([number >> place & 1 for place in range(size)], dtype=np.bool_)
        ones = int(np.count_nonzero(bits))
        self.probability *= rational(p) ** ones * rational(1 - p) ** (size - ones)
        return bits

    def uniform_integers(self, low: int, high: int, size: int) -> NDArray[np.int64]:
        span = int(high) - int(low)
        if span < 1:
            raise unfollowable(f"there is no integer from {low} to {high - 1}")
        number = self._choose(self._limited(span**size))
        self.probability /= span**size
        return np.array([low + number // span**place % span for place in range(size)], dtype=np.int64)

    def uniform_subset(self, population: int, size: int) -> NDArray[np.int64]:
        count = self._limited(math.comb(population, size))
        number = self._choose(count)
        self.probability /= count
        return np.array(next(islice(combinations(range(population), size), number, None)), dtype=np.int64)

    def keyed_sample(self, population: int, size: int) -> ListedSample:
        """A uniform sample: what a keyed permutation is taken for."""
        return ListedSample(population, self.uniform_subset(population, size))

    def laplace(self, location: Any, scale: Any, size: int | None = None) -> Any:
        if np.ndim(location):
            raise unfollowable("laplace takes one location for all its variables, got an array")
        self.exact &= is_simple(scale)
        law = LaplaceLaw(reciprocal(scale))
        drawn = self._noise(law, 1 if size is None else size)
        if size is None:
            return location + drawn[0]
        placed = np.empty(size, dtype=object)
        placed[:] = [location + noise for noise in drawn]
        return placed

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

    def _array(self, law: Law, size: int) -> NDArray[Any]:
        drawn = np.empty(size, dtype=object)
        drawn[:] = self._noise(law, size)
        return drawn

    def _noise(self, law: Law, size: int) -> list[NoisyNumber]:
        self.noises += size
        # The outcomes of earlier choices are part of the name: other outcomes, other noise.
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
            error = TooLargeError(f"one random choice has {count:.3g} outcomes, more than {MOST_OUTCOMES:,}")
            REMEMBERED.append(error)
            raise error
        return count

    def _choose(self, options: int) -> int:
        place = len(self.options)
        self.options.append(options)
        if place >= len(self.script):
            return 0
        if self.script[place] >= options:
            raise BypassError(_BYPASS)
        return self.script[place]


def _run(call: Callable[[EnumeratingRandomness], T], randomness: EnumeratingRandomness) -> T:
    """One call; an error that the estimator has caught counts all the same."""
    REMEMBERED.clear()
    try:
        result = call(randomness)
    except Exception:
        if REMEMBERED:
            raise REMEMBERED[0] from None
        raise
    if REMEMBERED:
        raise REMEMBERED[0]
    return result


_BYPASS = (
    "the estimator does not repeat itself when its random choices are repeated: it draws from somewhere else, or "
    "keeps something outside of its state"
)


def outcomes(
    call: Callable[[EnumeratingRandomness], T], *, moment: int = 0, same: Callable[[T], Any] | None = None
) -> list[tuple[fmpq, T, EnumeratingRandomness]]:
    """Every outcome of a call with its probability.

    Parameters
    ----------
    call
        Runs the estimator's code with the randomness that it is given, from the same start each time.
    moment
        When this happens, for the names of noise variables.
    same
        If given, each outcome is computed twice, and the two must be equal under this key.

    Raises
    ------
    BypassError
        If the code does not repeat itself.
    TooLargeError
        If there are too many outcomes.
    """
    with watched():
        return _outcomes(call, moment, same)


def _outcomes(
    call: Callable[[EnumeratingRandomness], T], moment: int, same: Callable[[T], Any] | None
) -> list[tuple[fmpq, T, EnumeratingRandomness]]:
    found: list[tuple[fmpq, T, EnumeratingRandomness]] = []
    scripts: list[tuple[int, ...]] = [()]
    while scripts:
        script = scripts.pop()
        randomness = EnumeratingRandomness(script, moment)
        result = _run(call, randomness)
        if same is not None and same(_run(call, EnumeratingRandomness(script, moment))) != same(result):
            raise BypassError(_BYPASS)
        if len(randomness.options) < len(script):
            raise BypassError(_BYPASS)
        found.append((randomness.probability, result, randomness))
        taken = script + (0,) * (len(randomness.options) - len(script))
        for place in range(len(script), len(taken)):
            scripts += [(*taken[:place], other) for other in range(1, randomness.options[place])]
        if len(found) + len(scripts) > MOST_OUTCOMES:
            count = math.prod(randomness.options)
            raise TooLargeError(f"one step has about {count:.3g} outcomes, more than {MOST_OUTCOMES:,}")
    return found
