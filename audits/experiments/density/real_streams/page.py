"""The page: all figures inline, with the verdicts; it needs neither a network nor a script."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from experiments.density.real_streams.distribution import Seen, certainty
from experiments.density.real_streams.figures import loss_of_exact_counter
from experiments.density.real_streams.sentences import NAME, at_most
from experiments.density.real_streams.story import Pattern
from experiments.density.real_streams.study import CALIBRATED, EXACT, OUTPUTS, PUBLISHED, Study
from experiments.toolkit.drawing import Drawn
from experiments.toolkit.sentence import Judgement, ReproductionVerdict
from pan_audits.reports.pages import environment
from pan_estimators.streams.real import STREAMS

PAGE = f"{NAME}.html"


def write_page(
    title: str,
    studies: Sequence[Study],
    drawn: Sequence[Sequence[Drawn]],
    judged: Sequence[Judgement],
    folder: Path,
    *,
    seed: int,
) -> Path:
    """Write the page."""
    page = folder / PAGE
    page.write_text(
        environment("experiments.density.real_streams")
        .get_template("real-streams.html.j2")
        .render(
            title=title,
            streams=[_stream(study, figures) for study, figures in zip(studies, drawn, strict=True)],
            judgements=judged,
            kept=sum(judgement.verdict is ReproductionVerdict.REPRODUCED for judgement in judged),
            epsilon=studies[0].epsilon,
            promised=studies[0].promised,
            bound=at_most(float(certainty(studies[0].promised))),
            outputs=OUTPUTS,
            seed=seed,
        ),
        encoding="utf-8",
    )
    return page


def _stream(study: Study, figures: Sequence[Drawn]) -> dict[str, Any]:
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
        "pairs": [_pair(study, x, y) for x in Pattern for y in Pattern if x != y],
    }


def _pair(study: Study, truth: Pattern, other: Pattern) -> dict[str, Any]:
    """The greatest certainty of an adversary that a user came as ``truth`` and not as ``other``."""
    cells = []
    for name in (PUBLISHED, CALIBRATED, EXACT):
        for seen in Seen:
            if name == EXACT:
                loss = loss_of_exact_counter(truth, other, seen)
            else:
                loss = study.learned[name].distribution.worst_loss(truth, other, seen)
            broken = name != EXACT and seen is Seen.BOTH and loss > study.promised * (1 + 1e-9)
            cells.append((at_most(float(certainty(loss))), broken))
    return {"truth": str(truth), "other": str(other), "cells": cells}
