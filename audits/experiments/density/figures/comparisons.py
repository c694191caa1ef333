"""What several figures share: conditions that compare estimators at each place, and curves with confidence bands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from math import floor, inf, nextafter
from typing import NamedTuple

from experiments.density.contenders import STREAMS, UNIFORM, ZIPF, Configuration, Setting, contender, fixed_stream
from experiments.density.exact_moments import error_moments
from experiments.toolkit.conditions import AllOf, Condition, Fact, Within, everywhere
from experiments.toolkit.figures import EXACT, MEASURED, PUBLISHED_FORMULA, Experiment, Row, Sheet
from experiments.toolkit.quantities import Interval, MeanSquaredError, ProbabilityOfError, Quantity, Ratio
from experiments.toolkit.runs import Bench, Runs
from experiments.toolkit.sentence import Sentence
from pan_estimators.density.target import Target
from pan_estimators.universes.universe import IntegerUniverse

OfSetting = Callable[[Setting, int], Condition]

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


def squared_error(configuration: Configuration) -> MeanSquaredError:
    """The mean squared error about d(S)."""
    return MeanSquaredError(configuration, Target.DENSITY)


def at_each(
    where: Iterable[Place], what: str, ratio: Callable[[Place], Ratio], low: float = 0.0, high: float = inf
) -> list[Within]:
    """A ratio lies within limits at each place."""
    return [Within(place.describe(), what, ratio(place), low, high) for place in where]


def _compared(
    quantity: Callable[[Configuration], Quantity],
    symbol: str,
    first: str,
    others: Sequence[str],
    where: Sequence[Place],
    low: float,
    high: float,
) -> list[Within]:
    def ratio(other: str, place: Place) -> Ratio:
        return Ratio((quantity(place.configuration(first)),), (quantity(place.configuration(other)),))

    return [
        leaf
        for other in others
        for leaf in at_each(where, f"{symbol} {first} / {other}", partial(ratio, other), low, high)
    ]


def errors_compared(
    first: str, others: Sequence[str], where: Sequence[Place], *, low: float = 0.0, high: float = inf
) -> list[Within]:
    """The mean squared error of one estimator over that of each other, within limits at each place."""
    return _compared(squared_error, "MSE", first, others, where, low, high)


def probabilities_compared(first: str, others: Sequence[str], where: Sequence[Place]) -> list[Within]:
    """The probability of error of one estimator is below that of each other at each place."""
    return _compared(ProbabilityOfError, PROBABILITY_OF_ERROR, first, others, where, 0.0, 1.0)


def errors_against_exact(
    setting: Setting, seed: int, first: str, other: str, where: Iterable[Place], *, low: float = 0.0, high: float
) -> list[Within]:
    """The mean squared error of one estimator over that of another, which is computed from its distribution."""

    def ratio(place: Place) -> Ratio:
        return Ratio((squared_error(place.configuration(first)),), (exact_error(setting, seed, other, place),))

    return at_each(where, f"MSE {first} / exact MSE {other}", ratio, low, high)


def exact_error(setting: Setting, seed: int, label: str, place: Place, target: Target = Target.DENSITY) -> float:
    """The exact mean squared error of an estimator with a fixed sample."""
    estimator = contender(label).make(IntegerUniverse(setting.users), place.epsilon, place.size)
    found = error_moments(estimator, fixed_stream(setting, place.stream, seed), target)
    assert found is not None, f"the sample of {label} is not fixed"
    return found.second


def coincides(label: str, theory: Callable[[Place], float], name: str, where: Iterable[Place], target: Target) -> AllOf:
    """The mean squared error coincides with a formula at each place."""
    symbol = "d(S)" if target is Target.DENSITY else "d(S_M)"

    def ratio(place: Place) -> Ratio:
        return Ratio((MeanSquaredError(place.configuration(label), target),), (theory(place),))

    return everywhere(at_each(where, f"MSE {label} about {symbol} / {name}", ratio, 1 / COINCIDE, COINCIDE))


def with_published(labels: Iterable[str], where: Sequence[Place], target: Target) -> AllOf:
    """Each estimator's mean squared error coincides with the printed one."""

    def theory(label: str, place: Place) -> float:
        formula = contender(label).published
        assert formula is not None, f"no formula is printed for {label}"
        return formula(place.epsilon, place.size)

    return everywhere([coincides(label, partial(theory, label), "published", where, target) for label in labels])


def robust(label: str, setting: Setting, sizes: Iterable[int]) -> AllOf:
    """The mean squared errors on the two streams differ insignificantly."""
    return everywhere(
        [
            Within(
                f"m = {place.size:,}, epsilon = {place.epsilon:g}",
                f"MSE {label} uniform / Zipf",
                Ratio(*((squared_error(place._replace(stream=one).configuration(label)),) for one in (UNIFORM, ZIPF))),
                1 / NOTICEABLE,
                NOTICEABLE,
            )
            for place in places(setting, sizes, (UNIFORM,))
        ]
    )


