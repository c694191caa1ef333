"""The request of a reproduction, and its result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.toolkit.runs import DEFAULT_SEED, Setting
from experiments.toolkit.sentence import Judgement, ReproductionVerdict
from pan_audits.statistics import DEFAULT_ERROR


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
