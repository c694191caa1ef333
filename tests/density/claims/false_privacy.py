"""Deliberately false statements about joint losses: none may come out as proved."""

from collections.abc import Callable

import sympy as sp

from pan_proofs.density.lemmas.intrusions.coin_cells import COIN, half
from pan_proofs.density.lemmas.intrusions.maximal_ratio_steps import FIRST, SECOND
from pan_proofs.density.lemmas.intrusions.several_releases import joint_ratio, level, r
from pan_proofs.density.lemmas.intrusions.tanh_cells import ETA, PAIR
from pan_proofs.density.lemmas.losses.joint_loss import limit, state_factor
from pan_proofs.density.lemmas.losses.observations import p0, p1
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step
from pan_proofs.ledger.notation import epsilon
from pan_proofs.ledger.steps import at_most, below_on_box, equal

_pair = (p0 > 0, p0 < p1, p1 < 1, limit > 1)
_even = {p0: half, p1: half, limit: 1}
_e, _x = sp.symbols("e X", real=True)


def _claim(name: str, statement: str, *steps: Step) -> Claim:
    return Claim(
        id=f"false.{name}",
        title=name,
        references=(Reference("here", "false on purpose"),),
        statement=statement,
        parts=(Part(Role.PUBLISHED, name, statement, steps, no_formula="the steps are tested"),),
    )


def first_ratio_for_all_pairs() -> Claim:
    bound = Inequality("first", SECOND, FIRST, _pair, touching=_even)
    return _claim(
        "first_ratio_for_all_pairs", "the first ratio is the larger without a heavy pair", at_most("a", "", bound)
    )


def budgets_add_up() -> Claim:
    joint = state_factor * (1 + state_factor * limit) / (1 + state_factor)
    bound = Inequality("sum", state_factor * limit, joint, (state_factor > 1, limit > 1), touching={limit: 1})
    return _claim("budgets_add_up", "the joint loss is the sum of the budgets", at_most("a", "", bound))


def state_without_a_bound() -> Claim:
    within = (_e > 0, _e < 2, _x >= 1 + _e + _e**2 / 2)
    bound = Inequality("state", 1 / _x, 1 - _e / 2, within, touching={_e: 0, _x: 1})
    return _claim(
        "state_without_a_bound", "the coin's state keeps its budget for all epsilon below 2", at_most("a", "", bound)
    )


def half_of_the_budget() -> Claim:
    step = below_on_box(
        "a",
        "",
        -sp.log(1 - epsilon / 2),
        epsilon / 2 + epsilon**2 / 8,
        {epsilon: (sp.Rational(1, 10), half)},
        closest={epsilon: sp.Rational(1, 10)},
    )
    return _claim("half_of_the_budget", "the state of Algorithm 1 uses eps/2 + eps^2/8", step)


def output_with_one_over_m() -> Claim:
    size = sp.Symbol("m", positive=True)
    moved = (1 / (size * (COIN[1] - COIN[0]))) / (1 / (epsilon * size))
    return _claim("output_with_one_over_m", "one bit weighs epsilon", equal("a", "", "", moved, epsilon))


def algorithm_2_keeps_its_promise() -> Claim:
    value = FIRST.subs({p0: PAIR[0], p1: PAIR[1], limit: sp.exp(ETA)}, simultaneous=True)
    step = below_on_box(
        "a",
        "",
        value,
        sp.exp(2 * epsilon),
        {epsilon: (sp.Rational(1, 10), half)},
        closest={epsilon: half},
    )
    return _claim("algorithm_2_keeps_its_promise", "2 epsilon jointly", step)


def several_outputs_share_nothing() -> Claim:
    outputs = sp.Symbol("R", integer=True, positive=True)
    step = equal("a", "", "", joint_ratio(outputs), joint_ratio() ** outputs)
    return _claim("several_outputs_share_nothing", "R outputs lose R times as much with the state", step)


def merging_in_both_directions() -> Claim:
    one, other = sp.symbols("a b", real=True)
    within = (state_factor > 1, one > 0, other > 0)
    bound = Inequality("merge", level(one) * level(other), level(one * other), within, touching={one: 1})
    return _claim("merging_in_both_directions", "merging never lowers", at_most("a", "", bound))


def noise_for_a_sum() -> Claim:
    total = sp.Symbol("S", positive=True)
    step = equal("a", "", "", joint_ratio().subs(r, total / state_factor), total)
    return _claim("noise_for_a_sum", "r = S/E gives the joint loss log S", step)


def state_gets_everything() -> Claim:
    total, size = sp.symbols("S m", positive=True)
    split = total * (1 - 1 / size)
    found = sp.limit(split, size, sp.oo)
    return _claim("state_gets_everything", "the best split is E = S (1 - 1/m)", equal("a", "", "", split, found))


FALSE: dict[str, tuple[str, Callable[[], Claim]]] = {
    "first_ratio_for_all_pairs": ("missing hypothesis", first_ratio_for_all_pairs),
    "budgets_add_up": ("wrong sign", budgets_add_up),
    "state_without_a_bound": ("wrong range", state_without_a_bound),
    "half_of_the_budget": ("correct only in the limit", half_of_the_budget),
    "output_with_one_over_m": ("wrong constant", output_with_one_over_m),
    "algorithm_2_keeps_its_promise": ("wrong constant", algorithm_2_keeps_its_promise),
    "several_outputs_share_nothing": ("wrong constant", several_outputs_share_nothing),
    "merging_in_both_directions": ("missing hypothesis", merging_in_both_directions),
    "noise_for_a_sum": ("wrong constant", noise_for_a_sum),
    "state_gets_everything": ("correct only in the limit", state_gets_everything),
}
