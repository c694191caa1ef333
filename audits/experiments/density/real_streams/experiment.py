"""The estimates on the two shipped real streams, and the knowledge of an adversary."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from experiments.density.real_streams.figures import draw_all, style
from experiments.density.real_streams.page import write_page
from experiments.density.real_streams.sentences import NAME, judged_sentences
from experiments.density.real_streams.study import Study, study_streams
from experiments.density.real_streams.tables import write_tables
from experiments.toolkit.drawing import Drawn, write_pictures
from experiments.toolkit.request import Reproduction, Request
from experiments.toolkit.tables import write_judgements
from pan_audits.reports.pages import require_figures
from pan_estimators.density.published import STATED_UP_TO
from pan_estimators.streams.real import STREAMS
from pan_promises.errors import InputError, require_count, require_epsilon
from pan_promises.workers import all_done

EPSILON = 0.2
"""Half of the joint promise, in nats."""

TITLE = "Published estimates, and the knowledge of an adversary"


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
    return publish(study_streams(list(STREAMS), epsilon=epsilon, seed=request.seed, jobs=request.jobs), request)


def publish(studies: Sequence[Study], request: Request) -> Reproduction:
    """Judge, draw and write finished studies; see :func:`real_streams`."""
    folder = request.folder
    drawn = _draw(studies, request.jobs)
    judged = tuple(judgement for study in studies for judgement in judged_sentences(study))
    folder.mkdir(parents=True, exist_ok=True)
    page = write_page(TITLE, studies, drawn, judged, folder, seed=request.seed)
    pictures = write_pictures(folder, NAME, (figure for figures in drawn for figure in figures))
    tables = write_tables(studies, folder)
    verdicts = write_judgements(folder, NAME, {"title": TITLE}, judged, request.seed)
    return Reproduction(
        title=TITLE,
        judgements=judged,
        files=(page, *pictures, *tables, verdicts),
        seed=request.seed,
        error=request.error,
        budgets=(f"on the real streams epsilon {studies[0].epsilon:g}",),
    )


def _draw(studies: Sequence[Study], jobs: int) -> list[tuple[Drawn, ...]]:
    return all_done([partial(_draw_styled, study) for study in studies], jobs)


def _draw_styled(study: Study) -> tuple[Drawn, ...]:
    with style():
        return draw_all(study)
