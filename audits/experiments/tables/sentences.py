"""The sentences of sections 3.7.2 and 3.8 about synthetic data, with their verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf, isinf

import numpy as np

from experiments.tables.contenders import (
    AT_ANALYST,
    FIXED_SCALE,
    GREEDY,
    INDEPENDENT,
    MODEL,
    PRIVATE,
    STATISTICS,
    TIES,
    TRUE,
    VOTE,
)
from experiments.tables.counted import Array
from experiments.tables.study import Measured, Point, interval
from experiments.toolkit.effects import Effect
from experiments.toolkit.sentence import Judgement, Sentence


@dataclass(frozen=True, eq=False)
class Difference:
    """A difference of cross entropies, in bits, that lies between two limits if a statement holds."""

    where: str
    what: str
    values: Array
    low: float = -inf
    high: float = inf

    @property
    def mean(self) -> float:
        """The mean of the repetitions."""
        return float(self.values.mean())

    @property
    def margin(self) -> float:
        """The distance from the nearest limit, negative if the mean is outside."""
        return min(self.mean - self.low, self.high - self.mean)

    @property
    def limits(self) -> str:
        """The limits in words."""
        if isinf(self.low):
            return f"at most {self.high:g}"
        return f"at least {self.low:g}" if isinf(self.high) else f"from {self.low:g} to {self.high:g}"

    def holds(self, error: float) -> bool | None:
        """The decision by an interval of this probability of error; ``None`` if a limit lies within the interval."""
        _, low, high = interval(self.values, error)
        if self.low <= low and high <= self.high:
            return True
        return False if high < self.low or low > self.high else None


Stated = tuple[str, str, str, list[Difference]]
"""The name of a sentence, the sentence, what it means as a test, and the differences that decide it."""


def decided(figure: str, section: str, stated: Iterable[Stated], error: float, sentences: int) -> tuple[Judgement, ...]:
    """The verdicts on the sentences about a figure."""
    found = []
    for name, states, meaning, parts in stated:
        answers = [(one, one.holds(error / sentences / len(parts))) for one in parts]
        source = "thesis, section 3.8" if name.startswith("discussion") else f"thesis, section {section}"
        found.append(_judgement(f"{figure}.{name}", source, states, meaning, answers, error / sentences))
    return tuple(found)


def _judgement(
    name: str,
    source: str,
    states: str,
    meaning: str,
    decided: Sequence[tuple[Difference, bool | None]],
    error: float,
) -> Judgement:
    return Judgement.of(
        # The judge of measured ratios is not asked: these verdicts are about differences, which may be negative.
        Sentence(name, source, states, meaning),
        [answer for _, answer in decided],
        _effect(decided),
        runs=sum(one.values.size for one, _ in decided),
        error=error,
        assumes="the means of the repetitions are nearly normal; as measured",
    )


def _effect(decided: Sequence[tuple[Difference, bool | None]]) -> Effect:
    """The range of each difference, and the point with the least margin."""
    texts = []
    for what in dict.fromkeys(one.what for one, _ in decided):
        those = [(one.mean, answer) for one, answer in decided if one.what == what]
        means = [mean for mean, _ in those]
        holding = sum(answer is True for _, answer in those)
        texts.append(f"{what}: {min(means):.3f} to {max(means):.3f}, holds at {holding} of {len(those)} points")
    worst = min((one for one, _ in decided), key=lambda one: one.margin)
    return Effect("; ".join(texts), f"{worst.what}: {worst.mean:.3f} at {worst.where}; must be {worst.limits}")


_NEAR = 0.05
"""Bits. A curve is near another one within 1% of the entropy."""

_SENTENCES = 18
"""The number of sentences of all figures, among which the probability of error is divided."""


def judged(
    figure: str, points: Sequence[Point], measured: Measured, stand_ins: Sequence[str], error: float
) -> tuple[Judgement, ...]:
    """The sentences about a figure."""
    made = {"thesis-3.4": _by_budget, "thesis-3.5": _by_budget, "thesis-3.6": _by_sites, "thesis-3.7": _by_degree}
    return decided(figure, "3.7.2", made[figure](points, measured, stand_ins), error, _SENTENCES)


def _by_budget(points: Sequence[Point], measured: Measured, names: Sequence[str]) -> Iterator[Stated]:
    printed = [point for point in points if 0.01 <= point.epsilon <= 1]
    first, last = printed[0], printed[-1]

    def at(name: str, point: Point) -> str:
        return f"{name}, epsilon {point.epsilon:g}"

    yield (
        "independent",
        "All algorithms perform significantly better than the independent model.",
        "cross entropy less than that of the independent model, for each epsilon from .01 to 1 and each stand-in",
        [
            Difference(
                at(name, point),
                f"{curve} minus independent, bits",
                measured[name, point, curve] - measured[name, point, INDEPENDENT],
                high=0.0,
            )
            for name in names
            for point in printed
            for curve in PRIVATE
        ],
    )
    yield (
        "approach",
        "All algorithms approach the true network as epsilon increases.",
        f"at most {_NEAR:g} bits above the true network at epsilon 1",
        [
            Difference(
                at(name, last),
                f"{curve} minus true, bits",
                measured[name, last, curve] - measured[name, last, TRUE],
                high=_NEAR,
            )
            for name in names
            for curve in PRIVATE
        ],
    )
    yield (
        "outperforms",
        "Noisy sufficient statistics asymptotically outperform the other algorithms.",
        f"a lower cross entropy at epsilon 1 on the average of the stand-ins, and for none of them more than {_NEAR:g} "
        "bits above",
        [
            *(
                Difference(
                    f"the average of the stand-ins, epsilon {last.epsilon:g}",
                    f"noisy ss minus {curve}, bits",
                    sum((_beyond(measured, name, last, curve) for name in names), np.zeros(())) / len(names),
                    high=0.0,
                )
                for curve in (VOTE, MODEL)
            ),
            *(
                Difference(
                    at(name, last), f"noisy ss minus {curve}, bits", _beyond(measured, name, last, curve), high=_NEAR
                )
                for name in names
                for curve in (VOTE, MODEL)
            ),
        ],
    )
    yield (
        "sensitive",
        "Noisy sufficient statistics are more sensitive to noise than the other algorithms.",
        "a larger rise of the cross entropy from epsilon 1 to .01",
        [
            Difference(
                name,
                f"rise of noisy ss minus rise of {curve}, bits",
                _rise(measured, name, first, last, STATISTICS) - _rise(measured, name, first, last, curve),
                low=0.0,
            )
            for name in names
            for curve in (VOTE, MODEL)
        ],
    )
    yield (
        "learns",
        "The non-private algorithm accurately learns the true network.",
        f"at most {_NEAR:g} bits above the true network",
        [
            Difference(
                name, "greedy minus true, bits", measured[name, last, GREEDY] - measured[name, last, TRUE], high=_NEAR
            )
            for name in names
        ],
    )
    yield (
        "discussion-converge",
        "Above a threshold of epsilon, noisy sufficient statistics approximate the non-private network.",
        f"at most {_NEAR:g} bits above the non-private network at the largest epsilon",
        [
            Difference(
                at(name, points[-1]),
                "noisy ss minus greedy, bits",
                measured[name, points[-1], STATISTICS] - measured[name, points[-1], GREEDY],
                high=_NEAR,
            )
            for name in names
        ],
    )


def _beyond(measured: Measured, name: str, point: Point, curve: str) -> Array:
    """The cross entropies of noisy sufficient statistics less those of another curve."""
    return measured[name, point, STATISTICS] - measured[name, point, curve]


def _rise(measured: Measured, name: str, to: Point, start: Point, curve: str) -> Array:
    return measured[name, to, curve] - measured[name, start, curve]


def _by_sites(points: Sequence[Point], measured: Measured, names: Sequence[str]) -> Iterator[Stated]:
    first, last = points[0], points[-1]

    def rises(curves: Sequence[str], low: float = -inf, high: float = inf) -> list[Difference]:
        return [
            Difference(
                name,
                f"{curve}, {last.sites} holders minus {first.sites}, bits",
                _rise(measured, name, last, first, curve),
                low=low,
                high=high,
            )
            for name in names
            for curve in curves
        ]

    yield (
        "robust",
        "Noisy majority voting is robust to the number of data holders.",
        f"the cross entropy rises by at most {_NEAR:g} bits from the least to the largest number of holders, by both "
        "rules for ties",
        rises((VOTE, TIES), high=_NEAR),
    )
    yield (
        "deteriorate",
        "Noisy sufficient statistics and noisy models deteriorate as the number of data holders increases.",
        "the cross entropy rises from the least to the largest number of holders",
        rises((STATISTICS, MODEL), low=0.0),
    )
    yield (
        "clipping",
        "The place at which negative counts become 0 does not change that noisy sufficient statistics deteriorate "
        "(by section 3.3.3 the site clips).",
        "the cross entropy rises from the least to the largest number of holders if the analyst clips the sums",
        rises((AT_ANALYST,), low=0.0),
    )


def _by_degree(points: Sequence[Point], measured: Measured, names: Sequence[str]) -> Iterator[Stated]:
    def steps(
        curves: Sequence[str], pairs: Sequence[tuple[Point, Point]], low: float = -inf, high: float = inf
    ) -> list[Difference]:
        return [
            Difference(
                f"{name}, k from {one.degree} to {two.degree}",
                f"rise of {curve}, bits",
                _rise(measured, name, two, one, curve),
                low=low,
                high=high,
            )
            for name in names
            for one, two in pairs
            for curve in curves
        ]

    whole = [(points[0], points[-1])]
    yield (
        "worsens",
        "Noisy sufficient statistics worsen as the degree increases.",
        "the cross entropy rises with each step of k",
        steps((STATISTICS,), list(pairwise(points)), low=0.0),
    )
    yield (
        "improve",
        "Noisy majority voting and noisy models slightly improve as the degree increases.",
        "the cross entropy falls from the least to the largest k",
        steps((VOTE, MODEL), whole, high=0.0),
    )
    yield (
        "dimensions",
        "Noisy sufficient statistics worsen since distributions of higher dimension are perturbed.",
        "with the noise of k = 1 at every k, so that the dimension alone changes, the cross entropy rises with each "
        "step of k",
        steps((FIXED_SCALE,), list(pairwise(points)), low=0.0),
    )
