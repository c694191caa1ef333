"""False or unsupported statements of twelve kinds, by every public function that makes a step or an obligation."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from pan_proofs.engines import computations
from pan_proofs.engines.identities import equality
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step
from pan_proofs.ledger.steps import (
    argument,
    at_most,
    below_on_box,
    compared,
    counterexample,
    enumerated,
    equal,
    found,
    lemma,
)

x, y = sp.symbols("x y", positive=True)
r = sp.Symbol("r", real=True)
n, k = sp.symbols("n k", integer=True, positive=True)
third, half = sp.Rational(1, 3), sp.Rational(1, 2)
unit = {x: (sp.Rational(1, 10), sp.Integer(1))}


def stated(*steps: Step, role: Role = Role.PUBLISHED, holds: bool = True, **fields: object) -> Claim:
    """A claim with one part."""
    return Claim(
        "a.b",
        "",
        (Reference("here", ""),),
        "",
        (Part(role, "a part", "", steps, holds=holds, no_formula="the steps are tested"),),
        **fields,
    )


def equated(*chain: object) -> Claim:
    return stated(equal("s", "", "", *chain))


def bounded(smaller: object, larger: object, *hypotheses: object, **more: object) -> Claim:
    return stated(at_most("s", "", Inequality("s", sp.sympify(smaller), sp.sympify(larger), hypotheses, **more)))


def boxed(smaller: object, larger: object, **more: object) -> Claim:
    given = {"closest": {x: sp.Integer(1)}, **more}
    return stated(below_on_box("s", "", sp.sympify(smaller), sp.sympify(larger), unit, **given))


def refuted(claimed: object, values: dict, *hypotheses: object) -> Claim:
    # A true statement beside it is shown, so that only the counterexample is in question.
    parts = (
        Part(
            Role.COUNTEREXAMPLE,
            "false",
            "",
            (counterexample("s", "", claimed, values, hypotheses),),
            no_formula="the steps are tested",
        ),
        Part(
            Role.AMENDED,
            "true",
            "",
            (equal("t", "", "", (x + 1) ** 2, x**2 + 2 * x + 1),),
            no_formula="the steps are tested",
        ),
    )
    return Claim("a.b", "", (Reference("here", ""),), "", parts)


def cases(holds: object, mutant: object, given: object = range(5)) -> Claim:
    return stated(enumerated("s", "", "a condition", given, holds, mutant=mutant))


def valued(compute: object, value: object, **more: object) -> Claim:
    return stated(found("s", "", "a value", compute, value, **more))


def asked(*obligations: object) -> Claim:
    return stated(lemma("s", "", obligations))


def le(left: object, right: object) -> sp.Basic:
    return sp.Le(left, right, evaluate=False)


FALSE = {
    # wrong constants and signs
    "equality: a wrong constant": ("wrong constant", lambda: equated((x + 1) ** 2, x**2 + 2 * x + 2)),
    "equality: a wrong sign": ("wrong sign", lambda: equated(sp.tanh(-x), sp.tanh(x))),
    "equality: false in the middle of a chain": ("wrong sign", lambda: equated(x**2 - 1, (x - 1) ** 2, (x - 1) ** 2)),
    "equality: two wrong sides of a true ratio": ("wrong constant", lambda: equated(2 * x / (2 * y), 2 * x / y)),
    "obligation: a false identity": ("wrong constant", lambda: asked(equality("s", sp.exp(x) ** 2, sp.exp(x**2)))),
    "obligation: one of two is false": (
        "wrong constant",
        lambda: asked(equality("s", (x + 1) * x, x**2 + x), equality("t", x * y, x + y)),
    ),
    # true in a limit, or nearly
    "equality: the first terms of a series": (
        "correct only in the limit",
        lambda: equated(sp.exp(x), 1 + x + x**2 / 2),
    ),
    "equality: off by 10^-40": ("correct only in the limit", lambda: equated(x, x + sp.Rational(1, 10**40))),
    "equality: a root for positive numbers, of real ones": ("missing hypothesis", lambda: equated(sp.sqrt(r**2), r)),
    "limit: another value": (
        "correct only in the limit",
        lambda: equated(lambda: sp.limit((1 + 1 / x) ** x, x, sp.oo), sp.Integer(3)),
    ),
    "comparison: e and its decimals": (
        "wrong range",
        lambda: stated(compared("s", "", le(sp.E, sp.Rational(2718, 1000)))),
    ),
    "comparison: the second is false": (
        "wrong range",
        lambda: stated(compared("s", "", le(sp.pi, 4), le(sp.pi, 3))),
    ),
    # bounds
    "bound: false": ("wrong constant", lambda: bounded(2 * x, x**2 + half, x > 0, touching={x: 1})),
    "bound: strict where it is touched": (
        "wrong range",
        lambda: bounded(2 * x, x**2 + 1, x > 0, strict=True, touching={x: 1}),
    ),
    "bound: with contradictory hypotheses": ("vacuous", lambda: bounded(x + 1, x, x > 2, x < 1, gap=half)),
    "bound: with hypotheses that no integer satisfies": (
        "vacuous",
        lambda: bounded(n + 1, n, n**2 > 2, n**2 < 3, touching={n: sp.sqrt(2)}),
    ),
    "bound: parity contradicts the hypotheses": (
        "vacuous",
        lambda: bounded(n + k, n * k, n**2 - 2 * k**2 >= 0, n**2 - 2 * k**2 <= 0, gap=half),
    ),
    "bound: a touching point outside of the region": ("vacuous", lambda: bounded(x, 2 * x, x >= 1, touching={x: 0})),
    "bound: a division by zero": (
        "missing hypothesis",
        lambda: bounded((r**2 + r) / r, r + 1, r >= -1, touching={r: 1}),
    ),
    "box: false at a corner": ("wrong range", lambda: boxed(sp.exp(x), 1 + sp.Rational(3, 2) * x)),
    "box: a mutant that strengthens nothing": ("no control", lambda: boxed(x, 2 * x + 1, weaker=Fraction(9, 10))),
    "box: a point outside of it": ("no control", lambda: boxed(x, sp.sinh(2 * x), closest={x: sp.Integer(2)})),
    "box: an undefined side": ("missing hypothesis", lambda: boxed(sp.log(x - 1), x)),
    "positive on a box: it vanishes inside": (
        "wrong range",
        lambda: asked(computations.positive_everywhere("s", (x - half) ** 2, unit)),
    ),
    "sign: not told by the form": ("wrong sign", lambda: asked(computations.of_one_sign("s", "", x - y))),
    "sign: zero is not positive": ("wrong range", lambda: asked(computations.of_one_sign("s", "", sp.Abs(r)))),
    "free of a symbol that it contains": ("missing hypothesis", lambda: asked(computations.free_of("s", "", x * y, y))),
    # enumerations and values
    "cases: false in the last one": ("wrong range", lambda: cases(lambda case: case < 4, lambda case: case < 3)),
    "cases: there is none": ("vacuous", lambda: cases(lambda case: True, lambda case: False, ())),
    "cases: the control never fails": ("no control", lambda: cases(lambda case: case >= 0, lambda case: case >= -1)),
    "value: another one": ("wrong constant", lambda: valued(lambda: sum(range(5)), 11)),
    "value: of another type": ("wrong constant", lambda: valued(lambda: float(half), Fraction(1, 2))),
    "value: an infinite limit that is finite": (
        "correct only in the limit",
        lambda: valued(lambda: sp.limit(x / (x + 1), x, sp.oo), sp.oo, engine="sympy"),
    ),
    # counterexamples to what is true, or at points that are not allowed
    "counterexample: the relation holds there": ("no counterexample", lambda: refuted(le(x, 2), {x: 1})),
    "counterexample: the sides are equal": ("no counterexample", lambda: refuted(le(x, 1), {x: 1})),
    "counterexample: no integer": ("no counterexample", lambda: refuted(le(2 * n, n**2 + 1), {n: half})),
    "counterexample: not known to be an integer": (
        "no counterexample",
        lambda: refuted(le(n * sp.log(2), sp.log(12) - third), {n: sp.log(12) / sp.log(2)}),
    ),
    "counterexample: against the hypotheses": ("no counterexample", lambda: refuted(le(x, 2), {x: 3}, le(x, 1))),
    "counterexample: negative where positive is asked": ("no counterexample", lambda: refuted(le(0, x), {x: -1})),
    "counterexample: a run that shows the opposite": (
        "no counterexample",
        lambda: refuted(le(x, half), {x: lambda: Fraction(1, 3)}),
    ),
    # nothing asked, or something else
    "prose alone": ("nothing asked", lambda: stated(argument("s", "It is obvious."))),
    "no steps": ("nothing asked", lambda: stated()),
    "expressions that are written alike": ("nothing asked", lambda: equated(x + x, 2 * x)),
    "a lemma without obligations": ("nothing asked", lambda: stated(lemma("s", "", ()))),
    "false by prose and an identity": (
        "no counterexample",
        lambda: stated(equal("s", "", "", (x + 1) ** 2, x**2 + 2 * x + 1), role=Role.COUNTEREXAMPLE, nearby="a.c"),
    ),
    "a reading fails without a counterexample": (
        "no counterexample",
        lambda: Claim(
            "a.b",
            "",
            (Reference("here", ""),),
            "",
            (
                Part(
                    Role.PUBLISHED,
                    "a part",
                    "",
                    (equal("s", "", "", (x + 1) ** 2, x**2 + 2 * x + 1),),
                    no_formula="the steps are tested",
                ),
                Part(
                    Role.READING,
                    "another",
                    "",
                    (equal("t", "", "", x * (x + 1), x**2 + x),),
                    holds=False,
                    no_formula="the steps are tested",
                ),
            ),
        ),
    ),
    "a false theorem as a reading beside a trivial part": (
        "another statement",
        lambda: Claim(
            "a.b",
            "",
            (Reference("here", ""),),
            r"All real numbers are at most $2$.",
            (
                stated(equal("s", "", "", (x + 1) ** 2, x**2 + 2 * x + 1)).parts[0],
                Part(
                    Role.READING,
                    "as it is printed",
                    "",
                    (counterexample("three", "Take 3.", x <= 2, {x: 3}),),
                    holds=False,
                    no_formula="the steps are tested",
                ),
            ),
        ),
    ),
    "an amended statement without a false one": (
        "no counterexample",
        lambda: stated(equal("s", "", "", (x + 1) ** 2, x**2 + 2 * x + 1), role=Role.AMENDED),
    ),
    "only another reading": (
        "nothing asked",
        lambda: stated(equal("s", "", "", (x + 1) ** 2, x**2 + 2 * x + 1), role=Role.READING),
    ),
}
"""Name, kind, and the claim."""
