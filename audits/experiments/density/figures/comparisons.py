"""Conditions that several figures share: estimators compared with each other, with a formula, with a bound."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import inf, nextafter
from typing import NamedTuple

from experiments.density.contenders import Configuration, contender
from experiments.density.exact_moments import error_moments
from experiments.density.setting import STREAMS, UNIFORM, ZIPF, Setting, fixed_stream
from experiments.toolkit.conditions import AllOf, Within, everywhere
from experiments.toolkit.quantities import Interval, MeanSquaredError, ProbabilityOfError, Ratio
from pan_estimators.density.target import Target
from pan_estimators.universes.universe import IntegerUniverse

COINCIDE = 1.1
"""Two curves coincide if they differ by less than a tenth, the size of a marker in a plot over decades."""

NOTICEABLE = 1.25
"""Better by a fifth of the error, or a quarter more of it, is seen in such a plot; less is insignificant."""

SIGNIFICANT = 2.0
"""Half of the error, or twice the bound, is significant."""

PROBABILITY_OF_ERROR = "P(error >= alpha)"


class Place(NamedTuple):
    """The place of a comparison of estimators."""

    stream: str
    epsilon: float
    size: int

    def configuration(self, label: str) -> Configuration:
        """An estimator there."""
        return Configuration(label, self.stream, self.epsilon, self.size)

    def describe(self) -> str:
        """In words."""
        return self.configuration("").describe()


def places(setting: Setting, sizes: Iterable[int], streams: Iterable[str] = STREAMS) -> list[Place]:
    """All budgets at some sample sizes on some streams."""
    chosen = tuple(sizes)
    return [Place(stream, epsilon, size) for stream in streams for size in chosen for epsilon in setting.epsilons]


def squared_error(configuration: Configuration) -> MeanSquaredError:
    """The mean squared error about d(S)."""
    return MeanSquaredError(configuration, Target.DENSITY)


def errors_compared(
    first: str, others: Sequence[str], where: Iterable[Place], *, low: float = 0.0, high: float = inf
) -> list[Within]:
    """The mean squared error of one estimator over that of each other, within limits at each place."""
    return [
        Within(
            place.describe(),
            f"MSE {first} / {other}",
            Ratio((squared_error(place.configuration(first)),), (squared_error(place.configuration(other)),)),
            low,
            high,
        )
        for other in others
        for place in where
    ]


def errors_against_exact(
    setting: Setting, seed: int, first: str, other: str, where: Iterable[Place], *, low: float = 0.0, high: float
) -> list[Within]:
    """The mean squared error of one estimator over that of another, which is computed from its distribution."""
    return [
        Within(
            place.describe(),
            f"MSE {first} / exact MSE {other}",
            Ratio((squared_error(place.configuration(first)),), (exact_error(setting, seed, other, place),)),
            low,
            high,
        )
        for place in where
    ]


def exact_error(setting: Setting, seed: int, label: str, place: Place, target: Target = Target.DENSITY) -> float:
    """The exact mean squared error of an estimator with a fixed sample."""
    estimator = contender(label).make(IntegerUniverse(setting.users), place.epsilon, place.size)
    found = error_moments(estimator, fixed_stream(setting, place.stream, seed), target)
    assert found is not None, f"the sample of {label} is not fixed"
    return found.second


def probabilities_compared(first: str, others: Sequence[str], where: Iterable[Place]) -> list[Within]:
    """The probability of error of one estimator is below that of each other at each place."""
    return [
        Within(
            place.describe(),
            f"{PROBABILITY_OF_ERROR} {first} / {other}",
            Ratio((ProbabilityOfError(place.configuration(first)),), (ProbabilityOfError(place.configuration(other)),)),
            high=1.0,
        )
        for other in others
        for place in where
    ]


def coincides(label: str, theory: Callable[[Place], float], name: str, where: Iterable[Place], target: Target) -> AllOf:
    """The mean squared error coincides with a formula at each place."""
    symbol = "d(S)" if target is Target.DENSITY else "d(S_M)"
    return everywhere(
        [
            Within(
                place.describe(),
                f"MSE {label} about {symbol} / {name}",
                Ratio((MeanSquaredError(place.configuration(label), target),), (theory(place),)),
                1 / COINCIDE,
                COINCIDE,
            )
            for place in where
        ]
    )


def with_published(labels: Iterable[str], where: Sequence[Place], target: Target) -> AllOf:
    """Each estimator's mean squared error coincides with the printed one."""
    parts = []
    for label in labels:
        formula = contender(label).published
        assert formula is not None, f"no formula is printed for {label}"
        theory = lambda place, formula=formula: formula(place.epsilon, place.size)  # noqa: E731
        parts.append(coincides(label, theory, "published", where, target))
    return everywhere(parts)


def robust(label: str, setting: Setting, sizes: Iterable[int]) -> AllOf:
    """The mean squared errors on the two streams differ insignificantly."""
    return everywhere(
        [
            Within(
                f"m = {size:,}, epsilon = {epsilon:g}",
                f"MSE {label} uniform / Zipf",
                Ratio(
                    (squared_error(Configuration(label, UNIFORM, epsilon, size)),),
                    (squared_error(Configuration(label, ZIPF, epsilon, size)),),
                ),
                1 / NOTICEABLE,
                NOTICEABLE,
            )
            for size in sizes
            for epsilon in setting.epsilons
        ]
    )


def bounds_not_tight(labels: Iterable[str], where: Sequence[Place], alpha: float, *, capped: bool) -> AllOf:
    """Each estimator's probability of error is at most half of the tightest printed bound."""
    parts = []
    for label in labels:
        pair = contender(label).bits
        assert pair is not None, f"no bound is printed for {label}"
        for place in where:
            bound = tightest_bound(pair, place.epsilon, alpha, place.size)
            known = Interval(*(min(1.0, one) if capped else one for one in (bound.low, bound.estimate, bound.high)))
            parts.append(
                Within(
                    place.describe(),
                    f"{PROBABILITY_OF_ERROR} {label} / bound",
                    Ratio((ProbabilityOfError(place.configuration(label)),), (known,)),
                    high=1 / SIGNIFICANT,
                )
            )
    return everywhere(parts)


@lru_cache(maxsize=1024)
def tightest_bound(pair: str, epsilon: float, alpha: float, size: int) -> Interval:
    """An enclosure of the tightest printed bound on the probability of error. It may exceed 1."""
    from pan_proofs.density.lemmas.accuracy.tightest_bound import tightest_beta

    minimum = tightest_beta(size, exactly(epsilon), exactly(alpha), pair, width=Fraction(1, 10**6))
    # The next doubles: the conversion rounds to the nearest.
    low, high = nextafter(float(minimum.low), 0.0), nextafter(float(minimum.high), inf)
    return Interval(low, (low + high) / 2, high)


def exactly(number: float) -> Fraction:
    """The decimal number that a double stands for."""
    return Fraction(repr(number))
