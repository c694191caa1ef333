"""False statements about the basic mechanisms, built as the true ones are: none may be proved."""

from fractions import Fraction

import sympy as sp

from pan_proofs.engines.inequalities import Inequality
from pan_proofs.foundations.claims.laplace_distribution import centre, gamma, moment, place
from pan_proofs.foundations.claims.laplace_mechanism import sensitivity
from pan_proofs.foundations.claims.randomized_response import listing
from pan_proofs.foundations.claims.total_variance import first_sums, paper_form, second_sums, thesis_form, variance
from pan_proofs.foundations.dataset_chains import power
from pan_proofs.foundations.finite_mechanisms import largest_ratio
from pan_proofs.foundations.output_functions import fewer, more, other_term, term, value
from pan_proofs.foundations.partitioned_data import is_largest, largest, real_factors
from pan_proofs.foundations.score_weights import (
    factor_of_weights,
    opposite_scores,
    other_total,
    other_weight,
    total,
    weight,
)
from pan_proofs.ledger.claim import Claim, Part, Reference, Role
from pan_proofs.ledger.notation import epsilon, scale, x
from pan_proofs.ledger.steps import at_most, equal, found

left, middle, right = sp.symbols("P H Q", real=True)
budget, biggest, change = sp.symbols("epsilon Delta T", real=True)
s = sp.Symbol("s", positive=True)


def claim(name, *steps):
    return Claim(
        f"false.{name}",
        name,
        (Reference("here", "false on purpose"),),
        name,
        (Part(Role.PUBLISHED, name, name, steps, no_formula="the steps are tested"),),
    )


def a_map_loses_no_delta():
    given = (sp.Le(left, x * middle + right), sp.Ge(right, 0))
    return claim("no_delta", at_most("s", "", Inequality("s", left, x * middle, given, touching={left: 0, middle: 0})))


def smaller_variance():
    return claim("variance", equal("variance", "", "", moment((place - centre) ** 2), scale**2))


def absolute_deviation():
    return claim("deviation", equal("deviation", "", "", moment(place**2), centre**2 + 2 * scale))


def finite_end():
    found, _ = gamma(1)
    (y,) = found.free_symbols
    end = sp.Symbol("c", positive=True)
    return claim("finite_end", equal("finite_end", "", "", found.subs(y, end) - found.subs(y, 0), sp.S.One))


def added_last_term():
    return claim("added", equal("added", "", "", variance(), thesis_form(2)))


def any_two_events():
    return claim("events", equal("events", "", "", variance(), paper_form()))


def events_that_overlap():
    first, second = sp.symbols("u_AB v_AB", real=True)
    spread = sum(second_sums) - second - (sum(first_sums) - first) ** 2
    return claim("overlap", equal("overlap", "", "", spread, thesis_form()))


def log_two():
    return claim(
        "log_two", found("log_two", "", "the largest ratio", lambda: largest_ratio(listing(0), listing(1)), Fraction(2))
    )


def half_the_scale():
    inequality = Inequality(
        "half_the_scale",
        change / (biggest / (2 * budget)),
        budget,
        (budget > 0, biggest > 0, change >= 0, change <= biggest),
        touching={change: sp.Rational(1, 2), biggest: 1, budget: 1},
    )
    return claim("half_the_scale", at_most("half_the_scale", "", inequality))


def half_the_scale_attained():
    ratio = sp.exp(sensitivity / scale).subs(scale, sensitivity / (2 * epsilon))
    return claim("half_attained", equal("half_attained", "", "", ratio, sp.exp(epsilon)))


def largest_coordinate():
    one, two = sp.symbols("f_1 f_2", real=True)
    inequality = Inequality(
        "largest_coordinate",
        sp.Abs(one) + sp.Abs(two),
        biggest,
        (sp.Abs(one) <= biggest, sp.Abs(two) <= biggest, biggest > 0),
        touching={one: 1, two: 0, biggest: 1},
    )
    return claim("largest_coordinate", at_most("largest_coordinate", "", inequality))


def one_link_less():
    inequality = Inequality(
        "one_link_less",
        left,
        power * right,
        (x >= 1, power >= 1, right >= 0, middle >= 0, left <= power * middle, middle <= x * right),
        touching={left: 2, power: 2, x: 1, right: 1, middle: 1},
    )
    return claim("one_link_less", at_most("one_link_less", "", inequality))


