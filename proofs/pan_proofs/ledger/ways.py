"""The ways from relations that steps show to a stated one.

A relation that is shown is the stated one, up to the form of its sides and up to what is greater or less than them. Or
two solvers find that the statement follows from the assumptions and from what is shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sympy as sp
from sympy.core.relational import Relational

from pan_proofs.engines.entailment import Fact, contradictory, entailment
from pan_proofs.engines.identities import equality
from pan_proofs.engines.obligation import Answer, Check, Kind
from pan_proofs.engines.quantities import is_quantity, quantities_in
from pan_proofs.engines.relations import gt, le
from pan_proofs.ledger.forms import REVERSED, alike, apart, logged, same
from pan_proofs.ledger.kinds import of_its_kind

_IMPLIED_BY = {
    sp.Le: (sp.Le, sp.Lt, sp.Eq),
    sp.Lt: (sp.Lt,),
    sp.Ge: (sp.Ge, sp.Gt, sp.Eq),
    sp.Gt: (sp.Gt,),
    sp.Eq: (sp.Eq,),
    sp.Ne: (sp.Ne, sp.Lt, sp.Gt),
}
_FACTS = 12
"""The largest number of shown relations that are given to the solvers; more would only slow them down."""

Sides = tuple[sp.Expr, sp.Expr]


@dataclass(frozen=True)
class Premise:
    """A relation that a step shows, the conditions under which it does, and the kind of its obligation."""

    relation: sp.Basic
    given: tuple[sp.Basic, ...]
    kind: Kind


@dataclass(frozen=True)
class Situation:
    """The assumptions of a statement, and what the steps show."""

    assumptions: tuple[sp.Basic, ...]
    shown: tuple[Premise, ...]
    taken: frozenset[sp.Symbol]
    """Symbols that cannot be the name of a quantity."""


@dataclass(frozen=True)
class Way:
    """A way from the steps to a statement: the checks of the engines, and the quantity that a symbol was taken for."""

    checks: tuple[Check, ...] = ()
    named: tuple[str, ...] = ()


def follows(stated: sp.Basic, at: Situation) -> Way | None:
    """The way from the steps to a statement; ``None`` if none is found.

    Parameters
    ----------
    stated
        The statement.
    at
        The assumptions, and what the steps show.
    """
    if isinstance(stated, sp.And):
        return _all([follows(part, at) for part in stated.args])
    if isinstance(stated, sp.Implies):
        more = stated.args[0].args if isinstance(stated.args[0], sp.And) else (stated.args[0],)
        inner = Situation((*at.assumptions, *more), at.shown, at.taken | stated.args[0].free_symbols)
        return None if contradictory(inner.assumptions) else follows(stated.args[1], inner)
    if isinstance(stated, Relational):
        ways = (_as_shown, _identical, _chosen, _mapped, _solved, _through)
        return next(filter(None, (way(stated, at) for way in ways)), None)
    return _solved(stated, at)


def _all(parts: Sequence[Way | None]) -> Way | None:
    there = [one for one in parts if one]
    if len(there) < len(parts):
        return None
    return Way(tuple(c for one in there for c in one.checks), tuple(n for one in there for n in one.named))


def refuted_by(stated: sp.Basic, at: Situation) -> Way | None:
    """That a relation does not hold for all values: a counterexample satisfies all assumptions.

    Parameters
    ----------
    stated, at
        As for :func:`follows`.
    """
    for one in at.shown:
        if not (isinstance(one.relation, sp.Not) and alike(stated, one.relation.args[0])):
            continue
        if all(any(alike(part, condition) for condition in one.given) for part in at.assumptions):
            return Way()
    return None


def _as_shown(stated: Relational, at: Situation) -> Way | None:
    """A relation that a step shows, or that is assumed, up to the form of its sides and the name of a quantity."""
    near = [one for one in at.shown if isinstance(one.relation, Relational)]
    near += [Premise(one, (), Kind.IDENTICAL) for one in at.assumptions if isinstance(one, Relational)]
    # Relations that are written alike come before those that have to be compared.
    for one in sorted(near, key=lambda one: one.relation.args not in (stated.args, stated.args[::-1])):
        turned = (REVERSED[one.relation.func], one.relation.args[::-1])
        for kind, sides in ((one.relation.func, one.relation.args), turned):
            found = _sides(stated, sides, one.kind, at) if kind in _IMPLIED_BY[stated.func] else None
            if found and (met := _met(one.given, at)):
                return _all([found, met])
    return None


def _identical(stated: Relational, _: Situation) -> Way | None:
    """Two sides that are the same for all values."""
    if stated.func in (sp.Eq, sp.Le, sp.Ge) and same(*stated.args):
        left, right = stated.args
        return Way(() if left == right else equality("", left, right).checks)
    return None


def _sides(stated: Relational, sides: Sides, kind: Kind, at: Situation) -> Way | None:
    left, right = stated.args
    if same(left, sides[0]) and same(right, sides[1]):
        return Way()
    # Only an equation can give a quantity its name, and only one about which an engine was asked something.
    if not isinstance(stated, sp.Eq) or kind is Kind.IDENTICAL:
        return None
    for name, other, shown, model in ((left, right, sides[1], sides[0]), (right, left, sides[0], sides[1])):
        if name.is_Symbol and name not in at.taken and not other.has(name) and same(other, shown):
            if is_quantity(model):
                # A quantity has its own name.
                return None
            told = "the computed value" if model == other else sp.sstr(model)
            return Way(named=(f"{name} stands for {told}",)) if of_its_kind(name, model) else None
    return None


def _met(conditions: Sequence[sp.Basic], at: Situation) -> Way | None:
    """Whether the assumptions imply the conditions under which something was shown."""
    open_ones = [one for one in conditions if not any(alike(one, given) for given in at.assumptions)]
    open_ones = [one for one in open_ones if not _known(one)]
    if not open_ones:
        return Way()
    if any(map(_fails, open_ones)):
        return None
    goal = open_ones[0] if len(open_ones) == 1 else sp.And(*open_ones)
    numbers = tuple(one for one in at.shown if not one.relation.free_symbols and not one.given)
    return _solved(goal, Situation(at.assumptions, numbers, at.taken))


def _fails(condition: sp.Basic) -> bool:
    """Whether balls show at once that two numbers are not equal, which solvers may ask themselves for long."""
    return isinstance(condition, sp.Eq) and not condition.free_symbols and apart(*condition.args)


def _known(condition: sp.Basic) -> bool:
    """Whether sympy decides it from the kinds of the symbols."""
    return isinstance(condition, Relational) and condition.func(*condition.args) == sp.true


def _chosen(stated: Relational, at: Situation) -> Way | None:
    """Relations to a maximum, a minimum or an absolute value, as relations to what it is chosen from."""
    left, right = stated.args
    if isinstance(stated, sp.Eq):
        for choice, other, order in ((left, right, sp.Le), (right, left, sp.Le)):
            if isinstance(choice, (sp.Max, sp.Min)):
                order = sp.Le if isinstance(choice, sp.Max) else sp.Ge
                below = _all([follows(order(one, other, evaluate=False), at) for one in choice.args])
                return below if any(same(one, other) for one in choice.args) else None
        return None
    greater, smaller = (right, left) if stated.func in (sp.Le, sp.Lt) else (left, right)
    order = sp.Lt if stated.func in (sp.Lt, sp.Gt) else sp.Le
    if stated.func not in REVERSED or stated.func in (sp.Eq, sp.Ne):
        return None
    if isinstance(smaller, sp.Max):
        return _all([follows(order(one, greater, evaluate=False), at) for one in smaller.args])
    if isinstance(smaller, sp.Abs):
        inside = smaller.args[0]
        return _all([follows(order(one, greater, evaluate=False), at) for one in (inside, -inside)])
    if isinstance(greater, sp.Min):
        return _all([follows(order(smaller, one, evaluate=False), at) for one in greater.args])
    if isinstance(greater, sp.Max):
        return next(filter(None, (follows(order(smaller, one, evaluate=False), at) for one in greater.args)), None)
    return None


def _mapped(stated: Relational, at: Situation) -> Way | None:
    """A relation between logarithms, or exponentials, as the same relation between their arguments."""
    left, right = stated.args
    for function in (sp.log, sp.exp):
        if isinstance(left, function) and isinstance(right, function):
            inner = stated.func(left.args[0], right.args[0], evaluate=False)
            positive = [gt(side.args[0], 0) for side in stated.args] if function is sp.log else []
            return _all([follows(inner, at), _met(positive, at)])
    return None


def _through(stated: Relational, at: Situation) -> Way | None:
    """A bound of a symbol from an assumed one, which is not greater than the stated one."""
    left, right = stated.args
    if not left.is_Symbol or stated.func is not sp.Le:
        return None
    for one in at.assumptions:
        if one.func in (sp.Le, sp.Lt) and one.args[0] == left and not one.args[1].has(left):
            rest = tuple(other for other in at.assumptions if other != one)
            between = le(one.args[1], right)
            if found := follows(between, Situation(rest, at.shown, at.taken)):
                return found
    return None


def _solved(stated: sp.Basic, at: Situation) -> Way | None:
    """Whether two solvers find that it follows from the assumptions alone, or with what the steps show."""
    told = f"it follows from the assumptions: {sp.sstr(stated)}"
    # Relations between products of exponentials are asked of their logarithms, where the solvers know more.
    for assumptions, goal in dict.fromkeys(((logged(at.assumptions), logged([stated])[0]), (at.assumptions, stated))):
        checks = entailment(told, assumptions, (), goal)
        if _agreed(checks):
            return Way(checks)
    symbols = stated.free_symbols.union(*(one.free_symbols for one in at.assumptions))
    near = [
        Fact(one.relation, one.given)
        for one in at.shown
        if not isinstance(one.relation, sp.Not)
        and one.kind is not Kind.IDENTICAL
        and all(part.free_symbols <= symbols for part in (one.relation, *one.given))
    ]
    useful = [
        one
        for one in near
        if not isinstance(one.relation, sp.Eq) or one.relation.has(sp.Function, sp.Pow) or quantities_in(one.relation)
    ]
    if not useful or len(useful) > _FACTS:
        return None
    told = f"it follows from the assumptions and from what is shown: {sp.sstr(stated)}"
    checks = entailment(told, at.assumptions, useful, stated)
    return Way(checks) if _agreed(checks) else None


def _agreed(checks: Sequence[Check]) -> bool:
    answers = {check.answer for check in checks}
    return Answer.UNSAT in answers and answers <= {Answer.UNSAT, Answer.SKIPPED, Answer.UNKNOWN}
