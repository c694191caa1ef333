"""False statements about counters with factored noise, each built as a true claim would be."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import sympy as sp
from sympy.core.relational import Relational

from pan_proofs.continual.adaptive_accounting import largest_loss
from pan_proofs.continual.claims.calibrated_adaptive import EXAMPLES, chosen_moment, most_of_moments
from pan_proofs.continual.claims.calibrated_turnstile import followed, largest
from pan_proofs.continual.claims.presence import moved, pairs
from pan_proofs.continual.factored_steps import column, cost, units
from pan_proofs.continual.flippancy import changes
from pan_proofs.continual.pair_machines import bit_pairs
from pan_proofs.continual.run_steps import MIXTURES, Mixture, distance_of, norm_of_run, runs, vectors
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.walks import bounded_for_every_length
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step
from pan_proofs.ledger.steps import at_most, enumerated, lemma

_a, _b, _c, _s = sp.symbols("a b c s", nonnegative=True)
_sum, _slack, _step = sp.symbols("X Q q", real=True)
_state, _gap = sp.symbols("y g", real=True)
_left = sp.Symbol("p", nonnegative=True)
_paid, _other, _limit, _rest, _rho = sp.symbols("E Eprime B r rho", nonnegative=True)


def _claim(name: str, step: Step) -> Claim:
    part = Part(Role.PUBLISHED, name, name, (step,), no_formula="the steps are tested")
    return Claim(f"false.{name}", name, (Reference("here", "false on purpose"),), name, (part,))


def one_column_for_two_changes() -> Claim:
    given = (sp.Le(_a, _s), sp.Le(_b, _s))
    return _claim(
        "one_column",
        at_most("s", "", Inequality("s", _a + _b - 2 * _c, _s, given, touching={_a: 1, _b: 0, _c: 0, _s: 1})),
    )


def events_change_one_step() -> Claim:
    step = enumerated(
        "s",
        "",
        "event-neighbours: the counts change apart in one step",
        list(pairs(4, 1)),
        lambda pair: sum(one != 0 for one in moved(*pair)) <= 1,
        mutant=lambda pair: not any(moved(*pair)),
    )
    return _claim("one_step", step)


def costs_of_one_for_each_change() -> Claim:
    def added(before: int, after: int, other: int, other_after: int, first: bool) -> int:
        return cost(before - other, after - other_after) - abs(after - before) - abs(other_after - other)

    def computed(word: tuple[tuple[int, int], ...]) -> int:
        gaps = [0, *(a - b for a, b in word)]
        paid = sum(cost(gaps[place], gaps[place + 1]) for place in range(len(word)))
        return paid - units(*zip(*word, strict=True))

    bound = bounded_for_every_length("s", "costs", bit_pairs(added), 0, by_definition=computed, up_to=4)
    return _claim("one_for_each", lemma("s", "", bound))


def less_than_the_parity_allows() -> Claim:
    step = enumerated(
        "s",
        "",
        "pairs of vectors with at most 2 changes: at most 3 changes together",
        [(one, other) for one in followed(5, 2) for other in followed(5, 2)],
        lambda pair: changes(pair[0]) + changes(pair[1]) <= 3,
        mutant=lambda pair: changes(pair[0]) + changes(pair[1]) == 0,
    )
    return _claim("three_changes", step)


def half_of_the_columns() -> Claim:
    step = enumerated(
        "s",
        "",
        "1 to 6 steps: vectors with one change are within S",
        range(1, 7),
        lambda steps: largest(steps, 1) <= 1,
        mutant=lambda steps: largest(steps, 1) <= 0,
    )
    return _claim("half_of_the_columns", step)


def three_for_a_run() -> Claim:
    """A run between two others adds up to 4."""
    smaller, larger, given, touching = a_run(sp.Integer(3))
    return _claim("three_for_a_run", at_most("s", "", Inequality("s", smaller, larger, given, touching=touching)))


def a_run(factor: sp.Expr) -> tuple[sp.Expr, sp.Expr, tuple[Relational, ...], dict[sp.Symbol, int]]:
    potential = 2 * (_state - _gap) ** 2 - 2 * (_left * _state - _gap) ** 2
    given = (sp.Eq(_gap**2, 1), sp.Ge(_left, 0), sp.Le(_left, 1))
    larger = factor * (1 - _left) / (1 + _left) + potential
    return _state**2 * (1 - _left**2), larger, given, {_state: 2, _gap: 1, _left: 0}


def one_run_less() -> Claim:
    step = enumerated(
        "s",
        "",
        "vectors of 4 entries: twice the runs are less than the changes of both",
        [(one, other) for one in vectors(4) for other in vectors(4) if one != other],
        lambda pair: 2 * len(runs(*pair)) < units(*pair),
        mutant=lambda pair: not runs(*pair),
    )
    return _claim("one_run_less", step)


def ends_like_single_changes() -> Claim:
    step = enumerated(
        "s",
        "",
        "vectors of 4 entries: each run costs at most what a single change costs",
        [(one, other) for one in vectors(4) for other in vectors(4) if one != other],
        lambda pair: distance_of(*pair, MIXTURES[1]) <= len(runs(*pair)) * column(4, MIXTURES[1].entries(4)),
        mutant=lambda pair: not runs(*pair),
    )
    return _claim("single_changes", step)


def weights_of_the_rates_below_one() -> Claim:
    """Rates 1 and 1/2, weights 1, two steps: the squared distance is 25/4, and the sum over f < 1 alone gives 4."""

    def bound(mixture: Mixture, steps: int) -> Fraction:
        pairs = [one for one in zip(mixture.shares, mixture.rates, strict=True) if one[1] < 1]
        below = sum(a * b / (1 - f * h) * 2 * (1 - f**steps) for a, f in pairs for b, h in pairs)
        return below + steps * sum(a for a, f in zip(mixture.shares, mixture.rates, strict=True) if f == 1) ** 2

    step = enumerated(
        "s",
        "",
        "one run, two steps: the squared distance is within the bound with the weights of the rates below 1",
        [(mixture, begin, end) for mixture in MIXTURES for begin, end in ((0, 1), (0, 2), (1, 2))],
        lambda case: norm_of_run(*case, 2) <= bound(case[0], 2),
        mutant=lambda case: norm_of_run(*case, 2) <= bound(case[0], 2) / 4,
    )
    return _claim("rates_below_one", step)


def prices_may_rise() -> Claim:
    given = (sp.Le(_sum, _slack * _a), sp.Le(_slack, 0))
    touching = {_sum: -1, _slack: -1, _a: 1, _b: 1, _step: 0}
    inequality = Inequality(
        "s", _sum + _step * _b, (_slack + _step) * _b, given, touching=touching, raised=sp.Rational(1, 1000)
    )
    return _claim("prices_may_rise", at_most("s", "", inequality))


def the_whole_limit_for_each_element() -> Claim:
    given = (sp.Le(_paid, _limit), sp.Le(_other, _limit), sp.Le(_limit + _rest, _rho))
    touching = {_paid: 1, _other: 0, _limit: 1, _rest: 1, _rho: 2}
    return _claim(
        "whole_limit", at_most("s", "", Inequality("s", _paid + _other + _rest, _rho, given, touching=touching))
    )


def no_limit() -> Claim:
    # Without a limit four changes of each of two elements are followed at the price of the first phase.
    free = replace(EXAMPLES[0], limits=(Fraction(100),))
    step = enumerated(
        "s",
        "",
        "an element without a limit stays within rho",
        (free,),
        lambda phases: largest_loss(4, phases) <= 1,
        mutant=lambda phases: largest_loss(4, phases) <= Fraction(1, 4),
    )
    return _claim("no_limit", step)


def refusals_are_free() -> Claim:
    loud = replace(EXAMPLES[0], alarm=100 * EXAMPLES[0].alarm)
    step = enumerated(
        "s",
        "",
        "alarms with a tenth of the noise stay within rho",
        (loud,),
        lambda phases: largest_loss(4, phases) <= 1,
        mutant=lambda phases: largest_loss(4, phases) <= 0,
    )
    return _claim("free_refusals", step)


def a_quarter_of_the_variance() -> Claim:
    quiet = replace(EXAMPLES[0], prices=(4 * EXAMPLES[0].prices[0],), limits=(4 * EXAMPLES[0].limits[0],))
    step = enumerated(
        "s",
        "",
        "half of the noise stays within rho",
        (quiet,),
        lambda phases: largest_loss(4, phases) <= 1,
        mutant=lambda phases: largest_loss(4, phases) <= 0,
    )
    return _claim("quarter_of_the_variance", step)


def the_smaller_second_moment() -> Claim:
    step = enumerated(
        "s",
        "",
        "a response that the first output chooses: the smaller moment is enough",
        [(Fraction(3, 2), Fraction(1), Fraction(3), order) for order in (2, 3)],
        lambda case: chosen_moment(*case) <= most_of_moments(case[0], case[1], case[1], case[3]),
        mutant=lambda case: chosen_moment(*case) > most_of_moments(*case),
    )
    return _claim("smaller_moment", step)


FALSE = {
    "one column for two changes": ("wrong constant", one_column_for_two_changes),
    "events change one step": ("off by one", events_change_one_step),
    "one column for each change": ("wrong constant", costs_of_one_for_each_change),
    "less than 2 w changes of two vectors": ("off by one", less_than_the_parity_allows),
    "one column for w = 1": ("wrong constant", half_of_the_columns),
    "3 for a run": ("wrong constant", three_for_a_run),
    "less runs than half of the changes": ("off by one", one_run_less),
    "a column for each run": ("missing factor", ends_like_single_changes),
    "weights of the rates below 1 alone": ("missing terms", weights_of_the_rates_below_one),
    "prices may rise": ("missing hypothesis", prices_may_rise),
    "the whole limit for each element": ("missing factor", the_whole_limit_for_each_element),
    "no limit": ("missing hypothesis", no_limit),
    "refusals are free": ("wrong constant", refusals_are_free),
    "a quarter of the variance": ("wrong constant", a_quarter_of_the_variance),
    "the smaller second moment": ("wrong sign", the_smaller_second_moment),
}