def negative_budgets():
    free = sp.Symbol("x", real=True)
    inequality = Inequality(
        "negative_budgets",
        power * right,
        power * free * right,
        (free > 0, power > 0, right >= 0),
        touching={power: 1, free: 1, right: 1},
    )
    return claim("negative_budgets", at_most("negative_budgets", "", inequality))


def functions_of_either_sign():
    inequality = Inequality(
        "functions_of_either_sign",
        more + value * term,
        x * (fewer + value * other_term),
        (x >= 1, value >= -1, value <= 1, fewer >= 0, other_term >= 0, more <= x * fewer, term <= x * other_term),
        touching={more: 2, fewer: 1, term: 2, other_term: 1, x: 2, value: 1},
    )
    return claim("either_sign", at_most("either_sign", "", inequality))


def both_parts_change():
    one, two = real_factors
    inequality = Inequality(
        "both_parts_change",
        left,
        largest * right,
        (*is_largest, right >= 0, left >= 0, left <= one * middle, middle <= two * right),
        touching={left: 3, middle: 1, right: 1, one: 3, two: 1, largest: 3},
    )
    return claim("both_parts_change", at_most("both_parts_change", "", inequality))


def shared_coins_composed():
    one, two = real_factors
    # Each output alone keeps its factor; nothing is said of the two together.
    first, other_first, second, other_second, both, other_both = sp.symbols("a b c d e f", real=True)
    inequality = Inequality(
        "shared_coins_composed",
        both,
        one * two * other_both,
        (
            one >= 1,
            two >= 1,
            both >= 0,
            other_both >= 0,
            first <= one * other_first,
            second <= two * other_second,
            both <= first,
            both <= second,
            other_both <= other_first,
            other_both <= other_second,
        ),
        touching={first: 1, other_first: 1, second: 1, other_second: 1, both: 1, other_both: 1, one: 1, two: 1},
    )
    return claim("shared_coins_composed", at_most("shared_coins_composed", "", inequality))


def whole_exponent():
    inequality = Inequality(
        "whole_exponent",
        weight / total,
        factor_of_weights * other_weight / other_total,
        (
            factor_of_weights >= 1,
            weight > 0,
            other_weight > 0,
            total > 0,
            other_total > 0,
            weight <= factor_of_weights * other_weight,
            other_total <= factor_of_weights * total,
        ),
        touching={weight: 2, other_weight: 1, total: 1, other_total: 1, factor_of_weights: 2},
    )
    return claim("whole_exponent", at_most("whole_exponent", "", inequality))


def budget_used_up():
    return claim("budget_used_up", equal("budget_used_up", "", "", opposite_scores(s), s**2))


FALSE = {
    "post-processing without the delta": ("missing term", a_map_loses_no_delta),
    "a Laplace variable has the variance b^2": ("wrong constant", smaller_variance),
    "a Laplace variable has the second moment mu^2 + 2 b": ("wrong constant", absolute_deviation),
    "a Laplace variable has its whole mean absolute deviation below any end": ("correct only in the limit", finite_end),
    "the last term of the total variance is added": ("wrong sign", added_last_term),
    "the form with the square holds for any two events": ("missing hypothesis", any_two_events),
    "the distribution of total variance holds for events that overlap": ("missing hypothesis", events_that_overlap),
    "two fair coins cost log 2": ("wrong constant", log_two),
    "half the scale of the Laplace mechanism keeps the budget": ("wrong constant", half_the_scale),
    "half the scale of the Laplace mechanism uses the budget": ("wrong constant", half_the_scale_attained),
    "the largest change of a coordinate is sensitivity enough": ("missing hypothesis", largest_coordinate),
    "a group of k costs k - 1 budgets": ("wrong constant", one_link_less),
    "a longer chain costs more for every real budget": ("wrong range", negative_budgets),
    "functions of an output may have either sign": ("wrong range", functions_of_either_sign),
    "parallel composition allows both parts to change": ("missing hypothesis", both_parts_change),
    "mechanisms that share coins compose": ("missing hypothesis", shared_coins_composed),
    "the exponential mechanism does without the factor 2": ("wrong constant", whole_exponent),
    "the exponential mechanism uses all of its budget": ("correct only in the limit", budget_used_up),
}
