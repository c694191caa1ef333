"""Signs of functions with logarithms on an interval, by derivatives.

A function that is not negative at the start of an interval, and whose derivative is not negative on it, is not
negative on it. The derivatives are asked in turn, until one is a rational function or a sum of logarithms with integer
factors. The sign of the first is a question to the solvers; the second has the sign of a product minus one. An
independent engine compares each derivative with a coefficient of a power series in balls.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import sympy as sp
from sympy.core.relational import Relational

from pan_proofs.engines.balls import enclosure
from pan_proofs.engines.identities import identity_checks
from pan_proofs.engines.inequalities import solver_checks
from pan_proofs.engines.obligation import Answer, Check, Kind, MissingEngine, Obligation, decided, minted
from pan_proofs.engines.relations import eq, gt, le, lt
from pan_proofs.engines.witnesses import require_stronger, slope_at, witness_checks

RISES = "the derivatives have the sign that is needed"
"""The question that marks an inequality by derivatives among the obligations."""

_MOST_DERIVATIVES = 6


@dataclass(frozen=True)
class Slopes:
    """``expression >= 0`` (or ``> 0``) on an interval, for all parameters that satisfy the conditions.

    The interval is open. A function that is continuous at an end has the same sign there, without strictness.

    Attributes
    ----------
    name
        Name of the obligation.
    expression
        A sum of rational functions and of rational functions times logarithms of rational functions.
    variable
        The variable.
    start
        The start of the interval: a rational function of the parameters.
    witness
        A point of the interval with the parameters, at which the stronger statement ``expression >= raised`` fails.
    raised
        A positive number.
    end
        The end of the interval, or ``None`` for a half line.
    conditions
        Relations between the parameters.
    strict
        Whether it is positive.
    """

    name: str
    expression: sp.Expr
    variable: sp.Symbol
    start: sp.Expr
    witness: Mapping[sp.Symbol, Any]
    raised: sp.Rational
    end: sp.Expr | None = None
    conditions: tuple[Relational, ...] = ()
    strict: bool = False
    region: tuple[Relational, ...] = field(init=False)

    def __post_init__(self) -> None:
        ends = [gt(self.variable, self.start)]
        ends += [] if self.end is None else [lt(self.variable, self.end)]
        object.__setattr__(self, "region", (*ends, *self.conditions))

    def discharge(self) -> Obligation:
        """Ask for the signs of the derivatives and for the values at the start, and run the controls.

        Raises
        ------
        ValueError
            If the stronger statement is not stronger, a symbol may be complex, or the region is no interval.
        """
        self._require_plain()
        checks = [*solver_checks("the interval holds a point", list(self.region), Answer.SAT)]
        try:
            checks += self._descend(sp.sympify(self.expression), 0)
        except MissingEngine:
            checks.append(Check(RISES, "flint", Answer.HOLDS, Answer.SKIPPED))
        checks += witness_checks(self.expression, self.witness, self.raised, self.region)
        goal = (sp.Gt if self.strict else sp.Ge)(self.expression, 0, evaluate=False)
        return minted(self.name, self.statement, checks, Kind.INEQUALITY, (goal,), self.region)

    def _require_plain(self) -> None:
        require_stronger(self.name, self.raised)
        ends = [sp.sympify(end) for end in (self.start, self.end) if end is not None]
        symbols = {self.variable, *self.expression.free_symbols}.union(*(end.free_symbols for end in ends))
        if unknown := sorted(str(one) for one in symbols if not one.is_real):
            raise ValueError(
                f"{self.name}: the symbols {', '.join(unknown)} may be complex or infinite; declare them real"
            )
        # A gap in the region, or a variable that skips numbers, would let the function fall unseen.
        if any(one.has(self.variable) for one in (*ends, *self.conditions)):
            raise ValueError(f"{self.name}: the ends and the conditions may not depend on {self.variable}")
        kind = self.variable.assumptions0
        positive = kind == sp.Symbol("x", positive=True).assumptions0 and ends[0].is_nonnegative
        if not positive and kind != sp.Symbol("x", real=True).assumptions0:
            raise ValueError(f"{self.name}: declare {self.variable} real, or positive if the interval starts from 0 on")

    @property
    def statement(self) -> str:
        """The statement in words of sympy."""
        sign = ">" if self.strict else ">="
        region = ", ".join(map(sp.sstr, self.region))
        return f"{sp.sstr(self.expression)} {sign} 0 whenever {region}"

    def _descend(self, expression: sp.Expr, order: int) -> list[Check]:
        told = "the function" if order == 0 else f"derivative {order}"
        checks = self._defined(told, expression)
        solved = self._by_solvers(told, expression)
        if solved is not None:
            return checks + solved
        if order == _MOST_DERIVATIVES:
            return [*checks, decided(RISES, "sympy", None)]
        slope = sp.diff(expression, self.variable)
        slope = sp.together(slope) if slope.is_rational_function() else sp.expand(slope)
        checks += self._at_start(told, expression)
        checks.append(self._same_slope(f"derivative {order + 1} is that of the series", expression, slope))
        return checks + self._descend(slope, order + 1)

    def _by_solvers(self, told: str, expression: sp.Expr, region: tuple[Relational, ...] | None = None) -> Any:
        """The sign of a rational function, or of a sum of logarithms with integer factors; ``None`` for another."""
        product = _product(expression)
        if product is None:
            return None
        known = list(self.region if region is None else region)
        sides = (product[0], product[1])
        goal = (sp.Gt if self.strict and region is None else sp.Ge)(*sides, evaluate=False)
        question = RISES if region is None else f"{told} at the start is not negative"
        return solver_checks(question, [*known, sp.Not(goal, evaluate=False)], Answer.UNSAT)

    def _defined(self, told: str, expression: sp.Expr) -> list[Check]:
        """The logarithms have positive arguments, and nothing is divided by zero, inside the interval."""
        return _well_defined(told, expression, self.region)

    def _at_start(self, told: str, expression: sp.Expr) -> list[Check]:
        limit = _limit(expression, self.variable, sp.sympify(self.start))
        value = limit.value
        question = f"{told} at the start is not negative"
        if not limit.known:
            return [decided(question, "sympy", None)]
        given = tuple(one for one in self.region if not one.has(self.variable))
        checks = _asked_of(f"{told} at the start", limit.inside, limit.bottoms, given)
        if sp.expand(value) == 0:
            return [*checks, decided(question, "sympy", True)]
        same = identity_checks(value, sp.S.Zero) if value.free_symbols else ()
        if same and all(one.answer is Answer.HOLDS for one in same):
            return [*checks, *(one.about(question) for one in same)]
        if not value.free_symbols:
            positive = bool(enclosure(value) > 0)
            return [*checks, decided(question, "flint", positive)]
        return checks + (self._by_solvers(told, value, given) or [decided(question, "sympy", None)])

    def _same_slope(self, question: str, expression: sp.Expr, slope: sp.Expr) -> Check:
        near = slope_at(expression, self.variable, self.witness, slope)
        return decided(question, "flint", near)


@dataclass(frozen=True)
class _Limit:
    """A limit at the start: its value, and all that must be positive, or must not vanish, for it to be that.

    Attributes
    ----------
    value
        The limit.
    bottoms
        Denominators at the start.
    inside
        Arguments of logarithms at the start.
    known
        Whether there is a rule for it.
    """

    value: sp.Expr = sp.S.Zero
    bottoms: tuple[sp.Expr, ...] = ()
    inside: tuple[sp.Expr, ...] = ()
    known: bool = True


def _product(expression: sp.Expr) -> tuple[sp.Expr, sp.Expr] | None:
    """Two rational functions whose comparison has the sign of the expression: itself and 0, or a product and 1."""
    if not expression.has(sp.log):
        return (expression, sp.S.Zero) if expression.is_rational_function() else None
    product = sp.S.One
    for term in sp.Add.make_args(sp.expand(expression)):
        factor, logarithm = term.as_coeff_Mul()
        if not (factor.is_Integer and isinstance(logarithm, sp.log) and logarithm.args[0].is_rational_function()):
            return None
        product *= logarithm.args[0] ** factor
    return product, sp.S.One


def _well_defined(told: str, expression: sp.Expr, region: tuple[Relational, ...]) -> list[Check]:
    inside = [log.args[0] for log in expression.atoms(sp.log)]
    bottoms = [power.base for power in expression.atoms(sp.Pow) if power.exp.is_negative]
    return _asked_of(told, inside, bottoms, region)


def _asked_of(
    told: str, inside: Iterable[sp.Expr], bottoms: Iterable[sp.Expr], region: tuple[Relational, ...]
) -> list[Check]:
    """Whether the arguments of logarithms are positive, and no denominator vanishes."""
    asked = [
        *((f"{told}: {sp.sstr(one)} is positive", le(one, 0), one) for one in {*inside}),
        *((f"{told}: {sp.sstr(one)} does not vanish", eq(one, 0), one) for one in {*bottoms}),
    ]
    checks: list[Check] = []
    for question, opposite, one in sorted(asked, key=lambda entry: entry[0]):
        if one.is_Number:
            fine = bool(one > 0) if "positive" in question else one != 0
            checks.append(decided(question, "sympy", fine))
        elif one.is_rational_function():
            checks += solver_checks(question, [*region, opposite], Answer.UNSAT)
        else:
            checks.append(decided(question, "sympy", None))
    return checks


def _limit(expression: sp.Expr, variable: sp.Symbol, start: sp.Expr) -> _Limit:
    """The limit at the start.

    A logarithm of ``q``, with ``q`` tending to 0, times something with a factor ``q`` tends to 0.
    """
    factors: dict[sp.Expr, sp.Expr] = {}
    for term in sp.Add.make_args(sp.expand(expression, log=False)):
        logs = sp.Mul(*(one for one in sp.Mul.make_args(term) if isinstance(one, sp.log)))
        factors[logs] = factors.get(logs, sp.S.Zero) + term / logs
    found = _Limit()
    for logs, factor in factors.items():
        inside = [one.args[0].subs(variable, start) for one in sp.Mul.make_args(logs) if logs != 1]
        vanishing = [sp.cancel(one) == 0 for one in inside]
        rest = sp.cancel(factor / logs.args[0] if any(vanishing) else factor)
        bottom = sp.denom(rest).subs(variable, start)
        if factor.has(sp.log) or (any(vanishing) and len(inside) > 1) or sp.cancel(bottom) == 0:
            return _Limit(known=False)
        here = sp.S.Zero if any(vanishing) else (rest * logs).subs(variable, start)
        positive = () if any(vanishing) else tuple(inside)
        found = _Limit(found.value + here, (*found.bottoms, bottom), (*found.inside, *positive))
    return found
