"""Inequalities on a whole line that follow from the shape of the difference: convex, or with one hump.

A convex function that vanishes with its derivative at one place is nowhere negative. A function that rises from a value
that is not negative, up to one place, and falls from there on to a limit that is not negative, is positive between.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import sympy as sp
from sympy.core.relational import Relational

from pan_proofs.engines.entailment import entailment
from pan_proofs.engines.identities import identity_checks
from pan_proofs.engines.inequalities import solver_checks
from pan_proofs.engines.obligation import Answer, Check, Kind, Obligation, decided, minted
from pan_proofs.engines.relations import ge, gt, le, lt
from pan_proofs.engines.witnesses import require_stronger, slope_at, witness_checks

BENDS = "the difference has the shape that is needed"
"""The question that marks an inequality by shape among the obligations."""

_SMOOTH = (sp.Add, sp.Mul, sp.exp, sp.erf)


@dataclass(frozen=True)
class Convex:
    """``smaller <= larger`` for every real value of a variable, since the difference is convex and touches 0.

    Attributes
    ----------
    name
        Name of the obligation.
    smaller, larger
        The two sides, of exponentials, logarithms and rational functions.
    variable
        A symbol that is declared real and nothing else.
    place
        The value at which the sides touch.
    witness
        A value for each symbol, at which the sides are closer than ``raised``.
    raised
        A positive number. The stronger statement ``smaller + raised <= larger`` must be false at the witness.
    conditions
        Relations between the parameters.
    """

    name: str
    smaller: sp.Expr
    larger: sp.Expr
    variable: sp.Symbol
    place: sp.Expr
    witness: Mapping[sp.Symbol, Any]
    raised: sp.Rational
    conditions: tuple[Relational, ...] = ()

    def discharge(self) -> Obligation:
        """Ask for value and slope at the place and for the second derivative, and run the controls.

        Raises
        ------
        ValueError
            If the variable may skip values, a condition depends on it, or the stronger statement is not stronger.
        """
        if self.variable.assumptions0 != sp.Symbol("x", real=True).assumptions0:
            raise ValueError(f"{self.name}: declare {self.variable} real, and nothing else")
        if any(one.has(self.variable) for one in self.conditions) or sp.sympify(self.place).has(self.variable):
            raise ValueError(f"{self.name}: the conditions and the place may not depend on {self.variable}")
        require_stronger(self.name, self.raised)
        difference = self.larger - self.smaller
        slope = sp.diff(difference, self.variable)
        bending = sp.simplify(sp.diff(slope, self.variable))
        at = {self.variable: sp.sympify(self.place)}
        checks = [*solver_checks("the conditions have a solution", list(self.conditions), Answer.SAT)]
        checks += self._defined(difference)
        for told, one in (("the difference", difference), ("its derivative", slope)):
            checks += [
                c.about(f"{told} vanishes at {self.place}") for c in identity_checks(one.xreplace(at), sp.S.Zero)
            ]
        checks += entailment(BENDS, self.conditions, (), ge(bending, 0))
        checks += self._same_slopes(difference, slope, bending)
        checks += witness_checks(difference, self.witness, self.raised, self.conditions)
        goal = le(self.smaller, self.larger)
        told = f"{sp.sstr(goal)} for all real {self.variable}"
        return minted(self.name, told, checks, Kind.INEQUALITY, (goal,), self.conditions)

    def _defined(self, difference: sp.Expr) -> list[Check]:
        """Logarithms have positive arguments, and nothing is divided by zero, for every value of the variable."""
        inside = [gt(one.args[0], 0) for one in difference.atoms(sp.log)]
        powers = [one for one in difference.atoms(sp.Pow) if not (one.exp.is_Integer and one.exp.is_positive)]
        inside += [gt(one.base, 0) for one in powers if not one.base.is_number]
        ordered = sorted(inside, key=sp.default_sort_key)
        return [c for one in ordered for c in entailment(f"always {sp.sstr(one)}", self.conditions, (), one)]

    def _same_slopes(self, *functions: sp.Expr) -> list[Check]:
        """Each function has the next one as its derivative, by a power series."""

        def same(one: sp.Expr, slope: sp.Expr) -> bool | None:
            try:
                return slope_at(one, self.variable, self.witness, slope)
            except TypeError:
                return None

        return [
            decided(f"derivative {number} is that of the series", "flint", partial(same, *pair))
            for number, pair in enumerate(pairwise(functions), 1)
        ]


@dataclass(frozen=True)
class Hump:
    """``smaller < larger`` for every positive value of a variable, since the difference rises and then falls to 0.

    Attributes
    ----------
    name
        Name of the obligation.
    smaller, larger
        The two sides, of exponentials, error functions and polynomials of the variable alone.
    variable
        A symbol that is declared positive and nothing else.
    top
        The positive number up to which the difference rises.
    factor
        A positive expression. The derivative of the difference is ``factor * (top - variable)``.
    witness
        A positive number at which the sides are closer than ``raised``.
    raised
        A positive number. The stronger statement ``smaller + raised < larger`` must be false at the witness.
    """

    name: str
    smaller: sp.Expr
    larger: sp.Expr
    variable: sp.Symbol
    top: sp.Expr
    factor: sp.Expr
    witness: sp.Rational
    raised: sp.Rational

    def discharge(self) -> Obligation:
        """Ask for the derivative and for the values at both ends, and run the controls.

        Raises
        ------
        ValueError
            If the variable may skip values, a side is of another kind, or the stronger statement is not stronger.
        """
        if self.variable.assumptions0 != sp.Symbol("x", positive=True).assumptions0:
            raise ValueError(f"{self.name}: declare {self.variable} positive, and nothing else")
        difference = self.larger - self.smaller
        if difference.free_symbols != {self.variable} or not _smooth(difference):
            raise ValueError(f"{self.name}: only exponentials, error functions and polynomials of {self.variable}")
        require_stronger(self.name, self.raised)
        slope = sp.diff(difference, self.variable)
        ends = difference.subs(self.variable, 0), sp.limit(difference, self.variable, sp.oo)
        found = identity_checks(slope, self.factor * (self.top - self.variable))
        checks = [one.about("the derivative changes its sign once") for one in found]
        checks.append(Check(BENDS, "sympy", Answer.HOLDS, _signs((self.factor, self.top), ends)))
        checks += witness_checks(difference, {self.variable: self.witness}, self.raised, ())
        goal = lt(self.smaller, self.larger)
        told = f"{sp.sstr(goal)} for all {self.variable} > 0"
        return minted(self.name, told, checks, Kind.INEQUALITY, (goal,))


def _signs(positive: tuple[sp.Expr, ...], nonnegative: tuple[sp.Expr, ...]) -> Answer:
    said = [*(one.is_positive for one in positive), *(sp.simplify(one).is_nonnegative for one in nonnegative)]
    return Answer.FAILS if False in said else Answer.UNKNOWN if None in said else Answer.HOLDS


def _smooth(expression: sp.Expr) -> bool:
    """Whether it is differentiable on the whole line, as its form tells."""
    if expression.is_Symbol or expression.is_number:
        return True
    power = expression.is_Pow and expression.exp.is_Integer and expression.exp.is_positive
    known = power or isinstance(expression, _SMOOTH)
    return bool(known) and all(map(_smooth, expression.args))
