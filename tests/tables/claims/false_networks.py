"""Deliberately false statements near those about learned networks and noisy entropies: none may come out as proved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import comb

import sympy as sp

from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.slopes import Slopes
from pan_proofs.engines.vectors import Induction
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step
from pan_proofs.ledger.lengths_and_limits import by_slopes, for_every_length
from pan_proofs.ledger.notation import scale
from pan_proofs.ledger.steps import at_most, compared, counterexample, enumerated, equal, found, related
from pan_proofs.tables.claims.entropy import analysis, conditions, empirical_entropy, noisy_bias, remainders
from pan_proofs.tables.claims.experiments import preprocessing
from pan_proofs.tables.claims.networks import consistency, counts, degree
from pan_proofs.tables.claims.privacy import several_holders
from pan_proofs.tables.lemmas import clipped_entropy, distance_changes, log_variance, squared_error
from pan_proofs.tables.lemmas.count_moments import chance, records
from pan_proofs.tables.lemmas.expansion import deviation, remainder
from pan_proofs.tables.lemmas.likelihoods import by_information, dominates, grown, maximum_likelihood, orders
from pan_proofs.tables.lemmas.noisy_counts import holders, noisy_frequency, noisy_pair
from pan_proofs.tables.lemmas.scripts import printed_vote
from pan_proofs.tables.lemmas.small_tables import exponential_chance, families, largest_change, structures
from pan_proofs.tables.lemmas.symbol_sums import log_chance, log_other, over_pairs, over_symbols, spread

_below = sp.Symbol("v", real=True)
_change, _one, _other = sp.symbols("C P Pprime")
_sets, _size = sp.symbols("K N", integer=True, positive=True)
_epsilon = sp.Symbol("epsilon", positive=True)
_EQUAL, _TURNED = ((0, 0, 0), (1, 1, 1)), ((0, 0, 0), (1, 0, 1))


def _claim(step: Step) -> Claim:
    part = Part(Role.PUBLISHED, "statement", "", (step,), no_formula="the steps are tested")
    return Claim("false.networks", "false", (Reference("here", "false on purpose"),), "", (part,))


def _refuted(step: Step) -> Claim:
    other = equal("square", "", "", (_size + 1) ** 2, _size**2 + 2 * _size + 1)
    parts = (
        Part(Role.COUNTEREXAMPLE, "false", "", (step,), no_formula="the steps are tested"),
        Part(Role.AMENDED, "other", "", (other,), no_formula="the steps are tested"),
    )
    return Claim("false.networks", "false", (Reference("here", "false on purpose"),), "", parts)


def _equal(left: sp.Expr | Callable[[], sp.Expr], right: sp.Expr) -> Claim:
    return _claim(equal("s", "", "", left, right))


def _bounded(smaller: sp.Expr, larger: sp.Expr, given: tuple, **controls: object) -> Claim:
    return _claim(at_most("s", "", Inequality("s", smaller, larger, given, **controls)))


def _both_signs() -> sp.Expr:
    """The squared linear part with the printed sign of the mixed moment."""
    alone = over_symbols(sp.expand((1 + log_chance) ** 2 * noisy_frequency(2)))
    pairs = over_pairs(sp.expand((1 + log_chance) * (1 + log_other) * noisy_pair((1, 1), centred=True)))
    return sp.expand(alone - pairs)


def _changes() -> list[dict]:
    return [
        {_change: largest_change((2,) * size, 2, families(one)), _size: size}
        for size in (2, 3)
        for one in structures(size, 1)
    ]


def _vanishing_vote() -> Claim:
    factor, any_factor = sp.S.One, sp.Symbol("c", nonnegative=True)
    values = {
        _one: lambda: exponential_chance(_EQUAL, (0,), 1, (1, (0,)), factor),
        _other: lambda: exponential_chance(_TURNED, (0,), 1, (1, (0,)), factor),
        any_factor: sp.Integer(10) ** 9,
    }
    return _refuted(counterexample("s", "", sp.Le(_one, any_factor * _other, evaluate=False), values))


def _fixed_tree() -> Claim:
    star = ((0, 1), (0, 2), (0, 3))
    return _claim(
        enumerated(
            "s",
            "",
            "it holds",
            orders(4),
            lambda rank: dominates(star, grown(4, rank), rank),
            mutant=lambda rank: rank[(0, 1)] > 5,
        )
    )


def _greedy_of_two() -> Claim:
    return _claim(
        enumerated(
            "s",
            "",
            "a vote has at most one parent",
            (_EQUAL, _TURNED, ((0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0))),
            lambda table: len(printed_vote(table, (0, 1), 1)[1]) <= 1,
            mutant=lambda table: len(printed_vote(table, (0, 1), 1)[1]) > 2,
        )
    )


def _sum_without_size() -> Claim:
    count, total, sums = sp.Symbol("c", nonnegative=True), sp.Symbol("T", real=True), sp.Symbol("C", real=True)
    induction = Induction(
        "s",
        sp.Eq(total, sums, evaluate=False),
        sp.Symbol("d", nonnegative=True, integer=True),
        (count,),
        {total: total + count + 1, sums: sums + count},
        ((3,), (0,)),
    )
    return _claim(for_every_length("s", "", induction))


def _fourth_sum_without_squares() -> Claim:
    one = remainders._sums()["fourth"]
    twice = sp.Symbol("R_2", real=True)
    changed = replace(one, relation=sp.Eq(one.relation.lhs, one.relation.rhs.subs(twice, 0), evaluate=False))
    return _claim(for_every_length("s", "", changed))


FALSE: dict[str, tuple[str, Callable[[], Claim]]] = {
    "all distributions of a network change by one count each": (
        "wrong constant",
        lambda: _claim(
            related(
                "s",
                "",
                "the largest change",
                sp.Eq(_change, _size, evaluate=False),
                _changes(),
                mutant=sp.Eq(_change, 0, evaluate=False),
                parameters=(_size,),
            )
        ),
    ),
    "half of the scale of noisy counts keeps the budget": (
        "wrong constant",
        lambda: _equal(lambda: sp.exp(2 * _sets / (_sets / _epsilon)), sp.exp(_epsilon)),
    ),
    "exponential weights leak without bound": ("true statement", _vanishing_vote),
    "the remainder after the third order is a quarter of the fourth power": (
        "wrong constant",
        lambda: _claim(
            by_slopes(
                "s",
                "",
                Slopes(
                    "s",
                    _below**4 / 4 - remainder(3).subs(deviation, -_below),
                    _below,
                    sp.S.Zero,
                    {_below: sp.Rational(1, 100)},
                    sp.Rational(1, 1000),
                    end=sp.S.One,
                ),
            )
        ),
    ),
    "a negative frequency costs no logarithm": (
        "missing hypothesis",
        lambda: _bounded(
            clipped_entropy._rest_below(),
            _below**4 / 3,
            clipped_entropy._BEYOND,
            gap=sp.Rational(99, 100),
        ),
    ),
    "the noise counts twice in the bias of the entropy": (
        "wrong constant",
        lambda: _equal(
            lambda: sp.expand(chance * (-noisy_frequency(2) / (2 * chance**2) + noisy_frequency(3) / (6 * chance**3))),
            clipped_entropy.main_of_one() - holders * scale**2 / (records**2 * chance),
        ),
    ),
    "the other terms of the bias are ten times the small number": (
        "wrong constant",
        lambda: _bounded(
            noisy_bias._others(),
            10 * noisy_bias._small,
            noisy_bias._CONDITIONS,
            gap=sp.Rational(99, 100),
        ),
    ),
    "the first condition alone, with any noise": (
        "missing hypothesis",
        lambda: _bounded(
            conditions.inverse_share,
            conditions.small,
            conditions.FEW,
            gap=sp.Rational(99, 100),
        ),
    ),
    "the squared error with the printed sign of the mixed moment": (
        "wrong sign",
        lambda: _equal(_both_signs, squared_error.stated_linear_square()),
    ),
    "the squared error without its noise": (
        "missing hypothesis",
        lambda: _equal(squared_error.linear_square, spread**2 / records),
    ),
    "there are as many candidates as sets": (
        "wrong constant",
        lambda: _claim(
            related(
                "s",
                "",
                "the numbers",
                sp.Eq(_one, _other, evaluate=False),
                [
                    {_one: counts._all_pairs(size, 2), _other: sum(comb(size, i) for i in (1, 2, 3)), _size: size}
                    for size in (3, 4)
                ],
                mutant=sp.Eq(_one, 0, evaluate=False),
                parameters=(_size,),
            )
        ),
    ),
    "one star is the best tree for all weights": ("missing hypothesis", _fixed_tree),
    "the printed vote keeps the degree": ("missing hypothesis", _greedy_of_two),
    "the likelihood does not depend on the structure": (
        "missing hypothesis",
        lambda: _claim(
            enumerated(
                "s",
                "",
                "it holds",
                [(_EQUAL, one) for one in structures(3, 1)],
                lambda case: maximum_likelihood(*case) == by_information(case[0], [(), (), ()]),
                mutant=lambda case: maximum_likelihood(*case) == 0,
            )
        ),
    ),
    "smoothing by one adds nothing": ("wrong constant", _sum_without_size),
    "a count that is set to zero rises by the whole scale": (
        "wrong constant",
        lambda: _equal(
            analysis._integral,
            analysis._count + scale * sp.exp(-analysis._count / scale),
        ),
    ),
    "the fourth moments have no inverse squares": ("wrong constant", _fourth_sum_without_squares),
    "the products of orders with a factor of a half": (
        "wrong constant",
        lambda: _bounded(
            remainders._TWO * remainders._SIX,
            remainders._SUM_4**2 / 2,
            (remainders._a >= 0, remainders._t >= 0),
            gap=sp.Rational(99, 100),
        ),
    ),
    "the uniform entropy is 7.59 bits": (
        "wrong constant",
        lambda: _claim(
            compared("s", "", sp.Lt(sp.Rational(7585, 1000), sp.log(192) / sp.log(2), evaluate=False)),
        ),
    ),
    "a domain of the first records has 118 values": (
        "wrong range",
        lambda: _claim(
            found(
                "s",
                "",
                "the largest domain",
                lambda: max(first for name, _, _, first in preprocessing.COLUMNS if name in preprocessing.kept()),
                118,
            )
        ),
    ),
    "a diagnosis has 9 groups and no missing entry": (
        "off by one",
        lambda: _claim(
            found("s", "", "the values of a diagnosis", lambda: preprocessing.kept()[preprocessing._DIAGNOSES[0]], 9)
        ),
    ),
    "a record that changes its holder costs one budget": (
        "missing factor",
        lambda: _bounded(
            several_holders._MOVED.lhs,
            several_holders.epsilon,
            several_holders._BOTH,
            touching={several_holders._one_loss: 1, several_holders._other_loss: 0, several_holders.epsilon: 1},
        ),
    ),
    "several records of a patient cost one budget": (
        "missing factor",
        lambda: _bounded(
            preprocessing._PATIENT_LOSS.lhs,
            several_holders.epsilon,
            preprocessing._FEWER_RECORDS,
            touching={preprocessing._changed: 1},
        ),
    ),
    "the noise grows with every degree": (
        "missing hypothesis",
        lambda: _bounded(
            sp.S.One,
            degree._FACTOR,
            degree._RISES[1:],
            touching={degree._number: 5, degree._degree: 2, degree._each: 2},
        ),
    ),
    "the terms of degree one exceed those of degree four": (
        "wrong sign",
        lambda: _refuted(
            counterexample(
                "s",
                "",
                sp.Le(degree._four, degree._five, evaluate=False),
                {degree._four: lambda: degree.main_terms(1), degree._five: lambda: degree.main_terms(4)},
            )
        ),
    ),
    "the term of a value is at most the root of its probability": (
        "wrong constant",
        lambda: _bounded(
            log_variance.OF_ONE.lhs,
            log_variance.OF_ONE.rhs / 16,
            log_variance._TANGENT,
            touching={log_variance._root: 0, log_variance._log: 0},
            weaker=sp.Rational(1, 100),
        ),
    ),
    "the five terms are small without a bound on the variance": (
        "missing hypothesis",
        lambda: _bounded(
            log_variance.FIVE[1],
            log_variance._small,
            (log_variance.STRONGEST[0], *log_variance.STRONGEST[2:]),
            gap=sp.Rational(1, 2),
            weaker=sp.Rational(1, 1000),
        ),
    ),
    "R of other variables changes by a root less": (
        "wrong constant",
        lambda: _bounded(
            distance_changes.WHOLE.lhs,
            distance_changes.WHOLE.rhs - 1,
            distance_changes.SIDES,
            touching={distance_changes._long: 2, distance_changes._wide: 2, distance_changes.root: 2},
            raised=sp.S.One,
        ),
    ),
    "two rows without their common sum": (
        "missing hypothesis",
        lambda: _bounded(
            distance_changes.OF_BINARY.lhs,
            distance_changes.OF_BINARY.rhs,
            distance_changes._TWO_ROWS[1:],
            touching={
                distance_changes._old_row: 1,
                distance_changes.others: 1,
                distance_changes._new_row: 0,
                distance_changes._old_column: 0,
                distance_changes._new_column: 0,
            },
        ),
    ),
    "the information of a sum is shifted by its logarithm": (
        "wrong constant",
        lambda: _equal(
            consistency._of_mass,
            consistency._mass * consistency._cell * consistency._logarithms() - sp.log(consistency._mass),
        ),
    ),
    "the error in bits has one factor": (
        "wrong base",
        lambda: _equal(empirical_entropy._error_in_bits, empirical_entropy._error_in_nats() / sp.log(2)),
    ),
}
