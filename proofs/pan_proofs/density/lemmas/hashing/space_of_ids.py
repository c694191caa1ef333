"""The space of an explicit set of ids: U bits for any set, more than any multiple of U bits for a list of the ids."""

from __future__ import annotations

from itertools import combinations

import sympy as sp

from pan_proofs.engines.relations import eq, le
from pan_proofs.ledger.claim import Part, Role, symbolic
from pan_proofs.ledger.notation import universe
from pan_proofs.ledger.steps import counterexample, equal, related

_sets = sp.Symbol("n_S")
_ratio = sp.Symbol("C", positive=True)
_LIST = le(universe * sp.log(universe) / sp.log(2), _ratio * universe)
_MOST = 8


def _number_of_sets(users: int) -> int:
    return sum(len(list(combinations(range(users), size))) for size in range(users + 1))


def space_of_ids() -> Part:
    """A bit for each user, and no less."""
    return Part(
        Role.PUBLISHED,
        "the space of a set of ids",
        r"There are $2^U$ sets of users: one user more doubles their number. So $U$ bits, one for each user, store "
        r"any of "
        r"them, and no fewer bits tell all of them apart. The key of the hash function takes $2 Q = 2 \log_2 U$ bits. "
        r"In the formula $n_S$ is the number of sets of up to eight users, by listing.",
        (
            related(
                "sets_of_users",
                r"All sets of up to eight users are listed.",
                "the number of sets of users",
                eq(_sets, 2**universe),
                [{universe: users, _sets: _number_of_sets(users)} for users in range(1, _MOST + 1)],
                mutant=eq(_sets, universe**2),
                parameters=(universe,),
                lines=(r"n_S &= 2^U",),
            ),
            equal(
                "one_user_more",
                r"Each set is with or without one user more.",
                "",
                2**universe + 2**universe,
                2 ** (universe + 1),
            ),
        ),
        formal=(
            *symbolic(
                eq(_sets, 2**universe),
                given=(sp.Or(*(eq(universe, users) for users in range(1, _MOST + 1))),),
            ),
        ),
    )


def as_a_list() -> Part:
    """A list of ids, in bits."""
    return Part(
        Role.READING,
        "the space of a list of ids, in bits",
        r"A list of all ids takes $U \log_2 U$ bits. That is $O(U)$ numbers and not $O(U)$ bits: no constant $C$ is "
        r"large "
        r"enough.",
        (
            counterexample(
                "list_of_ids",
                r"For example $C = 9$ and $U = 2^{10}$:",
                _LIST,
                {universe: sp.Integer(1024), _ratio: sp.Integer(9)},
            ),
        ),
        formal=symbolic(_LIST, refuted=True),
        holds=False,
    )
