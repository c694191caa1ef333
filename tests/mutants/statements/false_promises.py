"""Statements near those about losses, private pairs and counters, and false; all are built like true ones."""

from __future__ import annotations

import sympy as sp

from pan_proofs.density.claims.distinct_counter.floor import LIMITS
from pan_proofs.density.claims.distinct_counter.leaks import SKETCHES
from pan_proofs.density.lemmas.joint_loss import limit, p0, p1, state_factor, total_factor
from pan_proofs.density.lemmas.published_events import half
from pan_proofs.engines.slopes import Slopes
from pan_proofs.ledger.claim import Step
from pan_proofs.ledger.notation import epsilon, p_init, p_upd, x
from pan_proofs.ledger.steps import (
    lemma,
)
from tests.mutants.statements.reading import named

NAMES = named(
    "density.lemmas.joint_loss",
    "density.claims.distinct_counter.floor",
    "density.claims.distinct_counter.error",
    "density.claims.distinct_counter.union",
    "density.lemmas.private_pairs",
    "density.lemmas.published_events",
    "density.claims.calibrated.optimal_split",
    "density.lemmas.cell_enumeration",
    "density.lemmas.published_losses",
    "density.claims.any_estimator.user_level_noise",
    "density.claims.distinct_sampling.fixed_level",
    "density.claims.published.accuracy",
    "density.claims.distinct_sampling.hash",
    "density.claims.distinct_counter.leaks",
)

LOAD, ONE = sp.Rational(468, 1000), next(one for one in LIMITS if one.total == 1)
_gap = p_upd - p_init
_at_tanh = {x: 2, p_init: sp.Rational(1, 3), p_upd: sp.Rational(2, 3)}
_c, _chi, _a, _b = sp.symbols("c chi2 a b", real=True)
_pair = (p0 > 0, p0 < p1, p1 < 1, limit > 1)
_even = {p0: half, p1: half, limit: 1}
_e, _x = sp.symbols("e X", real=True)
_E, _S, _c_of_privacy_calibrated, _x_of_privacy_calibrated, _X = (
    state_factor,
    total_factor,
    *sp.symbols("c x X", real=True),
)
_e_of_privacy_published, _x_of_privacy_published = sp.symbols("e x", real=True)
_COUNT_MIN = SKETCHES["Count-Min"]


def _slopes(name: str, expression: sp.Expr) -> Step:
    asked = Slopes(name, expression, epsilon, sp.S.Zero, {epsilon: 1}, sp.Integer(9), end=sp.Integer(2), strict=True)
    return lemma("s", "", asked.discharge())


