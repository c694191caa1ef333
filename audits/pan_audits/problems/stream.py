"""Streams of ids: an estimator reads one after the other, and its state can be seen between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pan_audits.problems.inputs.streams.catalogue import JUDGED, Catalogue, CodeConstants, catalogue
from pan_audits.problems.inputs.streams.family import Family, Id, SegmentEnd, Updates
from pan_audits.problems.problem import NUMBERS, JudgedProblem
from pan_promises.adjacency import Adjacency
from pan_promises.errors import InputError
from pan_promises.problem import Kind
from pan_promises.promise import Promise

_MOST_MARKED, _MOST_USERS = 10**6, 512
_SHARES = (0.5, 1.0)


@dataclass(frozen=True)
class OfStreams(JudgedProblem):
    """Streams of ids."""

    kind = Kind.STREAM
    noun = "stream"
    whole = False
    adjacencies = JUDGED
    nouns = ("users", "updates")

    def catalogue(
        self,
        promise: Promise,
        population: Sequence[Any],
        *,
        deletions: bool = False,
        stream: str | None = None,
        seed: int = 0,
        mined: CodeConstants | None = None,
    ) -> Catalogue:
        return catalogue(promise, population, deletions=deletions, stream=stream, seed=seed, mined=mined)

    def measured(self, estimator: Any) -> list[tuple[str, Any]]:
        users = users_of(estimator)
        groups = [each_appears_once(users, round(share * len(users))) for share in _SHARES]
        return [(group.name, group) for group in groups]

    def estimated(self, course: Sequence[Any]) -> Any:
        return tuple((ids, deletions) for ids, deletions, _ in course)

    @property
    def columns(self) -> Mapping[str, str]:
        scope = {"users": "users", "sampled": "sampled", "length": "updates", "inputs": "streams", "pairs": "pairs"}
        return scope | {"states": "states"} | NUMBERS

    def covered(self, size: int, length: int) -> str:
        return f"every stream of up to {length} update{'s' * (length != 1)} by {size} user{'s' * (size != 1)}"

    def covered_briefly(self, size: int, length: int) -> str:
        return f"{size} user{'s' * (size != 1)} and streams of up to {length} update{'s' * (length != 1)}"


def users_of(estimator: Any) -> tuple[Id, ...]:
    """All ids of the estimator's universe, or some of a universe that is too large."""
    universe = getattr(estimator, "universe", None)
    if universe is None:
        raise InputError("the estimator states its accuracy, but has no universe of users to make streams of")
    return tuple(universe.example_ids(universe.size if universe.size <= _MOST_MARKED else _MOST_USERS))


def each_appears_once(population: Sequence[Id], present: int) -> Family:
    """A stream in which the first ``present`` of the population appear once each, then an output."""
    ids = tuple(population[:present])
    return Family(
        f"{present} users appear once each",
        population[0],
        (SegmentEnd.RELEASE,),
        ((Updates(ids),) if ids else (),),
        ((0,), (1,)),
        Adjacency.USER_LEVEL,
    )
