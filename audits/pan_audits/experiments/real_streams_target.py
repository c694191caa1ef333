"""The target ``real-streams``: what estimators publish on real streams, and what an intruder learns meanwhile."""

from __future__ import annotations

import json

from pan_audits.experiments.conditions import Fact, everywhere
from pan_audits.experiments.real_streams.experiment import real_streams
from pan_audits.experiments.real_streams.result import Reproduced
from pan_audits.experiments.real_streams.result import Sentence as Tried
from pan_audits.experiments.reproduction import Reproduction, Request
from pan_audits.experiments.sentence import Judgement, Sentence, Verdict
from pan_audits.experiments.tables import Format
from pan_estimators import InputError

NAME = "real-streams"


def reproduce_real_streams(request: Request) -> Reproduction:
    """Write the page on the real streams, with its data, and judge the promises; all is computed from exact laws.

    Raises
    ------
    InputError
        For another format than CSV: its data are many tables.
    """
    if request.file_format is not Format.CSV:
        raise InputError(f"the tables of {NAME} are CSV files; leave out --format")
    if request.progress:
        request.progress(NAME)
    made = real_streams(request.folder, seed=request.seed, jobs=request.jobs)
    judgements = tuple(map(_judgement, made.sentences))
    verdicts = request.folder / f"{NAME}.json"
    content = {"panproof": 1, "seed": request.seed, "sentences": [one.to_dict() for one in judgements]}
    verdicts.write_text(json.dumps(content, indent=2, allow_nan=False) + "\n")
    return Reproduction(judgements, (*made.files, verdicts), request.seed, request.error)


def _judgement(tried: Tried) -> Judgement:
    holds = tried.verdict is Reproduced.REPRODUCED
    where = f"{tried.estimator} on {tried.stream}"
    fact = Fact(where, "loss over the promised one", holds, tried.loss / tried.promised, high=1)
    sentence = Sentence(
        id=f"{NAME}.{tried.stream}.{tried.estimator}",
        source=tried.claim,
        states=tried.statement,
        meaning="the exact worst loss over all patterns of the user's appearances is at most the promised one",
        condition=lambda setting, seed: everywhere([fact]),
        measured=False,
    )
    verdict = Verdict.REPRODUCED if holds else Verdict.NOT_REPRODUCED
    return Judgement(sentence, verdict, tried.found, points=1, holding=holds, failing=not holds, runs=0, error=0.0)
