"""Whether the formal statement of a part follows from the relations that its steps show.

A step shows its relation under conditions. It counts only if the statement's assumptions imply them: engines decide
that. Two roads lead from steps to a statement. A relation that is shown is the stated one, up to the form of its sides
(and up to what is greater or less than them). Or two solvers find that the statement follows from the assumptions and
from what is shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from unicodedata import normalize

import sympy as sp
from sympy.core.relational import Relational

from pan_proofs.engines.entailment import Fact, contradictory, entailment
from pan_proofs.engines.identities import equality
from pan_proofs.engines.obligation import Answer, Check, Kind, Obligation, Status, minted
from pan_proofs.engines.quantities import is_quantity, quantities_in
from pan_proofs.engines.relations import read, replaced
from pan_proofs.ledger.forms import REVERSED, alike, apart, logged, same
from pan_proofs.ledger.kinds import of_its_kind
from pan_proofs.ledger.notation import tex
from pan_proofs.ledger.statements import Statement, elsewhere

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
class _Shown:
    relation: sp.Basic
    given: tuple[sp.Basic, ...]
    kind: Kind


@dataclass(frozen=True)
class _Situation:
    """The assumptions of a statement, and what the steps show."""

    assumptions: tuple[sp.Basic, ...]
    shown: tuple[_Shown, ...]
    taken: frozenset[sp.Symbol]
    """Symbols that cannot be the name of a quantity."""


@dataclass(frozen=True)
class _Found:
    """A way from the steps to a statement: the checks of the engines, and the quantity that a symbol was taken for."""

    checks: tuple[Check, ...] = ()
    named: tuple[str, ...] = ()


def linked(name: str, formal: str, obligations: Sequence[Obligation], beside: Sequence[str] = ()) -> Obligation:
    """The obligation that a formal statement follows from what obligations show.

    Parameters
    ----------
    name
        As in :class:`Obligation`.
    formal
        The statement, as :func:`pan_proofs.ledger.statements.symbolic` wrote it.
    obligations
        Those of the steps.
    beside
        The other formal statements of the part. No symbol in them is a name of another quantity here.
    """
    stated = Statement.read(formal)
    told = f"the steps show: {_told(stated)}"
    found = _decided(stated, obligations, beside)
    given = Answer.HOLDS if found else Answer.UNKNOWN
    naming = f"; here {', '.join(found.named)}" if found and found.named else ""
    checks = (Check(told, "sympy", Answer.HOLDS, given), *(found.checks if found else ()))
    return minted(name, told + naming, checks, Kind.LINK)


def _told(stated: Statement) -> str:
    names = [f"{symbol} = {sp.sstr(value)}" for symbol, value in stated.names.items()]
    given = ", ".join([*map(sp.sstr, stated.assumptions), *names])
    told = f"{sp.sstr(stated.conclusion)} if {given}" if given else sp.sstr(stated.conclusion)
    return f"not for all values: {told}" if stated.refuted else told


def _decided(stated: Statement, obligations: Sequence[Obligation], beside: Sequence[str]) -> _Found | None:
    table = _values(stated.names) if _of_all_places(stated) else None
    if table is None or sp.false in stated.assumptions or stated.conclusion in (sp.true, sp.false):
        return None
    if not _told_apart(stated):
        return None
    assumptions = tuple(replaced(one, table) for one in stated.assumptions)
    if assumptions and contradictory(assumptions):
        return None
    conclusion = replaced(stated.conclusion, table)
    read_ones = _read(tuple((one.kind, one.shows) for one in obligations if one.status is Status.DISCHARGED))
    shown = tuple(
        _Shown(replaced(one.relation, table), tuple(replaced(part, table) for part in one.given), one.kind)
        for one in read_ones
        if _instance(one, stated.names)
    )
    if not _quantities_agree(assumptions, stated.names, shown, read_ones):
        return None
    elsewhere = [_symbols(read(text)) for text in beside]
    used = [_symbols(part) for one in read_ones for part in (one.relation, *one.given)]
    places = Counter(node for node in sp.preorder_traversal(conclusion) if node.is_Symbol)
    twice = {node for node, number in places.items() if number > 1}
    taken = frozenset(twice).union(*elsewhere, *used, *(one.free_symbols for one in stated.assumptions), stated.names)
    at = _Situation(assumptions, shown, taken)
    # An assumption that becomes the conclusion by the values of the names is a step of its own.
    if _empty(conclusion) or _empty(stated.conclusion, stated.assumptions):
        return None
    return _refuted(conclusion, at) if stated.refuted else _follows(conclusion, at)


def _empty(conclusion: sp.Basic, assumptions: Sequence[sp.Basic] = ()) -> bool:
    """Whether a conclusion states nothing: it is written alike on both sides, or as an assumption."""
    if isinstance(conclusion, sp.And):
        return all(_empty(part, assumptions) for part in conclusion.args)
    if isinstance(conclusion, sp.Implies):
        premise, inner = conclusion.args
        return _empty(inner, (*assumptions, *(premise.args if isinstance(premise, sp.And) else (premise,))))
    alike_sides = isinstance(conclusion, Relational) and conclusion.args[0] == conclusion.args[1]
    return alike_sides or conclusion in assumptions


def _told_apart(stated: Statement) -> bool:
    """Whether a reader can tell the symbols apart: no two are shown alike, unless one of them stands for the other."""
    parts = (stated.conclusion, *stated.assumptions, *stated.names, *map(sp.sympify, stated.names.values()))
    symbols = {one for one in set().union(*(part.free_symbols for part in parts)) if one.is_Symbol}
    symbols -= {one for one, value in stated.names.items() if value.is_Symbol and _shown_as(value) == _shown_as(one)}
    return len({_shown_as(one) for one in symbols}) == len(symbols)


@cache
def _symbols(part: sp.Basic) -> frozenset[sp.Basic]:
    return frozenset(part.free_symbols)


@cache
def _shown_as(symbol: sp.Symbol) -> str:
    return "".join(normalize("NFKC", tex(symbol)).split())


def _quantities_agree(
    assumptions: Sequence[sp.Basic],
    names: Mapping[sp.Symbol, sp.Expr],
    shown: Sequence[_Shown],
    as_shown: Sequence[_Shown],
) -> bool:
    """Whether nothing is assumed of a quantity that a step computes, and the steps give each of them one value."""
    computed = quantities_in(*(one.relation for one in as_shown))
    if not computed:
        return True
    assumed = quantities_in(*assumptions)
    if computed & frozenset(names) or not all(_has_a_fraction(one, as_shown) for one in computed & assumed):
        return False
    about = [one for one in shown if not isinstance(one.relation, sp.Not) and quantities_in(one.relation)]
    together = [
        sp.Implies(sp.And(*one.given), one.relation, evaluate=False) if one.given else one.relation for one in about
    ]
    return not contradictory([*assumptions, *together])


def _has_a_fraction(quantity: sp.Symbol, as_shown: Sequence[_Shown]) -> bool:
    """Whether the steps show of a quantity that it is a fraction and nothing else, so that solvers see a conflict."""
    about = [one for one in as_shown if one.relation.has(quantity)]
    return all(one.relation.func is sp.Eq and one.relation.args[1].is_Rational and not one.given for one in about)


def _of_all_places(stated: Statement) -> bool:
    """Whether entries of vectors stand in assumptions and in sums alone, so that each of them is about all places."""
    named = tuple(map(sp.sympify, stated.names.values()))
    parts = (stated.conclusion, *stated.assumptions, *named)
    if not any(part.has(sp.Indexed) for part in parts):
        return True
    indices = [index for part in parts for one in part.atoms(sp.Indexed) for index in one.indices]
    places = {symbol for index in indices for symbol in index.free_symbols}
    without_sums = (
        part.xreplace(dict.fromkeys(part.atoms(sp.Sum), sp.Dummy())) for part in (stated.conclusion, *named)
    )
    return not places & (elsewhere(parts) | set(stated.names)) and not any(
        part.atoms(sp.Indexed) for part in without_sums
    )


def _values(names: Mapping[sp.Symbol, sp.Expr]) -> dict[sp.Basic, sp.Basic] | None:
    """The names with their values, in which no name stands any more; nothing if a value is not of its symbol's kind."""
    table: dict[sp.Basic, sp.Basic] = {}
    for symbol, value in names.items():
        final = value
        for _ in names:
            final = final.xreplace(dict(names))
        if final.has(*names) or not of_its_kind(symbol, final):
            return None
        table[symbol] = final
    return table


