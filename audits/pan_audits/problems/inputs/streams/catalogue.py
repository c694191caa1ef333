"""The pairs of streams of an audit: a fixed catalogue, real streams, constants of the code, and generated ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from pan_audits.problems.inputs.streams.family import (
    Family,
    Id,
    Pair,
    Pattern,
    Schedule,
    Segment,
    SegmentEnd,
    StreamSlice,
    Updates,
    basic_patterns,
    empty_segments,
    many_patterns,
    spread,
)
from pan_promises.errors import InputError
from pan_promises.promise import Adjacency, Promise

MOST_UPDATES = 4096
"""Greatest number of updates that a constant asks for."""

_MOST_IDS = 4
_MOST_NUMBERS = 4


@dataclass(frozen=True)
class CodeConstants:
    """Constants of the code.

    Attributes
    ----------
    ids
        Ids that the code takes.
    numbers
        Numbers of updates.
    """

    ids: tuple[Id, ...] = ()
    numbers: tuple[int, ...] = ()

    @property
    def lengths(self) -> tuple[int, ...]:
        """The numbers that a stream can have as its length."""
        return tuple(number for number in self.numbers if 2 <= number <= MOST_UPDATES)


def mined_families(
    mined: CodeConstants, adjacency: Adjacency, schedule: Schedule, population: Sequence[Id], *, deletions: bool
) -> list[Family]:
    """Families for the first constants: there are few, because every pair takes a share of the error."""
    count = len(schedule)
    patterns = tuple(tuple(int(place == unit) for place in range(count)) for unit in range(-1, count))
    families = [
        Family(
            f"an id that is a constant of the code ({each!r}), and nobody else",
            each,
            schedule,
            empty_segments(count),
            patterns,
            adjacency,
            False,
            deletions,
        )
        for each in mined.ids[:_MOST_IDS]
    ]
    if deletions or len(population) < 2:
        return families
    user, other = population[len(population) // 2], population[0]
    first: tuple[Pattern, ...] = patterns[:2]
    for number in mined.lengths[:_MOST_NUMBERS]:
        for length in (number - 1, number):
            others = ((Updates((other,), length),), *empty_segments(count - 1))
            name = f"{length} updates by another user, next to a constant of the code ({number})"
            families.append(Family(name, user, schedule, others, first, adjacency))
    return families


JUDGED = (Adjacency.USER_LEVEL, Adjacency.USER_LEVEL_NESTED, Adjacency.EVENT_LEVEL)
"""The adjacencies for which pairs are made here."""

OFTEN = 128
"""Number of appearances of a user who appears often."""

_GENERATED = 6
_MOST_OTHERS = 512
_WEIGHT_OF_SIMPLEST = 0.5


@dataclass(frozen=True)
class Catalogue:
    """All pairs of an audit, with the shares of the error budget that each of them gets.

    Attributes
    ----------
    pairs
        The pairs.
    weights
        Their shares, summing to 1, fixed before anything is sampled.
    """

    pairs: tuple[Pair, ...]
    weights: tuple[float, ...]


def schedules(promise: Promise) -> tuple[Schedule, ...]:
    """The orders of observed states and outputs. An observed output comes last."""
    states = (SegmentEnd.ANNOUNCED,) * promise.announced + (SegmentEnd.INTRUSION,) * promise.intrusions
    if not promise.sees_state:
        return ((SegmentEnd.RELEASE,) * promise.output_count,)
    if not promise.sees_output:
        return (states,)
    total = len(states) + promise.output_count - 1
    orders = []
    for places in combinations(range(total), len(states)):
        looks = iter(states)
        order = (next(looks) if place in places else SegmentEnd.RELEASE for place in range(total))
        orders.append((*order, SegmentEnd.RELEASE))
    return tuple(orders)


def catalogue(
    promise: Promise,
    population: Sequence[Id],
    *,
    deletions: bool = False,
    stream: str | None = None,
    seed: int = 0,
    mined: CodeConstants | None = None,
) -> Catalogue:
    """The pairs of an audit."""
    from pan_audits.problems.inputs.streams.strategies import generated_families

    if not population:
        raise InputError("an audit needs at least one user")
    families: list[Family] = []
    for schedule in schedules(promise):
        if stream is None:
            families += _synthetic(promise.adjacency, schedule, population, deletions)
            families += generated_families(
                promise.adjacency, schedule, population, deletions=deletions, count=_GENERATED, seed=seed
            )
            if mined is not None:
                families += mined_families(mined, promise.adjacency, schedule, population, deletions=deletions)
        else:
            families += _real(promise.adjacency, schedule, stream, deletions)
    pairs = _once(pair for family in families for pair in family.pairs)
    simplest = set(families[0].pairs)
    rest = len(pairs) - len(simplest)
    weights = tuple(
        (_WEIGHT_OF_SIMPLEST if rest else 1.0) / len(simplest) if pair in simplest else (1 - _WEIGHT_OF_SIMPLEST) / rest
        for pair in pairs
    )
    return Catalogue(pairs, weights)


def _once(pairs: Iterable[Pair]) -> tuple[Pair, ...]:
    """Each pair of streams once: another family may contain the same pair, with the same runs, under another name."""
    found: dict[frozenset[int], Pair] = {}
    prints: dict[tuple[Family, int], int] = {}

    def fingerprint(family: Family, place: int) -> int:
        if (family, place) not in prints:
            prints[family, place] = family.side(place).fingerprint(family.schedule)
        return prints[family, place]

    for pair in pairs:
        found.setdefault(frozenset(fingerprint(pair.family, place) for place in (pair.left, pair.right)), pair)
    return tuple(found.values())


def _synthetic(adjacency: Adjacency, schedule: Schedule, population: Sequence[Id], deletions: bool) -> list[Family]:
    count = len(schedule)
    user, others = population[len(population) // 2], [*population]
    others.remove(user)
    others = others[:_MOST_OTHERS]
    nobody = empty_segments(count)

    def family(name: str, segments: tuple[Segment, ...], *, many: bool = False, first: bool = False) -> Family:
        patterns = many_patterns(count, OFTEN, adjacency) if many else basic_patterns(count)
        return Family(name, user, schedule, segments, patterns, adjacency, first, deletions)

    families = [family("nobody else appears", nobody), family("nobody else appears, one user often", nobody, many=True)]
    if others:
        some = others[: max(1, min(8, len(others) // 2))]
        everyone = ((Updates(tuple(others)),), *empty_segments(count - 1))
        families += [
            family("some others appear throughout", spread(some, count), first=True),
            family("everyone else appears before", everyone),
            family("everyone else appears before, one user often", everyone, many=True),
        ]
        if not deletions:
            busy = ((Updates((others[0],), 2 * OFTEN),), *empty_segments(count - 1))
            families.append(family("one other user appears very often", busy))
    return families


def _real(adjacency: Adjacency, schedule: Schedule, name: str, deletions: bool) -> list[Family]:
    """A real stream with the user of its last update edited; the intrusion late, in the middle, and early.

    For an estimator with deletions, the occurrences of each id insert and delete it in turn.
    """
    from pan_estimators.streams.real import load_stream

    ids = load_stream(name, numbered=True).ids
    user, length, count = ids[-1].item(), ids.size, len(schedule)

    def family(label: str, cuts: list[int], patterns: tuple[tuple[int, ...], ...]) -> Family:
        bounds = [0, *cuts]
        segments = tuple(
            (StreamSlice(name, bounds[i], bounds[i + 1], user, deletions),) if bounds[i] < bounds[i + 1] else ()
            for i in range(count)
        )
        return Family(f"{name}: {label}", user, schedule, segments, patterns, adjacency, False, deletions)

    basic, often = basic_patterns(count), max(int((ids == user).sum()), 2)
    return [
        family("the intrusion after all others", [length] * count, basic),
        family("the intrusion in the middle", _cuts(length // 2, length, count), basic),
        family("the user as often as in reality", [length] * count, many_patterns(count, often, adjacency)),
    ]


def _cuts(first: int, last: int, count: int) -> list[int]:
    return [first + (last - first) * i // max(1, count - 1) for i in range(count - 1)] + [last]
