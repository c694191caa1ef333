"""A figure of section 3.7 as data: its points, its curves, and the sentences about it, with their verdicts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf, isinf
from typing import NamedTuple

import numpy as np
from scipy.stats import t as student

from experiments.tables.algorithms import TRUE
from experiments.tables.counted import Array
from experiments.toolkit.conditions import Effect
from experiments.toolkit.figures import EXACT, MEASURED, Row, Sheet, Styles
from experiments.toolkit.results import Reproduction, Request, write_figure
from experiments.toolkit.sentence import Judgement, Sentence


@dataclass(frozen=True)
class Point:
    """A setting of the algorithms."""

    epsilon: float
    sites: int
    degree: int


Measured = Mapping[tuple[str, Point, str], Array]
"""The cross entropy of each repetition, in bits, by data, point and curve."""


def interval(values: Array, error: float) -> tuple[float, float, float]:
    """The mean, and Student's interval, which assumes that the mean of the repetitions is nearly normal."""
    mean = float(values.mean())
    width = float(student.isf(error / 2, values.size - 1) * values.std(ddof=1) / np.sqrt(values.size))
    return mean, mean - width, mean + width


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


@dataclass(frozen=True, eq=False)
class Curves:
    """What was measured for a figure.

    Attributes
    ----------
    figure, panels
        The figure, and the names of the data.
    measured
        The measured values.
    """

    figure: Figure
    panels: Sequence[str]
    measured: Measured

    @property
    def ends(self) -> list[tuple[Point, Point]]:
        """The first and the last point."""
        return [(self.figure.points[0], self.figure.points[-1])]

    @property
    def printed(self) -> tuple[Point, ...]:
        """The points whose budget the thesis prints."""
        return tuple(point for point in self.figure.points if 0.01 <= point.epsilon <= 1)

    def less(self, one: tuple[str, Point, str], two: tuple[str, Point, str]) -> Array:
        """The difference in the repetitions that both have: some curves have more of them."""
        values, others = self.measured[one], self.measured[two]
        most = min(values.size, others.size)
        return np.asarray(values[:most] - others[:most])

    def above(
        self,
        curves: Sequence[str],
        others: Sequence[str],
        points: Sequence[Point] = (),
        low: float = -inf,
        high: float = inf,
        unit: str = "bits",
    ) -> list[Difference]:
        """Each curve minus each other one, at some points or at all."""
        return [
            Difference(
                f"{name}, {self.figure.place(point)}",
                f"{curve} minus {other}, {unit}",
                self.less((name, point, curve), (name, point, other)),
                low,
                high,
            )
            for name in self.panels
            for point in points or self.figure.points
            for curve in curves
            for other in others
        ]

    def rise(
        self,
        curves: Sequence[str],
        pairs: Iterable[tuple[Point, Point]] = (),
        low: float = -inf,
        high: float = inf,
    ) -> list[Difference]:
        """The rise of each curve from one point to another, by default from the first to the last."""
        places = list(pairs) or self.ends
        return [
            Difference(
                f"{name}, {self.figure.place(start)} to {self.figure.x(end):g}",
                f"rise of {curve}, bits",
                self.less((name, end, curve), (name, start, curve)),
                low,
                high,
            )
            for name in self.panels
            for start, end in places
            for curve in curves
        ]


class Stated(NamedTuple):
    """A sentence, what it means as a test, and the differences that decide it."""

    name: str
    states: str
    meaning: str
    differences: Callable[[Curves], list[Difference]]


@dataclass(frozen=True)
class Figure:
    """A figure of section 3.7.

    Attributes
    ----------
    name, title, section
        Its name, its title, and the section that prints it.
    label
        Of the horizontal axis.
    notes
        The parameters that the thesis leaves open, in sentences.
    points
        In rising order of the horizontal axis.
    curves
        The labels of its curves.
    x
        The place of a point.
    stated
        The sentences about it.
    sentences
        The number of sentences of the section, among which the probability of error is divided.
    styles
        Those of the curves.
    log_x, log_y
        Whether the axes are logarithmic.
    unseen
        Labels of curves that are measured for a sentence, and are not drawn.
    """

    name: str
    title: str
    section: str
    label: str
    notes: str
    points: tuple[Point, ...]
    curves: tuple[str, ...]
    x: Callable[[Point], float]
    stated: tuple[Stated, ...]
    sentences: int
    styles: Styles
    log_x: bool = True
    log_y: bool = False
    unseen: tuple[str, ...] = ()

    def place(self, point: Point) -> str:
        """A point in words."""
        return f"{self.label.partition(',')[0]} {self.x(point):g}"

    def judged(self, measured: Measured, panels: Sequence[str], error: float) -> tuple[Judgement, ...]:
        """The verdicts on the sentences."""
        curves = Curves(self, panels, measured)
        return tuple(self._judgement(one, one.differences(curves), error / self.sentences) for one in self.stated)

    def _judgement(self, stated: Stated, parts: Sequence[Difference], error: float) -> Judgement:
        decided = [(one, one.holds(error / len(parts))) for one in parts]
        section = "3.8" if stated.name.startswith("discussion") else self.section
        return Judgement.of(
            # The judge of measured ratios is not asked: these verdicts are about differences, which may be negative.
            Sentence(f"{self.name}.{stated.name}", f"thesis, section {section}", stated.states, stated.meaning),
            [answer for _, answer in decided],
            _effect(decided),
            runs=sum(one.values.size for one in parts),
            error=error,
            assumes="the means of the repetitions are nearly normal; as measured",
        )

    def written(self, request: Request, measured: Measured, panels: Sequence[str]) -> Reproduction:
        """Judge, and write the data, the verdicts and the drawing."""
        found = self.judged(measured, panels, request.error)
        sheet = Sheet(
            (tuple(panels),),
            self.label,
            "cross entropy, bits",
            log_x=self.log_x,
            log_y=self.log_y,
            notes=self.notes,
            styles=self.styles,
        )
        title = f"Thesis, Figure {self.name.removeprefix('thesis-')}: {self.title}"
        about = {"source": f"thesis, section {self.section}", "title": title, "notes": self.notes}
        rows = list(self._rows(measured, panels))
        files = write_figure(request, self.name, title, about, sheet, rows, found, unseen=self.unseen)
        budgets = f"budgets {self.points[0].epsilon:g} to {self.points[-1].epsilon:g}"
        return request.done(title, found, files, (budgets,))

    def _rows(self, measured: Measured, panels: Sequence[str]) -> Iterator[Row]:
        for name in panels:
            for curve in (TRUE, *self.curves, *self.unseen):
                for point in self.points:
                    if (name, point, curve) not in measured:
                        continue
                    values, x = measured[name, point, curve], self.x(point)
                    mean, low, high = interval(values, 0.05)
                    if curve == TRUE:
                        yield Row(name, curve, EXACT, x, mean, stream=name, epsilon=point.epsilon)
                    else:
                        yield Row(name, curve, MEASURED, x, mean, low, high, values.size, name, point.epsilon)


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
