"""Mean squared errors against the budget: paper, Figures 5 and 6."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from experiments.density.contenders import DWORK, OPTBERN, OURS, PPDS, Configuration
from experiments.density.figures.comparisons import (
    COINCIDE,
    NOTICEABLE,
    SIGNIFICANT,
    Place,
    errors_against_exact,
    errors_compared,
    places,
    robust,
    with_published,
)
from experiments.density.figures.curves import error_curves
from experiments.density.setting import STREAMS, UNIFORM, ZIPF, Setting
from experiments.toolkit.conditions import Condition, everywhere
from experiments.toolkit.experiment import Experiment, Row, Sheet
from experiments.toolkit.runs import Bench
from experiments.toolkit.sentence import Sentence
from pan_estimators.density.target import Target

OfSetting = Callable[[Setting, int], Condition]

AT_ALL = "at every budget, sample size and stream of the figure"

COINCIDES = (
    f"the ratio of the true MSE and the printed formula is within a factor {COINCIDE:g} {AT_ALL}: a tenth is what a "
    "marker covers in a plot over decades"
)

ROBUST = (
    f"the true MSEs on the two streams differ by at most a factor {NOTICEABLE:g} at every budget and sample size: less "
    "is hardly seen in a plot over decades"
)

STREAM_NAMES = {UNIFORM: "uniform", ZIPF: "Zipf"}


def panel_of(place: Place) -> str:
    """The panel in which a place is plotted."""
    return f"{STREAM_NAMES[place.stream]} stream, m = {place.size:,}"


def error_figure(
    name: str,
    *,
    labels: Sequence[str],
    streams: Sequence[str],
    title: str,
    source: str,
    claim: str,
    notes: str,
    sentences: tuple[Sentence, ...],
) -> Experiment:
    """A figure with a panel for each stream and sample size, and a curve for each estimator."""
    return Experiment(
        name=name,
        title=title,
        source=source,
        sentences=sentences,
        rows=partial(_rows, labels, streams),
        sheet=partial(_sheet, streams, notes),
        plotted=partial(_plotted, labels, streams),
        claims=(claim,),
    )


def coincide(labels: Sequence[str], target: Target, streams: Sequence[str] = STREAMS) -> OfSetting:
    """All of the estimators have the mean squared error that is printed."""
    return lambda setting, seed: with_published(labels, places(setting, setting.error_sizes, streams), target)


def better(
    first: Sequence[str],
    others: Sequence[str],
    high: float,
    *,
    streams: Sequence[str] = STREAMS,
    smallest: bool = False,
) -> OfSetting:
    """Each of the first has at most ``high`` times the error of each of the others, at all samples or the smallest."""

    def condition(setting: Setting, seed: int) -> Condition:
        where = places(setting, setting.error_sizes[:1] if smallest else setting.error_sizes, streams)
        return everywhere([leaf for one in first for leaf in errors_compared(one, others, where, high=high)])

    return condition


def better_than_exact(
    first: str, other: str, high: float, *, streams: Sequence[str] = STREAMS, smallest: bool = False
) -> OfSetting:
    """The same for two, where the error of the other is computed from its distribution."""

    def condition(setting: Setting, seed: int) -> Condition:
        where = places(setting, setting.error_sizes[:1] if smallest else setting.error_sizes, streams)
        return everywhere(errors_against_exact(setting, seed, first, other, where, high=high))

    return condition


def is_robust(label: str) -> OfSetting:
    """The stream does not change its error."""
    return lambda setting, seed: robust(label, setting, setting.error_sizes)


def _plotted(labels: Sequence[str], streams: Sequence[str], setting: Setting) -> dict[Configuration, int]:
    where = places(setting, setting.error_sizes, streams)
    return {place.configuration(label): setting.error_repetitions for label in labels for place in where}


def _rows(labels: Sequence[str], streams: Sequence[str], bench: Bench) -> Sequence[Row]:
    where = places(bench.setting, bench.setting.error_sizes, streams)
    return tuple(error_curves(bench, labels, [(panel_of(place), place, place.epsilon) for place in where]))


def _sheet(streams: Sequence[str], notes: str, setting: Setting) -> Sheet:
    rows = tuple(tuple(panel_of(Place(stream, 0.0, size)) for stream in streams) for size in setting.error_sizes)
    if len(streams) == 1:
        rows = (tuple(row[0] for row in rows),)
    return Sheet(rows, "privacy budget epsilon", "mean squared error about d(S)", log_y=True, notes=notes)


_SOURCE = "paper, section 6"
_COINCIDE = "The experimental and the theoretical MSE of Dwork and of OptBern coincide"

FIGURE_5 = error_figure(
    "figure-5",
    labels=(DWORK, OPTBERN),
    streams=STREAMS,
    title="Theoretical and empirical MSE of Dwork and OptBern",
    source="paper, Figure 5",
    claim="density.figure_5",
    notes="The printed formulas bound the MSE about d(S_M); the runs are compared with d(S), as in all figures.",
    sentences=(
        Sentence(
            id="figure-5.coincide-about-sample",
            source=_SOURCE,
            states=f"{_COINCIDE}; read as about d(S_M).",
            meaning=f"{COINCIDES}; the theorems are about d(S_M)",
            condition=coincide((DWORK, OPTBERN), Target.SAMPLED_DENSITY),
        ),
        Sentence(
            id="figure-5.coincide-about-stream",
            source=_SOURCE,
            states=f"{_COINCIDE}; read as about d(S).",
            meaning=f"{COINCIDES}; d(S) is what one wants to know",
            condition=coincide((DWORK, OPTBERN), Target.DENSITY),
        ),
    ),
)


def _outperforms(label: str) -> Sentence:
    return Sentence(
        id=f"figure-6.{label.lower()}-outperforms",
        source=_SOURCE,
        states=f"{label} significantly outperforms Dwork.",
        meaning=f"its true MSE is at most 1/{SIGNIFICANT:g} of Dwork's {AT_ALL}",
        condition=better((label,), (DWORK,), 1 / SIGNIFICANT),
    )


def _robust(label: str) -> Sentence:
    return Sentence(
        id=f"figure-6.{label.lower()}-robust",
        source=_SOURCE,
        states=f"{label} is robust to the distribution of the stream: uniform and Zipf differ insignificantly.",
        meaning=ROBUST,
        condition=is_robust(label),
    )


_NOTICEABLY_BETTER = "PPDS is noticeably better than OptBern if the stream is sparse and the sample small"
_NOTICEABLY = (
    f"the true MSE of PPDS is at most 1/{NOTICEABLE:g} of OptBern's, which such a plot shows (OptBern's is computed "
    "from its distribution: one ratio is close to the limit)"
)

FIGURE_6 = error_figure(
    "figure-6",
    labels=(DWORK, OPTBERN, PPDS, *OURS),
    streams=STREAMS,
    title="Empirical MSE of the three estimators",
    source="paper, Figure 6",
    claim="density.figure_6",
    notes="Added: the calibrated estimator, which keeps the joint promise of 2 epsilon that the others "
    "break, with as many sampled users, and with as many bits as OptBern and the ids of its sample.",
    sentences=(
        _outperforms(OPTBERN),
        _outperforms(PPDS),
        *(_robust(label) for label in (DWORK, OPTBERN, PPDS)),
        Sentence(
            id="figure-6.ppds-better",
            source=_SOURCE,
            states=f"{_NOTICEABLY_BETTER}; read as: both at once.",
            meaning=f"{_NOTICEABLY}, on the Zipf stream with the smaller sample, at every budget",
            condition=better_than_exact(PPDS, OPTBERN, 1 / NOTICEABLE, streams=(ZIPF,), smallest=True),
        ),
        Sentence(
            id="figure-6.ppds-better-if-sparse",
            source=_SOURCE,
            states=f"{_NOTICEABLY_BETTER}; read as: whenever sparse.",
            meaning=f"{_NOTICEABLY}, on the Zipf stream with both samples, at every budget",
            condition=better_than_exact(PPDS, OPTBERN, 1 / NOTICEABLE, streams=(ZIPF,)),
        ),
        Sentence(
            id="figure-6.ppds-better-if-small",
            source=_SOURCE,
            states=f"{_NOTICEABLY_BETTER}; read as: whenever small.",
            meaning=f"{_NOTICEABLY}, on both streams with the smaller sample, at every budget",
            condition=better_than_exact(PPDS, OPTBERN, 1 / NOTICEABLE, smallest=True),
        ),
    ),
)
