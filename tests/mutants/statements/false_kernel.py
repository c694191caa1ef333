"""Statements about the kernel's own questions, false or unsupported ones that deceived it or might, and true ones."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from pan_proofs.engines.computations import comparison, together
from pan_proofs.engines.gaussian_observations import GaussianObservation, gaussian_loss
from pan_proofs.engines.growth import Growth
from pan_proofs.engines.identities import equality
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.ladders import positive_for_positive
from pan_proofs.engines.minima import exceeds_on_box
from pan_proofs.engines.obligation import Obligation
from pan_proofs.engines.vectors import Induction
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
q, near, tiny = sp.Rational(4247, 5000), sp.Rational(4248, 5000), sp.Rational(1, 10**60)
fair = {(Fraction(-1),): Fraction(1, 2), (Fraction(1),): Fraction(1, 2)}
unit, turned = {u: (sp.S.Zero, sp.S.One)}, {u: (sp.Integer(2), sp.S.One)}
real_length, long = sp.Symbol("L", real=True), sp.Symbol("L", positive=True)
square = equality("square", (x + 1) ** 2, x**2 + 2 * x + 1)
loss = gaussian_loss("loss", GaussianObservation([[1]], [[1]], [[sigma**2]]), (1,), 1 / (2 * sigma**2))
fixed_loss = gaussian_loss("loss", GaussianObservation([[1]], [[1]], [[2]]), (1,), sp.Rational(1, 4))
chained = Inequality("chained", 2 * real_length, real_length**2 + 1, ()).discharge()


def follows(*stated: sp.Basic, by: Obligation = square, **more: object) -> tuple:
    """Statements, and the obligation from which they should follow."""
    return symbolic(*stated, **more), (by,)


def reads(text: str, by: Obligation = square) -> tuple:
    return (text,), (by,)


def limits(path: object, place: object, value: object, by: Obligation, **more: object) -> tuple:
    """That an expression in x tends to a value, for all values of the other symbols."""
    return follows(sp.Eq(sp.Limit(path, x, place, "+"), value, evaluate=False), by=by, **more)


def near_the_root() -> Obligation:
    """Whether a fraction exceeds the root of 2, from which no ball tells it: it does not."""
    below = sp.Rational(int(sp.sqrt(2) * 10**60), 10**60)
    relation = sp.Gt(x, sp.sqrt(y), evaluate=False)
    near = comparison("near", relation, {x: below, y: 2}, "it exceeds the root")
    far = comparison("far", relation, {x: 3, y: 4}, "it exceeds the root")
    return together("both", "both exceed the roots", near, far)


def bounded(smaller: object, larger: object, *hypotheses: object, **more: object) -> Obligation:
    return Inequality("bound", sp.sympify(smaller), sp.sympify(larger), hypotheses, **more).discharge()


def least(expression: object, bound: object, box: dict, cases: object = ({},)) -> Obligation:
    close = [{u: sp.Rational(9, 10)}] * len(cases)
    return exceeds_on_box("least", expression, sp.sympify(bound), box, cases, close=close, stronger=sp.Integer(9))


def run() -> Obligation:
    """The sum of entries that are 3, and even."""
    summed, three = sp.Le(s, 3 * length), sp.Eq(even, 3, evaluate=False)
    return Induction("sum", summed, length, (even,), {s: s + even}, ((3,),), conditions=(three,)).discharge()


def grows(quantity_: sp.Expr, order: sp.Expr, finer: sp.Expr, factor: sp.Expr = sp.S.One) -> Obligation:
    given = {"least": half, "most": sp.Integer(2), "first": sp.Integer(2), "factor": factor}
    return Growth(
        "g", quantity_, order, variable=r, finer=finer, close={r: 3}, raised=sp.Integer(99), **given
    ).discharge()


def ladder(*functions: sp.Expr, factors: tuple[sp.Expr, ...]) -> Obligation:
    return positive_for_positive("l", x, functions, factors)


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


FALSE = {
    "answers": {
        "answers of another obligation": "near_the_root()",
        "two that are written alike, together": (
            "together('t', '', equality('a', x + x, 2 * x), equality('b', y + y, 2 * y))"
        ),
        "nothing together": "together('t', '')",
    },
    "names": {
        "a loss as a variable": "follows(sigma < 0, by=loss, given=(rho > 1, sigma > 1))",
        "a loss as a variable in a choice": (
            "follows(Or(sigma < 0, rho < 1, evaluate=False), by=loss, given=(sigma > 1,))"
        ),
        "the name of the loss itself": (
            "follows(x < 0, by=fixed_loss, given=(Symbol('loss of the observation', positive=True) > 1,))"
        ),
        "two symbols of one name": (
            "reads(\"Implies(Lt(Symbol('x', real=True), Integer(-5)), Gt(Symbol('x', positive=True), Integer(-1)))\")"
        ),
        "a name with a blank": (
            "follows(Symbol('x ', positive=True) < x, given=(Symbol('x ', positive=True) + 1 < x + 1,))"
        ),
        "two names of one letter": (
            "reads(\"Implies(Lt(Symbol('epsilon', real=True), Integer(-5)), Gt(Symbol('\\\\\\\\epsilon', "
            'positive=True), Integer(-1)))")'
        ),
        "a real number and a positive one of one name": "reads(srepr(real_length <= long**2 + 1), by=chained)",
        "a name of one letter that stands for its opposite": (
            "reads(srepr(Implies(real_length == -long, 2 * Symbol('L', real=True) <= long**2 + 1, "
            "evaluate=False)), by=chained)"
        ),
    },
    "texts": {
        "the truth": "reads('true')",
        "a choice that is true": "reads('Or(true, Lt(Integer(1), Integer(0)))')",
        "a case that is true": "reads('ITE(true, true, Lt(Integer(1), Integer(0)))')",
        "a false relation between numbers": "reads('StrictLessThan(Integer(1), Integer(0))')",
    },
    "vacuous": {
        "half of an odd number": "follows(whole**2 == 1 / 4, given=(2 * whole == 1,))",
        "between two neighbours": "follows(whole < 5, given=(whole > 2, whole < 3))",
        "an even three": "bounded(even, even + 1, even == 3, gap=999 / 1000, weaker=half)",
        "a prime four": "bounded(prime, prime + 1, prime == 4, gap=9 / 10, weaker=half)",
        "even entries that are three": "run()",
        "a box from 2 to 1": "positive_everywhere('box', u + 5, turned)",
        "a box from 2 to 1, for a bound": "least(u, 0, turned)",
    },
    "bends": {
        "the slope of an absolute value": "derivative_is('d', Abs(r), r, sign(r))",
        "the slope of a maximum": "derivative_is('d', Max(r, 0), r, Heaviside(r))",
        "the slope of a rounded number": "derivative_is('d', floor(r), r, diff(floor(r), r))",
        "the slope of a logarithm, also below zero": "derivative_is('d', log(r), r, 1 / r)",
        "the slope of a root at zero": "derivative_is('d', Abs(r)**half, r, diff(Abs(r)**half, r))",
        "a limit from the other side": "tends_to('l', Abs(r) / r + r, r, S(0), S(1), side='-')",
    },
    "branches": {
        "a root of a square": "equality('e', sqrt((r - 1)**2), r - 1)",
        "the logarithm of a square": "equality('e', log(r**2), 2 * log(r))",
        "the root of a product": "equality('e', sqrt(r) * sqrt(s), sqrt(r * s))",
        "the root of a third power": "equality('e', (r**3)**(1 / 3), r)",
        "a root is at least minus one": "follows(r**(1 / 3) >= -1, given=(r >= -1,))",
        "nothing to the power of nothing": "equality('e', S(0)**Symbol('f', nonnegative=True), S(0))",
        "a sum whose ends are exchanged": "follows(Sum(whole, (whole, 5, 2)) == -7)",
        "equal numbers that no ball tells apart": "compared('c', '', (sqrt(2) + sqrt(3))**2 > 5 + 2 * sqrt(6))",
        "equal numbers as a counterexample": (
            "counterexample('c', '', x <= sqrt(2) + sqrt(3), {x: sqrt(5 + 2 * sqrt(6))})"
        ),
    },
    "limits": {
        "a limit where a coefficient may vanish": (
            "limits((r * x + 1) / (r * x + 2), oo, 1, tends_to('l', (r * x + 1) / (r * x + 2), x, oo, 1, at={r: 1}))"
        ),
        "a limit where a symbol may be zero": (
            "limits(x / (x + r**2), 0, 0, tends_to('l', x / (x + r**2), x, S(0), 0, at={r: 1}))"
        ),
        "a limit of a quotient for any slope": (
            "limits(r**2 * x / (r * x + 1), oo, r, tends_to('l', r**2 * x / (r * x + 1), x, oo, r, at={r: 1}))"
        ),
        "a limit of a power for any base": "limits(y**x, oo, 0, tends_to('l', y**x, x, oo, 0, at={y: half}))",
        "a limit without its condition": (
            "limits(log(x + r), 0, log(r), tends_to('l', log(x + r), x, S(0), log(r), at={r: 1}))"
        ),
    },
    "kinds": {
        "an even number between two and four": "follows(even < 5, given=(even > 2, even < 4))",
        "a loss where the noise may vanish": "gaussian_loss('l', GaussianObservation([[1]], [[r]], [[1]]), (r,), half)",
        "a loss where data and noise may vanish": (
            "gaussian_loss('l', GaussianObservation([[r]], [[r]], [[1]]), (1,), half)"
        ),
    },
    "nothing asked": {
        "the assumption, and the same on both sides": (
            "follows(And(exp(x) == exp(x), x <= y, evaluate=False), given=(x <= y,))"
        ),
        "the assumption of an implication": "follows(Implies(x <= y, x <= y, evaluate=False))",
    },
    "near powers": {
        "a power of a near exponential": "equality('e', exp(q)**2, exp(2 * near))",
        "a product of E and a near exponential": (
            "equality('e', (exp(q) + E)**2, exp(2 * q) + 2 * exp(near + 1) + exp(2))"
        ),
        "another power of E": "equality('e', (exp(q) + E)**2, exp(2 * q) + 2 * exp(q + 1) + exp(3))",
        "the inverse with the wrong sign": (
            "equality('e', 1 / (exp(q) + exp(-q)), (exp(q) - exp(-q)) / (exp(2 * q) + 1))"
        ),
        "a power of a variable with a near factor": "equality('e', exp(q * x) * exp(x), exp((near + 1) * x))",
        "exponentials that agree in sixty digits": "equality('e', exp(q), exp(q) + tiny)",
    },
    "no point": {
        "from a circle of bounds": "follows(sigma < 0, by=loss, given=(x < y, y < x))",
        "from a circle of bounds that are not strict": "follows(x < 0, given=(x + 1 <= y, y <= x))",
        "from an equation that no positive number solves": "follows(x < 0, given=(x + y == 0,))",
        "from an equation that no integer solves": "follows(n < 0, given=(2 * n + 2 * whole == 3,))",
        "from an integer between two neighbours, by equations": "follows(n < 0, given=(n == x, 1 < x, x < 2))",
        "from an alternative of which neither holds": "follows(x < 0, given=(Or(x == -1, x == -2, evaluate=False),))",
        "from an exponential below its tangent": "follows(x < 0, given=(exp(r) < 1 + r,))",
        "from an odd number that is even": "follows(even < 0, given=(even == 2 * whole + 1,))",
    },
    "turned bounds": {
        "a bound that is turned": "follows(y <= x, given=(x <= y, 0 < x))",
        "a strict bound from one that is not": "follows(x < y, given=(x <= y, 1 <= x))",
        "a bound of squares from one of any numbers": "follows(r**2 <= s**2, given=(r <= s, r <= 5))",
        "a bound of inverses in the same order": "follows(1 / x <= 1 / y, given=(x <= y,))",
        "one way of an equivalence": "follows(Equivalent(r < 1, r**2 < 1, evaluate=False), given=(0 < s,))",
        "one of several, by all": "follows(And(x <= y, y <= x, evaluate=False), given=(Or(x <= y, y <= x),))",
        "a quotient of two bounds": "follows(r / s <= 1, given=(r <= s, s < 5))",
    },
    "empty regions": {
        "a bound whose control lies in an empty region": "bounded(2 * x, x, x <= -1)",
        "a bound of integers where only fractions are": "bounded(n + 5, n, 3 * n >= 4, 3 * n <= 5, gap=half)",
    },
    "values that agree": {
        "a float in a list for a fraction": "computed_value('v', 'a half', lambda: (float(half),), (half,))",
        "a float in a list for a plain fraction": (
            "computed_value('v', 'a half', lambda: (float(half),), (Fraction(1, 2),))"
        ),
    },
    "orders": {
        "an order of growth with a constant of the inverse": "grows(r**2, r, S(1))",
        "an order of growth that is not finer": "grows(r, r, r)",
        "an order of growth with a negative factor": "grows(r, -r, -S(1), factor=-S(1))",
        "a ladder with a step that falls": "ladder(1 - x, S(1), factors=(-S(1),))",
        "a ladder over a floor": "ladder(floor(x) - half, S(1), factors=(S(1),))",
        "the variance with the square of the number": (
            "moment_of_sum('m', (2,), lambda p: {0: 1, 1: 0, 2: 1}[p[0]], n, n**2, fair, {n: S(3)})"
        ),
        "a limit of an exponential to infinity from the other side": (
            "tends_to('t', exp(1 / u), u, S(0), S(0), side='+')"
        ),
        "the derivative of a power with the wrong base": "derivative_is('d', x**u, u, x**u * log(u))",
        "a loss that falls with the budget": "follows(rho < 0, by=loss, given=(rho > sigma,))",
    },
}

TRUE = {
    "several that hold": "together('t', '', equality('a', (x + 1)**2, x**2 + 2 * x + 1), comparison('b', E <= 3))",
    "a loss by its value": "follows(quantity == 1 / 4, by=fixed_loss)",
    "a real symbol that stands for the positive one of its name": (
        "follows(2 * long <= long**2 + 1, by=chained, where={real_length: long})"
    ),
    "an even number": "follows(even <= even + 1, given=(even >= 2,))",
    "an integer between two others": "follows(whole <= 4, given=(whole > 2, whole < 4))",
    "an integer bound": "bounded(n, n**2, n >= 2, gap=half, weaker=tenth)",
    "a box of one point": "positive_everywhere('box', u + 1, {u: (S(1), S(1))})",
    "a box from zero on, for a positive number": "positive_everywhere('box', 1 + x, {x: (S(0), S(1))})",
    "the slope of a power": "derivative_is('d', (1 + r**2)**3, r, 6 * r * (1 + r**2)**2)",
    "the slope of a logarithm": "derivative_is('d', log(1 + x), x, 1 / (1 + x))",
    "the slope of a root": "derivative_is('d', sqrt(x), x, 1 / (2 * sqrt(x)))",
    "a limit from the right side": "tends_to('l', Abs(r) / r + r, r, S(0), S(1), side='+')",
    "a limit with a symbol in a factor": (
        "limits(r**2 * x / (x + 1), oo, r**2, tends_to('l', r**2 * x / (x + 1), x, oo, r**2, at={r: 1}))"
    ),
    "a limit at a place where all is continuous": (
        "limits(log(x + y), 0, log(y), tends_to('l', log(x + y), x, S(0), log(y), at={y: 2}))"
    ),
    "a limit under its condition": (
        "limits(x / (x + r), 0, 0, tends_to('l', x / (x + r), x, S(0), 0, at={r: 1}), given=(r != 0,))"
    ),
    "a loss where the noise cannot vanish": "gaussian_loss('l', GaussianObservation([[1]], [[x]], [[1]]), (x,), half)",
    "a box that ends at zero, between two sides": (
        "below_on_box('b', '', x, x + 1, {x: (S(0), S(1))}, closest={x: 1}, weaker=1 / 3)"
    ),
    "an even number by its value": "comparison('c', even < 5, {even: 4})",
    "an even number between one and three": "follows(even < 4, given=(even > 1, even < 3))",
    "half of what is assumed, and more": (
        "follows(And((x + 1)**2 == x**2 + 2 * x + 1, x <= y, evaluate=False), given=(x <= y,))"
    ),
    "a sum of powers on a box": "least(1 + u**2, half, unit)",
    "a case of two users": (
        "related_in_every_case('c', '', quantity < n, [{quantity: Fraction(1, 2), n: 2}], mutant=n < quantity, "
        "parameters=(n,))"
    ),
    "unequal numbers that are near": "compared('c', '', sqrt(2) + sqrt(3) < 31463 / 10000)",
}

REFUSED = {
    "the solvers cannot be told of": [
        "bounded(Symbol('|x|', positive=True), x, x > 1, gap=half)",
    ],
    "no expression of sympy": [
        "reads('Eq(Float(1), Integer(1))')",
    ],
    "as sympy writes it": [
        "reads(' ' + symbolic(x < x + 1)[0])",
        "reads(symbolic(x < x + 1)[0].replace(',', ',\\xa0'))",
    ],
    "is not of the kind that": [
        "positive_everywhere('box', 1 - x, {x: (S(-2), S(-1))})",
        "comparison('c', x < 0, {x: -1})",
        "comparison('c', n < 1, {n: half})",
        (
            "related_in_every_case('c', '', quantity < n, [{quantity: 0, n: half}], mutant=n < quantity, "
            "parameters=(n,))"
        ),
        "least(u**2 + x, -2, unit, ({x: S(-1)},))",
        "comparison('c', even < 4, {even: 3})",
        "comparison('c', prime < 5, {prime: 4})",
        "comparison('c', x <= 0, {x: 0})",
        "below_on_box('b', '', n, 2 * n, {n: (1 / 4, 3 / 4)}, closest={n: half}, weaker=1 / 3)",
        "below_on_box('b', '', 1 - x, 3 - x, {x: (S(-2), S(-1))}, closest={x: -1}, weaker=1 / 4)",
    ],
    "complex or infinite": [
        "bounded(infinite, infinite + 1, infinite > 1, strict=True, gap=999 / 1000, weaker=half)",
        "counterexample('c', '', infinite <= 5, {infinite: oo})",
        "bounded(0, of_any_kind**2, gap=half, raised=half)",
        "Slopes('s', infinite - 1, infinite, S(2), {infinite: 21 / 10}, S(2)).discharge()",
    ],
    "no value of a computation": [
        "found('f', '', '0/0', lambda: S.Zero / 0, nan)",
        "computed_value('v', 'a limit', lambda: oo - oo, nan)",
        "computed_value('v', 'a quotient', lambda: S.One / 0, zoo)",
    ],
    "is no sum, product": [
        "least(Piecewise((-1, u < half), (2, True)), 0, unit)",
        "least(Max(u, -u) - tenth, 0, {u: (S(-1), S(1))})",
    ],
    "does not strengthen": [
        "bounded(-2 * x, -x, x > 0, gap=S(1), weaker=S(3))",
    ],
    "no symbol that is asked about": [
        "free_of('f', '', x)",
    ],
    "a value is a number, a text or an expression": [
        "computed_value('v', 'a sum', lambda: Alike('1'), Alike('0 = 1'))",
        "computed_value('v', 'a sum', lambda: (Alike('1'),), (Alike('0 = 1'),))",
        "computed_value('v', 'a sum', lambda: AlikeOfSympy(), AlikeOfSympy())",
        "computed_value('v', 'a sum', lambda: Tuple(AlikeOfSympy()), Tuple(AlikeOfSympy()))",
    ],
    "no ball for": [
        "comparison('c', 5 <= 1 / r, {r: 0})",
    ],
    "a quantity is an exact real number": [
        (
            "related_in_every_case('c', 'cases', quantity == 1, ({quantity: True, n: 1},), mutant=quantity "
            "== 2, parameters=(n,))"
        ),
    ],
}
