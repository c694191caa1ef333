"""Orders of growth with explicit constants: ``least * order <= quantity <= most * order`` from a number on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sympy as sp

from pan_proofs.engines.computations import together
from pan_proofs.engines.inequalities import solver_checks
from pan_proofs.engines.obligation import Answer, Kind, Obligation, decided, minted
from pan_proofs.engines.relations import ge, gt, le
from pan_proofs.engines.slopes import Slopes


@dataclass(frozen=True)
class Growth:
    """A quantity lies between two multiples of an order of growth, for every value of the variable from one on.

    Attributes
    ----------
    name
        Name of the obligation.
    quantity, order
        Both times ``factor`` are of the form that :class:`Slopes` decides.
    least, most
        The constants; ``least`` is positive.
    variable
        The variable, real: what holds for all real numbers holds for all integers.
    first
        The value from which on it holds.
    finer
        An order that is too small: the quantity over it has no bound.
    factor
        A rational function, positive from ``first`` on, by which both sides are multiplied.
    close
        A point near ``first``, at which the lower and the upper stronger statement fail.
    raised
        By how much these are stronger.
    """

    name: str
    quantity: sp.Expr
    order: sp.Expr
    least: sp.Rational
    most: sp.Rational
    variable: sp.Symbol
    first: sp.Rational
    finer: sp.Expr
    factor: sp.Expr
    close: Mapping[sp.Symbol, Any]
    raised: sp.Rational

    def discharge(self) -> Obligation:
        """Decide both bounds by derivatives, and show that the finer order is no bound.

        Raises
        ------
        ValueError
            If the lower constant is not positive.
        """
        if not self.least > 0:
            raise ValueError(f"{self.name}: the lower constant {self.least} is not positive")
        above = sp.expand(self.factor * (self.most * self.order - self.quantity))
        below = sp.expand(self.factor * (self.quantity - self.least * self.order))
        bounds = [
            Slopes(f"{self.name}.{end}", sides, self.variable, self.first, self.close, self.raised).discharge()
            for end, sides in (("most", above), ("least", below))
        ]
        region = gt(self.variable, self.first)
        positive = solver_checks("the factor is positive", [region, le(self.factor, 0)], Answer.UNSAT)
        ratio = sp.limit(self.order / self.finer, self.variable, sp.oo)
        coarser = decided(f"the order over {sp.sstr(self.finer)} has no bound", "sympy", ratio is sp.oo)
        told = (
            f"{self.least} * ({sp.sstr(self.order)}) <= {sp.sstr(self.quantity)} <= {self.most} * "
            f"({sp.sstr(self.order)}) for every {self.variable} > {self.first}"
        )
        gathered = together(self.name, told, *bounds)
        shows = (
            le(self.quantity, self.most * self.order),
            ge(self.quantity, self.least * self.order),
        )
        return minted(self.name, told, (*gathered.checks, *positive, coarser), Kind.INEQUALITY, shows, (region,))
