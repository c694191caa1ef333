"""One page with all verdicts and figures. It needs no other file, and links to pages beside it."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from pathlib import Path

from pan_audits.reports.pages import environment
from pan_audits.reproduction.registry import contents
from pan_audits.reproduction.request import Reproduction, Request
from pan_audits.reproduction.sentence import ReproductionVerdict, how_certain, worst_first

PAGE = "index.html"


def write_page(request: Request, made: Mapping[str, Reproduction]) -> Path:
    """Write ``index.html``; the figures have been drawn into the same folder.

    Parameters
    ----------
    request
        The request.
    made
        The finished experiments, by name, in the order of the page.
    """
    every = [judgement for one in made.values() for judgement in one.judgements]
    place = {judgement.sentence.id: name for name, one in made.items() for judgement in one.judgements}
    path = request.folder / PAGE
    path.write_text(
        environment("pan_audits.reproduction")
        .get_template("reproduction.html.j2")
        .render(
            made=made,
            judgements=worst_first(every),
            place=place,
            counts={str(verdict): sum(one.verdict is verdict for one in every) for verdict in ReproductionVerdict},
            images={name: _embedded(one) for name, one in made.items() if one.page is None},
            seed=request.seed,
            certain=how_certain(every, request.error),
            left_open=[
                part.left_open(request.setting or part.setting())
                for part in contents()
                if part.setting is not None and made.keys() & part.figures.keys()
            ],
        ),
        encoding="utf-8",
    )
    return path


def _embedded(found: Reproduction) -> str:
    (image,) = (path for path in found.files if path.suffix == ".png")
    return "data:image/png;base64," + base64.b64encode(image.read_bytes()).decode()
