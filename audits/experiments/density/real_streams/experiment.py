"""The page on the two shipped real streams: the estimates, the knowledge of an adversary, and their tables."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from experiments.density.real_streams.distribution import Floats, Pattern, Visible, certainty
from experiments.density.real_streams.sentences import NAME, at_most, judged_sentences, share_beyond, title
from experiments.density.real_streams.study import (
    CALIBRATED,
    CONTINUAL,
    DISTINCT,
    EXACT,
    KNOWN_DISTRIBUTION,
    OPPOSITE,
    OUTPUTS,
    PAIRS,
    PUBLISHED,
    SHOWN,
    Study,
    study_streams,
)
from experiments.toolkit.figures import Drawing, in_svg
from experiments.toolkit.results import Reproduction, Request, write_page
from pan_audits.reports.pages import new_figure, plotting_style, require_figures
from pan_estimators.density.published import STATED_UP_TO
from pan_estimators.streams.real import STREAMS
from pan_promises.errors import InputError, require_count, require_epsilon
from pan_promises.workers import all_done

INK, ACCENT, PALE, QUIET, WORST = "#1a1a1a", "#0072b2", "#cfe3f1", "#6b6b6b", "#d55e00"
FORBIDDEN = "#f3ded7"
"""The colour of a broken promise, which is hatched as well."""

_SETTINGS = {"svg.fonttype": "path", "font.size": 10, "axes.edgecolor": QUIET, "hatch.linewidth": 0.5}

LOOKS = {Visible.STATE: ("white", INK), Visible.OUTPUT: ("#8fc1e0", ACCENT), Visible.BOTH: (INK, INK)}
"""Face and edge for each kind of observation, from light to dark."""
_BARS, _GROUP = 20, 5.2
_STRIPS = {Visible.STATE: (0.0, 0.8), Visible.OUTPUT: (-1.25, 0.8), Visible.BOTH: (-3.3, 1.6)}
"""The place of each strip in its group, and its height. So many bars lie below the promise."""
_POINTS_UP = 6
"""Matplotlib's marker of a triangle whose tip is at the point."""
_CERTAINTIES = (0.15, 0.3, 0.5, 0.7, 0.85)
_SHOWN_UPDATES = 400


def style() -> AbstractContextManager[None]:
    """Draw and save figures within it."""
    return plotting_style(_SETTINGS)


def draw_all(study: Study) -> tuple[Drawing, ...]:
    """A figure for each estimator, in the order of the page."""
    with style():
        return tuple(_drawn(study, name) for name in SHOWN)


def _drawn(study: Study, name: str) -> Drawing:
    figure, verdict = row_figure(study, name)
    return in_svg(f"{study.story.name}-{name}", verdict, figure, f"{study.story.name}: {verdict}")


def row_figure(study: Study, name: str, *, width: float = 14, height: float = 5.8) -> tuple[Any, str]:
    """The estimates of one estimator, and the knowledge of the adversary, side by side; and its verdict."""
    figure = new_figure(width, height)
    left, right = figure.subplots(1, 2, width_ratios=(1, 1.06))
    verdict = title(study, name)
    _draw_published(left, study, name)
    if name in KNOWN_DISTRIBUTION:
        _draw_losses(right, study, name)
    else:
        _draw_worst(right, study, study.worst_losses(name))
    figure.suptitle(verdict, x=0.012, y=0.985, ha="left", fontsize=12.5, fontweight="bold")
    figure.subplots_adjust(left=0.7 / width, right=1 - 0.9 / width, top=0.82, bottom=0.135, wspace=4.2 / width)
    return figure, verdict


def _draw_losses(axes: Any, study: Study, name: str) -> None:
    """For each pattern of the target three strips: the losses of the runs, and their exact worst cases."""
    far, width, distribution = _reach(study), study.promised / _BARS, study.learned[name].distribution
    rows = []
    for group, (truth, other) in enumerate(OPPOSITE.items()):
        for seen, losses in study.learned[name].losses(study.story, truth, other, 0).items():
            y, height = _STRIPS[seen][0] - _GROUP * group, _STRIPS[seen][1]
            centres, counts = np.unique(_bar_of(losses, width), return_counts=True)
            face, edge = LOOKS[seen]
            # Rare losses stay visible.
            heights = height * np.maximum(counts / counts.max(), 0.05)
            axes.bar(centres, heights, width=0.9 * width, bottom=y, facecolor=face, edgecolor=edge, zorder=3)
            ends = (distribution.worst_loss(truth, other, seen), -distribution.worst_loss(other, truth, seen))
            axes.plot(ends, [y, y], linestyle="", marker=_POINTS_UP, markersize=7, color=WORST, clip_on=False, zorder=4)
        beyond = share_beyond(losses, study.promised)
        axes.text(far * 1.02, y + 0.5, f"{beyond:.0%} of runs\nbeyond", va="center", fontsize=9, color=INK)
        rows.append((_STRIPS[Visible.OUTPUT][0] - _GROUP * group, f"{truth},\nnot {other}"))
    axes.set_yticks([y for y, _ in rows], [label for _, label in rows])
    axes.set_ylim(_STRIPS[Visible.BOTH][0] - _GROUP * (len(rows) - 1) - 0.9, 1.1)
    _loss_axis(axes, study, -far, far)
    from matplotlib.patches import Patch

    handles = [Patch(fc=face, ec=edge, label=str(seen)) for seen, (face, edge) in LOOKS.items()]
    axes.legend(handles=handles, loc="upper left", bbox_to_anchor=(-0.02, -0.115), ncols=3)
    gap = study.story.moments[0] - study.story.intrusion
    axes.set_title(
        f"Losses of runs, and exact worst cases; updates after the intrusion: {gap}", loc="left", fontsize=11
    )