FALSE = {
    "wrong model": {
        "draws that remember": (
            "equal('remember', '', '', Symbol('a', real=True) * p1 + (1 - Symbol('a', real=True)) * p0, p1)"
        ),
    },
    "correct only in the limit": {
        "independent cells": (
            "enumerated('independent', '', 'the variance for exactly n users is that of independent bits', "
            "[Cells(4, 2, 1, users) for users in (1, 2, 3)], lambda one: one.moments((Fraction(1, 4), "
            "Fraction(1, 2))) == stated_moments(one, (Fraction(1, 4), Fraction(1, 2)), dependent=False), "
            "mutant=lambda one: False)"
        ),
        "floor_of_one_over_epsilon_squared": (
            "below_on_box('floor', '', 1 / epsilon**2, 1 / (4 * sinh(epsilon / 2)**2), {epsilon: (1 / 10, "
            "S(1))}, closest={epsilon: 1 / 10})"
        ),
        "doubt_of_a_fair_coin": (
            "at_most('doubt', '', Inequality('doubt', 1 / 4, _a * _b / (_a + _b)**2, (x > 1, _a > 0, _b > 0, _a <= x "
            "* _b, _b <= x * _a)))"
        ),
        "half_of_the_budget": (
            "below_on_box('a', '', -log(1 - epsilon / 2), epsilon / 2 + epsilon**2 / 8, {epsilon: (1 / 10, "
            "half)}, closest={epsilon: 1 / 10})"
        ),
        "state_gets_everything": (
            "equal('a', '', '', Symbol('S', positive=True) * (1 - 1 / Symbol('m', positive=True)), "
            "sp.limit(Symbol('S', positive=True) * (1 - 1 / Symbol('m', positive=True)), Symbol('m', "
            "positive=True), oo))"
        ),
        "the noise does not matter": "equal('noise', '', '', m * (CELLS / m + NOISE / m**2), CELLS)",
        "half_the_budget_for_the_bit_zero": (
            "at_most('zero', '', Inequality('zero', 1 / (1 - _e_of_privacy_published / 2), _x_of_privacy_published, "
            "(_e_of_privacy_published > 0, _e_of_privacy_published < 2, _x_of_privacy_published >= 1 + "
            "_e_of_privacy_published / 2, (1 - _e_of_privacy_published / 2) * _x_of_privacy_published <= 1)))"
        ),
    },
    "wrong quantity": {
        "each value tells less than the bit": (
            "at_most('less', '', Inequality('less', (Symbol('L', real=True) - 1)**2 / (untouched + (1 - untouched) * "
            "Symbol('L', real=True)), bit_information(), (STATE > 1, STATE * Symbol('L', real=True) >= 1, Symbol('L', "
            "real=True) <= STATE, untouched >= 0, untouched <= 1)))"
        ),
    },
    "wrong constant": {
        "a higher floor": (
            "compared('s', '', LOAD * exp(-LOAD)**2 * bit_information(exp(ONE.total), exp(-LOAD)) < 1 / "
            "(ONE.error + 2 / 1000)**2)"
        ),
        "a smaller factor for a union": "equal('factor', '', '', (E - 1)**2 * (E**2 + 1) / (E + 1)**3, factor())",
        "two releases for one": "equal('releases', '', '', joint_ratio(S(2)), E * (1 + E * r) / (1 + E))",
        "gap_with_a_two": "at_most('gap', '', Inequality('gap', _gap, (x - 1) / (x + 2), keeps_budget()))",
        "floor_twice_as_high": (
            "at_most('floor', '', Inequality('floor', 2 * x / (x - 1)**2, 1 / _chi, (x > 1, _chi > 0, _chi <= (x - "
            "1)**2 / x)))"
        ),
        "output_with_one_over_m": (
            "equal('a', '', '', 1 / (Symbol('m', positive=True) * (COIN[1] - COIN[0])) / (1 / (epsilon * "
            "Symbol('m', positive=True))), epsilon)"
        ),
        "algorithm_2_keeps_its_promise": (
            "below_on_box('a', '', FIRST.subs({p0: PAIR[0], p1: PAIR[1], limit: exp(ETA)}, simultaneous=True), "
            "exp(2 * epsilon), {epsilon: (1 / 10, half)}, closest={epsilon: half})"
        ),
        "several_outputs_share_nothing": (
            "equal('a', '', '', joint_ratio(Symbol('R', integer=True, positive=True)), "
            "joint_ratio()**Symbol('R', integer=True, positive=True))"
        ),
        "noise_for_a_sum": (
            "equal('a', '', '', joint_ratio().subs(r, Symbol('S', positive=True) / state_factor), Symbol('S', "
            "positive=True))"
        ),
        "the budgets add up": "equal('sum', '', '', joint_ratio(), _E * limit)",
        "several outputs for one": (
            "found('outputs', '', 'the largest ratio with two outputs, E = 3/2, r = 2', lambda: "
            "largest_joint_ratio(Cell(((1 / (1 + Fraction(3, 2)), Fraction(3, 2) / (1 + Fraction(3, 2))),), "
            "(), 1 / Fraction(2), Fraction(2)), outputs=2), Fraction(12, 5))"
        ),
        "one_bit_weighs_its_share_of_the_density": (
            "equal('weight', '', '\\\\eta', noise_eta(COIN[1] - COIN[0]), epsilon)"
        ),
        "printed_promise_of_the_coin": (
            "below_on_box('promise', '', published_loss('dwork').loss, 2 * epsilon, {epsilon: (1 / 100, "
            "half)}, closest={epsilon: half})"
        ),
        "one_more_appearance_tells_as_much_as_a_moved_one": (
            "equal('added', '', '', added_appearance(COIN)[0] / added_appearance(COIN)[1], FACTOR)"
        ),
        "output_given_the_state_keeps_its_budget": (
            "below_on_box('given', '', ONCE, exp(epsilon), {epsilon: (1 / 100, half)}, closest={epsilon: half})"
        ),
        "event_that_refutes_too_much": (
            "event_refutes('event', '', added_appearance(COIN), half, ONCE.subs(epsilon, half), (), promised=8 "
            "* epsilon)"
        ),
        "two shifted users exceed the budget": (
            "_slopes('two_shifted', log(1 + epsilon / 2) - log(1 - epsilon / 2) - 2 * epsilon)"
        ),
        "a multiplicative error fails with 1/F": (
            "at_most('s', '', Inequality('s', 1 / accuracy._factor, beta, accuracy._TOLD_APART))"
        ),
        "sampled coins have half of their error": (
            "at_most('s', '', Inequality('s', fixed_level._COINS, 2 * (fixed_level.members + 1) / "
            "(fixed_level.members * epsilon)**2, fixed_level._WITHIN))"
        ),
    },
    "wrong dual": {
        "equal weights for a range": (
            "lemma('dual', '', exceeds_on_box('wrong_dual', only([one for one in RANGE_LIMITS if one.decades "
            "== 1]).slope - weighted_information([1 / 5] * 5, [S(1), 9 / 5, *map(Rational, ('3.2', '5.6', "
            "10))], Symbol('t', real=True)), S(0), {Symbol('t', real=True): (S(0), S(4))}, [{TOTAL: only([one "
            "for one in RANGE_LIMITS if one.decades == 1]).total}], close=[{Symbol('t', real=True): only([one "
            "for one in RANGE_LIMITS if one.decades == 1]).near}], stronger=1 / 100))"
        ),
    },
    "missing hypothesis": {
        "gap_without_zeros": (
            "at_most('gap', '', Inequality('gap', _gap, (x - 1) / (x + 1), (x > 1, p_init >= 0, p_init <= 1, p_upd >= "
            "0, p_upd <= 1, slacks()[0] >= 0, slacks()[1] >= 0)))"
        ),
        "unique_up_to_nothing": (
            "at_most('unique', '', Inequality('unique', p_init, tanh_pair[0], (*keeps_budget(), _gap != 0, p_init * "
            "(1 - p_init) * (x - 1)**2 == x * _gap**2)))"
        ),
        "doubt_without_one_direction": (
            "at_most('doubt', '', Inequality('doubt', x / (1 + x)**2, _a * _b / (_a + _b)**2, (x > 1, _a > 0, _b > 0, "
            "_a <= x * _b)))"
        ),
        "merging_in_both_directions": (
            "at_most('a', '', Inequality('merge', (q + p * _a) * (q + p * _b), q + p * _a * _b, (state_factor > 1, "
            "_a > 0, _b > 0)))"
        ),
        "first_ratio_for_all_pairs": "at_most('a', '', Inequality('first', SECOND, FIRST, _pair))",
        "the family without its zeros": (
            "at_most('family', '', Inequality('family', 1 - _c_of_privacy_calibrated + _x_of_privacy_calibrated, _X * "
            "(1 - _c_of_privacy_calibrated - _x_of_privacy_calibrated), (_X > 1, _c_of_privacy_calibrated > 0, "
            "_x_of_privacy_calibrated > 0, _c_of_privacy_calibrated + _x_of_privacy_calibrated < 1, "
            "_x_of_privacy_calibrated * (_X + 1) <= _c_of_privacy_calibrated * (_X - 1))))"
        ),
        "Count-Min forgets appearances": (
            "enumerated('s', '', 'Count-Min: a user who appears again leaves no trace', range(16), lambda "
            "hashed: state_after(SKETCHES['Count-Min'], (hashed,) * 2) == state_after(SKETCHES['Count-Min'], "
            "(hashed,)), mutant=lambda hashed: state_after(_COUNT_MIN, (hashed,)) == state_after(_COUNT_MIN, "
            "()))"
        ),
        "a multiplicative error below the least density": (
            "at_most('s', '', Inequality('s', *accuracy._RELATIVE.args, accuracy._ABOVE[:2]))"
        ),
    },
    "wrong range": {
        "published_family_up_to_four_fifths": (
            "at_most('family', '', Inequality('family', 0, slacks((2 * _c / (1 + x), 2 * x * _c / (1 + x)))[2], (x > "
            "1, _c > 0, _c <= 4 / 5)))"
        ),
        "state_without_a_bound": (
            "at_most('a', '', Inequality('state', 1 / _x, 1 - _e / 2, (_e > 0, _e < 2, _x >= 1 + _e + _e**2 / 2)))"
        ),
        "a noise for every total": (
            "at_most('exists', '', Inequality('exists', S(1), noise_factor(), (_E > 1, _S > 1), strict=True))"
        ),
        "state_private_beyond_the_threshold": (
            "below_on_box('state', '', 1 / ratio_of_bits(COIN, 0), exp(epsilon), {epsilon: (half, 8 / 5)}, "
            "closest={epsilon: 159 / 100}, weaker=99 / 100)"
        ),
        "optimal_pair_keeps_its_promise_for_small_budgets": (
            "below_on_box('small', '', exp(epsilon) * (1 + exp(epsilon + noise_eta(optimal_pair()[1] - "
            "optimal_pair()[0]))) / (1 + exp(epsilon)), exp(2 * epsilon), {epsilon: (1 / 100, 1 / 10)}, "
            "closest={epsilon: 1 / 10})"
        ),
    },
    "wrong sign": {
        "kernel_with_exchanged_distributions": (
            "equal('kernel', '', 'P_1', tanh_pair[1] * ((x * Symbol('P_0', real=True) - Symbol('P_1', "
            "real=True)) / (x - 1)) + (1 - tanh_pair[1]) * ((x * Symbol('P_1', real=True) - Symbol('P_0', "
            "real=True)) / (x - 1)), Symbol('P_1', real=True))"
        ),
        "second_ratio_is_the_larger_one_of_heavy_pairs": (
            "at_most('s', '', Inequality('second', FIRST, SECOND, (*_pair, p0 + p1 >= 1)))"
        ),
        "budgets_add_up": (
            "at_most('a', '', Inequality('sum', state_factor * limit, state_factor * (1 + state_factor * limit) / (1 "
            "+ state_factor), (state_factor > 1, limit > 1)))"
        ),
        "the noise with a plus": (
            "equal('plus', '', '', joint_ratio().subs(limit, _S / _E + _S / _E**2 + 1 / _E), _S)"
        ),
        "budget_is_the_logarithm_of_the_bit_one": (
            "equal('used', '', '', -log(ratio_of_bits(COIN, 0)), log(1 + epsilon / 2))"
        ),
        "counterexample_where_there_is_none": (
            "counterexample('none', '', 1 / ratio_of_bits(COIN, 0) <= exp(epsilon), {epsilon: half}, "
            "(epsilon <= half,))"
        ),
        "replaced coins keep twice the budget": "_slopes('replaced_coins', published_events._OF_COINS - epsilon)",
    },
    "missing factor": {
        "a replaced pair keeps the budget": "at_most('s', '', Inequality('s', x**2, x, (x > 1,)))",
        "sums need no more noise for users": (
            "at_most('s', '', Inequality('s', user_level_noise._change * epsilon, epsilon, user_level_noise._SUMMED))"
        ),
    },
    "off by one": {
        "fewer bits than users": (
            "related('s', '', 'the number of sets', hash._sets <= 2**(universe - 1), [{universe: "
            "users, hash._sets: hash.number_of_sets(users)} for users in (1, 2, 3)], "
            "mutant=hash._sets <= 1, parameters=(universe,))"
        ),
    },
}
