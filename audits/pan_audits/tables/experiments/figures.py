"""``panproof reproduce thesis-3.4`` to ``thesis-3.7``: cross entropies of networks that are learned over sites."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pan_audits.reports.pages import require_figures
from pan_audits.reproduction.drawing import draw
from pan_audits.reproduction.experiment import EXACT, MEASURED, Row, Sheet
from pan_audits.reproduction.request import Reproduction, Request
from pan_audits.reproduction.tables import write_judgements, write_rows
from pan_audits.tables.experiments.contenders import (
    AT_ANALYST,
    CENTRAL,
    FIXED_SCALE,
    GREEDY,
    INDEPENDENT,
    PRIVATE,
    TIES,
    TRUE,
)
from pan_audits.tables.experiments.sentences import judged
from pan_audits.tables.experiments.study import WHOLE, Measured, Point, Scale, interval, measure

_EVERYWHERE = (INDEPENDENT, GREEDY, CENTRAL, *PRIVATE, TIES)
_EPSILONS = (0.001, 0.01, 0.03, 0.1, 0.3, 1.0, 10.0)


@dataclass(frozen=True)
class Figure:
    """A figure of section 3.7.2.

    Attributes
    ----------
    name, title
        Its name and its title.
    label
        Of the horizontal axis.
    points
        In rising order of the horizontal axis.
    curves
        The labels of its curves.
    x
        The place of a point.
    log_x
        Whether the horizontal axis is logarithmic.
    """

    name: str
    title: str
    label: str
    points: tuple[Point, ...]
    curves: tuple[str, ...]
    x: Callable[[Point], float]
    log_x: bool = True

    def reproduce(self, request: Request, scale: Scale) -> Reproduction:
        """Run the algorithms, judge the sentences, and write the data, the verdicts and the drawing.

        Parameters
        ----------
        request
            The folder, the seed, the processes, the probability of error, and the format of the tables.
        scale
            The sizes.

        Raises
        ------
        MissingExtraError
            If matplotlib is not installed.
        """
        require_figures("drawing figures")
        measured = measure(self.points, self.curves, scale, request.seed, request.jobs, request.progress)
        found = judged(self.name, self.points, measured, scale.stand_ins, request.error)
        rows = self._rows(measured, scale)
        sheet = Sheet((scale.stand_ins,), self.label, "cross entropy, bits", log_x=self.log_x, notes=_NOTES)
        title = f"Thesis, Figure {self.name.removeprefix('thesis-')}: {self.title}"
        request.folder.mkdir(parents=True, exist_ok=True)
        draw(title, sheet, rows, found, request.folder, self.name)
        about = {"figure": self.name, "source": "thesis, section 3.7.2", "title": title, "notes": _NOTES}
        return Reproduction(
            title=title,
            judgements=found,
            files=(
                *(request.folder / f"{self.name}.{kind}" for kind in ("svg", "png")),
                write_rows(request.folder, self.name, rows, request.file_format),
                write_judgements(request.folder, self.name, about, found, request.seed),
            ),
            seed=request.seed,
            error=request.error,
            budgets=(f"budgets {self.points[0].epsilon:g} to {self.points[-1].epsilon:g}",),
        )

    def _rows(self, measured: Measured, scale: Scale) -> list[Row]:
        found = []
        for name in scale.stand_ins:
            for curve in (TRUE, *self.curves):
                for point in self.points:
                    values = measured[name, point, curve]
                    mean, low, high = interval(values, 0.05)
                    known = Row(name, curve, MEASURED, self.x(point), mean, low, high, values.size, name, point.epsilon)
                    exact = Row(name, curve, EXACT, self.x(point), mean, stream=name, epsilon=point.epsilon)
                    found.append(exact if curve == TRUE else known)
        return found


_NOTES = (
    "The network of Figure 3.3 is lost. The panels are stand-ins with its attributes and its entropy, 5.12 bits. "
    "Open in the thesis: half of the budget is for the structure, the first attribute is X0, and a "
    "site clips its counts."
)


def _budgets(name: str, degree: int) -> Figure:
    points = tuple(Point(epsilon, 3, degree) for epsilon in _EPSILONS)
    title = f"cross entropy against epsilon, M = 3, k = {degree}"
    return Figure(name, title, "epsilon, nats", points, _EVERYWHERE, lambda point: point.epsilon)


_SITES = Figure(
    "thesis-3.6",
    "cross entropy against the number of data holders, epsilon = 0.1, k = 1",
    "data holders M",
    tuple(Point(0.1, sites, 1) for sites in (1, 2, 3, 5, 10, 20, 30)),
    (*_EVERYWHERE, AT_ANALYST),
    lambda point: point.sites,
)
_DEGREES = Figure(
    "thesis-3.7",
    "cross entropy against the degree, epsilon = 0.1, M = 3",
    "degree k",
    tuple(Point(0.1, 3, degree) for degree in (1, 2, 3, 4, 5)),
    (*_EVERYWHERE, FIXED_SCALE),
    lambda point: point.degree,
    log_x=False,
)


def figure_3_4(request: Request, *, scale: Scale = WHOLE) -> Reproduction:
    """Reproduce Figure 3.4: the budget varies, at degree 1."""
    return _budgets("thesis-3.4", 1).reproduce(request, scale)


def figure_3_5(request: Request, *, scale: Scale = WHOLE) -> Reproduction:
    """Reproduce Figure 3.5: the budget varies, at degree 2."""
    return _budgets("thesis-3.5", 2).reproduce(request, scale)


def figure_3_6(request: Request, *, scale: Scale = WHOLE) -> Reproduction:
    """Reproduce Figure 3.6: the number of data holders varies."""
    return _SITES.reproduce(request, scale)


def figure_3_7(request: Request, *, scale: Scale = WHOLE) -> Reproduction:
    """Reproduce Figure 3.7: the degree varies."""
    return _DEGREES.reproduce(request, scale)
