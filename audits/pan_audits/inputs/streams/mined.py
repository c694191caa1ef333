"""Streams with constants of the judged code: as ids, and as numbers of updates of one batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pan_audits.inputs.streams.family import Family, Pattern, empty_segments
from pan_audits.inputs.streams.side import Id, Schedule, Updates
from pan_promises.promise import Adjacency

MOST_UPDATES = 4096
"""Greatest number of updates that a constant asks for."""

_MOST_IDS = 4
_MOST_NUMBERS = 4


@dataclass(frozen=True)
class Mined:
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
    mined: Mined, adjacency: Adjacency, schedule: Schedule, population: Sequence[Id], *, deletions: bool
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
