"""Formal statements that do not follow from the steps beside them, by the reason; most of them are false."""

from __future__ import annotations

import sympy as sp

from pan_proofs.engines import computations
from pan_proofs.engines.gaussian_observations import GaussianObservation, gaussian_loss
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.ledger.claim import Step
from pan_proofs.ledger.statements import symbolic
from pan_proofs.ledger.steps import at_most, below_on_box, compared, counterexample, equal, lemma

x, y, z = sp.symbols("x y z", positive=True)
r = sp.Symbol("r", real=True)
n = sp.Symbol("n", integer=True, positive=True)
budget = sp.Symbol("epsilon", positive=True)
quantity, other_quantity = sp.symbols("Q R")
third, half = sp.Rational(1, 3), sp.Rational(1, 2)
unit = {x: (sp.Rational(1, 10), sp.Integer(1))}


def le(left: object, right: object) -> sp.Basic:
    return sp.Le(left, right, evaluate=False)


def lt(left: object, right: object) -> sp.Basic:
    return sp.Lt(left, right, evaluate=False)


def eq(left: object, right: object) -> sp.Basic:
    return sp.Eq(left, right, evaluate=False)


square = equal("square", "", "", (x + 1) ** 2, x**2 + 2 * x + 1)
gamma_box = below_on_box("box", "", sp.erf(x), 2 * x, unit, closest={x: sp.Rational(1, 10)}, weaker=half)
means = at_most("means", "", Inequality("means", 2 * x, x**2 + 1, (x > 1,), strict=True, touching={x: 1}))
weak = at_most("weak", "", Inequality("weak", 2 * x, x**2 + 1, (x > 0,), touching={x: 1}))
above = at_most("above", "", Inequality("above", r, r**2, (r >= 1,), touching={r: 1}))
chained = at_most("chained", "", Inequality("chained", x, z, (x <= y, y <= z), touching={x: 1, y: 1, z: 1}))
point = lemma("point", "", computations.comparison("p", lt(x**2, 2), {x: sp.Integer(1)}))
positive_box = lemma("positive", "", computations.positive_everywhere("p", 2 - sp.erf(x) - x, unit))
refuted = counterexample("false", "", le(x, 2), {x: 3}, (le(x, 4),))
numbers = compared("numbers", "", le(sp.E, 3))
same = equal("same", "", "", x + x, 2 * x)
failed = equal("failed", "", "", x**2 + 1, (x + 1) ** 2)
quotient = equal("quotient", "", "", (r**2 + 2 * r + r) / r**2, 1 + 3 / r)


rho = sp.Symbol("rho", positive=True)


def loss_of_twice() -> Step:
    """A loss that is twice a symbol of the name that losses have by default."""
    seen = GaussianObservation(((1,),), ((1,),), ((1 / (4 * rho),),))
    return lemma("loss", "", gaussian_loss("loss", seen, (1,), 2 * rho))


def link(statement: sp.Basic, *steps: Step, **more: object) -> tuple[tuple[str, ...], tuple[Step, ...]]:
    return symbolic(statement, **more), steps


