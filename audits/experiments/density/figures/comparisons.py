"""What several figures share: places, quantities there, and conditions that compare two of them at each place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from math import floor, inf, nextafter
from typing import NamedTuple

from experiments.density.contenders import STREAMS, UNIFORM, ZIPF, Configuration, Setting, contender, fixed_stream
from experiments.density.exact_moments import error_moments
from experiments.toolkit.conditions import Condition, Fact, Within
from experiments.toolkit.quantities import Interval, MeanSquaredError, Part, ProbabilityOfError, Ratio
from experiments.toolkit.runs import Bench
from experiments.toolkit.sentence import Sentence
from pan_estimators.density.target import Target
from pan_estimators.universes.universe import IntegerUniverse

Conditions = Callable[[Bench], Sequence[Condition]]
"""Conditions that all hold if a sentence does."""

STREAM_NAMES = {UNIFORM: "uniform", ZIPF: "Zipf"}

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


AtPlace = Callable[[Place], Part]
"""A quantity or a number at each place."""


def squared_error(label: str, target: Target = Target.DENSITY) -> AtPlace:
    """The mean squared error of an estimator."""
    return lambda place: MeanSquaredError(place.configuration(label), target)


def probability(label: str) -> AtPlace:
    """The probability of error of an estimator."""
    return lambda place: ProbabilityOfError(place.configuration(label))


def published_error(label: str) -> AtPlace:
    """The printed formula for the mean squared error."""
    formula = contender(label).published
    assert formula is not None, f"no formula is printed for {label}"
    return lambda place: formula(place.epsilon, place.size)


def exact_error(bench: Bench, label: str, place: Place, target: Target = Target.DENSITY) -> float:
    """The mean squared error of an estimator with a fixed sample, from its distribution."""
    estimator = contender(label).make(IntegerUniverse(bench.setting.users), place.epsilon, place.size)
    found = error_moments(estimator, fixed_stream(bench.setting, place.stream, bench.seed), target)
    assert found is not None, f"the sample of {label} is not fixed"
    return found.second


def compared(
    what: str, over: AtPlace, under: AtPlace, where: Iterable[Place], low: float = 0.0, high: float = inf
) -> list[Within]:
    """The ratio of two quantities lies within limits at each place."""
    return [Within(place.describe(), what, Ratio((over(place),), (under(place),)), low, high) for place in where]


def against_exact(bench: Bench, one: str, other: str, where: Iterable[Place], low: float, high: float) -> list[Within]:
    """The mean squared error of one estimator over that of another, which is computed from its distribution."""
    exact = partial(exact_error, bench, other)
    return compared(f"MSE {one} / exact MSE {other}", squared_error(one), exact, where, low, high)


def coincides(label: str, theory: AtPlace, name: str, where: Iterable[Place], target: Target) -> list[Within]:
    """The mean squared error coincides with a formula at each place."""
    about = "d(S)" if target is Target.DENSITY else "d(S_M)"
    what = f"MSE {label} about {about} / {name}"
    return compared(what, squared_error(label, target), theory, where, 1 / COINCIDE, COINCIDE)


def robust(label: str, where: Iterable[Place]) -> list[Within]:
    """The mean squared errors on the two streams differ insignificantly."""
    errors = squared_error(label)
    return [
        Within(
            f"m = {place.size:,}, epsilon = {place.epsilon:g}",
            f"MSE {label} uniform / Zipf",
            Ratio(*((errors(place._replace(stream=stream)),) for stream in (UNIFORM, ZIPF))),
            1 / NOTICEABLE,
            NOTICEABLE,
        )
        for place in where
    ]


def bounds_not_tight(labels: Iterable[str], where: Sequence[Place], alpha: float, *, capped: bool) -> list[Within]:
    """Each estimator's probability of error is at most half of the tightest printed bound."""

    def bound(label: str, place: Place) -> Interval:
        found = tightest_bound(bits_of(label), place.epsilon, alpha, place.size)
        return Interval(*(min(1.0, end) for end in (found.low, found.estimate, found.high))) if capped else found

    return [
        leaf
        for label in labels
        for leaf in compared(
            f"{PROBABILITY_OF_ERROR} {label} / bound",
            probability(label),
            partial(bound, label),
            where,
            high=1 / SIGNIFICANT,
        )
    ]


@lru_cache(maxsize=1024)
def tightest_bound(pair: str, epsilon: float, alpha: float, size: int) -> Interval:
    """An enclosure of the tightest printed bound on the probability of error. It may exceed 1."""
    from pan_proofs.density.lemmas.accuracy_terms import tightest_beta

    minimum = tightest_beta(size, exactly(epsilon), exactly(alpha), pair, width=Fraction(1, 10**6))
    # The next doubles: the conversion rounds to the nearest.
    low, high = nextafter(float(minimum.low), 0.0), nextafter(float(minimum.high), inf)
    return Interval(low, (low + high) / 2, high)


def bits_of(label: str) -> str:
    """The estimator whose printed bound holds for this one."""
    pair = contender(label).bits
    assert pair is not None, f"no bound is printed for {label}"
    return pair


def exactly(number: float) -> Fraction:
    """The decimal number that a double stands for."""
    return Fraction(repr(number))


def density_sentences(figure: str, source: str) -> Iterator[Sentence]:
    """The sentences about the expected densities 0.63 and 0.25, for a figure of either source."""
    for name, stream, printed in (
        ("uniform", "uniform stream", Fraction(63, 100)),
        ("Zipf", "Zipf stream with parameter 1", Fraction(25, 100)),
    ):
        yield Sentence(
            id=f"{figure}.{name.lower()}-density",
            source=source,
            states=f"A {stream} has an expected density of {float(printed):g}.",
            meaning="the expected density of T independent draws, enclosed by balls, rounds to the printed number at "
            "two decimals: they are printed",
            condition=partial(_rounds_to, name, printed),
            measured=False,
        )


def _rounds_to(distribution: str, printed: Fraction, bench: Bench) -> list[Fact]:
    users, length = bench.setting.users, bench.setting.length
    low, high, value = _expected(users, length, distribution)
    half = Fraction(5, 1000)
    rounded = {floor((end + half) * 100) for end in (low, high)}
    inside = rounded == {printed * 100} if len(rounded) == 1 else None
    return [Fact(f"U = {users:,}, T = {length:,}", f"expected density, {distribution}", inside, value)]


@lru_cache(maxsize=4)
def _expected(users: int, length: int, distribution: str) -> tuple[Fraction, Fraction, float]:
    """Bounds of the expected density, and its value."""
    from pan_proofs.density.claims.any_estimator.stream_densities import appearance, zipf_moments

    ball = zipf_moments(users, length)[0] if distribution == "Zipf" else appearance(Fraction(1, users), length)
    ends = []
    for end in (ball.lower(), ball.upper()):
        mantissa, exponent = end.man_exp()
        ends.append(Fraction(int(mantissa)) * Fraction(2) ** int(exponent))
    return ends[0], ends[1], float(ball.mid())
