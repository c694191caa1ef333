"""Whether the formal statement of a part follows from the relations that its steps show.

A step shows its relation under conditions. It counts only if the statement's assumptions imply them: engines decide
that. The ways from steps to a statement stand in :mod:`pan_proofs.ledger.ways`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from unicodedata import normalize

import sympy as sp
from sympy.core.relational import Relational

from pan_proofs.engines.entailment import contradictory
from pan_proofs.engines.obligation import Answer, Check, Kind, Obligation, Status, minted
from pan_proofs.engines.quantities import quantities_in
from pan_proofs.engines.relations import captured, read, replaced
from pan_proofs.ledger.kinds import of_its_kind
from pan_proofs.ledger.notation import tex
from pan_proofs.ledger.statements import Statement, elsewhere
from pan_proofs.ledger.ways import Premise, Situation, Way, follows, refuted_by


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


def _decided(stated: Statement, obligations: Sequence[Obligation], beside: Sequence[str]) -> Way | None:
    table = _values(stated.names) if _of_all_places(stated) else None
    if table is None or sp.false in stated.assumptions or stated.conclusion in (sp.true, sp.false):
        return None
    if not _told_apart(stated):
        return None
    if any(captured(one, table) for one in (stated.conclusion, *stated.assumptions)):
        return None
    assumptions = tuple(replaced(one, table) for one in stated.assumptions)
    if assumptions and contradictory(assumptions):
        return None
    conclusion = replaced(stated.conclusion, table)
    read_ones = _read(tuple((one.kind, one.shows) for one in obligations if one.status is Status.DISCHARGED))
    shown = tuple(
        Premise(replaced(one.relation, table), tuple(replaced(part, table) for part in one.given), one.kind)
        for one in read_ones
        if _instance(one, stated.names) and not any(captured(part, table) for part in (one.relation, *one.given))
    )
    if not _quantities_agree(assumptions, stated.names, shown, read_ones):
        return None
    elsewhere = [_symbols(read(text)) for text in beside]
    used = [_symbols(part) for one in read_ones for part in (one.relation, *one.given)]
    places = Counter(node for node in sp.preorder_traversal(conclusion) if node.is_Symbol)
    twice = {node for node, number in places.items() if number > 1}
    taken = frozenset(twice).union(*elsewhere, *used, *(one.free_symbols for one in stated.assumptions), stated.names)
    at = Situation(assumptions, shown, taken)
    # An assumption that becomes the conclusion by the values of the names is a step of its own.
    if _empty(conclusion) or _empty(stated.conclusion, stated.assumptions):
        return None
    return refuted_by(conclusion, at) if stated.refuted else follows(conclusion, at)


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
    shown: Sequence[Premise],
    as_shown: Sequence[Premise],
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


def _has_a_fraction(quantity: sp.Symbol, as_shown: Sequence[Premise]) -> bool:
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
def _read(shows: tuple[tuple[Kind, tuple], ...]) -> tuple[Premise, ...]:  # type: ignore[type-arg]
    pairs = [(kind, one) for kind, several in shows for one in several]
    found = dict.fromkeys(Premise(read(one.relation), tuple(map(read, one.given)), kind) for kind, one in pairs)
    return tuple(found)


def _instance(one: Premise, names: Mapping[sp.Symbol, sp.Expr]) -> bool:
    """Whether a shown relation says of the named quantities what it said.

    One that is shown for all values does. One that fails at a point does only if it was shown of these quantities.
    """
    if not isinstance(one.relation, sp.Not):
        return True
    shown_of = {part.args[0]: part.args[1] for part in one.given if isinstance(part, sp.Eq)}
    parts = (one.relation, *one.given)
    used = {symbol for symbol in names if any(part.has(symbol) for part in parts)}
    return all(shown_of.get(symbol) == names[symbol] for symbol in used)
