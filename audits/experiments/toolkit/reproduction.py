"""The experiments by the names that ``python -m experiments reproduce`` takes, and their reproduction.

Each is named by its place, as ``module:attribute``, and imported on first use.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any

import cloudpickle

from experiments.toolkit.figures import Experiment, Row
from experiments.toolkit.results import Reproduction, Request, write_figure, write_table, write_text
from experiments.toolkit.runs import Bench, Setting
from experiments.toolkit.sentence import ReproductionVerdict, how_certain, judge, worst_first
from pan_audits.reports.pages import environment, require_figures, require_folder
from pan_audits.statistics import ErrorBudget
from pan_promises.errors import InputError, require_count, shown, suggestion
from pan_promises.extras import require_extra
from pan_promises.workers import all_done

_TABLES = "experiments.tables.synthetic"
_DIABETES = "experiments.tables.diabetes"

FIGURES: Mapping[str, str] = {
    "figure-1": "sample_sizes",
    **dict.fromkeys(("figure-2", "figure-3"), "state_budgets"),
    **dict.fromkeys(("figure-4", "figure-5", "figure-6", "figure-7"), "errors"),
    "thesis-4.1": "sample_sizes",
    **dict.fromkeys(("thesis-4.2", "thesis-4.3", "thesis-4.4"), "state_budgets"),
    "thesis-4.5": "sample_sizes",
    **dict.fromkeys(("thesis-4.6", "thesis-4.7"), "state_budgets"),
    **dict.fromkeys(("thesis-4.8", "thesis-4.9", "thesis-4.10", "thesis-4.11"), "errors"),
}
"""The figures that share runs, with their modules: each is an :class:`Experiment`."""

SETTING = "experiments.density.contenders:PUBLISHED"
"""The sizes at which the sources made these figures."""

OTHERS: Mapping[str, str] = {
    "turnstile": "experiments.continual.experiment:turnstile",
    "real-streams": "experiments.density.real_streams.experiment:real_streams",
    "thesis-3.4": f"{_TABLES}:figure_3_4",
    "thesis-3.5": f"{_TABLES}:figure_3_5",
    "thesis-3.6": f"{_TABLES}:figure_3_6",
    "thesis-3.7": f"{_TABLES}:figure_3_7",
    "thesis-3.8": f"{_DIABETES}:figure_3_8",
    "thesis-3.9": f"{_DIABETES}:figure_3_9",
}
"""Other experiments: each is a function of a request, and makes a reproduction."""

ALL = "all"


@cache
def experiment(name: str) -> Experiment:
    """The experiment of a name of :data:`FIGURES`."""
    found: Experiment = load(f"experiments.density.figures.{FIGURES[name]}:FIGURES")[name]
    return found


def load(path: str) -> Any:
    """The object that ``module:attribute`` names."""
    module, _, attribute = path.partition(":")
    return getattr(import_module(module), attribute)


def resolve(target: str) -> tuple[str, ...]:
    """The names of experiments that a target stands for. It is a name, a claim of the ledger, or ``all``."""
    if target == ALL:
        return (*FIGURES, *OTHERS)
    if target in FIGURES or target in OTHERS:
        return (target,)
    by_claim = {claim: name for name in FIGURES for claim in experiment(name).claims}
    if target in by_claim:
        return (by_claim[target],)
    names = (*FIGURES, *OTHERS, ALL)
    meant = suggestion(target, [*names, *by_claim], overview=f"known are {', '.join(names)}")
    raise InputError(f"unknown experiment {shown(target)}; {meant}")


def all_measured() -> tuple[str, ...]:
    """Ids of all sentences that runs decide."""
    return tuple(sentence.id for name in FIGURES for sentence in experiment(name).sentences if sentence.measured)


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
    others = {name: load(OTHERS[name]) for name in request.names if name not in FIGURES}
    # A failure here would otherwise come after all runs.
    require_folder(request.folder)
    made = _figures(request, figures, _setting(request), budget) if figures else {}
    made |= {name: make(request) for name, make in others.items()}
    found = [made[name] for name in request.names]
    if len(found) == 1:
        return found[0]
    judgements = [judgement for one in found for judgement in one.judgements]
    rows = [judgement.to_dict() for judgement in judgements]
    table = write_table(request.folder, "verdicts", tuple(rows[0]), (tuple(row.values()) for row in rows))
    return request.done(
        "The experiments, reproduced",
        judgements,
        (_write_page(request, made), table, *(path for one in found for path in one.files)),
        dict.fromkeys(budgets for one in found for budgets in one.budgets),
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
    bench.prepare_plots({key: count for one in experiments for key, count in one.plotted(setting).items()})
    own = {one.name: [found for found in judgements if found.sentence in one.sentences] for one in experiments}
    data = {one.name: one.rows(bench) for one in experiments}
    if request.progress:
        request.progress("drawing")
    quiet = replace(request, progress=None)
    calls = [
        partial(
            write_figure,
            quiet,
            one.name,
            _title(one),
            {"source": one.source, "title": one.title, "claims": list(one.claims)},
            one.sheet(setting),
            data[one.name],
            own[one.name],
        )
        for one in experiments
    ]
    # The conditions of sentences are functions made in functions, which pickle alone cannot send.
    files = all_done(calls, min(request.jobs, len(calls)), cloudpickle.dumps)
    return {
        one.name: request.done(_title(one), own[one.name], written, _budgets(data[one.name]))
        for one, written in zip(experiments, files, strict=True)
    }


def _budgets(rows: Sequence[Row]) -> tuple[str, ...]:
    """The budgets of one figure. The sources print a budget only if it is the only one."""
    known = sorted({row.epsilon for row in rows if row.epsilon is not None})
    if len(known) < 2:
        return tuple(f"budget {epsilon:g}" for epsilon in known)
    return (f"budgets {known[0]:g} to {known[-1]:g}, which the sources do not print",)


def _title(one: Experiment) -> str:
    title = f"{one.source}: {one.title}"
    return title[0].upper() + title[1:]


def _write_page(request: Request, made: Mapping[str, Reproduction]) -> Path:
    """Write ``index.html``, which needs no other file, and links to pages beside it."""
    every = [judgement for one in made.values() for judgement in one.judgements]
    place = {judgement.sentence.id: name for name, one in made.items() for judgement in one.judgements}
    page = environment("experiments.toolkit").get_template("reproduction.html.j2")
    text = page.render(
        made=made,
        judgements=worst_first(every),
        place=place,
        counts={str(verdict): sum(one.verdict is verdict for one in every) for verdict in ReproductionVerdict},
        images={name: _embedded(one) for name, one in made.items() if one.page is None},
        seed=request.seed,
        certain=how_certain(every, request.error),
        left_open=_setting(request).left_open if made.keys() & FIGURES.keys() else "",
    )
    return write_text(request.folder / "index.html", text)


def _embedded(found: Reproduction) -> str:
    (image,) = (path for path in found.files if path.suffix == ".png")
    return "data:image/png;base64," + base64.b64encode(image.read_bytes()).decode()
