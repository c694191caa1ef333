"""False statements on the hash function and on distinct sampling, each built as a true claim would be."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import sympy as sp

from pan_proofs.density.lemmas.hashing.distinct_sampling import Sampler, mean_estimate, moments_given_level, streams
from pan_proofs.density.lemmas.hashing.fixed_level import members, output_mean, output_variance
from pan_proofs.density.lemmas.hashing.linear_hash import (
    all_multipliers,
    hash_values,
    level_table,
    pair_probability,
    seen_classes,
)
from pan_proofs.density.lemmas.losses.joint_loss import Setting, limit, maximal_ratios, state_factor
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step
from pan_proofs.ledger.notation import epsilon, present, t, universe, x
from pan_proofs.ledger.steps import at_most, computed, equal


def _claim(step: Step, statement: str) -> Claim:
    part = Part(Role.PUBLISHED, "false", statement, (step,))
    return Claim("false.hashing", "false", (Reference("here", "tests"),), statement, (part,))


def last_level_as_printed() -> Claim:
    level, bits = sp.symbols("i Q", integer=True, nonnegative=True)
    total = sp.summation(sp.Rational(1, 2) ** (level + 1), (level, 0, bits))
    return _claim(equal("total", "", "", total, sp.Integer(1)), "The printed probabilities of the levels sum to 1.")


def every_multiplier_is_a_bijection() -> Claim:
    permutations = all(
        len(set(row)) == len(row)
        for width in range(1, 5)
        for row in hash_values(width, all_multipliers(width)).tolist()
    )
    return _claim(computed("all", "", "every multiplier gives a bijection", permutations), "Any multiplier will do.")


def even_multipliers_make_levels_independent() -> Claim:
    size = sp.Symbol("N", positive=True, integer=True)
    together = (size / 2 - 1) / (size - 1) / 2
    return _claim(
        equal("pairs", "", "", together, sp.Rational(1, 4)), "With any multiplier two levels are independent."
    )


def levels_are_pairwise_independent() -> Claim:
    together = all(
        pair_probability(4, (0, user), (i, j)) == Fraction(1, 2 ** (i + j + 2))
        for user in range(1, 16)
        for i in range(4)
        for j in range(4)
    )
    return _claim(computed("pairs", "", "levels of user 0 and another, Q = 4", together), "Levels are independent.")


def error_with_a_plus() -> Claim:
    claimed = (1 + t**2) / (4 * members * t**2) + 2 / (members**2 * epsilon**2)
    return _claim(equal("variance", "", "", output_variance(members), claimed), "The error with a plus.")


def noise_of_half_the_variance() -> Claim:
    claimed = (1 - t**2) / (4 * members * t**2) + 1 / (members**2 * epsilon**2)
    return _claim(equal("variance", "", "", output_variance(members), claimed), "Laplace noise of variance b^2.")


def printed_share_is_unbiased() -> Claim:
    level = sp.Symbol("ell", integer=True, nonnegative=True)
    return _claim(
        equal("mean", "", "", output_mean(universe / 2**level), present), "Unbiased for a universe of any size."
    )


def joint_loss_for_weaker_noise() -> Claim:
    (worst,) = maximal_ratios(Setting("symmetric"))
    value = worst.value.subs(state_factor, x)
    step = at_most(
        "joint",
        "",
        Inequality("joint", value, x**2, (x > 1, limit >= 1, limit <= 2 * x), touching={x: 1, limit: 1}),
    )
    return _claim(step, "The joint loss is at most twice epsilon for eta up to epsilon + log 2.")


def unbiased_for_every_sample_size() -> Claim:
    agree = all(
        mean_estimate(Sampler(2, size), stream) == Fraction(len(set(stream)), 2)
        for size in (1, 2)
        for stream in streams(2, 2)
    )
    return _claim(computed("means", "", "means for U = 2, m = 1, 2", agree), "Unbiased also for m = 1.")


def every_multiplier_halves_the_class() -> Claim:
    following: dict[bytes, set[bytes]] = {}
    for row in level_table(3, all_multipliers(3)).tolist():
        following.setdefault(seen_classes(row, 1), set()).add(seen_classes(row, 2))
    agree = len(following) == 2 and all(len(found) == 2 for found in following.values())
    return _claim(
        computed("halves", "", "classes at 2 after those at 1, Q = 3", agree), "Any multiplier halves a class."
    )


def members_depend_on_the_level_only() -> Claim:
    laws = [Sampler(2, 2).state_law(levels, (0,)) for levels in Sampler(2, 2).hashes]
    return _claim(
        computed("laws", "", "the law of the state is the same for both hash functions", laws[0] == laws[1]),
        "The law of the state does not depend on the hash function.",
    )


def unbiased_given_the_level() -> Claim:
    sampler = Sampler(2, 2)
    means = moments_given_level(sampler, sampler.state_law((1, 0), ()))
    return _claim(
        computed("means", "", "means given the level", all(mean == 0 for mean, _ in means.values())),
        "Unbiased given the level.",
    )


def loss_linear_in_the_printed_budget() -> Claim:
    count = sp.Symbol("k", integer=True, positive=True)
    after = x / (1 + x)
    return _claim(equal("ratio", "", "", (1 - after) ** (-count), x**count), "k appearances cost k epsilon.")


FALSE: dict[str, tuple[str, Callable[[], Claim]]] = {
    "the last level as printed": ("wrong constant", last_level_as_printed),
    "every multiplier is a bijection": ("missing hypothesis", every_multiplier_is_a_bijection),
    "even multipliers make levels independent": (
        "correct only in the limit",
        even_multipliers_make_levels_independent,
    ),
    "levels are pairwise independent": ("missing hypothesis", levels_are_pairwise_independent),
    "error with a plus": ("wrong sign", error_with_a_plus),
    "noise of half the variance": ("wrong constant", noise_of_half_the_variance),
    "printed share is unbiased": ("missing hypothesis", printed_share_is_unbiased),
    "joint loss for weaker noise": ("wrong range", joint_loss_for_weaker_noise),
    "unbiased for every sample size": ("wrong range", unbiased_for_every_sample_size),
    "every multiplier halves the class": ("missing hypothesis", every_multiplier_halves_the_class),
    "members depend on the level only": ("missing hypothesis", members_depend_on_the_level_only),
    "unbiased given the level": ("missing hypothesis", unbiased_given_the_level),
    "loss linear in the printed budget": ("wrong constant", loss_linear_in_the_printed_budget),
}
