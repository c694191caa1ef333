"""Machines that read two neighbouring streams of one element at once, entry by entry."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from pan_proofs.continual.streams import Bits, Stream, differences, of_one_element
from pan_proofs.engines.walks import Machine, Word

PAIRS = ((0, 0), (1, 1), (1, 0), (-1, -1), (-1, 0))
"""An entry of the stream with the entry of its neighbour: the same, or a no-op."""
BITS = ((0, 0), (0, 1), (1, 0), (1, 1))


def both(word: Word) -> tuple[Stream, Stream]:
    """The two streams of a word of pairs."""
    one, other = zip(*word, strict=True)
    return of_one_element(one), of_one_element(other)


def difference(one: Bits, other: Bits) -> int:
    """The number of times at which two vectors change differently."""
    return sum(a != b for a, b in zip(differences(one), differences(other), strict=True))


def one_at_most(word: Word) -> bool:
    """Whether the two streams of a word of pairs differ in one entry at most."""
    return sum(one != other for one, other in word) <= 1


def bit_pairs(add: Callable[[int, int, int, int, bool], int]) -> Machine:
    """Any two vectors of bits, read at once.

    Parameters
    ----------
    add
        From the bits before and after an entry, first of one vector and then of the other, and whether it is the first
        entry, to the number that the entry adds.
    """

    def step(state: tuple[int, int, bool], letter: tuple[int, int]) -> tuple[Hashable, int]:
        one, other, started = state
        return (*letter, True), add(one, letter[0], other, letter[1], not started)

    return Machine((0, 0, False), BITS, step)


def truncated_pairs(bound: int, *, events: bool) -> Machine:
    """Two neighbouring streams with their truncated existence vectors: the last parts of a state are their bits.

    A state has the counts, whether an entry differed, the numbers of flips up to one more than the bound, whether there
    was an entry, and the two truncated bits.
    """

    def followed(count: int, sign: int, flips: int, started: bool) -> tuple[int, int, int]:
        after = count + sign
        if started and (after > 0) != (count > 0):
            flips = min(flips + 1, bound + 1)
        return after, flips, int(after > 0 and flips <= bound)

    def step(state: tuple[int, ...], letter: tuple[int, int]) -> tuple[Hashable, int] | None:
        one, other, differed, flips, flips_other, started, _, _ = state
        differs = letter[0] != letter[1]
        if events and differs and differed:
            return None
        one, flips, bit = followed(one, letter[0], flips, bool(started))
        other, flips_other, bit_other = followed(other, letter[1], flips_other, bool(started))
        return (one, other, int(events and (differed or differs)), flips, flips_other, 1, bit, bit_other), 0

    return Machine((0, 0, 0, 0, 0, 0, 0, 0), PAIRS, step)


def cost_of_node(before: tuple[int, ...], after: tuple[int, ...]) -> int:
    """The squared difference of a node's two values, from the truncated bits at its ends."""
    return ((after[-2] - before[-2]) - (after[-1] - before[-1])) ** 2
