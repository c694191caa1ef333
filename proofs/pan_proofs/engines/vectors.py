"""Vectors of every length: statements about sums over their entries, by induction over the length.

A sum is a running quantity: its value after one more entry is a rational function of the entry and of the values
before it. A statement about running quantities holds for every length if it holds for the least one, and if it passes
from a vector to the same vector with one more entry. Both are questions to the solvers or, for identities, to sympy
and flint. The quantities are computed from a given vector as well, for the controls.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy as sp
from sympy.core.relational import Relational

from pan_proofs.engines.computations import at_point
from pan_proofs.engines.identities import identity_checks
from pan_proofs.engines.inequalities import solver_checks
from pan_proofs.engines.obligation import Answer, Check, Kind, Obligation, decided, minted
from pan_proofs.engines.quantities import is_such
from pan_proofs.engines.relations import eq, ge

PASSES_ON = "one more entry keeps the statement true"
"""The question that marks an induction over the length among the obligations."""

_SLIGHTLY_LESS = sp.Rational(999, 1000)

Vector = Sequence[Sequence[Any]]
"""A vector by its entries, each with a value for every coordinate."""


def sum_over_entries(term: sp.Expr, entry: Sequence[sp.Symbol], length: sp.Symbol) -> sp.Sum:
    """The sum of a term over all entries of a vector, for formal statements.

    Parameters
    ----------
    term
        An expression in the coordinates of one entry.
    entry, length
        As in :class:`Induction`.
    """
    place = sp.Symbol("i", integer=True, positive=True)
    entries = {one: sp.IndexedBase(one)[place] for one in entry}
    return sp.Sum(sp.expand(term).xreplace(entries), (place, 1, length))


@dataclass(frozen=True)
class Induction:
    """A relation between running quantities, for vectors of every length from the least one on.

    Attributes
    ----------
    name
        Name of the obligation.
    relation
        Between rational functions of the length, of the running quantities and of parameters: ``Le``, ``Lt``, ``Ge``,
        ``Gt``, or an ``Eq`` with a running quantity on its left side.
    length
        The symbol of the length, an integer that is not negative.
    entry
        The coordinates of one entry; their assumptions hold for every entry.
    running
        For each running quantity, which is 0 for the empty vector, its value after one more entry.
    witness
        A vector on which the statement holds, and on which the stronger statement fails.
    parameters
        The witness's values of the parameters.
    conditions
        Relations between parameters and the coordinates of an entry, true for every entry.
    along
        Relations that are proved with the statement, for every length as well.
    least
        The least length.
    weaker
        The factor of the right side in the stronger statement.
    raised
        For a bound that no factor strengthens: a number by which the smaller side is raised in the stronger statement.
    """

    name: str
    relation: Relational
    length: sp.Symbol
    entry: tuple[sp.Symbol, ...]
    running: Mapping[sp.Symbol, sp.Expr]
    witness: Vector
    parameters: Mapping[sp.Symbol, Any] = field(default_factory=dict)
    conditions: tuple[Relational, ...] = ()
    along: tuple[Relational, ...] = ()
    least: int = 0
    weaker: sp.Rational = _SLIGHTLY_LESS
    raised: sp.Rational | None = None

    def discharge(self) -> Obligation:
        """Ask for the least length and for one more entry, and run the controls on the witness.

        Raises
        ------
        ValueError
            If a symbol carries an assumption that nothing proves, or the stated relation has another form.
        """
        self._require_plain()
        goals = (self.relation, *self.along)
        checks = [
            check
            for goal in goals
            for check in (*self._asked(goal, self._at_least(), first=True), *self._asked(goal, self._one_more()))
        ]
        checks += self._defined() + self._controls()
        kind = Kind.EQUALITY if isinstance(self.relation, sp.Eq) else Kind.INEQUALITY
        sums = self.sums()
        shows = () if sums is None else (self.relation,)
        return minted(self.name, self.statement, checks, kind, shows, (*self._given(), *(sums or ())))

    def sums(self) -> tuple[Relational, ...] | None:
        """For each running quantity that it is a sum over the entries; ``None`` if one of them is no such sum.

        The relation is shown of these sums, and of no other numbers.
        """
        found = []
        for symbol, after in self.running.items():
            added = sp.expand(after - symbol)
            if added.free_symbols & {*self.running, self.length}:
                return None
            found.append(eq(symbol, sum_over_entries(added, self.entry, self.length)))
        return tuple(found)

    def _given(self) -> tuple[Relational, ...]:
        return (*self.conditions, ge(self.length, self.least))

    @property
    def statement(self) -> str:
        """The statement in words of sympy."""
        sums = ", ".join(f"{symbol} -> {sp.sstr(after)}" for symbol, after in self.running.items())
        given = f" if {', '.join(map(sp.sstr, self.conditions))} for each entry" if self.conditions else ""
        return f"{sp.sstr(self.relation)} for every {self.length} >= {self.least}{given}, where an entry takes {sums}"

    def values(self, vector: Vector) -> dict[sp.Symbol, sp.Expr]:
        """The length and the running quantities of a vector, entry by entry."""
        state: dict[sp.Symbol, sp.Expr] = dict.fromkeys(self.running, sp.S.Zero)
        given = {symbol: sp.sympify(value) for symbol, value in self.parameters.items()}
        for one in vector:
            here = state | given | dict(zip(self.entry, map(sp.sympify, one), strict=True))
            state = {symbol: after.xreplace(here) for symbol, after in self.running.items()}
        return {**state, **given, self.length: sp.Integer(len(vector))}

    def _at_least(self) -> tuple[dict[sp.Symbol, sp.Expr], list[sp.Basic]]:
        """The running quantities of a vector of the least length, and the conditions on its entries."""
        state: dict[sp.Symbol, sp.Expr] = dict.fromkeys(self.running, sp.S.Zero)
        conditions: list[sp.Basic] = []
        for number in range(1, self.least + 1):
            entry = {one: sp.Symbol(f"{one}_at_{number}", **one.assumptions0) for one in self.entry}
            state = {symbol: after.xreplace({**state, **entry}) for symbol, after in self.running.items()}
            conditions += [condition.xreplace(entry) for condition in self.conditions]
        return {**state, self.length: sp.Integer(self.least)}, conditions or self._of_parameters()

    def _of_parameters(self) -> list[sp.Basic]:
        return [one for one in self.conditions if not one.free_symbols & set(self.entry)]

    def _one_more(self) -> tuple[dict[sp.Symbol, sp.Expr], list[sp.Basic]]:
        """The running quantities after one more entry, and all that is known before it."""
        known = [*self.conditions, *self.along, ge(self.length, self.least)]
        if not isinstance(self.relation, sp.Eq):
            known.append(self.relation)
        return {**self.running, self.length: self.length + 1}, known

    def _asked(
        self, goal: Relational, place: tuple[dict[sp.Symbol, sp.Expr], list[sp.Basic]], *, first: bool = False
    ) -> list[Check]:
        after, known = place
        question = f"it holds for length {self.least}" if first else PASSES_ON
        question += "" if goal is self.relation else f", with {sp.sstr(goal)}"
        if isinstance(goal, sp.Eq):
            before = {} if first else {goal.lhs: goal.rhs}
            sides = (side.xreplace(after).xreplace(before) for side in goal.args)
            # Each engine answers the question of this induction, in the same words.
            return [one.about(question) for one in identity_checks(*sides)]
        moved = goal.func(*(side.xreplace(after) for side in goal.args), evaluate=False)
        if moved.lhs.is_Rational and moved.rhs.is_Rational:
            return list(at_point(question, moved, {}, expected=True))
        return solver_checks(question, [*known, sp.Not(moved, evaluate=False)], Answer.UNSAT) + (
            solver_checks("the conditions for one more entry have a solution", known, Answer.SAT) if not first else []
        )

    def _defined(self) -> list[Check]:
        """No entry makes a sum divide by zero, as it is written."""
        powers = {power for after in self.running.values() for power in after.atoms(sp.Pow)}
        bottoms = {power.base for power in powers if power.exp.is_negative and not power.base.is_Number}
        return [
            check
            for bottom in sorted(bottoms, key=sp.default_sort_key)
            for check in solver_checks(
                f"{sp.sstr(bottom)} does not vanish",
                [*self.conditions, eq(bottom, 0)],
                Answer.UNSAT,
            )
        ]

    def _controls(self) -> list[Check]:
        values = self.values(self.witness)
        of_kind = len(self.witness) >= self.least and all(
            is_such(symbol, sp.sympify(value))
            for one in (*(zip(self.entry, entry, strict=True) for entry in self.witness), self.parameters.items())
            for symbol, value in one
        )
        checks = [decided("the witness is a vector of the kind that is meant", "sympy", of_kind)]
        for entry in self.witness:
            here = {**values, **dict(zip(self.entry, map(sp.sympify, entry), strict=True))}
            for one in self.conditions:
                checks += at_point("the witness satisfies the conditions", one, here, expected=True)
        gap = sp.Abs((self.relation.rhs - self.relation.lhs).xreplace(values))
        touched = "the sides are equal on the witness" if gap == 0 else f"the sides differ by {gap} on the witness"
        checks += at_point(touched, self.relation, values, expected=True)
        checks += at_point(
            "the stronger statement fails on the witness", self._stronger(values), values, expected=False
        )
        return checks

    def _stronger(self, values: Mapping[sp.Symbol, sp.Expr]) -> Relational:
        left, right = self.relation.args
        below = isinstance(self.relation, (sp.Le, sp.Lt))
        if isinstance(self.relation, sp.Eq):
            return eq(left, self.weaker * right)
        if self.raised is not None:
            if not self.raised > 0:
                raise ValueError(f"{self.name}: raising by {self.raised} does not strengthen the statement")
            return self.relation.func(left + (self.raised if below else -self.raised), right, evaluate=False)
        bound = right.xreplace(dict(values))
        if not ((bound - self.weaker * bound) > 0 if below else (self.weaker * bound - bound) > 0):
            raise ValueError(f"{self.name}: the factor {self.weaker} does not strengthen the statement on the witness")
        return self.relation.func(left, self.weaker * right, evaluate=False)

    def _require_plain(self) -> None:
        if isinstance(self.relation, sp.Eq) and (self.relation.lhs not in self.running or self._mentions_itself()):
            raise ValueError(f"{self.name}: an identity has a running quantity on its left side, and there alone")
        if not isinstance(self.relation, (sp.Eq, sp.Le, sp.Lt, sp.Ge, sp.Gt)):
            raise ValueError(f"{self.name}: {self.relation!r} is no relation that an induction can prove")
        if any(isinstance(one, sp.Eq) for one in self.along):
            raise ValueError(f"{self.name}: only inequalities are proved along with a statement")
        for symbol in self.running:
            # The solvers take a symbol's sign for granted; the sign of a sum must be proved.
            if symbol.assumptions0 != sp.Symbol(symbol.name, real=True).assumptions0:
                raise ValueError(f"{self.name}: {symbol} is a sum; declare it real, and nothing else")
        if not (self.length.is_integer and self.length.is_nonnegative) or (self.length.is_positive and not self.least):
            raise ValueError(f"{self.name}: the length {self.length} is an integer of at least {self.least}")
        known = {*self.entry, *self.parameters}
        asked = (
            (self.running.values(), known | {*self.running}),
            # A condition on sums would be one on the order of the entries.
            (self.conditions, known),
            ((self.relation, *self.along), {*self.running, *self.parameters, self.length}),
        )
        for expressions, allowed in asked:
            used = set().union(*(one.free_symbols for one in expressions))
            if unknown := used - allowed:
                raise ValueError(f"{self.name}: unknown symbols {sorted(map(str, unknown))}")
        names = [str(symbol) for symbol in (*known, *self.running, self.length)]
        if len(set(names)) < len(names):
            raise ValueError(f"{self.name}: two symbols have the same name, among {sorted(names)}")

    def _mentions_itself(self) -> bool:
        return bool(self.relation.rhs.has(self.relation.lhs))
