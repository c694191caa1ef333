"""Statements near those about basic mechanisms and concentration, and false; all are built like true ones."""

from __future__ import annotations

import sympy as sp

from pan_proofs.ledger.notation import epsilon
from tests.mutants.statements.reading import named

NAMES = named(
    "foundations.claims.laplace_distribution",
    "foundations.claims.laplace_mechanism",
    "foundations.claims.randomized_response",
    "foundations.claims.total_variance",
    "foundations.finite_mechanisms",
    "foundations.claims.parallel_composition",
    "foundations.claims.exponential_mechanism",
    "density.claims.published.accuracy",
    "density.claims.published.lecture",
    "density.lemmas.accuracy_terms",
    "foundations.exact_tails",
    "foundations.hoeffding_bound",
)

left, middle, right = sp.symbols("P H Q", real=True)
budget, biggest, change = sp.symbols("epsilon Delta T", real=True)
s = sp.Symbol("s", positive=True)
more, fewer, term, other_term, value, power = sp.symbols("A Aprime p pprime g X", real=True)
_half = sp.Rational(1, 2)
_tanh = sp.tanh(epsilon / 2)


FALSE = {
    "missing term": {
        "post-processing without the delta": (
            "at_most('s', '', Inequality('s', left, x * middle, (left <= x * middle + right, right >= 0)))"
        ),
    },
    "wrong constant": {
        "a Laplace variable has the variance b^2": (
            "equal('variance', '', '', laplace_distribution.moment((place - centre)**2), scale**2)"
        ),
        "a Laplace variable has the second moment mu^2 + 2 b": (
            "equal('deviation', '', '', laplace_distribution.moment(place**2), centre**2 + 2 * scale)"
        ),
        "two fair coins cost log 2": (
            "found('log_two', '', 'the largest ratio', lambda: largest_ratio(listing(0), listing(1)), Fraction(2))"
        ),
        "half the scale of the Laplace mechanism keeps the budget": (
            "at_most('half_the_scale', '', Inequality('half_the_scale', change / (biggest / (2 * budget)), budget, "
            "(budget > 0, biggest > 0, change >= 0, change <= biggest)))"
        ),
        "half the scale of the Laplace mechanism uses the budget": (
            "equal('half_attained', '', '', exp(sensitivity / scale).subs(scale, sensitivity / (2 * epsilon)), "
            "exp(epsilon))"
        ),
        "a group of k costs k - 1 budgets": (
            "at_most('one_link_less', '', Inequality('one_link_less', left, power * right, (x >= 1, power >= 1, right "
            ">= 0, middle >= 0, left <= power * middle, middle <= x * right)))"
        ),
        "the exponential mechanism does without the factor 2": (
            "at_most('whole_exponent', '', Inequality('whole_exponent', weight / total, factor_of_weights * "
            "other_weight / other_total, (factor_of_weights >= 1, weight > 0, other_weight > 0, total > 0, "
            "other_total > 0, weight <= factor_of_weights * other_weight, other_total <= factor_of_weights * total)))"
        ),
        "a third in the cells' bound": (
            "[equal('bound_2', \"Hoeffding's inequality.\", 'p_2', "
            "accuracy_terms.accuracy_terms('dwork').cells, 2 * exp(-m * epsilon**2 * alpha**2 * delta_1**2 * "
            "(1 - delta_2)**2 / 3))]"
        ),
        "the sample's bound for one side": (
            "equal('two_sides', 'Both sides.', 'P_1', third_bounds()[0], exp(-2 * m * alpha**2 / 9))"
        ),
        "the bits' bound for one side": (
            "equal('two_sides', 'Both sides.', 'P_2', third_bounds()[1], one_sided(m, "
            "accuracy_terms.accuracy_terms('dwork').thresholds[1].subs(lecture.SHARES)))"
        ),
        "eleven for twelve": (
            "[*size_bounds('dwork', 'near_one', {delta_1: 8 / 9, delta_2: 1 / 20}, 11 * long_log "
            "/ (plain[epsilon] * plain[alpha])**2, (plain[epsilon] > 0, plain[epsilon] <= _half), "
            "{plain[epsilon]: _half})]"
        ),
    },
    "correct only in the limit": {
        "a Laplace variable has its whole mean absolute deviation below any end": (
            "equal('finite_end', '', '', gamma(1)[0].subs(only(gamma(1)[0].free_symbols), Symbol('c', "
            "positive=True)) - gamma(1)[0].subs(only(gamma(1)[0].free_symbols), 0), S(1))"
        ),
        "the exponential mechanism uses all of its budget": "equal('budget_used_up', '', '', opposite_scores(s), s**2)",
        "a ratio of four": (
            "equal('ratio', 'Divide.', '', accuracy_terms.accuracy_terms('dwork').sizes[1] "
            "/ accuracy_terms.accuracy_terms('optimal').sizes[1], S(4))"
        ),
        "the limit of the optimal size": (
            "enumerated('enough', \"The limit's formula, at epsilon = 1/2.\", 'the bound is at most 1/20 at m = "
            "8 log(40) / (1/2 * 1/10)^2, rounded up', (11803,), lambda users: tightest_beta(users, Fraction(1, 2), "
            "Fraction(1, 10)).high <= Fraction(1, 20), mutant=lambda users: tightest_beta(users // 2, Fraction(1, 2), "
            "Fraction(1, 10)).high <= Fraction(1, 20))"
        ),
    },
    "wrong sign": {
        "the last term of the total variance is added": "equal('added', '', '', variance(), thesis_form(2))",
        "the sign in the cells' size": (
            "[*equivalences(replace(OPTIMAL, size=log(2 / (beta * delta_4)) / (2 * _tanh**2 * alpha**2 * "
            "delta_1**2 * (1 + delta_2)**2)), 'title', 'Text.').steps]"
        ),
    },
    "missing hypothesis": {
        "the form with the square holds for any two events": "equal('events', '', '', variance(), paper_form())",
        "the distribution of total variance holds for events that overlap": (
            "equal('overlap', '', '', sum(second_sums) - Symbol('v_AB', real=True) - (sum(first_sums) - "
            "Symbol('u_AB', real=True))**2, thesis_form())"
        ),
        "the largest change of a coordinate is sensitivity enough": (
            "at_most('largest_coordinate', '', Inequality('largest_coordinate', Abs(Symbol('f_1', real=True)) + "
            "Abs(Symbol('f_2', real=True)), biggest, (Abs(Symbol('f_1', real=True)) <= biggest, Abs(Symbol('f_2', "
            "real=True)) <= biggest, biggest > 0)))"
        ),
        "parallel composition allows both parts to change": (
            "at_most('both_parts_change', '', Inequality('both_parts_change', left, largest * right, (*is_largest, "
            "right >= 0, left >= 0, left <= real_factors[0] * middle, middle <= real_factors[1] * right)))"
        ),
        "mechanisms that share coins compose": (
            "at_most('shared_coins_composed', '', Inequality('shared_coins_composed', Symbol('e', real=True), "
            "real_factors[0] * real_factors[1] * Symbol('f', real=True), (real_factors[0] >= 1, real_factors[1] >= 1, "
            "Symbol('e', real=True) >= 0, Symbol('f', real=True) >= 0, Symbol('a', real=True) <= real_factors[0] * "
            "Symbol('b', real=True), Symbol('c', real=True) <= real_factors[1] * Symbol('d', real=True), Symbol('e', "
            "real=True) <= Symbol('a', real=True), Symbol('e', real=True) <= Symbol('c', real=True), Symbol('f', "
            "real=True) <= Symbol('b', real=True), Symbol('f', real=True) <= Symbol('d', real=True))))"
        ),
        "independent draws": (
            "[equal('joint', 'Two draws.', 'P(X_1 = X_2 = 1)', Symbol('d', positive=True) * "
            "(Symbol('d', positive=True) * Symbol('U', positive=True) - 1) / (Symbol('U', positive=True) - 1), "
            "Symbol('d', positive=True)**2), found('small', 'Two users.', 'the probability that both draws "
            "from two users have appeared, if one of the users has', lambda: hypergeometric(2, 1, 2).get(2, "
            "Fraction(0)), Fraction(1, 4))]"
        ),
        "independent bits given the density": (
            "compared('product', 'Given the density.', sympify(moments_given_density(Fraction(1, 2), "
            "Fraction(5, 8))[0]) == sympify(moments_given_density(Fraction(1, 2), Fraction(5, 8))[1] * "
            "moments_given_density(Fraction(1, 2), Fraction(5, 8))[2]))"
        ),
        "more ones than users": (
            "at_most('one_more_draw', 'The next draw.', Inequality('false.one_more_draw', (Symbol('D', real=True) - "
            "Symbol('i', real=True)) / (Symbol('U', real=True) - Symbol('i', real=True)), Symbol('D', real=True) / "
            "Symbol('U', real=True), (Symbol('i', real=True) >= 0, Symbol('U', real=True) > Symbol('i', real=True), "
            "Symbol('D', real=True) >= 0)))"
        ),
        "any epsilon": (
            "[*size_bounds('dwork', 'near_one', {delta_1: 8 / 9, delta_2: 1 / 20}, 12 * long_log "
            "/ (plain[epsilon] * plain[alpha])**2, (plain[epsilon] > 0,), {plain[epsilon]: _half})]"
        ),
        "any tangent": (
            "[*size_bounds('optimal', 'halves', {delta_1: _half, delta_2: _half}, 8 * long_log / "
            "(slope * plain[alpha])**2, (slope > 0, slope < 1, plain[epsilon] > 0), {plain[epsilon]: S(2), "
            "slope: S(1)})]"
        ),
        "shares that add up to anything": ("equal('sum', 'Add.', '', delta_3 * beta + delta_4 * beta, beta)"),
    },
    "wrong range": {
        "a longer chain costs more for every real budget": (
            "at_most('negative_budgets', '', Inequality('negative_budgets', power * right, power * Symbol('x', "
            "real=True) * right, (Symbol('x', real=True) > 0, power > 0, right >= 0)))"
        ),
        "functions of an output may have either sign": (
            "at_most('either_sign', '', Inequality('functions_of_either_sign', more + value * term, x * (fewer + "
            "value * other_term), (x >= 1, value >= -1, value <= 1, fewer >= 0, other_term >= 0, more <= x * fewer, "
            "term <= x * other_term)))"
        ),
        "the lecture's size up to 99/100": (
            "below_on_box('below_beta', 'By balls.', 1 / (50 * Symbol('L', positive=True)) + 1 / (5000 * "
            "Symbol('L', positive=True)**2), exp(-Symbol('L', positive=True)), {Symbol('L', positive=True): (1 "
            "/ 100, 7 / 10)}, closest={Symbol('L', positive=True): 3 / 100}, weaker=Fraction(9, 10))"
        ),
        "the sum of powers up to 9/10": (
            "below_on_box('powers', 'By balls.', 2 * beta**(91 / 9) + 2 * beta**(16 / 9) + beta**(97 / 3), "
            "S(1), {beta: (1 / 100, 9 / 10)}, closest={beta: _half}, weaker=Fraction(1, 2))"
        ),
        "5000 users at epsilon 1/5": (
            "enumerated('informative', 'At epsilon = 1/5 and alpha = 1/10.', 'the minimum is below 1', "
            "(5000,), lambda users: tightest_beta(users, Fraction(1, 5), Fraction(1, 10)).high < 1, "
            "mutant=lambda users: tightest_beta(users // 2, Fraction(1, 5), Fraction(1, 10)).high < 1)"
        ),
    },
}
