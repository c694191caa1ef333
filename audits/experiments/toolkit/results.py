"""The request of a reproduction, its result, and the files of an experiment: data, verdicts, drawings and pages."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

from experiments.toolkit.figures import COLUMNS, Drawing, Row, Sheet, draw
from experiments.toolkit.runs import DEFAULT_SEED, Setting
from experiments.toolkit.sentence import Judgement, ReproductionVerdict
from pan_audits.reports.pages import environment
from pan_audits.statistics import DEFAULT_ERROR
from pan_promises.errors import InputError


@dataclass(frozen=True, kw_only=True)
class Request:
    """The targets.

    Attributes
    ----------
    names
        Names of experiments.
    folder
        The folder of the files.
    seed
        Entropy of the streams and of all runs.
    jobs
        Worker processes; the result does not depend on them.
    error
        Probability that the verdict on any sentence is wrong, requested or not.
    setting
        Sizes; by default those of the sources.
    progress
        Called with the current step, in words.
    """

    names: tuple[str, ...]
    folder: Path
    seed: int = DEFAULT_SEED
    jobs: int = 1
    error: float = DEFAULT_ERROR
    setting: Setting | None = None
    progress: Callable[[str], object] | None = None

    def done(
        self, title: str, judgements: Iterable[Judgement], files: Iterable[Path], budgets: Iterable[str]
    ) -> Reproduction:
        """The result of this request."""
        return Reproduction(
            title=title,
            judgements=tuple(judgements),
            files=tuple(files),
            seed=self.seed,
            error=self.error,
            budgets=tuple(budgets),
        )


@dataclass(frozen=True, kw_only=True)
class Reproduction:
    """The finished experiments.

    Attributes
    ----------
    title
        The request.
    judgements
        In the order of the experiments.
    files
        The written files, the page first if there is one.
    seed
        Entropy.
    error
        Probability that any verdict is wrong.
    budgets
        The budgets, in words.
    """

    title: str
    judgements: tuple[Judgement, ...]
    files: tuple[Path, ...]
    seed: int
    error: float
    budgets: tuple[str, ...] = ()

    @property
    def page(self) -> Path | None:
        """The page of the reproduction, if one was written."""
        return self.files[0] if self.files and self.files[0].suffix == ".html" else None

    def count(self, verdict: ReproductionVerdict) -> int:
        """The number of sentences with this verdict."""
        return sum(judgement.verdict is verdict for judgement in self.judgements)

    @property
    def decided(self) -> bool:
        """Whether no sentence is left undecided."""
        return not self.count(ReproductionVerdict.UNDECIDED)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "panproof": 1,
            "seed": self.seed,
            "error": self.error,
            "budgets": list(self.budgets),
            "counts": {str(verdict): self.count(verdict) for verdict in ReproductionVerdict},
            "sentences": [judgement.to_dict() for judgement in self.judgements],
            "files": [str(path) for path in self.files],
        }


def write_figure(
    request: Request,
    name: str,
    title: str,
    about: Mapping[str, Any],
    sheet: Sheet,
    rows: Sequence[Row],
    judgements: Sequence[Judgement],
    *,
    unseen: Sequence[str] = (),
) -> tuple[Path, ...]:
    """Draw a figure, and write its data and its verdicts. Some series are in the data alone."""
    folder = request.folder
    folder.mkdir(parents=True, exist_ok=True)
    draw(title, sheet, [row for row in rows if row.series not in unseen], judgements, folder, name)
    return (
        *(folder / f"{name}.{kind}" for kind in ("svg", "png")),
        write_table(folder, name, COLUMNS, map(astuple, rows)),
        write_judgements(request, name, {"figure": name, **about}, judgements),
    )


Tables = Mapping[str, tuple[Sequence[str], Iterable[Sequence[Any]]]]
"""The columns and the rows of each table."""


def write_page(
    request: Request,
    name: str,
    title: str,
    package: str,
    drawn: Iterable[Drawing],
    tables: Tables,
    judgements: Sequence[Judgement],
    **values: Any,
) -> tuple[Path, ...]:
    """Write the page of an experiment, which needs no other file, its figures, its data and its verdicts."""
    folder = request.folder
    folder.mkdir(parents=True, exist_ok=True)
    kept = sum(one.verdict is ReproductionVerdict.REPRODUCED for one in judgements)
    known = {"title": title, "judgements": judgements, "kept": kept, "seed": request.seed}
    page = environment(package).get_template(f"{name}.html.j2").render(**known, **values)
    return (
        write_text(folder / f"{name}.html", page),
        *(write_text(folder / f"{name}-{figure.name}.svg", figure.svg) for figure in drawn),
        *(write_table(folder, f"{name}-{table}", *content) for table, content in tables.items()),
        write_judgements(request, name, {"title": title}, judgements),
    )


def write_table(folder: Path, name: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Path:
    """Write a table. ``None`` is empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return write_text(folder / f"{name}.csv", text.getvalue())


def write_judgements(request: Request, name: str, about: Mapping[str, Any], judgements: Sequence[Judgement]) -> Path:
    """Write the verdicts of an experiment as JSON, after its description."""
    sentences = [judgement.to_dict() for judgement in judgements]
    content = {"panproof": 1, **about, "seed": request.seed, "sentences": sentences}
    return write_text(request.folder / f"{name}.json", json.dumps(content, indent=2, allow_nan=False) + "\n")


def write_text(path: Path, text: str) -> Path:
    """Write a file; :class:`InputError` if that cannot be done."""
    try:
        path.write_text(text, encoding="utf-8", newline="")
    except OSError as problem:
        raise InputError(f"cannot write {path}: {problem.strerror or problem}") from None
    return path
