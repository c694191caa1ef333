"""The part of the budget that the bits use: paper, Figures 2 and 3; thesis, Figures 4.2 to 4.4 and 4.7."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import sympy as sp

from experiments.density.contenders import DWORK, OPTBERN, QLAP, STYLES, Setting
from experiments.density.figures.comparisons import OfSetting, exactly
from experiments.toolkit.conditions import Condition, Fact, everywhere
from experiments.toolkit.figures import EXACT, PUBLISHED_FORMULA, Experiment, Row, Sheet
from experiments.toolkit.runs import Bench
from experiments.toolkit.sentence import Sentence

epsilon_symbol = sp.Symbol("epsilon", positive=True)

PAIRS: Mapping[str, tuple[sp.Expr, sp.Expr]] = {
    DWORK: (sp.Rational(1, 2), sp.Rational(1, 2) + epsilon_symbol / 4),
    OPTBERN: ((1 - sp.tanh(epsilon_symbol / 2)) / 2, (1 + sp.tanh(epsilon_symbol / 2)) / 2),
    QLAP: (sp.exp(-epsilon_symbol / 2) / 2, 1 - sp.exp(-epsilon_symbol / 2) / 2),
}
"""The probabilities of a one, before and after an appearance, as printed."""


def ratio(label: str, bit: int) -> sp.Expr:
    """``R(b) = f_upd(b)/f_init(b)``."""
    before, after = PAIRS[label]
    return after / before if bit else (1 - after) / (1 - before)


def within(labels: Sequence[str], setting: Setting, seed: int) -> Condition:
    """The ratios are within the limits; on them only if they are equal to them for all epsilon."""
    return everywhere(
        [
            _fact(label, epsilon, _both(exhausts(label, bit) or _below(label, bit, epsilon) for bit in (0, 1)))
            for label in labels
            for epsilon in setting.epsilons
        ]
    )


def unused(label: str, setting: Setting, seed: int) -> Condition:
    """Both ratios are strictly within the limits."""
    return everywhere(
        [_fact(label, epsilon, _both(_below(label, bit, epsilon) for bit in (0, 1))) for epsilon in setting.epsilons]
    )


def uses_all(setting: Setting, seed: int) -> Condition:
    """The ratios of OptBern are the limits."""
    return everywhere(
        [
            Fact(
                f"R({bit}), every epsilon",
                f"used part of the budget, {OPTBERN}",
                exhausts(OPTBERN, bit),
                _used(OPTBERN, setting.epsilons[-1]) / setting.epsilons[-1],
            )
            for bit in (0, 1)
        ]
    )


def as_printed(setting: Setting, seed: int) -> Condition:
    """The ratios of Dwork are the printed ones."""
    facts = []
    for bit, form in {0: 1 - epsilon_symbol / 2, 1: 1 + epsilon_symbol / 2}.items():
        difference = sp.simplify(ratio(DWORK, bit) - form)
        size = float(abs(difference.subs(epsilon_symbol, setting.epsilons[-1])))
        facts.append(Fact(f"R({bit}), every epsilon", "difference from the printed ratio", difference == 0, size))
    return everywhere(facts)


def between(setting: Setting, seed: int) -> Condition:
    """The quantised bits use more than Dwork's, and less than the whole budget."""
    facts = []
    for epsilon in setting.epsilons:
        ordered = _less(_largest(DWORK, epsilon), _largest(QLAP, epsilon))
        facts.append(_fact(QLAP, epsilon, _both((ordered, *(_below(QLAP, bit, epsilon) for bit in (0, 1))))))
    return everywhere(facts)


def exhausts(label: str, bit: int) -> bool:
    """Whether a ratio is equal to one of its limits for every epsilon."""
    target = sp.exp(epsilon_symbol) if bit else sp.exp(-epsilon_symbol)
    return bool(sp.simplify((ratio(label, bit) - target).rewrite(sp.exp)) == 0)


