"""False statements about near powers, points at which conditions hold, and relations that hold for no reason at all."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from pan_proofs.engines import computations
from pan_proofs.engines.growth import Growth
from pan_proofs.engines.identities import equality
from pan_proofs.engines.independent_sums import moment_of_sum
from pan_proofs.engines.ladders import positive_for_positive
from pan_proofs.engines.limits import derivative_is, tends_to
from pan_proofs.engines.quantities import related_in_every_case
from tests.ledger.kernel_questions import (
    bounded,
    eq,
    even,
    follows,
    half,
    holds,
    le,
    loss,
    lt,
    n,
    quantity,
    r,
    rho,
    s,
    sigma,
    u,
    whole,
    x,
    y,
)

q = sp.Rational(4247, 5000)
near = sp.Rational(4248, 5000)
tiny = sp.Rational(1, 10**60)
fair = {(Fraction(-1),): Fraction(1, 2), (Fraction(1),): Fraction(1, 2)}


def grows(quantity_: sp.Expr, order: sp.Expr, finer: sp.Expr, **more: object) -> bool:
    given = {"least": half, "most": sp.Integer(2), "first": sp.Integer(2), "factor": sp.S.One, **more}
    return holds(
        Growth("g", quantity_, order, variable=r, finer=finer, close={r: 3}, raised=sp.Integer(99), **given).discharge()
    )


def ladder(*functions: sp.Expr, factors: tuple[sp.Expr, ...]) -> bool:
    return holds(positive_for_positive("l", x, functions, factors))


class Alike:
    """A value that says that it is equal to every other one."""

    def __init__(self, said: str) -> None:
        self.said = said

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


class AlikeOfSympy(sp.Basic):
    """Such a value, which names a module of sympy as its own."""

    __module__ = "sympy.core.basic"

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return self.said


FALSE_POINTS_AND_POWERS = {
    # exponentials whose exponents have large denominators
    "a power of a near exponential": ("near powers", lambda: holds(equality("e", sp.exp(q) ** 2, sp.exp(2 * near)))),
    "a product of E and a near exponential": (
        "near powers",
        lambda: holds(equality("e", (sp.exp(q) + sp.E) ** 2, sp.exp(2 * q) + 2 * sp.exp(near + 1) + sp.exp(2))),
    ),
    "another power of E": (
        "near powers",
        lambda: holds(equality("e", (sp.exp(q) + sp.E) ** 2, sp.exp(2 * q) + 2 * sp.exp(q + 1) + sp.exp(3))),
    ),
    "the inverse with the wrong sign": (
        "near powers",
        lambda: holds(equality("e", 1 / (sp.exp(q) + sp.exp(-q)), (sp.exp(q) - sp.exp(-q)) / (sp.exp(2 * q) + 1))),
    ),
    "a power of a variable with a near factor": (
        "near powers",
        lambda: holds(equality("e", sp.exp(q * x) * sp.exp(x), sp.exp((near + 1) * x))),
    ),
    "exponentials that agree in sixty digits": (
        "near powers",
        lambda: holds(equality("e", sp.exp(q), sp.exp(q) + tiny)),
    ),
    # conditions that no point satisfies: all would follow
    "from a circle of bounds": ("no point", lambda: follows(lt(sigma, 0), by=loss, given=(lt(x, y), lt(y, x)))),
    "from a circle of bounds that are not strict": (
        "no point",
        lambda: follows(lt(x, 0), given=(le(x + 1, y), le(y, x))),
    ),
    "from an equation that no positive number solves": ("no point", lambda: follows(lt(x, 0), given=(eq(x + y, 0),))),
    "from an equation that no integer solves": (
        "no point",
        lambda: follows(lt(n, 0), given=(eq(2 * n + 2 * whole, 3),)),
    ),
    "from an integer between two neighbours, by equations": (
        "no point",
        lambda: follows(lt(n, 0), given=(eq(n, x), lt(1, x), lt(x, 2))),
    ),
    "from an alternative of which neither holds": (
        "no point",
        lambda: follows(lt(x, 0), given=(sp.Or(eq(x, -1), eq(x, -2), evaluate=False),)),
    ),
    "from an exponential below its tangent": (
        "no point",
        lambda: follows(lt(x, 0), given=(lt(sp.exp(r), 1 + r),)),
    ),
    "from an odd number that is even": ("no point", lambda: follows(lt(even, 0), given=(eq(even, 2 * whole + 1),))),
    # relations of the kind that the conditions have, turned
    "a bound that is turned": ("turned bounds", lambda: follows(le(y, x), given=(le(x, y), lt(0, x)))),
    "a strict bound from one that is not": ("turned bounds", lambda: follows(lt(x, y), given=(le(x, y), le(1, x)))),
    "a bound of squares from one of any numbers": (
        "turned bounds",
        lambda: follows(le(r**2, s**2), given=(le(r, s), le(r, 5))),
    ),
    "a bound of inverses in the same order": ("turned bounds", lambda: follows(le(1 / x, 1 / y), given=(le(x, y),))),
    "one way of an equivalence": (
        "turned bounds",
        lambda: follows(sp.Equivalent(lt(r, 1), lt(r**2, 1), evaluate=False), given=(lt(0, s),)),
    ),
    "one of several, by all": (
        "turned bounds",
        lambda: follows(sp.And(le(x, y), le(y, x), evaluate=False), given=(sp.Or(le(x, y), le(y, x)),)),
    ),
    "a quotient of two bounds": ("turned bounds", lambda: follows(le(r / s, 1), given=(le(r, s), lt(s, 5)))),
    # a bound without a region
    "a bound whose control lies in an empty region": (
        "empty regions",
        lambda: holds(bounded(2 * x, x, x <= -1, touching={x: -1})),
    ),
    "a bound of integers where only fractions are": (
        "empty regions",
        lambda: holds(bounded(n + 5, n, 3 * n >= 4, 3 * n <= 5, gap=half)),
    ),
    # values that agree with everything
    "a value that is equal to every other one": (
        "values that agree",
        lambda: holds(computations.computed_value("v", "a sum", lambda: Alike("1"), Alike("0 = 1"))),
    ),
    "a list of such values": (
        "values that agree",
        lambda: holds(computations.computed_value("v", "a sum", lambda: (Alike("1"),), (Alike("0 = 1"),))),
    ),
    "such a value that names a module of sympy as its own": (
        "values that agree",
        lambda: holds(computations.computed_value("v", "a sum", lambda: AlikeOfSympy(), AlikeOfSympy())),
    ),
    "such a value inside of an expression": (
        "values that agree",
        lambda: holds(
            computations.computed_value("v", "a sum", lambda: sp.Tuple(AlikeOfSympy()), sp.Tuple(AlikeOfSympy()))
        ),
    ),
    "a float in a list for a fraction": (
        "values that agree",
        lambda: holds(computations.computed_value("v", "a half", lambda: (float(half),), (half,))),
    ),
    "a float in a list for a plain fraction": (
        "values that agree",
        lambda: holds(computations.computed_value("v", "a half", lambda: (float(half),), (Fraction(1, 2),))),
    ),
    "a value that is not a number": (
        "values that agree",
        lambda: holds(computations.computed_value("v", "a limit", lambda: sp.oo - sp.oo, sp.nan)),
    ),
    "a fraction by zero as a value": (
        "values that agree",
        lambda: holds(computations.computed_value("v", "a quotient", lambda: sp.S.One / 0, sp.zoo)),
    ),
    "a relation at a pole": ("values that agree", lambda: holds(computations.comparison("c", le(5, 1 / r), {r: 0}))),
    "a truth value as a quantity": (
        "values that agree",
        lambda: holds(
            related_in_every_case(
                "c", "cases", eq(quantity, 1), ({quantity: True, n: 1},), mutant=eq(quantity, 2), parameters=(n,)
            )
        ),
    ),
    # orders, ladders, moments and limits
    "an order of growth with a constant of the inverse": ("orders", lambda: grows(r**2, r, sp.S.One)),
    "an order of growth that is not finer": ("orders", lambda: grows(r, r, r)),
    "an order of growth with a negative factor": ("orders", lambda: grows(r, -r, -sp.S.One, factor=-sp.S.One)),
    "a ladder with a step that falls": ("orders", lambda: ladder(1 - x, sp.S.One, factors=(-sp.S.One,))),
    "a ladder over a floor": ("orders", lambda: ladder(sp.floor(x) - half, sp.S.One, factors=(sp.S.One,))),
    "the variance with the square of the number": (
        "orders",
        lambda: holds(moment_of_sum("m", (2,), lambda p: {0: 1, 1: 0, 2: 1}[p[0]], n, n**2, fair, {n: sp.Integer(3)})),
    ),
    "a limit of an exponential to infinity from the other side": (
        "orders",
        lambda: holds(tends_to("t", sp.exp(1 / u), u, sp.S.Zero, sp.S.Zero, side="+")),
    ),
    "the derivative of a power with the wrong base": (
        "orders",
        lambda: holds(derivative_is("d", x**u, u, x**u * sp.log(u))),
    ),
    "a loss that falls with the budget": ("orders", lambda: follows(lt(rho, 0), by=loss, given=(rho > sigma,))),
}
"""Name, kind, and whether the kernel takes it."""
