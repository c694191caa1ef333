"""The figures of one stream: a row for each estimator, and one on certainty over time."""

from __future__ import annotations

import math
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import numpy as np

from experiments.density.real_streams.distribution import Floats, Seen, certainty, loss_of_appearances
from experiments.density.real_streams.sentences import at_least, at_most, joint_worst_of_outputs, share_beyond, title
from experiments.density.real_streams.story import Pattern
from experiments.density.real_streams.study import (
    CALIBRATED,
    CONTINUAL,
    DISTINCT,
    EXACT,
    KNOWN_DISTRIBUTION,
    OPPOSITE,
    PUBLISHED,
    SHOWN,
    Study,
)
from experiments.toolkit.drawing import Drawn
from pan_audits.reports.pages import new_figure, plotting_style, svg_element

INK, ACCENT, PALE, QUIET = "#1a1a1a", "#0072b2", "#cfe3f1", "#6b6b6b"
WORST = "#d55e00"
FORBIDDEN = "#f3ded7"
"""The colour of a broken promise, which is hatched as well."""

_SETTINGS = {
    "svg.fonttype": "path",
    "font.size": 10,
    "axes.edgecolor": QUIET,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "hatch.linewidth": 0.5,
    "legend.fontsize": 9,
}


def style() -> AbstractContextManager[None]:
    """Draw and save figures within it."""
    return plotting_style(_SETTINGS)


def as_svg(figure: Any, description: str) -> str:
    """The figure as an ``svg`` element for a page, with a description for screen readers."""
    described = description.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    return svg_element(figure).replace("<svg ", f'<svg role="img" aria-label="{described}" ', 1)


def thousands(axes: Any) -> None:
    """Numbers of updates with commas, and with room between them."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))


QUESTION = (Pattern.AFTER, Pattern.NEVER)
"""The truth and the alternative: did the target come at all?"""


@dataclass(frozen=True, eq=False)
class Certainty:
    """The certainty of the adversary about the truth, for each moment of the release.

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
    worst = max(learned.distribution.worst_loss(*pair, Seen.BOTH) for pair in (QUESTION, QUESTION[::-1]))
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
        f"Did {study.story.label} come at all? {PUBLISHED} can make the adversary {at_least(published.worst)} sure, "
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


LOOKS = {Seen.STATE: ("white", INK), Seen.OUTPUT: ("#8fc1e0", ACCENT), Seen.BOTH: (INK, INK)}
"""Face and edge for each kind of observation, from light to dark."""
_BARS, _GROUP = 20, 5.2
_STRIPS = {Seen.STATE: (0.0, 0.8), Seen.OUTPUT: (-1.25, 0.8), Seen.BOTH: (-3.3, 1.6)}
"""The place of each strip in its group, its height, and the number of bars up to the promise."""
_POINTS_UP = 6
"""Matplotlib's marker of a triangle whose tip is at the point."""
_CERTAINTIES = (0.15, 0.3, 0.5, 0.7, 0.85)


def draw_learned(axes: Any, study: Study, name: str) -> None:
    """The exact losses of the estimator, if known."""
    if name == DISTINCT:
        _draw_appearances(axes, study)
    elif name == CONTINUAL:
        _draw_bars(axes, study)
    else:
        _draw_losses(axes, study, name)


def reach(study: Study) -> float:
    """The end of the axes of losses, in nats: a little above the worst case of the published estimator."""
    distribution = study.learned[PUBLISHED].distribution
    return 1.12 * max(study.promised, *(distribution.worst_loss(x, OPPOSITE[x], Seen.BOTH) for x in Pattern))


