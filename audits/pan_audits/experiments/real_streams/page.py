"""The page: all figures inline, with the verdicts; it needs neither a network nor a script."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from pan_audits.experiments.real_streams.figures import Drawn
from pan_audits.experiments.real_streams.law import Seen, certainty
from pan_audits.experiments.real_streams.learned_figure import loss_of_exact_counter
from pan_audits.experiments.real_streams.result import Reproduced, Sentence
from pan_audits.experiments.real_streams.sentences import at_most
from pan_audits.experiments.real_streams.story import Pattern
from pan_audits.experiments.real_streams.study import CALIBRATED, EXACT, OUTPUTS, PUBLISHED, Study
from pan_estimators import STREAMS, MissingExtraError

PAGE = "real-streams.html"


def write_page(
    studies: Sequence[Study],
    drawn: Sequence[Sequence[Drawn]],
    judged: Sequence[Sentence],
    folder: Path,
    *,
    seed: int,
) -> Path:
    """Write the page.

    Raises
    ------
    MissingExtraError
        If jinja2 is not installed.
    """
    try:
        import jinja2
        from markupsafe import Markup
    except ImportError:
        raise MissingExtraError("writing the page", "figures") from None
    templates = files("pan_audits.experiments.real_streams") / "templates"
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda name: (templates / name).read_text(encoding="utf-8")),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=True,
    )
    environment.filters["svg"] = lambda figure: Markup(figure.svg)
    kept = [sentence for sentence in judged if sentence.verdict is Reproduced.REPRODUCED]
    page = folder / PAGE
    page.write_text(
        environment.get_template("real-streams.html.j2").render(
            streams=[_stream(study, figures) for study, figures in zip(studies, drawn, strict=True)],
            sentences=judged,
            kept=len(kept),
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
    """How sure an intruder can be at most that a user came as ``truth`` and not as ``other``."""
    cells = []
    for name in (PUBLISHED, CALIBRATED, EXACT):
        for seen in Seen:
            if name == EXACT:
                loss = loss_of_exact_counter(truth, other, seen)
            else:
                loss = study.learned[name].law.worst_loss(truth, other, seen)
            broken = name != EXACT and seen is Seen.BOTH and loss > study.promised * (1 + 1e-9)
            cells.append((at_most(float(certainty(loss))), broken))
    return {"truth": str(truth), "other": str(other), "cells": cells}
