"""The experiments ``thesis-3.4`` to ``thesis-3.7``: cross entropies of networks that are learned over sites."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from experiments.tables.contenders import (
    AT_ANALYST,
    CENTRAL,
    FIXED_SCALE,
    GREEDY,
    INDEPENDENT,
    MODEL,
    PRIVATE,
    TIES,
    TREE,
    TREE_RHO,
    TRUE,
    VOTE,
)
from experiments.tables.sentences import judged
from experiments.tables.study import WHOLE, Measured, Point, Scale, interval, measure
from experiments.toolkit.drawing import draw
from experiments.toolkit.experiment import EXACT, MEASURED, Row, Sheet
from experiments.toolkit.request import Reproduction, Request
from experiments.toolkit.sentence import Judgement
from experiments.toolkit.tables import write_judgements, write_rows
from pan_audits.reports.pages import require_figures


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
    log_x: bool = True
    log_y: bool = False
    unseen: tuple[str, ...] = ()

    def written(
        self, request: Request, measured: Measured, panels: Sequence[str], found: tuple[Judgement, ...]
    ) -> Reproduction:
        """Write the data, the verdicts and the drawing."""
        rows = self._rows(measured, panels)
        sheet = Sheet(
            (tuple(panels),), self.label, "cross entropy, bits", log_x=self.log_x, log_y=self.log_y, notes=self.notes
        )
        title = f"Thesis, Figure {self.name.removeprefix('thesis-')}: {self.title}"
        request.folder.mkdir(parents=True, exist_ok=True)
        draw(title, sheet, [row for row in rows if row.series not in self.unseen], found, request.folder, self.name)
        source = f"thesis, section {self.section}"
        about = {"figure": self.name, "source": source, "title": title, "notes": self.notes}
        return Reproduction(
            title=title,
            judgements=found,
            files=(
                *(request.folder / f"{self.name}.{kind}" for kind in ("svg", "png")),
                write_rows(request.folder, self.name, rows),
                write_judgements(request.folder, self.name, about, found, request.seed),
            ),
            seed=request.seed,
            error=request.error,
            budgets=(f"budgets {self.points[0].epsilon:g} to {self.points[-1].epsilon:g}",),
        )

    def _rows(self, measured: Measured, panels: Sequence[str]) -> list[Row]:
        found = []
        for name in panels:
            for curve in (TRUE, *self.curves, *self.unseen):
                for point in self.points:
                    if (name, point, curve) not in measured:
                        continue
                    values = measured[name, point, curve]
                    mean, low, high = interval(values, 0.05)
                    known = Row(name, curve, MEASURED, self.x(point), mean, low, high, values.size, name, point.epsilon)
                    exact = Row(name, curve, EXACT, self.x(point), mean, stream=name, epsilon=point.epsilon)
                    found.append(exact if curve == TRUE else known)
        return found


_SECTION = "3.7.2"
_EVERYWHERE = (INDEPENDENT, GREEDY, CENTRAL, TREE, TREE_RHO, *PRIVATE, TIES)
_EPSILONS = (0.001, 0.01, 0.03, 0.1, 0.3, 1.0, 10.0)
_MORE = 3
"""Times as many repetitions."""


_NOTES = (
    "The network of Figure 3.3 is lost. The panels are stand-ins with its attributes and its entropy, 5.12 bits. "
    "By section 3.3 half of the budget is for the structure, and a site clips its counts. Open in the thesis: the "
    "first attribute, here X0. calibrated-tree has one holder, and degree 1."
)


def _budgets(name: str, degree: int) -> Figure:
    points = tuple(Point(epsilon, 3, degree) for epsilon in _EPSILONS)
    title = f"cross entropy against epsilon, M = 3, k = {degree}"
    return Figure(name, title, _SECTION, "epsilon, nats", _NOTES, points, _EVERYWHERE, x=lambda point: point.epsilon)


def _reproduced(figure: Figure, request: Request, scale: Scale, more: tuple[str, ...] = ()) -> Reproduction:
    """Run the algorithms, judge the sentences, and write the files. Some curves have more repetitions."""
    require_figures("drawing figures")
    curves = tuple(curve for curve in figure.curves if curve not in more)
    measured = measure(figure.points, curves, scale, request.seed, request.jobs, request.progress)
    if more:
        often = replace(scale, repetitions=_MORE * scale.repetitions)
        found = measure(figure.points, more, often, request.seed, request.jobs, request.progress)
        measured = {**measured, **{key: values for key, values in found.items() if key[-1] in more}}
    judgements = judged(figure.name, figure.points, measured, scale.stand_ins, request.error)
    return figure.written(request, measured, scale.stand_ins, judgements)


_SITES = Figure(
    "thesis-3.6",
    "cross entropy against the number of data holders, epsilon = 0.1, k = 1",
    _SECTION,
    "data holders M",
    _NOTES,
    tuple(Point(0.1, sites, 1) for sites in (1, 2, 3, 5, 10, 20, 30)),
    (*_EVERYWHERE, AT_ANALYST),
    x=lambda point: point.sites,
)
_DEGREES = Figure(
    "thesis-3.7",
    "cross entropy against the degree, epsilon = 0.1, M = 3",
    _SECTION,
    "degree k",
    _NOTES,
    tuple(Point(0.1, 3, degree) for degree in (1, 2, 3, 4, 5)),
    (*_EVERYWHERE, FIXED_SCALE),
    x=lambda point: point.degree,
    log_x=False,
)


def figure_3_4(request: Request, *, scale: Scale = WHOLE) -> Reproduction:
    """Reproduce Figure 3.4: the budget varies, at degree 1."""
    return _reproduced(_budgets("thesis-3.4", 1), request, scale)


def figure_3_5(request: Request, *, scale: Scale = WHOLE) -> Reproduction:
    """Reproduce Figure 3.5: the budget varies, at degree 2."""
    return _reproduced(_budgets("thesis-3.5", 2), request, scale)


def figure_3_6(request: Request, *, scale: Scale = WHOLE) -> Reproduction:
    """Reproduce Figure 3.6: the number of data holders varies."""
    return _reproduced(_SITES, request, scale)


def figure_3_7(request: Request, *, scale: Scale = WHOLE) -> Reproduction:
    """Reproduce Figure 3.7: the degree varies.

    Some curves change by less than 100 repetitions show.
    """
    return _reproduced(_DEGREES, request, scale, more=(VOTE, MODEL, FIXED_SCALE))
