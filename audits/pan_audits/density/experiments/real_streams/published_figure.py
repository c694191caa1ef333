"""The left column: the running density, and the output of an estimator."""

from __future__ import annotations

from typing import Any

import numpy as np

from pan_audits.density.experiments.real_streams.drawing import ACCENT, INK, PALE, QUIET, thousands
from pan_audits.density.experiments.real_streams.study import CONTINUAL, EXACT, Study

_SHOWN_UPDATES = 400


def draw_published(axes: Any, study: Study, name: str) -> None:
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
    axes.set_ylim(*limits(study))
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


def limits(study: Study) -> tuple[float, float]:
    """One vertical range for all the estimators of a stream, so that their bands compare at a glance."""
    bands = [publication.band() for publication in study.publications.values()]
    low, high = min(band[0].min() for band in bands), max(band[1].max() for band in bands)
    margin = 0.06 * (high - min(low, 0.0))
    return min(low, 0.0) - margin, high + margin