def _draw_losses(axes: Any, study: Study, name: str) -> None:
    """For each pattern of the target three strips: the losses of the runs, and their exact worst cases."""
    far, width = reach(study), study.promised / _BARS
    rows = []
    for group, truth in enumerate(Pattern):
        other = OPPOSITE[truth]
        losses = study.learned[name].losses(study.story, truth, other, 0) if name in KNOWN_DISTRIBUTION else None
        for seen in Seen:
            y = _STRIPS[seen][0] - _GROUP * group
            if losses is None:
                _infinite_or_nothing(axes, y, seen, truth, other, far)
                continue
            _histogram(axes, losses[seen], y, seen, width)
            distribution = study.learned[name].distribution
            for end in (distribution.worst_loss(truth, other, seen), -distribution.worst_loss(other, truth, seen)):
                _worst_case(axes, end, y)
            if seen is Seen.BOTH:
                beyond = share_beyond(losses[seen], study.promised)
                axes.text(far * 1.02, y + 0.5, f"{beyond:.0%} of runs\nbeyond", va="center", fontsize=9, color=INK)
        rows.append((_STRIPS[Seen.OUTPUT][0] - _GROUP * group, f"{truth},\nnot {other}"))
    axes.set_yticks([y for y, _ in rows], [label for _, label in rows])
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(_STRIPS[Seen.BOTH][0] - _GROUP * (len(Pattern) - 1) - 0.9, 1.1)
    _loss_axis(axes, study, far)
    _key(axes, exact=name not in KNOWN_DISTRIBUTION)
    gap = study.story.moments[0] - study.story.intrusion
    what = f"{gap} update{'s' * (gap > 1)} after the intrusion"
    axes.set_title(f"Knowledge of the adversary, released {what}", loc="left", fontsize=11, pad=8)


def _worst_case(axes: Any, loss: float, y: float) -> None:
    """A triangle below the strip that points at the exact worst case."""
    axes.plot([loss], [y], marker=_POINTS_UP, markersize=7, color=WORST, clip_on=False, zorder=4)


def _histogram(axes: Any, losses: Floats, y: float, seen: Seen, width: float) -> None:
    """The share of the runs by loss, as bars that stand on y; rare losses stay visible."""
    centres, counts = np.unique(bar_of(losses, width), return_counts=True)
    face, edge = LOOKS[seen]
    heights = _STRIPS[seen][1] * np.maximum(counts / counts.max(), 0.05)
    axes.bar(centres, heights, width=0.9 * width, bottom=y, facecolor=face, edgecolor=edge, linewidth=0.8, zorder=3)


def bar_of(losses: Floats, width: float) -> Floats:
    """The middle of the bar of each loss.

    A bar ends at a multiple of its width, counted from 0, and includes that end, so that a loss equal to the
    promise is drawn on the inner side of the bound. Losses of 0 have a bar of their own.
    """
    places = np.ceil(np.abs(losses) / width - 1e-6)
    return np.asarray(np.sign(losses) * np.maximum(places - 0.5, 0) * width)


def _infinite_or_nothing(axes: Any, y: float, seen: Seen, truth: Pattern, other: Pattern, far: float) -> None:
    """The exact counter's strip: its state shows who came before, its output who came at all."""
    if not math.isinf(loss_of_exact_counter(truth, other, seen)):
        _histogram(axes, np.zeros(1), y, seen, far / 50)
        axes.text(far / 40, y + 0.4, "nothing", va="center", fontsize=8.5, color=INK)
        return
    face, edge = LOOKS[seen]
    axes.annotate(
        "", (far, y + 0.4), (0.8 * far, y + 0.4),
        arrowprops={"arrowstyle": "simple,head_width=0.8,tail_width=0.45", "facecolor": face, "edgecolor": edge},
    )  # fmt: skip
    axes.text(far * 1.02, y + 0.4, "infinite", va="center", fontsize=9, color=INK)


def loss_of_exact_counter(truth: Pattern, other: Pattern, seen: Seen) -> float:
    """The loss of the exact counter to an adversary who knows the behaviour of all others: 0 or infinite."""
    state = truth.seen_before != other.seen_before
    output = (truth is Pattern.NEVER) != (other is Pattern.NEVER)
    told = {Seen.STATE: state, Seen.OUTPUT: output, Seen.BOTH: state or output}[seen]
    return math.inf if told else 0.0


def _loss_axis(axes: Any, study: Study, far: float, *, negative: bool = True) -> None:
    """Losses below, certainty above. The values that the promise excludes are shaded."""
    low = -far if negative else 0.0
    axes.set_xlim(low, far)
    for sign in (1, -1) if negative else (1,):
        start = sign * study.promised
        edges = sorted((start, sign * far))
        axes.axvspan(*edges, facecolor=FORBIDDEN, edgecolor="white", hatch="////", linewidth=0, zorder=0)
        axes.axvline(start, color=INK, linestyle="--", linewidth=1.3, zorder=1)
    axes.axvline(0, color=QUIET, linewidth=0.8, zorder=1)
    axes.set_xlabel("privacy loss in nats (hatched: promised never to happen)")
    above = axes.twiny()
    above.set_xlim(low, far)
    shown = [part for part in _CERTAINTIES if low <= math.log(part / (1 - part)) <= far]
    above.set_xticks([math.log(part / (1 - part)) for part in shown], [f"{part:.0%}" for part in shown])
    above.set_xlabel("how sure of the truth, from 50:50", fontsize=9, labelpad=3)
    above.spines["top"].set_visible(True)
    above.spines["top"].set_color(QUIET)


