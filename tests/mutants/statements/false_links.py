"""Formal statements that do not follow from the steps beside them, by the reason, and those that follow."""

from __future__ import annotations

import sympy as sp

from pan_proofs.engines import computations
from pan_proofs.engines.gaussian_observations import GaussianObservation, gaussian_loss
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.ledger.claim import Step
from pan_proofs.ledger.steps import at_most, below_on_box, compared, counterexample, equal, lemma
from tests.mutants.statements.reading import eq, gt, le, lt

x, y, z = sp.symbols("x y z", positive=True)
r = sp.Symbol("r", real=True)
n = sp.Symbol("n", integer=True, positive=True)
budget = sp.Symbol("epsilon", positive=True)
quantity, other_quantity = sp.symbols("Q R")
third, half = sp.Rational(1, 3), sp.Rational(1, 2)
unit = {x: (sp.Rational(1, 10), sp.Integer(1))}


square = equal("square", "", "", (x + 1) ** 2, x**2 + 2 * x + 1)
gamma_box = below_on_box("box", "", sp.erf(x), 2 * x, unit, closest={x: sp.Rational(1, 10)}, weaker=half)
means = at_most("means", "", Inequality("means", 2 * x, x**2 + 1, (x > 1,), strict=True))
weak = at_most("weak", "", Inequality("weak", 2 * x, x**2 + 1, (x > 0,)))
above = at_most("above", "", Inequality("above", r, r**2, (r >= 1,)))
chained = at_most("chained", "", Inequality("chained", x, z, (x <= y, y <= z)))
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


weight = sp.Symbol("eta", positive=True)
chance, other_chance = sp.symbols("P H", nonnegative=True)
first, second, noise = sp.symbols("s_0 s_1 r", positive=True)
odds, total, gap, centre = sp.symbols("E S G c", positive=True)
place, mean, other_mean = sp.symbols("z mu_1 mu_2", real=True)
scale = sp.Symbol("b", positive=True)
start, after, share = sp.symbols("p_0 p_1 d", real=True)
one = sp.S.One

WEIGHS = eq(weight * (sp.exp(budget) - 1), budget * (sp.exp(budget) + 1))
"""One bit of Algorithm 2 weighs ``epsilon/tanh(epsilon/2)``."""
ONCE = (1 + sp.exp(budget + weight)) / (1 + sp.exp(budget))
RATIO = sp.exp((sp.Abs(place - mean) - sp.Abs(place - other_mean)) / scale)
APART = eq(other_mean - mean, budget * scale)
BOUNDS = ((total / first - (1 - gap) / 2) / ((1 + gap) / 2), (total / second - (1 + gap) / 2) / ((1 - gap) / 2))
STATES = (gap < 1, first > 1, second > 1)
WITHIN = (start >= 0, start <= 1, after >= 0, after <= 1, share >= 0, share <= 1)


def spread(largest: type[sp.Max] | type[sp.Min]) -> sp.Basic:
    """The variance of a bit at a density, against one of those at the ends."""
    ends = start * (1 - start), after * (1 - after)
    return le((1 - share) * ends[0] + share * ends[1], largest(*ends))


def budget_kept(bound: sp.Expr) -> sp.Basic:
    """The constraints on the pair around a centre with the largest difference, for centres up to a bound."""
    offset = centre * (odds - 1) / (odds + 1)
    low, high = centre - offset, centre + offset
    slacks = (odds * low - high, odds * high - low, odds * (1 - high) - (1 - low), odds * (1 - low) - (1 - high))
    return sp.Implies(centre <= bound, sp.And(*(sp.Ge(slack, 0, evaluate=False) for slack in slacks)), evaluate=False)


def solved(solution: sp.Expr) -> sp.Basic:
    """The noise for which the joint loss of the symmetric pair is a total."""
    loss = odds * (1 + odds * noise) / (1 + odds)
    return sp.Equivalent(eq(loss, total), eq(noise, solution), evaluate=False)


