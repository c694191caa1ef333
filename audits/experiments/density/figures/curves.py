"""Curves with confidence bands from the runs that are plotted, and the theoretical ones beside them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import lru_cache
from math import floor

from experiments.density.contenders import contender
from experiments.density.figures.comparisons import Place, tightest_bound
from experiments.density.setting import Setting
from experiments.toolkit.conditions import Fact, everywhere
from experiments.toolkit.experiment import EXACT, MEASURED, PUBLISHED_FORMULA, Row
from experiments.toolkit.quantities import MeanSquaredError, ProbabilityOfError
from experiments.toolkit.runs import Bench
from experiments.toolkit.sentence import Sentence
from pan_estimators.density.target import Target


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


def error_curves(bench: Bench, labels: Iterable[str], where: Iterable[tuple[str, Place, float]]) -> Iterator[Row]:
    """Mean squared errors about d(S)."""
    points = list(where)
    for label in labels:
        for panel, place, x in points:
            configuration = place.configuration(label)
            runs = bench.plotted(configuration)
            found = MeanSquaredError(configuration, Target.DENSITY).bounds(lambda _, runs=runs: runs, _TAIL)  # type: ignore[misc]
            common = {"stream": place.stream, "epsilon": place.epsilon, "sample_size": place.size}
            yield Row(
                panel,
                label,
                MEASURED,
                x,
                found.estimate,
                found.low,
                found.high,
                runs.count,
                **common,  # type: ignore[arg-type]
            )
            formula = contender(label).published
            if formula is not None:
                yield Row(panel, label, PUBLISHED_FORMULA, x, formula(place.epsilon, place.size), **common)  # type: ignore[arg-type]
            if runs.second is not None:
                yield Row(panel, label, EXACT, x, runs.second[Target.DENSITY], **common)  # type: ignore[arg-type]


def probability_curves(bench: Bench, labels: Iterable[str], where: Iterable[tuple[str, Place, float]]) -> Iterator[Row]:
    """Probabilities of error, and the tightest printed bounds on them, as far as they are below 1."""
    points = list(where)
    for label in labels:
        for panel, place, x in points:
            configuration = place.configuration(label)
            runs = bench.plotted(configuration)
            found = ProbabilityOfError(configuration).bounds(lambda _, runs=runs: runs, _TAIL)  # type: ignore[misc]
            common = {"stream": place.stream, "epsilon": place.epsilon, "sample_size": place.size}
            yield Row(
                panel,
                label,
                MEASURED,
                x,
                found.estimate,
                found.low,
                found.high,
                runs.count,
                **common,  # type: ignore[arg-type]
            )
            pair = contender(label).bits
            if pair is not None:
                bound = tightest_bound(pair, place.epsilon, bench.setting.alpha, place.size).estimate
                yield Row(panel, label, PUBLISHED_FORMULA, x, bound, **common)  # type: ignore[arg-type]