def _key(axes: Any, *, exact: bool) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Any] = [Patch(fc=face, ec=edge, label=str(seen)) for seen, (face, edge) in LOOKS.items()]
    if not exact:
        label = "exact worst case"
        handles.append(Line2D([], [], linestyle="none", marker="^", color=WORST, markersize=7, label=label))
    axes.legend(handles=handles, loc="upper left", bbox_to_anchor=(-0.02, -0.115), ncols=4, columnspacing=1.4)


def _draw_bars(axes: Any, study: Study) -> None:
    """The exact worst cases of the estimator with several outputs."""
    far = reach(study)
    worst = joint_worst_of_outputs(study)
    labels = {Seen.STATE: "state alone", Seen.OUTPUT: "all 8 outputs", Seen.BOTH: "state and\nall 8 outputs"}
    for line, (seen, loss) in enumerate(worst.items()):
        face, edge = LOOKS[seen]
        axes.barh(-line, loss, height=0.5, facecolor=face, edgecolor=edge, zorder=3)
        axes.text(
            max(loss, 0) + 0.02 * far, -line, f"{loss:.3f} nats: {certainty(loss):.1%} sure at most",
            va="center", fontsize=9.5, zorder=4, bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5},
        )  # fmt: skip
    axes.set_yticks([0, -1, -2], [labels[seen] for seen in worst])
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(-2.7, 0.7)
    _loss_axis(axes, study, far, negative=False)
    axes.set_xlabel("exact worst-case loss in nats (hatched: promised never to happen)")
    axes.set_title("Most that the adversary can learn from one whole run", loc="left", fontsize=11, pad=8)


def _draw_appearances(axes: Any, study: Study) -> None:
    """The certainty of an adversary from the level of a distinct sample, by the appearances of the target."""
    from matplotlib.ticker import FuncFormatter, PercentFormatter

    estimator, story = study.estimators[DISTINCT], study.story
    often = np.bincount(story.users)
    often = often[often > 0]
    appearances = np.unique(np.geomspace(1, often.max(), 60).round().astype(int))
    sure = certainty(loss_of_appearances(estimator.cells.p_upd, appearances))
    axes.axhspan(certainty(study.promised), 1.02, facecolor=FORBIDDEN, edgecolor="white", hatch="////", linewidth=0)
    axes.axhline(certainty(study.promised), color=INK, linestyle="--", linewidth=1.3)
    axes.plot(appearances, sure, color=INK, linewidth=2.4)
    axes.set_xscale("log")
    axes.set_ylim(0.5, 1.02)
    axes.set_xlim(0.9, often.max() * 1.3)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    marked = [
        (1, "a single update", -16),
        (story.target_updates, story.label, -16),
        (int(often.max()), "the most frequent", -36),
    ]
    for number, text, below in marked:
        height = float(certainty(loss_of_appearances(estimator.cells.p_upd, number)))
        axes.plot([number], [height], marker="o", color=INK, markersize=7)
        right = number < 0.3 * often.max()
        axes.annotate(
            f"{text}: {number:,} updates" if number > 1 else f"{text}: {height:.1%}", (number, height),
            (8 if right else 6, below), textcoords="offset points", ha="left" if right else "right",
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5},
        )  # fmt: skip
    publication = study.publications[DISTINCT]
    axes.annotate(
        f"when a sample is one short of full, without this user: "
        f"{publication.nearly_full:,} of {publication.released.size:,} looks found one short",
        (0.99, 0.03), xycoords="axes fraction", ha="right", fontsize=9,
    )  # fmt: skip
    axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    axes.set_ylabel("how sure, from 50:50, at worst")
    axes.set_xlabel("updates of one user right before the intrusion (hatched: promised never to happen)")
    axes.set_title("Knowledge from its state: each update is one more chance to fill it", loc="left", fontsize=11)


_SHOWN_UPDATES = 400


def row_figure(study: Study, name: str, *, width: float = 14, height: float = 5.8) -> tuple[Any, str]:
    """The estimates of one estimator, and the knowledge of the adversary, side by side; and its verdict."""
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
    """The certainty of the adversary that the target came, for the published and the calibrated estimator."""
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
