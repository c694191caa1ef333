"""Probabilities of states of distinct sampling for one and two users, as formulas in ``x = exp(epsilon)``.

The sampler is run with a symbol in the place of the number ``exp(epsilon)``. Each formula breaks a promise at one value
of the symbol.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import partial
from typing import cast

import sympy as sp
from sympy.core.relational import Relational

from pan_proofs.density.lemmas.hashing.distinct_sampling import LISTINGS, Distribution, Sampler, level_distribution
from pan_proofs.engines.obligation import Obligation
from pan_proofs.engines.relations import eq, ge, gt, le
from pan_proofs.ledger.claim import symbolic
from pan_proofs.ledger.notation import m, universe, x
from pan_proofs.ledger.steps import counterexample, equal

IN_RANGE = (gt(x, 1), le(sp.log(x), sp.Rational(1, 2)))
"""The range of the theorem for epsilon, with ``x = exp(epsilon)``."""

LEFT_ALONE = (x / (1 + x) ** 2, x / (1 + x) ** 3)
"""For two users and m = 2: ``P(L = 0, v alone)`` without an appearance of the other user, and with one."""

RAISED = ((1 + x) ** -2, (1 + x + x**2) / (1 + x) ** 3)
"""For two users and m = 2: ``P(L = 1)``, and ``P(L = 1, w alone)`` as well, without an appearance and with one."""

MEMBER = (1 / (2 + x), x * (1 + x) / (2 + 2 * x + x**2))
"""For two users and m = 2: ``P(v is a member, given L = 0)`` without an appearance of v, of level 0, and with one."""

EMPTY = (x / (1 + x), x / (1 + x) ** 2)
"""For one user and m = 1: ``P(L = 0)`` without an appearance and with one."""

appearances = sp.Symbol("k", integer=True, positive=True)
"""The number of appearances of one user."""

# A symbol computes as a fraction does.
_ratio = cast("Fraction", x)


def broken(claimed: Relational) -> tuple[str, ...]:
    """The formal statement that a relation does not hold in the whole range of the theorem."""
    return symbolic(claimed, given=IN_RANGE, refuted=True)


def seen_ratio() -> tuple[sp.Expr, sp.Expr]:
    """The probabilities of the event without appearances, and after some."""
    before, after = 1 / (1 + x), x / (1 + x)
    start = before ** (m - 1) * (1 - before) ** (universe - m + 1)
    return start, start * (1 - after) ** appearances


def stated_no_bound() -> tuple[str, ...]:
    """The ratio, two appearances, and the number of appearances after which any bound is exceeded."""
    start, after = seen_ratio()
    bound = sp.Symbol("K", positive=True)
    return (
        *symbolic(eq(start / after, (1 + x) ** appearances)),
        *symbolic(gt((1 + x) ** 2, x**2)),
        *symbolic(
            gt((1 + x) ** appearances, bound),
            given=(ge(appearances * x, bound),),
        ),
    )


def at_most_times(power: int, pair: tuple[sp.Expr, sp.Expr], *, rises: bool = True) -> Relational:
    """The relation that the likelier of two probabilities is at most ``x**power`` times the other one."""
    more, less = pair[::-1] if rises else pair
    return le(more, x**power * less)


def breaks(name: str, claimed: Relational) -> tuple[Obligation, ...]:
    """The obligation that a relation between two formulas is false at ``x = 3/2``."""
    return counterexample(name, "", claimed, {x: sp.Rational(3, 2)}, IN_RANGE).obligations


def left_alone() -> tuple[Obligation, ...]:
    """That the sampler has the distribution :data:`LEFT_ALONE`, for all hash functions, users and readings."""
    return _computed("two_users.distribution", (partial(_left_alone, count) for count in range(2)), LEFT_ALONE)


def raised() -> tuple[Obligation, ...]:
    """That the sampler has the distribution :data:`RAISED`, of the level and of the state."""
    level = _computed("level_alone.distribution", (partial(_raised, stream) for stream in ((), (0,))), RAISED)
    state = _computed(
        "level_alone.state_distribution", (partial(_raised, stream, seen=True) for stream in ((), (0,))), RAISED
    )
    return (*level, *state)


def member() -> tuple[Obligation, ...]:
    """That the sampler has the conditional distribution :data:`MEMBER`."""
    return _computed("membership.distribution", (partial(_member, stream) for stream in ((), (1,))), MEMBER)


def empty() -> tuple[Obligation, ...]:
    """That the sampler has the distribution :data:`EMPTY`."""
    return _computed("one_user.distribution", (partial(_empty, count) for count in range(2)), EMPTY)


def _computed(name: str, computations: Iterable[partial[sp.Expr]], stated: Iterable[sp.Expr]) -> tuple[Obligation, ...]:
    pairs = zip(computations, stated, strict=True)
    steps = [equal(f"{name}.{number}", "", "", *pair) for number, pair in enumerate(pairs)]
    return tuple(one for step in steps for one in step.obligations)


def _left_alone(count: int) -> sp.Expr:
    samplers = [Sampler(2, 2, ratio=_ratio, listing=listing) for listing in LISTINGS]
    return _only(
        sampler.state_distribution(levels, (user,) * count)[0, frozenset({1 - user})]
        for sampler in samplers
        for levels in sampler.hashes
        for user in range(2)
    )


def _raised(stream: tuple[int, ...], *, seen: bool = False) -> sp.Expr:
    # The user 0 of this hash function has level 0, the user 1 level 1.
    distributions = _distributions(2, (0, 1), stream)
    return _only(
        distribution[1, frozenset({1})] if seen else level_distribution(distribution)[1]
        for distribution in distributions
    )


def _member(stream: tuple[int, ...]) -> sp.Expr:
    distributions = _distributions(2, (1, 0), stream)
    chances = [
        sum(distribution[0, kept] for level, kept in distribution if level == 0 and 1 in kept)
        for distribution in distributions
    ]
    return _only(
        chance / level_distribution(distribution)[0]
        for chance, distribution in zip(chances, distributions, strict=True)
    )


def _empty(count: int) -> sp.Expr:
    return _only(distribution[0, frozenset()] for distribution in _distributions(1, (0,), (0,) * count))


def _distributions(users: int, levels: tuple[int, ...], stream: tuple[int, ...]) -> list[Distribution]:
    """The distributions of the state for as many users as the sample may have members, one for each reading."""
    samplers = (Sampler(users, users, ratio=_ratio, listing=listing) for listing in LISTINGS)
    return [sampler.state_distribution(levels, stream) for sampler in samplers]


def _only(values: Iterable[object]) -> sp.Expr:
    """The value that all readings share."""
    (value,) = {sp.factor(sp.sympify(one)) for one in values}
    return value
