"""Deliberately false statements about calibrated losses and their noise: none may come out as proved."""

from collections.abc import Callable
from fractions import Fraction

import sympy as sp

from pan_proofs.density.lemmas.intrusions.split_error import CELLS, NOISE
from pan_proofs.density.lemmas.losses.cell_enumeration import Cell, largest_joint_ratio
from pan_proofs.density.lemmas.losses.joint_loss import Setting, limit, maximal_ratios, state_factor
from pan_proofs.density.lemmas.losses.joint_loss_proofs import noise_factor, total_factor
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step
from pan_proofs.ledger.notation import m
from pan_proofs.ledger.steps import at_most, equal, found

_E, _S, _c, _x, _X = state_factor, total_factor, *sp.symbols("c x X", real=True)


def _claim(name: str, statement: str, *steps: Step) -> Claim:
    return Claim(
        id=f"false.{name}",
        title=name,
        references=(Reference("here", "false on purpose"),),
        statement=statement,
        parts=(Part(Role.PUBLISHED, name, statement, steps, no_formula="the steps are tested"),),
    )


def sum_of_budgets() -> Claim:
    (worst,) = maximal_ratios(Setting("symmetric"))
    return _claim("sum", r"the joint loss is $\varepsilon_1 + \log r$", equal("sum", "", "", worst.value, _E * limit))


def noise_with_a_plus() -> Claim:
    (worst,) = maximal_ratios(Setting("symmetric"))
    wrong = _S / _E + _S / _E**2 + 1 / _E
    return _claim("plus", r"$r = S/E + S/E^2 + 1/E$", equal("plus", "", "", worst.value.subs(limit, wrong), _S))


def noise_for_every_total() -> Claim:
    bound = Inequality("exists", sp.S.One, noise_factor(), (_E > 1, _S > 1), strict=True, touching={_E: 2, _S: 2})
    return _claim("every_total", r"there is a noise for every $T > 0$", at_most("exists", "", bound))


def family_without_the_zero() -> Claim:
    bound = Inequality(
        "family",
        1 - _c + _x,
        _X * (1 - _c - _x),
        (_X > 1, _c > 0, _x > 0, _c + _x < 1, _x * (_X + 1) <= _c * (_X - 1)),
        touching={_X: 2, _c: sp.Rational(1, 2), _x: sp.Rational(1, 6)},
    )
    return _claim("family", r"$x \le c \tanh(\varepsilon/2)$ suffices for every $c$", at_most("family", "", bound))


def outputs_for_nothing() -> Claim:
    state, rate = Fraction(3, 2), Fraction(2)
    cell = Cell(((1 / (1 + state), state / (1 + state)),), (), 1 / rate, rate)
    step = found(
        "outputs",
        "",
        "the largest ratio with two outputs, E = 3/2, r = 2",
        lambda: largest_joint_ratio(cell, outputs=2),
        Fraction(12, 5),
    )
    return _claim("outputs", "a second output costs nothing", step)


def noise_does_not_matter() -> Claim:
    error = CELLS / m + NOISE / m**2
    return _claim("noise", r"the error is that of the bits", equal("noise", "", "", m * error, CELLS))


FALSE: dict[str, tuple[str, Callable[[], Claim]]] = {
    "the budgets add up": ("wrong constant", sum_of_budgets),
    "the noise with a plus": ("wrong sign", noise_with_a_plus),
    "a noise for every total": ("wrong range", noise_for_every_total),
    "the family without its zeros": ("missing hypothesis", family_without_the_zero),
    "several outputs for one": ("wrong constant", outputs_for_nothing),
    "the noise does not matter": ("correct only in the limit", noise_does_not_matter),
}
