"""False statements about the mechanisms and reductions of the turnstile model, each built as a true claim would be."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import sympy as sp

from pan_proofs.continual.claims import best_of_both
from pan_proofs.continual.claims.given_flippancy import VARIANCE
from pan_proofs.continual.claims.group_privacy import formula, ladder
from pan_proofs.continual.claims.legal_models import ERROR
from pan_proofs.continual.claims.marginals_reduction import item_distance, tables
from pan_proofs.continual.claims.recompute import drift
from pan_proofs.continual.claims.small_epsilon import copied
from pan_proofs.continual.claims.zcdp_conversion import power_is_convex
from pan_proofs.continual.doubling import Doubling
from pan_proofs.continual.flippancy import flippancy, flips, truncated
from pan_proofs.continual.neighbour_examples import example
from pan_proofs.continual.reductions import (
    all_bits,
    averages,
    inner_product,
    inner_products,
    largest_count,
    marginals,
    replaced_rows,
    stream_of_queries,
    stream_of_records,
)
from pan_proofs.continual.sparse_vector import SparseVector, largest_ratio, printed
from pan_proofs.continual.streams import NEIGHBOURS, distinct_counts, streams, toggle
from pan_proofs.continual.truncation_steps import vectors
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.slopes import Slopes
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step
from pan_proofs.ledger.steps import at_most, counterexample, enumerated, equal, lemma

_w, _rho = sp.symbols("w rho", positive=True)
_square, _found = sp.symbols("S F", nonnegative=True)
_height = sp.Symbol("L", real=True)
_y = sp.Symbol("y", positive=True)
_log = sp.Symbol("L", positive=True)
_share = sp.Symbol("s", positive=True)
ROOT = Fraction(1, 2)


def _claim(name: str, step: Step) -> Claim:
    part = Part(Role.PUBLISHED, name, name, (step,), no_formula="the steps are tested")
    return Claim(f"false.{name}", name, (Reference("here", "false on purpose"),), name, (part,))


def _counter(name: str, step: Step) -> Claim:
    """A claim that rests on a counterexample, with a true statement beside it."""
    true = equal("true", "", "", (_w + 1) ** 2, _w**2 + 2 * _w + 1)
    parts = (
        Part(Role.COUNTEREXAMPLE, name, name, (step,), no_formula="the steps are tested"),
        Part(Role.AMENDED, "true", "true", (true,), no_formula="the steps are tested"),
    )
    return Claim(f"false.{name}", name, (Reference("here", "false on purpose"),), name, parts)


def half_of_the_noise() -> Claim:
    given = (sp.Ge(_height, 0), sp.Le(_square, 8 * _w * (_height + 1)))
    smaller = _square / VARIANCE.subs({sp.Symbol("L", real=True): _height})
    step = at_most("s", "", Inequality("s", smaller, _rho, given, touching={_square: 4, _w: 1, _height: 0, _rho: 1}))
    return _claim("half_of_the_noise", step)


def smaller_order() -> Claim:
    expression = 64 * _height**2 - 8 * (_height + 1) ** 2 * (sp.log(200) + _height * sp.log(2))
    made = Slopes("s", expression, _height, sp.Integer(2), {_height: sp.Rational(21, 10)}, sp.Integer(1000)).discharge()
    return _claim("smaller_order", lemma("s", "", made))


def nothing_missed() -> Claim:
    step = enumerated(
        "s",
        "",
        "vectors of 6 entries, w = 1, 2: those with at most w + 1 flips are kept",
        [(bits, bound) for bits in vectors(6) for bound in (1, 2) if flips(bits) <= bound + 1],
        lambda case: truncated(*case) == case[0],
        mutant=lambda case: not any(truncated(*case)),
    )
    return _claim("nothing_missed", step)


def event_sensitivity_one() -> Claim:
    step = enumerated(
        "s",
        "",
        "event-neighbours of the toggle and of other models: the flippancy changes by at most 1",
        [(one, other) for n in range(1, 5) for one in streams(n, 1) for other in NEIGHBOURS["event"](one)],
        lambda pair: abs(flippancy(pair[0]) - flippancy(pair[1])) <= 1,
        mutant=lambda pair: flippancy(pair[0]) == flippancy(pair[1]),
    )
    return _claim("event_sensitivity", step)


def change_of_t() -> Claim:
    one, other = example(6)
    step = counterexample(
        "s", "", sp.Le(_found, 5, evaluate=False), {_found: lambda: abs(flippancy(one) - flippancy(other))}
    )
    return _counter("change_of_T", step)


def half_of_the_query_noise() -> Claim:
    step = enumerated(
        "s",
        "",
        "3 queries: the loss of half of the noise",
        (1,),
        lambda cutoff: (
            largest_ratio(SparseVector(cutoff, ROOT ** (2 * cutoff), ROOT**2), (-1, 0, 1), 3) <= ROOT ** (-4 * cutoff)
        ),
        mutant=lambda cutoff: largest_ratio(printed(cutoff, ROOT), (-1, 0, 1), 3) <= 1,
    )
    return _claim("half_of_the_query_noise", step)


def printed_noise_fails() -> Claim:
    step = counterexample(
        "s",
        "",
        sp.Le(_found, 16, evaluate=False),
        {_found: lambda: largest_ratio(printed(1, ROOT), (-1, 0, 1), 3)},
    )
    return _counter("printed_noise_fails", step)


def half_of_claim_3_9() -> Claim:
    step = enumerated(
        "s",
        "",
        "streams of 4 entries, rho = 1, error 1: the largest bound is at most w or 2 rho error^2",
        [stream for stream in streams(4, 2) if flippancy(stream) >= 1],
        lambda stream: Doubling(Fraction(1), Fraction(1)).largest(stream) <= max(flippancy(stream), Fraction(1)),
        mutant=lambda stream: Doubling(Fraction(1), Fraction(1)).largest(stream) == 1,
    )
    return _claim("half_of_claim_3_9", step)


def copies_without_one() -> Claim:
    each, other = sp.symbols("b bprime", positive=True)
    given = (sp.Ge(_height, 1), sp.Le(each, _rho / (2 * _height)), sp.Le(other, _rho / 2))
    inequality = Inequality(
        "s", (_height + 1) * each + other, _rho, given, touching={_height: 1, each: 1, other: 1, _rho: 2}
    )
    return _claim("copies_without_one", at_most("s", "", inequality))


def drift_of_less() -> Claim:
    step = enumerated(
        "s",
        "",
        "streams of 4 entries, r = 3: the drift is at most 1",
        streams(4, 2),
        lambda stream: drift(distinct_counts(stream), 3) <= 1,
        mutant=lambda stream: drift(distinct_counts(stream), 3) == 0,
    )
    return _claim("drift_of_less", step)


def queries_toggle() -> Claim:
    step = enumerated(
        "s",
        "",
        "data of 2 bits and a query: the stream of Algorithm 4 is of the toggle model",
        product(all_bits(2), all_bits(2)),
        lambda case: toggle(stream_of_queries(case[0], (case[1],))),
        mutant=lambda case: largest_count(stream_of_queries(case[0], (case[1],))) == 0,
    )
    return _claim("queries_toggle", step)


def bound_is_beaten_at_once() -> Claim:
    step = counterexample("s", "", sp.Ge(ERROR, 2 ** (_log / 4), evaluate=False), {_log: sp.Integer(20)})
    return _counter("beaten_at_once", step)


def answers_half_a_phase_late() -> Claim:
    step = enumerated(
        "s",
        "",
        "data of 2 bits and a query: the answers from the counts of the previous phase",
        product(all_bits(2), all_bits(2)),
        lambda case: (
            inner_products((0, 0, *distinct_counts(stream_of_queries(case[0], (case[1],)))), (case[1],))[0]
            == inner_product(*case)
        ),
        mutant=lambda case: inner_product(*case) == 0,
    )
    return _claim("half_a_phase_late", step)


def tables_are_neighbours() -> Claim:
    step = enumerated(
        "s",
        "",
        "tables with one row replaced: the streams are item-neighbours",
        [(table, other) for table in tables() if len(table) == 1 for other in replaced_rows(table)],
        lambda pair: item_distance(*map(stream_of_records, pair)) <= 1,
        mutant=lambda pair: item_distance(*map(stream_of_records, pair)) == 0,
    )
    return _claim("tables_are_neighbours", step)


def marginals_of_one_row_less() -> Claim:
    step = enumerated(
        "s",
        "",
        "tables of 2 rows: the marginals of one row",
        [table for table in tables() if len(table) == 2],
        lambda table: marginals(distinct_counts(stream_of_records(table)), 2, len(table[0])) == averages(table[:1]),
        mutant=lambda table: not any(averages(table)),
    )
    return _claim("one_row_less", step)


def copies_keep_the_flippancy() -> Claim:
    step = enumerated(
        "s",
        "",
        "streams of 3 entries: the flippancy of two copies",
        streams(3, 1),
        lambda stream: flippancy(copied(stream, 2)) == flippancy(stream),
        mutant=lambda stream: flippancy(copied(stream, 2)) == 0,
    )
    return _claim("copies_keep_flippancy", step)


def plain_sum_of_deltas() -> Claim:
    step = enumerated(
        "s",
        "",
        "groups of 1 to 3: the last probability is at most l delta",
        (1, 2, 3),
        lambda size: ladder(size, Fraction(2), Fraction(1, 100))[-1] <= Fraction(size, 100),
        mutant=lambda size: ladder(size, Fraction(2), Fraction(1, 100))[-1] == 0,
    )
    return _claim("plain_sum", step)


def more_than_the_formula() -> Claim:
    step = counterexample(
        "s",
        "",
        sp.Le(_found, formula(3, Fraction(2), Fraction(1, 100)), evaluate=False),
        {_found: lambda: ladder(3, Fraction(2), Fraction(1, 100))[-1]},
    )
    return _counter("more_than_the_formula", step)


def smaller_renyi_constant() -> Claim:
    expression = sp.log(_y) / 4 - (_y - 1) / (_y + 1)
    made = Slopes("s", expression, _y, sp.Integer(1), {_y: sp.Rational(11, 10)}, sp.Rational(1, 100)).discharge()
    return _claim("smaller_constant", lemma("s", "", made))


def fits_without_a_bound() -> Claim:
    queries, bits, many, length = sp.symbols("k n c_1 T", positive=True)
    given = (sp.Ge(_w, 1), sp.Eq(queries, _w / 2), sp.Eq(many * bits, queries))
    inequality = Inequality(
        "s",
        (2 * queries + 1) * bits,
        length,
        given,
        touching={_w: 1, queries: sp.Rational(1, 2), bits: sp.Rational(1, 2), many: 1, length: 1},
    )
    return _claim("fits_without_a_bound", at_most("s", "", inequality))


def root_is_convex() -> Claim:
    return _claim("root_is_convex", power_is_convex(-_share))


def any_epsilon_with_the_same_constant() -> Claim:
    given = (sp.Ge(best_of_both._log, 1), best_of_both._given_larger()[-1])
    smaller = best_of_both.epsilon**2 / (8 * best_of_both._log)
    point = {best_of_both.epsilon: 1, best_of_both._log: 1, best_of_both._rho: sp.Rational(1, 8)}
    return _claim("any_epsilon", at_most("s", "", Inequality("s", smaller, best_of_both._rho, given, touching=point)))


FALSE = {
    "any epsilon with the constant for 1": ("missing hypothesis", any_epsilon_with_the_same_constant),
    "a power below one is convex": ("wrong sign", root_is_convex),
    "half of the noise for a given flippancy": ("wrong constant", half_of_the_noise),
    "an error of order log T": ("wrong order", smaller_order),
    "vectors of w + 1 flips are kept": ("off by one", nothing_missed),
    "the maximum flippancy has sensitivity 1 for events": ("missing hypothesis", event_sensitivity_one),
    "the maximum flippancy changes by T": ("off by one", change_of_t),
    "half of the noise of the queries": ("wrong constant", half_of_the_query_noise),
    "the printed noise of the queries fails": ("wrong constant", printed_noise_fails),
    "half of the bound of Claim 3.9": ("wrong constant", half_of_claim_3_9),
    "a budget for log T copies": ("off by one", copies_without_one),
    "a drift of less than r - 1": ("off by one", drift_of_less),
    "the streams of Algorithm 4 toggle": ("missing hypothesis", queries_toggle),
    "the lower bound is beaten for short streams": ("correct for one instance", bound_is_beaten_at_once),
    "answers half a phase late": ("off by one", answers_half_a_phase_late),
    "neighbouring tables give item-neighbours": ("missing case", tables_are_neighbours),
    "marginals of one row less": ("off by one", marginals_of_one_row_less),
    "copies keep the flippancy": ("missing case", copies_keep_the_flippancy),
    "the deltas of a group add up": ("missing factor", plain_sum_of_deltas),
    "the delta of a group is too small": ("wrong sign", more_than_the_formula),
    "half of the logarithm is enough": ("wrong constant", smaller_renyi_constant),
    "Algorithm 4 fits for every flippancy": ("missing hypothesis", fits_without_a_bound),
}
