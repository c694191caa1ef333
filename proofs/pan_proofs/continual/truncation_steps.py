"""Bounds on truncated existence vectors and on the nodes of the binary tree, which two claims share.

A truncated vector follows an existence vector while the flippancy of that is at most ``w``, and is 0 from then on. Let
``r = floor(w / 2) + 1``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise, product
from typing import Any

from pan_proofs.continual.dyadic_tree import differing_nodes
from pan_proofs.continual.flippancy import changes, flips, rises, truncated
from pan_proofs.continual.pair_machines import bit_pairs, difference
from pan_proofs.continual.streams import Bits
from pan_proofs.engines.walks import Machine, Word, bounded_for_every_length
from pan_proofs.ledger.claim import Step, Steps
from pan_proofs.ledger.steps import enumerated, lemma

BOUNDS = (1, 2, 3, 4, 5, 6)
"""The bounds on the flippancy in the enumerations."""


def most_rises(bound: int) -> int:
    """``r``, the most rises of a truncated vector."""
    return bound // 2 + 1


CUT = 2
"""The letter for the flip at which a vector is cut. Only zeros follow it: what the stream does there is not seen."""


def cut_machine(add: Callable[[int, int, int], int], *, parity: int | None = None) -> Machine:
    """It reads vectors with at most one cut.

    Parameters
    ----------
    add
        From the bits before and after an entry of the truncated vector, and 1 for a flip before the cut, to the number
        that the entry adds.
    parity
        If given, a cut is allowed only after a number of flips with this remainder modulo 2.
    """

    def step(state: tuple[int, bool, bool, int], letter: int) -> tuple[tuple[int, bool, bool, int], int] | None:
        last, started, gone, flipped = state
        if letter == CUT:
            refused = gone or not started or (parity is not None and flipped != parity)
            return None if refused else ((0, True, True, 0), add(last, 0, 0))
        if gone:
            return None if letter else (state, add(0, 0, 0))
        flip = int(started and letter != last)
        counted = (flipped + flip) % 2 if parity is not None else 0
        return (letter, True, False, counted), add(last, letter, flip)

    return Machine((0, False, False, 0), (0, 1, CUT), step)


def cut_well(word: Word) -> bool:
    """Whether there is one cut at most, not at the first entry, and only zeros after it."""
    cuts = [place for place, letter in enumerate(word) if letter == CUT]
    return not cuts or (cuts[0] > 0 and not any(word[cuts[0] + 1 :]))


def kept(word: Word) -> Bits:
    """The bits before the cut."""
    return word[: word.index(CUT)] if CUT in word else word


def followed(word: Word) -> Bits:
    """The truncated vector: the bits before the cut, and 0 from then on."""
    return tuple(0 if letter == CUT else letter for letter in word)


def few_rises() -> Steps:
    """Two flips between rises, at every length and for every bound."""
    return (
        lemma(
            "rises_and_flips",
            r"The truncated vector rises only while it follows the existence vector. Between two rises there are two "
            r"flips, and no flip comes before a rise at the first entry. So twice the number of its rises is at most "
            r"$2$ plus the number of flips up to the last of them, and this is at most $w + 2$. There are at most "
            r"$r = \lfloor w/2 \rfloor + 1$ rises.",
            bounded_for_every_length(
                "truncation.rises",
                "vectors that are cut at a flip: twice the rises minus the flips before the cut are at most 2",
                cut_machine(lambda before, after, flip: 2 * (after > before) - flip),
                2,
                by_definition=lambda word: 2 * rises(kept(word)) - flips(kept(word)),
                allowed=cut_well,
                up_to=7,
            ),
            lines=r"2\,\mathrm{rises} &\le w + 2",
        ),
        enumerated(
            "rises_enumerated",
            r"By the definition of Algorithm 1, for all short vectors: the most rises are $r$, and they are attained.",
            "w from 1 to 6: the most rises of the truncated vectors of up to 9 entries",
            BOUNDS,
            lambda bound: largest(bound, rises) == most_rises(bound),
            mutant=lambda bound: largest(bound, rises) == (bound + 1) // 2,
        ),
    )


def vectors(length: int) -> list[Bits]:
    """All vectors of bits of a length."""
    found: list[Bits] = [()]
    for _ in range(length):
        found = [(*bits, bit) for bits in found for bit in (0, 1)]
    return found


def largest(bound: int, measure: Callable[[Bits], int], length: int = 9) -> int:
    """The largest value of a measure on truncated vectors of a length."""
    return max(measure(truncated(bits, bound)) for bits in vectors(length))


def level_sum() -> Steps:
    """The squared differences on one level, by the rises of both vectors."""

    def added(before: int, after: int, other: int, other_after: int, first: bool) -> int:
        square = ((after - before) - (other_after - other)) ** 2
        return square - 4 * int(after > before) - 4 * int(other_after > other)

    def computed(word: Word) -> int:
        pairs = ((0, 0), *word)
        gaps = [one - other for one, other in pairs]
        squares = sum((after - before) ** 2 for before, after in pairwise(gaps))
        risen = sum(rises(vector) for vector in zip(*word, strict=True))
        return squares - 4 * risen + 2 * (risen > 0)

    pairs = bit_pairs(added)

    def step(state: tuple[object, bool], letter: tuple[int, int]) -> tuple[tuple[object, bool], int] | None:
        inner, risen = state
        move = pairs.step(inner, letter)
        if move is None:
            return None
        rising = letter != (0, 0)
        return (move[0], risen or rising), move[1] + 2 * (rising and not risen)

    return (
        lemma(
            "one_level",
            r"A node has a value of each vector: its change over the interval, $\delta$ or $\delta'$. On one level "
            r"the vectors are read at the ends of the nodes. There they rise no more often than at all entries: a rise "
            r"from one end to the next has a rise between. The sum over the level is at most four times the rises of "
            r"both vectors, less $2$ if there is any: no opposite change stands beside the first. So it is at most $8 "
            r"r - 2$.",
            bounded_for_every_length(
                "truncation.level",
                "pairs of vectors: the squared changes of their difference, minus 4 for each rise, plus 2 if there is "
                "one, are at most 0",
                Machine((pairs.start, False), pairs.letters, step),
                0,
                by_definition=computed,
                up_to=6,
            ),
            lines=r"\sum_{v} (\delta_v - \delta'_v)^2 &\le 4 (r + r) - 2",
        ),
    )


def few_nodes() -> Step:
    """The entries at which the difference of two truncated vectors changes."""

    def step(state: tuple[Any, Any], letter: tuple[int, int], machine: Machine) -> tuple[Any, int] | None:
        first, second = (machine.step(inner, one) for inner, one in zip(state, letter, strict=True))
        if first is None or second is None:
            return None
        after: tuple[Any, Any] = (first[0], second[0])
        moved = after[0][0] - after[1][0] != state[0][0] - state[1][0]
        return after, int(moved) + first[1] + second[1]

    def computed(word: Word) -> int:
        one, other = zip(*word, strict=True)
        return difference(followed(one), followed(other)) - flips(kept(one)) - flips(kept(other))

    def meant(word: Word, parity: int) -> bool:
        return all(
            cut_well(letters) and (CUT not in letters or flips(kept(letters)) % 2 == parity)
            for letters in zip(*word, strict=True)
        )

    obligations = []
    for parity in (0, 1):
        single = cut_machine(lambda before, after, flip: -flip, parity=parity)
        obligations.append(
            bounded_for_every_length(
                f"truncation.nodes.{parity}",
                "pairs of vectors, cut after a number of flips with remainder "
                f"{parity} modulo 2: the changes of their difference minus the flips before the cuts are at most 2",
                Machine(
                    (single.start, single.start),
                    tuple(product(single.letters, repeat=2)),
                    partial(_with, step, single),
                ),
                2,
                by_definition=computed,
                allowed=partial(_with, meant, parity),
                up_to=4,
            )
        )
    return lemma(
        "differing_nodes",
        r"Two vectors differ at a node only if their difference changes at an entry of its interval, and the nodes of "
        r"a level are disjoint. The difference changes at $2$ entries at most that are no flips before a cut. There "
        r"are at most $w$ such flips in each vector, and exactly $w$ if it is cut. Even and odd $w$ differ in the "
        r"value before the cut.",
        obligations,
        lines=r"\#\{v : \delta_v \ne \delta'_v\} &\le w + w + 2",
    )


def differing(bound: int, length: int = 6) -> int:
    """The most nodes of one level at which two truncated vectors differ."""
    cut = {truncated(bits, bound) for bits in vectors(length)}
    return max(max(differing_nodes(one, other)) for one in cut for other in cut)


def _with(function: Callable[..., Any], last: Any, *given: Any) -> Any:
    """A function with its last argument fixed."""
    return function(*given, last)


def most_changes(bound: int) -> int:
    """The most changes of a truncated vector, with 0 before its first entry."""
    return largest(bound, changes)
