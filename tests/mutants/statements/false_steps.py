"""Statements by every public function that makes a step or an obligation: false ones of twelve kinds, and true ones."""

from __future__ import annotations

import sympy as sp

from pan_proofs.engines.inequalities import Inequality
from pan_proofs.ledger.claim import Claim, Part, Reference, Role, Step
from pan_proofs.ledger.steps import (
    at_most,
    below_on_box,
    counterexample,
    enumerated,
    equal,
    found,
    lemma,
)

x, y = sp.symbols("x y", positive=True)
r, s, namesake = sp.symbols("r s x", real=True)
n, k = sp.symbols("n k", integer=True, positive=True)
third, half = sp.Rational(1, 3), sp.Rational(1, 2)
unit = {x: (sp.Rational(1, 10), sp.Integer(1))}


def stated(*steps: Step, role: Role = Role.PUBLISHED, holds: bool = True, **fields: object) -> Claim:
    """A claim with one part."""
    return claimed(part(role, *steps, holds=holds), **fields)


def claimed(*parts: Part, **fields: object) -> Claim:
    return Claim("a.b", "", (Reference("here", ""),), "", parts, **fields)


def part(role: Role, *steps: Step, holds: bool = True, title: str = "a part", **fields: object) -> Part:
    return Part(role, title, "", steps, holds=holds, no_formula="the steps are tested", **fields)


SQUARE = equal("square", "", "", (x + 1) ** 2, x**2 + 2 * x + 1)


def equated(*chain: object) -> Claim:
    return stated(equal("s", "", "", *chain))


def bounded(smaller: object, larger: object, *hypotheses: object, **more: object) -> Claim:
    return stated(at_most("s", "", Inequality("s", sp.sympify(smaller), sp.sympify(larger), hypotheses, **more)))


def boxed(smaller: object, larger: object, **more: object) -> Claim:
    given = {"closest": {x: sp.Integer(1)}, **more}
    return stated(below_on_box("s", "", sp.sympify(smaller), sp.sympify(larger), unit, **given))


def refuted(claimed_: object, values: dict, *hypotheses: object) -> Claim:
    # A true statement beside it is shown, so that only the counterexample is in question.
    step = counterexample("s", "", claimed_, values, hypotheses)
    return claimed(part(Role.COUNTEREXAMPLE, step, title="false"), part(Role.AMENDED, SQUARE, title="true"))


def cases(holds: object, mutant: object, given: object = range(5)) -> Claim:
    return stated(enumerated("s", "", "a condition", given, holds, mutant=mutant))


def asked(*obligations: object) -> Claim:
    return stated(lemma("s", "", obligations))


def valued(compute: object, value: object, **more: object) -> Claim:
    return stated(found("s", "", "a value", compute, value, **more))