def _fact(label: str, epsilon: float, true: bool | None) -> Fact:
    part = _used(label, epsilon) / epsilon
    return Fact(f"epsilon = {epsilon:g}", f"used part of the budget, {label}", true, part, high=1)


def _below(label: str, bit: int, epsilon: float) -> bool | None:
    """Whether balls show that the logarithm of a ratio is below epsilon in absolute value."""
    return _less(_loss(label, bit, epsilon), _ball(epsilon_symbol, epsilon))


def _largest(label: str, epsilon: float) -> Any:
    """The budget that a bit uses: the larger of the two losses."""
    return max((_loss(label, bit, epsilon) for bit in (0, 1)), key=lambda loss: float(loss.mid()))


def _used(label: str, epsilon: float) -> float:
    return float(_largest(label, epsilon).mid())


def _loss(label: str, bit: int, epsilon: float) -> Any:
    return abs(_ball(sp.log(ratio(label, bit)), epsilon))


def _ball(expression: Any, epsilon: float) -> Any:
    """A ball for the value at a decimal epsilon."""
    from pan_proofs.engines.balls import enclosure

    return enclosure(expression.subs(epsilon_symbol, sp.Rational(str(exactly(epsilon)))))


def _less(one: Any, other: Any) -> bool | None:
    """Whether one ball is below another; ``None`` if they overlap."""
    return True if one < other else False if one >= other else None


def _both(answers: Iterable[bool | None]) -> bool | None:
    known = list(answers)
    return False if False in known else None if None in known else True


_LIMITS = {"exp(epsilon)": sp.exp(epsilon_symbol), "exp(-epsilon)": sp.exp(-epsilon_symbol)}
_ALLOCATED, _ACTUAL = "allocated", "actual"


def _ratio_rows(labels: Sequence[str], bench: Bench) -> Sequence[Row]:
    curves: dict[str, sp.Expr] = {f"{label}, R({bit})": ratio(label, bit) for label in labels for bit in (1, 0)}
    rows = _curves(curves, EXACT, bench.setting)
    return [*rows, *_curves(_LIMITS, PUBLISHED_FORMULA, bench.setting)]


def _budget_rows(bench: Bench) -> Sequence[Row]:
    curves: dict[str, sp.Expr] = {_ACTUAL: -sp.log(1 - epsilon_symbol / 2)}
    return [
        *_curves(curves, EXACT, bench.setting),
        *_curves({_ALLOCATED: epsilon_symbol}, PUBLISHED_FORMULA, bench.setting),
    ]


def _curves(curves: Mapping[str, sp.Expr], kind: str, setting: Setting) -> list[Row]:
    return [
        Row("", series, kind, epsilon, float(form.subs(epsilon_symbol, epsilon)), epsilon=epsilon)
        for series, form in curves.items()
        for epsilon in setting.epsilons
    ]


def _figure(
    name: str, title: str, source: str, sentences: tuple[Sentence, ...], labels: Sequence[str] = ()
) -> Experiment:
    """The ratios of some estimators, or without any the budget of Dwork."""
    axes = ("privacy budget epsilon", "R(b) = f_upd(b) / f_init(b)")
    if not labels:
        axes = ("allocated budget epsilon", "budget that the state uses")

    def sheet(setting: Setting) -> Sheet:
        return Sheet((("",),), *axes, notes="The state alone.", styles=STYLES)

    return Experiment(name, title, source, sentences, partial(_ratio_rows, labels) if labels else _budget_rows, sheet)


def _sentence(name: str, source: str, states: str, meaning: str, condition: OfSetting) -> Sentence:
    return Sentence(name, source, states, meaning, condition, measured=False)


_STRICTLY = "both logarithms are below epsilon in absolute value at every budget, by balls"


def _dwork_within(figure: str, source: str) -> Sentence:
    return _sentence(
        f"{figure}.dwork-is-private",
        source,
        "Dwork's bits satisfy epsilon-differential privacy.",
        "R(0) and R(1) lie between exp(-epsilon) and exp(epsilon) at every budget, by balls",
        partial(within, (DWORK,)),
    )


