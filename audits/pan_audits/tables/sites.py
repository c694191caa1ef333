"""Sites whose questions are answered on an engine: in processes of this machine, or on a Dask cluster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from pan_audits.workers.engines import Engine
from pan_audits.workers.limits import Failure
from pan_estimators.tables.sites.messages import Message, Question, Recorded
from pan_estimators.tables.sites.protocol import OverSites
from pan_estimators.tables.sites.site_file import SiteFile
from pan_promises.errors import InputError


@dataclass(frozen=True, eq=False)
class OnEngine:
    """A channel to sites as files. The process of the analyst reads no rows: it receives answers alone.

    All sites answer a question at the same time, as far as the engine has workers. An engine sends a task again if its
    worker dies. The site then repeats its answer if it has written one, and spends no budget twice.

    Attributes
    ----------
    files
        The sites.
    engine
        The engine.
    """

    files: Sequence[SiteFile]
    engine: Engine

    @property
    def sites(self) -> int:
        """The number of sites."""
        return len(self.files)

    def ask(self, site: int, question: Question) -> Any:
        """The answer of a site."""
        return self._answers([site], question)[0]

    def every(self, question: Question) -> list[Any]:
        """The answers of all sites."""
        return self._answers(range(self.sites), question)

    def _answers(self, sites: Sequence[int], question: Question) -> list[Any]:
        outcomes = dict(self.engine.run(partial(_answered, self.files[site], question) for site in sites))
        found = []
        for number, site in enumerate(sites):
            result = outcomes[number].result
            if isinstance(result, Failure):
                raise InputError(f"site {site + 1} gave no answer: {result.sentence}")
            answer, problem = result
            if problem:
                raise InputError(f"site {site + 1}: {problem}")
            found.append(answer)
        return found


def _answered(file: SiteFile, question: Question) -> tuple[Any, str]:
    """The answer, or the sentence of an input error."""
    try:
        return file.answer(question), ""
    except InputError as problem:
        return None, str(problem)


def transcript_of(mechanism: OverSites, files: Sequence[SiteFile], engine: Engine) -> list[Message]:
    """The transcript of an algorithm over sites whose rows are in files.

    Parameters
    ----------
    mechanism
        The algorithm.
    files
        The sites.
    engine
        The engine, as of :func:`pan_audits.workers.engines.open_engine`.

    Raises
    ------
    InputError
        If there is no site, a site cannot answer, or its budget is spent.
    """
    if not files:
        raise InputError("there are no sites")
    recorded = Recorded(OnEngine(files, engine))
    mechanism.ask(recorded)
    return recorded.messages