def bounds_not_tight(labels: Iterable[str], where: Sequence[Place], alpha: float, *, capped: bool) -> AllOf:
    """Each estimator's probability of error is at most half of the tightest printed bound."""

    def ratio(label: str, place: Place) -> Ratio:
        bound = tightest_bound(bits_of(label), place.epsilon, alpha, place.size)
        known = Interval(*(min(1.0, one) if capped else one for one in (bound.low, bound.estimate, bound.high)))
        return Ratio((ProbabilityOfError(place.configuration(label)),), (known,))

    return everywhere(
        [
            leaf
            for label in labels
            for leaf in at_each(
                where, f"{PROBABILITY_OF_ERROR} {label} / bound", partial(ratio, label), high=1 / SIGNIFICANT
            )
        ]
    )


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


def density_sentences(figure: str, source: str) -> tuple[Sentence, ...]:
    """The sentences about the expected densities 0.63 and 0.25, for a figure of either source."""
    common = {
        "source": source,
        "meaning": "the expected density of T independent draws, enclosed by balls, rounds to the printed number at "
        "two decimals: they are printed",
        "measured": False,
    }
    return (
        Sentence(
            id=f"{figure}.uniform-density",
            states="A uniform stream has an expected density of 0.63.",
            condition=lambda setting, seed: everywhere([_rounds_to(setting, "uniform", Fraction(63, 100))]),
            **common,  # type: ignore[arg-type]
        ),
        Sentence(
            id=f"{figure}.zipf-density",
            states="A Zipf stream with parameter 1 has an expected density of 0.25.",
            condition=lambda setting, seed: everywhere([_rounds_to(setting, "Zipf", Fraction(25, 100))]),
            **common,  # type: ignore[arg-type]
        ),
    )


def _rounds_to(setting: Setting, distribution: str, printed: Fraction) -> Fact:
    low, high, value = _expected(setting.users, setting.length, distribution)
    half = Fraction(5, 1000)
    rounded = {floor((end + half) * 100) for end in (low, high)}
    inside = rounded == {printed * 100} if len(rounded) == 1 else None
    return Fact(f"U = {setting.users:,}, T = {setting.length:,}", f"expected density, {distribution}", inside, value)


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


_TAIL = 0.025
"""Probability of error of each side of a pointwise interval of confidence 95%."""


Points = Callable[[Setting], Sequence[tuple[str, Place, float]]]
"""For a setting the plotted points: panel, place, and horizontal coordinate."""

Theory = Callable[[str, Place, Runs, Setting], Iterator[tuple[str, float | None]]]
"""The computed values beside a measured one, each with the kind of its curve."""


def errors_in_theory(label: str, place: Place, runs: Runs, setting: Setting) -> Iterator[tuple[str, float | None]]:
    """The printed formula, and the exact mean squared error about d(S)."""
    formula = contender(label).published
    yield PUBLISHED_FORMULA, formula and formula(place.epsilon, place.size)
    yield EXACT, None if runs.second is None else runs.second[Target.DENSITY]


def bounds_in_theory(label: str, place: Place, runs: Runs, setting: Setting) -> Iterator[tuple[str, float | None]]:
    """The tightest printed bound on the probability of error."""
    if contender(label).bits:
        yield PUBLISHED_FORMULA, tightest_bound(bits_of(label), place.epsilon, setting.alpha, place.size).estimate


def measured_figure(
    name: str,
    labels: Sequence[str],
    points: Points,
    quantity: Callable[[Configuration], Quantity],
    theory: Theory,
    repetitions: Callable[[Setting], int],
    sheet: Callable[[Setting], Sheet],
    sentences: tuple[Sentence, ...],
    *,
    title: str,
    source: str,
    claim: str,
) -> Experiment:
    """A figure of measured curves with confidence bands, and the theoretical ones beside them."""

    def rows(bench: Bench) -> Iterator[Row]:
        for label in labels:
            for panel, place, x in points(bench.setting):
                configuration = place.configuration(label)
                runs = bench.plotted(configuration)
                found = quantity(configuration).bounds(lambda _, runs=runs: runs, _TAIL)  # type: ignore[misc]
                row = partial(
                    Row, panel, label, x=x, stream=place.stream, epsilon=place.epsilon, sample_size=place.size
                )
                yield row(MEASURED, value=found.estimate, low=found.low, high=found.high, repetitions=runs.count)
                for kind, value in theory(label, place, runs, bench.setting):
                    if value is not None:
                        yield row(kind, value=value)

    return Experiment(
        name=name,
        title=title,
        source=source,
        sentences=sentences,
        rows=lambda bench: tuple(rows(bench)),
        sheet=sheet,
        plotted=lambda setting: {
            place.configuration(label): repetitions(setting) for label in labels for _, place, _ in points(setting)
        },
        claims=(claim,),
    )
