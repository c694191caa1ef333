"""The reproduction of experiments: runs, verdicts, data, figures and a page."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from pan_audits.reports.folders import require_folder
from pan_audits.reports.pages import require_figures
from pan_audits.reproduction.bench import Bench
from pan_audits.reproduction.contents import Contents
from pan_audits.reproduction.drawing import draw
from pan_audits.reproduction.experiment import Experiment, Row
from pan_audits.reproduction.judge import judge
from pan_audits.reproduction.page import write_page
from pan_audits.reproduction.registry import FIGURES, all_measured, contents, experiment, load_other
from pan_audits.reproduction.request import Reproduction, Request
from pan_audits.reproduction.sentence import Judgement
from pan_audits.reproduction.setting import Setting
from pan_audits.reproduction.tables import write_judgements, write_rows, write_verdicts
from pan_audits.statistics import ErrorBudget
from pan_promises.errors import require_count
from pan_promises.extras import require_extra
from pan_promises.workers import all_done


def reproduce(request: Request) -> Reproduction:
    """Reproduce experiments, decide their sentences, and write data, figures and verdicts.

    For several experiments it also writes a page with all figures and a table of all verdicts.

    Raises
    ------
    InputError
        If a parameter is out of range, or the folder cannot be written: before anything is run.
    MissingExtraError
        If a library for figures or files is not installed: before anything is run.
    """
    require_extra("an experiment", "suite", "numba")
    require_count("the seed", request.seed, least=0)
    require_count("the number of jobs", request.jobs)
    budget = ErrorBudget(request.error, "reproduce")
    require_figures("drawing figures")
    request.file_format.require()
    for name in (name for name in request.names if name in FIGURES):
        experiment(name)
    # A missing library is reported before anything is run.
    others = {name: load_other(name) for name in request.names if name not in FIGURES}
    # A failure here would otherwise come after all runs.
    require_folder(request.folder)
    made: dict[str, Reproduction] = {}
    for part in contents():
        if own := [experiment(name) for name in request.names if name in part.figures]:
            made |= _figures(request, own, request.setting or _setting_of(part), budget)
    made |= {name: make(request) for name, make in others.items()}
    found = [made[name] for name in request.names]
    if len(found) == 1:
        return found[0]
    judgements = tuple(judgement for one in found for judgement in one.judgements)
    page = write_page(request, made)
    table = write_verdicts(request.folder, judgements)
    return Reproduction(
        title="The experiments, reproduced",
        judgements=judgements,
        files=(page, table, *(path for one in found for path in one.files)),
        seed=request.seed,
        error=request.error,
        budgets=tuple(dict.fromkeys(budgets for one in found for budgets in one.budgets)),
    )


def _setting_of(part: Contents) -> Setting:
    if part.setting is None:
        raise ValueError("a family with figures needs a setting")
    return part.setting()


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
        write_rows(request.folder, one.name, rows, request.file_format),
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
