"""True statements about the kernel's own questions: none may fall."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from pan_proofs.engines import computations
from pan_proofs.engines.gaussian_observations import GaussianObservation, gaussian_loss
from pan_proofs.engines.identities import equality
from pan_proofs.engines.limits import derivative_is, tends_to
from pan_proofs.engines.quantities import related_in_every_case
from pan_proofs.ledger.steps import below_on_box, compared
from tests.ledger.kernel_questions import (
    bounded,
    chained,
    eq,
    even,
    fixed_loss,
    follows,
    half,
    holds,
    le,
    least,
    limits,
    lt,
    n,
    quantity,
    r,
    tenth,
    u,
    unit,
    whole,
    x,
    y,
)

TRUE_KERNEL = {
    "several that hold": lambda: holds(
        computations.together(
            "t", "", equality("a", (x + 1) ** 2, x**2 + 2 * x + 1), computations.comparison("b", le(sp.E, 3))
        )
    ),
    "a loss by its value": lambda: follows(eq(quantity, sp.Rational(1, 4)), by=fixed_loss),
    "a real symbol that stands for the positive one of its name": lambda: follows(
        le(2 * sp.Symbol("L", positive=True), sp.Symbol("L", positive=True) ** 2 + 1),
        by=chained,
        where={sp.Symbol("L", real=True): sp.Symbol("L", positive=True)},
    ),
    "an even number": lambda: follows(le(even, even + 1), given=(even >= 2,)),
    "an integer between two others": lambda: follows(le(whole, 4), given=(whole > 2, whole < 4)),
    "an integer bound": lambda: holds(bounded(n, n**2, n >= 2, gap=half, weaker=tenth)),
    "a box of one point": lambda: holds(
        computations.positive_everywhere("box", u + 1, {u: (sp.Integer(1), sp.Integer(1))})
    ),
    "a box from zero on, for a positive number": lambda: holds(
        computations.positive_everywhere("box", 1 + x, {x: (sp.Integer(0), sp.Integer(1))})
    ),
    "the slope of a power": lambda: holds(derivative_is("d", (1 + r**2) ** 3, r, 6 * r * (1 + r**2) ** 2)),
    "the slope of a logarithm": lambda: holds(derivative_is("d", sp.log(1 + x), x, 1 / (1 + x))),
    "the slope of a root": lambda: holds(derivative_is("d", sp.sqrt(x), x, 1 / (2 * sp.sqrt(x)))),
    "a limit from the right side": lambda: holds(
        tends_to("l", sp.Abs(r) / r + r, r, sp.Integer(0), sp.Integer(1), side="+")
    ),
    "a limit with a symbol in a factor": lambda: limits(
        r**2 * x / (x + 1), sp.oo, r**2, tends_to("l", r**2 * x / (x + 1), x, sp.oo, r**2, at={r: 1})
    ),
    "a limit at a place where all is continuous": lambda: limits(
        sp.log(x + y), 0, sp.log(y), tends_to("l", sp.log(x + y), x, sp.Integer(0), sp.log(y), at={y: 2})
    ),
    "a limit under its condition": lambda: limits(
        x / (x + r),
        0,
        0,
        tends_to("l", x / (x + r), x, sp.Integer(0), 0, at={r: 1}),
        given=(sp.Ne(r, 0, evaluate=False),),
    ),
    "a loss where the noise cannot vanish": lambda: holds(
        gaussian_loss("l", GaussianObservation([[1]], [[x]], [[1]]), (x,), half)
    ),
    "a box that ends at zero, between two sides": lambda: all(
        map(
            holds,
            below_on_box(
                "b", "", x, x + 1, {x: (sp.Integer(0), sp.Integer(1))}, closest={x: 1}, weaker=sp.Rational(1, 3)
            ).obligations,
        )
    ),
    "an even number by its value": lambda: holds(computations.comparison("c", lt(even, 5), {even: 4})),
    "an even number between one and three": lambda: follows(lt(even, 4), given=(even > 1, even < 3)),
    "half of what is assumed, and more": lambda: follows(
        sp.And(eq((x + 1) ** 2, x**2 + 2 * x + 1), le(x, y), evaluate=False), given=(le(x, y),)
    ),
    "a sum of powers on a box": lambda: holds(least(1 + u**2, half, unit)),
    "a case of two users": lambda: holds(
        related_in_every_case(
            "c", "", lt(quantity, n), [{quantity: Fraction(1, 2), n: 2}], mutant=lt(n, quantity), parameters=(n,)
        )
    ),
    "unequal numbers that are near": lambda: all(
        map(holds, compared("c", "", lt(sp.sqrt(2) + sp.sqrt(3), sp.Rational(31463, 10000))).obligations)
    ),
}
