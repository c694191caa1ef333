"""False or unsupported statements about the kernel's own questions, which deceived it, or might."""

from __future__ import annotations

import sympy as sp

from pan_proofs.engines import computations
from pan_proofs.engines.gaussian_observations import GaussianObservation, gaussian_loss
from pan_proofs.engines.identities import equality
from pan_proofs.engines.limits import derivative_is, tends_to
from pan_proofs.engines.quantities import related_in_every_case
from pan_proofs.engines.slopes import Slopes
from pan_proofs.ledger.statements import symbolic
from pan_proofs.ledger.steps import below_on_box, compared, counterexample, found
from tests.ledger.kernel_questions import (
    bounded,
    chained,
    eq,
    even,
    fixed_loss,
    follows,
    half,
    holds,
    infinite,
    le,
    least,
    limits,
    loss,
    lt,
    n,
    near_the_root,
    of_any_kind,
    prime,
    quantity,
    r,
    reads,
    rho,
    run,
    s,
    sigma,
    tenth,
    turned,
    u,
    unit,
    whole,
    x,
    y,
)

FALSE_KERNEL = {
    # answers to one question that stand for those to another
    "answers of another obligation": ("answers", lambda: holds(near_the_root())),
    "two that are written alike, together": (
        "answers",
        lambda: holds(computations.together("t", "", equality("a", x + x, 2 * x), equality("b", y + y, 2 * y))),
    ),
    "nothing together": ("answers", lambda: holds(computations.together("t", ""))),
    # names of quantities that are taken for variables
    "a loss as a variable": ("names", lambda: follows(lt(sigma, 0), by=loss, given=(rho > 1, sigma > 1))),
    "a loss as a variable in a choice": (
        "names",
        lambda: follows(sp.Or(lt(sigma, 0), lt(rho, 1), evaluate=False), by=loss, given=(sigma > 1,)),
    ),
    "the name of the loss itself": (
        "names",
        lambda: follows(lt(x, 0), by=fixed_loss, given=(sp.Symbol("loss of the observation", positive=True) > 1,)),
    ),
    "two symbols of one name": (
        "names",
        lambda: reads("Implies(Lt(Symbol('x', real=True), Integer(-5)), Gt(Symbol('x', positive=True), Integer(-1)))"),
    ),
    "a name with a blank": (
        "names",
        lambda: follows(lt(sp.Symbol("x ", positive=True), x), given=(sp.Symbol("x ", positive=True) + 1 < x + 1,)),
    ),
    "two names of one letter": (
        "names",
        lambda: reads(
            "Implies(Lt(Symbol('epsilon', real=True), Integer(-5)), "
            "Gt(Symbol('\\\\epsilon', positive=True), Integer(-1)))"
        ),
    ),
    "a real number and a positive one of one name": (
        "names",
        lambda: reads(sp.srepr(le(sp.Symbol("L", real=True), sp.Symbol("L", positive=True) ** 2 + 1)), by=chained),
    ),
    "a name of one letter that stands for its opposite": (
        "names",
        lambda: reads(
            sp.srepr(
                sp.Implies(
                    eq(sp.Symbol("L", real=True), -sp.Symbol("L", positive=True)),
                    le(2 * sp.Symbol("L", real=True), sp.Symbol("L", positive=True) ** 2 + 1),
                    evaluate=False,
                )
            ),
            by=chained,
        ),
    ),
    "a name of the solvers' own": (
        "names",
        lambda: holds(bounded(sp.Symbol("|x|", positive=True), x, x > 1, gap=half)),
    ),
    # texts that state nothing
    "the truth": ("texts", lambda: reads("true")),
    "a choice that is true": ("texts", lambda: reads("Or(true, Lt(Integer(1), Integer(0)))")),
    "a case that is true": ("texts", lambda: reads("ITE(true, true, Lt(Integer(1), Integer(0)))")),
    "a float": ("texts", lambda: reads("Eq(Float(1), Integer(1))")),
    "a blank before the text": ("texts", lambda: reads(" " + symbolic(lt(x, x + 1))[0])),
    "a blank of another alphabet": ("texts", lambda: reads(symbolic(lt(x, x + 1))[0].replace(",", ",\u00a0"))),
    "a false relation between numbers": ("texts", lambda: reads("StrictLessThan(Integer(1), Integer(0))")),
    # assumptions and values that no number satisfies
    "half of an odd number": ("vacuous", lambda: follows(eq(whole**2, sp.Rational(1, 4)), given=(eq(2 * whole, 1),))),
    "between two neighbours": ("vacuous", lambda: follows(lt(whole, 5), given=(whole > 2, whole < 3))),
    "an even three": (
        "vacuous",
        lambda: holds(bounded(even, even + 1, eq(even, 3), gap=sp.Rational(999, 1000), weaker=half)),
    ),
    "a prime four": (
        "vacuous",
        lambda: holds(bounded(prime, prime + 1, eq(prime, 4), gap=sp.Rational(9, 10), weaker=half)),
    ),
    "even entries that are three": ("vacuous", lambda: holds(run())),
    "a box from 2 to 1": ("vacuous", lambda: holds(computations.positive_everywhere("box", u + 5, turned))),
    "a box from 2 to 1, for a bound": ("vacuous", lambda: holds(least(u, 0, turned))),
    "a box where a positive number is negative": (
        "vacuous",
        lambda: holds(computations.positive_everywhere("box", 1 - x, {x: (sp.Integer(-2), sp.Integer(-1))})),
    ),
    "a positive number that is negative": ("vacuous", lambda: holds(computations.comparison("c", lt(x, 0), {x: -1}))),
    "an integer that is a half": ("vacuous", lambda: holds(computations.comparison("c", lt(n, 1), {n: half}))),
    "a case of half a user": (
        "vacuous",
        lambda: holds(
            related_in_every_case(
                "c", "", lt(quantity, n), [{quantity: 0, n: half}], mutant=lt(n, quantity), parameters=(n,)
            )
        ),
    ),
    "a parameter of the other sign": (
        "vacuous",
        lambda: holds(least(u**2 + x, -2, unit, ({x: sp.Integer(-1)},))),
    ),
    # numbers that are not there
    "less than one more, also at infinity": (
        "infinite",
        lambda: holds(
            bounded(infinite, infinite + 1, infinite > 1, strict=True, gap=sp.Rational(999, 1000), weaker=half)
        ),
    ),
    "infinity as a counterexample": (
        "infinite",
        lambda: all(map(holds, counterexample("c", "", le(infinite, 5), {infinite: sp.oo}).obligations)),
    ),
    "a complex number in an order": (
        "infinite",
        lambda: holds(bounded(0, of_any_kind**2, gap=half, touching={of_any_kind: 0}, raised=half)),
    ),
    "nothing as a value": (
        "infinite",
        lambda: all(map(holds, found("f", "", "0/0", lambda: sp.S.Zero / 0, sp.nan).obligations)),
    ),
    "an infinite variable of derivatives": (
        "infinite",
        lambda: holds(
            Slopes(
                "s", infinite - 1, infinite, sp.Integer(2), {infinite: sp.Rational(21, 10)}, sp.Integer(2)
            ).discharge()
        ),
    ),
    # functions with a bend or a jump
    "the slope of an absolute value": ("bends", lambda: holds(derivative_is("d", sp.Abs(r), r, sp.sign(r)))),
    "the slope of a maximum": ("bends", lambda: holds(derivative_is("d", sp.Max(r, 0), r, sp.Heaviside(r)))),
    "the slope of a rounded number": (
        "bends",
        lambda: holds(derivative_is("d", sp.floor(r), r, sp.diff(sp.floor(r), r))),
    ),
    "the slope of a logarithm, also below zero": ("bends", lambda: holds(derivative_is("d", sp.log(r), r, 1 / r))),
    "the slope of a root at zero": (
        "bends",
        lambda: holds(derivative_is("d", sp.Abs(r) ** half, r, sp.diff(sp.Abs(r) ** half, r))),
    ),
    "a choice where balls overlap": (
        "bends",
        lambda: holds(least(sp.Piecewise((-1, u < half), (2, True)), 0, unit)),
    ),
    "a maximum where balls overlap": (
        "bends",
        lambda: holds(least(sp.Max(u, -u) - tenth, 0, {u: (sp.Integer(-1), sp.Integer(1))})),
    ),
    "a limit from the other side": (
        "bends",
        lambda: holds(tends_to("l", sp.Abs(r) / r + r, r, sp.Integer(0), sp.Integer(1), side="-")),
    ),
    # branches, empty sums, nothing to the power of nothing
    "a root of a square": ("branches", lambda: holds(equality("e", sp.sqrt((r - 1) ** 2), r - 1))),
    "the logarithm of a square": ("branches", lambda: holds(equality("e", sp.log(r**2), 2 * sp.log(r)))),
    "the root of a product": ("branches", lambda: holds(equality("e", sp.sqrt(r) * sp.sqrt(s), sp.sqrt(r * s)))),
    "the root of a third power": ("branches", lambda: holds(equality("e", (r**3) ** sp.Rational(1, 3), r))),
    "a root is at least minus one": (
        "branches",
        lambda: follows(sp.Ge(r ** sp.Rational(1, 3), -1, evaluate=False), given=(r >= -1,)),
    ),
    "nothing to the power of nothing": (
        "branches",
        lambda: holds(equality("e", sp.Integer(0) ** sp.Symbol("f", nonnegative=True), sp.Integer(0))),
    ),
    "a sum whose ends are exchanged": ("branches", lambda: follows(eq(sp.Sum(whole, (whole, 5, 2)), -7))),
    "equal numbers that no ball tells apart": (
        "branches",
        lambda: all(
            map(
                holds,
                compared(
                    "c", "", sp.Gt((sp.sqrt(2) + sp.sqrt(3)) ** 2, 5 + 2 * sp.sqrt(6), evaluate=False)
                ).obligations,
            )
        ),
    ),
    "equal numbers as a counterexample": (
        "branches",
        lambda: all(
            map(
                holds,
                counterexample("c", "", le(x, sp.sqrt(2) + sp.sqrt(3)), {x: sp.sqrt(5 + 2 * sp.sqrt(6))}).obligations,
            )
        ),
    ),
    # limits that are others for some values of another symbol
    "a limit where a coefficient may vanish": (
        "limits",
        lambda: limits(
            (r * x + 1) / (r * x + 2), sp.oo, 1, tends_to("l", (r * x + 1) / (r * x + 2), x, sp.oo, 1, at={r: 1})
        ),
    ),
    "a limit where a symbol may be zero": (
        "limits",
        lambda: limits(x / (x + r**2), 0, 0, tends_to("l", x / (x + r**2), x, sp.Integer(0), 0, at={r: 1})),
    ),
    "a limit of a quotient for any slope": (
        "limits",
        lambda: limits(r**2 * x / (r * x + 1), sp.oo, r, tends_to("l", r**2 * x / (r * x + 1), x, sp.oo, r, at={r: 1})),
    ),
    "a limit of a power for any base": (
        "limits",
        lambda: limits(y**x, sp.oo, 0, tends_to("l", y**x, x, sp.oo, 0, at={y: half})),
    ),
    "a limit without its condition": (
        "limits",
        lambda: limits(
            sp.log(x + r), 0, sp.log(r), tends_to("l", sp.log(x + r), x, sp.Integer(0), sp.log(r), at={r: 1})
        ),
    ),
    # values, intervals and systems that are not of the kind that is meant
    "three as an even number": ("kinds", lambda: holds(computations.comparison("c", lt(even, 4), {even: 3}))),
    "four as a prime": ("kinds", lambda: holds(computations.comparison("c", lt(prime, 5), {prime: 4}))),
    "zero as a positive number": ("kinds", lambda: holds(computations.comparison("c", le(x, 0), {x: 0}))),
    "an even number between two and four": (
        "kinds",
        lambda: follows(lt(even, 5), given=(even > 2, even < 4)),
    ),
    "an interval without integers": (
        "kinds",
        lambda: all(
            map(
                holds,
                below_on_box(
                    "b",
                    "",
                    n,
                    2 * n,
                    {n: (sp.Rational(1, 4), sp.Rational(3, 4))},
                    closest={n: half},
                    weaker=sp.Rational(1, 3),
                ).obligations,
            )
        ),
    ),
    "an interval of negative numbers for a positive one": (
        "kinds",
        lambda: all(
            map(
                holds,
                below_on_box(
                    "b",
                    "",
                    1 - x,
                    3 - x,
                    {x: (sp.Integer(-2), sp.Integer(-1))},
                    closest={x: -1},
                    weaker=sp.Rational(1, 4),
                ).obligations,
            )
        ),
    ),
    "a loss where the noise may vanish": (
        "kinds",
        lambda: holds(gaussian_loss("l", GaussianObservation([[1]], [[r]], [[1]]), (r,), half)),
    ),
    "a loss where data and noise may vanish": (
        "kinds",
        lambda: holds(gaussian_loss("l", GaussianObservation([[r]], [[r]], [[1]]), (1,), half)),
    ),
    # controls and statements that say nothing
    "a gap that is none": (
        "nothing asked",
        lambda: holds(bounded(-2 * x, -x, x > 0, gap=sp.Integer(1), weaker=sp.Integer(3))),
    ),
    "the assumption, and the same on both sides": (
        "nothing asked",
        lambda: follows(sp.And(eq(sp.exp(x), sp.exp(x)), le(x, y), evaluate=False), given=(le(x, y),)),
    ),
    "the assumption of an implication": (
        "nothing asked",
        lambda: follows(sp.Implies(le(x, y), le(x, y), evaluate=False)),
    ),
    "free of nothing": ("nothing asked", lambda: holds(computations.free_of("f", "", x))),
}
