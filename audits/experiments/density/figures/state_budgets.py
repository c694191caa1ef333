"""The part of the budget that the state uses: paper, Figures 2 and 3; thesis, Figures 4.2 to 4.4, 4.6 and 4.7."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import sympy as sp

from experiments.density.contenders import DWORK, OPTBERN, QLAP, STYLES, Setting
from experiments.density.figures.comparisons import Conditions, exactly
from experiments.toolkit.conditions import Fact
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


def within(labels: Sequence[str], bench: Bench) -> list[Fact]:
    """The ratios are within the limits; on them only if they are equal to them for all epsilon."""
    return [
        _fact(label, epsilon, _both(exhausts(label, bit) or _below(label, bit, epsilon) for bit in (0, 1)))
        for label in labels
        for epsilon in bench.setting.epsilons
    ]


def unused(bench: Bench) -> list[Fact]:
    """Both ratios of Dwork are strictly within the limits."""
    return [
        _fact(DWORK, epsilon, _both(_below(DWORK, bit, epsilon) for bit in (0, 1)))
        for epsilon in bench.setting.epsilons
    ]


def uses_all(bench: Bench) -> list[Fact]:
    """The ratios of OptBern are the limits."""
    last = bench.setting.epsilons[-1]
    what = f"used part of the budget, {OPTBERN}"
    part = _used(OPTBERN, last) / last
    return [Fact(f"R({bit}), every epsilon", what, exhausts(OPTBERN, bit), part) for bit in (0, 1)]


def as_printed(bench: Bench) -> list[Fact]:
    """The ratios of Dwork are the printed ones."""
    facts = []
    for bit, form in {0: 1 - epsilon_symbol / 2, 1: 1 + epsilon_symbol / 2}.items():
        difference = sp.simplify(ratio(DWORK, bit) - form)
        size = float(abs(difference.subs(epsilon_symbol, bench.setting.epsilons[-1])))
        facts.append(Fact(f"R({bit}), every epsilon", "difference from the printed ratio", difference == 0, size))
    return facts


def between(bench: Bench) -> list[Fact]:
    """The quantised bits use more than Dwork's, and less than the whole budget."""
    facts = []
    for epsilon in bench.setting.epsilons:
        ordered = _less(_largest(DWORK, epsilon), _largest(QLAP, epsilon))
        facts.append(_fact(QLAP, epsilon, _both((ordered, *(_below(QLAP, bit, epsilon) for bit in (0, 1))))))
    return facts


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


_STRICTLY = "both logarithms are below epsilon in absolute value at every budget, by balls"

_ABOUT: Mapping[str, tuple[str, str, Conditions]] = {
    "dwork-is-private": (
        "Dwork's bits satisfy epsilon-differential privacy.",
        "R(0) and R(1) lie between exp(-epsilon) and exp(epsilon) at every budget, by balls",
        partial(within, (DWORK,)),
    ),
    "dwork-wastes-budget": ("Dwork's bits fail to use all of the budget.", _STRICTLY, unused),
    "dwork-ratios": (
        "For Dwork, R(0) = 1 - epsilon/2 and R(1) = 1 + epsilon/2.",
        "both equalities hold identically in epsilon, by symbolic computation",
        as_printed,
    ),
    "optbern-uses-all": (
        "OptBern's bits use all of the budget.",
        "R(1) = exp(epsilon) and R(0) = exp(-epsilon), identically in epsilon, by symbolic computation",
        uses_all,
    ),
    "actual-below-allocated": (
        "The budget that Dwork's state uses is below the allocated one.",
        f"{_STRICTLY}; printed as the larger of log(1 + epsilon/2) and -log(1 - epsilon/2)",
        unused,
    ),
    "private": (
        "The quantised bits satisfy epsilon-differential privacy, as those of Algorithms 4.1 and 4.2.",
        "all ratios lie between exp(-epsilon) and exp(epsilon) at every budget, by balls",
        partial(within, (QLAP, DWORK, OPTBERN)),
    ),
    "between": (
        "The budget that qLap uses is between those of Algorithms 4.1 and 4.2, as the figure shows.",
        "Dwork's is below qLap's, and that below epsilon, at every budget, by balls; the text states no more than "
        "that the used budgets are compared",
        between,
    ),
}
"""What the sources say about these figures: each sentence, its meaning as a test, and its conditions."""


def _figure(
    name: str, title: str, about: Sequence[tuple[str, str]], labels: Sequence[str] = (), source: str = "thesis"
) -> Experiment:
    """The ratios of some estimators, or without any the budget of Dwork; and sentences with their sections."""
    axes = ("privacy budget epsilon", "R(b) = f_upd(b) / f_init(b)")
    if not labels:
        axes = ("allocated budget epsilon", "budget that the state uses")
    return Experiment(
        name,
        title,
        f"{source}, Figure {name.partition('-')[2]}",
        tuple(
            Sentence(f"{name}.{one}", f"{source}, section {section}", *_ABOUT[one], measured=False)
            for one, section in about
        ),
        partial(_ratio_rows, labels) if labels else _budget_rows,
        lambda setting: Sheet((("",),), *axes, notes="The state alone.", styles=STYLES),
    )


_OF_DWORK = ("dwork-is-private", "dwork-wastes-budget", "dwork-ratios")


INITIAL, UPDATED, SCALE = Fraction(45, 100), Fraction(55, 100), Fraction(1)
"""As printed in Figure 4.6: means 0.45 and 0.55, scale 1, hence epsilon = 0.1."""

BUDGET = (UPDATED - INITIAL) / SCALE

PRINTED = (Fraction(456, 1000), Fraction(545, 1000))
"""The interval on which the source says that the budget is not consumed."""

