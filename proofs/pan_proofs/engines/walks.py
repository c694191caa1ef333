"""Bounds on quantities that a machine with finitely many states adds up letter by letter, for words of every length.

A potential gives each state the most that the rest of a word can still add. It is found by dynamic programming, and
every transition is checked against it: so the bound holds for words of every length, by induction. Words up to a
length are computed from the definition as well. That the machine follows the definition for longer words is not asked:
its step must show it, as that of a sum over adjacent entries does.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from pan_proofs.engines.computations import answer
from pan_proofs.engines.obligation import Answer, Check, Kind, Obligation, minted

_STATES = 50_000

Word = tuple[Any, ...]


@dataclass(frozen=True)
class Machine:
    """A machine that reads a word and adds up a whole number.

    Attributes
    ----------
    start
        Its state before the first letter.
    letters
        The letters.
    step
        From a state and a letter to the next state and the number that the letter adds; ``None`` for a letter that is
        not allowed there.
    """

    start: Hashable
    letters: tuple[Any, ...]
    step: Callable[[Any, Any], tuple[Hashable, int] | None]

    def moves(self, state: Hashable) -> Iterator[tuple[Hashable, int]]:
        """The states after one letter, each with the number that the letter adds."""
        for letter in self.letters:
            move = self.step(state, letter)
            if move is not None:
                yield move

    def run(self, word: Word) -> tuple[Hashable, int] | None:
        """The state and the total after a word; ``None`` if a letter is not allowed."""
        state, total = self.start, 0
        for letter in word:
            move = self.step(state, letter)
            if move is None:
                return None
            state, total = move[0], total + move[1]
        return state, total

    def words(self, length: int) -> Iterator[Word]:
        """All words over the letters, whether or not they are allowed."""
        return product(self.letters, repeat=length)


def bounded_for_every_length(
    name: str,
    question: str,
    machine: Machine,
    bound: int,
    *,
    by_definition: Callable[[Word], int],
    up_to: int,
    allowed: Callable[[Word], bool] = lambda word: True,
) -> Obligation:
    """The obligation that the total of every word with a letter is at most a bound, which some word attains.

    Parameters
    ----------
    name
        As in :class:`Obligation`.
    question
        The bound in words. The number of states is added.
    machine
        The machine, with finitely many states.
    bound
        The bound. The control is the bound less 1: it must fail for a word of at most ``up_to`` letters.
    by_definition
        The quantity of a whole word, from its definition and not by the machine.
    up_to
        The length of the longest words that are computed from the definition.
    allowed
        The words that are meant, from their definition and not by the machine; every word by default. The machine must
        refuse a letter exactly if it leads to another word.

    Raises
    ------
    ValueError
        If words lead to more states than can be listed.
    TypeError
        If a letter adds anything but a whole number.
    """
    states = reachable(machine)
    try:
        kept, first = never_more(machine, bound)
    except TypeError as problem:
        raise TypeError(f"{name}: {problem}") from None
    counted, differing, largest = 0, 0, None
    for word in (word for length in range(1, up_to + 1) for word in machine.words(length)):
        counted += 1
        read = machine.run(word)
        stated = by_definition(word) if allowed(word) else None
        differing += (None if read is None else read[1]) != stated
        if stated is not None and (largest is None or stated > largest):
            largest = stated
    asked = f"{question} ({len(states):,} {'state' if len(states) == 1 else 'states'})"
    checks = (
        Check("every letter keeps the potential", "enumeration", Answer.HOLDS, answer(kept)),
        Check("the bound holds after the first letter", "enumeration", Answer.HOLDS, answer(first)),
        Check(
            f"the machine and the definition agree on all {counted:,} words of up to {up_to} letters",
            "enumeration",
            Answer.HOLDS,
            answer(counted > 0 and not differing),
        ),
        Check(
            f"one of these words attains the bound {bound}, so that it cannot be lowered",
            "enumeration",
            Answer.HOLDS,
            answer(largest == bound),
        ),
    )
    return minted(name, asked, checks, Kind.INDUCTION)


def never_more(machine: Machine, bound: int) -> tuple[bool, bool]:
    """Whether every letter keeps a potential, and whether then no word with a letter adds up to more than a bound.

    Raises
    ------
    TypeError
        If a letter adds anything but a whole number.
    """
    states = reachable(machine)
    for _, added in (move for state in states for move in machine.moves(state)):
        if not isinstance(added, int):
            raise TypeError(f"a letter adds a whole number, got {added!r}")
    potential = most_to_come(machine, states)
    if potential is None:
        return False, False
    kept = all(
        potential[state] >= 0 and added + potential[after] <= potential[state]
        for state in states
        for after, added in machine.moves(state)
    )
    first = all(added + potential[after] <= bound for after, added in machine.moves(machine.start))
    return kept, kept and first


def reachable(machine: Machine) -> tuple[Hashable, ...]:
    """All states to which words lead.

    Raises
    ------
    ValueError
        If there are more than can be listed.
    """
    seen = {machine.start: None}
    pending = [machine.start]
    while pending:
        for after, _ in machine.moves(pending.pop()):
            if after not in seen:
                seen[after] = None
                pending.append(after)
        if len(seen) > _STATES:
            raise ValueError(f"words lead to more than {_STATES:,} states")
    return tuple(seen)


def most_to_come(machine: Machine, states: tuple[Hashable, ...]) -> dict[Hashable, int] | None:
    """For each state the most that further letters can add; ``None`` if there is no limit to it."""
    best = dict.fromkeys(states, 0)
    for _ in range(len(states) + 1):
        raised = {
            state: max((added + best[after] for after, added in machine.moves(state)), default=0) for state in states
        }
        after = {state: max(0, raised[state]) for state in states}
        if after == best:
            return best
        best = after
    return None
