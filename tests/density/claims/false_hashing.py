"""False statements on the hash function and on distinct sampling, each built as a true claim would be."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product

import sympy as sp

from pan_proofs.density.lemmas.hashing.distinct_sampling import Sampler, mean_estimate, moments_given_level, streams
from pan_proofs.density.lemmas.hashing.fixed_level import members, output_mean, output_variance
from pan_proofs.density.lemmas.hashing.linear_hash import (
    all_multipliers,
    every_row_is_a_permutation,
    halves_equally_often,
    pair_probability,
)
from pan_proofs.density.lemmas.losses.joint_loss import Setting, limit, maximal_ratios, state_factor
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step
from pan_proofs.ledger.notation import epsilon, present, t, universe, x
from pan_proofs.ledger.steps import at_most, enumerated, equal, found


def _claim(step: Step, statement: str) -> Claim:
    part = Part(Role.PUBLISHED, "false", statement, (step,), no_formula="the steps are tested")
    return Claim("false.hashing", "false", (Reference("here", "tests"),), statement, (part,))


def last_level_as_printed() -> Claim:
    level, bits = sp.symbols("i Q", integer=True, nonnegative=True)
    total = sp.summation(sp.Rational(1, 2) ** (level + 1), (level, 0, bits))
    return _claim(equal("total", "", "", total, sp.Integer(1)), "The printed probabilities of the levels sum to 1.")


def every_multiplier_is_a_bijection() -> Claim:
    step = enumerated(
        "all",
        "",
        "every multiplier gives a bijection",
        ((width, multiplier) for width in range(1, 5) for multiplier in all_multipliers(width)),
        lambda case: every_row_is_a_permutation(*case),
        mutant=lambda case: every_row_is_a_permutation(case[0], 2 * case[1]),
    )
    return _claim(step, "Any multiplier will do.")


def even_multipliers_make_levels_independent() -> Claim:
    size = sp.Symbol("N", positive=True, integer=True)
    together = (size / 2 - 1) / (size - 1) / 2
    return _claim(
        equal("pairs", "", "", together, sp.Rational(1, 4)), "With any multiplier two levels are independent."
    )


def levels_are_pairwise_independent() -> Claim:
    step = enumerated(
        "pairs",
        "",
        "levels of user 0 and another, Q = 4",
        product(range(1, 16), range(4), range(4)),
        lambda case: pair_probability(4, (0, case[0]), case[1:]) == Fraction(1, 2 ** (case[1] + case[2] + 2)),
        mutant=lambda case: pair_probability(4, (0, case[0]), case[1:]) == Fraction(1, 2 ** (case[1] + case[2] + 1)),
    )
    return _claim(step, "Levels are independent.")


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
    step = enumerated(
        "means",
        "",
        "means for U = 2, m = 1, 2",
        product((1, 2), streams(2, 2)),
        lambda case: mean_estimate(Sampler(2, case[0]), case[1]) == Fraction(len(set(case[1])), 2),
        mutant=lambda case: mean_estimate(Sampler(2, case[0]), case[1]) == Fraction(len(case[1]), 2),
    )
    return _claim(step, "Unbiased also for m = 1.")


def every_multiplier_halves_the_class() -> Claim:
    step = enumerated(
        "halves",
        "",
        "classes at 2 after those at 1, Q = 3",
        all_multipliers(3),
        lambda multiplier: halves_equally_often(3, multiplier, 1),
        mutant=lambda multiplier: halves_equally_often(3, 2 * multiplier, 1),
    )
    return _claim(step, "Any multiplier halves a class.")


def members_depend_on_the_level_only() -> Claim:
    def distributions() -> int:
        sampler = Sampler(2, 2)
        return len({frozenset(sampler.state_distribution(levels, (0,)).items()) for levels in sampler.hashes})

    return _claim(
        found(
            "distributions",
            "",
            "the number of distributions of the state that occur for both hash functions",
            distributions,
            1,
        ),
        "The distribution of the state does not depend on the hash function.",
    )


def unbiased_given_the_level() -> Claim:
    def means() -> tuple[Fraction, ...]:
        sampler = Sampler(2, 2)
        moments = moments_given_level(sampler, sampler.state_distribution((1, 0), ()))
        return tuple(moments[level][0] for level in (0, 1))

    return _claim(found("means", "", "means given the level", means, (Fraction(0),) * 2), "Unbiased given the level.")


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
