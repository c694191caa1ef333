"""Mutated pairs of tables: the most promising pairs of a search, with rows and values changed."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from pan_audits.problems.inputs.labelled import LabelledInputs
from pan_audits.problems.inputs.tables.tables import MOST_ROWS, Row, Table, changed, from_text, to_text
from pan_promises.adjacency import Adjacency
from pan_promises.problem import Problem
from pan_promises.promise import Observed

Pair: TypeAlias = tuple[Table, Table]

_ATTEMPTS = 64


def mutated_tables(
    problem: Problem,
    adjacency: Adjacency,
    parents: Sequence[tuple[str, str]],
    count: int,
    seed: int,
    *,
    tried: Sequence[tuple[str, str]] = (),
    outputs: int = 1,
    observed: Observed = Observed.OUTPUT,
) -> list[LabelledInputs]:
    """New adjacent pairs, each made of one of the best pairs.

    Half of them have two kinds of rows, with numbers that no pair had before: a mechanism may decide by a share of the
    rows. In the others, the rows of both tables change alike: a row becomes another row of the table, gets another
    value, is doubled, or takes the values of one column from another row. Or the row in which the tables differ changes
    on one side.
    """
    chance = random.Random(seed)
    known = {(from_text(left), from_text(right)) for left, right in (*tried, *parents)}
    first = [(from_text(left), from_text(right)) for left, right in parents]
    by_number = _by_number(first, known, problem, adjacency, chance)
    found: list[Pair] = []
    for attempt in range(_ATTEMPTS * count):
        if len(found) == count:
            break
        # The best parent has the most children.
        parent = first[min(int(chance.expovariate(0.7)), len(first) - 1)] if attempt % 4 else chance.choice(first)
        child = next(by_number, None) if 2 * len(found) < count else None
        child = child or _mutated(parent, problem, adjacency, chance)
        if child is not None and child not in known and child[::-1] not in known:
            known.add(child)
            found.append(child)
    return [
        LabelledInputs("mutated", (to_text(left, observed), to_text(right, observed)), ((0, 1),), adjacency, outputs)
        for left, right in found
    ]


def _by_number(
    parents: Sequence[Pair], tried: Iterable[Pair], problem: Problem, adjacency: Adjacency, chance: random.Random
) -> Iterator[Pair]:
    """Pairs of two kinds of rows that differ in every column; one has a row more of the first kind.

    In the tables of a pair, each value of each column occurs in ``k`` and ``k + 1`` rows, or in ``n - k`` and
    ``n - k - 1``. The numbers ``k`` that were not tried come in the order of halving, each with the next parent.
    """
    values = [column for _, column in problem.schema]
    used = {_numbers(pair) for pair in tried} - {None}
    size = len(min(parents[0], key=len))
    # A replaced row takes one from the other kind, whose numbers are the upper half.
    most = size // 2 if adjacency is Adjacency.REPLACE_ROW else size
    for step, number in enumerate(_halving(most)):
        base, _, row = _apart(parents[step % len(parents)], adjacency)
        if not number <= len(base) <= MOST_ROWS:
            continue
        other = tuple(
            chance.choice([one for one in column if one != own] or [own])
            for column, own in zip(values, row, strict=True)
        )
        made = (row,) * number + (other,) * (len(base) - number)
        pair = made, changed(made, len(base) - 1, row, adjacency)
        if made != pair[1] and _numbers(pair) not in used:
            yield pair


def _numbers(pair: Pair) -> frozenset[tuple[int, ...]] | None:
    """The numbers of both kinds of rows in the tables of a pair; ``None`` unless the two kinds differ everywhere."""
    kinds = {row for table in pair for row in table}
    if len(kinds) != 2 or any(one == other for one, other in zip(*kinds, strict=True)):
        return None
    return frozenset(tuple(sorted(table.count(kind) for kind in kinds)) for table in pair)


def _halving(most: int) -> Iterator[int]:
    """The numbers from 1 to a largest one: a half of it first, then its quarters, and so on."""
    seen: set[int] = set()
    parts = 2
    while len(seen) < most:
        for number in (most * part // parts for part in range(1, parts, 2)):
            if 1 <= number <= most and number not in seen:
                seen.add(number)
                yield number
        parts *= 2
        if parts > 4 * most:
            yield from (number for number in range(1, most + 1) if number not in seen)
            return


def _mutated(parent: Pair, problem: Problem, adjacency: Adjacency, chance: random.Random) -> Pair | None:
    """A pair near to another one; ``None`` if the change gives no pair."""
    values = [column for _, column in problem.schema]
    base, place, row = _apart(parent, adjacency)
    for _ in range(chance.choice((1, 1, 2, 3))):
        base, place, row = _after_a_change(base, place, row, values, chance)
    if not base or len(base) > MOST_ROWS:
        return None
    other = changed(base, place, row, adjacency)
    return None if other == base else (base, other)


def _apart(pair: Pair, adjacency: Adjacency) -> tuple[Table, int, Row]:
    """The first table, and the place and the row of the difference. Of two sizes the smaller table is first."""
    base, other = sorted(pair, key=len)
    if adjacency is Adjacency.REPLACE_ROW:
        place = next((at for at, (one, two) in enumerate(zip(base, other, strict=True)) if one != two), 0)
        return base, place, other[place]
    place = next((at for at, (one, two) in enumerate(zip(base, other, strict=False)) if one != two), len(base))
    return base, place - 1, other[place]


_CHANGES = (
    "a row becomes like another row, or like the new row",
    "a value of some rows becomes another one, in one column",
    "the new row gets another value in one column",
    "the difference moves to another row",
    "a half of the rows repeats the other half",
    "all rows become equal, except the one in which the tables differ",
)


def _after_a_change(
    base: Table, place: int, row: Row, values: Sequence[Any], chance: random.Random
) -> tuple[Table, int, Row]:
    """A table, a place in it, and the row that is there in its neighbour, after one of the changes."""
    change = chance.choice(_CHANGES)
    if change == _CHANGES[0] and base:
        at = chance.randrange(len(base))
        base = (*base[:at], chance.choice((*base, row)), *base[at + 1 :])
    elif change == _CHANGES[1]:
        column = chance.randrange(len(values))
        value, share = chance.choice(values[column]), chance.choice((0.2, 0.5, 1.0))
        base = tuple(
            (*one[:column], value, *one[column + 1 :]) if at != place and chance.random() < share else one
            for at, one in enumerate(base)
        )
    elif change == _CHANGES[2]:
        column = chance.randrange(len(values))
        row = (*row[:column], chance.choice(values[column]), *row[column + 1 :])
    elif change == _CHANGES[3] and base:
        place = chance.randrange(len(base))
    elif change == _CHANGES[4]:
        half = len(base) // 2
        base = (*base[: len(base) - half], *base[:half])
    elif change == _CHANGES[5] and base:
        same = chance.choice(base)
        base = tuple(one if at == place else same for at, one in enumerate(base))
    return base, place, row
