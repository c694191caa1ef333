"""Making experiments anew: runs, verdicts, data, figures and a page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pan_audits.experiments.bench import Bench
from pan_audits.experiments.drawing import draw, require_drawing
from pan_audits.experiments.experiment import Experiment, Row
from pan_audits.experiments.judge import judge
from pan_audits.experiments.page import write_page
from pan_audits.experiments.registry import all_measured, experiment
from pan_audits.experiments.sentence import Judgement, Verdict
from pan_audits.experiments.setting import DEFAULT_SEED, PUBLISHED, Setting
from pan_audits.experiments.tables import Format, write_judgements, write_rows, write_verdicts
from pan_audits.statistics import DEFAULT_ERROR, ErrorBudget
from pan_estimators import InputError, require_count


@dataclass(frozen=True, kw_only=True)
class Request:
    """What is to be made.

    Attributes
    ----------
    names
        Names of experiments.
    folder
        Where the files go.
    seed
        Entropy of the streams and of all runs.
    jobs
        Worker processes; nothing depends on them.
    error
        Probability that any verdict of any sentence is wrong, asked for here or not.
    file_format
        Of the data.
    setting
        Sizes.
    progress
        Told what is being done.
    """

    names: tuple[str, ...]
    folder: Path
    seed: int = DEFAULT_SEED
    jobs: int = 1
    error: float = DEFAULT_ERROR
    file_format: Format = Format.CSV
    setting: Setting = PUBLISHED
    progress: Callable[[str], object] | None = None


@dataclass(frozen=True)
class Reproduction:
    """What was made.

    Attributes
    ----------
    judgements
        In the order of the experiments.
    files
        What was written.
    seed
        Entropy.
    error
        Probability that any verdict is wrong.
    """

    judgements: tuple[Judgement, ...]
    files: tuple[Path, ...]
    seed: int
    error: float

    def count(self, verdict: Verdict) -> int:
        """How many sentences have this verdict."""
        return sum(judgement.verdict is verdict for judgement in self.judgements)

    @property
    def decided(self) -> bool:
        """Whether no sentence is left undecided."""
        return not self.count(Verdict.UNDECIDED)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "panproof": 1,
            "seed": self.seed,
            "error": self.error,
            "counts": {str(verdict): self.count(verdict) for verdict in Verdict},
            "sentences": [judgement.to_dict() for judgement in self.judgements],
            "files": [str(path) for path in self.files],
        }


def reproduce(request: Request) -> Reproduction:
    """Make experiments anew, decide their sentences, and write data, figures and verdicts.

    Raises
    ------
    InputError
        If a parameter is out of range or the folder cannot be written.
    MissingExtraError
        If a library for figures or files is not installed: before anything is run.
    """
    require_count("the seed", request.seed, least=0)
    budget = ErrorBudget(request.error, "reproduce")
    require_drawing()
    request.file_format.require()
    try:
        request.folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise InputError(f"cannot write to {request.folder}: {problem.strerror}") from None
    experiments = [experiment(name) for name in request.names]
    bench = Bench(request.setting, request.seed, request.jobs, request.progress)
    sentences = [sentence for one in experiments for sentence in one.sentences]
    judgements = judge(sentences, bench, budget, all_measured())
    bench.prepare_plots({key: count for one in experiments for key, count in one.plotted(bench.setting).items()})
    data = {one.name: tuple(one.rows(bench)) for one in experiments}
    files = _write(request, experiments, data, judgements)
    return Reproduction(tuple(judgements), tuple(files), request.seed, request.error)


def reproduce_all(request: Request, others: Mapping[str, Callable[[Request], Reproduction]]) -> Reproduction:
    """Make the figures among the names together, and then the other targets, each by its own function."""
    figures = tuple(name for name in request.names if name not in others)
    found = [reproduce(replace(request, names=figures))] if figures else []
    found += [make(replace(request, names=(name,))) for name, make in others.items()]
    return Reproduction(
        tuple(judgement for one in found for judgement in one.judgements),
        tuple(path for one in found for path in one.files),
        request.seed,
        request.error,
    )


def _write(
    request: Request,
    experiments: Sequence[Experiment],
    data: dict[str, tuple[Row, ...]],
    judgements: Sequence[Judgement],
) -> list[Path]:
    own = {
        one.name: [judgement for judgement in judgements if judgement.sentence in one.sentences] for one in experiments
    }
    files = []
    for one in experiments:
        files.append(write_rows(request.folder, one.name, data[one.name], request.file_format))
        files.append(write_judgements(request.folder, one, own[one.name], request.seed))
    drawings = [
        (
            f"{one.source}: {one.title}",
            one.sheet(request.setting),
            data[one.name],
            own[one.name],
            request.folder,
            one.name,
        )
        for one in experiments
    ]
    if request.progress:
        request.progress("drawing")
    _draw_all(drawings, request.jobs)
    files += [request.folder / f"{one.name}.{kind}" for one in experiments for kind in ("svg", "png")]
    if len(experiments) > 1:
        files.append(write_verdicts(request.folder, judgements))
        files.append(write_page(request.folder, experiments, own, request.seed, request.error, request.setting))
    return files


def _draw_all(drawings: Sequence[tuple[Any, ...]], jobs: int) -> None:
    if jobs == 1 or len(drawings) == 1:
        for arguments in drawings:
            draw(*arguments)
        return
    from joblib import Parallel, delayed

    Parallel(n_jobs=jobs)(delayed(draw)(*arguments) for arguments in drawings)
