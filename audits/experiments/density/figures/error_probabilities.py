"""Probabilities of error against the budget: paper, Figure 4; thesis, Figures 4.10 and 4.11."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from experiments.density.contenders import (
    DWORK,
    GAUSS,
    LAPLACE,
    OPTBERN,
    OURS,
    QLAP,
    STREAMS,
    STYLES,
    UNIFORM,
    ZIPF,
    Setting,
)
from experiments.density.figures.comparisons import (
    SIGNIFICANT,
    STREAM_NAMES,
    Place,
    bounds_in_theory,
    bounds_not_tight,
    density_sentences,
    measured_figure,
    places,
    probabilities_compared,
)
from experiments.toolkit.conditions import Condition, everywhere
from experiments.toolkit.figures import Experiment, Sheet
from experiments.toolkit.quantities import ProbabilityOfError
from experiments.toolkit.sentence import Sentence

_PAPER, _THESIS = "paper, section 6", "thesis, section 4.5"
_BOUNDS = (
    f"the true probability is at most 1/{SIGNIFICANT:g} of the tightest bound at every budget, estimator and stream"
)
_PRINTED = "Even the tightest bounds are significantly larger than all plotted probabilities of error"
_NOTES = "The bounds are plotted as numbers, though a probability is at most 1 anyway."


def _below(
    pairs: Sequence[tuple[str, Sequence[str]]], streams: Sequence[str], setting: Setting, seed: int
) -> Condition:
    """The first of each pair has the lower probability of error."""
    where = places(setting, (setting.probability_size,), streams)
    return everywhere([leaf for first, others in pairs for leaf in probabilities_compared(first, others, where)])


def _loose(labels: Sequence[str], streams: Sequence[str], capped: bool, setting: Setting, seed: int) -> Condition:
    where = places(setting, (setting.probability_size,), streams)
    return bounds_not_tight(labels, where, setting.alpha, capped=capped)


def _not_tight(figure: str, source: str, labels: Sequence[str], streams: Sequence[str]) -> tuple[Sentence, ...]:
    return (
        Sentence(
            id=f"{figure}.bounds-not-tight",
            source=source,
            states=f"{_PRINTED}; read as numbers.",
            meaning=_BOUNDS + ", a bound above 1 being taken as the number that it is",
            condition=partial(_loose, labels, streams, False),
        ),
        Sentence(
            id=f"{figure}.bounds-not-tight-as-probabilities",
            source=source,
            states=f"{_PRINTED}; read as 1 at most.",
            meaning=_BOUNDS + ", a bound above 1 being counted as 1",
            condition=partial(_loose, labels, streams, True),
        ),
    )


def _panel(stream: str) -> str:
    return f"{STREAM_NAMES[stream]} stream"


def _points(streams: Sequence[str], setting: Setting) -> list[tuple[str, Place, float]]:
    where = places(setting, (setting.probability_size,), streams)
    return [(_panel(place.stream), place, place.epsilon) for place in where]


def _figure(
    name: str,
    labels: Sequence[str],
    streams: Sequence[str],
    sentences: tuple[Sentence, ...],
    notes: str = _NOTES,
    **about: str,
) -> Experiment:
    def sheet(setting: Setting) -> Sheet:
        return Sheet(
            (tuple(map(_panel, streams)),),
            "privacy budget epsilon",
            f"P(|output - d(S)| >= {setting.alpha:g})",
            log_y=True,
            y_limits=(0.5 / setting.probability_repetitions, 4.0),
            notes=f"m = {setting.probability_size:,}. {notes}",
            styles=STYLES,
        )

    return measured_figure(
        name,
        (*labels, *OURS),
        partial(_points, streams),
        ProbabilityOfError,
        bounds_in_theory,
        lambda setting: setting.probability_repetitions,
        sheet,
        sentences,
        **about,
    )


FIGURE_4 = _figure(
    "figure-4",
    (DWORK, OPTBERN),
    STREAMS,
    (
        *density_sentences("figure-4", _PAPER),
        Sentence(
            id="figure-4.superior",
            source=_PAPER,
            states="OptBern is superior, whatever the distribution of the stream.",
            meaning="its true probability of error is below Dwork's at every budget on both streams",
            condition=partial(_below, ((OPTBERN, (DWORK,)),), STREAMS),
        ),
        *_not_tight("figure-4", _PAPER, (DWORK, OPTBERN), STREAMS),
    ),
    title="Probability of error of Dwork and OptBern",
    source="paper, Figure 4",
    claim="density.figure_4",
)


def _of_thesis(name: str, stream: str, source: str, claim: str) -> Experiment:
    ranking = ((OPTBERN, (LAPLACE, GAUSS)), (QLAP, (LAPLACE, GAUSS)), (LAPLACE, (DWORK,)), (GAUSS, (DWORK,)))
    return _figure(
        name,
        (DWORK, OPTBERN, QLAP, LAPLACE, GAUSS),
        (stream,),
        (
            Sentence(
                id=f"{name}.same-ranking",
                source=_THESIS,
                states="The probability of error ranks as the MSE did: binary algorithms, continuous ones, Dwork's.",
                meaning="the true probabilities of OptBern and qLap are below those of Laplace and Gauss, and these "
                "below Dwork's, at every budget",
                condition=partial(_below, ranking, (stream,)),
            ),
            *_not_tight(name, _THESIS, (DWORK, OPTBERN, LAPLACE), (stream,)),
        ),
        title=f"Probability of error of five estimators, {STREAM_NAMES[stream]} stream",
        source=source,
        claim=claim,
        notes=f"Sample size and alpha are not printed in what is left of the figure: those of the paper. {_NOTES}",
    )


FIGURE_4_10 = _of_thesis("thesis-4.10", UNIFORM, "thesis, Figure 4.10", "thesis.figure_4_10")
FIGURE_4_11 = _of_thesis("thesis-4.11", ZIPF, "thesis, Figure 4.11", "thesis.figure_4_11")
