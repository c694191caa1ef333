"""Formulas that differ in one place from formulas of claims on tables, and are false."""

from __future__ import annotations

import sympy as sp

import pan_proofs.tables
from pan_proofs.engines.vectors import sum_over_entries
from pan_proofs.tables.claims.privacy import calibrated_tree as tree
from pan_proofs.tables.lemmas import bounded_range, distance_changes, noise_of_counts, round_weights
from tests.mutants.statements.reading import eq, le, places

NAMES = places(pan_proofs.tables)

_third = sp.Rational(1, 3)
_m, _z = sp.symbols("m z", real=True)
exponents = round_weights._exponent(round_weights._score) - round_weights._exponent(round_weights._other_score)
listed, weighted = sp.symbols("P_k W_k")
k, square = sp.Symbol("k", nonnegative=True, integer=True), distance_changes.records**2
above = (sp.Or(*(eq(distance_changes.records, size) for size in (2, 3, 4))),)
double = (
    le(
        bounded_range.share**2,
        16 * sp.Symbol("w_1", positive=True) * noise_of_counts.rho / sp.Symbol("m", positive=True),
    ),
)
of_tables = (
    (le(tree._loss, tree._part * noise_of_counts.rho), sp.Ge(tree._tables, 0)),
    {
        one: sum_over_entries(term, tuple(tree._OF_TABLES.values()), tree._tables)
        for one, term in tree._OF_TABLES.items()
    },
)
TWINS = {
    "bayesnet.mutual_information_sensitivity": {
        "no binary variable": [
            (
                "symbolic(2 * information.gain(_m) - information.gain(_m - _z) - information.gain(_m + _z) > "
                "1, given=(_z > 0, _z < _m - 1, _m > 1))"
            ),
        ],
    },
    "bayesnet.score_sensitivities": {
        "the score R, if a variable is binary": [
            "symbolic(distance_changes.change == 2 / (k + 2))",
            (
                "symbolic(distance_changes.OF_BINARY.lhs <= 3 * distance_changes.others, "
                "given=distance_changes._TWO_ROWS)"
            ),
            "symbolic(distance_changes.OF_BINARY, given=distance_changes._TWO_ROWS[1:])",
        ],
        "the score R, if no variable is binary": [
            "symbolic(distance_changes.WHOLE.lhs <= distance_changes.WHOLE.rhs - 1, given=distance_changes.SIDES)",
            "symbolic(distance_changes.observed * square <= distance_changes.LARGEST - 1, given=above)",
            "symbolic(distance_changes.observed * square > distance_changes.LARGEST, given=above)",
        ],
    },
    "bayesnet.sufficient_statistics_privacy": {
        "the counts of all sets, with the scale of Theorem 3.4 in every proof": [
            "symbolic(Symbol('ratio') == exp(epsilon / 2))",
        ],
        "the counts of one set": [
            "symbolic(Symbol('C') == 1)",
        ],
    },
    "bayesnet.sum_bounds": {
        "the remarks on the proof": [
            "symbolic(logarithm_shape.AT_MOST_ONE, given=logarithm_shape.NEAR[1:])",
            "symbolic(logarithm_shape.ABOVE_ONE, given=(logarithm_shape._log <= -1,))",
            "symbolic(logarithm_shape.FALLS, given=logarithm_shape.BELOW[:1])",
        ],
    },
    "bayesnet.privbayes_privacy": {
        "weights that are exponential in the score": [
            ("symbolic(exponents <= round_weights._budget / (3 * round_weights._rounds), given=round_weights._moved)"),
        ],
        "a score in bits with a sensitivity in nats": [
            "symbolic(mixed_bases._loss > exp(2))",
            "symbolic(mixed_bases._BITS.lhs <= mixed_bases._share / 2, given=mixed_bases._CLOSE)",
        ],
    },
    "bayesnet.entropy_bias": {
        "negative counts are set to 0": [
            (
                "symbolic(-clipped_entropy._rest_below() <= (clipped_entropy._logarithm + _third / 2) * "
                "clipped_entropy._below**4, given=clipped_entropy._BEYOND)"
            ),
            (
                "symbolic(3 * (clipped_entropy._share * (1 - clipped_entropy._share))**2 <= 2 * "
                "clipped_entropy._share**2, given=clipped_entropy._PROBABILITY)"
            ),
        ],
        "the printed conditions, where negative counts are set to 0": [
            "symbolic(rare_symbols._ONE_BOUND + 1 <= rare_symbols._ONE_BIAS, given=rare_symbols._OF_ONE)",
            (
                "symbolic(rare_symbols._least * rare_symbols._logarithm - 6 <= rare_symbols._bias, "
                "given=rare_symbols._OF_TWO)"
            ),
        ],
    },
    "bayesnet.entropy_mse": {
        "the leading term, with bounds": [
            (
                "symbolic(Abs(squared_error._error - squared_error._linear) <= squared_error._root * "
                "squared_error._rest_root + squared_error._rest_root**2, given=squared_error._PARTS)"
            ),
        ],
    },
    "bayesnet.entropy_conditions": {
        "the strongest condition": [
            "symbolic(condition_steps.root_of_square <= condition_steps.small, given=condition_steps.STRONGEST[1:])",
        ],
        "from the noise to the budget, and back": [
            "symbolic(log_variance.ENOUGH, given=log_variance.LARGE_BUDGET[:1])",
            "symbolic(log_variance.NEEDED, given=log_variance.LITTLE[:1])",
        ],
        "the hypothesis on the variance holds always": [
            "symbolic(log_variance.OF_ONE.lhs <= log_variance.OF_ONE.rhs / 100, given=log_variance._TANGENT)",
            "symbolic(log_variance.OF_ONE, given=log_variance._TANGENT[1:])",
        ],
        "the order of the largest variance": [
            "symbolic(log_variance_order.OF_RARE, given=(log_variance_order._root <= 1,))",
            "symbolic(log_variance_order._half_at_one() == log(log_variance_order._many - 1)**2)",
        ],
        "no bound from below for a growing number of values": [
            "symbolic(log_variance.FEW_VALUES, given=log_variance.FROM_BELOW[:1])",
            "symbolic(log_variance.FEW_VALUES, given=log_variance.FROM_BELOW[1:])",
        ],
        "the strongest condition, against the leading term": [
            "symbolic(log_variance.FIVE[1] <= condition_steps.small, given=log_variance.STRONGEST[1:])",
            (
                "symbolic(log_variance.FIVE[1] <= condition_steps.small, given=(log_variance.STRONGEST[0], "
                "*log_variance.STRONGEST[2:]))"
            ),
        ],
    },
    "bayesnet.degree": {
        "more structures than any exponential number": [
            "symbolic(degree._MORE, given=(degree._length >= 2 * degree._bits,))",
        ],
        "a small budget favours a small degree": [
            "symbolic(degree._KEPT, given=degree._ALLOWED[:2])",
            "symbolic(degree._KEPT, given=(degree._ALLOWED[0], degree._ALLOWED[2]))",
        ],
        "more scores than distributions": [
            "symbolic(degree._sets > degree._scores)",
        ],
        "estimates that get better with the degree": [
            "symbolic(degree._four < degree._five)",
        ],
        "up to which degree the noise grows": [
            "symbolic(degree._AT_LEAST_ONE, given=degree._RISES[1:])",
            "symbolic(degree._LESS_THAN_ONE, given=degree._RISES)",
        ],
    },
    "bayesnet.loglikelihood": {
        "the product of local likelihoods": [
            "symbolic(local_likelihoods._PRODUCTS, given=local_likelihoods._FACTORS[:1])",
        ],
    },
    "bayesnet.score_use": {
        "F is computed efficiently for binary attributes only": [
            "symbolic(nearest_by_values._ALL, where={nearest_by_values._columns: S(nearest_by_values._MOST)})",
        ],
        "small sensitivities, compared with the ranges": [
            "symbolic(score_ranges.OF_DISTANCE.lhs > 0, given=(score_ranges._n > 1,))",
            "symbolic(score_ranges.OF_NEAREST.lhs > 1, given=score_ranges._MORE)",
        ],
        "F for a fixed number of values": [
            (
                "symbolic(nearest_by_values._of_values <= nearest_by_values._records, "
                "given=(nearest_by_values._records == 8, nearest_by_values._values == 3))"
            ),
        ],
    },
    "bayesnet.empirical_entropy": {
        "the factors from nats to bits": [
            "symbolic(empirical_entropy._error_in_bits() == empirical_entropy._error_in_nats() / log(2))",
        ],
    },
    "bayesnet.analysis_of_algorithm": {
        "the bias of smoothed frequencies": [
            "symbolic(analysis._BIAS_BOUND, given=analysis._SEVERAL[:1])",
        ],
    },
    "bayesnet.consistency": {
        "conditional tables with a rule for empty rows": [
            (
                "symbolic(consistency._total == consistency._sum, where={one: sum_over_entries(term, "
                "(consistency._added,), consistency._cells) for one, term in consistency._SUMS.items()})"
            ),
        ],
        "the information of frequencies that do not add up to 1": [
            "symbolic(consistency._of_mass() == consistency._mass * consistency._cell * consistency._logarithms())",
        ],
        "division by the number of records": [
            "symbolic(consistency._shifted > 0)",
        ],
    },
    "bayesnet.counts": {
        "the number of candidates": [
            "symbolic(listed < weighted)",
        ],
    },
    "bayesnet.calibrated_tree_privacy": {
        "a choice, for a rho": [
            "symbolic(bounded_range.COST.lhs <= bounded_range.COST.rhs / 2, given=bounded_range.TWICE)",
            "symbolic(bounded_range.COST, given=bounded_range.TWICE[1:])",
            "symbolic(bounded_range.RANGE.lhs <= bounded_range.share / 2, given=bounded_range.CLOSE)",
            "symbolic(bounded_range.RANGE, given=bounded_range.CLOSE[1:])",
            "symbolic(bounded_range.CHORD, given=bounded_range.BETWEEN[2:])",
        ],
        "the noisy counts": [
            (
                "symbolic(noise_of_counts.LAPLACE.lhs / 2 <= noise_of_counts.part * noise_of_counts.budget / "
                "4, given=noise_of_counts.ALL)"
            ),
            (
                "symbolic(2 * noise_of_counts.GAUSSIAN.lhs <= noise_of_counts.part * noise_of_counts.rho, "
                "given=noise_of_counts.ALL_SQUARES)"
            ),
            "symbolic(noise_of_counts.GAUSSIAN, given=(Symbol('S', nonnegative=True) <= 4 * noise_of_counts.number,))",
        ],
        "all steps": [
            "symbolic(2 * tree._lost <= tree._parts * noise_of_counts.rho, given=of_tables[0], where=of_tables[1])",
            "symbolic(tree._lost <= tree._parts * noise_of_counts.rho, given=of_tables[0][1:], where=of_tables[1])",
            "symbolic(tree._CHOICES, given=double)",
            "symbolic(tree._total(noise_of_counts.rho), given=tree._within(noise_of_counts.rho)[:-1])",
            "symbolic(tree._total(noise_of_counts.rho / 2), given=tree._within(noise_of_counts.rho))",
        ],
        "an epsilon and a delta": [
            "symbolic(from_rho.LARGEST.lhs <= -(1 / 10), given=from_rho.LOGARITHMS)",
            "symbolic(expand_log(from_rho._REACHED) == log(from_rho._delta / 2))",
        ],
    },
    "bayesnet.adaptive_marginals_privacy": {
        "the score of a pair": [
            "symbolic(2 * adaptive_marginals._ONE_CELL.lhs <= adaptive_marginals._ONE_CELL.rhs)",
        ],
        "the cost of a round": [
            "symbolic(adaptive_marginals._ROUND, given=adaptive_marginals._NOISE[1:])",
        ],
        "rounds that depend on earlier outputs": [
            "symbolic(adaptive_marginals._ONE_MORE, given=adaptive_marginals._PRODUCT[:2])",
            (
                "symbolic(2 * adaptive_marginals._AFTER.lhs <= adaptive_marginals._AFTER.rhs, "
                "given=adaptive_marginals._ENOUGH)"
            ),
        ],
    },
}
