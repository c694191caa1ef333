"""Bounds on quantities that a machine with finitely many states adds up letter by letter, for words of every length.

A potential gives each state the most that the rest of a word can still add. It is found by dynamic programming, and
every transition is checked against it: so the bound of the machine holds for words of every length, by induction. That
the machine is the definition is asked of all words up to a length, of words that make each of its moves, and of longer
words that are drawn. A definition that needs to remember more than the states can differ on other words: what is shown
is about quantities that the states are enough for, as sums over adjacent entries are.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from itertools import chain, product
from typing import Any

from pan_proofs.engines.obligation import Kind, Obligation, decided, minted

_STATES = 50_000
_DRAWN, _LONGER = 200, 24
"""The number of longer words that are drawn, and how many letters they have more than the listed ones at most."""

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
        The bound. The control is the bound less 1: it must fail for one of the words that are computed.
    by_definition
        The quantity of a whole word, from its definition and not by the machine.
    up_to
        The length up to which all words are computed from the definition. Words for each move of the machine, and some
        longer ones, are computed as well.
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
    machine = settled(machine)
    states = reachable(machine)
    try:
        kept, first = never_more(machine, bound)
    except TypeError as problem:
        raise TypeError(f"{name}: {problem}") from None
    listed = (word for length in range(1, up_to + 1) for word in machine.words(length))
    counted, differing, largest = 0, 0, None
    for word in chain(listed, _after_each_move(machine), _longer(machine, up_to)):
        counted += 1
        read = machine.run(word)
        stated = by_definition(word) if allowed(word) else None
        differing += (None if read is None else read[1]) != stated
        if stated is not None and (largest is None or stated > largest):
            largest = stated
    told = f"{len(states):,} {'state is' if len(states) == 1 else 'states are'}"
    asked = f"{question} (for every length, if {told} enough to know what a letter adds)"
    checks = (
        decided("every letter keeps the potential", "enumeration", kept),
        decided("the bound holds after the first letter", "enumeration", first),
        decided(
            f"the machine and the definition agree on {counted:,} words: all of up to {up_to} letters, each move with "
            "each next letter and with a row of its own, and longer ones",
            "enumeration",
            counted > 0 and not differing,
        ),
        decided(
            f"one of these words attains the bound {bound}, so that it cannot be lowered",
            "enumeration",
            largest == bound,
        ),
    )
    return minted(name, asked, checks, Kind.INDUCTION)


def settled(machine: Machine) -> Machine:
    """The machine with a table of its moves: each is asked once, so that none depends on what was asked before."""
    table: dict[tuple[Any, Any], tuple[Hashable, int] | None] = {}

    def step(state: Any, letter: Any) -> tuple[Hashable, int] | None:
        if (state, letter) not in table:
            table[state, letter] = machine.step(state, letter)
        return table[state, letter]

    return Machine(machine.start, machine.letters, step)


def _after_each_move(machine: Machine) -> Iterator[Word]:
    """For each state and letter a word that ends with this move, with each letter after it, or a row of its own."""
    words: dict[Hashable, Word] = {}
    for state, way in _seen(machine).items():
        word = words[state] = (*words[way[0]], way[1]) if way else ()
        for letter in machine.letters:
            yield from ((*word, *(letter,) * times) for times in (1, _LONGER))
            yield from ((*word, letter, after) for after in machine.letters)


def _longer(machine: Machine, up_to: int) -> Iterator[Word]:
    """Words of more letters than the listed ones."""
    source = random.Random(up_to)
    lengths = (up_to + source.randint(1, _LONGER) for _ in range(_DRAWN))
    return chain.from_iterable(drawn_words(machine, length, 1, number) for number, length in enumerate(lengths))


def drawn_words(machine: Machine, length: int, number: int, seed: int = 0) -> Iterator[Word]:
    """Words of a length that are drawn letter by letter, with rows of one letter; the last letter may not be allowed.

    Parameters
    ----------
    machine
        It tells which letters are allowed.
    length, number
        The length of the words, and their number. Where no letter is allowed a word ends.
    seed
        Other words for another one.
    """
    for place in range(seed, seed + number):
        source = random.Random(place)
        word: list[Any] = []
        state = machine.start
        for _ in range(length - 1):
            there = [one for one in machine.letters if machine.step(state, one) is not None]
            again = word and word[-1] in there and source.random() < place % 4 / 4
            if not there:
                break
            word.append(word[-1] if again else source.choice(there))
            state = machine.step(state, word[-1])[0]  # type: ignore[index]
        yield (*word, source.choice(machine.letters))


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
    return tuple(_seen(machine))


def _seen(machine: Machine) -> dict[Hashable, tuple[Hashable, Any] | None]:
    """All states to which words lead, in the order of the shortest ones, each with the last move of such a word."""
    seen: dict[Hashable, tuple[Hashable, Any] | None] = {machine.start: None}
    border: list[Hashable] = [machine.start]
    while border:
        reached: list[Hashable] = []
        for state in border:
            for letter in machine.letters:
                move = machine.step(state, letter)
                if move is not None and move[0] not in seen:
                    seen[move[0]] = (state, letter)
                    reached.append(move[0])
        if len(seen) > _STATES:
            raise ValueError(f"words lead to more than {_STATES:,} states")
        border = reached
    return seen


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
