"""The greatest sum of costs over the nodes of a complete binary tree whose leaves are the letters of a word.

A node covers the letters of an interval. Its cost depends on the states of a machine at both ends of the interval. The
greatest sum over all words of a length comes from dynamic programming over the height of the tree: a word of double
length is two words that meet in a state. For small trees it is compared with the sum over every word, node by node, and
for the larger ones with the sums over some words.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

from pan_proofs.engines.obligation import Kind, Obligation, decided, minted
from pan_proofs.engines.walks import Machine, Word, drawn_words, settled

_DRAWN = 40
"""The number of words that are drawn for each height."""

Cost = Callable[[Any, Any], int]
"""From the states before the first and after the last letter of a node to the cost of the node."""


@dataclass(frozen=True)
class TreeSum:
    """The sum of costs over the nodes of a complete binary tree.

    Attributes
    ----------
    machine
        It reads the letters at the leaves. The numbers that its letters add are not used.
    cost
        The cost of a node.
    """

    machine: Machine
    cost: Cost

    def greatest(self, height: int, *, forget: int | None = None) -> int:
        """The greatest sum over all words of ``2 ** height`` letters.

        Parameters
        ----------
        height
            The height of the tree; 0 for a single leaf.
        forget
            A height whose nodes are left out, for a control.

        Raises
        ------
        ValueError
            If no word is allowed.
        """
        known: dict[tuple[int, Hashable], dict[Hashable, int]] = {}

        def below(at: int, state: Hashable) -> dict[Hashable, int]:
            """For each state at the end the greatest sum over a tree that starts in a state."""
            if (at, state) in known:
                return known[at, state]
            found: dict[Hashable, int] = {}
            if at == 0:
                for after, _ in self.machine.moves(state):
                    found[after] = 0
            else:
                for middle, left in below(at - 1, state).items():
                    for after, right in below(at - 1, middle).items():
                        found[after] = max(found.get(after, left + right), left + right)
            if at != forget:
                found = {after: total + self.cost(state, after) for after, total in found.items()}
            return known.setdefault((at, state), found)

        sums = below(height, self.machine.start).values()
        if not sums:
            raise ValueError(f"no word of {2**height} letters is allowed")
        return max(sums)

    def over(self, word: Word) -> int | None:
        """The sum over one word; ``None`` if a letter is not allowed."""
        states = [self.machine.start]
        for letter in word:
            move = self.machine.step(states[-1], letter)
            if move is None:
                return None
            states.append(move[0])
        sizes = (2**height for height in range(len(word).bit_length()))
        return sum(
            self.cost(states[start], states[start + size]) for size in sizes for start in range(0, len(word), size)
        )


def greatest_tree_sum(
    name: str,
    question: str,
    tree: TreeSum,
    stated: tuple[int, ...],
    *,
    by_definition: Callable[[Word], int],
    up_to: int,
    allowed: Callable[[Word], bool] = lambda word: True,
) -> Obligation:
    """The obligation that the greatest sums over the trees of heights 0, 1, 2, ... are the stated numbers.

    Parameters
    ----------
    name
        As in :class:`Obligation`.
    question
        The sum in words.
    tree
        The machine and the costs.
    stated
        The greatest sums, from height 0 on.
    by_definition
        The sum for one word, from its definition: neither by the machine nor by the costs.
    up_to
        The greatest height at which every word is computed from the definition; below the number of stated sums.
    allowed
        The words that are meant, from their definition and not by the machine; every word by default.
    """
    if not 0 < up_to < len(stated):
        raise ValueError(f"{name}: every word is computed for heights 1 to at most {len(stated) - 1}, got {up_to}")
    tree = TreeSum(settled(tree.machine), tree.cost)
    found = tuple(tree.greatest(height) for height in range(len(stated)))
    listed: list[int | None] = []
    words = 0
    for height in range(up_to + 1):
        sums = [by_definition(word) for word in tree.machine.words(2**height) if allowed(word)]
        words += len(sums)
        listed.append(max(sums, default=None))
    drawn = [word for height in range(up_to, len(stated)) for word in drawn_words(tree.machine, 2**height, _DRAWN)]
    differing = sum(tree.over(word) != (by_definition(word) if allowed(word) else None) for word in drawn)
    forgetful = [tree.greatest(height, forget=height) for height in range(up_to + 1)]
    told = f"{question}: {', '.join(map(str, stated))}"
    checks = (
        decided(f"{question}, by dynamic programming", "enumeration", found == tuple(stated)),
        decided(
            f"for heights up to {up_to} the same by listing all {words:,} words",
            "enumeration",
            tuple(listed) == found[: up_to + 1],
        ),
        decided(
            f"for heights {up_to} to {len(stated) - 1} the sums over {len(drawn):,} words are those of the definition",
            "enumeration",
            not differing,
        ),
        decided("a program that leaves out the root gives other numbers", "enumeration", forgetful != listed),
    )
    return minted(name, told, checks, Kind.VALUE)
