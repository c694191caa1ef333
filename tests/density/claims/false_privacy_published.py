"""Deliberately false statements about the privacy of the published estimators: none may come out as proved."""

from collections.abc import Callable

import sympy as sp

from pan_proofs.density.lemmas.intrusions.coin_cells import COIN, FACTOR, ONCE, half, ratio_of_bits
from pan_proofs.density.lemmas.intrusions.published_events import added_appearance, event_refutes
from pan_proofs.density.lemmas.losses.joint_loss import Setting, limit, maximal_ratios, state_factor
from pan_proofs.density.lemmas.losses.observations import p0, p1
from pan_proofs.density.lemmas.losses.published_losses import noise_eta, optimal_pair, published_loss
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step
from pan_proofs.ledger.notation import epsilon
from pan_proofs.ledger.steps import at_most, below_on_box, counterexample, equal

_e, _x = sp.symbols("e x", real=True)
_pair = (p0 > 0, p0 < p1, p1 < 1, limit > 1)


def _claim(name: str, statement: str, *steps: Step) -> Claim:
    return Claim(
        id=f"false.{name}",
        title=name,
        references=(Reference("here", "false on purpose"),),
        statement=statement,
        parts=(Part(Role.PUBLISHED, name, statement, steps, no_formula="the steps are tested"),),
    )


def one_bit_weighs_its_share_of_the_density() -> Claim:
    step = equal("weight", "", r"\eta", noise_eta(COIN[1] - COIN[0]), epsilon)
    return _claim("share_of_the_density", r"the sensitivity of the output is $1/m$", step)


def printed_promise_of_the_coin() -> Claim:
    loss = published_loss("dwork").loss
    step = below_on_box(
        "promise",
        "",
        loss,
        2 * epsilon,
        {epsilon: (sp.Rational(1, 100), half)},
        closest={epsilon: half},
    )
    return _claim("printed_promise", r"Algorithm 1 is $2\varepsilon$-pan-private", step)


def first_ratio_suffices_for_every_pair() -> Claim:
    (first,) = (one.value for one in maximal_ratios(Setting("heavy")))
    (second,) = (one.value for one in maximal_ratios(Setting("general")) if sp.simplify(one.value - first) != 0)
    together = {p0: half, p1: half, limit: 1}
    bound = Inequality("first", second, first, _pair, touching=together)
    return _claim("first_suffices", r"the loss is $\log B(q_1 + p_1 r)$ for every pair", at_most("first", "", bound))


def second_ratio_is_the_larger_one_of_heavy_pairs() -> Claim:
    (first,) = (one.value for one in maximal_ratios(Setting("heavy")))
    (second,) = (one.value for one in maximal_ratios(Setting("general")) if sp.simplify(one.value - first) != 0)
    together = {p0: half, p1: half, limit: 1}
    bound = Inequality("second", first, second, (*_pair, p0 + p1 >= 1), touching=together)
    return _claim("second_is_larger", r"the loss is $\log A(p_1 + q_1 r)$ if $p_0+p_1 \ge 1$", at_most("s", "", bound))


def state_private_beyond_the_threshold() -> Claim:
    step = below_on_box(
        "state",
        "",
        1 / ratio_of_bits(0),
        sp.exp(epsilon),
        {epsilon: (half, sp.Rational(8, 5))},
        closest={epsilon: sp.Rational(159, 100)},
        weaker=sp.Rational(99, 100),
    )
    return _claim("state_up_to_1_6", r"the state keeps $\varepsilon$ up to $1.6$", step)


def half_the_budget_for_the_bit_zero() -> Claim:
    # In the limit of a small budget the bit 0 costs epsilon/2 indeed; h is exp(epsilon/2).
    within = (_e > 0, _e < 2, _x >= 1 + _e / 2, (1 - _e / 2) * _x <= 1)
    bound = Inequality("zero", 1 / (1 - _e / 2), _x, within, touching={_e: 0, _x: 1})
    return _claim("half_for_zero", r"the bit 0 has at most the ratio $e^{\varepsilon/2}$", at_most("zero", "", bound))


