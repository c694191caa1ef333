"""What an experiment on real streams hands back: sentences with their verdicts, and the files it wrote."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any


class Reproduced(StrEnum):
    """Whether a statement of a source holds where it was tried."""

    REPRODUCED = "REPRODUCED"
    NOT_REPRODUCED = "NOT_REPRODUCED"


@dataclass(frozen=True)
class Sentence:
    """One statement, tried on one stream.

    Attributes
    ----------
    stream, estimator
        Where it was tried.
    claim
        Its id in the list of claims.
    statement
        What is stated.
    found
        What is the case.
    promised, loss
        The promise for state and outputs jointly, and what was found to be lost, in nats.
    verdict
        Whether it holds.
    """

    stream: str
    estimator: str
    claim: str
    statement: str
    found: str
    promised: float
    loss: float
    verdict: Reproduced

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "stream": self.stream,
            "estimator": self.estimator,
            "claim": self.claim,
            "statement": self.statement,
            "found": self.found,
            "promised": self.promised,
            "loss": self.loss,
            "verdict": str(self.verdict),
        }


@dataclass(frozen=True)
class Result:
    """The result of an experiment.

    Attributes
    ----------
    sentences
        What was judged.
    page
        The page with all plots.
    files
        All files that were written, the page included.
    """

    sentences: tuple[Sentence, ...]
    page: Path
    files: tuple[Path, ...]
