"""Errors against the budget and the sample size: paper, Figures 4 to 7; thesis, Figures 4.8 to 4.11."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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
    Configuration,
    Setting,
    contender,
    fixed_stream,
)
from experiments.density.exact_moments import chance_of_filling
from experiments.density.figures.comparisons import (
    COINCIDE,
    NOTICEABLE,
    SIGNIFICANT,
    STREAM_NAMES,
    Conditions,
    Place,
    against_exact,
    bits_of,
    bounds_not_tight,
    coincides,
    compared,
    density_sentences,
    exact_error,
    places,
    probability,
    published_error,
    robust,
    squared_error,
    tightest_bound,
)
from experiments.toolkit.conditions import AllOf, AnyOf, Condition, Fact, Within
from experiments.toolkit.figures import EXACT, MEASURED, PUBLISHED_FORMULA, Experiment, Row, Sheet
from experiments.toolkit.quantities import (
    DistanceOfDistributions,
    MeanSquaredError,
    ProbabilityOfError,
    Quantity,
    Ratio,
    RatioOfSums,
)
from experiments.toolkit.runs import Bench, Runs
from experiments.toolkit.sentence import Sentence
from pan_estimators.density.target import Target

_TAIL = 0.025
"""Probability of error of each side of a pointwise interval of confidence 95%."""

Theory = Callable[[str, Place, Runs, Setting], Iterator[tuple[str, float | None]]]
"""The computed values beside a measured one, each with the kind of its curve."""

Where = Callable[[Setting], Sequence[Place]]


def _errors_in_theory(label: str, place: Place, runs: Runs, setting: Setting) -> Iterator[tuple[str, float | None]]:
    formula = contender(label).published
    yield PUBLISHED_FORMULA, formula and formula(place.epsilon, place.size)
    yield EXACT, None if runs.second is None else runs.second[Target.DENSITY]


def _bounds_in_theory(label: str, place: Place, runs: Runs, setting: Setting) -> Iterator[tuple[str, float | None]]:
    if contender(label).bits:
        yield PUBLISHED_FORMULA, tightest_bound(bits_of(label), place.epsilon, setting.alpha, place.size).estimate


@dataclass(frozen=True)
class Plotted:
    """What is measured in a figure, and where.

    Attributes
    ----------
    label
        Of the vertical axis, for a setting.
    quantity, theory
        The measured quantity, and the computed values beside it.
    repetitions, sizes
        The runs of each point, and the sample sizes.
    sweep
        Whether the sample size is on the horizontal axis. Else it is the budget.
    """

    label: str
    quantity: Callable[[Configuration], Quantity]
    theory: Theory
    repetitions: Callable[[Setting], int]
    sizes: Callable[[Setting], Sequence[int]]
    sweep: bool = False

    def at(self, streams: Sequence[str] = STREAMS, part: slice = slice(None)) -> Where:
        """The places on some streams, at some of the sample sizes."""

        def where(setting: Setting) -> list[Place]:
            chosen = replace(setting, epsilons=(setting.sweep_epsilon,)) if self.sweep else setting
            return places(chosen, self.sizes(setting)[part], streams)

        return where

    def panel(self, place: Place, setting: Setting) -> str:
        """The panel of a place."""
        one_size = self.sweep or len(self.sizes(setting)) == 1
        return f"{STREAM_NAMES[place.stream]} stream" + ("" if one_size else f", m = {place.size:,}")

    def sheet(self, streams: Sequence[str], notes: str, setting: Setting) -> Sheet:
        """The layout: streams side by side, and sample sizes one below the other if there are two streams."""
        named = [self.panel(place, setting) for place in self.at(streams)(setting)]
        panels = list(dict.fromkeys(named))
        across = max(len(streams), len(panels) if len(streams) == 1 else 0)
        rows = len(panels) // across
        counted = self.quantity is ProbabilityOfError
        return Sheet(
            tuple(tuple(panels[row::rows]) for row in range(rows)),
            "sample size as a part of the universe" if self.sweep else "privacy budget epsilon",
            self.label.format(setting=setting),
            log_x=self.sweep,
            log_y=True,
            y_limits=(0.5 / self.repetitions(setting), 4.0) if counted else None,
            notes=notes.format(setting=setting),
            styles=STYLES,
        )

    def rows(self, labels: Sequence[str], where: Where, bench: Bench) -> Iterator[Row]:
        """Measured values with their bands, and the theoretical ones beside them."""
        setting = bench.setting
        for label in labels:
            for place in where(setting):
                configuration = place.configuration(label)
                runs = bench.plotted(configuration)
                found = self.quantity(configuration).bounds(lambda _, runs=runs: runs, _TAIL)  # type: ignore[misc]
                x = place.size / setting.users if self.sweep else place.epsilon
                row = partial(
                    Row,
                    self.panel(place, setting),
                    label,
                    x=x,
                    stream=place.stream,
                    epsilon=place.epsilon,
                    sample_size=place.size,
                )
                yield row(MEASURED, value=found.estimate, low=found.low, high=found.high, repetitions=runs.count)
                for kind, value in self.theory(label, place, runs, setting):
                    if value is not None:
                        yield row(kind, value=value)


PROBABILITIES = Plotted(
    "P(|output - d(S)| >= {setting.alpha:g})",
    ProbabilityOfError,
    _bounds_in_theory,
    lambda setting: setting.probability_repetitions,
    lambda setting: (setting.probability_size,),
)
ERRORS = Plotted(
    "mean squared error about d(S)",
    partial(MeanSquaredError, target=Target.DENSITY),
    _errors_in_theory,
    lambda setting: setting.error_repetitions,
    lambda setting: setting.error_sizes,
)
SWEEP = replace(ERRORS, sizes=lambda setting: setting.sweep_sizes, sweep=True)


def _figure(
    name: str,
    title: str,
    what: Plotted,
    labels: Sequence[str],
    streams: Sequence[str],
    sentences: tuple[Sentence, ...],
    notes: str,
    claim: str = "",
) -> Experiment:
    """A figure with a panel for each stream and sample size, and a curve for each estimator."""
    source, number = name.split("-")
    where = what.at(streams)
    return Experiment(
        name=name,
        title=title,
        source=f"{'paper' if source == 'figure' else source}, Figure {number}",
        sentences=sentences,
        rows=lambda bench: tuple(what.rows(labels, where, bench)),
        sheet=partial(what.sheet, streams, notes),
        plotted=lambda setting: {
            place.configuration(label): what.repetitions(setting) for label in labels for place in where(setting)
        },
        claims=(claim or f"density.{name.replace('-', '_')}",),
    )


def _better(
    what: Plotted, first: Sequence[str], others: Sequence[str], high: float = 1.0, where: Where | None = None
) -> Conditions:
    """Each of the first has at most ``high`` times the error of each of the others."""
    symbol, quantity = ("P(error >= alpha)", probability) if what is PROBABILITIES else ("MSE", squared_error)
    chosen = where or what.at()
    return lambda bench: [
        leaf
        for one in first
        for other in others
        for leaf in compared(
            f"{symbol} {one} / {other}", quantity(one), quantity(other), chosen(bench.setting), high=high
        )
    ]


_PAPER, _THESIS = "paper, section 6", "thesis, section 4.5"


_BOUNDS = (
    f"the true probability is at most 1/{SIGNIFICANT:g} of the tightest bound at every budget, estimator and stream"
)
_LARGER = "Even the tightest bounds are significantly larger than all plotted probabilities of error"


def _not_tight(figure: str, source: str, labels: Sequence[str], streams: Sequence[str]) -> Iterator[Sentence]:
    def condition(bench: Bench, capped: bool) -> list[Within]:
        return bounds_not_tight(labels, PROBABILITIES.at(streams)(bench.setting), bench.setting.alpha, capped=capped)

    for more, read, meaning, capped in (
        ("", "numbers", "taken as the number that it is", False),
        ("-as-probabilities", "1 at most", "counted as 1", True),
    ):
        yield Sentence(
            id=f"{figure}.bounds-not-tight{more}",
            source=source,
            states=f"{_LARGER}; read as {read}.",
            meaning=f"{_BOUNDS}, a bound above 1 being {meaning}",
            condition=partial(condition, capped=capped),
        )


_AS_NUMBERS = "The bounds are plotted as numbers, though a probability is at most 1 anyway."

FIGURE_4 = _figure(
    "figure-4",
    "Probability of error of Dwork and OptBern",
    PROBABILITIES,
    (DWORK, OPTBERN, *OURS),
    STREAMS,
    (
        *density_sentences("figure-4", _PAPER),
        Sentence(
            id="figure-4.superior",
            source=_PAPER,
            states="OptBern is superior, whatever the distribution of the stream.",
            meaning="its true probability of error is below Dwork's at every budget on both streams",
            condition=_better(PROBABILITIES, (OPTBERN,), (DWORK,)),
        ),
        *_not_tight("figure-4", _PAPER, (DWORK, OPTBERN), STREAMS),
    ),
    f"m = {{setting.probability_size:,}}. {_AS_NUMBERS}",
)


def _ranking(stream: str, bench: Bench) -> list[Condition]:
    where, pairs = PROBABILITIES.at((stream,)), ((OPTBERN, LAPLACE), (OPTBERN, GAUSS), (QLAP, LAPLACE), (QLAP, GAUSS))
    return [
        leaf
        for one, other in (*pairs, (LAPLACE, DWORK), (GAUSS, DWORK))
        for leaf in _better(PROBABILITIES, (one,), (other,), where=where)(bench)
    ]


def _probabilities_of_thesis(name: str, stream: str) -> Experiment:
    return _figure(
        name,
        f"Probability of error of five estimators, {STREAM_NAMES[stream]} stream",
        PROBABILITIES,
        (DWORK, OPTBERN, QLAP, LAPLACE, GAUSS, *OURS),
        (stream,),
        (
            Sentence(
                id=f"{name}.same-ranking",
                source=_THESIS,
                states="The probability of error ranks as the MSE did: binary algorithms, continuous ones, Dwork's.",
                meaning="the true probabilities of OptBern and qLap are below those of Laplace and Gauss, and these "
                "below Dwork's, at every budget",
                condition=partial(_ranking, stream),
            ),
            *_not_tight(name, _THESIS, (DWORK, OPTBERN, LAPLACE), (stream,)),
        ),
        "m = {setting.probability_size:,}. Sample size and alpha are not printed in what is left of the figure: those "
        f"of the paper. {_AS_NUMBERS}",
        f"thesis.figure_{name[-4:].replace('.', '_')}",
    )


_AT_ALL = "at every budget, sample size and stream of the figure"

_AS_PRINTED = (
    f"the ratio of the true MSE and the printed formula is within a factor {COINCIDE:g} {_AT_ALL}: a tenth is what a "
    "marker covers in a plot over decades"
)

_ROBUST = (
    f"the true MSEs on the two streams differ by at most a factor {NOTICEABLE:g} at every budget and sample size: less "
    "is hardly seen in a plot over decades"
)


def _coincide(
    figure: str, source: str, states: str, meanings: tuple[str, str], labels: Sequence[str], streams: Sequence[str]
) -> Iterator[Sentence]:
    """All of the estimators have the mean squared error that is printed."""

    def condition(bench: Bench, target: Target) -> list[Within]:
        where = ERRORS.at(streams)(bench.setting)
        return [
            leaf for label in labels for leaf in coincides(label, published_error(label), "published", where, target)
        ]

    for about, symbol, target, meaning in (
        ("sample", "d(S_M)", Target.SAMPLED_DENSITY, meanings[0]),
        ("stream", "d(S)", Target.DENSITY, meanings[1]),
    ):
        yield Sentence(
            id=f"{figure}.coincide-about-{about}",
            source=source,
            states=f"{states}; read as about {symbol}.",
            meaning=meaning,
            condition=partial(condition, target=target),
        )


FIGURE_5 = _figure(
    "figure-5",
    "Theoretical and empirical MSE of Dwork and OptBern",
    ERRORS,
    (DWORK, OPTBERN),
    STREAMS,
    tuple(
        _coincide(
            "figure-5",
            _PAPER,
            "The experimental and the theoretical MSE of Dwork and of OptBern coincide",
            (
                f"{_AS_PRINTED}; the theorems are about d(S_M)",
                f"{_AS_PRINTED}; d(S) is what one wants to know",
            ),
            (DWORK, OPTBERN),
            STREAMS,
        )
    ),
    "The printed formulas bound the MSE about d(S_M); the runs are compared with d(S), as in all figures.",
)


def _outperforms(label: str) -> Sentence:
    return Sentence(
        id=f"figure-6.{label.lower()}-outperforms",
        source=_PAPER,
        states=f"{label} significantly outperforms Dwork.",
        meaning=f"its true MSE is at most 1/{SIGNIFICANT:g} of Dwork's {_AT_ALL}",
        condition=_better(ERRORS, (label,), (DWORK,), 1 / SIGNIFICANT),
    )


def _robust(figure: str, source: str, label: str) -> Sentence:
    return Sentence(
        id=f"{figure}.{label.lower()}-robust",
        source=source,
        states=f"{label} is robust to the distribution of the stream: uniform and Zipf differ insignificantly.",
        meaning=_ROBUST,
        condition=lambda bench: robust(label, ERRORS.at((UNIFORM,))(bench.setting)),
    )


_NOTICEABLY_BETTER = "PPDS is noticeably better than OptBern if the stream is sparse and the sample small"
_NOTICEABLY = (
    f"the true MSE of PPDS is at most 1/{NOTICEABLE:g} of OptBern's, which such a plot shows (OptBern's is computed "
    "from its distribution: one ratio is close to the limit)"
)


def _noticeably_better(more: str, read: str, meaning: str, where: Where) -> Sentence:
    return Sentence(
        id=f"figure-6.ppds-better{more}",
        source=_PAPER,
        states=f"{_NOTICEABLY_BETTER}; read as: {read}.",
        meaning=f"{_NOTICEABLY}, {meaning}, at every budget",
        condition=lambda bench: against_exact(bench, PPDS, OPTBERN, where(bench.setting), 0.0, 1 / NOTICEABLE),
    )


FIGURE_6 = _figure(
    "figure-6",
    "Empirical MSE of the three estimators",
    ERRORS,
    (DWORK, OPTBERN, PPDS, *OURS),
    STREAMS,
    (
        _outperforms(OPTBERN),
        _outperforms(PPDS),
        *(_robust("figure-6", _PAPER, label) for label in (DWORK, OPTBERN, PPDS)),
        _noticeably_better(
            "", "both at once", "on the Zipf stream with the smaller sample", ERRORS.at((ZIPF,), slice(1))
        ),
        _noticeably_better("-if-sparse", "whenever sparse", "on the Zipf stream with both samples", ERRORS.at((ZIPF,))),
        _noticeably_better(
            "-if-small", "whenever small", "on both streams with the smaller sample", ERRORS.at(part=slice(1))
        ),
    ),
    "Added: the calibrated estimator, which keeps the joint promise of 2 epsilon that the others "
    "break, with as many sampled users, and with as many bits as OptBern and the ids of its sample.",
)


_NEAR = 0.1
"""A Kolmogorov distance below this is invisible in 300 repetitions of each: their own distance is above 0.111 in one
case of twenty if the distributions are the same."""

_NEVER = 1e-9

Compared = Callable[[Bench, Place, Place], Within]
"""A condition: the errors of PPDS and OptBern differ more at one place than at another."""

_CONSTANT = 0.5
"""The constant answer, which does not depend on the stream."""


def _by_stream(bench: Bench, part: slice = slice(None)) -> Iterator[Sequence[Place]]:
    """For each stream the places of the sweep, in rising order of the sample size."""
    for stream in STREAMS:
        yield SWEEP.at((stream,), part)(bench.setting)


def _struggle(bench: Bench) -> list[Condition]:
    def constant(place: Place) -> float:
        return float((fixed_stream(bench.setting, place.stream, bench.seed).density - _CONSTANT) ** 2)

    return [
        leaf
        for where in _by_stream(bench, slice(1))
        for label in (OPTBERN, PPDS)
        for leaf in compared(f"MSE {label} / that of the constant 1/2", squared_error(label), constant, where, low=1.0)
    ]


def _clear_somewhere(bench: Bench) -> list[Condition]:
    return [
        AnyOf(tuple(against_exact(bench, PPDS, OPTBERN, where, 0.0, 1 / NOTICEABLE)))
        for where in _by_stream(bench, slice(1, -1))
    ]


def _greatest_inside(farther: Compared, bench: Bench) -> list[Condition]:
    """At some size between the ends the two errors are farther apart than at both ends."""
    return [
        AnyOf(tuple(AllOf((farther(bench, one, first), farther(bench, one, last))) for one in inside))
        for first, *inside, last in _by_stream(bench)
    ]


def _at_two(one: Place, other: Place) -> str:
    return f"{one.stream}, m = {one.size:,} against {other.size:,}"


def _relative(bench: Bench, one: Place, other: Place) -> Within:
    """The ratio of the errors of PPDS and OptBern at one place is below that at another."""
    ppds, exact = squared_error(PPDS), partial(exact_error, bench, OPTBERN)
    ratio = Ratio((ppds(one), exact(other)), (ppds(other), exact(one)))
    return Within(_at_two(one, other), "MSE PPDS / exact MSE OptBern, at one size against another", ratio, high=1.0)


def _farther(bench: Bench, one: Place, other: Place) -> Within:
    """The error of OptBern less that of PPDS is larger at one place than at another.

    Without a difference: ``O1 - P1 >= O2 - P2`` if and only if ``(O1 + P2)/(P1 + O2) >= 1``.
    """
    ppds, exact = squared_error(PPDS), partial(exact_error, bench, OPTBERN)
    ratio = RatioOfSums((exact(one), ppds(other)), (ppds(one), exact(other)))
    what = "(exact MSE OptBern at one size + MSE PPDS at another) / the same with the sizes exchanged"
    return Within(_at_two(one, other), what, ratio, low=1.0)


def _improves(bench: Bench) -> list[Condition]:
    optbern = squared_error(OPTBERN)
    return [
        Within(
            f"{smaller.stream}, from m = {smaller.size:,} to {larger.size:,}",
            "MSE OptBern, larger sample / smaller",
            Ratio((optbern(larger),), (optbern(smaller),)),
            high=1.0,
        )
        for where in _by_stream(bench)
        for smaller, larger in pairwise(where)
    ]


def _converges(bench: Bench) -> list[Condition]:
    where = SWEEP.at(part=slice(-1, None))(bench.setting)
    return [*against_exact(bench, PPDS, OPTBERN, where, 1 / COINCIDE, COINCIDE)]


def _approaches(bench: Bench) -> list[Condition]:
    """After the largest gap, every larger sample brings OptBern nearer to PPDS: the last three steps."""
    # OptBern's error over that of PPDS falls if the inverse of the ratio rises.
    return [
        _relative(bench, smaller, larger)
        for where in _by_stream(bench, slice(-4, None))
        for smaller, larger in pairwise(where)
    ]


def _identical(bench: Bench) -> list[Condition]:
    parts, setting = _converges(bench), bench.setting
    for place in SWEEP.at(part=slice(-1, None))(setting):
        distance = Ratio((DistanceOfDistributions(place.configuration(OPTBERN), place.configuration(PPDS)),))
        chance = chance_of_filling(setting.users, setting.length, place.size, place.epsilon)
        parts += [
            Within(place.describe(), "Kolmogorov distance of the outputs' distributions", distance, high=_NEAR),
            Fact(
                place.describe(),
                "bound on the chance that the sample of PPDS is ever full",
                chance < _NEVER,
                chance,
                high=_NEVER,
            ),
        ]
    return parts


_GREATEST = "Above a certain threshold the errors of OptBern and PPDS differ most"
_MEETING = "With a larger sample the error of OptBern converges to that of PPDS"


def _about_sweep(name: str, states: str, meaning: str, condition: Conditions) -> Sentence:
    return Sentence(f"figure-7.{name}", _PAPER, states, meaning, condition)


FIGURE_7 = _figure(
    "figure-7",
    "MSE of the three estimators against the sample size",
    SWEEP,
    (DWORK, OPTBERN, PPDS, *OURS),
    STREAMS,
    (
        _about_sweep(
            "superior",
            "OptBern and PPDS are superior to Dwork.",
            "their true MSE is below Dwork's at every sample size on both streams",
            _better(SWEEP, (OPTBERN, PPDS), (DWORK,)),
        ),
        _about_sweep(
            "both-struggle",
            "At a thousandth of the universe OptBern and PPDS struggle.",
            "their true MSE is at least that of the constant answer 1/2, which needs no data, on both streams",
            _struggle,
        ),
        _about_sweep(
            "outperform-at-the-least",
            "At a thousandth of the universe OptBern and PPDS significantly outperform Dwork.",
            f"their true MSE is at most 1/{SIGNIFICANT:g} of Dwork's",
            _better(SWEEP, (OPTBERN, PPDS), (DWORK,), 1 / SIGNIFICANT, SWEEP.at(part=slice(1))),
        ),
        _about_sweep(
            "ppds-clearly-superior",
            "Above a certain threshold PPDS is clearly superior to OptBern.",
            f"on each stream its true MSE is at most 1/{NOTICEABLE:g} of OptBern's, which is "
            "computed from its distribution, at some size between the "
            "ends; where the threshold is, and where the superiority ends again, is not stated",
            _clear_somewhere,
        ),
        _about_sweep(
            "difference-is-greatest-inside",
            f"{_GREATEST}; read as in the plot, which is logarithmic.",
            "on each stream, at some size between the ends, the ratio of the true MSEs of PPDS and OptBern is "
            "below that at either end",
            partial(_greatest_inside, _relative),
        ),
        _about_sweep(
            "difference-in-numbers-is-greatest-inside",
            f"{_GREATEST}; read as a difference of numbers.",
            "on each stream, at some size between the ends, the true MSE of OptBern, computed from its "
            "distribution, less that of PPDS is at least what it is at either end",
            partial(_greatest_inside, _farther),
        ),
        _about_sweep(
            "optbern-improves",
            "With a larger sample OptBern improves.",
            "its true MSE falls from each size to the next on both streams",
            _improves,
        ),
        _about_sweep(
            "optbern-converges",
            f"{_MEETING}; read as: they meet in the end.",
            f"at the whole universe the true MSE of PPDS is within a factor {COINCIDE:g} of "
            "OptBern's, computed from its distribution",
            _converges,
        ),
        _about_sweep(
            "optbern-approaches",
            f"{_MEETING}; read as: each step brings them nearer.",
            "over the last three steps of the sample size, up from a tenth of the universe, the ratio of "
            "OptBern's true MSE to that of PPDS falls, on both streams; the sizes of the figure are not printed",
            _approaches,
        ),
        _about_sweep(
            "identical-without-sampling",
            "When everyone is sampled OptBern and PPDS are identical.",
            "their outputs have the same distribution: the sample of PPDS is never full, but for a chance "
            "below 1e-9, and then each user's bit has the same distribution in both (computed); the true MSE of PPDS "
            f"is within a factor {COINCIDE:g} of OptBern's, computed from its distribution, and the Kolmogorov "
            f"distance of the distributions is below {_NEAR:g}",
            _identical,
        ),
    ),
    "epsilon = {setting.sweep_epsilon:g}. Added: the calibrated estimator, as in Figure 6.",
)


_ALL = (DWORK, OPTBERN, QLAP, LAPLACE, GAUSS)
_RECONSTRUCTED = (
    "The sample sizes are not printed in what is left of the figures: those of the paper. Gauss is a reconstruction: "
    "cells truncated to [0, 1], means at its ends, and the variance that uses the whole budget."
)
_OF_THESIS = (
    f"{_AS_PRINTED}; of qLap nothing is printed but that it is a Bernoulli estimator: the bound for such estimators "
    "with its gap is taken"
)


def _gauss_coincides(where: Where, bench: Bench) -> list[Within]:
    def theory(place: Place) -> float:
        return exact_error(bench, GAUSS, place, Target.SAMPLED_DENSITY)

    return coincides(GAUSS, theory, "exact about d(S_M)", where(bench.setting), Target.DENSITY)


def _best(where: Where, bench: Bench) -> Iterator[Fact]:
    """By their exact errors OptBern is below all others: some differ too little for a comparison by runs."""
    for place in where(bench.setting):
        own, *rest = (exact_error(bench, label, place) for label in (OPTBERN, DWORK, QLAP, LAPLACE, GAUSS))
        largest = own / min(rest)
        yield Fact(place.describe(), "exact MSE OptBern / best of the others", largest < 1, largest, high=1)


def _errors_of_thesis(figure: str, stream: str, before: Sequence[Sentence], after: Sequence[Sentence]) -> Experiment:
    on, where = f"on the {STREAM_NAMES[stream]} stream", ERRORS.at((stream,))
    noticeably = f"at most 1/{NOTICEABLE:g} of the true MSE"
    sentences = (
        *_coincide(
            figure,
            _THESIS,
            f"The experimental and the theoretical MSE of all but Gauss coincide {on}",
            (_OF_THESIS, _OF_THESIS),
            (DWORK, OPTBERN, QLAP, LAPLACE),
            (stream,),
        ),
        Sentence(
            id=f"{figure}.gauss-coincides",
            source=_THESIS,
            states=f"The experimental and the theoretical MSE of Gauss coincide {on}.",
            meaning=f"the true MSE about d(S) is within a factor {COINCIDE:g} of the exact MSE about d(S_M) of the "
            f"reconstruction {_AT_ALL}: no formula is printed",
            condition=partial(_gauss_coincides, where),
        ),
        Sentence(
            id=f"{figure}.superior",
            source=_THESIS,
            states=f"All proposed algorithms are superior to Dwork's {on}.",
            meaning=f"the true MSE of each is below Dwork's {_AT_ALL}",
            condition=_better(ERRORS, (OPTBERN, QLAP, LAPLACE, GAUSS), (DWORK,), where=where),
        ),
        Sentence(
            id=f"{figure}.binary-beat-continuous",
            source=_THESIS,
            states=f"The binary OptBern and qLap clearly beat the continuous Laplace and Gauss {on}.",
            meaning=f"each of the two has {noticeably} of each of the other two {_AT_ALL}",
            condition=_better(ERRORS, (OPTBERN, QLAP), (LAPLACE, GAUSS), 1 / NOTICEABLE, where),
        ),
        Sentence(
            id=f"{figure}.optbern-is-best",
            source="thesis, section 4.6",
            states=f"OptBern is the algorithm of choice by the results {on}.",
            meaning=f"its exact MSE about d(S) is below that of the four others {_AT_ALL}; computed, since it differs "
            "from that of qLap by less than runs can tell at small budgets",
            condition=lambda bench: [*_best(where, bench)],
            measured=False,
        ),
    )
    return _figure(
        figure,
        f"MSE of five estimators, {STREAM_NAMES[stream]} stream",
        ERRORS,
        (*_ALL, *OURS),
        (stream,),
        (*before, *sentences, *after),
        _RECONSTRUCTED,
        f"thesis.figure_4_{figure[-1]}",
    )


FIGURES: Mapping[str, Experiment] = {
    one.name: one
    for one in (
        FIGURE_4,
        FIGURE_5,
        FIGURE_6,
        FIGURE_7,
        _errors_of_thesis("thesis-4.8", UNIFORM, tuple(density_sentences("thesis-4.8", _THESIS)), ()),
        _errors_of_thesis("thesis-4.9", ZIPF, (), tuple(_robust("thesis-4.9", _THESIS, label) for label in _ALL)),
        _probabilities_of_thesis("thesis-4.10", UNIFORM),
        _probabilities_of_thesis("thesis-4.11", ZIPF),
    )
}
