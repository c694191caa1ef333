"""False statements about words of every length and about sums over trees, by the public functions of the engines."""

from __future__ import annotations

from itertools import pairwise

from pan_proofs.engines.tree_sums import TreeSum, greatest_tree_sum
from pan_proofs.engines.walks import Machine, bounded_for_every_length
from tests.ledger.false_attacks import asked

BITS = (0, 1)


def flips(word: tuple) -> int:
    return sum(one != other for one, other in pairwise((0, *word)))


def rises_less_falls(word: tuple) -> int:
    return word[-1]


last_bit = Machine(0, BITS, lambda state, bit: (bit, bit - state))
"""Rises minus falls: the last bit."""


def bounded(machine: Machine, bound: int, definition: object, up_to: int = 5, **more: object) -> object:
    return asked(
        bounded_for_every_length("s", "a bound", machine, bound, by_definition=definition, up_to=up_to, **more)
    )


def late(machine_state: int, bit: int) -> tuple[int, int]:
    """Two more after nine ones in a row, which no short word has."""
    run = min(machine_state + 1, 9) if bit else 0
    return run, 2 * (run == 9 and machine_state == 8) + (bit and not machine_state) - (machine_state > 0 and not bit)


def saturated(letters: int) -> Machine:
    """It counts the flips of the first letters, and none of the later ones."""

    def step(state: tuple[int, int], bit: int) -> tuple[tuple[int, int], int]:
        read, last = state
        return (min(read + 1, letters), bit), int(read < letters and bit != last)

    return Machine((0, 0), BITS, step)


def forgetful() -> Machine:
    """It counts flips until it has been asked a hundred times."""
    asked_so_far = []

    def step(state: int, bit: int) -> tuple[int, int]:
        asked_so_far.append(bit)
        return bit, int(bit != state and len(asked_so_far) < 100)

    return Machine(0, BITS, step)


def node_sum(word: tuple, *, square: bool = True) -> int:
    """The sum over the nodes of the squared change of the last bit, node by node."""
    at, total, size = (0, *word), 0, 1
    while size <= len(word):
        changes = [at[start + size] - at[start] for start in range(0, len(word), size)]
        total += sum(one**2 if square else one for one in changes)
        size *= 2
    return total


reader = Machine(0, BITS, lambda state, bit: (bit, 0))
TREE = TreeSum(reader, lambda before, after: (after - before) ** 2)


def summed(tree: TreeSum, stated: tuple, definition: object = node_sum, up_to: int = 2, **more: object) -> object:
    return asked(greatest_tree_sum("s", "a sum", tree, stated, by_definition=definition, up_to=up_to, **more))


FALSE = {
    "every length: a bound that is too low": ("off by one", lambda: bounded(last_bit, 0, rises_less_falls)),
    "every length: a bound that no word attains": ("off by one", lambda: bounded(last_bit, 2, rises_less_falls)),
    "every length: no bound at all": (
        "wrong range",
        lambda: bounded(Machine(0, BITS, lambda state, bit: (bit, int(bit != state))), 5, flips),
    ),
    "every length: a bound for short words": (
        "correct for one instance",
        lambda: bounded(Machine(0, BITS, late), 1, lambda word: word[-1] + 2 * ("1" * 9 in "".join(map(str, word)))),
    ),
    "every length: another quantity": ("wrong recurrence", lambda: bounded(last_bit, 1, lambda word: max(word))),
    "every length: a recurrence that agrees for two letters": (
        "wrong recurrence",
        lambda: bounded(last_bit, 1, lambda word: word[-1] if len(word) < 3 else min(word[-2:])),
    ),
    "every length: a letter is missing": (
        "missing case",
        lambda: bounded(Machine(0, BITS, lambda state, bit: (bit, bit - state) if bit else None), 1, rises_less_falls),
    ),
    "every length: a word too many": (
        "missing case",
        lambda: bounded(last_bit, 1, rises_less_falls, allowed=lambda word: sum(word) < len(word)),
    ),
    "every length: a wrong sign": (
        "wrong sign",
        lambda: bounded(Machine(0, BITS, lambda state, bit: (bit, state - bit)), 1, rises_less_falls),
    ),
    "every length: a machine that stops after the listed words": (
        "correct for short words",
        lambda: bounded(saturated(5), 5, flips),
    ),
    "every length: a machine that stops one letter later": (
        "correct for short words",
        lambda: bounded(saturated(6), 6, flips),
    ),
    "every length: a machine that stops after a thousand letters": (
        "correct for short words",
        lambda: bounded(saturated(1000), 1000, flips, 9),
    ),
    "every length: a definition that is another one for longer words": (
        "correct for short words",
        lambda: bounded(last_bit, 1, lambda word: word[-1] if len(word) < 6 else 2),
    ),
    "every length: a row of ones that no listed word has": (
        "correct for short words",
        lambda: bounded(last_bit, 1, lambda word: word[-1] + 3 * ("1" * 7 in "".join(map(str, word)))),
    ),
    "every length: a machine that answers otherwise later": (
        "correct for short words",
        lambda: bounded(forgetful(), 5, flips),
    ),
    "every length: there is no word": (
        "vacuous",
        lambda: bounded(Machine(0, BITS, lambda state, bit: None), 0, rises_less_falls, allowed=lambda word: False),
    ),
    "tree: one more": ("off by one", lambda: summed(TREE, (true_sums()[0] + 1, *true_sums()[1:]))),
    "tree: one less for the largest": ("off by one", lambda: summed(TREE, (*true_sums()[:3], true_sums()[3] - 1))),
    "tree: changes in place of their squares": (
        "wrong recurrence",
        lambda: summed(TreeSum(reader, lambda before, after: after - before), true_sums()),
    ),
    "tree: a cost that agrees for one leaf": (
        "correct for one instance",
        lambda: summed(TreeSum(reader, lambda before, after: after), true_sums()),
    ),
    "tree: a letter is missing": (
        "missing case",
        lambda: summed(TreeSum(Machine(0, BITS, lambda state, bit: (bit, 0) if bit else None), TREE.cost), true_sums()),
    ),
    "tree: the state forgets the bit": (
        "wrong recurrence",
        lambda: summed(TreeSum(Machine(0, BITS, lambda state, bit: (0, 0)), TREE.cost), true_sums()),
    ),
    "tree: a machine that stops after the listed words": (
        "correct for short words",
        lambda: summed(
            TreeSum(
                Machine((0, 0), BITS, lambda state, bit: ((min(state[0] + 1, 5), bit if state[0] < 4 else 0), 0)),
                lambda before, after: (after[1] - before[1]) ** 2,
            ),
            (1, 2, 5, 8),
        ),
    ),
    "tree: words that are not meant": (
        "missing case",
        lambda: summed(TREE, true_sums(), allowed=lambda word: not any(word)),
    ),
    "tree: the root costs nothing": (
        "no control",
        lambda: summed(TreeSum(reader, lambda before, after: 0), (0, 0, 0), lambda word: 0, 1),
    ),
}


def true_sums() -> tuple[int, ...]:
    """The greatest sums for 1, 2, 4 and 8 leaves, by listing all words."""
    return tuple(max(node_sum(word) for word in reader.words(2**height)) for height in range(4))