def _bar_of(losses: Floats, width: float) -> Floats:
    """The middle of the bar of each loss; a loss equal to the promise is drawn on the inner side of the bound."""
    places = np.ceil(np.abs(losses) / width - 1e-6)
    return np.asarray(np.sign(losses) * np.maximum(places - 0.5, 0) * width)


def _draw_worst(axes: Any, study: Study, worst: dict[Visible, float]) -> None:
    """Bars of exact worst cases."""
    far = _reach(study)
    for line, (seen, loss) in enumerate(worst.items()):
        face, edge = LOOKS[seen]
        axes.barh(-line, min(loss, far), height=0.5, facecolor=face, edgecolor=edge, zorder=3)
        axes.text(
            0.02 * far, 0.35 - line, f"{loss:.3f} nats: {certainty(loss):.1%} sure", va="bottom", fontsize=9.5, zorder=4
        )
    axes.set_yticks([-line for line in range(len(worst))], list(map(str, worst)))
    axes.set_ylim(0.3 - len(worst), 0.7)
    _loss_axis(axes, study, 0.0, far)
    axes.set_title("Most that the adversary can learn", loc="left", fontsize=11, pad=8)


def _reach(study: Study) -> float:
    """The end of the axes of losses, in nats: a little above the worst case of the published estimator."""
    distribution = study.learned[PUBLISHED].distribution
    return 1.12 * max(study.promised, *(distribution.worst_loss(x, OPPOSITE[x], Visible.BOTH) for x in Pattern))


def _loss_axis(axes: Any, study: Study, low: float, far: float) -> None:
    """Losses below, certainty above. The values that the promise excludes are shaded."""
    axes.set_xlim(low, far)
    axes.tick_params(axis="y", length=0)
    for sign in (1, -1):
        start = sign * study.promised
        axes.axvspan(start, sign * far, facecolor=FORBIDDEN, edgecolor="white", hatch="////", linewidth=0, zorder=0)
        axes.axvline(start, color=INK, linestyle="--", linewidth=1.3, zorder=1)
    axes.set_xlabel("privacy loss in nats (hatched: promised never to happen)")
    above = axes.twiny()
    above.set_xlim(low, far)
    shown = [part for part in _CERTAINTIES if low <= math.log(part / (1 - part)) <= far]
    above.set_xticks([math.log(part / (1 - part)) for part in shown], [f"{part:.0%}" for part in shown])
    above.set_xlabel("how sure of the truth, from 50:50", fontsize=9, labelpad=3)


def _draw_published(axes: Any, study: Study, name: str) -> None:
    """The true density as a line; over it the releases of one estimator and their 95% band."""
    story, publication = study.story, study.publications[name]
    updates = np.linspace(0, story.users.size, _SHOWN_UPDATES + 1).round().astype(np.int64)
    several = name == CONTINUAL
    if name != EXACT:
        axes.fill_between(publication.times, *publication.band(), color=PALE, label="95% of the releases")
    axes.plot(updates, study.density[updates], color=INK, linewidth=2.2, label="true density")
    axes.plot(
        publication.times,
        publication.released[0] if several else publication.one_each(),
        linestyle="-" if several else "none",
        drawstyle="steps-post",
        marker="o",
        markersize=5,
        color=ACCENT,
        markerfacecolor="white",
        label="one run's outputs" if several else "one release, each of a run of its own",
    )
    axes.axvline(story.intrusion, color=QUIET, linestyle=":", linewidth=1.4, label="intrusion")
    axes.set_xlim(0, story.users.size * 1.02)
    axes.locator_params(axis="x", nbins=4)
    axes.set_xlabel("updates so far")
    axes.set_ylabel("density")
    error = publication.error(study.density)
    axes.set_title(f"Published estimates: off by {error:.3f} at the end (root mean square)", loc="left", fontsize=11)
    axes.legend(loc="lower right", framealpha=1)


EPSILON = 0.2
"""Half of the joint promise, in nats."""

_DENSITIES = 400


