"""Proposed sample sizes: paper, Figure 1; thesis, Figures 4.1 and 4.5."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial

from experiments.density.contenders import DWORK, OPTBERN, STREAMS, STYLES, Setting
from experiments.density.figures.comparisons import PROBABILITY_OF_ERROR, Place, bits_of, compared, exactly, probability
from experiments.toolkit.conditions import AllOf, AnyOf, Condition, Fact, Within, everywhere
from experiments.toolkit.figures import EXACT, PUBLISHED_FORMULA, Experiment, Row, Sheet
from experiments.toolkit.runs import Bench
from experiments.toolkit.sentence import Sentence

ROTH = "Roth: 128 ln(1/beta)/(epsilon alpha)^2"

_HALF_ORDER = (0.25, 0.75)
"""Orders of magnitude that are nearest to one half, among the multiples of one half."""

_BETAS = (0.1, 0.05, 0.01)
"""Usual probabilities of error. The figures do not print theirs, so that each sentence is tested with all."""

_SMALL = (0.1, 0.01, 0.001)
"""Budgets for the test of the order at small budgets."""


@lru_cache(maxsize=256)
def proposed_size(label: str, epsilon: float, alpha: float, beta: float) -> tuple[int, bool]:
    """The least sample for which the tightest bound is at most beta, and whether balls certify that to a millionth."""
    from pan_proofs.density.lemmas.accuracy_terms import exceeds, near_minimum, sample_size

    setting, target, pair = (exactly(epsilon), exactly(alpha)), exactly(beta), bits_of(label)
    size = sample_size(*setting, target, pair).size
    near = size // 10**6
    enough, _ = near_minimum(size + near, *setting, pair)
    return size, enough <= target and exceeds(size - 1 - near, *setting, target, pair)


def _roth(epsilon: float, setting: Setting, beta: float) -> float:
    return 128 / (epsilon * setting.alpha) ** 2 * math.log(1 / beta)


def _at(epsilon: float, beta: float) -> str:
    return f"epsilon = {epsilon:g}, beta = {beta:g}"


def _factor(epsilon: float, setting: Setting, beta: float) -> tuple[float, bool]:
    """Dwork's proposed size over OptBern's, and whether balls certify both."""
    (dwork, certain), (optbern, too) = (
        proposed_size(label, epsilon, setting.alpha, beta) for label in (DWORK, OPTBERN)
    )
    return dwork / optbern, certain and too


def _half_order(bench: Bench) -> list[Fact]:
    setting, facts = bench.setting, []
    for beta in _BETAS:
        for epsilon in setting.epsilons:
            factor, certain = _factor(epsilon, setting, beta)
            orders = math.log10(factor)
            inside = _HALF_ORDER[0] <= orders <= _HALF_ORDER[1] if certain else None
            what = "orders of magnitude between the two sizes"
            facts.append(Fact(_at(epsilon, beta), what, inside, orders, *_HALF_ORDER))
    return facts


def _order_below_roth(together: Callable[[tuple[Condition, ...]], Condition], bench: Bench) -> list[Condition]:
    """At every budget, with all of the probabilities of error or with any of them."""
    setting, by_beta = bench.setting, []
    for beta in _BETAS:
        facts = []
        for epsilon in setting.epsilons:
            size, certain = proposed_size(DWORK, epsilon, setting.alpha, beta)
            factor = _roth(epsilon, setting, beta) / size
            larger = factor > 10 if certain else None
            facts.append(Fact(_at(epsilon, beta), "Roth's size over the proposed one", larger, factor, low=10))
        by_beta.append(everywhere(facts))
    return [together(tuple(by_beta))]


def _same_order(bench: Bench) -> list[Fact]:
    setting, facts = bench.setting, []
    for epsilon in _SMALL:
        factor, certain = _factor(epsilon, setting, setting.beta)
        bounded = 1 < factor <= 4 if certain else None
        facts.append(Fact(f"epsilon = {epsilon:g}", "Dwork's size over OptBern's", bounded, factor, 1, 4))
    return facts


def _fewer_suffice(labels: Sequence[str], bench: Bench) -> list[Within]:
    """With half of the proposed sample the probability of error is still at most beta, where U is large enough."""
    setting, parts = bench.setting, []
    for label in labels:
        sizes = {epsilon: proposed_size(label, epsilon, setting.alpha, setting.beta)[0] for epsilon in setting.epsilons}
        halves = [
            Place(stream, epsilon, size // 2)
            for epsilon, size in sizes.items()
            if size <= setting.users
            for stream in STREAMS
        ]
        what = f"{PROBABILITY_OF_ERROR} {label} with half the sample / beta"
        parts += compared(what, probability(label), lambda place: float(setting.beta), halves, high=1.0)
    return parts


def _not_tight(figure: str, source: str, labels: Sequence[str]) -> Sentence:
    return Sentence(
        id=f"{figure}.not-tight",
        source=source,
        states="The bound is not tight: the same accuracy is achieved with fewer samples.",
        meaning="with half of the proposed sample the true probability of an error of alpha = 0.1 is still at most "
        "beta = 0.05, which are not printed, at every budget for which the universe is large enough",
        condition=partial(_fewer_suffice, tuple(labels)),
    )


def _rows(curves: Mapping[str, str], bench: Bench) -> Sequence[Row]:
    setting = bench.setting
    rows = []
    for series, kind in curves.items():
        for epsilon in setting.epsilons:
            value = (
                _roth(epsilon, setting, setting.beta)
                if series == ROTH
                else proposed_size(series, epsilon, setting.alpha, setting.beta)[0]
            )
            rows.append(Row("", series, kind, epsilon, float(value), epsilon=epsilon))
    return rows


def _sheet(setting: Setting) -> Sheet:
    return Sheet(
        (("",),),
        "privacy budget epsilon",
        "proposed sample size m",
        log_y=True,
        notes=f"alpha = {setting.alpha:g} and beta = {setting.beta:g}; the figure does not say which were taken.",
        styles=STYLES,
    )


def _figure(
    name: str, title: str, source: str, curves: Mapping[str, str], sentences: tuple[Sentence, ...]
) -> Experiment:
    return Experiment(name, title, source, sentences, partial(_rows, curves), _sheet)


FIGURE_1 = _figure(
    "figure-1",
    "Proposed sample sizes of Dwork and OptBern",
    "paper, Figure 1",
    {DWORK: EXACT, OPTBERN: EXACT},
    (
        Sentence(
            id="figure-1.half-an-order",
            source="paper, section 4.3",
            states="OptBern's proposed sample is half an order of magnitude smaller than Dwork's.",
            meaning="the decimal logarithm of the ratio of the two least sizes, certified by balls, is nearest to 1/2 "
            "among the multiples of 1/2, that is in [0.25, 0.75], at every budget with alpha = 0.1 and beta = 0.1, "
            "0.05 and 0.01, which are not printed",
            condition=_half_order,
            measured=False,
        ),
        _not_tight("figure-1", "paper, section 3.2", (DWORK, OPTBERN)),
    ),
)

_ROTH_STATES = "Dwork's proposed samples are smaller than Roth's by more than an order of magnitude"
_ROTH_MEANING = (
    "his size, 128 ln(1/beta)/(epsilon alpha)^2, is more than 10 times the least size, certified by balls, at every "
    "budget with alpha = 0.1"
)

FIGURE_4_1 = _figure(
    "thesis-4.1",
    "Proposed sample size of Dwork, and Roth's",
    "thesis, Figure 4.1",
    {DWORK: EXACT, ROTH: PUBLISHED_FORMULA},
    (
        Sentence(
            id="thesis-4.1.order-below-roth",
            source="thesis, section 4.2.3",
            states=f"{_ROTH_STATES}; read as: whatever beta is.",
            meaning=f"{_ROTH_MEANING}, with each beta of 0.1, 0.05 and 0.01",
            condition=partial(_order_below_roth, AllOf),
            measured=False,
        ),
        Sentence(
            id="thesis-4.1.order-below-roth-for-some-beta",
            source="thesis, section 4.2.3",
            states=f"{_ROTH_STATES}; read as: for the beta taken.",
            meaning=f"{_ROTH_MEANING}, with some beta of 0.1, 0.05 and 0.01: the one that was taken is not printed",
            condition=partial(_order_below_roth, AnyOf),
            measured=False,
        ),
        _not_tight("thesis-4.1", "thesis, section 4.2.3", (DWORK,)),
    ),
)

FIGURE_4_5 = _figure(
    "thesis-4.5",
    "Proposed sample size of OptBern",
    "thesis, Figure 4.5",
    {DWORK: EXACT, OPTBERN: EXACT},
    (
        Sentence(
            id="thesis-4.5.same-order",
            source="thesis, section 4.3.3",
            states="Asymptotically the sample size is not improved.",
            meaning="the ratio of the two least sizes, certified by balls, stays between 1 and 4 at budgets down to "
            "0.001; for all budgets the ledger proves it (density.optbern_accuracy)",
            condition=_same_order,
            measured=False,
        ),
    ),
)

FIGURES: Mapping[str, Experiment] = {one.name: one for one in (FIGURE_1, FIGURE_4_1, FIGURE_4_5)}