def joint_loss_is_the_sum_of_the_budgets() -> Claim:
    (worst,) = maximal_ratios(Setting("symmetric"))
    return _claim(
        "sum_of_budgets",
        r"the joint loss is $\varepsilon_1 + \log r$",
        equal("sum", "", "", worst.value, state_factor * limit),
    )


def optimal_pair_keeps_its_promise_for_small_budgets() -> Claim:
    before, after = optimal_pair()
    eta = noise_eta(after - before)
    bound = sp.exp(epsilon) * (1 + sp.exp(epsilon + eta)) / (1 + sp.exp(epsilon))
    step = below_on_box(
        "small",
        "",
        bound,
        sp.exp(2 * epsilon),
        {epsilon: (sp.Rational(1, 100), sp.Rational(1, 10))},
        closest={epsilon: sp.Rational(1, 10)},
    )
    return _claim("small_budgets", r"Algorithm 2 is $2\varepsilon$-pan-private for small $\varepsilon$", step)


def budget_is_the_logarithm_of_the_bit_one() -> Claim:
    step = equal("used", "", "", -sp.log(ratio_of_bits(0)), sp.log(1 + epsilon / 2))
    return _claim("bit_one", r"$\varepsilon_{\mathrm{actual}} = \log(1 + \varepsilon/2)$", step)


def counterexample_where_there_is_none() -> Claim:
    step = counterexample(
        "none", "", sp.Le(1 / ratio_of_bits(0), sp.exp(epsilon), evaluate=False), {epsilon: half}, (epsilon <= half,)
    )
    return _claim("none", r"the state breaks $\varepsilon$ at $\frac12$", step)


def one_more_appearance_tells_as_much_as_a_moved_one() -> Claim:
    longer, shorter = added_appearance(COIN)
    step = equal("added", "", "", longer / shorter, FACTOR)
    return _claim("added_as_moved", r"$(v, u)$ against $(v)$ has the ratio $B(q_1 + p_1 r)$", step)


def output_given_the_state_keeps_its_budget() -> Claim:
    step = below_on_box(
        "given",
        "",
        ONCE,
        sp.exp(epsilon),
        {epsilon: (sp.Rational(1, 100), half)},
        closest={epsilon: half},
    )
    return _claim("given_state", r"given the state, the output loses at most $\varepsilon$", step)


def event_that_refutes_too_much() -> Claim:
    # At this budget the promise of four nats is kept by the event.
    step = event_refutes("event", "", added_appearance(COIN), half, ONCE.subs(epsilon, half), (), promised=8 * epsilon)
    return _claim("four_nats", r"the event breaks $8\varepsilon$ at $\frac12$", step)


FALSE: dict[str, tuple[str, Callable[[], Claim]]] = {
    "one_bit_weighs_its_share_of_the_density": ("wrong constant", one_bit_weighs_its_share_of_the_density),
    "printed_promise_of_the_coin": ("wrong constant", printed_promise_of_the_coin),
    "first_ratio_suffices_for_every_pair": ("missing hypothesis", first_ratio_suffices_for_every_pair),
    "second_ratio_is_the_larger_one_of_heavy_pairs": ("wrong sign", second_ratio_is_the_larger_one_of_heavy_pairs),
    "state_private_beyond_the_threshold": ("wrong range", state_private_beyond_the_threshold),
    "half_the_budget_for_the_bit_zero": ("correct only in the limit", half_the_budget_for_the_bit_zero),
    "joint_loss_is_the_sum_of_the_budgets": ("correct only in the limit", joint_loss_is_the_sum_of_the_budgets),
    "optimal_pair_keeps_its_promise_for_small_budgets": (
        "wrong range",
        optimal_pair_keeps_its_promise_for_small_budgets,
    ),
    "budget_is_the_logarithm_of_the_bit_one": ("wrong sign", budget_is_the_logarithm_of_the_bit_one),
    "one_more_appearance_tells_as_much_as_a_moved_one": (
        "wrong constant",
        one_more_appearance_tells_as_much_as_a_moved_one,
    ),
    "output_given_the_state_keeps_its_budget": ("wrong constant", output_given_the_state_keeps_its_budget),
    "event_that_refutes_too_much": ("wrong constant", event_that_refutes_too_much),
    "counterexample_where_there_is_none": ("wrong sign", counterexample_where_there_is_none),
}
