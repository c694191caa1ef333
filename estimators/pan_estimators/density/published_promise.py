"""The promises of the published density theorems, and those that do not hold."""

from __future__ import annotations

from pan_promises.promise import Adjacency, Promise

STATED_UP_TO = 0.5
"""The theorems on privacy are stated for ``epsilon <= 1/2``."""

REFUTED_PROMISES = frozenset(
    {
        "density.announced_intrusions",
        "density.bernoulli_family",
        "density.dwork_privacy",
        "density.insert_delete",
        "density.optbern_privacy",
        "density.ppds_privacy",
        "lecture.privacy",
        "thesis.laplace_privacy",
        "thesis.quantizer",
    }
)
"""Ids of the claims that the promises name. For every budget that they cover, the loss is larger than promised.

Most of these claims are refuted. Three are proved as amended, because they state more than the promise, or less.
"""


def why_silent(epsilon: float) -> str:
    """The reason why the density theorems promise nothing for a budget, as a clause; empty if they do."""
    if epsilon <= STATED_UP_TO:
        return ""
    return f"its theorem is stated for epsilon up to {STATED_UP_TO:g} only, and epsilon is {float(epsilon):.6g}"


def joint_promise(epsilon: float, claim: str, *, announced: int = 0) -> Promise | None:
    """The promise of the density theorems, or ``None`` for ``epsilon > 1/2``, which they do not cover.

    State and output cost epsilon each. An announced intrusion shows the state once more.
    """
    if epsilon > STATED_UP_TO:
        return None
    return Promise(epsilon=(2 + announced) * epsilon, adjacency=Adjacency.USER_LEVEL, announced=announced, claim=claim)


def is_refuted(promise: Promise | None) -> bool:
    """Whether the loss of the estimators with this promise exceeds it."""
    return promise is not None and promise.claim in REFUTED_PROMISES
