"""The common parts of the figures of mean squared errors against the budget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from experiments.density.configuration import Configuration
from experiments.density.figures.comparisons import (
    COINCIDE,
    NOTICEABLE,
    Place,
    errors_against_exact,
    errors_compared,
    places,
    robust,
    with_published,
)
from experiments.density.figures.curves import error_curves
from experiments.density.setting import STREAMS, UNIFORM, ZIPF, Setting
from experiments.toolkit.bench import Bench
from experiments.toolkit.conditions import Condition, everywhere
from experiments.toolkit.experiment import Experiment, Row, Sheet
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
    """The same for two, where the error of the other is computed from its law."""

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
