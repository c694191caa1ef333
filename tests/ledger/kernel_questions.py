"""The kernel's own questions, as short functions, and the symbols and obligations that statements about them share."""

from __future__ import annotations

import sympy as sp

from pan_proofs.engines import computations
from pan_proofs.engines.gaussian_observations import GaussianObservation, gaussian_loss
from pan_proofs.engines.identities import equality
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.minima import exceeds_on_box
from pan_proofs.engines.obligation import Obligation, Status
from pan_proofs.engines.vectors import Induction
from pan_proofs.ledger.linking import linked
from pan_proofs.ledger.statements import symbolic

x, y = sp.symbols("x y", positive=True)
r, s, u = sp.symbols("r s u", real=True)
n = sp.Symbol("n", integer=True, positive=True)
whole = sp.Symbol("k", integer=True)
even, prime = sp.Symbol("e", even=True), sp.Symbol("p", prime=True)
length = sp.Symbol("L", integer=True, nonnegative=True)
infinite, of_any_kind = sp.Symbol("z", extended_positive=True), sp.Symbol("c", complex=True)
sigma, rho = sp.symbols("sigma rho", positive=True)
quantity = sp.Symbol("Q")
half, tenth = sp.Rational(1, 2), sp.Rational(1, 10)
square = equality("square", (x + 1) ** 2, x**2 + 2 * x + 1)
loss = gaussian_loss("loss", GaussianObservation([[1]], [[1]], [[sigma**2]]), (1,), 1 / (2 * sigma**2))
chained = Inequality(
    "chained",
    2 * sp.Symbol("L", real=True),
    sp.Symbol("L", real=True) ** 2 + 1,
    (),
    touching={sp.Symbol("L", real=True): 1},
).discharge()
fixed_loss = gaussian_loss("loss", GaussianObservation([[1]], [[1]], [[2]]), (1,), sp.Rational(1, 4))


def le(left: object, right: object) -> sp.Basic:
    return sp.Le(left, right, evaluate=False)


def lt(left: object, right: object) -> sp.Basic:
    return sp.Lt(left, right, evaluate=False)


def eq(left: object, right: object) -> sp.Basic:
    return sp.Eq(left, right, evaluate=False)


def holds(obligation: Obligation) -> bool:
    """Whether it is discharged, and says more than that expressions are written alike."""
    return obligation.status is Status.DISCHARGED and obligation.kind is not computations.Kind.IDENTICAL


def follows(*stated: sp.Basic, by: Obligation = square, **more: object) -> bool:
    """Whether all of these statements follow from an obligation."""
    return all(reads(text, by) for text in symbolic(*stated, **more))


def reads(text: str, by: Obligation = square) -> bool:
    return linked("link", text, (by,)).status is Status.DISCHARGED


def limits(path: object, place: object, value: object, by: Obligation, **more: object) -> bool:
    """Whether it follows that an expression in x tends to a value, for all values of the other symbols."""
    return follows(eq(sp.Limit(path, x, place, "+"), value), by=by, **more)


def near_the_root() -> Obligation:
    """Whether a fraction exceeds the root of 2, from which no ball tells it: it does not."""
    below = sp.Rational(int(sp.sqrt(2) * 10**60), 10**60)
    relation = sp.Gt(x, sp.sqrt(y), evaluate=False)
    near = computations.comparison("near", relation, {x: below, y: 2}, "it exceeds the root")
    far = computations.comparison("far", relation, {x: 3, y: 4}, "it exceeds the root")
    return computations.together("both", "both exceed the roots", near, far)


def bounded(smaller: object, larger: object, *hypotheses: object, **more: object) -> Obligation:
    return Inequality("bound", sp.sympify(smaller), sp.sympify(larger), hypotheses, **more).discharge()


def least(expression: object, bound: object, box: dict, cases: object = ({},), **close: object) -> Obligation:
    at = close.get("at", {u: sp.Rational(9, 10)})
    return exceeds_on_box(
        "least", expression, sp.sympify(bound), box, cases, close=[at] * len(cases), stronger=sp.Integer(9)
    )


def run(sign: int = 1) -> Obligation:
    """The sum of entries that are 3, and even."""
    return Induction(
        "sum", le(sign * s, 3 * length), length, (even,), {s: s + even}, ((3,),), conditions=(eq(even, 3),)
    ).discharge()


unit = {u: (sp.Integer(0), sp.Integer(1))}
turned = {u: (sp.Integer(2), sp.Integer(1))}