@cache
def _read(shows: tuple[tuple[Kind, tuple], ...]) -> tuple[_Shown, ...]:  # type: ignore[type-arg]
    pairs = [(kind, one) for kind, several in shows for one in several]
    found = dict.fromkeys(_Shown(read(one.relation), tuple(map(read, one.given)), kind) for kind, one in pairs)
    return tuple(found)


def _instance(one: _Shown, names: Mapping[sp.Symbol, sp.Expr]) -> bool:
    """Whether a shown relation says of the named quantities what it said.

    One that is shown for all values does. One that fails at a point does only if it was shown of these quantities.
    """
    if not isinstance(one.relation, sp.Not):
        return True
    shown_of = {part.args[0]: part.args[1] for part in one.given if isinstance(part, sp.Eq)}
    parts = (one.relation, *one.given)
    used = {symbol for symbol in names if any(part.has(symbol) for part in parts)}
    return all(shown_of.get(symbol) == names[symbol] for symbol in used)


def _follows(stated: sp.Basic, at: _Situation) -> _Found | None:
    if isinstance(stated, sp.And):
        return _all([_follows(part, at) for part in stated.args])
    if isinstance(stated, sp.Implies):
        more = stated.args[0].args if isinstance(stated.args[0], sp.And) else (stated.args[0],)
        inner = _Situation((*at.assumptions, *more), at.shown, at.taken | stated.args[0].free_symbols)
        return None if contradictory(inner.assumptions) else _follows(stated.args[1], inner)
    if isinstance(stated, Relational):
        ways = (_as_shown, _identical, _chosen, _mapped, _solved, _through)
        return next(filter(None, (way(stated, at) for way in ways)), None)
    return _solved(stated, at)


