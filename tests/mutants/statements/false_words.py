"""Statements about words of every length, sums over trees and sums over words: false ones, and true ones."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import sympy as sp

from pan_proofs.continual import streams
from pan_proofs.engines.obligation import Obligation
from pan_proofs.engines.tree_sums import TreeSum, greatest_tree_sum
from pan_proofs.engines.walks import Machine, bounded_for_every_length
from pan_proofs.engines.word_sums import Words, bounded_sums, broken_by
from tests.mutants.statements.reading import eq, le

BITS = (0, 1)


def flips(word: tuple) -> int:
    return sum(one != other for one, other in pairwise((0, *word)))


def rises_less_falls(word: tuple) -> int:
    return word[-1]


last_bit = Machine(0, BITS, lambda state, bit: (bit, bit - state))
"""Rises minus falls: the last bit."""


def bounded(machine: Machine, bound: int, definition: object, up_to: int = 5, **more: object) -> Obligation:
    return bounded_for_every_length("s", "a bound", machine, bound, by_definition=definition, up_to=up_to, **more)


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


def summed(tree: TreeSum, stated: tuple, definition: object = node_sum, up_to: int = 2, **more: object) -> Obligation:
    return greatest_tree_sum("s", "a sum", tree, stated, by_definition=definition, up_to=up_to, **more)


def true_sums() -> tuple[int, ...]:
    """The greatest sums for 1, 2, 4 and 8 leaves, by listing all words."""
    return tuple(max(node_sum(word) for word in reader.words(2**height)) for height in range(4))


T, i = sp.symbols("T i", integer=True, positive=True)
x = sp.IndexedBase(sp.Symbol("x", integer=True))
flipped, fallen, changed = sp.symbols("W D C", real=True)
most = sp.Symbol("M", real=True)
half = Fraction(1, 2)
SUMS = {
    flipped: sp.Sum(sp.Abs(x[i] - x[i - 1]), (i, 2, T)),
    fallen: sp.Sum(x[i - 1] * (1 - x[i]), (i, 2, T)),
}
DEFINED = {flipped: streams.flips, fallen: streams.drops, changed: streams.changes}
FROM_ZERO = {**SUMS, changed: sp.Sum(sp.Abs(x[i] - x[i - 1]), (i, 1, T))}
word = Words(T, i, (x,), SUMS, {x: BITS})
from_zero = Words(T, i, (x,), FROM_ZERO, {x: BITS}, (), (0,))
rising = Words(T, i, (x,), SUMS, {x: BITS}, (le(x[i - 1], x[i]),))
wide = Words(T, i, (x,), SUMS, {x: (0, 1, 2)})
stuck = Words(T, i, (x,), SUMS, {x: BITS}, (sp.Ne(x[i], x[i], evaluate=False),))


def bound(relation: sp.Basic, words: Words = word, up_to: int = 5, definitions: dict = DEFINED) -> Obligation:
    return bounded_sums("s", relation, words, by_definition=definitions, up_to=up_to)


def broken(relation: sp.Basic, vectors: tuple, words: Words = word, **more: object) -> Obligation:
    return broken_by("s", relation, words, vectors, by_definition=DEFINED, **more)


BROKEN = eq(flipped, fallen)

TRUE_BOUND = bound(le(flipped, 2 * fallen + 1))
LENGTH = bound(le(flipped, T - 1))
RISING = bound(le(flipped, 1), rising)
BROKEN_STEP = broken(BROKEN, ((0, 1, 0, 1),))
FEW_FALLS = broken(le(flipped, 2), ((0, 1, 0, 1),), from_zero, hypotheses=(le(fallen, 1),))
RESTRICTED = broken(BROKEN, ((0, 1),), rising)

FALSE = {
    "off by one": {
        "every length: a bound that is too low": "bounded(last_bit, 0, rises_less_falls)",
        "every length: a bound that no word attains": "bounded(last_bit, 2, rises_less_falls)",
        "tree: one more": "summed(TREE, (true_sums()[0] + 1, *true_sums()[1:]))",
        "tree: one less for the largest": "summed(TREE, (*true_sums()[:3], true_sums()[3] - 1))",
        "sums: a bound that is too low": "bound(flipped <= 2 * fallen)",
        "sums: a bound that no word attains": "bound(flipped <= 2 * fallen + 2)",
    },
    "wrong range": {
        "every length: no bound at all": (
            "bounded(Machine(0, BITS, lambda state, bit: (bit, int(bit != state))), 5, flips)"
        ),
        "sums: too low for long words alone": "bound(2 * flipped <= T + 2, up_to=4)",
        "sums: no bound at all": "bound(flipped <= 5, up_to=6)",
    },
    "correct for one instance": {
        "every length: a bound for short words": (
            "bounded(Machine(0, BITS, late), 1, lambda word: word[-1] + 2 * ('1' * 9 in ''.join(map(str, word))))"
        ),
        "tree: a cost that agrees for one leaf": "summed(TreeSum(reader, lambda before, after: after), true_sums())",
    },
    "wrong recurrence": {
        "every length: another quantity": "bounded(last_bit, 1, lambda word: max(word))",
        "every length: a recurrence that agrees for two letters": (
            "bounded(last_bit, 1, lambda word: word[-1] if len(word) < 3 else min(word[-2:]))"
        ),
        "tree: changes in place of their squares": (
            "summed(TreeSum(reader, lambda before, after: after - before), true_sums())"
        ),
        "tree: the state forgets the bit": (
            "summed(TreeSum(Machine(0, BITS, lambda state, bit: (0, 0)), TREE.cost), true_sums())"
        ),
        "sums: the first place is forgotten": "bound(changed == flipped, from_zero)",
        "sums: another quantity by its definition": "bound(flipped <= T - 1, definitions={flipped: streams.drops})",
    },
    "missing case": {
        "every length: a letter is missing": (
            "bounded(Machine(0, BITS, lambda state, bit: (bit, bit - state) if bit else None), 1, rises_less_falls)"
        ),
        "every length: a word too many": (
            "bounded(last_bit, 1, rises_less_falls, allowed=lambda word: sum(word) < len(word))"
        ),
        "tree: a letter is missing": (
            "summed(TreeSum(Machine(0, BITS, lambda state, bit: (bit, 0) if bit else None), TREE.cost), true_sums())"
        ),
        "tree: words that are not meant": "summed(TREE, true_sums(), allowed=lambda word: not any(word))",
        "sums: more letters than the bound allows": "bound(flipped <= T - 1, wide)",
    },
    "wrong sign": {
        "every length: a wrong sign": (
            "bounded(Machine(0, BITS, lambda state, bit: (bit, state - bit)), 1, rises_less_falls)"
        ),
        "sums: the wrong direction": "bound(flipped >= 2 * fallen + 1)",
        "sums: equal on one side only": "bound(flipped == T - 1)",
    },
    "correct for short words": {
        "every length: a machine that stops after the listed words": "bounded(saturated(5), 5, flips)",
        "every length: a machine that stops one letter later": "bounded(saturated(6), 6, flips)",
        "every length: a machine that stops after a hundred letters": "bounded(saturated(100), 100, flips, 9)",
        "every length: a definition that is another one for longer words": (
            "bounded(last_bit, 1, lambda word: word[-1] if len(word) < 6 else 2)"
        ),
        "every length: a row of ones that no listed word has": (
            "bounded(last_bit, 1, lambda word: word[-1] + 3 * ('1' * 7 in ''.join(map(str, word))))"
        ),
        "every length: a machine that answers otherwise later": "bounded(forgetful(), 5, flips)",
        "tree: a machine that stops after the listed words": (
            "summed(TreeSum(Machine((0, 0), BITS, lambda state, bit: ((min(state[0] + 1, 5), bit if state[0] < "
            "4 else 0), 0)), lambda before, after: (after[1] - before[1])**2), (1, 2, 5, 8))"
        ),
    },
    "vacuous": {
        "every length: there is no word": (
            "bounded(Machine(0, BITS, lambda state, bit: None), 0, rises_less_falls, allowed=lambda word: False)"
        ),
        "sums: no word is allowed": "bound(flipped <= T - 1, stuck)",
    },
    "no control": {
        "tree: the root costs nothing": (
            "summed(TreeSum(reader, lambda before, after: 0), (0, 0, 0), lambda word: 0, 1)"
        ),
    },
    "no counterexample": {
        "broken: the relation holds for the word": "broken(flipped <= 2 * fallen + 1, ((0, 1, 0),))",
        "broken: the word is not allowed": "broken(BROKEN, ((0, 1, 0, 1),), rising)",
        "broken: a letter that is none": "broken(BROKEN, ((0, 2, 0, 2),))",
        "broken: an entry that is no whole number": "broken(T == 1, ((half, half),), Words(T, i, (x,), SUMS))",
        "broken: against a hypothesis": "broken(BROKEN, ((0, 1, 0, 1),), hypotheses=(flipped <= 2,))",
        "broken: a value that is not of its kind": (
            "broken(flipped <= Symbol('m', positive=True), ((0, 1),), values={Symbol('m', positive=True): 0})"
        ),
        "broken: an empty word": "broken(flipped <= -1, ((),))",
    },
    "links": {
        "for all integers, shown for bits": "(symbolic(flipped <= T - 1, where={flipped: SUMS[flipped]}), (LENGTH,))",
        "for bits, shown for those that never fall": "(about(word, flipped <= 1), (RISING,))",
        "of another sum": (
            "(symbolic(flipped <= T - 1, given=word.conditions(), where={flipped: 2 * SUMS[flipped]}), (LENGTH,))"
        ),
        "of any number in place of the sum": "(symbolic(flipped <= T - 1, given=word.conditions()), (LENGTH,))",
        "a stronger bound": "(about(word, flipped <= 2 * fallen), (TRUE_BOUND,))",
        "with the sums exchanged": "(about(word, fallen <= 2 * flipped - 1), (TRUE_BOUND,))",
        "a bound by a number that bounds nothing": (
            "(about(word, flipped <= 2 * most + 1, given=(most <= fallen,)), (TRUE_BOUND,))"
        ),
        "under assumptions that contradict one another": (
            "(about(word, flipped <= T - 1, given=(most <= 0, 1 <= most)), (LENGTH,))"
        ),
        "an entry that is no bit": "(about(word, flipped <= T - 1, given=(x[i] == 2,)), (LENGTH,))",
        "false for all words, broken by one": "(about(word, flipped != fallen), (BROKEN_STEP,))",
        "broken, of one more": (
            "(symbolic(BROKEN, given=word.conditions(), where={**SUMS, flipped: SUMS[flipped] + 1}, "
            "refuted=True), (BROKEN_STEP,))"
        ),
        "broken under a condition that the word does not satisfy": (
            "(about(rising, BROKEN, refuted=True), (BROKEN_STEP,))"
        ),
        "broken under one more assumption": (
            "(about(word, BROKEN, given=(flipped <= 2,), refuted=True), (BROKEN_STEP,))"
        ),
        "broken, with a hypothesis about another sum": (
            "(symbolic(flipped <= 2, given=(*from_zero.conditions(), fallen <= 1), where={flipped: "
            "SUMS[flipped], fallen: 3 * SUMS[fallen]}, refuted=True), (FEW_FALLS,))"
        ),
        "each entry, if it is a bit, bounds the sum": (
            "(symbolic(Implies(word.conditions()[0], flipped <= T - 1), where={flipped: SUMS[flipped]}), (LENGTH,))"
        ),
        "an entry in place of a sum": (
            "(symbolic(flipped <= T - 1, given=word.conditions(), where={flipped: x[i]}), (LENGTH,))"
        ),
        "another relation is broken": "(about(word, flipped == 2 * fallen, refuted=True), (BROKEN_STEP,))",
        "broken, of another sum": (
            "(symbolic(BROKEN, given=word.conditions(), where={**SUMS, flipped: SUMS[fallen]}, refuted=True), "
            "(BROKEN_STEP,))"
        ),
        "if an entry at one place is a bit": (
            "(symbolic(flipped <= T - 1, given=(*word.conditions(), i == 3), where={flipped: SUMS[flipped]}), "
            "(LENGTH,))"
        ),
        "if entries at the first places are bits": (
            "(symbolic(flipped <= T - 1, given=(*word.conditions(), i <= 3), where={flipped: SUMS[flipped]}), "
            "(LENGTH,))"
        ),
        "if an entry at the last place is a bit": (
            "(symbolic(flipped <= T - 1, given=(Or(x[T] == 0, x[T] == 1),), where={flipped: SUMS[flipped]}), (LENGTH,))"
        ),
    },
}

TRUE = {
    "as shown": "(about(word, flipped <= 2 * fallen + 1), (TRUE_BOUND,))",
    "with the length": "(about(word, And(flipped <= T - 1, T - 1 < T)), (LENGTH,))",
    "by a larger number": "(about(word, flipped <= 2 * most + 1, given=(fallen <= most,)), (TRUE_BOUND,))",
    "broken": "(about(word, BROKEN, refuted=True), (BROKEN_STEP,))",
    "broken, with a hypothesis": "(about(from_zero, flipped <= 2, given=(fallen <= 1,), refuted=True), (FEW_FALLS,))",
    "broken under a rule": "(about(rising, BROKEN, refuted=True), (RESTRICTED,))",
    "broken, without the rule": "(about(word, BROKEN, refuted=True), (RESTRICTED,))",
}

REFUSED = {
    "states": ["reachable(Machine(0, BITS, lambda state, bit: (state + 1, 0)))"],
    "whole number": ["bounded(Machine(0, BITS, lambda state, bit: (bit, 0.5)), 1, len, 2)"],
    "every word": ["summed(TREE, (1, 2))"],
    "real": ["Words(T, i, (x,), {Symbol('W', integer=True): SUMS[flipped]}, {x: BITS})"],
    "no sum over": [
        "Words(T, i, (x,), {flipped: Sum(x[i] - x[i - 1], (i, 1, T))}, {x: BITS})",
        "Words(Symbol('T', integer=True), i, (x,), SUMS, {x: BITS})",
    ],
    "other symbols": [
        "Words(T, i, (x,), {flipped: Sum(x[i] * Symbol('z'), (i, 1, T))}, {x: BITS})",
        "Words(T, i, (x,), SUMS, {x: BITS}, (x[i - 2] <= x[i],))",
    ],
    "": ["bound(flipped**2 <= T)", "bound(sqrt(2) * flipped <= T)", "bound(flipped != T)"],
}
