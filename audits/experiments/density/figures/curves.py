"""Curves with confidence bands from the runs that are plotted, and the theoretical ones beside them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from experiments.density.contenders import contender
from experiments.density.figures.comparisons import Place, tightest_bound
from experiments.toolkit.bench import Bench
from experiments.toolkit.experiment import EXACT, MEASURED, PUBLISHED_FORMULA, Row
from experiments.toolkit.quantities import MeanSquaredError, ProbabilityOfError
from pan_estimators.density.target import Target

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