FALSE_LINKS = {
    # a quantity that bears the name of a variable
    "a loss of 2 rho, which is rho as well": ("name", lambda: link(le(2 * rho, rho), loss_of_twice())),
    "a loss of 2 rho is the variable rho": ("name", lambda: link(eq(rho, 2 * rho), loss_of_twice())),
    # shown on a part of the domain
    "shown on a box, stated for all": ("box", lambda: link(lt(sp.erf(x), 2 * x - third), gamma_box)),
    "shown on a box, stated for all, the very relation": ("box", lambda: link(lt(sp.erf(x), 2 * x), gamma_box)),
    "shown on a box, stated on a larger one": (
        "box",
        lambda: link(lt(sp.erf(x), 2 * x), gamma_box, given=(x >= sp.Rational(1, 20), x <= 1)),
    ),
    "shown on a box, stated with one side of it": (
        "box",
        lambda: link(lt(sp.erf(x), 2 * x), gamma_box, given=(x <= 1,)),
    ),
    "positive on a box, stated for all": (
        "box",
        lambda: link(sp.Gt(2 - sp.erf(x) - x, 0, evaluate=False), positive_box),
    ),
    "shown at a point, stated for all": ("point", lambda: link(lt(x**2, 2), point)),
    "shown at a point, stated on an interval": ("point", lambda: link(lt(x**2, 2), point, given=(x <= 2,))),
    "shown of a number, stated of a variable": ("point", lambda: link(le(x, 3), numbers)),
    # conditions
    "a hypothesis is missing": ("condition", lambda: link(lt(2 * x, x**2 + 1), means)),
    "a hypothesis is weaker": ("condition", lambda: link(lt(2 * x, x**2 + 1), means, given=(x >= 1,))),
    "a hypothesis of another symbol": ("condition", lambda: link(lt(2 * x, x**2 + 1), means, given=(y > 1,))),
    "one of two hypotheses is missing": ("condition", lambda: link(le(x, z), chained, given=(x <= y,))),
    "the hypothesis is only the other branch": (
        "condition",
        lambda: link(le(r, r**2), above, given=((r >= 1) | (r >= 0),)),
    ),
    "an implication from its conclusion's converse": (
        "converse",
        lambda: link(sp.Implies(lt(2 * x, x**2 + 1), x > 1), means),
    ),
    "an equivalence from one direction": (
        "converse",
        lambda: link(sp.Equivalent(x > 1, lt(2 * x, x**2 + 1)), means),
    ),
    "the conclusion and its hypothesis exchanged": ("converse", lambda: link(x <= y, chained, given=(x <= z,))),
    # kind of the relation
    "strict from non-strict": ("strict", lambda: link(lt(2 * x, x**2 + 1), weak)),
    "equal from at most": ("strict", lambda: link(eq(2 * x, x**2 + 1), weak)),
    "different from at most": ("strict", lambda: link(sp.Ne(2 * x, x**2 + 1, evaluate=False), weak)),
    "the sides exchanged": ("reversed", lambda: link(le(x**2 + 1, 2 * x), weak)),
    "at least from at most": ("reversed", lambda: link(sp.Ge(2 * x, x**2 + 1, evaluate=False), weak)),
    "both from one": ("reversed", lambda: link(le(2 * x, x**2 + 1) & le(x**2 + 1, 2 * x), weak)),
    # names
    "a name that stands twice": ("name", lambda: link(eq(quantity, x**2 + 2 * x + 1) & le(quantity, 5), square)),
    "a name on both sides": ("name", lambda: link(eq(quantity, quantity * (x**2 + 2 * x + 1)), square)),
    "a variable as the name": ("name", lambda: link(eq(x, x**2 + 2 * x + 1), square)),
    "a name for a bound": ("name", lambda: link(le(quantity, x**2 + 1), weak)),
    "a name that is assumed to be something else": (
        "name",
        lambda: link(eq(quantity, x**2 + 2 * x + 1), square, given=(quantity > 7,)),
    ),
    "two names and nothing else": ("name", lambda: link(eq(quantity, other_quantity), square)),
    "a name for what is only written alike": ("name", lambda: link(eq(quantity, 2 * x), same)),
    "a name of another kind than its value": (
        "name",
        lambda: link(eq(sp.Symbol("N", negative=True), x**2 + 2 * x + 1), square),
    ),
    "a value of another kind than its variable": (
        "name",
        lambda: link(lt(2 * sp.exp(r), sp.exp(2 * r) + 1), means, where={x: -sp.exp(r)}),
    ),
    "a value outside of the hypotheses": (
        "name",
        lambda: link(lt(2 * sp.exp(r), sp.exp(2 * r) + 1), means, where={x: sp.exp(r)}),
    ),
    # counterexamples
    "a counterexample that does not satisfy an assumption": (
        "counterexample",
        lambda: ((str_not(sp.Implies(x <= half, le(x, 2), evaluate=False)),), (refuted,)),
    ),
    "a counterexample to another relation": ("counterexample", lambda: ((str_not(le(x, 4)),), (refuted,))),
    "a counterexample at another value of a name": (
        "counterexample",
        lambda: (
            (str_not(sp.Implies(eq(x, 1) & eq(x, y), le(z, 2), evaluate=False)),),
            (counterexample("named", "", le(z, 2), {z: 3}),),
        ),
    ),
    "a symbol of which the solvers cannot be told": (
        "name",
        lambda: link(le(sp.Symbol("a b", positive=True), 1), square),
    ),
    "false for all values, from one": ("counterexample", lambda: link(sp.Gt(x, 2), refuted)),
    "the relation itself, from its counterexample": ("counterexample", lambda: link(le(x, 2), refuted)),
    # definedness
    "different from zero, from a division": ("undefined", lambda: link(sp.Ne(r, 0, evaluate=False), quotient)),
    "a side that divides by zero": ("undefined", lambda: link(le((r**2 + r) / r - r, 1), above, given=(r >= -1,))),
    "a logarithm of what may be negative": ("undefined", lambda: link(le(sp.log(r), r - 1), above)),
    "a root of what may be negative": ("undefined", lambda: link(sp.Ge(sp.sqrt(r) ** 2 + 1, 1, evaluate=False), above)),
    # nothing said, or nothing shown
    "contradictory assumptions": ("vacuous", lambda: link(lt(x, 0), weak, given=(x < y, y < x))),
    "contradictory to what sympy knows": ("vacuous", lambda: link(lt(x, y), weak, given=(le(x + y, -1),))),
    "the same on both sides": ("vacuous", lambda: link(eq(sp.exp(x), sp.exp(x)), square)),
    "the assumption again": ("vacuous", lambda: link(x <= y, square, given=(x <= y,))),
    "from a step that failed": ("nothing shown", lambda: link(eq(x**2 + 1, (x + 1) ** 2), failed)),
    "from no step": ("nothing shown", lambda: link(lt(sp.erf(x), 2 * x))),
    "another constant": ("constant", lambda: link(eq((x + 1) ** 2, x**2 + 2 * x + 2), square)),
    "an integer's property of a real number": (
        "domain",
        lambda: link(
            le(r, r**2), at_most("whole", "", Inequality("whole", n, n**2, (n >= 1,), touching={n: 1})), given=(r > 0,)
        ),
    ),
    "an exponential below its tangent": ("constant", lambda: link(le(sp.exp(r), 1 + r), weak)),
    "an exponential above its square": ("constant", lambda: link(sp.Ge(sp.exp(r), 1 + r + r**2, evaluate=False), weak)),
    "logarithms in the wrong order": ("constant", lambda: link(le(sp.log(y), sp.log(x)), weak, given=(x <= y,))),
    "a maximum below one of its values": ("choice", lambda: link(le(sp.Max(x, y), x), weak)),
    "a minimum above one of its values": ("choice", lambda: link(sp.Ge(sp.Min(x, y), x, evaluate=False), weak)),
    "an absolute value below its inside": ("choice", lambda: link(le(sp.Abs(r), r), weak)),
}
"""Name, reason, and the formal statements with the steps."""


