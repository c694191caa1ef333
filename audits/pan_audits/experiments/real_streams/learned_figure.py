"""The right column: what the intruder learns about one user, against what was promised."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pan_audits.experiments.real_streams.drawing import ACCENT, FORBIDDEN, INK, QUIET
from pan_audits.experiments.real_streams.law import Floats, Seen, certainty, loss_of_appearances
from pan_audits.experiments.real_streams.sentences import joint_worst_of_outputs, share_beyond
from pan_audits.experiments.real_streams.story import Pattern
from pan_audits.experiments.real_streams.study import (
    CONTINUAL,
    DISTINCT,
    EXACT,
    KNOWN_LAW,
    OPPOSITE,
    PUBLISHED,
    Study,
)

MARKERS = {Seen.STATE: ("s", "white", QUIET), Seen.OUTPUT: ("^", "white", ACCENT), Seen.BOTH: ("o", INK, INK)}
"""Shape, face and edge for each kind of observation."""
_BIN = 0.05
_CERTAINTIES = (0.15, 0.3, 0.5, 0.7, 0.85)


def draw_learned(axes: Any, study: Study, name: str) -> None:
    """Whatever is known exactly of the estimator."""
    if name == DISTINCT:
        _draw_appearances(axes, study)
    elif name == CONTINUAL:
        _draw_bars(axes, study)
    else:
        _draw_losses(axes, study, name)


def reach(study: Study) -> float:
    """How far the axes of losses go, in nats: a little beyond the worst case of the published estimator."""
    law = study.learned[PUBLISHED].law
    return 1.12 * max(study.promised, *(law.worst_loss(x, OPPOSITE[x], Seen.BOTH) for x in Pattern))


def _draw_losses(axes: Any, study: Study, name: str) -> None:
    """For each pattern of the target three strips of losses: discs as large as their share of the runs."""
    far = reach(study)
    rows = []
    for group, truth in enumerate(Pattern):
        other = OPPOSITE[truth]
        losses = study.learned[name].losses(study.story, truth, other, 0) if name in KNOWN_LAW else None
        for line, seen in enumerate(Seen):
            y = -(group * 4 + line)
            if losses is None:
                _infinite_or_nothing(axes, y, seen, truth, other, far)
                continue
            _bubbles(axes, losses[seen], y, seen)
            law = study.learned[name].law
            for end in (law.worst_loss(truth, other, seen), -law.worst_loss(other, truth, seen)):
                axes.plot([end, end], [y - 0.42, y + 0.42], color=INK, linewidth=2.6, solid_capstyle="butt")
            if seen is Seen.BOTH:
                beyond = share_beyond(losses[seen], study.promised)
                axes.text(far * 1.02, y, f"{beyond:.0%} beyond", va="center", fontsize=9, color=INK)
        rows.append((-(group * 4 + 1), f"came {truth},\nnot {other}"))
    axes.set_yticks([y for y, _ in rows], [label for _, label in rows])
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(-15, 1)
    _loss_axis(axes, study, far)
    _key(axes, exact=name not in KNOWN_LAW)
    gap = study.story.moments[0] - study.story.intrusion
    what = f"{gap} update{'s' * (gap > 1)} after the intrusion"
    axes.set_title(f"What the intruder learns, released {what}", loc="left", fontsize=11, pad=24)


def _bubbles(axes: Any, losses: Floats, y: float, seen: Seen) -> None:
    places, counts = np.unique(np.round(losses / _BIN).astype(int), return_counts=True)
    centres = [float(np.mean(losses[np.round(losses / _BIN).astype(int) == place])) for place in places]
    marker, face, edge = MARKERS[seen]
    sizes = 12 + 150 * counts / losses.size
    axes.scatter(
        centres, [y] * len(centres), s=sizes, marker=marker, c=face, edgecolors=edge, linewidths=1.2, zorder=3
    )


def _infinite_or_nothing(axes: Any, y: float, seen: Seen, truth: Pattern, other: Pattern, far: float) -> None:
    """The exact counter's strip: its state is who came before, its output who came at all."""
    marker, face, edge = MARKERS[seen]
    if not math.isinf(loss_of_exact_counter(truth, other, seen)):
        axes.scatter([0], [y], s=162, marker=marker, c=face, edgecolors=edge, linewidths=1.2, zorder=3)
        return
    axes.annotate("", (far, y), (0.86 * far, y), arrowprops={"arrowstyle": "-|>", "color": INK, "linewidth": 1.6})
    axes.scatter([0.84 * far], [y], s=60, marker=marker, c=face, edgecolors=edge, linewidths=1.2, zorder=3)
    axes.text(far * 1.02, y, "infinite", va="center", fontsize=9, color=INK)