def _all(parts: Sequence[_Found | None]) -> _Found | None:
    there = [one for one in parts if one]
    if len(there) < len(parts):
        return None
    return _Found(tuple(c for one in there for c in one.checks), tuple(n for one in there for n in one.named))


def _refuted(stated: sp.Basic, at: _Situation) -> _Found | None:
    """That a relation does not hold for all values follows from a counterexample that satisfies all assumptions."""
    for one in at.shown:
        if not (isinstance(one.relation, sp.Not) and alike(stated, one.relation.args[0])):
            continue
        if all(any(alike(part, condition) for condition in one.given) for part in at.assumptions):
            return _Found()
    return None


def _as_shown(stated: Relational, at: _Situation) -> _Found | None:
    """A relation that a step shows, or that is assumed, up to the form of its sides and the name of a quantity."""
    near = [one for one in at.shown if isinstance(one.relation, Relational)]
    near += [_Shown(one, (), Kind.IDENTICAL) for one in at.assumptions if isinstance(one, Relational)]
    # Relations that are written alike come before those that have to be compared.
    for one in sorted(near, key=lambda one: one.relation.args not in (stated.args, stated.args[::-1])):
        turned = (REVERSED[one.relation.func], one.relation.args[::-1])
        for kind, sides in ((one.relation.func, one.relation.args), turned):
            found = _sides(stated, sides, one.kind, at) if kind in _IMPLIED_BY[stated.func] else None
            if found and (met := _met(one.given, at)):
                return _all([found, met])
    return None


def _identical(stated: Relational, _: _Situation) -> _Found | None:
    """Two sides that are the same for all values."""
    if stated.func in (sp.Eq, sp.Le, sp.Ge) and same(*stated.args):
        left, right = stated.args
        return _Found(() if left == right else equality("", left, right).checks)
    return None


def _sides(stated: Relational, sides: Sides, kind: Kind, at: _Situation) -> _Found | None:
    left, right = stated.args
    if same(left, sides[0]) and same(right, sides[1]):
        return _Found()
    # Only an equation can give a quantity its name, and only one about which an engine was asked something.
    if not isinstance(stated, sp.Eq) or kind is Kind.IDENTICAL:
        return None
    for name, other, shown, model in ((left, right, sides[1], sides[0]), (right, left, sides[0], sides[1])):
        if name.is_Symbol and name not in at.taken and not other.has(name) and same(other, shown):
            if is_quantity(model):
                # A quantity has its own name.
                return None
            told = "the computed value" if model == other else sp.sstr(model)
            return _Found(named=(f"{name} stands for {told}",)) if of_its_kind(name, model) else None
    return None


