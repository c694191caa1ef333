"""Formulas that differ in one place from formulas of the claims, and are false: the steps do not lead to them."""

from __future__ import annotations

import pytest
import sympy as sp

from pan_proofs.engines.obligation import Status
from pan_proofs.engines.vectors import sum_over_entries
from pan_proofs.ledger.linking import linked
from pan_proofs.ledger.notation import epsilon
from pan_proofs.ledger.statements import Statement, symbolic
from pan_proofs.tables.claims.entropy import analysis, empirical_entropy
from pan_proofs.tables.claims.networks import consistency, degree
from pan_proofs.tables.lemmas import (
    clipped_entropy,
    condition_steps,
    distance_changes,
    local_likelihoods,
    log_variance,
    log_variance_order,
    logarithm_shape,
    mixed_bases,
    nearest_by_values,
    rare_symbols,
    round_weights,
    score_ranges,
    squared_error,
)
from pan_proofs.tables.lemmas.information import gain
from pan_proofs.tables.sources import STATEMENTS

_third = sp.Rational(1, 3)
_m, _z = sp.symbols("m z", real=True)


def le(left, right):
    return sp.Le(left, right, evaluate=False)


def eq(left, right):
    return sp.Eq(left, right, evaluate=False)


def twins():
    """By claim and title of the part, a false formula."""
    v, log = clipped_entropy._below, clipped_entropy._logarithm
    share = clipped_entropy._share
    exponents = round_weights._exponent(round_weights._score) - round_weights._exponent(round_weights._other_score)
    small, x = condition_steps.small, condition_steps.root_of_square
    error, linear, root, rest = (getattr(squared_error, name) for name in ("_error", "_linear", "_root", "_rest_root"))
    listed, weighted = sp.symbols("P_k W_k")
    k, square = sp.Symbol("k", nonnegative=True, integer=True), distance_changes.records**2
    above = (sp.Or(*(eq(distance_changes.records, size) for size in (2, 3, 4))),)
    return {
        ("bayesnet.mutual_information_sensitivity", "no binary variable"): symbolic(
            sp.Gt(2 * gain(_m) - gain(_m - _z) - gain(_m + _z), 1, evaluate=False),
            given=(_z > 0, sp.Lt(_z, _m - 1), _m > 1),
        ),
        ("bayesnet.score_sensitivities", "the score R, if a variable is binary"): (
            *symbolic(eq(distance_changes.change, 2 / (k + 2))),
            *symbolic(
                le(distance_changes.OF_BINARY.lhs, 3 * distance_changes.others), given=distance_changes._TWO_ROWS
            ),
            *symbolic(distance_changes.OF_BINARY, given=distance_changes._TWO_ROWS[1:]),
        ),
        ("bayesnet.score_sensitivities", "the score R, if no variable is binary"): (
            *symbolic(le(distance_changes.WHOLE.lhs, distance_changes.WHOLE.rhs - 1), given=distance_changes.SIDES),
            *symbolic(le(distance_changes.observed * square, distance_changes.LARGEST - 1), given=above),
            *symbolic(sp.Gt(distance_changes.observed * square, distance_changes.LARGEST, evaluate=False), given=above),
        ),
        (
            "bayesnet.sufficient_statistics_privacy",
            "the counts of all sets, with the scale of Theorem 3.4 in every proof",
        ): symbolic(eq(sp.Symbol("ratio"), sp.exp(epsilon / 2))),
        ("bayesnet.sufficient_statistics_privacy", "the counts of one set"): symbolic(eq(sp.Symbol("C"), 1)),
        ("bayesnet.sum_bounds", "the remarks on the proof"): (
            *symbolic(logarithm_shape.AT_MOST_ONE, given=logarithm_shape.NEAR[1:]),
            *symbolic(logarithm_shape.ABOVE_ONE, given=(sp.Le(logarithm_shape._log, -1),)),
            *symbolic(logarithm_shape.FALLS, given=logarithm_shape.BELOW[:1]),
        ),
        ("bayesnet.privbayes_privacy", "weights that are exponential in the score"): symbolic(
            le(exponents, round_weights._budget / (3 * round_weights._rounds)), given=round_weights._moved
        ),
        ("bayesnet.privbayes_privacy", "a score in bits with a sensitivity in nats"): (
            *symbolic(sp.Gt(mixed_bases._loss, sp.exp(2), evaluate=False)),
            *symbolic(le(mixed_bases._BITS.lhs, mixed_bases._share / 2), given=mixed_bases._CLOSE),
        ),
        ("bayesnet.entropy_bias", "negative counts are set to 0"): (
            *symbolic(le(-clipped_entropy._rest_below(), (log + _third / 2) * v**4), given=clipped_entropy._BEYOND),
            *symbolic(le(3 * (share * (1 - share)) ** 2, 2 * share**2), given=clipped_entropy._PROBABILITY),
        ),
        ("bayesnet.entropy_bias", "the printed conditions, where negative counts are set to 0"): (
            *symbolic(le(rare_symbols._ONE_BOUND + 1, rare_symbols._ONE_BIAS), given=rare_symbols._OF_ONE),
            *symbolic(
                le(rare_symbols._least * rare_symbols._logarithm - 6, rare_symbols._bias), given=rare_symbols._OF_TWO
            ),
        ),
        ("bayesnet.entropy_mse", "the leading term, with bounds"): symbolic(
            le(sp.Abs(error - linear), root * rest + rest**2), given=squared_error._PARTS
        ),
        ("bayesnet.entropy_conditions", "the strongest condition"): symbolic(
            le(x, small), given=condition_steps.STRONGEST[1:]
        ),
        ("bayesnet.entropy_conditions", "from the noise to the budget, and back"): (
            *symbolic(log_variance.ENOUGH, given=log_variance.LARGE_BUDGET[:1]),
            *symbolic(log_variance.NEEDED, given=log_variance.LITTLE[:1]),
        ),
        ("bayesnet.entropy_conditions", "the hypothesis on the variance holds always"): (
            *symbolic(le(log_variance.OF_ONE.lhs, log_variance.OF_ONE.rhs / 100), given=log_variance._TANGENT),
            *symbolic(log_variance.OF_ONE, given=log_variance._TANGENT[1:]),
        ),
        ("bayesnet.entropy_conditions", "the order of the largest variance"): (
            *symbolic(log_variance_order.OF_RARE, given=(le(log_variance_order._root, 1),)),
            *symbolic(eq(log_variance_order._half_at_one(), sp.log(log_variance_order._many - 1) ** 2)),
        ),
        ("bayesnet.entropy_conditions", "no bound from below for a growing number of values"): (
            *symbolic(log_variance.FEW_VALUES, given=log_variance.FROM_BELOW[:1]),
            *symbolic(log_variance.FEW_VALUES, given=log_variance.FROM_BELOW[1:]),
        ),
        ("bayesnet.entropy_conditions", "the strongest condition, against the leading term"): (
            *symbolic(le(log_variance.FIVE[1], small), given=log_variance.STRONGEST[1:]),
            *symbolic(le(log_variance.FIVE[1], small), given=(log_variance.STRONGEST[0], *log_variance.STRONGEST[2:])),
        ),
        ("bayesnet.degree", "more structures than any exponential number"): symbolic(
            degree._MORE, given=(sp.Ge(degree._length, 2 * degree._bits),)
        ),
        ("bayesnet.degree", "a small budget favours a small degree"): (
            *symbolic(degree._KEPT, given=degree._ALLOWED[:2]),
            *symbolic(degree._KEPT, given=(degree._ALLOWED[0], degree._ALLOWED[2])),
        ),
        ("bayesnet.degree", "more scores than distributions"): symbolic(sp.Gt(degree._sets, degree._scores)),
        ("bayesnet.degree", "estimates that get better with the degree"): symbolic(
            sp.Lt(degree._four, degree._five, evaluate=False)
        ),
        ("bayesnet.degree", "up to which degree the noise grows"): (
            *symbolic(degree._AT_LEAST_ONE, given=degree._RISES[1:]),
            *symbolic(degree._LESS_THAN_ONE, given=degree._RISES),
        ),
        ("bayesnet.loglikelihood", "the product of local likelihoods"): symbolic(
            local_likelihoods._PRODUCTS, given=local_likelihoods._FACTORS[:1]
        ),
        ("bayesnet.score_use", "F is computed efficiently for binary attributes only"): symbolic(
            nearest_by_values._ALL, where={nearest_by_values._columns: sp.Integer(nearest_by_values._MOST)}
        ),
        ("bayesnet.score_use", "small sensitivities, compared with the ranges"): (
            *symbolic(sp.Gt(score_ranges.OF_DISTANCE.lhs, 0, evaluate=False), given=(score_ranges._n > 1,)),
            *symbolic(sp.Gt(score_ranges.OF_NEAREST.lhs, 1, evaluate=False), given=score_ranges._MORE),
        ),
        ("bayesnet.score_use", "F for a fixed number of values"): symbolic(
            le(nearest_by_values._of_values, nearest_by_values._records),
            given=(eq(nearest_by_values._records, 8), eq(nearest_by_values._values, 3)),
        ),
        ("bayesnet.empirical_entropy", "the factors from nats to bits"): symbolic(
            eq(empirical_entropy._error_in_bits(), empirical_entropy._error_in_nats() / sp.log(2))
        ),
        ("bayesnet.analysis_of_algorithm", "the bias of smoothed frequencies"): symbolic(
            analysis._BIAS_BOUND, given=analysis._SEVERAL[:1]
        ),
        ("bayesnet.consistency", "conditional tables with a rule for empty rows"): symbolic(
            eq(consistency._total, consistency._sum),
            where={
                one: sum_over_entries(term, (consistency._added,), consistency._cells)
                for one, term in consistency._SUMS.items()
            },
        ),
        ("bayesnet.consistency", "the information of frequencies that do not add up to 1"): symbolic(
            eq(consistency._of_mass(), consistency._mass * consistency._cell * consistency._logarithms())
        ),
        ("bayesnet.consistency", "division by the number of records"): symbolic(
            sp.Gt(consistency._shifted, 0, evaluate=False)
        ),
        ("bayesnet.counts", "the number of candidates"): symbolic(sp.Lt(listed, weighted, evaluate=False)),
    }


