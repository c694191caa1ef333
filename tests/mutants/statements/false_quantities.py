"""Statements about quantities that steps compute: unsupported ones by the reason, and true ones."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from pan_proofs.engines.ladders import positive_for_positive
from pan_proofs.engines.quantities import one_of
from pan_proofs.foundations import sums_over_terms
from pan_proofs.ledger.claim import Step
from pan_proofs.ledger.steps import counterexample, found, lemma, related
from tests.mutants.statements.reading import eq, le

x, y, b = sp.symbols("x y b", positive=True)
n, users = sp.symbols("n U", integer=True, positive=True)
ratio, chance, other = sp.Symbol("R"), sp.Symbol(r"P(|\tilde D| = 2)"), sp.Symbol(r"P(|\tilde D'| = 2)")
one = sp.Integer(1)

value = found("value", "", "a ratio", lambda: Fraction(6, 2), Fraction(3), quantities=(ratio,))
again = found("again", "", "another ratio", lambda: Fraction(8, 2), Fraction(4), quantities=(ratio,))
two = found(
    "two", "", "two chances", lambda: (Fraction(1), Fraction(0)), (Fraction(1), Fraction(0)), quantities=(chance, other)
)
cases = related(
    "cases",
    "",
    "the ratio for one to three users",
    eq(ratio, users + 1),
    ({users: count, ratio: Fraction(2 * count + 2, 2)} for count in range(1, 4)),
    mutant=eq(ratio, users),
    parameters=(users,),
)
event = counterexample(
    "event", "", le(chance, x * other), {chance: lambda: Fraction(1, 2), other: Fraction(1, 5), x: 2}
)
ladder = lemma(
    "ladder", "", positive_for_positive("ladder", x, (sp.exp(x) - 1 - x, sp.exp(x) - 1, sp.exp(x)), (one, one))
)
pole = lemma("pole", "", positive_for_positive("pole", x, (1 / (1 - x), 1 / (1 - x) ** 2), (one,)))
mixed, summed = sums_over_terms.weighted_sums("mixed", ""), sums_over_terms.added_losses("summed", "")
averaged, counted = (
    sums_over_terms.average("averaged", "", ""),
    sums_over_terms.least_sum("counted", "", ("S &\\ge nf",)),
)


def among(counts: tuple[int, ...]) -> sp.Basic:
    return one_of({users: count} for count in counts)


def _halved(formal: tuple[str, ...]) -> tuple[str, ...]:
    """The same with half of the factor in the conclusion."""
    stated_factor = "LessThan(Symbol('X', real=True), Mul("
    assert all(text.count(stated_factor) == 1 for text in formal)
    return tuple(text.replace(stated_factor, f"{stated_factor}Rational(1, 2), ") for text in formal)


def _without_weights() -> tuple[str, ...]:
    """The same without the sign of the weights."""
    (text,) = sums_over_terms.stated_weighted_sums(1 + b)
    sign = "GreaterThan(Symbol('a', real=True), Integer(0)), "
    assert sign in text
    return (text.replace(sign, ""),)


def _related(relation: sp.Basic, mutant: sp.Basic, values: tuple[object, ...]) -> Step:
    cases = ({ratio: one, users: place} for place, one in enumerate(values, 1))
    return related("s", "", "some cases", relation, cases, mutant=mutant, parameters=(users,))


FALSE = {
    "value": {
        "another value": "link(ratio == 4, value)",
        "another bound": "link(ratio < 3, value)",
        "another relation in the cases": "link(ratio == users, cases, given=(among((1, 2, 3)),))",
        "the exchanged sides of a point": "link(other > x * chance, event, where={x: S(2)})",
        "for all factors, above the ratio": "link(chance > x * other + 1, two)",
        "a ladder with another constant": "link(exp(x) > 1 + 2 * x, ladder)",
        "a power below its tangent": "link((1 + x)**n < 1 + n * x, value)",
        "a power above a larger tangent": "link((1 + x)**n > 1 + 2 * n * x, value)",
        "a mixture with half of the factor": "(_halved(sums_over_terms.stated_weighted_sums(1 + b)), (mixed,))",
    },
    "name": {
        "the value of another quantity": "link(Symbol('Q') == 3, value)",
        "a variable for a quantity": "link(Symbol('R', positive=True) == 3, value)",
        "a quantity by definition": "link(ratio > 5, value, where={ratio: S(7)})",
    },
    "assumption": {
        "a quantity that is assumed to be something else": "link(ratio > 5, value, given=(ratio > 5,))",
        "a consequence of a false assumption": "link(x < 0, value, given=(ratio > 5,))",
    },
    "conflict": {
        "two values of one quantity": "link(x < 0, value, again)",
        "one of two values of one quantity": "link(ratio == 3, value, again)",
    },
    "range": {
        "cases for all numbers": "link(ratio == users + 1, cases)",
        "cases and one more": "link(ratio == users + 1, cases, given=(among((1, 2, 3, 4)),))",
        "a case that does not occur": "link(ratio == 5, cases, where={users: S(4)})",
        "quantities of a point, at another point": "link(chance > x * other, event, where={x: S(1)})",
        "quantities of a point, at all points": "link(chance > x * other, event)",
        "a ladder at another place": "link(exp(-x) - 1 - x > 0, ladder)",
        "a ladder over a pole": "link(1 / (1 - x) > 0, pole)",
    },
    "condition": {
        "a mixture with weights of any sign": "(_without_weights(), (mixed,))",
    },
    "wrong constant": {
        "quantity in cases: false in the last one": "_related(ratio < 3, ratio < 1, (1, 2, 3))",
        "quantity: another value": "(found('s', '', 'a value', lambda: Fraction(3), Fraction(4), quantities=(ratio,)))",
    },
    "vacuous": {
        "quantity in cases: there is none": "_related(ratio < 3, ratio < 1, ())",
    },
    "no control": {
        "quantity in cases: the control never fails": "_related(ratio < 3, ratio < 4, (1, 2))",
    },
    "nearly true": {
        "quantity in cases: equal only nearly": "_related(ratio == 1, ratio == 2, (1 + Fraction(1, 10**30),))",
    },
    "wrong range": {
        "ladder: a pole": "pole",
    },
    "wrong sign": {
        "ladder: negative at 0": "lemma('s', '', positive_for_positive('s', x, (exp(x) - 2, exp(x)), (one,)))",
        "ladder: another slope": "(lemma('s', '', positive_for_positive('s', x, (x - sinh(x), cosh(x)), (one,))))",
    },
}

TRUE = {
    "the value": "link(ratio == 3, value)",
    "a bound": "link(ratio <= 4, value)",
    "for all factors": "link(chance > x * other, two)",
    "the listed cases": "link(ratio == users + 1, cases, given=(among((1, 2, 3)),))",
    "some of the cases": "link(ratio == users + 1, cases, given=(among((1, 3)),))",
    "at the point": "link(chance > x * other, event, where={x: S(2)})",
    "an assumption that agrees": "link(y < 4, value, given=(y >= ratio, y < ratio + 1 / 2))",
    "a ladder": "link(exp(x) - 1 - x > 0, ladder)",
    "a power above its tangent": "link((1 + x)**n >= 1 + n * x, value)",
    "a power above every bound": "link((1 + x)**n > b, value, given=(n * x >= b,))",
    "a mixture": "(sums_over_terms.stated_weighted_sums(1 + b), (mixed,))",
    "an average": "(sums_over_terms.stated_average(1 + b), (averaged,))",
    "a sum of losses": "(sums_over_terms.stated_added_losses(), (summed,))",
    "a sum of doubts": "(sums_over_terms.stated_least_sum(1 + b), (counted,))",
}

REFUSED = {
    "no kind": [
        "computed_value('s', 'a value', lambda: sum((1, 2)), 3, quantities=(x,))",
        "related('s', '', 'cases', ratio <= x, [{ratio: 1, x: 2}], mutant=x <= ratio, parameters=())",
    ],
    "name their parameters": [
        "related('s', '', 'cases', ratio <= 3, [{ratio: 1, users: 1}], mutant=ratio <= 1, parameters=())"
    ],
    "differ in something that is no parameter": [
        "related('s', '', 'cases', ratio <= 3, [{ratio: 1, users: 1}, {ratio: 2, users: 1}], mutant=ratio <= 1, "
        "parameters=(users,))"
    ],
    "exact real number": [
        "computed_value('s', 'a limit', lambda: oo + 1, oo, quantities=(ratio,))",
        "related('s', '', 'cases', ratio <= 2, [{ratio: 1.5, x: 1}], mutant=ratio <= 1, parameters=(x,))",
    ],
    "argument 2 is shorter": [
        "computed_value('s', 'v', lambda: tuple(range(1, 3)), (1, 2), quantities=(ratio, Symbol('Q'), Symbol('S')))"
    ],
}
