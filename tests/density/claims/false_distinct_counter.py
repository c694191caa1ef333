"""Deliberately false statements about the distinct counter: none may come out as proved."""

from collections.abc import Callable
from fractions import Fraction

import sympy as sp

from pan_proofs.density.claims.distinct_counter.floor import LIMITS
from pan_proofs.density.lemmas.intrusions.several_releases import E, joint_ratio, r
from pan_proofs.density.lemmas.losses.observations import p0, p1
from pan_proofs.density.lemmas.sharing.counter_information import STATE, TOTAL, bit_information, untouched
from pan_proofs.density.lemmas.sharing.occupancy import Cells, stated_moments
from pan_proofs.density.lemmas.sharing.range_floor import RANGE_LIMITS, weighted_information
from pan_proofs.density.lemmas.sharing.two_counters import loss_of_one
from pan_proofs.density.lemmas.sharing.union_floor import factor
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.minima import exceeds_on_box
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step
from pan_proofs.ledger.steps import at_most, compared, enumerated, equal, lemma


def _claim(name: str, statement: str, *steps: Step) -> Claim:
    return Claim(
        id=f"false.{name}",
        title=name,
        references=(Reference("here", "false on purpose"),),
        statement=statement,
        parts=(Part(Role.PUBLISHED, name, statement, steps, no_formula="the steps are tested"),),
    )


def draws_that_remember() -> Claim:
    before = sp.Symbol("a", real=True)
    after = before * p1 + (1 - before) * p0
    return _claim("remember", "a draw keeps a part of the old bit", equal("remember", "", "", after, p1))


def independent_cells() -> Claim:
    cells = [Cells(4, 2, 1, users) for users in (1, 2, 3)]
    pair = Fraction(1, 4), Fraction(1, 2)
    step = enumerated(
        "independent",
        "",
        "the variance for exactly n users is that of independent bits",
        cells,
        lambda one: one.moments(pair) == stated_moments(one, pair, dependent=False),
        mutant=lambda one: False,
    )
    return _claim("independent", "the bits are independent for exactly n users", step)


def a_bit_with_less() -> Claim:
    ratio = sp.Symbol("L", real=True)
    square = (ratio - 1) ** 2 / (untouched + (1 - untouched) * ratio)
    within = (STATE > 1, sp.Ge(STATE * ratio, 1, evaluate=False), ratio <= STATE, untouched >= 0, untouched <= 1)
    bound = Inequality("less", square, bit_information(), within, touching={ratio: 2, STATE: 2, untouched: 1})
    return _claim("less", "every value of a cell tells less than the bit", at_most("less", "", bound))


def a_higher_floor() -> Claim:
    load, (limit,) = sp.Rational(468, 1000), [one for one in LIMITS if one.total == 1]
    ratio, chance = sp.exp(limit.total), sp.exp(-load)
    information = load * chance**2 * bit_information(ratio, chance)
    error = limit.error + sp.Rational(2, 1000)
    step = compared("higher", "", sp.Lt(information, 1 / error**2, evaluate=False))
    return _claim("higher", r"$c(1) \ge 2.509$", step)


def releases_for_one() -> Claim:
    step = equal("releases", "", "", joint_ratio(sp.Integer(2)), E * (1 + E * r) / (1 + E))
    return _claim("releases", "two releases lose as one", step)


def a_union_for_one_release() -> Claim:
    step = equal("union", "", "", loss_of_one(), E * (1 + E * r) / (1 + E))
    return _claim("union", "a table of two counters costs as one count", step)


def a_smaller_factor_for_a_union() -> Claim:
    """The quotient of both informations without the square of the sum."""
    step = equal("factor", "", "", (E - 1) ** 2 * (E**2 + 1) / (E + 1) ** 3, factor())
    return _claim("factor", "a pair of cells tells less of a union", step)


def a_wrong_dual() -> Claim:
    """Equal weights bound the information of a cell on a decade, but not as the searched ones do."""
    (limit,) = [one for one in RANGE_LIMITS if one.decades == 1]
    place, loads = sp.Symbol("t", real=True), [sp.Integer(1), sp.Rational(9, 5), *map(sp.Rational, ("3.2", "5.6", 10))]
    asked = exceeds_on_box(
        "wrong_dual",
        limit.slope - weighted_information([sp.Rational(1, 5)] * 5, loads, place),
        sp.S.Zero,
        {place: (sp.Integer(0), sp.Integer(4))},
        [{TOTAL: limit.total}],
        close=[{place: limit.near}],
        stronger=sp.Rational(1, 100),
    )
    return _claim("dual", "equal weights show the error of a decade", lemma("dual", "", asked))


FALSE: dict[str, tuple[str, Callable[[], Claim]]] = {
    "draws that remember": ("wrong model", draws_that_remember),
    "independent cells": ("correct only in the limit", independent_cells),
    "each value tells less than the bit": ("wrong quantity", a_bit_with_less),
    "a higher floor": ("wrong constant", a_higher_floor),
    "a smaller factor for a union": ("wrong constant", a_smaller_factor_for_a_union),
    "equal weights for a range": ("wrong dual", a_wrong_dual),
    "two releases for one": ("wrong constant", releases_for_one),
    "a union for one release": ("wrong constant", a_union_for_one_release),
}