def _met(conditions: Sequence[sp.Basic], at: _Situation) -> _Found | None:
    """Whether the assumptions imply the conditions under which something was shown."""
    open_ones = [one for one in conditions if not any(alike(one, given) for given in at.assumptions)]
    open_ones = [one for one in open_ones if not _known(one)]
    if not open_ones:
        return _Found()
    if any(map(_fails, open_ones)):
        return None
    goal = open_ones[0] if len(open_ones) == 1 else sp.And(*open_ones)
    numbers = tuple(one for one in at.shown if not one.relation.free_symbols and not one.given)
    return _solved(goal, _Situation(at.assumptions, numbers, at.taken))


def _fails(condition: sp.Basic) -> bool:
    """Whether balls show at once that two numbers are not equal, which solvers may ask themselves for long."""
    return isinstance(condition, sp.Eq) and not condition.free_symbols and apart(*condition.args)


def _known(condition: sp.Basic) -> bool:
    """Whether sympy decides it from the kinds of the symbols."""
    return isinstance(condition, Relational) and condition.func(*condition.args) == sp.true


def _chosen(stated: Relational, at: _Situation) -> _Found | None:
    """Relations to a maximum, a minimum or an absolute value, as relations to what it is chosen from."""
    left, right = stated.args
    if isinstance(stated, sp.Eq):
        for choice, other, order in ((left, right, sp.Le), (right, left, sp.Le)):
            if isinstance(choice, (sp.Max, sp.Min)):
                order = sp.Le if isinstance(choice, sp.Max) else sp.Ge
                below = _all([_follows(order(one, other, evaluate=False), at) for one in choice.args])
                return below if any(same(one, other) for one in choice.args) else None
        return None
    greater, smaller = (right, left) if stated.func in (sp.Le, sp.Lt) else (left, right)
    order = sp.Lt if stated.func in (sp.Lt, sp.Gt) else sp.Le
    if stated.func not in REVERSED or stated.func in (sp.Eq, sp.Ne):
        return None
    if isinstance(smaller, sp.Max):
        return _all([_follows(order(one, greater, evaluate=False), at) for one in smaller.args])
    if isinstance(smaller, sp.Abs):
        inside = smaller.args[0]
        return _all([_follows(order(one, greater, evaluate=False), at) for one in (inside, -inside)])
    if isinstance(greater, sp.Min):
        return _all([_follows(order(smaller, one, evaluate=False), at) for one in greater.args])
    if isinstance(greater, sp.Max):
        return next(filter(None, (_follows(order(smaller, one, evaluate=False), at) for one in greater.args)), None)
    return None


def _mapped(stated: Relational, at: _Situation) -> _Found | None:
    """A relation between logarithms, or exponentials, as the same relation between their arguments."""
    left, right = stated.args
    for function in (sp.log, sp.exp):
        if isinstance(left, function) and isinstance(right, function):
            inner = stated.func(left.args[0], right.args[0], evaluate=False)
            positive = [sp.Gt(side.args[0], 0, evaluate=False) for side in stated.args] if function is sp.log else []
            return _all([_follows(inner, at), _met(positive, at)])
    return None


def _through(stated: Relational, at: _Situation) -> _Found | None:
    """A bound of a symbol from an assumed one, which is not greater than the stated one."""
    left, right = stated.args
    if not left.is_Symbol or stated.func is not sp.Le:
        return None
    for one in at.assumptions:
        if one.func in (sp.Le, sp.Lt) and one.args[0] == left and not one.args[1].has(left):
            rest = tuple(other for other in at.assumptions if other != one)
            between = sp.Le(one.args[1], right, evaluate=False)
            if found := _follows(between, _Situation(rest, at.shown, at.taken)):
                return found
    return None


def _solved(stated: sp.Basic, at: _Situation) -> _Found | None:
    """Whether two solvers find that it follows from the assumptions alone, or with what the steps show."""
    told = f"it follows from the assumptions: {sp.sstr(stated)}"
    # Relations between products of exponentials are asked of their logarithms, where the solvers know more.
    for assumptions, goal in dict.fromkeys(((logged(at.assumptions), logged([stated])[0]), (at.assumptions, stated))):
        checks = entailment(told, assumptions, (), goal)
        if _agreed(checks):
            return _Found(checks)
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
    return _Found(checks) if _agreed(checks) else None


def _agreed(checks: Sequence[Check]) -> bool:
    answers = {check.answer for check in checks}
    return Answer.UNSAT in answers and answers <= {Answer.UNSAT, Answer.SKIPPED, Answer.UNKNOWN}