def loss_of_exact_counter(truth: Pattern, other: Pattern, seen: Seen) -> float:
    """What the exact counter loses to who knows everybody else's behaviour: nothing, or everything."""
    state = truth.seen_before != other.seen_before
    output = (truth is Pattern.NEVER) != (other is Pattern.NEVER)
    told = {Seen.STATE: state, Seen.OUTPUT: output, Seen.BOTH: state or output}[seen]
    return math.inf if told else 0.0


def _loss_axis(axes: Any, study: Study, far: float, *, negative: bool = True) -> None:
    """Losses below, certainty above; what is promised never to happen is shaded."""
    low = -far if negative else 0.0
    axes.set_xlim(low, far)
    for sign in (1, -1) if negative else (1,):
        start = sign * study.promised
        edges = sorted((start, sign * far))
        axes.axvspan(*edges, facecolor=FORBIDDEN, edgecolor="white", hatch="////", linewidth=0, zorder=0)
        axes.axvline(start, color=INK, linestyle="--", linewidth=1.3, zorder=1)
    axes.axvline(0, color=QUIET, linewidth=0.8, zorder=1)
    axes.set_xlabel("privacy loss in nats (hatched: promised never to happen; thick bars: exact worst case)")
    above = axes.twiny()
    above.set_xlim(low, far)
    shown = [part for part in _CERTAINTIES if low <= math.log(part / (1 - part)) <= far]
    above.set_xticks([math.log(part / (1 - part)) for part in shown], [f"{part:.0%}" for part in shown])
    above.set_xlabel("how sure of the truth who thought it 50:50", fontsize=9, labelpad=3)
    above.spines["top"].set_visible(True)
    above.spines["top"].set_color(QUIET)


def _key(axes: Any, *, exact: bool) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], linestyle="none", marker=shape, markerfacecolor=face, markeredgecolor=edge, label=str(seen))
        for seen, (shape, face, edge) in MARKERS.items()
    ]
    axes.legend(handles=handles, loc="upper left", bbox_to_anchor=(0, -0.14), ncols=3, handletextpad=0.2)


def _draw_bars(axes: Any, study: Study) -> None:
    """The exact worst cases of the estimator with several outputs."""
    far = reach(study)
    worst = joint_worst_of_outputs(study)
    labels = {Seen.STATE: "state alone", Seen.OUTPUT: "all 8 outputs", Seen.BOTH: "state and\nall 8 outputs"}
    for line, (seen, loss) in enumerate(worst.items()):
        axes.barh(-line, loss, height=0.5, color=INK if seen is Seen.BOTH else "#9db8c9", edgecolor=INK, zorder=3)
        axes.text(
            max(loss, 0) + 0.02 * far, -line, f"{loss:.3f} nats: {certainty(loss):.1%} sure at most",
            va="center", fontsize=9.5, zorder=4, bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5},
        )  # fmt: skip
    axes.set_yticks([0, -1, -2], [labels[seen] for seen in worst])
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(-2.7, 0.7)
    _loss_axis(axes, study, far, negative=False)
    axes.set_xlabel("exact worst-case loss in nats (hatched: promised never to happen)")
    axes.set_title("What the intruder can learn at most, from all that one run shows", loc="left", fontsize=11, pad=24)


def _draw_appearances(axes: Any, study: Study) -> None:
    """How sure the level of a distinct sample can make an intruder, by how often the target appears."""
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
    marked = [(1, "a single update"), (story.target_updates, story.label), (int(often.max()), "the most frequent")]
    for number, text in marked:
        height = float(certainty(loss_of_appearances(estimator.cells.p_upd, number)))
        axes.plot([number], [height], marker="o", color=INK, markersize=7)
        right = number < 0.3 * often.max()
        axes.annotate(
            f"{text}: {number:,}" if number > 1 else f"{text}: {height:.1%}", (number, height),
            (8 if right else -4, -16), textcoords="offset points", ha="left" if right else "right",
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5},
        )  # fmt: skip
    from matplotlib.ticker import PercentFormatter

    axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    axes.set_ylabel("how sure, from 50:50, at worst")
    axes.set_xlabel("updates of one user right before the intrusion (hatched: promised never to happen)")
    axes.set_title("What its state can tell: every update is one more chance to fill it", loc="left", fontsize=11)


