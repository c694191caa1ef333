"""The figures of one stream: a row for each estimator, and one on certainty over time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pan_audits.density.experiments.real_streams.certainty_figure import certainty_title, draw_certainty
from pan_audits.density.experiments.real_streams.drawing import as_svg
from pan_audits.density.experiments.real_streams.learned_figure import draw_learned
from pan_audits.density.experiments.real_streams.published_figure import draw_published
from pan_audits.density.experiments.real_streams.sentences import title
from pan_audits.density.experiments.real_streams.study import CALIBRATED, PUBLISHED, SHOWN, Study
from pan_audits.reports.plotting import new_figure


@dataclass(frozen=True)
class Drawn:
    """A figure.

    Attributes
    ----------
    name
        The name for files: letters and hyphens.
    title
        Its verdict.
    svg
        An ``svg`` element.
    """

    name: str
    title: str
    svg: str


def row_figure(study: Study, name: str, *, width: float = 14, height: float = 5.8) -> tuple[Any, str]:
    """The estimates of one estimator, and the knowledge of the intruder, side by side; and its verdict.

    Parameters
    ----------
    study, name
        The stream, and the estimator.
    width, height
        Size in inches. In a smaller figure the text is larger in proportion.
    """
    figure = new_figure(width, height)
    left, right = figure.subplots(1, 2, width_ratios=(1, 1.06))
    verdict = title(study, name)
    draw_published(left, study, name)
    draw_learned(right, study, name)
    figure.suptitle(verdict, x=0.012, y=0.985, ha="left", fontsize=12.5, fontweight="bold")
    figure.subplots_adjust(left=0.7 / width, right=1 - 0.9 / width, top=0.82, bottom=0.135, wspace=4.2 / width)
    return figure, verdict


def draw_row(study: Study, name: str) -> Drawn:
    """The same for a page."""
    figure, verdict = row_figure(study, name)
    return Drawn(f"{study.story.name}-{name}", verdict, as_svg(figure, f"{study.story.name}: {verdict}"))


def draw_over_time(study: Study) -> Drawn:
    """The certainty of the intruder that the target came, for the published and the calibrated estimator."""
    figure = new_figure(14, 4.8)
    verdict = certainty_title(study)
    for axes, name in zip(figure.subplots(1, 2, sharey=True), (PUBLISHED, CALIBRATED), strict=True):
        draw_certainty(axes, study, name)
    figure.suptitle(verdict, x=0.012, y=0.985, ha="left", fontsize=12.5, fontweight="bold")
    figure.subplots_adjust(left=0.05, right=0.985, top=0.77, bottom=0.12, wspace=0.1)
    return Drawn(f"{study.story.name}-certainty", verdict, as_svg(figure, f"{study.story.name}: {verdict}"))


def draw_all(study: Study) -> tuple[Drawn, ...]:
    """All figures of a study, in the order of the page."""
    return (*(draw_row(study, name) for name in SHOWN), draw_over_time(study))
