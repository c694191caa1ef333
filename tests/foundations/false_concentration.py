"""False statements about concentration, each built as a true one would be: none may be proved."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import sympy as sp

from pan_proofs.density.lemmas.accuracy.accuracy_sizes import logarithms, long_log, size_bounds, slope
from pan_proofs.density.lemmas.accuracy.accuracy_steps import goals_add_up, plain, sizes_needed, split
from pan_proofs.density.lemmas.accuracy.accuracy_terms import accuracy_terms
from pan_proofs.density.lemmas.accuracy.cells_given_density import moments_given_density
from pan_proofs.density.lemmas.accuracy.lecture_size import SHARES, third_bounds
from pan_proofs.density.lemmas.accuracy.tightest_bound import suffices, tightest_beta
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.foundations.displayed_steps import equality
from pan_proofs.foundations.exact_tails import hypergeometric
from pan_proofs.foundations.hoeffding_bound import one_sided
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step
from pan_proofs.ledger.notation import alpha, beta, delta_1, delta_2, delta_3, delta_4, epsilon, m
from pan_proofs.ledger.steps import at_most, below_on_box, compared, enumerated, found

_half = sp.Rational(1, 2)
_tanh = sp.tanh(epsilon / 2)


def _claim(name: str, *steps: Step) -> Claim:
    part = Part(Role.PUBLISHED, "as printed", "A false statement.", steps, no_formula="the steps are tested")
    return Claim(f"false.{name}", name, (Reference("here", "a false statement"),), "A false statement.", (part,))


def a_third_in_the_cells_bound() -> Claim:
    printed = 2 * sp.exp(-m * epsilon**2 * alpha**2 * delta_1**2 * (1 - delta_2) ** 2 / 3)
    step = equality("bound_2", "Hoeffding's inequality.", "p_2", accuracy_terms("dwork").cells, printed)
    return _claim("a_third", *split("dwork"), step)


def lecture_bound_without_the_factor_of_two_sides() -> Claim:
    bound, goal = third_bounds()[0], sp.exp(-2 * m * alpha**2 / 9)
    return _claim("one_side_for_two", equality("two_sides", "Both sides.", "P_1", bound, goal))


def lecture_bits_bound_without_the_factor_of_two_sides() -> Claim:
    threshold = accuracy_terms("dwork").thresholds[1].subs(SHARES)
    return _claim(
        "one_side_for_two_of_the_bits",
        equality("two_sides", "Both sides.", "P_2", third_bounds()[1], one_sided(m, threshold)),
    )


def lecture_size_up_to_ninety_nine_hundredths() -> Claim:
    level = sp.Symbol("L", positive=True)
    tail = 1 / (50 * level) + 1 / (5000 * level**2)
    box = {level: (sp.Rational(1, 100), sp.Rational(7, 10))}
    step = below_on_box(
        "below_beta",
        "By balls.",
        tail,
        sp.exp(-level),
        box,
        closest={level: sp.Rational(3, 100)},
        weaker=Fraction(9, 10),
    )
    return _claim("too_large_beta", step)


def lecture_sum_of_powers_up_to_nine_tenths() -> Claim:
    divided = 2 * beta ** sp.Rational(91, 9) + 2 * beta ** sp.Rational(16, 9) + beta ** sp.Rational(97, 3)
    box = {beta: (sp.Rational(1, 100), sp.Rational(9, 10))}
    step = below_on_box(
        "powers", "By balls.", divided, sp.Integer(1), box, closest={beta: _half}, weaker=Fraction(1, 2)
    )
    return _claim("powers_up_to_nine_tenths", step)


def draws_without_replacement_are_independent() -> Claim:
    users, share = sp.symbols("U d", positive=True)
    both = share * (share * users - 1) / (users - 1)
    return _claim(
        "independent_draws",
        equality("joint", "Two draws.", "P(X_1 = X_2 = 1)", both, share**2),
        found(
            "small",
            "Two users.",
            "the probability that both draws from two users have appeared, if one of the users has",
            lambda: hypergeometric(2, 1, 2).get(2, Fraction(0)),
            Fraction(1, 4),
        ),
    )


def bits_are_independent_given_the_density() -> Claim:
    both, first, second = moments_given_density(Fraction(1, 2), Fraction(5, 8))
    relation = sp.Eq(sp.sympify(both), sp.sympify(first * second), evaluate=False)
    return _claim("given_the_density", compared("product", "Given the density.", relation))


def a_draw_from_more_ones_than_users() -> Claim:
    i, ones, users = sp.symbols("i D U", real=True)
    return _claim(
        "no_bound_on_the_ones",
        at_most(
            "one_more_draw",
            "The next draw.",
            Inequality(
                "false.one_more_draw",
                (ones - i) / (users - i),
                ones / users,
                (i >= 0, users > i, ones >= 0),
                touching={i: 0, ones: 1, users: 2},
            ),
        ),
    )


def the_size_of_the_cells_with_the_wrong_sign() -> Claim:
    printed = list(accuracy_terms("optimal").sizes)
    printed[1] = sp.log(2 / (beta * delta_4)) / (2 * _tanh**2 * alpha**2 * delta_1**2 * (1 + delta_2) ** 2)
    return _claim("wrong_sign", *sizes_needed("optimal", (printed[0], printed[1], printed[2])), goals_add_up())


def a_size_with_eleven_for_twelve() -> Claim:
    eps, acc = plain[epsilon], plain[alpha]
    shares = {delta_1: sp.Rational(8, 9), delta_2: sp.Rational(1, 20)}
    target = 11 * long_log / (eps * acc) ** 2
    bounds = size_bounds("dwork", "near_one", shares, target, (eps > 0, eps <= _half), {eps: _half})
    return _claim("eleven", logarithms(), *bounds)


def a_size_without_the_bound_on_epsilon() -> Claim:
    eps, acc = plain[epsilon], plain[alpha]
    shares = {delta_1: sp.Rational(8, 9), delta_2: sp.Rational(1, 20)}
    target = 12 * long_log / (eps * acc) ** 2
    bounds = size_bounds("dwork", "near_one", shares, target, (eps > 0,), {eps: _half})
    return _claim("any_epsilon", logarithms(), *bounds)


def a_size_without_the_bound_on_the_tangent() -> Claim:
    eps, acc = plain[epsilon], plain[alpha]
    halves = {delta_1: _half, delta_2: _half}
    target = 8 * long_log / (slope * acc) ** 2
    known = (slope > 0, slope < 1, eps > 0)
    bounds = size_bounds("optimal", "halves", halves, target, known, {eps: sp.Integer(2), slope: sp.Integer(1)})
    return _claim("any_tangent", logarithms(), *bounds)


def the_ratio_of_sizes_is_four() -> Claim:
    ratio = accuracy_terms("dwork").sizes[1] / accuracy_terms("optimal").sizes[1]
    return _claim("always_four", equality("ratio", "Divide.", "", ratio, sp.Integer(4)))


def the_lower_bound_is_the_optimal_size() -> Claim:
    size = 11803  # 8 log(40) / (1/2 * 1/10)^2, rounded up
    return _claim(
        "limit_for_every_epsilon",
        enumerated(
            "enough",
            "The limit's formula, at epsilon = 1/2.",
            "the bound is at most 1/20 at m = 8 log(40) / (1/2 * 1/10)^2, rounded up",
            (size,),
            lambda users: suffices(users, Fraction(1, 2), Fraction(1, 10), Fraction(1, 20)),
            mutant=lambda users: suffices(users // 2, Fraction(1, 2), Fraction(1, 10), Fraction(1, 20)),
        ),
    )


def five_thousand_users_give_a_bound_below_one() -> Claim:
    return _claim(
        "informative",
        enumerated(
            "informative",
            "At epsilon = 1/5 and alpha = 1/10.",
            "the minimum is below 1",
            (5000,),
            lambda users: tightest_beta(users, Fraction(1, 5), Fraction(1, 10)).high < 1,
            mutant=lambda users: tightest_beta(users // 2, Fraction(1, 5), Fraction(1, 10)).high < 1,
        ),
    )


def the_shares_of_beta_may_add_up_to_more() -> Claim:
    return _claim("shares", equality("sum", "Add.", "", delta_3 * beta + delta_4 * beta, beta))


FALSE: dict[str, tuple[str, Callable[[], Claim]]] = {
    "a third in the cells' bound": ("wrong constant", a_third_in_the_cells_bound),
    "the sample's bound for one side": ("wrong constant", lecture_bound_without_the_factor_of_two_sides),
    "the bits' bound for one side": ("wrong constant", lecture_bits_bound_without_the_factor_of_two_sides),
    "eleven for twelve": ("wrong constant", a_size_with_eleven_for_twelve),
    "the lecture's size up to 99/100": ("wrong range", lecture_size_up_to_ninety_nine_hundredths),
    "the sum of powers up to 9/10": ("wrong range", lecture_sum_of_powers_up_to_nine_tenths),
    "5000 users at epsilon 1/5": ("wrong range", five_thousand_users_give_a_bound_below_one),
    "the sign in the cells' size": ("wrong sign", the_size_of_the_cells_with_the_wrong_sign),
    "independent draws": ("missing hypothesis", draws_without_replacement_are_independent),
    "independent bits given the density": ("missing hypothesis", bits_are_independent_given_the_density),
    "more ones than users": ("missing hypothesis", a_draw_from_more_ones_than_users),
    "any epsilon": ("missing hypothesis", a_size_without_the_bound_on_epsilon),
    "any tangent": ("missing hypothesis", a_size_without_the_bound_on_the_tangent),
    "shares that add up to anything": ("missing hypothesis", the_shares_of_beta_may_add_up_to_more),
    "a ratio of four": ("correct only in the limit", the_ratio_of_sizes_is_four),
    "the limit of the optimal size": ("correct only in the limit", the_lower_bound_is_the_optimal_size),
}