_OUTSIDE = [end + sign * Fraction(step, 10) for end, sign in ((INITIAL, -1), (UPDATED, 1)) for step in range(31)]
_BETWEEN = [INITIAL + (UPDATED - INITIAL) * Fraction(step, 100) for step in range(1, 100)]


def log_ratio(x: Fraction) -> Fraction:
    """The logarithm of ``f_upd(x)/f_init(x)``, in exact arithmetic: piecewise linear with breaks at the means."""
    return (abs(x - INITIAL) - abs(x - UPDATED)) / SCALE


def _fact_at(points: Sequence[Fraction], where: str, true: bool) -> Fact:
    return Fact(where, "used part of the budget", true, float(max(abs(log_ratio(x)) for x in points) / BUDGET), high=1)


def _tight_outside(bench: Bench) -> list[Fact]:
    return [
        _fact_at(_OUTSIDE, "outside the means", all(abs(log_ratio(x)) == BUDGET for x in _OUTSIDE)),
        _fact_at(_BETWEEN, "between the means", all(abs(log_ratio(x)) < BUDGET for x in _BETWEEN)),
    ]


def _takes_both(bench: Bench) -> list[Fact]:
    both = log_ratio(UPDATED) == BUDGET and log_ratio(INITIAL) == -BUDGET
    return [_fact_at((INITIAL, UPDATED), "at the two means", both)]


def _inside_printed(bench: Bench) -> list[Fact]:
    # The ratio is monotone between the means, so that the ends of the interval decide.
    ends = all(INITIAL < x < UPDATED and abs(log_ratio(x)) < BUDGET for x in PRINTED)
    return [_fact_at(PRINTED, "on [0.456, 0.545]", ends)]


def _just_printed(bench: Bench) -> list[Fact]:
    edges = (INITIAL + Fraction(1, 1000), UPDATED - Fraction(1, 1000))
    return [_fact_at(edges, "at 0.451 and 0.549", all(abs(log_ratio(x)) == BUDGET for x in edges))]


def _laplace_rows(bench: Bench) -> Sequence[Row]:
    grid = sorted({Fraction(step, 50) for step in range(-100, 151)} | {INITIAL, UPDATED})
    rows = []
    for x in grid:
        at = float(x)
        before, after = (math.exp(-abs(float(x - mean))) / 2 for mean in (INITIAL, UPDATED))
        rows += [
            Row("densities", "initial", EXACT, at, before),
            Row("densities", "update", EXACT, at, after),
            Row("ratio", "ratio", EXACT, at, math.exp(float(log_ratio(x)))),
            Row("ratio", "exp(epsilon)", PUBLISHED_FORMULA, at, math.exp(float(BUDGET))),
            Row("ratio", "exp(-epsilon)", PUBLISHED_FORMULA, at, math.exp(-float(BUDGET))),
        ]
    return rows


_CONSUMED = "The budget is not all consumed on [0.456, 0.545]"

FIGURE_4_6 = Experiment(
    "thesis-4.6",
    "The Laplace distributions of Algorithm 4.3",
    "thesis, Figure 4.6",
    tuple(
        Sentence(f"thesis-4.6.{name}", f"thesis, {place}", states, meaning, condition, measured=False)
        for name, place, states, meaning, condition in (
            (
                "tight-outside",
                "section 4.4.1",
                "The ratio of the two densities satisfies the definition tightly, except between the means.",
                "in exact arithmetic the ratio is exp(epsilon) or exp(-epsilon) at points outside the means, and "
                "strictly between at points between them; it is linear in the logarithm there, so that points decide",
                _tight_outside,
            ),
            (
                "uses-all",
                "section 4.4.1",
                "Since the ratio gets almost to both limits, Algorithm 4.3 uses all of the budget.",
                "the ratio takes both limits, at the means",
                _takes_both,
            ),
            (
                "interval",
                "caption of Figure 4.6",
                f"{_CONSUMED}.",
                "the ratio is strictly between its limits there, in exact arithmetic",
                _inside_printed,
            ),
            (
                "interval-is-all",
                "caption of Figure 4.6",
                f"{_CONSUMED}; read as: only there.",
                "at 0.451 and 0.549, between the means but outside the interval, the ratio is at its limits",
                _just_printed,
            ),
        )
    ),
    _laplace_rows,
    lambda setting: Sheet(
        (("densities", "ratio"),),
        "x",
        "density, ratio",
        notes="Means 0.45 and 0.55, scale 1, epsilon = 0.1, as printed.",
    ),
)

FIGURES: Mapping[str, Experiment] = {
    one.name: one
    for one in (
        _figure(
            "figure-2",
            "State differential privacy of Dwork and OptBern",
            [*((name, "4.1") for name in _OF_DWORK), ("optbern-uses-all", "4.2")],
            (DWORK, OPTBERN),
            "paper",
        ),
        _figure(
            "figure-3",
            "Allocated and actual privacy budget of Dwork",
            [("actual-below-allocated", "4.1")],
            source="paper",
        ),
        _figure("thesis-4.2", "Dwork: state differential privacy", [(name, "4.3.1") for name in _OF_DWORK], (DWORK,)),
        _figure("thesis-4.3", "Dwork: allocated and actual privacy budget", [("actual-below-allocated", "4.3.1")]),
        _figure(
            "thesis-4.4", "Optimal Bernoulli: state differential privacy", [("optbern-uses-all", "4.3.2")], (OPTBERN,)
        ),
        FIGURE_4_6,
        _figure(
            "thesis-4.7",
            "Quantized Laplace: state differential privacy",
            [("private", "4.4.3"), ("between", "4.4.3")],
            (DWORK, OPTBERN, QLAP),
        ),
    )
}
