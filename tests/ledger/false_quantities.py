"""False or unsupported statements about quantities that steps compute, by the reason; and the true ones beside them."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from pan_proofs.engines.ladders import positive_for_positive
from pan_proofs.engines.quantities import one_of
from pan_proofs.foundations.sums_over_terms import (
    added_losses,
    average,
    least_sum,
    stated_added_losses,
    stated_average,
    stated_least_sum,
    stated_weighted_sums,
    weighted_sums,
)
from pan_proofs.ledger.statements import Statement, symbolic
from pan_proofs.ledger.steps import counterexample, found, lemma, related
from tests.ledger.false_attacks import stated
from tests.ledger.link_statements import eq, le, link, lt

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
mixed, summed = weighted_sums("mixed", ""), added_losses("summed", "")
averaged, counted = average("averaged", "", ""), least_sum("counted", "", ("S &\\ge nf",))


def gt(left: object, right: object) -> sp.Basic:
    return sp.Gt(left, right, evaluate=False)


def among(counts: tuple[int, ...]) -> sp.Basic:
    return one_of({users: count} for count in counts)


FALSE_LINKS = {
    "another value": ("value", lambda: link(eq(ratio, 4), value)),
    "another bound": ("value", lambda: link(lt(ratio, 3), value)),
    "the value of another quantity": ("name", lambda: link(eq(sp.Symbol("Q"), 3), value)),
    "a variable for a quantity": ("name", lambda: link(eq(sp.Symbol("R", positive=True), 3), value)),
    "a quantity by definition": ("name", lambda: link(gt(ratio, 5), value, where={ratio: sp.Integer(7)})),
    "a quantity that is assumed to be something else": (
        "assumption",
        lambda: link(gt(ratio, 5), value, given=(gt(ratio, 5),)),
    ),
    "a consequence of a false assumption": ("assumption", lambda: link(lt(x, 0), value, given=(gt(ratio, 5),))),
    "two values of one quantity": ("conflict", lambda: link(lt(x, 0), value, again)),
    "one of two values of one quantity": ("conflict", lambda: link(eq(ratio, 3), value, again)),
    "cases for all numbers": ("range", lambda: link(eq(ratio, users + 1), cases)),
    "cases and one more": ("range", lambda: link(eq(ratio, users + 1), cases, given=(among((1, 2, 3, 4)),))),
    "a case that does not occur": ("range", lambda: link(eq(ratio, 5), cases, where={users: sp.Integer(4)})),
    "another relation in the cases": ("value", lambda: link(eq(ratio, users), cases, given=(among((1, 2, 3)),))),
    "quantities of a point, at another point": (
        "range",
        lambda: link(gt(chance, x * other), event, where={x: sp.Integer(1)}),
    ),
    "quantities of a point, at all points": ("range", lambda: link(gt(chance, x * other), event)),
    "the exchanged sides of a point": ("value", lambda: link(gt(other, x * chance), event, where={x: sp.Integer(2)})),
    "for all factors, above the ratio": ("value", lambda: link(gt(chance, x * other + 1), two)),
    "a ladder with another constant": ("value", lambda: link(gt(sp.exp(x), 1 + 2 * x), ladder)),
    "a ladder at another place": ("range", lambda: link(gt(sp.exp(-x) - 1 - x, 0), ladder)),
    "a ladder over a pole": ("range", lambda: link(gt(1 / (1 - x), 0), pole)),
    "a power below its tangent": ("value", lambda: link(lt((1 + x) ** n, 1 + n * x), value)),
    "a power above a larger tangent": ("value", lambda: link(gt((1 + x) ** n, 1 + 2 * n * x), value)),
    "a mixture with half of the factor": ("value", lambda: (_halved(stated_weighted_sums(1 + b)), (mixed,))),
    "a mixture with weights of any sign": ("condition", lambda: (_without_weights(), (mixed,))),
}
"""Name, reason, and the formal statement with its steps."""

TRUE_LINKS = {
    "the value": lambda: link(eq(ratio, 3), value),
    "a bound": lambda: link(le(ratio, 4), value),
    "for all factors": lambda: link(gt(chance, x * other), two),
    "the listed cases": lambda: link(eq(ratio, users + 1), cases, given=(among((1, 2, 3)),)),
    "some of the cases": lambda: link(eq(ratio, users + 1), cases, given=(among((1, 3)),)),
    "at the point": lambda: link(gt(chance, x * other), event, where={x: sp.Integer(2)}),
    "an assumption that agrees": lambda: link(
        lt(y, 4), value, given=(sp.Ge(y, ratio, evaluate=False), lt(y, ratio + sp.Rational(1, 2)))
    ),
    "a ladder": lambda: link(gt(sp.exp(x) - 1 - x, 0), ladder),
    "a power above its tangent": lambda: link(sp.Ge((1 + x) ** n, 1 + n * x, evaluate=False), value),
    "a power above every bound": lambda: link(gt((1 + x) ** n, b), value, given=(sp.Ge(n * x, b, evaluate=False),)),
    "a mixture": lambda: (stated_weighted_sums(1 + b), (mixed,)),
    "an average": lambda: (stated_average(1 + b), (averaged,)),
    "a sum of losses": lambda: (stated_added_losses(), (summed,)),
    "a sum of doubts": lambda: (stated_least_sum(1 + b), (counted,)),
}
"""The formal statements with their steps."""


def _halved(formal: tuple[str, ...]) -> tuple[str, ...]:
    """The same with half of the factor in the conclusion."""
    stated_factor = "LessThan(Symbol('X', real=True), Mul("
    assert all(text.count(stated_factor) == 1 for text in formal)
    return tuple(text.replace(stated_factor, f"{stated_factor}Rational(1, 2), ") for text in formal)


def _without_weights() -> tuple[str, ...]:
    """The same without the sign of the weights."""
    (text,) = stated_weighted_sums(1 + b)
    sign = "GreaterThan(Symbol('a', real=True), Integer(0)), "
    assert sign in text
    return (text.replace(sign, ""),)


def _related(relation: sp.Basic, mutant: sp.Basic, values: tuple[object, ...]) -> object:
    cases = ({ratio: one, users: place} for place, one in enumerate(values, 1))
    return stated(related("s", "", "some cases", relation, cases, mutant=mutant, parameters=(users,)))


FALSE = {
    "quantity in cases: false in the last one": (
        "wrong constant",
        lambda: _related(lt(ratio, 3), lt(ratio, 1), (1, 2, 3)),
    ),
    "quantity in cases: there is none": ("vacuous", lambda: _related(lt(ratio, 3), lt(ratio, 1), ())),
    "quantity in cases: the control never fails": ("no control", lambda: _related(lt(ratio, 3), lt(ratio, 4), (1, 2))),
    "quantity in cases: equal only nearly": (
        "nearly true",
        lambda: _related(eq(ratio, 1), eq(ratio, 2), (1 + Fraction(1, 10**30),)),
    ),
    "quantity: another value": (
        "wrong constant",
        lambda: stated(found("s", "", "a value", lambda: Fraction(3), Fraction(4), quantities=(ratio,))),
    ),
    "ladder: a pole": ("wrong range", lambda: stated(pole)),
    "ladder: negative at 0": (
        "wrong sign",
        lambda: stated(lemma("s", "", positive_for_positive("s", x, (sp.exp(x) - 2, sp.exp(x)), (one,)))),
    ),
    "ladder: another slope": (
        "wrong sign",
        lambda: stated(lemma("s", "", positive_for_positive("s", x, (x - sp.sinh(x), sp.cosh(x)), (one,)))),
    ),
}
"""Name, kind, and the claim."""


def formal_display(conclusion: sp.Basic, **more: object) -> str:
    """The display of a statement."""
    (text,) = symbolic(conclusion, **more)
    return Statement.read(text).latex()
