"""What the estimators publish on the two shipped real streams, and what an intruder learns meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pan_audits.experiments.real_streams.drawing import style
from pan_audits.experiments.real_streams.figures import Drawn, draw_all
from pan_audits.experiments.real_streams.page import write_page
from pan_audits.experiments.real_streams.result import Result
from pan_audits.experiments.real_streams.sentences import sentences
from pan_audits.experiments.real_streams.study import Study, study_streams
from pan_audits.experiments.real_streams.tables import write_tables
from pan_estimators import STREAMS, InputError, require_count
from pan_estimators.errors import require_epsilon
from pan_estimators.sampled_cells import STATED_UP_TO


def real_streams(out: Path, *, seed: int = 1, epsilon: float = 0.2, jobs: int = 2) -> Result:
    """Write a page of plots on both shipped streams, their data as CSV, and judge the promises.

    Parameters
    ----------
    out
        Folder for ``real-streams.html``, the figures and the tables; made if it is not there.
    seed
        Entropy of all runs.
    epsilon
        Half of what is promised jointly, in nats; at most 0.5, where the published theorems apply.
    jobs
        Processes; the result does not depend on them.

    Raises
    ------
    InputError
        If a parameter is out of range.
    MissingExtraError
        If matplotlib or jinja2 is not installed.
    """
    require_count("the seed", seed, least=0)
    require_count("the number of jobs", jobs)
    require_epsilon(epsilon)
    if epsilon > STATED_UP_TO:
        raise InputError(f"epsilon must be at most {STATED_UP_TO:g}, where the theorems apply, got {epsilon!r}")
    with style():  # says at once if something is missing
        studies = study_streams(list(STREAMS), epsilon=epsilon, seed=seed, jobs=jobs)
    return publish(studies, out, seed=seed, jobs=jobs)


def publish(studies: Sequence[Study], out: Path, *, seed: int, jobs: int = 1) -> Result:
    """Judge, draw and write down studies that have been made; see :func:`real_streams`."""
    drawn = _draw(studies, jobs)
    judged = tuple(sentence for study in studies for sentence in sentences(study))
    out.mkdir(parents=True, exist_ok=True)
    page = write_page(studies, drawn, judged, out, seed=seed)
    pictures = []
    for figure in (figure for figures in drawn for figure in figures):
        picture = out / f"real-streams-{figure.name}.svg"
        picture.write_text(figure.svg, encoding="utf-8")
        pictures.append(picture)
    return Result(judged, page, (page, *pictures, *write_tables(studies, judged, out)))


def _draw(studies: Sequence[Study], jobs: int) -> list[tuple[Drawn, ...]]:
    from joblib import Parallel, delayed

    return list(Parallel(n_jobs=jobs)(delayed(_draw_styled)(study) for study in studies))


def _draw_styled(study: Study) -> tuple[Drawn, ...]:
    with style():
        return draw_all(study)