def str_not(statement: sp.Basic) -> str:
    """Not for all values."""
    return sp.srepr(sp.Not(statement, evaluate=False))


TRUE_LINKS = {
    "a loss of 2 rho": lambda: link(eq(quantity, 2 * rho), loss_of_twice()),
    "as shown": lambda: link(lt(2 * x, x**2 + 1), means, given=(x > 1,)),
    "weaker than shown": lambda: link(le(2 * x, x**2 + 1), means, given=(x > 1,)),
    "turned round": lambda: link(sp.Gt(x**2 + 1, 2 * x, evaluate=False), means, given=(x > 1,)),
    "in another form": lambda: link(lt(2 * x, (x + 1) ** 2 - 2 * x), means, given=(x > 1,)),
    "under a stronger assumption": lambda: link(lt(2 * x, x**2 + 1), means, given=(x > 2,)),
    "at a value of the variable": lambda: link(
        lt(2 * sp.exp(budget), sp.exp(2 * budget) + 1), means, where={x: sp.exp(budget)}
    ),
    "on a smaller box": lambda: link(lt(sp.erf(x), 2 * x), gamma_box, given=(x >= half, x <= 1)),
    "on the box": lambda: link(lt(sp.erf(x), 2 * x), gamma_box, given=(x >= sp.Rational(1, 10), x <= 1)),
    "at the point": lambda: link(lt(x**2, 2), point, given=(eq(1 + x, 2), le(x, 1))),
    "a name": lambda: link(eq(quantity, x**2 + 2 * x + 1), square),
    "a name with its value": lambda: link(le(quantity, x**2 + 3 * x + 1), square, where={quantity: (x + 1) ** 2}),
    "an equivalence": lambda: link(sp.Equivalent(le(x, y), le(3 * x, 3 * y)), square),
    "a chain": lambda: link(le(x, z), chained, given=(x <= y, y <= z)),
    "a counterexample": lambda: ((str_not(le(x, 2)),), (refuted,)),
    "a counterexample under its hypothesis": lambda: (
        (str_not(sp.Implies(le(x, 4), le(x, 2), evaluate=False)),),
        (refuted,),
    ),
    "a maximum": lambda: link(le(sp.Max(2 * x, 1), x**2 + 1), weak),
    "logarithms": lambda: link(le(sp.log(2 * x), sp.log(x**2 + 1)), weak),
    "a size from a tail": lambda: link(
        le(2 * sp.exp(-n * x), y), square, given=(y < 1, sp.Ge(n, sp.log(2 / y) / x, evaluate=False))
    ),
    "an exponential above its tangent": lambda: link(sp.Ge(sp.exp(r), 1 + r, evaluate=False), square),
    "exponentials in order": lambda: link(le(sp.exp(r), sp.exp(x)), square, given=(r <= x,)),
    "an absolute value": lambda: link(le(sp.Abs(r), 2 * x), weak, given=(r <= x, r >= -x)),
}
"""The formal statements with the steps."""
