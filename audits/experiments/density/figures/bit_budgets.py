"""The part of the budget that a bit of the state uses: symbolic identities, and inequalities by balls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sympy as sp

from experiments.density.contenders import DWORK, OPTBERN, QLAP
from experiments.density.figures.comparisons import exactly
from experiments.density.setting import Setting
from experiments.toolkit.conditions import Condition, Fact, everywhere

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
