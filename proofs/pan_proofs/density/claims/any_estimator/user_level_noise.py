"""The noise of user-level privacy beside that of event-level privacy: equal for bits, k times as much for sums."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import sympy as sp

from pan_proofs.engines.relations import eq, gt, le
from pan_proofs.ledger.claim import Claim, Reference, Role, Step, derived
from pan_proofs.ledger.notation import epsilon
from pan_proofs.ledger.steps import bounded, counterexample, equal, related

_first, _later = sp.symbols("p_0 p_1", positive=True)
_events, _users = sp.symbols("R_e R_u")
_length = sp.Symbol("T", positive=True, integer=True)
_change, _most = sp.symbols("c k", nonnegative=True)
_PAIR = (Fraction(1, 4), Fraction(2, 3))
_SUMMED = (le(_change, _most), gt(_most, 0))
_KEPT = le(_change / (_most / epsilon), epsilon)


def chance_of_one(stream: tuple[int, ...]) -> Fraction:
    """The probability that the bit is 1 after updates, each of the user (1) or of another one (0)."""
    chance = _PAIR[0]
    for update in stream:
        # The old bit is forgotten whatever it is.
        chance = chance * _PAIR[1] + (1 - chance) * _PAIR[1] if update else chance
    return chance


def _pairs(length: int, level: str) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    for one in product((0, 1), repeat=length):
        for other in product((0, 1), repeat=length):
            less = all(a >= b for a, b in zip(one, other, strict=True))
            if less and (level == "user" or sum(one) - sum(other) == 1):
                yield one, other


def largest_ratio(length: int, level: str) -> Fraction:
    """The largest ratio of the probabilities of a bit for adjacent streams of a length."""
    ratios = []
    for one, other in _pairs(length, level):
        p, q = chance_of_one(one), chance_of_one(other)
        ratios += [p / q, q / p, (1 - p) / (1 - q), (1 - q) / (1 - p)]
    return max(ratios)


def user_level_noise() -> Claim:
    """The sentence is false for the state of the density estimators, and right for sums."""
    return Claim(
        id="density.user_level_noise",
        title="Noise for user-level privacy",
        references=(
            Reference("paper", "section 2.2, after Definition 2.5"),
            Reference("thesis", "section 4.1, after the two levels of privacy"),
        ),
        statement=r"User-level privacy requires excessively more perturbation than event-level privacy.",
        notation=(
            ("$p_0$, $p_1$", "probabilities that the bit of a user is 1, at first and after each appearance"),
            ("$R_e$, $R_u$", "the largest ratios of probabilities of the bit for event-level and user-level adjacency"),
            ("$c$, $k$", "the change of a sum of updates by one user, and the largest number of a user's updates"),
        ),
        parts=(
            derived(
                Role.COUNTEREXAMPLE,
                "the state of a density estimator",
                r"The bit of a user is drawn anew at each appearance, so that it has one distribution after any number "
                r"of appearances. So the loss of the state is the same at both levels, with the same coins. The "
                r"formula is about streams of up to five updates.",
                _one_distribution(),
                _same_ratio(),
                _not_more(),
                only=("same_ratio",),
            ),
            derived(
                Role.AMENDED,
                "sums of updates",
                r"A sum of updates, each between 0 and 1, changes by at most $1$ with one update, and by $c \le k$ "
                r"with a user who has $k$ of them. So Laplace noise of the scale $\frac{k}{\varepsilon}$, which is $k$ "
                r"times as much, keeps the budget at user level, and for $c = k$ no smaller scale does.",
                _sum_of_updates(),
            ),
        ),
        remark=r"The least error of any pan-private count is of the same order at both levels "
        r"(pan\_private.count\_lower\_bound).",
    )


def _one_distribution() -> Step:
    return equal(
        "one_distribution",
        r"After one appearance more the probability of a 1 is, whatever it was,",
        "",
        lambda: sp.expand(_first * _later + (1 - _first) * _later),
        _later,
    )


def _same_ratio() -> Step:
    return related(
        "same_ratio",
        r"For all streams of up to five updates and $p_0 = \frac14$, $p_1 = \frac23$ both levels have the same ratio.",
        "the largest ratio of the probabilities of the bit for adjacent streams",
        eq(_users, _events),
        [
            {_length: length, _users: largest_ratio(length, "user"), _events: largest_ratio(length, "event")}
            for length in range(1, 6)
        ],
        mutant=gt(_users, _events),
        parameters=(_length,),
        lines=(r"R_u &= R_e",),
    )


def _not_more() -> Step:
    return counterexample(
        "not_more",
        r"So no larger loss has to be hidden:",
        gt(_users, _events),
        {_users: lambda: largest_ratio(5, "user"), _events: lambda: largest_ratio(5, "event"), _length: sp.Integer(5)},
    )


def _sum_of_updates() -> Step:
    return bounded(
        "sum_of_updates",
        r"The loss is the change over the scale.",
        le(_KEPT.lhs, _KEPT.rhs),
        *_SUMMED,
        lines=r"c \Big/ \frac{k}{\varepsilon} &\le \varepsilon",
    )


CLAIMS = {"density.user_level_noise": user_level_noise}
