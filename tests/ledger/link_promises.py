"""False twins of the formal statements about promises and errors, and the true ones beside them."""

from __future__ import annotations

import sympy as sp

from tests.ledger.link_statements import eq, le, link, lt, square

budget, weight = sp.symbols("epsilon eta", positive=True)
chance, other_chance = sp.symbols("P H", nonnegative=True)
first, second, noise = sp.symbols("s_0 s_1 r", positive=True)
odds, total, gap, centre = sp.symbols("E S G c", positive=True)
place, mean, other_mean = sp.symbols("z mu_1 mu_2", real=True)
scale, x, y, r = *sp.symbols("b x y", positive=True), sp.Symbol("r", real=True)
start, after, share = sp.symbols("p_0 p_1 d", real=True)
half, one = sp.Rational(1, 2), sp.Integer(1)

WEIGHS = eq(weight * (sp.exp(budget) - 1), budget * (sp.exp(budget) + 1))
"""One bit of Algorithm 2 weighs ``epsilon/tanh(epsilon/2)``."""
ONCE = (1 + sp.exp(budget + weight)) / (1 + sp.exp(budget))
RATIO = sp.exp((sp.Abs(place - mean) - sp.Abs(place - other_mean)) / scale)
APART = eq(other_mean - mean, budget * scale)
BOUNDS = ((total / first - (1 - gap) / 2) / ((1 + gap) / 2), (total / second - (1 + gap) / 2) / ((1 - gap) / 2))
STATES = (gap < 1, first > 1, second > 1)
WITHIN = (start >= 0, start <= 1, after >= 0, after <= 1, share >= 0, share <= 1)


def gt(left: object, right: object) -> sp.Basic:
    return sp.Gt(left, right, evaluate=False)


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


FALSE_PROMISES = {
    "the joint loss exceeds two budgets, for budgets up to 1": lambda: link(
        gt(ONCE, sp.exp(2 * budget)), square, given=(WEIGHS, budget <= 1)
    ),
    "the output given the state keeps its budget": lambda: link(le(ONCE, sp.exp(budget)), square, given=(WEIGHS,)),
    "the joint loss is above three budgets": lambda: link(
        gt(sp.exp(budget) * ONCE, sp.exp(3 * budget)), square, given=(WEIGHS,)
    ),
    "a Laplace cell keeps half of the budget": lambda: link(le(RATIO, sp.exp(budget / 2)), square, given=(APART,)),
    "a Laplace cell uses the whole budget everywhere": lambda: link(eq(RATIO, sp.exp(budget)), square, given=(APART,)),
    "the largest difference keeps the budget for all centres": lambda: link(
        budget_kept(one), square, given=(odds > 1,)
    ),
    "noise that leaves a term out": lambda: link(solved(total / odds + total / odds**2), square, given=(odds > 1,)),
    "noise exists if one of two states leaves room": lambda: link(exists(first), square, given=STATES),
    "the error of a density is at most that of the better end": lambda: link(spread(sp.Min), square, given=WITHIN),
    "two cells that move lose as much as one": lambda: link(
        le(budget * (sp.Abs(x) + sp.Abs(y)), budget), square, given=(x <= 1, y <= 1)
    ),
    "an exponential below another one's tangent": lambda: link(le(sp.exp(r), sp.exp(x) * (1 + r - x)), square),
    "a square below an exponential of less than twice the exponent": lambda: link(
        le(sp.exp(r) ** 2, sp.exp(x)), square, given=(r <= x,)
    ),
    "from an assumed bound to a smaller one": lambda: link(
        le(chance, sp.exp(-2 * x)), square, given=(le(chance, sp.exp(-x)),)
    ),
    "from an assumed bound of another probability": lambda: link(
        le(chance, sp.exp(-x)), square, given=(le(other_chance, sp.exp(-2 * x)),)
    ),
    "from an assumed lower bound": lambda: link(le(chance, y), square, given=(sp.Ge(chance, y / 2, evaluate=False),)),
    "strictly below, from an assumed bound": lambda: link(lt(chance, y), square, given=(le(chance, y),)),
}
"""Name, and the formal statements with the steps; none of them is true."""

TRUE_PROMISES = {
    "the joint loss exceeds two budgets": lambda: link(
        gt(ONCE, sp.exp(2 * budget)), square, given=(WEIGHS, budget <= half)
    ),
    "the output given the state breaks its budget": lambda: link(gt(ONCE, sp.exp(budget)), square, given=(WEIGHS,)),
    "a Laplace cell keeps the budget": lambda: link(le(RATIO, sp.exp(budget)), square, given=(APART,)),
    "a Laplace cell uses the whole budget above both means": lambda: link(
        eq(RATIO, sp.exp(budget)), square, given=(APART, place >= other_mean)
    ),
    "the largest difference keeps the budget": lambda: link(budget_kept(half), square, given=(odds > 1,)),
    "the noise of a total": lambda: link(solved(total / odds + total / odds**2 - 1 / odds), square, given=(odds > 1,)),
    "noise exists if both states leave room": lambda: link(exists(first, second), square, given=STATES),
    "the error of a density is at most that of the worse end": lambda: link(spread(sp.Max), square, given=WITHIN),
    "two cells that move lose twice as much as one": lambda: link(
        le(budget * (sp.Abs(x) + sp.Abs(y)), 2 * budget), square, given=(x <= 1, y <= 1)
    ),
    "an exponential above another one's tangent": lambda: link(
        sp.Ge(sp.exp(r), sp.exp(x) * (1 + r - x), evaluate=False), square
    ),
    "a square above an exponential of less than twice the exponent": lambda: link(
        le(sp.exp(x), sp.exp(r) ** 2), square, given=(2 * r >= x,)
    ),
    "from an assumed bound to a larger one": lambda: link(
        le(chance, sp.exp(-x)), square, given=(le(chance, sp.exp(-x * (1 + y))),)
    ),
}
"""The true statements beside them."""
