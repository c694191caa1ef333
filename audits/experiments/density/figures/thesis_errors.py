"""Mean squared errors of five estimators against the budget: thesis, Figures 4.8 and 4.9."""

from __future__ import annotations

from functools import partial

from experiments.density.contenders import DWORK, GAUSS, LAPLACE, OPTBERN, OURS, QLAP
from experiments.density.figures.comparisons import (
    COINCIDE,
    NOTICEABLE,
    Place,
    coincides,
    exact_error,
    places,
)
from experiments.density.figures.curves import density_sentences
from experiments.density.figures.squared_errors import (
    AT_ALL,
    COINCIDES,
    ROBUST,
    STREAM_NAMES,
    better,
    coincide,
    error_figure,
    is_robust,
)
from experiments.density.setting import UNIFORM, ZIPF, Setting
from experiments.toolkit.conditions import Condition, Fact, everywhere
from experiments.toolkit.sentence import Sentence
from pan_estimators.density.target import Target

_SOURCE = "thesis, section 4.5"
_ALL = (DWORK, OPTBERN, QLAP, LAPLACE, GAUSS)
_WITH_FORMULA = (DWORK, OPTBERN, QLAP, LAPLACE)
_PROPOSED = (OPTBERN, QLAP, LAPLACE, GAUSS)
_BINARY, _CONTINUOUS = (OPTBERN, QLAP), (LAPLACE, GAUSS)
_NOTES = (
    "The sample sizes are not printed in what is left of the figures: those of the paper. Gauss is a reconstruction: "
    "cells truncated to [0, 1], means at its ends, and the variance that uses the whole budget."
)


def _gauss_coincides(stream: str, setting: Setting, seed: int) -> Condition:
    def theory(place: Place) -> float:
        return exact_error(setting, seed, GAUSS, place, Target.SAMPLED_DENSITY)

    where = places(setting, setting.error_sizes, (stream,))
    return coincides(GAUSS, theory, "exact about d(S_M)", where, Target.DENSITY)


def _best(stream: str, setting: Setting, seed: int) -> Condition:
    """By their exact errors OptBern is below all others: some differ too little for a comparison by runs."""
    facts = []
    for place in places(setting, setting.error_sizes, (stream,)):
        own, *rest = (exact_error(setting, seed, label, place) for label in (OPTBERN, DWORK, QLAP, LAPLACE, GAUSS))
        largest = own / min(rest)
        facts.append(Fact(place.describe(), "exact MSE OptBern / best of the others", largest < 1, largest, high=1))
    return everywhere(facts)


_COINCIDES = (
    f"{COINCIDES}; of qLap nothing is printed but that it is a Bernoulli estimator: the bound for such estimators with "
    "its gap is taken"
)


def _sentences(figure: str, stream: str) -> tuple[Sentence, ...]:
    on = f"on the {STREAM_NAMES[stream]} stream"
    streams = (stream,)
    coincides_on = f"The experimental and the theoretical MSE of all but Gauss coincide {on}"
    noticeably = f"at most 1/{NOTICEABLE:g} of the true MSE"
    return (
        Sentence(
            id=f"{figure}.coincide-about-sample",
            source=_SOURCE,
            states=f"{coincides_on}; read as about d(S_M).",
            meaning=_COINCIDES,
            condition=coincide(_WITH_FORMULA, Target.SAMPLED_DENSITY, streams),
        ),
        Sentence(
            id=f"{figure}.coincide-about-stream",
            source=_SOURCE,
            states=f"{coincides_on}; read as about d(S).",
            meaning=_COINCIDES,
            condition=coincide(_WITH_FORMULA, Target.DENSITY, streams),
        ),
        Sentence(
            id=f"{figure}.gauss-coincides",
            source=_SOURCE,
            states=f"The experimental and the theoretical MSE of Gauss coincide {on}.",
            meaning=f"the true MSE about d(S) is within a factor {COINCIDE:g} of the exact MSE about d(S_M) of the "
            f"reconstruction {AT_ALL}: no formula is printed",
            condition=partial(_gauss_coincides, stream),
        ),
        Sentence(
            id=f"{figure}.superior",
            source=_SOURCE,
            states=f"All proposed algorithms are superior to Dwork's {on}.",
            meaning=f"the true MSE of each is below Dwork's {AT_ALL}",
            condition=better(_PROPOSED, (DWORK,), 1.0, streams=streams),
        ),
        Sentence(
            id=f"{figure}.binary-beat-continuous",
            source=_SOURCE,
            states=f"The binary OptBern and qLap clearly beat the continuous Laplace and Gauss {on}.",
            meaning=f"each of the two has {noticeably} of each of the other two {AT_ALL}",
            condition=better(_BINARY, _CONTINUOUS, 1 / NOTICEABLE, streams=streams),
        ),
        Sentence(
            id=f"{figure}.optbern-is-best",
            source="thesis, section 4.6",
            states=f"OptBern is the algorithm of choice by the results {on}.",
            meaning=f"its exact MSE about d(S) is below that of the four others {AT_ALL}; computed, since it differs "
            "from that of qLap by less than runs can tell at small budgets",
            condition=partial(_best, stream),
            measured=False,
        ),
    )


def _robust(label: str) -> Sentence:
    return Sentence(
        id=f"thesis-4.9.{label.lower()}-robust",
        source=_SOURCE,
        states=f"{label} is robust to the distribution of the stream: uniform and Zipf differ insignificantly.",
        meaning=ROBUST,
        condition=is_robust(label),
    )


FIGURE_4_8 = error_figure(
    "thesis-4.8",
    labels=(*_ALL, *OURS),
    streams=(UNIFORM,),
    title="MSE of five estimators, uniform stream",
    source="thesis, Figure 4.8",
    claim="thesis.figure_4_8",
    notes=_NOTES,
    sentences=(*density_sentences("thesis-4.8", _SOURCE), *_sentences("thesis-4.8", UNIFORM)),
)

FIGURE_4_9 = error_figure(
    "thesis-4.9",
    labels=(*_ALL, *OURS),
    streams=(ZIPF,),
    title="MSE of five estimators, Zipf stream",
    source="thesis, Figure 4.9",
    claim="thesis.figure_4_9",
    notes=_NOTES,
    sentences=(*_sentences("thesis-4.9", ZIPF), *(_robust(label) for label in _ALL)),
)