def exists(*states: sp.Symbol) -> sp.Basic:
    """Whether there is noise for a total."""
    return sp.Equivalent(gt(sp.Min(*BOUNDS), 1), sp.And(*(one < total for one in states)), evaluate=False)


def str_not(statement: sp.Basic) -> str:
    """Not for all values."""
    return sp.srepr(sp.Not(statement, evaluate=False))


FALSE = {
    "name": {
        "a loss of 2 rho, which is rho as well": "link(2 * rho <= rho, loss_of_twice())",
        "a loss of 2 rho is the variable rho": "link(rho == 2 * rho, loss_of_twice())",
        "a name that stands twice": "link((quantity == x**2 + 2 * x + 1) & (quantity <= 5), square)",
        "a name on both sides": "link(quantity == quantity * (x**2 + 2 * x + 1), square)",
        "a variable as the name": "link(x == x**2 + 2 * x + 1, square)",
        "a name for a bound": "link(quantity <= x**2 + 1, weak)",
        "a name that is assumed to be something else": (
            "link(quantity == x**2 + 2 * x + 1, square, given=(quantity > 7,))"
        ),
        "two names and nothing else": "link(quantity == other_quantity, square)",
        "a name for what is only written alike": "link(quantity == 2 * x, same)",
        "a name of another kind than its value": "link(Symbol('N', negative=True) == x**2 + 2 * x + 1, square)",
        "a value of another kind than its variable": "link(2 * exp(r) < exp(2 * r) + 1, means, where={x: -exp(r)})",
        "a value outside of the hypotheses": "link(2 * exp(r) < exp(2 * r) + 1, means, where={x: exp(r)})",
        "a symbol of which the solvers cannot be told": "link(Symbol('a b', positive=True) <= 1, square)",
    },
    "box": {
        "shown on a box, stated for all": "link(erf(x) < 2 * x - third, gamma_box)",
        "shown on a box, stated for all, the very relation": "link(erf(x) < 2 * x, gamma_box)",
        "shown on a box, stated on a larger one": "link(erf(x) < 2 * x, gamma_box, given=(x >= 1 / 20, x <= 1))",
        "shown on a box, stated with one side of it": "link(erf(x) < 2 * x, gamma_box, given=(x <= 1,))",
        "positive on a box, stated for all": "link(2 - erf(x) - x > 0, positive_box)",
    },
    "point": {
        "shown at a point, stated for all": "link(x**2 < 2, point)",
        "shown at a point, stated on an interval": "link(x**2 < 2, point, given=(x <= 2,))",
        "shown of a number, stated of a variable": "link(x <= 3, numbers)",
    },
    "condition": {
        "a hypothesis is missing": "link(2 * x < x**2 + 1, means)",
        "a hypothesis is weaker": "link(2 * x < x**2 + 1, means, given=(x >= 1,))",
        "a hypothesis of another symbol": "link(2 * x < x**2 + 1, means, given=(y > 1,))",
        "one of two hypotheses is missing": "link(x <= z, chained, given=(x <= y,))",
        "the hypothesis is only the other branch": "link(r <= r**2, above, given=((r >= 1) | (r >= 0),))",
    },
    "converse": {
        "an implication from its conclusion's converse": "link(Implies(2 * x < x**2 + 1, x > 1), means)",
        "an equivalence from one direction": "link(Equivalent(x > 1, 2 * x < x**2 + 1), means)",
        "the conclusion and its hypothesis exchanged": "link(x <= y, chained, given=(x <= z,))",
    },
    "strict": {
        "strict from non-strict": "link(2 * x < x**2 + 1, weak)",
        "equal from at most": "link(2 * x == x**2 + 1, weak)",
        "different from at most": "link(2 * x != x**2 + 1, weak)",
    },
    "reversed": {
        "the sides exchanged": "link(x**2 + 1 <= 2 * x, weak)",
        "at least from at most": "link(2 * x >= x**2 + 1, weak)",
        "both from one": "link((2 * x <= x**2 + 1) & (x**2 + 1 <= 2 * x), weak)",
    },
    "counterexample": {
        "a counterexample that does not satisfy an assumption": (
            "((str_not(Implies(x <= half, x <= 2, evaluate=False)),), (refuted,))"
        ),
        "a counterexample to another relation": "((str_not(x <= 4),), (refuted,))",
        "a counterexample at another value of a name": (
            "((str_not(Implies((x == 1) & (x == y), z <= 2, evaluate=False)),), (counterexample('named', '', z "
            "<= 2, {z: 3}),))"
        ),
        "false for all values, from one": "link(x > 2, refuted)",
        "the relation itself, from its counterexample": "link(x <= 2, refuted)",
    },
    "undefined": {
        "different from zero, from a division": "link(r != 0, quotient)",
        "a side that divides by zero": "link((r**2 + r) / r - r <= 1, above, given=(r >= -1,))",
        "a logarithm of what may be negative": "link(log(r) <= r - 1, above)",
        "a root of what may be negative": "link(sqrt(r)**2 + 1 >= 1, above)",
    },
    "vacuous": {
        "contradictory assumptions": "link(x < 0, weak, given=(x < y, y < x))",
        "contradictory to what sympy knows": "link(x < y, weak, given=(x + y <= -1,))",
        "the same on both sides": "link(exp(x) == exp(x), square)",
        "the assumption again": "link(x <= y, square, given=(x <= y,))",
    },
    "nothing shown": {
        "from a step that failed": "link(x**2 + 1 == (x + 1)**2, failed)",
        "from no step": "link(erf(x) < 2 * x)",
    },
    "constant": {
        "another constant": "link((x + 1)**2 == x**2 + 2 * x + 2, square)",
        "an exponential below its tangent": "link(exp(r) <= 1 + r, weak)",
        "an exponential above its square": "link(exp(r) >= 1 + r + r**2, weak)",
        "logarithms in the wrong order": "link(log(y) <= log(x), weak, given=(x <= y,))",
    },
    "domain": {
        "an integer's property of a real number": (
            "link(r <= r**2, at_most('whole', '', Inequality('whole', n, n**2, (n >= 1,))), given=(r > 0,))"
        ),
    },
    "choice": {
        "a maximum below one of its values": "link(Max(x, y) <= x, weak)",
        "a minimum above one of its values": "link(Min(x, y) >= x, weak)",
        "an absolute value below its inside": "link(Abs(r) <= r, weak)",
    },
    "promises": {
        "the joint loss exceeds two budgets, for budgets up to 1": (
            "link(ONCE > exp(2 * budget), square, given=(WEIGHS, budget <= 1))"
        ),
        "the output given the state keeps its budget": "link(ONCE <= exp(budget), square, given=(WEIGHS,))",
        "the joint loss is above three budgets": "link(exp(budget) * ONCE > exp(3 * budget), square, given=(WEIGHS,))",
        "a Laplace cell keeps half of the budget": "link(RATIO <= exp(budget / 2), square, given=(APART,))",
        "a Laplace cell uses the whole budget everywhere": "link(RATIO == exp(budget), square, given=(APART,))",
        "the largest difference keeps the budget for all centres": "link(budget_kept(one), square, given=(odds > 1,))",
        "noise that leaves a term out": "link(solved(total / odds + total / odds**2), square, given=(odds > 1,))",
        "noise exists if one of two states leaves room": "link(exists(first), square, given=STATES)",
        "the error of a density is at most that of the better end": "link(spread(Min), square, given=WITHIN)",
        "two cells that move lose as much as one": (
            "link(budget * (Abs(x) + Abs(y)) <= budget, square, given=(x <= 1, y <= 1))"
        ),
        "an exponential below another one's tangent": "link(exp(r) <= exp(x) * (1 + r - x), square)",
        "a square below an exponential of less than twice the exponent": (
            "link(exp(r)**2 <= exp(x), square, given=(r <= x,))"
        ),
        "from an assumed bound to a smaller one": "link(chance <= exp(-2 * x), square, given=(chance <= exp(-x),))",
        "from an assumed bound of another probability": (
            "link(chance <= exp(-x), square, given=(other_chance <= exp(-2 * x),))"
        ),
        "from an assumed lower bound": "link(chance <= y, square, given=(chance >= y / 2,))",
        "strictly below, from an assumed bound": "link(chance < y, square, given=(chance <= y,))",
    },
}

