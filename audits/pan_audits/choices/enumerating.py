"""Every outcome of the random choices of a call.

The answers about noise that is not drawn, while judged code runs.

The probabilities of a choice by scores, without rounding.

The enumerating randomness: random choices that follow a script, with their exact probability.

The guard: an estimator's code may draw from the given randomness only.

The estimator's own code, run once for every outcome of its random choices.
"""

from __future__ import annotations

import math
import os
import random
import secrets
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, islice
from typing import Any, TypeVar

import numpy as np
from flint import arb, fmpq
from numpy.typing import NDArray

from pan_audits.choices.differences import Differences, above_others
from pan_audits.choices.distributions import (
    Distribution,
    ExponentialDistribution,
    GeometricDistribution,
    GumbelDistribution,
    LaplaceDistribution,
    MixedDistribution,
    Noise,
    WholeDistribution,
    is_integer,
)
from pan_audits.choices.errors import (
    REMEMBERED,
    BypassError,
    TooLargeError,
    TooManyOutcomesError,
    UnfinishedError,
    UnfollowableError,
    unfollowable,
)
from pan_audits.choices.largest import are_comparable
from pan_audits.choices.noise import DECIDER, NoisyNumber
from pan_audits.choices.numbers import (
    ONE,
    Exponent,
    Number,
    as_ball,
    as_float,
    fraction,
    is_simple,
    plain,
    probability,
    rational,
    reciprocal,
)
from pan_audits.choices.region import Comparison, Region, RegionError
from pan_audits.choices.regions.exponential import Exponential
from pan_audits.choices.uniform import uniform_numbers
from pan_estimators.randomness.arguments import NoSuchDrawError, Size, shaped
from pan_estimators.randomness.numpy_names import NumpyNames
from pan_estimators.samples.keyed_sample import ListedSample
from pan_promises.exact_epsilon import LogFraction


@dataclass(frozen=True)
class Decider:
    """The answers that code needs about noise that is not drawn.

    Attributes
    ----------
    compared
        Whether a noisy number is above 0, or, if the second argument is false, at least 0. It must answer consistently
        with all its earlier answers.
    largest
        The place of the first largest of several noisy numbers; ``None`` if comparisons two by two must tell it.
    whole_part
        The integer below a noisy number, or, if the second argument is true, the next one towards 0, as a number with
        integer noise. The third argument says whether it becomes a double, whose zero has a sign.
    """

    compared: Callable[[NoisyNumber, bool], bool]
    largest: Callable[[list[NoisyNumber]], int | None]
    whole_part: Callable[[NoisyNumber, bool, bool], NoisyNumber]


@contextmanager
def deciding(decider: Decider) -> Iterator[None]:
    """Let comparisons and roundings of noisy numbers be decided by functions."""
    token = DECIDER.set(decider)
    try:
        yield
    finally:
        DECIDER.reset(token)


def chances_of_scores(scores: Sequence[Any], epsilon: Any, sensitivity: Any) -> list[Number]:
    """The probabilities that are proportional to ``exp(epsilon score / (2 sensitivity))``.

    They are fractions of sums of exponentials if all numbers are fractions, and balls if some are logarithms. A score
    of the same logarithm as the sensitivity counts as a fraction of it.
    """
    if not sensitivity > 0:
        raise unfollowable(f"a choice by scores needs a positive sensitivity, got {sensitivity!r}")
    exponents = [_exponent(score, epsilon, sensitivity) for score in scores]
    if all(isinstance(one, fmpq) for one in exponents):
        top = max(exponents)
        weights: list[Number] = [Exponential.power(one - top) for one in exponents]
        total = sum(weights[1:], weights[0])
        return [plain(weight / total) for weight in weights]
    balls = [as_ball(one).exp() for one in exponents]
    whole = sum(balls, arb(0))
    return [ball / whole for ball in balls]


def _exponent(score: Any, epsilon: Any, sensitivity: Any) -> Number:
    """``epsilon score / (2 sensitivity)`` as a fraction, or as a ball that holds it."""
    rate = fraction(epsilon) if not isinstance(epsilon, LogFraction) else None
    ratio = _quotient(score, sensitivity)
    if ratio is not None and rate is not None:
        return rational(rate * ratio / 2)
    return _real(epsilon) * _real(score) / (2 * _real(sensitivity))


