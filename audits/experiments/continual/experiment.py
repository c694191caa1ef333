"""The experiment ``turnstile``: the errors of the counters, the attacks, and counts of real streams over time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from experiments.continual.drawing import draw_all, style
from experiments.continual.sentences import NAME, judged
from experiments.continual.setting import WHOLE, Scale
from experiments.continual.study import Study, make_study
from experiments.toolkit.drawing import Drawn, write_pictures
from experiments.toolkit.request import Reproduction, Request
from experiments.toolkit.sentence import Judgement, ReproductionVerdict
from experiments.toolkit.tables import write_judgements, write_table
from pan_audits.reports.pages import environment, require_figures
from pan_estimators.streams.turnstile import load_turnstile_stream

TITLE = "Counts of present elements, continually"
_COLUMNS = (
    "counter",
    "stream",
    "adjacency",
    "steps",
    "changes",
    "rho",
    "rmse",
    "largest",
    "stated",
    "stated_largest",
    "always_zero",
    "runs",
)


def turnstile(request: Request, *, scale: Scale = WHOLE) -> Reproduction:
    """Measure the counters, attack them, judge the sentences, and write a page."""
    require_figures("drawing figures")
    study = make_study(scale, request.seed, request.progress)
    found = judged(study, request.error)
    with style():
        drawn = draw_all(study)
    folder = request.folder
    folder.mkdir(parents=True, exist_ok=True)
    page = _write_page(study, drawn, found, folder, error=request.error)
    pictures = write_pictures(folder, NAME, drawn)
    tables = (
        write_table(folder, f"{NAME}-errors", _COLUMNS, _rows(study), request.file_format),
        write_table(folder, f"{NAME}-attacks", _ATTACKS, _attacked(study), request.file_format),
    )
    verdicts = write_judgements(folder, NAME, {"title": TITLE}, found, request.seed)
    return Reproduction(
        title=TITLE,
        judgements=found,
        files=(page, *pictures, *tables, verdicts),
        seed=request.seed,
        error=request.error,
        budgets=(f"rho {scale.budgets[0]:g} to {scale.budgets[-1]:g} for counters",),
    )


_ATTACKS = ("counter", "promised_rho", "reduction", "bits", "recovered", "steps", "counter_error", "by_chance")


def _rows(study: Study) -> Iterator[tuple[Any, ...]]:
    for one in (*study.synthetic, *study.real):
        yield tuple(getattr(one, column) for column in _COLUMNS)


def _attacked(study: Study) -> Iterator[tuple[Any, ...]]:
    for one in study.attacks:
        found = one.attack
        yield (
            one.counter,
            one.promised,
            str(found.reduction),
            found.bits,
            found.recovered,
            found.steps,
            found.counter_error,
            found.by_chance,
        )


def _write_page(
    study: Study, drawn: tuple[Drawn, ...], found: tuple[Judgement, ...], folder: Path, *, error: float
) -> Path:
    page = folder / f"{NAME}.html"
    names = sorted({name.partition(" by ")[0] for work in study.workloads for name in (work.name,)})
    page.write_text(
        environment("experiments.continual")
        .get_template("turnstile.html.j2")
        .render(
            title=TITLE,
            judgements=found,
            kept=sum(one.verdict is ReproductionVerdict.REPRODUCED for one in found),
            figures=drawn,
            errors=[one for one in (*study.synthetic, *study.real) if one.rho == study.scale.budget],
            attacks=study.attacks,
            budget=study.scale.budget,
            error=error,
            seed=study.seed,
            attributions=[load_turnstile_stream(name).attribution for name in names],
        ),
        encoding="utf-8",
    )
    return page