TRUE = {
    "a loss of 2 rho": "link(quantity == 2 * rho, loss_of_twice())",
    "as shown": "link(2 * x < x**2 + 1, means, given=(x > 1,))",
    "weaker than shown": "link(2 * x <= x**2 + 1, means, given=(x > 1,))",
    "turned round": "link(x**2 + 1 > 2 * x, means, given=(x > 1,))",
    "in another form": "link(2 * x < (x + 1)**2 - 2 * x, means, given=(x > 1,))",
    "under a stronger assumption": "link(2 * x < x**2 + 1, means, given=(x > 2,))",
    "at a value of the variable": "link(2 * exp(budget) < exp(2 * budget) + 1, means, where={x: exp(budget)})",
    "on a smaller box": "link(erf(x) < 2 * x, gamma_box, given=(x >= half, x <= 1))",
    "on the box": "link(erf(x) < 2 * x, gamma_box, given=(x >= 1 / 10, x <= 1))",
    "at the point": "link(x**2 < 2, point, given=(1 + x == 2, x <= 1))",
    "a name": "link(quantity == x**2 + 2 * x + 1, square)",
    "a name with its value": "link(quantity <= x**2 + 3 * x + 1, square, where={quantity: (x + 1)**2})",
    "an equivalence": "link(Equivalent(x <= y, 3 * x <= 3 * y), square)",
    "a chain": "link(x <= z, chained, given=(x <= y, y <= z))",
    "a counterexample": "((str_not(x <= 2),), (refuted,))",
    "a counterexample under its hypothesis": "((str_not(Implies(x <= 4, x <= 2, evaluate=False)),), (refuted,))",
    "a maximum": "link(Max(2 * x, 1) <= x**2 + 1, weak)",
    "logarithms": "link(log(2 * x) <= log(x**2 + 1), weak)",
    "a size from a tail": "link(2 * exp(-n * x) <= y, square, given=(y < 1, n >= log(2 / y) / x))",
    "an exponential above its tangent": "link(exp(r) >= 1 + r, square)",
    "exponentials in order": "link(exp(r) <= exp(x), square, given=(r <= x,))",
    "an absolute value": "link(Abs(r) <= 2 * x, weak, given=(r <= x, r >= -x))",
    "the joint loss exceeds two budgets": "link(ONCE > exp(2 * budget), square, given=(WEIGHS, budget <= half))",
    "the output given the state breaks its budget": "link(ONCE > exp(budget), square, given=(WEIGHS,))",
    "a Laplace cell keeps the budget": "link(RATIO <= exp(budget), square, given=(APART,))",
    "a Laplace cell uses the whole budget above both means": (
        "link(RATIO == exp(budget), square, given=(APART, place >= other_mean))"
    ),
    "the largest difference keeps the budget": "link(budget_kept(half), square, given=(odds > 1,))",
    "the noise of a total": "link(solved(total / odds + total / odds**2 - 1 / odds), square, given=(odds > 1,))",
    "noise exists if both states leave room": "link(exists(first, second), square, given=STATES)",
    "the error of a density is at most that of the worse end": "link(spread(Max), square, given=WITHIN)",
    "two cells that move lose twice as much as one": (
        "link(budget * (Abs(x) + Abs(y)) <= 2 * budget, square, given=(x <= 1, y <= 1))"
    ),
    "an exponential above another one's tangent": "link(exp(r) >= exp(x) * (1 + r - x), square)",
    "a square above an exponential of less than twice the exponent": (
        "link(exp(x) <= exp(r)**2, square, given=(2 * r >= x,))"
    ),
    "from an assumed bound to a larger one": "link(chance <= exp(-x), square, given=(chance <= exp(-x * (1 + y)),))",
}
