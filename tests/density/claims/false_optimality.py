"""Deliberately false statements about private pairs, cells and counts: none may come out as proved."""

from collections.abc import Callable

import sympy as sp

from pan_proofs.density.lemmas.optimality.private_pairs import keeps_budget, slacks, tanh_pair
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step
from pan_proofs.ledger.notation import epsilon, p_init, p_upd, x
from pan_proofs.ledger.steps import at_most, below_on_box, equal

_gap = p_upd - p_init
_at_tanh = {x: 2, p_init: sp.Rational(1, 3), p_upd: sp.Rational(2, 3)}
_c, _chi, _a, _b = sp.symbols("c chi2 a b", real=True)


def _claim(name: str, statement: str, *steps: Step) -> Claim:
    return Claim(
        id=f"false.{name}",
        title=name,
        references=(Reference("here", "false on purpose"),),
        statement=statement,
        parts=(Part(Role.PUBLISHED, name, statement, steps, no_formula="the steps are tested"),),
    )


def gap_with_a_two() -> Claim:
    bound = Inequality("gap", _gap, (x - 1) / (x + 2), keeps_budget(), touching={x: 1, p_init: 0, p_upd: 0})
    return _claim("gap_with_a_two", r"$p_1 - p_0 \le (x-1)/(x+2)$", at_most("gap", "", bound))


def gap_without_zeros() -> Claim:
    within = (x > 1, p_init >= 0, p_init <= 1, p_upd >= 0, p_upd <= 1, slacks()[0] >= 0, slacks()[1] >= 0)
    bound = Inequality("gap", _gap, (x - 1) / (x + 1), within, touching=_at_tanh)
    return _claim("gap_without_zeros", r"$p_1 \le x p_0$ alone bounds the gap", at_most("gap", "", bound))


def unique_up_to_nothing() -> Claim:
    tight = (*keeps_budget(), sp.Ne(_gap, 0), sp.Eq(p_init * (1 - p_init) * (x - 1) ** 2, x * _gap**2))
    bound = Inequality("unique", p_init, tanh_pair[0], tight, touching=_at_tanh)
    return _claim("unique_up_to_nothing", r"equality forces $p_0 = 1/(1+x)$", at_most("unique", "", bound))


def published_family_up_to_four_fifths() -> Claim:
    third = slacks((2 * _c / (1 + x), 2 * x * _c / (1 + x)))[2]
    bound = Inequality(
        "family", 0, third, (x > 1, _c > 0, _c <= sp.Rational(4, 5)), touching={x: 2, _c: sp.Rational(1, 2)}
    )
    return _claim("published_family", r"$c(1 \mp t)$ is private for $c \le 4/5$", at_most("family", "", bound))


def floor_of_one_over_epsilon_squared() -> Claim:
    step = below_on_box(
        "floor",
        "",
        1 / epsilon**2,
        1 / (4 * sp.sinh(epsilon / 2) ** 2),
        {epsilon: (sp.Rational(1, 10), sp.Integer(1))},
        closest={epsilon: sp.Rational(1, 10)},
    )
    return _claim("floor_one_over_epsilon_squared", r"the variance is at least $1/\varepsilon^2$", step)


def floor_twice_as_high() -> Claim:
    bound = Inequality(
        "floor",
        2 * x / (x - 1) ** 2,
        1 / _chi,
        (x > 1, _chi > 0, _chi <= (x - 1) ** 2 / x),
        touching={x: 2, _chi: sp.Rational(1, 4)},
    )
    return _claim("floor_twice_as_high", r"the floor is $1/(2\sinh^2(\varepsilon/2))$", at_most("floor", "", bound))


def kernel_with_exchanged_distributions() -> Claim:
    absent, present = sp.symbols("P_0 P_1", real=True)
    one, zero = (x * absent - present) / (x - 1), (x * present - absent) / (x - 1)
    made = tanh_pair[1] * one + (1 - tanh_pair[1]) * zero
    return _claim("kernel_exchanged", r"$K_1 = (xP_0 - P_1)/(x-1)$", equal("kernel", "", "P_1", made, present))


def doubt_of_a_fair_coin() -> Claim:
    bound = Inequality(
        "doubt",
        sp.Rational(1, 4),
        _a * _b / (_a + _b) ** 2,
        (x > 1, _a > 0, _b > 0, _a <= x * _b, _b <= x * _a),
        touching={x: 2, _a: 1, _b: 1},
    )
    return _claim("doubt_of_a_fair_coin", r"the error is at least $k/16$", at_most("doubt", "", bound))


def doubt_without_one_direction() -> Claim:
    bound = Inequality(
        "doubt",
        x / (1 + x) ** 2,
        _a * _b / (_a + _b) ** 2,
        (x > 1, _a > 0, _b > 0, _a <= x * _b),
        touching={x: 2, _a: 2, _b: 1},
    )
    return _claim("doubt_one_direction", r"$a \le xb$ alone leaves doubt", at_most("doubt", "", bound))


FALSE: dict[str, tuple[str, Callable[[], Claim]]] = {
    "gap_with_a_two": ("wrong constant", gap_with_a_two),
    "gap_without_zeros": ("missing hypothesis", gap_without_zeros),
    "unique_up_to_nothing": ("missing hypothesis", unique_up_to_nothing),
    "published_family_up_to_four_fifths": ("wrong range", published_family_up_to_four_fifths),
    "floor_of_one_over_epsilon_squared": ("correct only in the limit", floor_of_one_over_epsilon_squared),
    "floor_twice_as_high": ("wrong constant", floor_twice_as_high),
    "kernel_with_exchanged_distributions": ("wrong sign", kernel_with_exchanged_distributions),
    "doubt_of_a_fair_coin": ("correct only in the limit", doubt_of_a_fair_coin),
    "doubt_without_one_direction": ("missing hypothesis", doubt_without_one_direction),
}