FALSE = {
    "steps": {
        "identity: an absolute value": "equated(Abs(r), r)",
        "identity: the tangent for half of it": "equated(tanh(x), (exp(x) - 1) / (exp(x) + 1))",
        "bound: a gap that it has not": "bounded(x, 2 * x, x > 0, gap=1 / 4, weaker=1 / 3)",
        "bound: touched nowhere": "bounded(x, x + 1, x > 0)",
        "bound: touched at an impossible point": "bounded(r, r + s, r > 2, s >= 0, r + 3 * s < 1)",
        "bound: an undefined side": "bounded(1 / r - s**2, 1 / r, r >= -1, r <= 1)",
        "bound: touched at zero alone, with a mutant far from it": "bounded(x, 3 * x, x > 0, weaker=1 / 4)",
        "box: equal sides": "boxed(x, x)",
        "box: a pole inside": (
            "stated(below_on_box('s', '', 1 / r, 1 / r + 1, {r: (S(-1), S(4))}, closest={r: S(4)}))"
        ),
        "box: far from tight": "boxed(tanh(x), 100 * x)",
        "counterexample: negative by balls": "refuted(x + 5 < 1, {x: 3 - log(12) / log(2)})",
        "counterexample: perhaps no integer": (
            "refuted(n + 5 < 1, {n: log(8, evaluate=False) / log(2, evaluate=False)})"
        ),
    },
    "wrong constant": {
        "equality: a wrong constant": "equated((x + 1)**2, x**2 + 2 * x + 2)",
        "equality: two wrong sides of a true ratio": "equated(2 * x / (2 * y), 2 * x / y)",
        "obligation: a false identity": "asked(equality('s', exp(x)**2, exp(x**2)))",
        "obligation: one of two is false": "asked(equality('s', (x + 1) * x, x**2 + x), equality('t', x * y, x + y))",
        "bound: false": "bounded(2 * x, x**2 + half, x > 0)",
        "value: another one": "valued(lambda: sum(range(5)), 11)",
        "value: of another type": "valued(lambda: float(half), Fraction(1, 2))",
    },
    "wrong sign": {
        "equality: a wrong sign": "equated(tanh(-x), tanh(x))",
        "equality: false in the middle of a chain": "equated(x**2 - 1, (x - 1)**2, (x - 1)**2)",
        "sign: not told by the form": "asked(of_one_sign('s', '', x - y))",
    },
    "correct only in the limit": {
        "equality: the first terms of a series": "equated(exp(x), 1 + x + x**2 / 2)",
        "equality: off by 10^-40": "equated(x, x + Rational(1, 10**40))",
        "limit: another value": "equated(lambda: limit((1 + 1 / x)**x, x, oo), S(3))",
        "value: an infinite limit that is finite": "valued(lambda: limit(x / (x + 1), x, oo), oo, engine='sympy')",
    },
    "missing hypothesis": {
        "equality: a root for positive numbers, of real ones": "equated(sqrt(r**2), r)",
        "bound: a division by zero": "bounded((r**2 + r) / r, r + 1, r >= -1)",
        "box: an undefined side": "boxed(log(x - 1), x)",
        "free of a symbol that it contains": "asked(free_of('s', '', x * y, y))",
    },
    "wrong range": {
        "comparison: e and its decimals": "stated(compared('s', '', E <= 2718 / 1000))",
        "comparison: the second is false": "stated(compared('s', '', pi <= 4, pi <= 3))",
        "bound: strict where it is touched": "bounded(2 * x, x**2 + 1, x > 0, strict=True)",
        "box: false at a corner": "boxed(exp(x), 1 + 3 / 2 * x)",
        "positive on a box: it vanishes inside": "asked(positive_everywhere('s', (x - half)**2, unit))",
        "sign: zero is not positive": "asked(of_one_sign('s', '', Abs(r)))",
        "cases: false in the last one": "cases(lambda case: case < 4, lambda case: case < 3)",
    },
    "vacuous": {
        "bound: with contradictory hypotheses": "bounded(x + 1, x, x > 2, x < 1, gap=half)",
        "bound: with hypotheses that no integer satisfies": "bounded(n + 1, n, n**2 > 2, n**2 < 3)",
        "bound: parity contradicts the hypotheses": (
            "bounded(n + k, n * k, n**2 - 2 * k**2 >= 0, n**2 - 2 * k**2 <= 0, gap=half)"
        ),
        "bound: touched outside of the region alone": "bounded(x, 2 * x, x >= 1)",
        "cases: there is none": "cases(lambda case: True, lambda case: False, ())",
    },
    "no control": {
        "box: a mutant that strengthens nothing": "boxed(x, 2 * x + 1, weaker=Fraction(9, 10))",
        "box: a point outside of it": "boxed(x, sinh(2 * x), closest={x: S(2)})",
        "cases: the control never fails": "cases(lambda case: case >= 0, lambda case: case >= -1)",
    },
    "no counterexample": {
        "counterexample: the relation holds there": "refuted(x <= 2, {x: 1})",
        "counterexample: the sides are equal": "refuted(x <= 1, {x: 1})",
        "counterexample: no integer": "refuted(2 * n <= n**2 + 1, {n: half})",
        "counterexample: not known to be an integer": "refuted(n * log(2) <= log(12) - third, {n: log(12) / log(2)})",
        "counterexample: against the hypotheses": "refuted(x <= 2, {x: 3}, x <= 1)",
        "counterexample: negative where positive is asked": "refuted(0 <= x, {x: -1})",
        "counterexample: a run that shows the opposite": "refuted(x <= half, {x: lambda: Fraction(1, 3)})",
        "false by prose and an identity": (
            "stated(equal('s', '', '', (x + 1)**2, x**2 + 2 * x + 1), role=Role.COUNTEREXAMPLE, nearby='a.c')"
        ),
        "a reading fails without a counterexample": (
            "Claim('a.b', '', (Reference('here', ''),), '', (Part(Role.PUBLISHED, 'a part', '', (equal('s', "
            "'', '', (x + 1)**2, x**2 + 2 * x + 1),), no_formula='the steps are tested'), Part(Role.READING, "
            "'another', '', (equal('t', '', '', x * (x + 1), x**2 + x),), holds=False, no_formula='the steps "
            "are tested')))"
        ),
        "an amended statement without a false one": (
            "stated(equal('s', '', '', (x + 1)**2, x**2 + 2 * x + 1), role=Role.AMENDED)"
        ),
    },
    "nothing asked": {
        "prose alone": "stated(argument('s', 'It is obvious.'))",
        "no steps": "stated()",
        "expressions that are written alike": "equated(x + x, 2 * x)",
        "a lemma without obligations": "stated(lemma('s', '', ()))",
        "only another reading": "stated(equal('s', '', '', (x + 1)**2, x**2 + 2 * x + 1), role=Role.READING)",
    },
    "another statement": {
        "a false theorem as a reading beside a trivial part": (
            "Claim('a.b', '', (Reference('here', ''),), 'All real numbers are at most $2$.', "
            "(stated(equal('s', '', '', (x + 1)**2, x**2 + 2 * x + 1)).parts[0], Part(Role.READING, 'as it is "
            "printed', '', (counterexample('three', 'Take 3.', x <= 2, {x: 3}),), holds=False, no_formula='the "
            "steps are tested')))"
        ),
    },
}

