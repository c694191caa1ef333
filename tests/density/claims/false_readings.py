"""False statements about other neighbours, multiplicative errors, sketches and space, built as true claims would be."""

from __future__ import annotations

import sympy as sp

from pan_proofs.density.claims.any_estimator import user_level_noise
from pan_proofs.density.claims.pan_private_distinct_sampling import fixed_level
from pan_proofs.density.lemmas.accuracy import multiplicative
from pan_proofs.density.lemmas.hashing import space_of_ids
from pan_proofs.density.lemmas.intrusions import other_neighbours
from pan_proofs.density.lemmas.sharing.plain_sketches import SKETCHES, state_after
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.slopes import Slopes
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step
from pan_proofs.ledger.notation import beta, epsilon, universe, x
from pan_proofs.ledger.steps import at_most, enumerated, lemma, related

_COUNT_MIN = SKETCHES["Count-Min"]


def _claim(name: str, step: Step) -> Claim:
    part = Part(Role.PUBLISHED, name, name, (step,), no_formula="the steps are tested")
    return Claim(f"false.{name}", name, (Reference("here", "false on purpose"),), name, (part,))


def _slopes(name: str, expression: sp.Expr) -> Claim:
    asked = Slopes(name, expression, epsilon, sp.S.Zero, {epsilon: 1}, sp.Integer(9), end=sp.Integer(2), strict=True)
    return _claim(name, lemma("s", "", asked.discharge()))


def replaced_coins_keep_twice_the_budget() -> Claim:
    return _slopes("replaced_coins", other_neighbours._OF_COINS - epsilon)


def replaced_pair_keeps_the_budget() -> Claim:
    return _claim("replaced_pair", at_most("s", "", Inequality("s", x**2, x, (sp.Gt(x, 1),), touching={x: 1})))


def two_shifted_users_are_enough() -> Claim:
    return _slopes("two_shifted", sp.log(1 + epsilon / 2) - sp.log(1 - epsilon / 2) - 2 * epsilon)


def count_min_forgets() -> Claim:
    step = enumerated(
        "s",
        "",
        "Count-Min: a user who appears again leaves no trace",
        range(16),
        lambda hashed: (
            state_after(SKETCHES["Count-Min"], (hashed,) * 2) == state_after(SKETCHES["Count-Min"], (hashed,))
        ),
        mutant=lambda hashed: state_after(_COUNT_MIN, (hashed,)) == state_after(_COUNT_MIN, ()),
    )
    return _claim("count_min", step)


def multiplicative_with_half_of_the_failures() -> Claim:
    given = multiplicative._TOLD_APART
    point = {
        beta: sp.Rational(1, 3),
        multiplicative._factor: 2,
        multiplicative._chance: sp.Rational(2, 3),
        multiplicative._other: sp.Rational(1, 3),
    }
    return _claim("half", at_most("s", "", Inequality("s", 1 / multiplicative._factor, beta, given, touching=point)))


def multiplicative_below_the_density() -> Claim:
    given = multiplicative._ABOVE[:2]
    point = dict.fromkeys((multiplicative._error, multiplicative._share, multiplicative._density), 1)
    return _claim("below", at_most("s", "", Inequality("s", *multiplicative._RELATIVE.args, given, touching=point)))


def sampled_coins_have_half_of_the_error() -> Claim:
    members, present = fixed_level.members, fixed_level.present
    bound = Inequality(
        "s",
        fixed_level._COINS,
        2 * (members + 1) / (members * epsilon) ** 2,
        fixed_level._WITHIN,
        touching={present: 0, epsilon: 1, members: 1},
    )
    return _claim("half_error", at_most("s", "", bound))


def sums_need_no_more_noise() -> Claim:
    change = user_level_noise._change
    bound = Inequality("s", change * epsilon, epsilon, user_level_noise._SUMMED, touching={change: 1, epsilon: 1})
    return _claim("sums", at_most("s", "", bound))


def fewer_bits_than_users() -> Claim:
    step = related(
        "s",
        "",
        "the number of sets",
        sp.Le(space_of_ids._sets, 2 ** (universe - 1), evaluate=False),
        [{universe: users, space_of_ids._sets: space_of_ids._number_of_sets(users)} for users in (1, 2, 3)],
        mutant=sp.Le(space_of_ids._sets, 1, evaluate=False),
        parameters=(universe,),
    )
    return _claim("fewer_bits", step)


FALSE = {
    "replaced coins keep twice the budget": ("wrong sign", replaced_coins_keep_twice_the_budget),
    "a replaced pair keeps the budget": ("missing factor", replaced_pair_keeps_the_budget),
    "two shifted users exceed the budget": ("wrong constant", two_shifted_users_are_enough),
    "Count-Min forgets appearances": ("missing hypothesis", count_min_forgets),
    "a multiplicative error fails with 1/F": ("wrong constant", multiplicative_with_half_of_the_failures),
    "a multiplicative error below the least density": ("missing hypothesis", multiplicative_below_the_density),
    "sampled coins have half of their error": ("wrong constant", sampled_coins_have_half_of_the_error),
    "sums need no more noise for users": ("missing factor", sums_need_no_more_noise),
    "fewer bits than users": ("off by one", fewer_bits_than_users),
}