def _quotient(score: Any, sensitivity: Any) -> Fraction | None:
    """The quotient of two numbers, if it is a fraction for sure."""
    logarithms = [isinstance(one, LogFraction) for one in (score, sensitivity)]
    if not any(logarithms):
        return fraction(score) / fraction(sensitivity)
    if all(logarithms) and (score.base, score.power) == (sensitivity.base, sensitivity.power):
        return Fraction(score.coefficient / sensitivity.coefficient)
    return Fraction(0) if not logarithms[0] and score == 0 else None


def _real(value: Any) -> arb:
    """A number as a ball that holds it."""
    if not isinstance(value, LogFraction):
        return arb(rational(value))
    logarithm = arb(rational(value.base)).log()
    return arb(rational(value.coefficient)) * (logarithm if value.power == 1 else 1 / logarithm)


MOST_OUTCOMES = 20_000
"""Greatest number of outcomes of one call that the check follows."""

_MOST_COMPARISONS = 40
"""Greatest number of comparisons of noise on one path, where each path must be followed to its end."""

_LONGEST_PATH = 256
"""Greatest number of choices on one path. A loop that draws until a condition holds has no longest path."""

_MOST_LEFT = 64
"""Greatest number of paths of a call that are left before their end."""

_LONG_PATH, _UNLIKELY = 40, 2.0**-32
"""Number of choices, and probability, from which on a path need not be followed to its end."""

_LARGEST_FACTORIAL, _LARGEST_EXPONENT, _LARGEST_SHOWN = 100, 400, 10**100
"""Limits on numbers of outcomes. Above the first or second, a number is too large; above the third, it is not shown."""

DOES_NOT_REPEAT = (
    "the estimator behaves differently when its random choices are repeated: it draws from another source, or keeps "
    "data outside of its state"
)


