"""One page with all verdicts and figures, which needs no other file, with a link to any page that stands beside it."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from pathlib import Path

from pan_audits.experiments.request import Reproduction, Request
from pan_audits.experiments.sentence import Verdict, how_certain, worst_first
from pan_audits.reports.pages import environment

PAGE = "index.html"


def write_page(request: Request, made: Mapping[str, Reproduction]) -> Path:
    """Write ``index.html``; the figures have been drawn into the same folder.

    Parameters
    ----------
    request
        What was asked for.
    made
        What was made, by name, in the order of the page.
    """
    every = [judgement for one in made.values() for judgement in one.judgements]
    place = {judgement.sentence.id: name for name, one in made.items() for judgement in one.judgements}
    path = request.folder / PAGE
    path.write_text(
        environment("pan_audits.experiments")
        .get_template("reproduction.html.j2")
        .render(
            made=made,
            judgements=worst_first(every),
            place=place,
            counts={str(verdict): sum(one.verdict is verdict for one in every) for verdict in Verdict},
            images={name: _embedded(one) for name, one in made.items() if one.page is None},
            seed=request.seed,
            certain=how_certain(every, request.error),
            setting=request.setting,
        ),
        encoding="utf-8",
    )
    return path


def _embedded(found: Reproduction) -> str:
    (image,) = (path for path in found.files if path.suffix == ".png")
    return "data:image/png;base64," + base64.b64encode(image.read_bytes()).decode()
