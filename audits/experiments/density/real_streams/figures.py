"""The figures of one stream: a row for each estimator, and one on certainty over time."""

from __future__ import annotations

from typing import Any

import numpy as np

from experiments.density.real_streams.certainty_figure import certainty_title, draw_certainty
from experiments.density.real_streams.drawing import ACCENT, INK, PALE, QUIET, as_svg, thousands
from experiments.density.real_streams.learned_figure import draw_learned
from experiments.density.real_streams.sentences import title
from experiments.density.real_streams.study import CALIBRATED, CONTINUAL, EXACT, PUBLISHED, SHOWN, Study
from experiments.toolkit.drawing import Drawn
from pan_audits.reports.pages import new_figure

_SHOWN_UPDATES = 400


def row_figure(study: Study, name: str, *, width: float = 14, height: float = 5.8) -> tuple[Any, str]:
    """The estimates of one estimator, and the knowledge of the intruder, side by side; and its verdict."""
    figure = new_figure(width, height)
    left, right = figure.subplots(1, 2, width_ratios=(1, 1.06))
    verdict = title(study, name)
    _draw_published(left, study, name)
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


def _draw_published(axes: Any, study: Study, name: str) -> None:
    """The true density as a line; over it the releases of one estimator and their 95% band."""
    story, publication = study.story, study.publications[name]
    updates = np.linspace(0, story.users.size, _SHOWN_UPDATES + 1).round().astype(np.int64)
    low, high = publication.band()
    several = name == CONTINUAL
    if name != EXACT:
        axes.fill_between(publication.times, low, high, color=PALE, linewidth=0, label="95% of the releases")
        for edge in (low, high):
            axes.plot(publication.times, edge, color=ACCENT, linewidth=0.8)
    axes.plot(updates, study.density[updates], color=INK, linewidth=2.2, label="true density")
    label = "one run's 8 outputs, each held until the next" if several else "one release, each of a run of its own"
    if several:
        axes.step(publication.times, publication.released[0], where="post", color=ACCENT, linewidth=1.2)
    shown = publication.released[0] if several else publication.one_each()
    axes.plot(
        publication.times, shown, linestyle="none", marker="D" if several else "o", markersize=5,
        markerfacecolor="white", markeredgecolor=ACCENT, markeredgewidth=1.3, label=label,
    )  # fmt: skip
    axes.axvline(story.intrusion, color=QUIET, linestyle=(0, (1, 2)), linewidth=1.4)
    axes.set_ylim(*_limits(study))
    axes.set_xlim(0, story.users.size * 1.02)
    axes.annotate(
        "intrusion", (story.intrusion, axes.get_ylim()[1]), (4, -4), textcoords="offset points", va="top", color=QUIET
    )
    thousands(axes)
    axes.set_xlabel("updates so far")
    axes.set_ylabel("density")
    error = publication.error(study.density)
    axes.set_title(f"Published estimates: off by {error:.3f} at the end (root mean square)", loc="left", fontsize=11)
    handles, labels = axes.get_legend_handles_labels()
    opaque = {"frameon": True, "framealpha": 1, "edgecolor": "white"}
    axes.legend(handles, labels, loc="lower right", handlelength=1.6, borderaxespad=0.2, **opaque)


def _limits(study: Study) -> tuple[float, float]:
    """One vertical range for all the estimators of a stream, so that their bands compare at a glance."""
    bands = [publication.band() for publication in study.publications.values()]
    low, high = min(band[0].min() for band in bands), max(band[1].max() for band in bands)
    margin = 0.06 * (high - min(low, 0.0))
    return min(low, 0.0) - margin, high + margin
