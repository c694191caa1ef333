"""The part of the budget that the bits use: paper, Figures 2 and 3; thesis, Figures 4.2 to 4.4 and 4.7."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import sympy as sp

from experiments.density.contenders import DWORK, OPTBERN, QLAP
from experiments.density.figures.bit_budgets import (
    as_printed,
    between,
    epsilon_symbol,
    ratio,
    unused,
    uses_all,
    within,
)
from experiments.density.setting import Setting
from experiments.toolkit.bench import Bench
from experiments.toolkit.conditions import Condition
from experiments.toolkit.experiment import EXACT, PUBLISHED_FORMULA, Experiment, Row, Sheet
from experiments.toolkit.sentence import Sentence

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
    partial(_ratio_rows, (DWORK, OPTBERN, QLAP)),
)
