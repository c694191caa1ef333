"""The estimates on the two shipped real streams, and the knowledge of an adversary: a page and its tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from experiments.density.real_streams.distribution import Pattern, Visible, certainty
from experiments.density.real_streams.figures import draw_all, style
from experiments.density.real_streams.sentences import NAME, at_most, judged_sentences, share_beyond
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
    Study,
    study_streams,
)
from experiments.toolkit.figures import Drawing
from experiments.toolkit.results import Reproduction, Request, write_page
from pan_audits.reports.pages import require_figures
from pan_estimators.density.published import STATED_UP_TO
from pan_estimators.streams.real import STREAMS
from pan_promises.errors import InputError, require_count, require_epsilon
from pan_promises.workers import all_done

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
    drawn = all_done([partial(_drawn, study) for study in studies], request.jobs)
    judged = tuple(judgement for study in studies for judgement in judged_sentences(study))
    title = "Published estimates, and the knowledge of an adversary"
    promised = studies[0].promised
    files = write_page(
        request,
        NAME,
        title,
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
    return request.done(title, judged, files, (f"on the real streams epsilon {epsilon:g}",))


def _drawn(study: Study) -> tuple[Drawing, ...]:
    with style():
        return draw_all(study)


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
