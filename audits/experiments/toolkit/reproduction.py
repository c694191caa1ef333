"""The reproduction of experiments: runs, verdicts, data, figures and a page."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from experiments.toolkit.drawing import draw
from experiments.toolkit.experiment import Experiment, Row
from experiments.toolkit.registry import FIGURES, SETTING, all_measured, experiment, load, load_other
from experiments.toolkit.request import Reproduction, Request
from experiments.toolkit.runs import Bench, Setting
from experiments.toolkit.sentence import Judgement, ReproductionVerdict, how_certain, judge, worst_first
from experiments.toolkit.tables import write_judgements, write_rows, write_verdicts
from pan_audits.reports.pages import environment, require_figures, require_folder
from pan_audits.statistics import ErrorBudget
from pan_promises.errors import require_count
from pan_promises.extras import require_extra
from pan_promises.workers import all_done


def reproduce(request: Request) -> Reproduction:
    """Reproduce experiments, decide their sentences, and write data, figures and verdicts.

    For several experiments it also writes a page with all figures and a table of all verdicts.
    """
    require_extra("an experiment", "suite", "numba")
    require_count("the seed", request.seed, least=0)
    require_count("the number of jobs", request.jobs)
    budget = ErrorBudget(request.error, "reproduce")
    require_figures("drawing figures")
    figures = [experiment(name) for name in request.names if name in FIGURES]
    # A missing library is reported before anything is run.
    others = {name: load_other(name) for name in request.names if name not in FIGURES}
    # A failure here would otherwise come after all runs.
    require_folder(request.folder)
    made = _figures(request, figures, _setting(request), budget) if figures else {}
    made |= {name: make(request) for name, make in others.items()}
    found = [made[name] for name in request.names]
    if len(found) == 1:
        return found[0]
    judgements = tuple(judgement for one in found for judgement in one.judgements)
    page = _write_page(request, made)
    table = write_verdicts(request.folder, judgements)
    return Reproduction(
        title="The experiments, reproduced",
        judgements=judgements,
        files=(page, table, *(path for one in found for path in one.files)),
        seed=request.seed,
        error=request.error,
        budgets=tuple(dict.fromkeys(budgets for one in found for budgets in one.budgets)),
    )


def _setting(request: Request) -> Setting:
    found: Setting = request.setting or load(SETTING)
    return found


def _figures(
    request: Request, experiments: Sequence[Experiment], setting: Setting, budget: ErrorBudget
) -> dict[str, Reproduction]:
    """Figures are made together: they share runs, and the probability of error."""
    bench = Bench(setting, request.seed, request.jobs, request.progress)
    sentences = [sentence for one in experiments for sentence in one.sentences]
    judgements = judge(sentences, bench, budget, all_measured())
    bench.prepare_plots({key: count for one in experiments for key, count in one.plotted(bench.setting).items()})
    data = {one.name: tuple(one.rows(bench)) for one in experiments}
    own = {
        one.name: tuple(judgement for judgement in judgements if judgement.sentence in one.sentences)
        for one in experiments
    }
    if request.progress:
        request.progress("drawing")
    _draw_all([_drawing(request, setting, one, data[one.name], own[one.name]) for one in experiments], request.jobs)
    return {
        one.name: Reproduction(
            title=_title(one),
            judgements=own[one.name],
            files=_write(request, one, data[one.name], own[one.name]),
            seed=request.seed,
            error=request.error,
            budgets=_budgets(data[one.name]),
        )
        for one in experiments
    }


def _write(request: Request, one: Experiment, rows: Sequence[Row], judgements: Sequence[Judgement]) -> tuple[Path, ...]:
    about = {"figure": one.name, "source": one.source, "title": one.title, "claims": list(one.claims)}
    return (
        *(request.folder / f"{one.name}.{kind}" for kind in ("svg", "png")),
        write_rows(request.folder, one.name, rows),
        write_judgements(request.folder, one.name, about, judgements, request.seed),
    )


def _budgets(rows: Sequence[Row]) -> tuple[str, ...]:
    """The budgets of one figure. The sources print a budget only if it is the only one."""
    known = sorted({row.epsilon for row in rows if row.epsilon is not None})
    if len(known) < 2:
        return tuple(f"budget {epsilon:g}" for epsilon in known)
    return (f"budgets {known[0]:g} to {known[-1]:g}, which the sources do not print",)


def _drawing(
    request: Request, setting: Setting, one: Experiment, rows: Sequence[Row], judgements: Sequence[Judgement]
) -> tuple[Any, ...]:
    return _title(one), one.sheet(setting), rows, judgements, request.folder, one.name


def _title(one: Experiment) -> str:
    title = f"{one.source}: {one.title}"
    return title[0].upper() + title[1:]


def _draw_all(drawings: Sequence[tuple[Any, ...]], jobs: int) -> None:
    all_done([partial(draw, *arguments) for arguments in drawings], min(jobs, max(1, len(drawings))))


def _write_page(request: Request, made: Mapping[str, Reproduction]) -> Path:
    """Write ``index.html``, which needs no other file, and links to pages beside it."""
    every = [judgement for one in made.values() for judgement in one.judgements]
    place = {judgement.sentence.id: name for name, one in made.items() for judgement in one.judgements}
    path = request.folder / "index.html"
    path.write_text(
        environment("experiments.toolkit")
        .get_template("reproduction.html.j2")
        .render(
            made=made,
            judgements=worst_first(every),
            place=place,
            counts={str(verdict): sum(one.verdict is verdict for one in every) for verdict in ReproductionVerdict},
            images={name: _embedded(one) for name, one in made.items() if one.page is None},
            seed=request.seed,
            certain=how_certain(every, request.error),
            left_open=_setting(request).left_open if made.keys() & FIGURES.keys() else "",
        ),
        encoding="utf-8",
    )
    return path


def _embedded(found: Reproduction) -> str:
    (image,) = (path for path in found.files if path.suffix == ".png")
    return "data:image/png;base64," + base64.b64encode(image.read_bytes()).decode()
