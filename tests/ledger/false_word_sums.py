"""False statements about sums over words, and statements that do not follow from true ones: none comes out right."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from pan_proofs.continual.flippancy import changes, drops, flips
from pan_proofs.engines.word_sums import Words, bounded_sums, broken_by
from pan_proofs.ledger.statements import about, symbolic
from pan_proofs.ledger.steps import lemma
from tests.ledger.false_attacks import asked

T, i = sp.symbols("T i", integer=True, positive=True)
x, y = (sp.IndexedBase(sp.Symbol(name, integer=True)) for name in ("x", "y"))
flipped, fallen, changed = sp.symbols("W D C", real=True)
most, factor = sp.symbols("M k", real=True)
BITS = (0, 1)
half = Fraction(1, 2)
SUMS = {
    flipped: sp.Sum(sp.Abs(x[i] - x[i - 1]), (i, 2, T)),
    fallen: sp.Sum(x[i - 1] * (1 - x[i]), (i, 2, T)),
}
DEFINED = {flipped: flips, fallen: drops, changed: changes}
FROM_ZERO = {**SUMS, changed: sp.Sum(sp.Abs(x[i] - x[i - 1]), (i, 1, T))}
word = Words(T, i, (x,), SUMS, {x: BITS})
from_zero = Words(T, i, (x,), FROM_ZERO, {x: BITS}, (), (0,))
rising = Words(T, i, (x,), SUMS, {x: BITS}, (sp.Le(x[i - 1], x[i], evaluate=False),))
wide = Words(T, i, (x,), SUMS, {x: (0, 1, 2)})
stuck = Words(T, i, (x,), SUMS, {x: BITS}, (sp.Ne(x[i], x[i], evaluate=False),))


def le(left: object, right: object) -> sp.Basic:
    return sp.Le(left, right, evaluate=False)


def eq(left: object, right: object) -> sp.Basic:
    return sp.Eq(left, right, evaluate=False)


def bound(relation: sp.Basic, words: Words = word, up_to: int = 5, definitions: dict = DEFINED) -> object:
    return bounded_sums("s", relation, words, by_definition=definitions, up_to=up_to)


def broken(relation: sp.Basic, vectors: tuple, words: Words = word, **more: object) -> object:
    return broken_by("s", relation, words, vectors, by_definition=DEFINED, **more)


BROKEN = eq(flipped, fallen)

FALSE = {
    "sums: a bound that is too low": ("off by one", lambda: asked(bound(le(flipped, 2 * fallen)))),
    "sums: a bound that no word attains": ("off by one", lambda: asked(bound(le(flipped, 2 * fallen + 2)))),
    "sums: too low for long words alone": ("wrong range", lambda: asked(bound(le(2 * flipped, T + 2), up_to=4))),
    "sums: no bound at all": ("wrong range", lambda: asked(bound(le(flipped, 5), up_to=6))),
    "sums: the wrong direction": ("wrong sign", lambda: asked(bound(sp.Ge(flipped, 2 * fallen + 1, evaluate=False)))),
    "sums: equal on one side only": ("wrong sign", lambda: asked(bound(eq(flipped, T - 1)))),
    "sums: the first place is forgotten": ("wrong recurrence", lambda: asked(bound(eq(changed, flipped), from_zero))),
    "sums: another quantity by its definition": (
        "wrong recurrence",
        lambda: asked(bound(le(flipped, T - 1), definitions={flipped: drops})),
    ),
    "sums: more letters than the bound allows": ("missing case", lambda: asked(bound(le(flipped, T - 1), wide))),
    "sums: no word is allowed": ("vacuous", lambda: asked(bound(le(flipped, T - 1), stuck))),
    "broken: the relation holds for the word": (
        "no counterexample",
        lambda: asked(broken(le(flipped, 2 * fallen + 1), ((0, 1, 0),))),
    ),
    "broken: the word is not allowed": ("no counterexample", lambda: asked(broken(BROKEN, ((0, 1, 0, 1),), rising))),
    "broken: a letter that is none": ("no counterexample", lambda: asked(broken(BROKEN, ((0, 2, 0, 2),)))),
    "broken: an entry that is no whole number": (
        "no counterexample",
        lambda: asked(broken(sp.Eq(T, 1, evaluate=False), ((half, half),), Words(T, i, (x,), SUMS))),
    ),
    "broken: against a hypothesis": (
        "no counterexample",
        lambda: asked(broken(BROKEN, ((0, 1, 0, 1),), hypotheses=(le(flipped, 2),))),
    ),
    "broken: a value that is not of its kind": (
        "no counterexample",
        lambda: asked(
            broken(le(flipped, sp.Symbol("m", positive=True)), ((0, 1),), values={sp.Symbol("m", positive=True): 0})
        ),
    ),
    "broken: an empty word": ("no counterexample", lambda: asked(broken(le(flipped, -1), ((),)))),
}
"""Name, reason, and the claim."""


TRUE_BOUND = lemma("bound", "", bound(le(flipped, 2 * fallen + 1)))
LENGTH = lemma("length", "", bound(le(flipped, T - 1)))
RISING = lemma("rising", "", bound(le(flipped, 1), rising))
BROKEN_STEP = lemma("broken", "", broken(BROKEN, ((0, 1, 0, 1),)))
FEW_FALLS = lemma("few_falls", "", broken(le(flipped, 2), ((0, 1, 0, 1),), from_zero, hypotheses=(le(fallen, 1),)))
RESTRICTED = lemma("restricted", "", broken(BROKEN, ((0, 1),), rising))

FALSE_LINKS = {
    "for all integers, shown for bits": lambda: (symbolic(le(flipped, T - 1), where={flipped: SUMS[flipped]}), LENGTH),
    "for bits, shown for those that never fall": lambda: (about(word, le(flipped, 1)), RISING),
    "of another sum": lambda: (
        symbolic(le(flipped, T - 1), given=word.conditions(), where={flipped: 2 * SUMS[flipped]}),
        LENGTH,
    ),
    "of any number in place of the sum": lambda: (symbolic(le(flipped, T - 1), given=word.conditions()), LENGTH),
    "a stronger bound": lambda: (about(word, le(flipped, 2 * fallen)), TRUE_BOUND),
    "with the sums exchanged": lambda: (about(word, le(fallen, 2 * flipped - 1)), TRUE_BOUND),
    "a bound by a number that bounds nothing": lambda: (
        about(word, le(flipped, 2 * most + 1), given=(le(most, fallen),)),
        TRUE_BOUND,
    ),
    "under assumptions that contradict one another": lambda: (
        about(word, le(flipped, T - 1), given=(le(most, 0), le(1, most))),
        LENGTH,
    ),
    "an entry that is no bit": lambda: (
        about(word, le(flipped, T - 1), given=(eq(x[i], 2),)),
        LENGTH,
    ),
    "false for all words, broken by one": lambda: (about(word, sp.Ne(flipped, fallen, evaluate=False)), BROKEN_STEP),
    "broken, of another sum": lambda: (
        symbolic(BROKEN, given=word.conditions(), where={**SUMS, flipped: SUMS[fallen]}, refuted=True),
        BROKEN_STEP,
    ),
    "broken, of one more": lambda: (
        symbolic(BROKEN, given=word.conditions(), where={**SUMS, flipped: SUMS[flipped] + 1}, refuted=True),
        BROKEN_STEP,
    ),
    "broken under a condition that the word does not satisfy": lambda: (
        about(rising, BROKEN, refuted=True),
        BROKEN_STEP,
    ),
    "broken under one more assumption": lambda: (
        about(word, BROKEN, given=(le(flipped, 2),), refuted=True),
        BROKEN_STEP,
    ),
    "broken, with a hypothesis about another sum": lambda: (
        symbolic(
            le(flipped, 2),
            given=(*from_zero.conditions(), le(fallen, 1)),
            where={flipped: SUMS[flipped], fallen: 3 * SUMS[fallen]},
            refuted=True,
        ),
        FEW_FALLS,
    ),
    "if an entry at one place is a bit": lambda: (
        symbolic(le(flipped, T - 1), given=(*word.conditions(), eq(i, 3)), where={flipped: SUMS[flipped]}),
        LENGTH,
    ),
    "if entries at the first places are bits": lambda: (
        symbolic(le(flipped, T - 1), given=(*word.conditions(), le(i, 3)), where={flipped: SUMS[flipped]}),
        LENGTH,
    ),
    "if an entry at the last place is a bit": lambda: (
        symbolic(le(flipped, T - 1), given=(sp.Or(eq(x[T], 0), eq(x[T], 1)),), where={flipped: SUMS[flipped]}),
        LENGTH,
    ),
    "each entry, if it is a bit, bounds the sum": lambda: (
        symbolic(sp.Implies(word.conditions()[0], le(flipped, T - 1)), where={flipped: SUMS[flipped]}),
        LENGTH,
    ),
    "an entry in place of a sum": lambda: (
        symbolic(le(flipped, T - 1), given=word.conditions(), where={flipped: x[i]}),
        LENGTH,
    ),
    "another relation is broken": lambda: (about(word, eq(flipped, 2 * fallen), refuted=True), BROKEN_STEP),
}
"""A formal statement and a step from which it does not follow."""

TRUE_LINKS = {
    "as shown": lambda: (about(word, le(flipped, 2 * fallen + 1)), TRUE_BOUND),
    "with the length": lambda: (about(word, sp.And(le(flipped, T - 1), sp.Lt(T - 1, T, evaluate=False))), LENGTH),
    "by a larger number": lambda: (about(word, le(flipped, 2 * most + 1), given=(le(fallen, most),)), TRUE_BOUND),
    "broken": lambda: (about(word, BROKEN, refuted=True), BROKEN_STEP),
    "broken, with a hypothesis": lambda: (
        about(from_zero, le(flipped, 2), given=(le(fallen, 1),), refuted=True),
        FEW_FALLS,
    ),
    "broken under a rule": lambda: (about(rising, BROKEN, refuted=True), RESTRICTED),
    "broken, without the rule": lambda: (about(word, BROKEN, refuted=True), RESTRICTED),
}