class EnumeratingRandomness(NumpyNames):
    """Random choices that follow a script; beyond its end they take the first outcome and note the others.

    Laplace, exponential, Gumbel and geometric noise is not enumerated but kept as a :class:`NoisyNumber`. A comparison
    of it is one more choice, and the region that the comparisons leave is kept. A rounding of it is integer noise.
    """

    def __init__(self, script: tuple[int, ...] = (), moment: int = 0, beyond: random.Random | None = None) -> None:
        self.script = script
        self.moment = moment
        self.beyond = beyond
        self.probability: fmpq = ONE
        self.options: list[int] = []
        self.noises = 0
        self.exact = True
        self.region = Region()
        self.known: Differences | None = Differences()
        self.apart: tuple[int, ...] = ()
        self._chosen: tuple[int, ...] = ()
        self._drawn: set[Noise] = set()
        self._rounded: set[Noise] = set()
        self._signed = False
        self.may_stay = False
        """Whether unlikely paths may be left before their end, as those of a loop that draws until the noise suits."""
        self._compared = 0

    @property
    def decider(self) -> Decider:
        """The answers about its noise."""
        return Decider(self.compared, self.largest, self.whole_part)

    def compared(self, number: Any, strict: Any) -> bool:
        """Whether a noisy number is above 0, or at least 0 if it is not strict; each possible answer is one outcome."""
        if not isinstance(number, NoisyNumber) or not isinstance(strict, bool):
            raise unfollowable("the estimator compares noise in an unknown way")
        try:
            one = Comparison.of(number, strict)
        except RegionError as problem:
            raise unfollowable(f"the comparisons of noise cannot be followed exactly: {problem}") from None
        if not one.terms:
            raise unfollowable("the estimator compares a number in which all noise cancels")
        if not self.may_stay and self._compared >= _MOST_COMPARISONS:
            raise _remembered(TooLargeError(f"one path has more than {_MOST_COMPARISONS} comparisons of noise"))
        if not one.noises <= self._drawn:
            raise unfollowable("the estimator compares noise that an earlier step drew, and this cannot be followed")
        ways = [way for way in (one, one.negated) if self._is_possible(way)]
        held = ways[self._choose(2, comparison=True)] if len(ways) > 1 else ways[0]
        if len(ways) > 1:
            self._compared += 1
            self._hold(held)
        return held is one

    def largest(self, numbers: Any) -> int | None:
        """The place of the first one of the largest of several noisy numbers, if it is one choice."""
        if not isinstance(numbers, list) or self.known is None or not are_comparable(numbers):
            return None
        noises = [number.terms[0][0] for number in numbers]
        if not self._drawn.issuperset(noises):
            return None
        places = self.known.possible_largest(numbers)
        if places is None:
            return None
        place = places[self._choose(len(places), comparison=True)] if len(places) > 1 else places[0]
        for one in above_others(numbers, place):
            self._hold(one)
        return place

    def _is_possible(self, one: Comparison) -> bool:
        """Whether a comparison holds with a positive probability, given the others."""
        try:
            edge = None if self.known is None else self.known.edge(one)
            if self.known is not None and edge is not None:
                return self.known.allows(edge, discrete=any(is_integer(noise.distribution) for noise in one.noises))
            # The other parts of the region are possible: they were, when they were compared.
            return self.region.where(one).touching(one.noises).is_possible
        except RegionError as problem:
            raise unfollowable(f"the comparisons of noise cannot be followed exactly: {problem}") from None

    def _hold(self, one: Comparison) -> None:
        """Let a comparison hold from now on."""
        edge = None if self.known is None else self.known.edge(one)
        if self.known is None or edge is None:
            self.known = None
        elif self.known.implies(edge):
            return
        else:
            self.known.add(edge)
        self.region = self.region.where(one)

    def whole_part(self, number: Any, towards_zero: Any, signed: Any) -> NoisyNumber:
        """The integer below a noisy number, or the next one towards 0, as a number with integer noise.

        If its zero has a sign, it is compared with 0, so that several of them would lead to very many outcomes.
        """
        if self._signed and signed:
            raise unfollowable(
                "the estimator rounds several noisy numbers to doubles, whose zeros have a sign (round them to "
                "integers: by round without digits, int or math.floor)"
            )
        self._signed |= bool(signed)
        if not isinstance(number, NoisyNumber) or not number.terms or not isinstance(towards_zero, bool):
            raise unfollowable("the estimator rounds noise in an unknown way")
        if len(number.terms) > 1:
            raise unfollowable("the estimator rounds a number with several noise variables")
        ((noise, weight),) = number.terms
        if is_integer(noise.distribution):
            raise unfollowable("the estimator rounds multiples of integer noise, or of noise that is rounded already")
        if noise not in self._drawn:
            raise unfollowable("the estimator rounds noise that an earlier step drew, and this cannot be followed")
        rounded = Noise(noise.name, WholeDistribution(noise, weight, number.constant, towards_zero))
        self._rounded |= {noise, rounded}
        return NoisyNumber(Fraction(0), ((rounded, Fraction(1)),))

    @property
    def settled(self) -> set[Noise]:
        """Noise that is replaced by noise with another distribution in the output: it was compared or rounded."""
        return self.region.noises | self._rounded

    @property
    def taken(self) -> tuple[int, ...]:
        """The outcome of each choice so far, as a script."""
        return self.script + (0,) * (len(self.options) - len(self.script))

    def bernoulli(self, probability: Any, size: Size = None) -> Any:
        if type(size) is not int:
            return shaped(self.bernoulli, size, probability)
        p = self._probability(probability)
        if p in (0, 1):
            return np.full(size, p == 1, dtype=np.bool_)
        number = self._choose(self._limited(_power(2, size)))
        bits = np.array([number >> place & 1 for place in range(size)], dtype=np.bool_)
        ones = int(np.count_nonzero(bits))
        self.probability *= rational(p) ** ones * rational(1 - p) ** (size - ones)
        return bits

    def uniform_integers(self, low: int, high: int, size: Size = None) -> Any:
        if type(size) is not int:
            return shaped(self.uniform_integers, size, low, high)
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
        return self._about(location, LaplaceDistribution, scale, size)

    def normal_noise(self, location: Any, scale: Any, size: int) -> NDArray[Any]:
        raise unfollowable(
            "the noise of normal, standard_normal, gaussian and discrete_gaussian cannot be followed where the "
            "elements of an output with too many values are followed separately (panproof gate audits it)"
        )

    def discrete_gaussian_noise(self, scale: Any, size: int) -> NDArray[Any]:
        return self.normal_noise(0, scale, size)

    def exponential_noise(self, scale: Any, size: int) -> NDArray[Any]:
        self.exact &= is_simple(scale)
        if scale == 0:
            return without_noise(0.0, size)
        return self._array(ExponentialDistribution(reciprocal(scale)), size)

    def gumbel_noise(self, location: Any, scale: Any, size: int) -> NDArray[Any]:
        return self._about(location, GumbelDistribution, scale, size)

    def _about(self, location: Any, kind: Callable[[Exponent], Distribution], scale: Any, size: int) -> NDArray[Any]:
        """Noise about a location."""
        self.exact &= is_simple(scale)
        if scale == 0:
            return without_noise(location, size)
        drawn = self._array(kind(reciprocal(scale)), size)
        drawn[:] = [location + noise for noise in drawn.tolist()]
        return drawn

    def discrete_laplace(self, scale: Any, size: Size = None) -> Any:
        if type(size) is not int:
            return shaped(self.discrete_laplace, size, scale)
        self.exact &= is_simple(scale)
        rate = reciprocal(scale)
        return self._array(GeometricDistribution(rate.times(Fraction(-1)), rate.times(Fraction(-1))), size)

    def two_sided_geometric(self, up: Any, down: Any, size: Size = None) -> Any:
        if type(size) is not int:
            return shaped(self.two_sided_geometric, size, up, down)
        for ratio in (up, down):
            if not 0 < ratio < 1:
                raise unfollowable(f"the ratio of geometric noise must lie between 0 and 1, got {ratio!r}")
            self.exact &= is_simple(ratio)
        return self._array(GeometricDistribution(fraction(up), fraction(down)), size)

    def geometric_numbers(self, probability: Any, size: int) -> NDArray[Any]:
        success = self._probability(probability)
        if success == 0:
            raise unfollowable(f"the probability of geometric must lie above 0, got {probability!r}")
        if success == 1:
            return np.ones(size, dtype=np.int64)
        drawn = self._array(GeometricDistribution(1 - success, Fraction(0)), size)
        drawn[:] = [1 + noise for noise in drawn.tolist()]
        return drawn

    def binomial_numbers(self, trials: int, probability: Any, size: int) -> NDArray[np.int64]:
        self._limited(_power(trials + 1, size))
        return self._places(self._binomial_weights(trials, probability), size)

    def _binomial_weights(self, trials: int, probability: Any) -> list[Fraction]:
        p = self._probability(probability)
        return [math.comb(trials, ones) * p**ones * (1 - p) ** (trials - ones) for ones in range(trials + 1)]

    def weighted_places(self, weights: Sequence[Any], size: int) -> NDArray[np.int64]:
        return self._places([self._probability(weight) for weight in weights], size)

    def scored_places(self, scores: Sequence[Any], epsilon: Any, sensitivity: Any, size: int) -> NDArray[np.int64]:
        for number in (*scores, epsilon, sensitivity):
            self.exact &= is_simple(number)
        chances = chances_of_scores(scores, epsilon, sensitivity)
        number = self._choose(self._limited(_power(len(chances), size)))
        places = [number // len(chances) ** turn % len(chances) for turn in range(size)]
        for place in places:
            self.probability = self.probability * chances[place]
        return np.array(places, dtype=np.int64)

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
        return uniform_numbers(low, high, size, self)

    def mixed_noise(self, parts: Any) -> NoisyNumber:
        """A mixture of uniform and exponential variables, as one noise variable; of equal sides, a Laplace variable."""
        found = tuple((fraction(w), fraction(place), fraction(factor), bool(kind)) for w, place, factor, kind in parts)
        if not found or sum(part[0] for part in found) != 1 or not all(part[0] > 0 and part[2] for part in found):
            raise unfollowable("the estimator uses a uniform number in an unknown way")
        weights, places, factors, kinds = zip(*found, strict=True)
        symmetric = len(found) == 2 and weights[0] == weights[1] and not sum(factors)
        one = Exponent(Fraction(1))
        distribution: Distribution
        if all(kinds) and len(set(places)) == 1 and (len(found) == 1 or symmetric):
            distribution = LaplaceDistribution(one) if symmetric else ExponentialDistribution(one)
            made: NoisyNumber = self._noise(distribution, 1)[0] * factors[-1] + places[0]
            return made
        return self._noise(MixedDistribution(found), 1)[0]

    def _array(self, distribution: Distribution, size: int) -> NDArray[Any]:
        drawn = np.empty(size, dtype=object)
        drawn[:] = self._noise(distribution, size)
        return drawn

    def _noise(self, distribution: Distribution, size: int) -> list[NoisyNumber]:
        self.noises += size
        # The outcomes of earlier choices are part of the name: noise after different outcomes is different noise. After
        # comparisons with other results it is the same.
        made = [Noise((self.moment, self.noises, *self._chosen, place), distribution) for place in range(size)]
        self._drawn.update(made)
        if self.known is not None:
            for noise in made:
                self.known.drawn(noise)
        return [NoisyNumber(Fraction(0), ((noise, Fraction(1)),)) for noise in made]

    def _probability(self, value: Any) -> Fraction:
        if not 0 <= value <= 1:
            raise unfollowable(f"the probability of a bit must lie between 0 and 1, got {value!r}")
        self.exact &= is_simple(value)
        return probability(value)

    def _limited(self, count: int) -> int:
        if count > MOST_OUTCOMES:
            raise _remembered(
                TooManyOutcomesError(f"one random choice has {told(count)} outcomes, more than {MOST_OUTCOMES:,}")
            )
        return count

    def _choose(self, options: int, *, comparison: bool = False) -> int:
        chosen = self._outcome(options)
        if not comparison:
            self._chosen = (*self._chosen, chosen)
            self.apart = self.taken[: len(self.options)]
        return chosen

    def _outcome(self, options: int) -> int:
        place = len(self.options)
        if self.may_stay and place >= _LONG_PATH and as_float(self.probability) * self.region.chance < _UNLIKELY:
            raise _remembered(UnfinishedError("a path goes on for long"))
        if place >= _LONGEST_PATH:
            raise _remembered(
                TooManyOutcomesError(
                    f"one path has more than {_LONGEST_PATH:,} random choices, and a loop that draws until a condition "
                    "holds has no longest path"
                )
            )
        self.options.append(options)
        if place >= len(self.script):
            return 0 if self.beyond is None else self.beyond.randrange(options)
        if self.script[place] >= options:
            raise BypassError(DOES_NOT_REPEAT)
        return self.script[place]


def _remembered(error: TooLargeError) -> TooLargeError:
    """The error, which counts even if the estimator catches it."""
    REMEMBERED.append(error)
    return error


def told(count: int) -> str:
    """A large number of outcomes with three digits."""
    return f"{count:.3g}" if count < _LARGEST_SHOWN else f"more than {float(_LARGEST_SHOWN):.0e}"


def without_noise(location: Any, size: int) -> NDArray[Any]:
    """Draws of noise of scale 0: the location, as a double if it is a plain number."""
    if isinstance(location, (int, float, np.integer, np.floating)):
        return np.full(size, float(location))
    drawn = np.empty(size, dtype=object)
    drawn[:] = [location] * size
    return drawn


def _power(outcomes: int, draws: int) -> int:
    """The number of outcomes of several draws together, or a smaller number that is too large already."""
    count: int = outcomes ** min(draws, _LARGEST_EXPONENT)
    return count


_ELSEWHERE = "the estimator draws from {name}, not from the randomness that it is given"


_CLOCK = "the estimator reads the clock ({name}); the check cannot repeat what depends on the time"


def _refusing(name: str, words: str = _ELSEWHERE) -> Any:
    def refuse(*_: Any, **__: Any) -> Any:
        error = BypassError(words.format(name=name))
        REMEMBERED.append(error)
        raise error

    return refuse


def _refusing_fresh_seeds() -> Any:
    seed = random.Random.seed
    refuse = _refusing("random.Random")

    def seeded(generator: random.Random, a: Any = None, version: int = 2) -> None:
        if a is None:
            refuse()
        seed(generator, a, version)

    return seeded


# Every generator of numpy without a seed, under any name, asks for these bits.
_UNSEEDED = (np.random.bit_generator, "randbits", _refusing("a generator of numpy without a seed"))
_UNFOLLOWED = "the mechanism makes {name}, whose draws cannot be followed (np.random.default_rng() is followed)"
_REFUSED_BITS = ((*_UNSEEDED[:2], _refusing("a generator of numpy from fresh entropy", _UNFOLLOWED)),)
_REFUSED: tuple[tuple[Any, str, Any], ...] = (
    _UNSEEDED,
    (random, "_urandom", _refusing("random.SystemRandom")),
    (random.Random, "seed", _refusing_fresh_seeds()),
    (np.random, "default_rng", _refusing("numpy.random.default_rng")),
    (os, "urandom", _refusing("os.urandom")),
    (secrets, "randbelow", _refusing("secrets")),
    (secrets, "randbits", _refusing("secrets")),
    (secrets, "token_bytes", _refusing("secrets")),
)


def _numpy_state() -> tuple[Any, ...]:
    state = np.random.get_state(legacy=False)["state"]
    return state["key"].tobytes(), state["pos"]


_TIMING = ("logging", "llvmlite", "numba", "numpy", "scipy")
"""Libraries that write a time into a record, or measure their own; it is always the same one here."""


def _refusing_clock(name: str) -> Any:
    refuse = _refusing(name, _CLOCK)

    def read() -> Any:
        asking = str(sys._getframe(1).f_globals.get("__name__", "")).partition(".")[0]
        return 0 if asking in _TIMING or _imports() else refuse()

    return read


def _imports() -> bool:
    """Whether a module is being imported: what it then reads stays the same in each later run."""
    frame: Any = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename != _IMPORTER:
        frame = frame.f_back
    return frame is not None


_IMPORTER = "<frozen importlib._bootstrap>"

_CLOCKS: tuple[tuple[Any, str, Any], ...] = tuple(
    (time, name, _refusing_clock(f"time.{name}"))
    for clock in ("time", "perf_counter", "monotonic", "process_time", "thread_time")
    for name in (clock, f"{clock}_ns")
)


@contextmanager
def watched(*, clocks: bool = False, sources: bool = True) -> Iterator[None]:
    """Refuse fresh generators and system entropy, and notice draws from the global generators.

    Without ``sources``, the sources of Python and numpy give the draws that are followed.
    """
    before = random.getstate(), _numpy_state()
    refused = (_REFUSED if sources else _REFUSED_BITS) + (_CLOCKS if clocks else ())
    kept = [getattr(module, name) for module, name, _ in refused]
    for module, name, refusing in refused:
        setattr(module, name, refusing)
    try:
        yield
    finally:
        for (module, name, _), original in zip(refused, kept, strict=True):
            setattr(module, name, original)
    if not sources:
        return
    if random.getstate() != before[0]:
        raise BypassError(_ELSEWHERE.format(name="random"))
    if _numpy_state() != before[1]:
        raise BypassError(_ELSEWHERE.format(name="numpy.random"))


T = TypeVar("T")

_BY_CHANCE = 1e-9
_MOST_PROBES = 64


def _run(call: Callable[[EnumeratingRandomness], T], randomness: EnumeratingRandomness) -> T:
    """One call; an error counts even if the estimator has caught it."""
    REMEMBERED.clear()
    try:
        with deciding(randomness.decider):
            result = call(randomness)
    except Exception as problem:
        if REMEMBERED:
            # The message of another process begins with the line of the code.
            told = isinstance(problem, UnfollowableError) and str(problem).endswith(str(REMEMBERED[0]))
            first = REMEMBERED[0]
            raise (type(first)(str(problem)) if told else first) from None
        if isinstance(problem, NoSuchDrawError):
            raise UnfollowableError(str(problem)) from None
        raise
    if REMEMBERED:
        raise REMEMBERED[0]
    return result


def once(call: Callable[[EnumeratingRandomness], T], randomness: EnumeratingRandomness) -> T:
    """The result of one call with some randomness."""
    with watched():
        return _run(call, randomness)


def outcomes(
    call: Callable[[EnumeratingRandomness], T],
    *,
    moment: int = 0,
    same: Callable[[T], Any] | None = None,
    source: Callable[[tuple[int, ...], int], EnumeratingRandomness] = EnumeratingRandomness,
    unfinished: T | None = None,
) -> list[tuple[fmpq, T, EnumeratingRandomness]]:
    """Every outcome of a call with its probability.

    If a result is given for unfinished paths, long and unlikely paths are left before their end, and have this result.
    """
    with watched():
        return _outcomes(call, moment, same, source, unfinished)


def _result(call: Callable[[EnumeratingRandomness], T], randomness: EnumeratingRandomness, unfinished: T | None) -> T:
    """The result of one call, or the one that stands for an unfinished path."""
    randomness.may_stay = unfinished is not None
    try:
        return _run(call, randomness)
    except UnfinishedError:
        assert unfinished is not None
        return unfinished


def _require_few(
    call: Callable[[EnumeratingRandomness], T], source: Callable[[], EnumeratingRandomness], unfinished: T | None
) -> None:
    """Refuse code that surely has too many outcomes, after a few random ones.

    The product of the options along a random path is the number of outcomes in expectation (Knuth, Estimating the
    efficiency of backtrack programs, 1975). By Markov's inequality a product is k times the largest number that is
    followed with probability at most 1/k, if there are no more outcomes than that.
    """
    products: list[int] = []
    chance, beyond = 1.0, random.Random(0)
    while chance > _BY_CHANCE and len(products) < _MOST_PROBES:
        probe = source()
        probe.beyond = beyond
        _result(call, probe, unfinished)
        products.append(math.prod(probe.options))
        chance *= min(1.0, MOST_OUTCOMES / products[-1])
    if chance <= _BY_CHANCE:
        raise _too_large(sum(products) // len(products))


def _outcomes(
    call: Callable[[EnumeratingRandomness], T],
    moment: int,
    same: Callable[[T], Any] | None,
    source: Callable[[tuple[int, ...], int], EnumeratingRandomness],
    unfinished: T | None,
) -> list[tuple[fmpq, T, EnumeratingRandomness]]:
    found: list[tuple[fmpq, T, EnumeratingRandomness]] = []
    scripts: list[tuple[int, ...]] = [()]
    left = 0
    while scripts:
        script = scripts.pop()
        randomness = source(script, moment)
        result = _result(call, randomness, unfinished)
        if same is not None and same(_result(call, source(script, moment), unfinished)) != same(result):
            raise BypassError(DOES_NOT_REPEAT)
        if len(randomness.options) < len(script):
            raise BypassError(DOES_NOT_REPEAT)
        if not found and math.prod(randomness.options) > MOST_OUTCOMES:
            _require_few(call, lambda: source((), moment), unfinished)
        found.append((randomness.probability, result, randomness))
        taken = script + (0,) * (len(randomness.options) - len(script))
        for place in range(len(script), len(taken)):
            scripts += [(*taken[:place], other) for other in range(1, randomness.options[place])]
        left += unfinished is not None and result is unfinished
        if left > _MOST_LEFT:
            raise TooManyOutcomesError(
                "a loop goes on in several ways, as one that draws until noise lies between two numbers: it has too "
                "many paths"
            )
        if len(found) + len(scripts) > MOST_OUTCOMES:
            raise _too_large(math.prod(randomness.options))
    return found


def _too_large(count: int) -> TooManyOutcomesError:
    return TooManyOutcomesError(f"one step has about {told(count)} outcomes, more than {MOST_OUTCOMES:,}")
