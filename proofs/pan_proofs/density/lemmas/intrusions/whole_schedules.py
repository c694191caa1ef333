"""The whole mechanism with several looks and outputs, run in exact arithmetic on small streams."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product

from pan_proofs.density.lemmas.intrusions.whole_mechanism import (
    Bits,
    Pair,
    Stream,
    adjacent_pairs,
    drawn,
    fresh,
    largest_ratio,
)
from pan_proofs.density.lemmas.losses.cell_enumeration import PhaseEnd, Schedule

Record = tuple[tuple[Bits, ...], tuple[int, ...]]
"""The bits seen at each look, and the number of ones at each output."""

RecordDensities = Mapping[tuple[tuple[Bits, ...], tuple[int, ...]], Fraction]
"""For the bits seen at each look and each output the density of all of them."""

Plan = Sequence[tuple[int, PhaseEnd]]
"""At which moment of the stream each look and output happens, in order."""


def flipped(states: Mapping[Bits, Fraction], flip: Fraction) -> dict[Bits, Fraction]:
    """The distribution of the bits after each was flipped with a probability of its own."""
    now = dict(states)
    for user in range(len(next(iter(states)))):
        after: dict[Bits, Fraction] = {}
        for bits, chance in now.items():
            changed = (*bits[:user], 1 - bits[user], *bits[user + 1 :])
            after[bits] = after.get(bits, Fraction(0)) + chance * (1 - flip)
            after[changed] = after.get(changed, Fraction(0)) + chance * flip
        now = after
    return now


def recorded(
    stream: Stream, plan: Plan, users: int, pairs: Sequence[Pair], flip: Fraction = Fraction(0)
) -> dict[Record, Fraction]:
    """The joint distribution of what the looks show and of the number of ones at each output, before its noise."""
    branches: dict[Record, dict[Bits, Fraction]] = {((), ()): fresh(users, pairs[0])}
    announced, waiting = 0, list(plan)
    for place in range(len(stream) + 1):
        while waiting and waiting[0][0] == place:
            _, event = waiting.pop(0)
            split: dict[Record, dict[Bits, Fraction]] = {}
            for (seen, counts), states in branches.items():
                for bits, chance in states.items():
                    output = event is PhaseEnd.OUTPUT
                    record = (seen, (*counts, sum(bits))) if output else ((*seen, bits), counts)
                    split.setdefault(record, {})[bits] = chance
            branches = split
            if event is PhaseEnd.ANNOUNCED:
                branches = {record: flipped(states, flip) for record, states in branches.items()}
                announced += 1
        if place < len(stream) and (moment := stream[place]) is not None:
            user, appears = moment
            one = pairs[announced][appears]
            branches = {record: drawn(states, user, one) for record, states in branches.items()}
    return {record: sum(states.values(), Fraction(0)) for record, states in branches.items()}


def record_densities(distribution: Mapping[Record, Fraction], factor: Fraction, users: int) -> RecordDensities:
    """The density of all that is seen, for outputs with noise of weight ``factor**-abs(k)``."""
    outputs = len(next(iter(distribution))[1])
    places = list(product((-1, *range(users + 1), users + 1), repeat=outputs))
    weights = [factor**-steps for steps in range(outputs * (users + 1) + 1)]
    found: dict[tuple[tuple[Bits, ...], tuple[int, ...]], Fraction] = {}
    for (seen, counts), chance in distribution.items():
        for place in places:
            weight = weights[sum(abs(y - n) for y, n in zip(place, counts, strict=True))]
            found[seen, place] = found.get((seen, place), Fraction(0)) + chance * weight
    return found


def ratio_above(
    one: Mapping[Record, Fraction], other: Mapping[Record, Fraction], looks: tuple[Bits, ...], factor: Fraction
) -> Fraction:
    """The ratio of the densities of what the looks show and of a single output above every count."""
    densities = [
        sum(
            (chance * factor ** counts[0] for (seen, counts), chance in distribution.items() if seen == looks),
            Fraction(0),
        )
        for distribution in (one, other)
    ]
    return densities[0] / densities[1]


def ratios_over_plans(
    moments: int,
    users: int,
    schedule: Schedule,
    pairs: Sequence[Pair],
    factor: Fraction,
    *,
    flip: Fraction = Fraction(0),
    deletions: bool = False,
) -> Iterator[Fraction]:
    """The largest ratio of each adjacent pair, in both orders, with all places of the looks and outputs."""
    for places in combinations_with_replacement(range(moments + 1), len(schedule)):
        plan = tuple(zip(places, schedule, strict=True))
        # One distribution belongs to many pairs.
        distributions: dict[Stream, RecordDensities] = {}
        for streams in adjacent_pairs(moments, users, deletions=deletions):
            for stream in streams:
                if stream not in distributions:
                    distributions[stream] = record_densities(recorded(stream, plan, users, pairs, flip), factor, users)
            one, other = (distributions[stream] for stream in streams)
            yield largest_ratio(one, other)
