"""Mean squared errors against the sample size: paper, Figure 7."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise

from experiments.density.contenders import DWORK, OPTBERN, OURS, PPDS, Configuration
from experiments.density.exact_moments import chance_of_filling
from experiments.density.figures.comparisons import (
    COINCIDE,
    NOTICEABLE,
    SIGNIFICANT,
    Place,
    errors_against_exact,
    errors_compared,
    exact_error,
    squared_error,
)
from experiments.density.figures.curves import error_curves
from experiments.density.figures.squared_errors import STREAM_NAMES
from experiments.density.setting import STREAMS, Setting, fixed_stream
from experiments.toolkit.conditions import AllOf, AnyOf, Condition, Fact, Within, everywhere
from experiments.toolkit.experiment import Experiment, Row, Sheet
from experiments.toolkit.quantities import DistanceOfDistributions, MeanSquaredError, Ratio, RatioOfSums
from experiments.toolkit.runs import Bench
from experiments.toolkit.sentence import Sentence

_SOURCE = "paper, section 6"
_LABELS = (DWORK, OPTBERN, PPDS, *OURS)
_NEAR = 0.1
"""A Kolmogorov distance below this is invisible in 300 repetitions of each: their own distance is above 0.111 in one
case of twenty if the distributions are the same."""

_NEVER = 1e-9

Compared = Callable[[Setting, int, Place, Place], Within]
"""A condition: the errors of PPDS and OptBern differ more at one place than at another."""

_CONSTANT = 0.5
"""The constant answer, which does not depend on the stream."""


def _at(setting: Setting, sizes: Sequence[int]) -> list[Place]:
    return [Place(stream, setting.sweep_epsilon, size) for stream in STREAMS for size in sizes]


def _error(label: str, place: Place) -> MeanSquaredError:
    return squared_error(place.configuration(label))


def _better(
    first: Sequence[str], other: str, high: float, smallest: bool = False
) -> Callable[[Setting, int], Condition]:
    def condition(setting: Setting, seed: int) -> Condition:
        where = _at(setting, setting.sweep_sizes[:1] if smallest else setting.sweep_sizes)
        return everywhere([leaf for one in first for leaf in errors_compared(one, (other,), where, high=high)])

    return condition


def _struggle(setting: Setting, seed: int) -> Condition:
    parts = []
    for place in _at(setting, setting.sweep_sizes[:1]):
        constant = (fixed_stream(setting, place.stream, seed).density - _CONSTANT) ** 2
        for label in (OPTBERN, PPDS):
            ratio = Ratio((_error(label, place),), (constant,))
            parts.append(Within(place.describe(), f"MSE {label} / that of the constant 1/2", ratio, low=1.0))
    return everywhere(parts)


def _clear_somewhere(setting: Setting, seed: int) -> Condition:
    inner = setting.sweep_sizes[1:-1]
    by_stream = []
    for stream in STREAMS:
        where = [place for place in _at(setting, inner) if place.stream == stream]
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
    where = _at(setting, setting.sweep_sizes[-1:])
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
    for place in _at(setting, setting.sweep_sizes[-1:]):
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


def _plotted(setting: Setting) -> dict[Configuration, int]:
    where = _at(setting, setting.sweep_sizes)
    return {place.configuration(label): setting.error_repetitions for label in _LABELS for place in where}


def _rows(bench: Bench) -> Sequence[Row]:
    setting = bench.setting
    where = [
        (f"{STREAM_NAMES[place.stream]} stream", place, place.size / setting.users)
        for place in _at(setting, setting.sweep_sizes)
    ]
    return tuple(error_curves(bench, _LABELS, where))


def _sheet(setting: Setting) -> Sheet:
    return Sheet(
        (tuple(f"{STREAM_NAMES[stream]} stream" for stream in STREAMS),),
        "sample size as a part of the universe",
        "mean squared error about d(S)",
        log_x=True,
        log_y=True,
        notes=f"epsilon = {setting.sweep_epsilon:g}. Added: the calibrated estimator, as in Figure 6.",
    )


_GREATEST = "Above a certain threshold the errors of OptBern and PPDS differ most"
_CONVERGES = "With a larger sample the error of OptBern converges to that of PPDS"

FIGURE_7 = Experiment(
    name="figure-7",
    title="MSE of the three estimators against the sample size",
    source="paper, Figure 7",
    sentences=(
        Sentence(
            id="figure-7.superior",
            source=_SOURCE,
            states="OptBern and PPDS are superior to Dwork.",
            meaning="their true MSE is below Dwork's at every sample size on both streams",
            condition=_better((OPTBERN, PPDS), DWORK, 1.0),
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
            condition=_better((OPTBERN, PPDS), DWORK, 1 / SIGNIFICANT, smallest=True),
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
            states=f"{_CONVERGES}; read as: they meet in the end.",
            meaning=f"at the whole universe the true MSE of PPDS is within a factor {COINCIDE:g} of "
            "OptBern's, computed from its distribution",
            condition=_converges,
        ),
        Sentence(
            id="figure-7.optbern-approaches",
            source=_SOURCE,
            states=f"{_CONVERGES}; read as: each step brings them nearer.",
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
    rows=_rows,
    sheet=_sheet,
    plotted=_plotted,
    claims=("density.figure_7",),
)
