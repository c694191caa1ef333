"""What the bits use of the budget: paper, Figures 2 and 3; thesis, Figures 4.2 to 4.4 and 4.7."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import sympy as sp

from pan_audits.experiments.bench import Bench
from pan_audits.experiments.conditions import Condition, Fact, everywhere
from pan_audits.experiments.contenders import DWORK, OPTBERN, QLAP
from pan_audits.experiments.experiment import EXACT, PUBLISHED_FORMULA, Experiment, Row, Sheet
from pan_audits.experiments.figures.comparisons import exactly
from pan_audits.experiments.sentence import Sentence
from pan_audits.experiments.setting import Setting

_e = sp.Symbol("epsilon", positive=True)

PAIRS: Mapping[str, tuple[sp.Expr, sp.Expr]] = {
    DWORK: (sp.Rational(1, 2), sp.Rational(1, 2) + _e / 4),
    OPTBERN: ((1 - sp.tanh(_e / 2)) / 2, (1 + sp.tanh(_e / 2)) / 2),
    QLAP: (sp.exp(-_e / 2) / 2, 1 - sp.exp(-_e / 2) / 2),
}
"""The probabilities of a one, before and after an appearance, as printed."""

_LIMITS = {"exp(epsilon)": sp.exp(_e), "exp(-epsilon)": sp.exp(-_e)}
_ALLOCATED, _ACTUAL = "allocated", "actual"


def ratio(label: str, bit: int) -> sp.Expr:
    """``R(b) = f_upd(b)/f_init(b)``."""
    before, after = PAIRS[label]
    return after / before if bit else (1 - after) / (1 - before)


def used(label: str) -> sp.Expr:
    """The budget that a bit uses: the larger of the two absolute logarithms."""
    return sp.Max(*(sp.Abs(sp.log(ratio(label, bit))) for bit in (0, 1)))


def _ball(expression: Any, epsilon: float) -> Any:
    """A ball for the value at a decimal epsilon."""
    from pan_proofs.balls import enclosure

    return enclosure(expression.subs(_e, sp.Rational(str(exactly(epsilon)))))


def _within(labels: Sequence[str], setting: Setting, seed: int) -> Condition:
    """The ratios are within the limits; on them only if they are equal to them for all epsilon."""
    facts = []
    for label in labels:
        for epsilon in setting.epsilons:
            logs = [_loss(label, bit, epsilon) for bit in (0, 1)]
            worst = max(float(abs(one).mid()) for one in logs) / epsilon
            inside = all(_exhausts(label, bit) or bool(abs(one) < _ball(_e, epsilon)) for bit, one in enumerate(logs))
            facts.append(Fact(f"epsilon = {epsilon:g}", f"used part of the budget, {label}", inside, worst, high=1))
    return everywhere(facts)


def _unused(label: str, setting: Setting, seed: int) -> Condition:
    facts = []
    for epsilon in setting.epsilons:
        losses = [abs(_loss(label, bit, epsilon)) for bit in (0, 1)]
        below = all(bool(one < _ball(_e, epsilon)) for one in losses)
        part = max(float(one.mid()) for one in losses) / epsilon
        facts.append(Fact(f"epsilon = {epsilon:g}", f"used part of the budget, {label}", below, part, high=1))
    return everywhere(facts)


def _loss(label: str, bit: int, epsilon: float) -> Any:
    return _ball(sp.log(ratio(label, bit)), epsilon)


def _exhausts(label: str, bit: int) -> bool:
    """Whether a ratio is equal to one of its limits for every epsilon."""
    target = sp.exp(_e) if bit else sp.exp(-_e)
    return bool(sp.simplify((ratio(label, bit) - target).rewrite(sp.exp)) == 0)


def _uses_all(setting: Setting, seed: int) -> Condition:
    return everywhere(
        [
            Fact(f"R({bit}), every epsilon", "used part of the budget, OptBern", _exhausts(OPTBERN, bit), 1.0)
            for bit in (0, 1)
        ]
    )


def _ratios_as_printed(setting: Setting, seed: int) -> Condition:
    printed = {0: 1 - _e / 2, 1: 1 + _e / 2}
    return everywhere(
        [
            Fact(
                f"R({bit}), every epsilon",
                "difference from the printed ratio",
                sp.simplify(ratio(DWORK, bit) - form) == 0,
                0.0,
            )
            for bit, form in printed.items()
        ]
    )


def _between(setting: Setting, seed: int) -> Condition:
    facts = []
    for epsilon in setting.epsilons:
        budgets = [
            max((abs(_loss(label, bit, epsilon)) for bit in (0, 1)), key=lambda one: float(one.mid()))
            for label in (DWORK, QLAP)
        ]
        ordered = bool(budgets[0] < budgets[1]) and bool(budgets[1] < _ball(_e, epsilon))
        facts.append(
            Fact(
                f"epsilon = {epsilon:g}",
                "used part of the budget, qLap",
                ordered,
                float(budgets[1].mid()) / epsilon,
                high=1,
            )
        )
    return everywhere(facts)


def _ratio_rows(labels: Sequence[str], bench: Bench) -> Sequence[Row]:
    curves: dict[str, sp.Expr] = {f"{label}, R({bit})": ratio(label, bit) for label in labels for bit in (1, 0)}
    rows = _curves(curves, EXACT, bench.setting)
    return [*rows, *_curves(_LIMITS, PUBLISHED_FORMULA, bench.setting)]


def _budget_rows(bench: Bench) -> Sequence[Row]:
    curves: dict[str, sp.Expr] = {_ACTUAL: -sp.log(1 - _e / 2)}
    return [*_curves(curves, EXACT, bench.setting), *_curves({_ALLOCATED: _e}, PUBLISHED_FORMULA, bench.setting)]


def _curves(curves: Mapping[str, sp.Expr], kind: str, setting: Setting) -> list[Row]:
    return [
        Row("", series, kind, epsilon, float(form.subs(_e, epsilon)), epsilon=epsilon)
        for series, form in curves.items()
        for epsilon in setting.epsilons
    ]


def _ratio_sheet(setting: Setting) -> Sheet:
    return Sheet((("",),), "privacy budget epsilon", "R(b) = f_upd(b) / f_init(b)", notes="The state alone.")


def _budget_sheet(setting: Setting) -> Sheet:
    return Sheet((("",),), "allocated budget epsilon", "budget that the state uses", notes="The state alone.")


def _figure(
    name: str,
    title: str,
    source: str,
    sentences: tuple[Sentence, ...],
    rows: Callable[[Bench], Sequence[Row]],
    sheet: Callable[[Setting], Sheet] = _ratio_sheet,
) -> Experiment:
    return Experiment(name, title, source, sentences, rows, sheet)


def _sentence(
    name: str, source: str, states: str, meaning: str, condition: Callable[[Setting, int], Condition]
) -> Sentence:
    return Sentence(name, source, states, meaning, condition, measured=False)


_STRICTLY = "both logarithms are below epsilon in absolute value at every budget, by balls"


def _dwork_within(figure: str, source: str) -> Sentence:
    return _sentence(
        f"{figure}.dwork-is-private",
        source,
        "Dwork's bits satisfy epsilon-differential privacy.",
        "R(0) and R(1) lie between exp(-epsilon) and exp(epsilon) at every budget, by balls",
        partial(_within, (DWORK,)),
    )


def _dwork_unused(figure: str, source: str) -> Sentence:
    return _sentence(
        f"{figure}.dwork-wastes-budget",
        source,
        "Dwork's bits fail to use all of the budget.",
        _STRICTLY,
        partial(_unused, DWORK),
    )


def _optbern_all(figure: str, source: str) -> Sentence:
    return _sentence(
        f"{figure}.optbern-uses-all",
        source,
        "OptBern's bits use all of the budget.",
        "R(1) = exp(epsilon) and R(0) = exp(-epsilon), identically in epsilon, by symbolic computation",
        _uses_all,
    )


def _printed(figure: str, source: str) -> Sentence:
    return _sentence(
        f"{figure}.dwork-ratios",
        source,
        "For Dwork, R(0) = 1 - epsilon/2 and R(1) = 1 + epsilon/2.",
        "both equalities hold identically in epsilon, by symbolic computation",
        _ratios_as_printed,
    )


def _actual(figure: str, source: str) -> Sentence:
    return _sentence(
        f"{figure}.actual-below-allocated",
        source,
        "The budget that Dwork's state uses, the larger of log(1 + epsilon/2) and -log(1 - epsilon/2), is below the "
        "allocated one.",
        _STRICTLY,
        partial(_unused, DWORK),
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
    partial(_ratio_rows, (DWORK, OPTBERN)),
)

FIGURE_3 = _figure(
    "figure-3",
    "Allocated and actual privacy budget of Dwork",
    "paper, Figure 3",
    (_actual("figure-3", "paper, section 4.1"),),
    _budget_rows,
    _budget_sheet,
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
    partial(_ratio_rows, (DWORK,)),
)

FIGURE_4_3 = _figure(
    "thesis-4.3",
    "Dwork: allocated and actual privacy budget",
    "thesis, Figure 4.3",
    (_actual("thesis-4.3", "thesis, section 4.3.1"),),
    _budget_rows,
    _budget_sheet,
)

FIGURE_4_4 = _figure(
    "thesis-4.4",
    "Optimal Bernoulli: state differential privacy",
    "thesis, Figure 4.4",
    (_optbern_all("thesis-4.4", "thesis, section 4.3.2"),),
    partial(_ratio_rows, (OPTBERN,)),
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
            partial(_within, (QLAP, DWORK, OPTBERN)),
        ),
        _sentence(
            "thesis-4.7.between",
            "thesis, section 4.4.3",
            "The figure compares the used budgets: qLap's is between those of Algorithms 4.1 and 4.2; the text states "
            "no more than that they are compared.",
            "Dwork's is below qLap's, and that below epsilon, at every budget, by balls",
            _between,
        ),
    ),
    partial(_ratio_rows, (DWORK, OPTBERN, QLAP)),
)
