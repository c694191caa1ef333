"""The certainty of the intruder about one user, by the time from the intrusion to the release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from experiments.density.real_streams.drawing import ACCENT, FORBIDDEN, INK, QUIET
from experiments.density.real_streams.law import Floats, Seen, certainty
from experiments.density.real_streams.sentences import at_least, at_most
from experiments.density.real_streams.story import Pattern
from experiments.density.real_streams.study import CALIBRATED, PUBLISHED, Study

QUESTION = (Pattern.AFTER, Pattern.NEVER)
"""The truth and the alternative: did the target come at all?"""


@dataclass(frozen=True, eq=False)
class Certainty:
    """The certainty of the intruder about the truth, for each moment of the release.

    Attributes
    ----------
    updates
        Updates between the intrusion and the release, shape ``(moments,)``.
    others
        Number of others who appear in between, shape ``(moments,)``.
    median, nearly_all, surest
        The median, the 95% quantile and the maximum over the runs.
    worst
        The exact worst case, the same for every moment.
    """

    updates: Floats
    others: Floats
    median: Floats
    nearly_all: Floats
    surest: Floats
    worst: float


def certainty_over_time(study: Study, name: str) -> Certainty:
    """The certainty in the runs in which the target came after the intrusion."""
    story, learned = study.story, study.learned[name]
    truth, other = QUESTION
    sure = np.array(
        [
            certainty(learned.losses(story, truth, other, moment)[Seen.BOTH])
            for moment in range(len(story.moments))
        ]
    )  # fmt: skip
    worst = max(learned.law.worst_loss(*pair, Seen.BOTH) for pair in (QUESTION, QUESTION[::-1]))
    return Certainty(
        updates=np.array(story.moments, dtype=float) - story.intrusion,
        others=np.array([story.others_redrawn(moment) for moment in range(len(story.moments))], dtype=float),
        median=np.median(sure, axis=1),
        nearly_all=np.quantile(sure, 0.95, axis=1),
        surest=sure.max(axis=1),
        worst=float(certainty(worst)),
    )


def certainty_title(study: Study) -> str:
    """The verdict on both estimators in a line."""
    published, calibrated = (certainty_over_time(study, name) for name in (PUBLISHED, CALIBRATED))
    return (
        f"Did {study.story.label} come at all? {PUBLISHED} can make the intruder {at_least(published.worst)} sure, "
        f"{CALIBRATED} never more than {at_most(calibrated.worst)}"
    )


def draw_certainty(axes: Any, study: Study, name: str) -> None:
    """Three lines for the runs, one for the worst case, and the promised limit."""
    found = certainty_over_time(study, name)
    promised = float(certainty(study.promised))
    axes.axhspan(promised, 1, facecolor=FORBIDDEN, edgecolor="white", hatch="////", linewidth=0, zorder=0)
    axes.axhline(promised, color=INK, linestyle="--", linewidth=1.3, zorder=1)
    axes.plot(found.updates, np.full(found.updates.size, found.worst), color=INK, linewidth=3, label="exact worst case")
    runs = study.learned[name].observations[QUESTION[0]].bits.size
    axes.plot(found.updates, found.surest, color=ACCENT, marker="o", linewidth=1.4, label=f"surest of {runs:,} runs")
    axes.plot(
        found.updates, found.nearly_all, color=ACCENT, marker="^", linewidth=1.2, linestyle="--",
        markerfacecolor="white", label="19 of 20 runs stay below",
    )  # fmt: skip
    axes.plot(
        found.updates, found.median, color=QUIET, marker="s", linewidth=1.2, linestyle=":", label="median run",
        markerfacecolor="white",
    )  # fmt: skip
    from matplotlib.ticker import FuncFormatter, NullLocator, PercentFormatter

    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    axes.set_ylim(0.49, 1)
    axes.set_xlabel("updates between the intrusion and the release")
    axes.set_ylabel("how sure, from 50:50")
    axes.annotate(
        f"promised: at most {at_most(promised)}", (1, promised), (-2, 3), xycoords=("axes fraction", "data"),
        textcoords="offset points", ha="right", fontsize=9,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5},
    )  # fmt: skip
    above = axes.twiny()
    above.set_xscale("log")
    above.set_xlim(axes.get_xlim())
    some = slice(0, None, 3)
    above.set_xticks(found.updates[some], [f"{number:,.0f}" for number in found.others[some]])
    above.xaxis.set_minor_locator(NullLocator())
    above.set_xlabel("other users who appear in between, and hide the target", fontsize=9)
    above.spines["top"].set_visible(True)
    above.spines["top"].set_color(QUIET)
    axes.set_title(name, loc="left", fontsize=11, pad=8)
    axes.legend(loc="upper right", bbox_to_anchor=(1, 1), ncols=2, facecolor="white", framealpha=1, frameon=True)
