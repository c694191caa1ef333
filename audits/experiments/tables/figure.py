"""A figure of chapter 3: its points, its curves, and its files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from experiments.tables.contenders import TRUE
from experiments.tables.study import Measured, Point, interval
from experiments.toolkit.drawing import draw
from experiments.toolkit.experiment import EXACT, MEASURED, Row, Sheet
from experiments.toolkit.request import Reproduction, Request
from experiments.toolkit.sentence import Judgement
from experiments.toolkit.tables import write_judgements, write_rows


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
                write_rows(request.folder, self.name, rows, request.file_format),
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