TRUE = {
    "bound: touched where it is not zero, with a mutant far from it": "bounded(x, x + y, weaker=half)",
    "bound: touched at a point with an open symbol": "bounded(r, r + s, r > 0, s >= 0, r + s < 1)",
    "bound: touched at the end of the region": "bounded(2 * r * s, r**2 + s**2, r > 0, s > 0, s < r)",
    "counterexample: under what its kind says": "refuted(x <= 1, {x: 2}, x > 0)",
    "bound: raised from zero": "bounded(0, x, x > 0, strict=True, raised=S(1))",
    "counterexample: positive by balls": "refuted(x + 5 < 1, {x: log(12) / log(2) - 3})",
    "equality: a square": "equated((x + 1)**2, x**2 + 2 * x + 1)",
    "equality: hyperbolic": "equated(tanh(x / 2), (exp(x) - 1) / (exp(x) + 1))",
    "equality: of a double argument": "equated(sinh(2 * x), 2 * sinh(x) * cosh(x))",
    "equality: logarithms": "equated(log(x * y), log(x) + log(y))",
    "equality: roots": "equated((sqrt(x) + 1)**2, x + 2 * sqrt(x) + 1)",
    "equality: powers": "equated(2**(n + 1) - 2**n, 2**n)",
    "equality: a fraction": "equated(1 / x - 1 / (x + 1), 1 / (x * (x + 1)))",
    "equality: odds": "equated(exp(x) / (1 + exp(x)), 1 / (1 + exp(-x)))",
    "equality: a real square": "equated((r - 1) * (r + 1), r**2 - 1)",
    "equality: a computed limit": "equated(lambda: limit((1 + 1 / x)**x, x, oo), E)",
    "equality: a computed sum": "equated(lambda: summation(k, (k, 1, n)), n * (n + 1) / 2)",
    "equality: a computed integral": "equated(lambda: integrate(exp(-y), (y, 0, oo)), S(1))",
    "obligation: a telescope": "asked(equality('s', 1 / n - 1 / (n + 1), 1 / (n * (n + 1))))",
    "obligation: two of them": (
        "asked(equality('s', (x + y) * x, x**2 + x * y), equality('t', -(-x * y + 1), x * y - 1))"
    ),
    "comparison: e": "stated(compared('s', '', E <= 2719 / 1000))",
    "comparison: pi between": "stated(compared('s', '', 3 <= pi, pi <= 22 / 7))",
    "comparison: exactly equal fractions": "stated(compared('s', '', third + 1 / 6 <= half))",
    "comparison: at a point": "asked(comparison('s', x**2 <= 2, {x: sqrt(2) - Rational(1, 10**9)}))",
    "bound: touched where the solvers find it": "bounded(2 * x, x**2 + 1, x > 0)",
    "bound: of means": "bounded(2 * x, x**2 + 1, x > 0)",
    "bound: strict": "bounded(2 * x, x**2 + 1, x > 1, strict=True)",
    "bound: with a gap": "bounded(x, 3 * x, x >= 1, gap=half, weaker=1 / 4)",
    "bound: of integers": "bounded(n, n**2, n >= 1)",
    "bound: of two integers": "bounded(n + k, n * k + 1, n >= 1, k >= 1)",
    "bound: a fraction": "bounded(x / (1 + x), x, x > 0)",
    "bound: not negative": "bounded(0, (x - 1)**2, x > 0, raised=half)",
    "box: the tangent of the exponential": "boxed(1 + x, exp(x), weaker=Fraction(1, 2))",
    "box: hyperbolic": "boxed(tanh(x), x, weaker=Fraction(1, 2))",
    "box: logarithms": "boxed(log(1 + x), x, weaker=Fraction(1, 2))",
    "positive on a box": "asked(positive_everywhere('s', exp(x) - 1 - x, unit))",
    "sign: positive terms": "asked(of_one_sign('s', '', x + y, x * y))",
    "sign: a square": "asked(of_one_sign('s', '', (r - 1)**2, strict=False))",
    "free of a symbol": "asked(free_of('s', '', diff(x * y, y), y))",
    "several as one": "asked(together('s', '', equality('t', x * (y + 1), x * y + x), comparison('u', 2 <= E)))",
    "cases: squares": "cases(lambda case: case**2 >= case, lambda case: case**2 > case)",
    "cases: pairs": (
        "cases(lambda pair: (pair[0] + pair[1])**2 == pair[0]**2 + 2 * pair[0] * pair[1] + pair[1]**2, lambda "
        "pair: (pair[0] + pair[1])**2 == pair[0]**2 + pair[1]**2, [(a, b) for a in range(4) for b in range(4)])"
    ),
    "value: a sum": "valued(lambda: sum(range(5)), 10)",
    "value: a fraction": "valued(lambda: Fraction(1, 3) + Fraction(1, 6), Fraction(1, 2))",
    "value: several": "valued(lambda: (oo, limit(1 / x, x, oo)), (oo, S(0)), engine='sympy')",
    "counterexample: a number": "refuted(x <= 2, {x: 3})",
    "counterexample: an integer": "refuted(n**2 <= 2 * n, {n: 3}, n <= 4)",
    "counterexample: irrational": "refuted(x**2 <= 2, {x: sqrt(2) + Rational(1, 10**20)})",
    "counterexample: a run": "refuted(x <= half, {x: lambda: Fraction(2, 3)})",
    "counterexample: to a strict relation": "refuted(x < 1, {x: 1})",
    "counterexample: to an equation": "refuted(x**2 == x, {x: 2})",
}

REFUSED = {
    "two expressions": ["equal('alone', '', 'x', x)"],
    "exact": ["refuted(tanh(x) <= x / 2, {x: 0.5})", "equated(0.5 * x, x / 2)"],
    "exact real": ["equated(sqrt(exp(2 * I * x)), exp(I * x))"],
    "complex": ["equated(sqrt(Symbol('z')**2), Symbol('z'))"],
    "needs values": ["refuted(x <= y, {x: 1})"],
    "same name": [
        "equated(x - namesake, S(0))",
        "refuted(x <= namesake, {x: 2, namesake: 1})",
        "below_on_box('s', '', x, namesake, {**unit, namesake: (2, 3)}, closest={x: 1, namesake: 2})",
        "bounded(x, namesake)",
    ],
    "strengthen": [
        "bounded(x, 3 * x, x > 0, x < 1, weaker=S(-1))",
        "bounded(0, x, x > 0, raised=S(0))",
    ],
    "True or False": ["cases(lambda case: [False], lambda case: False)", "cases(lambda case: 1, lambda case: False)"],
    "a truth value is no value": ["valued(lambda: 1 + 1 == 2, True)"],
}
