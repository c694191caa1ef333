"""Sites whose questions are answered on an engine: in processes of this machine, or on a Dask cluster."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from pan_audits.workers.engines import Engine
from pan_audits.workers.limits import Failure
from pan_estimators.tables.schema import Schema
from pan_estimators.tables.sites.messages import Message, Question, Recorded, require_answer
from pan_estimators.tables.sites.protocol import OverSites
from pan_estimators.tables.sites.site import SiteFile
from pan_promises.errors import InputError, shown


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
    schema
        The schema of the questions. A site with another one gives no answer.
    """

    files: Sequence[SiteFile]
    engine: Engine
    schema: Schema | None = None

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
        outcomes = dict(self.engine.run(partial(_answered, self.files[site], question, self.schema) for site in sites))
        found = []
        for number, site in enumerate(sites):
            result = outcomes[number].result
            if isinstance(result, Failure):
                raise InputError(f"site {site + 1} gave no answer: {result.sentence}")
            answer, problem = result
            if problem:
                raise InputError(f"site {site + 1}: {problem}")
            require_answer(site, question, answer)
            found.append(answer)
        return found


def _answered(file: SiteFile, question: Question, schema: Schema | None) -> tuple[Any, str]:
    """The answer, or the sentence of an input error."""
    try:
        return file.answer(question, schema), ""
    except InputError as problem:
        return None, str(problem)


def transcript_of(mechanism: OverSites, files: Sequence[SiteFile], engine: Engine) -> list[Message]:
    """The transcript of an algorithm over sites whose rows are in files."""
    if not files:
        raise InputError("there are no sites")
    if len(files) != mechanism.rule.sites:
        raise InputError(f"the algorithm has {mechanism.rule.sites} sites, got the files of {len(files)}")
    for paths in ([os.path.abspath(one.data) for one in files], [os.path.abspath(one.record) for one in files]):
        if twice := [one for one in paths if paths.count(one) > 1]:
            raise InputError(f"each site has files of its own, got {shown(twice[0])} twice")
    recorded = Recorded(OnEngine(files, engine, mechanism.schema))
    mechanism.ask(recorded)
    return recorded.messages