def _dwork_unused(figure: str, source: str) -> Sentence:
    return _sentence(
        f"{figure}.dwork-wastes-budget",
        source,
        "Dwork's bits fail to use all of the budget.",
        _STRICTLY,
        partial(unused, DWORK),
    )


def _optbern_all(figure: str, source: str) -> Sentence:
    return _sentence(
        f"{figure}.optbern-uses-all",
        source,
        "OptBern's bits use all of the budget.",
        "R(1) = exp(epsilon) and R(0) = exp(-epsilon), identically in epsilon, by symbolic computation",
        uses_all,
    )


def _printed(figure: str, source: str) -> Sentence:
    return _sentence(
        f"{figure}.dwork-ratios",
        source,
        "For Dwork, R(0) = 1 - epsilon/2 and R(1) = 1 + epsilon/2.",
        "both equalities hold identically in epsilon, by symbolic computation",
        as_printed,
    )


def _actual(figure: str, source: str) -> Sentence:
    return _sentence(
        f"{figure}.actual-below-allocated",
        source,
        "The budget that Dwork's state uses is below the allocated one.",
        f"{_STRICTLY}; printed as the larger of log(1 + epsilon/2) and -log(1 - epsilon/2)",
        partial(unused, DWORK),
    )


FIGURE_2 = _figure(
    "figure-2",
    "State differential privacy of Dwork and OptBern",
    "paper, Figure 2",
    (
        _dwork_within("figure-2", "paper, section 4.1"),
        _dwork_unused("figure-2", "paper, section 4.1"),
        _printed("figure-2", "paper, section 4.1"),
        _optbern_all("figure-2", "paper, section 4.2"),
    ),
    (DWORK, OPTBERN),
)

FIGURE_3 = _figure(
    "figure-3",
    "Allocated and actual privacy budget of Dwork",
    "paper, Figure 3",
    (_actual("figure-3", "paper, section 4.1"),),
)

FIGURE_4_2 = _figure(
    "thesis-4.2",
    "Dwork: state differential privacy",
    "thesis, Figure 4.2",
    (
        _dwork_within("thesis-4.2", "thesis, section 4.3.1"),
        _dwork_unused("thesis-4.2", "thesis, section 4.3.1"),
        _printed("thesis-4.2", "thesis, section 4.3.1"),
    ),
    (DWORK,),
)

FIGURE_4_3 = _figure(
    "thesis-4.3",
    "Dwork: allocated and actual privacy budget",
    "thesis, Figure 4.3",
    (_actual("thesis-4.3", "thesis, section 4.3.1"),),
)

FIGURE_4_4 = _figure(
    "thesis-4.4",
    "Optimal Bernoulli: state differential privacy",
    "thesis, Figure 4.4",
    (_optbern_all("thesis-4.4", "thesis, section 4.3.2"),),
    (OPTBERN,),
)

FIGURE_4_7 = _figure(
    "thesis-4.7",
    "Quantized Laplace: state differential privacy",
    "thesis, Figure 4.7",
    (
        _sentence(
            "thesis-4.7.private",
            "thesis, section 4.4.3",
            "The quantised bits satisfy epsilon-differential privacy, as those of Algorithms 4.1 and 4.2.",
            "all ratios lie between exp(-epsilon) and exp(epsilon) at every budget, by balls",
            partial(within, (QLAP, DWORK, OPTBERN)),
        ),
        _sentence(
            "thesis-4.7.between",
            "thesis, section 4.4.3",
            "The budget that qLap uses is between those of Algorithms 4.1 and 4.2, as the figure shows.",
            "Dwork's is below qLap's, and that below epsilon, at every budget, by balls; the text states no more than "
            "that the used budgets are compared",
            between,
        ),
    ),
    (DWORK, OPTBERN, QLAP),
)