def real_streams(request: Request, *, epsilon: float = EPSILON) -> Reproduction:
    """Write a page of plots on both shipped streams, their data as tables, and judge the promises.

    All verdicts are computed from exact distributions; the runs that are plotted decide none.
    """
    require_count("the seed", request.seed, least=0)
    require_count("the number of jobs", request.jobs)
    require_epsilon(epsilon)
    if epsilon > STATED_UP_TO:
        raise InputError(f"epsilon must be at most {STATED_UP_TO:g}, where the theorems apply, got {epsilon!r}")
    require_figures("drawing figures")
    if request.progress:
        request.progress(NAME)
    studies = study_streams(list(STREAMS), epsilon=epsilon, seed=request.seed, jobs=request.jobs)
    drawn = all_done([partial(draw_all, study) for study in studies], request.jobs)
    judged = tuple(judgement for study in studies for judgement in judged_sentences(study))
    heading = "Published estimates, and the knowledge of an adversary"
    promised = studies[0].promised
    files = write_page(
        request,
        NAME,
        heading,
        "experiments.density.real_streams",
        [figure for figures in drawn for figure in figures],
        {
            name: (columns.split(), [[*map(_plain, row)] for study in studies for row in rows_of(study)])
            for name, columns, rows_of in (
                ("densities", "stream updates density", _densities),
                ("releases", "stream estimator updates run release low_95 high_95", _releases),
                (
                    "losses",
                    "stream estimator truth other updates_between others_between seen runs least median greatest "
                    "share_beyond_promise exact_least exact_greatest",
                    _losses,
                ),
                ("worst-cases", "stream estimator truth other seen exact_loss promised_jointly", _worst_cases),
            )
        },
        judged,
        streams=[_stream(study, figures) for study, figures in zip(studies, drawn, strict=True)],
        epsilon=epsilon,
        promised=promised,
        bound=at_most(float(certainty(promised))),
        outputs=OUTPUTS,
    )
    return request.done(heading, judged, files, (f"on the real streams epsilon {epsilon:g}",))


def _stream(study: Study, figures: Sequence[Drawing]) -> dict[str, Any]:
    story = study.story
    runs = {name: publication.released.shape[0] for name, publication in study.publications.items()}
    return {
        "name": story.name,
        "attribution": STREAMS.get(story.name, ""),
        "figures": figures,
        "label": story.label,
        "updates": f"{story.users.size:,}",
        "users": f"{story.universe.size:,}",
        "distinct": f"{np.unique(story.users).size:,}",
        "intrusion": f"{story.intrusion:,}",
        "target_updates": story.target_updates,
        "first_gap": story.moments[0] - story.intrusion,
        "runs": runs[PUBLISHED],
        "runs_of_target": study.learned[PUBLISHED].observations[Pattern.AFTER].bits.size,
        "pairs": [_pair(study, x, y) for x, y in PAIRS],
    }


def _pair(study: Study, truth: Pattern, other: Pattern) -> dict[str, Any]:
    """The greatest certainty of an adversary that a user came as ``truth`` and not as ``other``."""
    cells = []
    for name, seen in product((PUBLISHED, CALIBRATED, EXACT), Visible):
        loss = study.pair_loss(name, truth, other, seen)
        broken = name != EXACT and seen is Visible.BOTH and loss > study.promised * (1 + 1e-9)
        cells.append((at_most(float(certainty(loss))), broken))
    return {"truth": str(truth), "other": str(other), "cells": cells}


def _plain(value: Any) -> Any:
    """A value as any reader of tables takes it; nine digits are the same wherever it was computed."""
    if isinstance(value, (float, np.floating)):
        return float(f"{value:.9g}")
    if isinstance(value, (int, np.integer)):
        return int(value)
    return None if value is None else str(value)


def _densities(study: Study) -> Iterator[Sequence[Any]]:
    for updates in np.linspace(0, study.story.users.size, _DENSITIES + 1).round().astype(np.int64).tolist():
        yield study.story.name, updates, study.density[updates]


def _releases(study: Study) -> Iterator[Sequence[Any]]:
    for name, publication in study.publications.items():
        low, high = publication.band()
        several = name == CONTINUAL
        shown = publication.released[0] if several else publication.one_each()
        for place, updates in enumerate(publication.times.tolist()):
            yield study.story.name, name, updates, 1 if several else place + 1, shown[place], low[place], high[place]


def _losses(study: Study) -> Iterator[Sequence[Any]]:
    story = study.story
    for name, learned in study.learned.items():
        for truth, other in OPPOSITE.items():
            for moment, end in enumerate(story.moments):
                between = end - story.intrusion, story.others_redrawn(moment)
                for seen, losses in learned.losses(story, truth, other, moment).items():
                    found = losses.size, losses.min(), np.median(losses), losses.max()
                    beyond = share_beyond(losses, study.promised)
                    exact = (
                        -learned.distribution.worst_loss(other, truth, seen),
                        learned.distribution.worst_loss(truth, other, seen),
                    )
                    yield story.name, name, truth, other, *between, seen, *found, beyond, *exact


def _worst_cases(study: Study) -> Iterator[Sequence[Any]]:
    stream, promised = study.story.name, study.promised
    for (truth, other), seen in product(PAIRS, Visible):
        for name in (*KNOWN_DISTRIBUTION, EXACT):
            loss = study.pair_loss(name, truth, other, seen)
            yield stream, name, truth, other, seen, loss, None if name == EXACT else promised
    for name in (CONTINUAL, DISTINCT):
        for seen, loss in study.worst_losses(name).items():
            yield stream, name, "any", "any other", seen, loss, promised
