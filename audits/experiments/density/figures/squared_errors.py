"""Mean squared errors against the budget and the sample size: paper, Figures 5 to 7; thesis, Figures 4.8 and 4.9."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise

from experiments.density.contenders import (
    DWORK,
    GAUSS,
    LAPLACE,
    OPTBERN,
    OURS,
    PPDS,
    QLAP,
    STREAMS,
    STYLES,
    UNIFORM,
    ZIPF,
    Setting,
    fixed_stream,
)
from experiments.density.exact_moments import chance_of_filling
from experiments.density.figures.comparisons import (
    COINCIDE,
    NOTICEABLE,
    SIGNIFICANT,
    STREAM_NAMES,
    OfSetting,
    Place,
    coincides,
    density_sentences,
    errors_against_exact,
    errors_compared,
    errors_in_theory,
    exact_error,
    measured_figure,
    places,
    robust,
    squared_error,
    with_published,
)
from experiments.toolkit.conditions import AllOf, AnyOf, Condition, Fact, Within, everywhere
from experiments.toolkit.figures import Experiment, Sheet
from experiments.toolkit.quantities import DistanceOfDistributions, MeanSquaredError, Ratio, RatioOfSums
from experiments.toolkit.sentence import Sentence
from pan_estimators.density.target import Target

_AT_ALL = "at every budget, sample size and stream of the figure"

_AS_PRINTED = (
    f"the ratio of the true MSE and the printed formula is within a factor {COINCIDE:g} {_AT_ALL}: a tenth is what a "
    "marker covers in a plot over decades"
)

_ROBUST = (
    f"the true MSEs on the two streams differ by at most a factor {NOTICEABLE:g} at every budget and sample size: less "
    "is hardly seen in a plot over decades"
)

Where = Callable[[Setting], Sequence[Place]]


def _places(streams: Sequence[str] = STREAMS, *, smallest: bool = False) -> Where:
    """All budgets at all samples, or at the smallest."""
    return lambda setting: places(setting, setting.error_sizes[:1] if smallest else setting.error_sizes, streams)


def _panel_of(place: Place) -> str:
    return f"{STREAM_NAMES[place.stream]} stream, m = {place.size:,}"


def _figure(
    name: str,
    labels: Sequence[str],
    streams: Sequence[str],
    sentences: tuple[Sentence, ...],
    notes: str,
    **about: str,
) -> Experiment:
    """A figure with a panel for each stream and sample size, and a curve for each estimator."""

    def sheet(setting: Setting) -> Sheet:
        rows = tuple(tuple(_panel_of(Place(stream, 0.0, size)) for stream in streams) for size in setting.error_sizes)
        if len(streams) == 1:
            rows = (tuple(row[0] for row in rows),)
        label = "mean squared error about d(S)"
        return Sheet(rows, "privacy budget epsilon", label, log_y=True, notes=notes, styles=STYLES)

    return measured_figure(
        name,
        labels,
        lambda setting: [(_panel_of(place), place, place.epsilon) for place in _places(streams)(setting)],
        squared_error,
        errors_in_theory,
        lambda setting: setting.error_repetitions,
        sheet,
        sentences,
        **about,
    )


def _coincide(labels: Sequence[str], target: Target, streams: Sequence[str] = STREAMS) -> OfSetting:
    """All of the estimators have the mean squared error that is printed."""
    return lambda setting, seed: with_published(labels, _places(streams)(setting), target)


def _better(first: Sequence[str], others: Sequence[str], high: float, where: Where) -> OfSetting:
    """Each of the first has at most ``high`` times the error of each of the others."""
    return lambda setting, seed: everywhere(
        [leaf for one in first for leaf in errors_compared(one, others, where(setting), high=high)]
    )


def _noticeably_better(where: Where) -> OfSetting:
    """PPDS is noticeably better than OptBern, whose error is computed from its distribution."""
    return lambda setting, seed: everywhere(
        errors_against_exact(setting, seed, PPDS, OPTBERN, where(setting), high=1 / NOTICEABLE)
    )


_SOURCE = "paper, section 6"
_COINCIDE = "The experimental and the theoretical MSE of Dwork and of OptBern coincide"

FIGURE_5 = _figure(
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
            meaning=f"{_AS_PRINTED}; the theorems are about d(S_M)",
            condition=_coincide((DWORK, OPTBERN), Target.SAMPLED_DENSITY),
        ),
        Sentence(
            id="figure-5.coincide-about-stream",
            source=_SOURCE,
            states=f"{_COINCIDE}; read as about d(S).",
            meaning=f"{_AS_PRINTED}; d(S) is what one wants to know",
            condition=_coincide((DWORK, OPTBERN), Target.DENSITY),
        ),
    ),
)


def _outperforms(label: str) -> Sentence:
    return Sentence(
        id=f"figure-6.{label.lower()}-outperforms",
        source=_SOURCE,
        states=f"{label} significantly outperforms Dwork.",
        meaning=f"its true MSE is at most 1/{SIGNIFICANT:g} of Dwork's {_AT_ALL}",
        condition=_better((label,), (DWORK,), 1 / SIGNIFICANT, _places()),
    )


def _robust(figure: str, source: str, label: str) -> Sentence:
    return Sentence(
        id=f"{figure}.{label.lower()}-robust",
        source=source,
        states=f"{label} is robust to the distribution of the stream: uniform and Zipf differ insignificantly.",
        meaning=_ROBUST,
        condition=lambda setting, seed: robust(label, setting, setting.error_sizes),
    )


_NOTICEABLY_BETTER = "PPDS is noticeably better than OptBern if the stream is sparse and the sample small"
_NOTICEABLY = (
    f"the true MSE of PPDS is at most 1/{NOTICEABLE:g} of OptBern's, which such a plot shows (OptBern's is computed "
    "from its distribution: one ratio is close to the limit)"
)

FIGURE_6 = _figure(
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
        *(_robust("figure-6", _SOURCE, label) for label in (DWORK, OPTBERN, PPDS)),
        Sentence(
            id="figure-6.ppds-better",
            source=_SOURCE,
            states=f"{_NOTICEABLY_BETTER}; read as: both at once.",
            meaning=f"{_NOTICEABLY}, on the Zipf stream with the smaller sample, at every budget",
            condition=_noticeably_better(_places((ZIPF,), smallest=True)),
        ),
        Sentence(
            id="figure-6.ppds-better-if-sparse",
            source=_SOURCE,
            states=f"{_NOTICEABLY_BETTER}; read as: whenever sparse.",
            meaning=f"{_NOTICEABLY}, on the Zipf stream with both samples, at every budget",
            condition=_noticeably_better(_places((ZIPF,))),
        ),
        Sentence(
            id="figure-6.ppds-better-if-small",
            source=_SOURCE,
            states=f"{_NOTICEABLY_BETTER}; read as: whenever small.",
            meaning=f"{_NOTICEABLY}, on both streams with the smaller sample, at every budget",
            condition=_noticeably_better(_places(smallest=True)),
        ),
    ),
)


_OF_SWEEP = (DWORK, OPTBERN, PPDS, *OURS)
_NEAR = 0.1
"""A Kolmogorov distance below this is invisible in 300 repetitions of each: their own distance is above 0.111 in one
case of twenty if the distributions are the same."""

_NEVER = 1e-9

Compared = Callable[[Setting, int, Place, Place], Within]
"""A condition: the errors of PPDS and OptBern differ more at one place than at another."""

_CONSTANT = 0.5
"""The constant answer, which does not depend on the stream."""


def _sweep(part: slice = slice(None)) -> Where:
    """Some of the sample sizes of the sweep, on both streams."""
    return lambda setting: [
        Place(stream, setting.sweep_epsilon, size) for stream in STREAMS for size in setting.sweep_sizes[part]
    ]


def _error(label: str, place: Place) -> MeanSquaredError:
    return squared_error(place.configuration(label))


def _struggle(setting: Setting, seed: int) -> Condition:
    parts = []
    for place in _sweep(slice(1))(setting):
        constant = (fixed_stream(setting, place.stream, seed).density - _CONSTANT) ** 2
        for label in (OPTBERN, PPDS):
            ratio = Ratio((_error(label, place),), (constant,))
            parts.append(Within(place.describe(), f"MSE {label} / that of the constant 1/2", ratio, low=1.0))
    return everywhere(parts)


def _clear_somewhere(setting: Setting, seed: int) -> Condition:
    by_stream = []
    for stream in STREAMS:
        where = [place for place in _sweep(slice(1, -1))(setting) if place.stream == stream]
        better = errors_against_exact(setting, seed, PPDS, OPTBERN, where, high=1 / NOTICEABLE)
        by_stream.append(AnyOf(tuple(better)))
    return everywhere(by_stream)


def _greatest_inside(compared: Compared, setting: Setting, seed: int) -> Condition:
    """At some size between the ends the two errors are farther apart than at both ends."""
    ends = (setting.sweep_sizes[0], setting.sweep_sizes[-1])
    by_stream = []
    for stream in STREAMS:
        alternatives = []
        for size in setting.sweep_sizes[1:-1]:
            inside = Place(stream, setting.sweep_epsilon, size)
            against = [compared(setting, seed, inside, inside._replace(size=end)) for end in ends]
            alternatives.append(AllOf(tuple(against)))
        by_stream.append(AnyOf(tuple(alternatives)))
    return everywhere(by_stream)


def _relative(setting: Setting, seed: int, one: Place, other: Place) -> Within:
    """The ratio of the errors of PPDS and OptBern at one place is below that at another."""
    optbern = [exact_error(setting, seed, OPTBERN, place) for place in (one, other)]
    ratio = Ratio((_error(PPDS, one), optbern[1]), (_error(PPDS, other), optbern[0]))
    where = f"{one.stream}, m = {one.size:,} against {other.size:,}"
    return Within(where, "MSE PPDS / exact MSE OptBern, at one size against another", ratio, high=1.0)


def _farther(setting: Setting, seed: int, one: Place, other: Place) -> Within:
    """The error of OptBern less that of PPDS is larger at one place than at another.

    Without a difference: ``O1 - P1 >= O2 - P2`` if and only if ``(O1 + P2)/(P1 + O2) >= 1``.
    """
    optbern = [exact_error(setting, seed, OPTBERN, place) for place in (one, other)]
    ratio = RatioOfSums((optbern[0], _error(PPDS, other)), (_error(PPDS, one), optbern[1]))
    where = f"{one.stream}, m = {one.size:,} against {other.size:,}"
    what = "(exact MSE OptBern at one size + MSE PPDS at another) / the same with the sizes exchanged"
    return Within(where, what, ratio, low=1.0)


def _improves(setting: Setting, seed: int) -> Condition:
    parts = []
    for stream in STREAMS:
        for smaller, larger in pairwise(Place(stream, setting.sweep_epsilon, size) for size in setting.sweep_sizes):
            ratio = Ratio((_error(OPTBERN, larger),), (_error(OPTBERN, smaller),))
            parts.append(
                Within(
                    f"{stream}, from m = {smaller.size:,} to {larger.size:,}",
                    "MSE OptBern, larger sample / smaller",
                    ratio,
                    high=1.0,
                )
            )
    return everywhere(parts)


def _meets(setting: Setting, seed: int) -> list[Within]:
    where = _sweep(slice(-1, None))(setting)
    return errors_against_exact(setting, seed, PPDS, OPTBERN, where, low=1 / COINCIDE, high=COINCIDE)


def _converges(setting: Setting, seed: int) -> Condition:
    return everywhere(_meets(setting, seed))


def _approaches(setting: Setting, seed: int) -> Condition:
    """After the largest gap, every larger sample brings OptBern nearer to PPDS: the last three steps."""
    parts = []
    for stream in STREAMS:
        last = [Place(stream, setting.sweep_epsilon, size) for size in setting.sweep_sizes[-4:]]
        # OptBern's error over that of PPDS falls if the inverse of the ratio rises.
        parts += [_relative(setting, seed, smaller, larger) for smaller, larger in pairwise(last)]
    return everywhere(parts)


def _identical(setting: Setting, seed: int) -> Condition:
    parts: list[Condition] = list(_meets(setting, seed))
    for place in _sweep(slice(-1, None))(setting):
        distributions = DistanceOfDistributions(place.configuration(OPTBERN), place.configuration(PPDS))
        parts.append(
            Within(
                place.describe(),
                "Kolmogorov distance of the outputs' distributions",
                Ratio((distributions,)),
                high=_NEAR,
            )
        )
        chance = chance_of_filling(setting.users, setting.length, place.size, place.epsilon)
        parts.append(
            Fact(
                place.describe(),
                "bound on the chance that the sample of PPDS is ever full",
                chance < _NEVER,
                chance,
                high=_NEVER,
            )
        )
    return everywhere(parts)


def _sweep_sheet(setting: Setting) -> Sheet:
    return Sheet(
        (tuple(f"{STREAM_NAMES[stream]} stream" for stream in STREAMS),),
        "sample size as a part of the universe",
        "mean squared error about d(S)",
        log_x=True,
        log_y=True,
        notes=f"epsilon = {setting.sweep_epsilon:g}. Added: the calibrated estimator, as in Figure 6.",
        styles=STYLES,
    )


_GREATEST = "Above a certain threshold the errors of OptBern and PPDS differ most"
_MEETING = "With a larger sample the error of OptBern converges to that of PPDS"

FIGURE_7 = measured_figure(
    "figure-7",
    _OF_SWEEP,
    lambda setting: [
        (f"{STREAM_NAMES[place.stream]} stream", place, place.size / setting.users) for place in _sweep()(setting)
    ],
    squared_error,
    errors_in_theory,
    lambda setting: setting.error_repetitions,
    _sweep_sheet,
    title="MSE of the three estimators against the sample size",
    source="paper, Figure 7",
    sentences=(
        Sentence(
            id="figure-7.superior",
            source=_SOURCE,
            states="OptBern and PPDS are superior to Dwork.",
            meaning="their true MSE is below Dwork's at every sample size on both streams",
            condition=_better((OPTBERN, PPDS), (DWORK,), 1.0, _sweep()),
        ),
        Sentence(
            id="figure-7.both-struggle",
            source=_SOURCE,
            states="At a thousandth of the universe OptBern and PPDS struggle.",
            meaning="their true MSE is at least that of the constant answer 1/2, which needs no data, on both streams",
            condition=_struggle,
        ),
        Sentence(
            id="figure-7.outperform-at-the-least",
            source=_SOURCE,
            states="At a thousandth of the universe OptBern and PPDS significantly outperform Dwork.",
            meaning=f"their true MSE is at most 1/{SIGNIFICANT:g} of Dwork's",
            condition=_better((OPTBERN, PPDS), (DWORK,), 1 / SIGNIFICANT, _sweep(slice(1))),
        ),
        Sentence(
            id="figure-7.ppds-clearly-superior",
            source=_SOURCE,
            states="Above a certain threshold PPDS is clearly superior to OptBern.",
            meaning=f"on each stream its true MSE is at most 1/{NOTICEABLE:g} of OptBern's, which is "
            "computed from its distribution, at some size between the "
            "ends; where the threshold is, and where the superiority ends again, is not stated",
            condition=_clear_somewhere,
        ),
        Sentence(
            id="figure-7.difference-is-greatest-inside",
            source=_SOURCE,
            states=f"{_GREATEST}; read as in the plot, which is logarithmic.",
            meaning="on each stream, at some size between the ends, the ratio of the true MSEs of PPDS and OptBern is "
            "below that at either end",
            condition=partial(_greatest_inside, _relative),
        ),
        Sentence(
            id="figure-7.difference-in-numbers-is-greatest-inside",
            source=_SOURCE,
            states=f"{_GREATEST}; read as a difference of numbers.",
            meaning="on each stream, at some size between the ends, the true MSE of OptBern, computed from its "
            "distribution, less that of PPDS is at least what it is at either end",
            condition=partial(_greatest_inside, _farther),
        ),
        Sentence(
            id="figure-7.optbern-improves",
            source=_SOURCE,
            states="With a larger sample OptBern improves.",
            meaning="its true MSE falls from each size to the next on both streams",
            condition=_improves,
        ),
        Sentence(
            id="figure-7.optbern-converges",
            source=_SOURCE,
            states=f"{_MEETING}; read as: they meet in the end.",
            meaning=f"at the whole universe the true MSE of PPDS is within a factor {COINCIDE:g} of "
            "OptBern's, computed from its distribution",
            condition=_converges,
        ),
        Sentence(
            id="figure-7.optbern-approaches",
            source=_SOURCE,
            states=f"{_MEETING}; read as: each step brings them nearer.",
            meaning="over the last three steps of the sample size, up from a tenth of the universe, the ratio of "
            "OptBern's true MSE to that of PPDS falls, on both streams; the sizes of the figure are not printed",
            condition=_approaches,
        ),
        Sentence(
            id="figure-7.identical-without-sampling",
            source=_SOURCE,
            states="When everyone is sampled OptBern and PPDS are identical.",
            meaning="their outputs have the same distribution: the sample of PPDS is never full, but for a chance "
            "below 1e-9, and then each user's bit has the same distribution in both (computed); the true MSE of PPDS "
            f"is within a factor {COINCIDE:g} of OptBern's, computed from its distribution, and the Kolmogorov "
            f"distance of the distributions is below {_NEAR:g}",
            condition=_identical,
        ),
    ),
    claim="density.figure_7",
)


_THESIS = "thesis, section 4.5"
_ALL = (DWORK, OPTBERN, QLAP, LAPLACE, GAUSS)
_WITH_FORMULA = (DWORK, OPTBERN, QLAP, LAPLACE)
_PROPOSED = (OPTBERN, QLAP, LAPLACE, GAUSS)
_BINARY, _CONTINUOUS = (OPTBERN, QLAP), (LAPLACE, GAUSS)
_RECONSTRUCTED = (
    "The sample sizes are not printed in what is left of the figures: those of the paper. Gauss is a reconstruction: "
    "cells truncated to [0, 1], means at its ends, and the variance that uses the whole budget."
)


def _gauss_coincides(stream: str, setting: Setting, seed: int) -> Condition:
    def theory(place: Place) -> float:
        return exact_error(setting, seed, GAUSS, place, Target.SAMPLED_DENSITY)

    return coincides(GAUSS, theory, "exact about d(S_M)", _places((stream,))(setting), Target.DENSITY)


def _best(stream: str, setting: Setting, seed: int) -> Condition:
    """By their exact errors OptBern is below all others: some differ too little for a comparison by runs."""
    facts = []
    for place in _places((stream,))(setting):
        own, *rest = (exact_error(setting, seed, label, place) for label in (OPTBERN, DWORK, QLAP, LAPLACE, GAUSS))
        largest = own / min(rest)
        facts.append(Fact(place.describe(), "exact MSE OptBern / best of the others", largest < 1, largest, high=1))
    return everywhere(facts)


_OF_THESIS = (
    f"{_AS_PRINTED}; of qLap nothing is printed but that it is a Bernoulli estimator: the bound for such estimators "
    "with its gap is taken"
)


def _sentences(figure: str, stream: str) -> tuple[Sentence, ...]:
    on = f"on the {STREAM_NAMES[stream]} stream"
    where, streams = _places((stream,)), (stream,)
    coincides_on = f"The experimental and the theoretical MSE of all but Gauss coincide {on}"
    noticeably = f"at most 1/{NOTICEABLE:g} of the true MSE"
    return (
        Sentence(
            id=f"{figure}.coincide-about-sample",
            source=_THESIS,
            states=f"{coincides_on}; read as about d(S_M).",
            meaning=_OF_THESIS,
            condition=_coincide(_WITH_FORMULA, Target.SAMPLED_DENSITY, streams),
        ),
        Sentence(
            id=f"{figure}.coincide-about-stream",
            source=_THESIS,
            states=f"{coincides_on}; read as about d(S).",
            meaning=_OF_THESIS,
            condition=_coincide(_WITH_FORMULA, Target.DENSITY, streams),
        ),
        Sentence(
            id=f"{figure}.gauss-coincides",
            source=_THESIS,
            states=f"The experimental and the theoretical MSE of Gauss coincide {on}.",
            meaning=f"the true MSE about d(S) is within a factor {COINCIDE:g} of the exact MSE about d(S_M) of the "
            f"reconstruction {_AT_ALL}: no formula is printed",
            condition=partial(_gauss_coincides, stream),
        ),
        Sentence(
            id=f"{figure}.superior",
            source=_THESIS,
            states=f"All proposed algorithms are superior to Dwork's {on}.",
            meaning=f"the true MSE of each is below Dwork's {_AT_ALL}",
            condition=_better(_PROPOSED, (DWORK,), 1.0, where),
        ),
        Sentence(
            id=f"{figure}.binary-beat-continuous",
            source=_THESIS,
            states=f"The binary OptBern and qLap clearly beat the continuous Laplace and Gauss {on}.",
            meaning=f"each of the two has {noticeably} of each of the other two {_AT_ALL}",
            condition=_better(_BINARY, _CONTINUOUS, 1 / NOTICEABLE, where),
        ),
        Sentence(
            id=f"{figure}.optbern-is-best",
            source="thesis, section 4.6",
            states=f"OptBern is the algorithm of choice by the results {on}.",
            meaning=f"its exact MSE about d(S) is below that of the four others {_AT_ALL}; computed, since it differs "
            "from that of qLap by less than runs can tell at small budgets",
            condition=partial(_best, stream),
            measured=False,
        ),
    )


FIGURE_4_8 = _figure(
    "thesis-4.8",
    labels=(*_ALL, *OURS),
    streams=(UNIFORM,),
    title="MSE of five estimators, uniform stream",
    source="thesis, Figure 4.8",
    claim="thesis.figure_4_8",
    notes=_RECONSTRUCTED,
    sentences=(*density_sentences("thesis-4.8", _THESIS), *_sentences("thesis-4.8", UNIFORM)),
)

FIGURE_4_9 = _figure(
    "thesis-4.9",
    labels=(*_ALL, *OURS),
    streams=(ZIPF,),
    title="MSE of five estimators, Zipf stream",
    source="thesis, Figure 4.9",
    claim="thesis.figure_4_9",
    notes=_RECONSTRUCTED,
    sentences=(*_sentences("thesis-4.9", ZIPF), *(_robust("thesis-4.9", _THESIS, label) for label in _ALL)),
)