TWINS = twins()


@pytest.mark.parametrize("place", TWINS, ids=lambda place: f"{place[0]}: {place[1]}")
def test_the_steps_do_not_lead_to_a_false_twin_of_a_formula(entries, place):
    identifier, title = place
    (part,) = (part for part in entries[identifier].claim.parts if part.title == title)
    assert part.linked
    for text in TWINS[place]:
        assert linked("twin", text, part.obligations).status is not Status.DISCHARGED, text


NEGATIONS = {sp.Le: sp.Gt, sp.Lt: sp.Ge, sp.Ge: sp.Lt, sp.Gt: sp.Le, sp.Eq: sp.Ne, sp.Ne: sp.Eq}


def negations(formal):
    """What a formula denies: that its relation fails, or, of a formula that refutes a relation, that it holds."""
    stated = Statement.read(formal)
    parts = stated.conclusion.args if isinstance(stated.conclusion, sp.And) else (stated.conclusion,)
    denied = [
        one if stated.refuted else NEGATIONS[one.func](*one.args, evaluate=False)
        for one in parts
        if one.func in NEGATIONS
    ]
    return symbolic(*denied, given=stated.assumptions, where=stated.names) if denied else ()


@pytest.mark.more
@pytest.mark.parametrize("identifier", STATEMENTS)
def test_the_steps_do_not_lead_to_what_a_formula_denies(entries, identifier):
    asked = 0
    for part in entries[identifier].claim.parts:
        for text in (twin for formal in part.formal for twin in negations(formal)):
            assert linked("twin", text, part.obligations).status is not Status.DISCHARGED, text
            asked += 1
    assert asked
