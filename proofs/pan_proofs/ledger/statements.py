"""The formal statement of a part: variables with their domains, names of quantities, assumptions, and a conclusion."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache

import sympy as sp
from sympy.logic.boolalg import Boolean, BooleanAtom

from pan_proofs.engines.obligation import Kind, Obligation
from pan_proofs.engines.quantities import quantities_in
from pan_proofs.engines.relations import eq, leaves, read, replaced, written
from pan_proofs.engines.word_sums import Words
from pan_proofs.ledger.notation import tex
from pan_proofs.ledger.sentences import conditions, formula


@dataclass(frozen=True)
class StatementInWords:
    """The parts of a statement as a sentence, in LaTeX prose.

    Attributes
    ----------
    given
        Domains and assumptions.
    where
        Names with the expressions that they stand for.
    conclusion
        The conclusion.
    definition
        Whether the conclusion defines a quantity, so that it comes first.
    refuted
        As in :class:`Statement`.
    """

    given: str
    where: str
    conclusion: str
    definition: bool
    refuted: bool

    def sentence(self) -> str:
        """The whole sentence."""
        said = self.conclusion
        if self.given:
            # Of a definition the values for which it holds follow.
            said = f"{said} for {self.given}" if self.definition else f"If {self.given}, then {said}"
        said = f"It is false that, {said[0].lower()}{said[1:]}" if self.refuted else said
        return f"{said}, where {self.where}." if self.where else f"{said}."


@cache
def parts_of(text: str) -> StatementInWords:
    """The parts of a statement that :func:`symbolic` wrote. Each rendering asks for the same ones."""
    return Statement.read(text).told()


def together(texts: Iterable[str]) -> tuple[str, ...]:
    """Statements that :func:`symbolic` wrote as sentences: those with the same assumptions and names are one."""
    sentences: list[StatementInWords] = []
    for told in map(parts_of, texts):
        alike = [
            number
            for number, other in enumerate(sentences)
            # That several conclusions are false together would say less.
            if not told.refuted and replace(other, conclusion="") == replace(told, conclusion="")
        ]
        if alike:
            before = sentences[alike[0]]
            sentences[alike[0]] = replace(before, conclusion=f"{before.conclusion}; {told.conclusion}")
        else:
            sentences.append(told)
    return tuple(one.sentence() for one in sentences)


@dataclass(frozen=True)
class Statement:
    """A conclusion for all values of the variables that satisfy the assumptions.

    Attributes
    ----------
    conclusion
        A combination of relations.
    assumptions
        Combinations of relations.
    names
        For symbols the expressions that they stand for, as the model gives them.
    refuted
        Whether it is said that the conclusion does not hold for all these values.
    """

    conclusion: sp.Basic
    assumptions: tuple[sp.Basic, ...] = ()
    names: Mapping[sp.Symbol, sp.Expr] = field(default_factory=dict)
    refuted: bool = False

    @staticmethod
    def read(text: str) -> Statement:
        """The statement that :func:`symbolic` wrote."""
        stated = read(text)
        refuted = isinstance(stated, sp.Not)
        stated = stated.args[0] if refuted else stated
        if not isinstance(stated, sp.Implies):
            return Statement(stated, refuted=refuted)
        premise, conclusion = stated.args
        given = premise.args if isinstance(premise, sp.And) else (premise,)
        names: dict[sp.Symbol, sp.Expr] = {}
        assumptions = []
        for one in given:
            # A symbol has one value; a second equation for it is an assumption like others.
            if _names(one) and one.args[0] not in names:
                names[one.args[0]] = one.args[1]
            else:
                assumptions.append(one)
        return Statement(conclusion, tuple(assumptions), names, refuted)

    @property
    def variables(self) -> tuple[sp.Symbol, ...]:
        """The symbols that stand for any value of their domain."""
        parts = (self.conclusion, *self.assumptions, *(sp.sympify(one) for one in self.names.values()))
        free: set[sp.Symbol] = set().union(*(part.free_symbols for part in parts))
        entries = {one for part in parts for one in part.atoms(sp.Indexed)}
        places = {place for one in entries for index in one.indices for place in index.free_symbols}
        # Of a vector the entries are variables, each at one place, but not its name, and not their place.
        told = {one.lhs for part in self.assumptions for one in leaves(part) if isinstance(one, sp.Eq)}
        shown = {one for one in entries if all(index.is_Symbol for index in one.indices) and one not in told}
        vectors = {one.base.label for one in entries} | entries | (places - elsewhere(parts))
        return tuple(sorted((free - vectors - set(self.names)) | shown, key=str))

    def latex(self) -> str:
        """The statement as LaTeX prose, from its variables to its conclusion."""
        return self.told().sentence()

    def told(self) -> StatementInWords:
        """The parts of the statement as a sentence."""
        defined = self.quantity()
        given = tuple(self._of_entries())
        entries = [one for one in given if _places(one)]
        variables = [one for one in self.variables if one != defined]
        plain = conditions([one for one in variables if not _places(one)], [one for one in given if one not in entries])
        each = [one for one in variables if _places(one)]
        used = [symbol for symbol in self.names if self._uses(symbol)]
        return StatementInWords(
            given=", and ".join(filter(None, (_listed(plain), *self._each(each, entries)))),
            where=_listed(f"{tex(symbol)} = {tex(self.names[symbol])}" for symbol in used),
            conclusion=f"${formula(self.conclusion)}$",
            definition=defined is not None,
            refuted=self.refuted,
        )

    def _each(self, variables: list[sp.Symbol], assumptions: list[sp.Basic]) -> Iterator[str]:
        """The assumptions about the entries of vectors, with their places."""
        started = any(index.is_number for one in self.assumptions for index in _indices(one))
        late = [one for one in assumptions if not started and any(index.is_Add for index in _indices(one))]
        for least, symbols, given in ((1, variables, [one for one in assumptions if one not in late]), (2, [], late)):
            if symbols or given:
                yield f"for {self._ranges(least, [*symbols, *given])}, {_listed(conditions(symbols, given))}"

    def _ranges(self, least: int, told_of: Iterable[sp.Basic]) -> str:
        parts = (self.conclusion, *self.assumptions, *(sp.sympify(one) for one in self.names.values()))
        ranges = {limits for part in parts for total in part.atoms(sp.Sum) for limits in total.limits}
        told = []
        for place in sorted({place for part in told_of for place in _places(part)}, key=str):
            ends = {end for index, _, end in ranges if index == place}
            last = f", {tex(ends.pop())}" if len(ends) == 1 else ""
            told.append(rf"${tex(place)} = {least}, \ldots{last}$")
        return " and ".join(told)

    def _of_entries(self) -> Iterator[sp.Basic]:
        """The assumptions, with the entry of a vector where its name stands for each of its entries."""
        entries = {one for part in self.names.values() for one in sp.sympify(part).atoms(sp.Indexed)}
        table = {one.base.label: one for one in entries if all(index.is_Symbol for index in one.indices)}
        yield from (one if one.has(sp.Indexed) else replaced(one, table) for one in self.assumptions)

    def quantity(self) -> sp.Symbol | None:
        """The symbol that the conclusion defines: it stands on one side of an equation, and nowhere else."""
        if self.refuted or not isinstance(self.conclusion, sp.Eq):
            return None
        rest = (*self.assumptions, *self.names, *(sp.sympify(one) for one in self.names.values()))
        for name, value in (self.conclusion.args, self.conclusion.args[::-1]):
            if name.is_Symbol and not any(part.has(name) for part in (value, *rest)):
                # A symbol that both sides could define is a variable.
                return None if value.is_Symbol and name.is_real else name
        return None

    def _uses(self, symbol: sp.Symbol) -> bool:
        rest = (self.conclusion, *self.assumptions, *(sp.sympify(one) for one in self.names.values()))
        return any(part.has(symbol) for part in rest)


def symbolic(
    *statements: sp.Basic,
    given: Iterable[sp.Basic] = (),
    where: Mapping[sp.Symbol, sp.Expr] | None = None,
    refuted: bool = False,
) -> tuple[str, ...]:
    """Formal statements as text that can be stored and read back.

    Parameters
    ----------
    *statements
        Relations, or combinations of them.
    given
        The assumptions of all of them. The kinds that sympy knows of a symbol need not be repeated.
    where
        For symbols the expressions that they stand for. A symbol that stands in no statement tells at which value of a
        variable the steps are used, as ``x = exp(epsilon)``.
    refuted
        Whether it is stated that none of them holds for all values that satisfy the assumptions.

    Raises
    ------
    ValueError
        For an expression that states nothing, for a relation that sympy has decided already, and for two symbols that
        a reader cannot tell apart.
    """
    texts = []
    for statement in statements:
        if not isinstance(statement, Boolean) or isinstance(statement, BooleanAtom):
            raise ValueError(f"{statement!r} states nothing: give a relation, built with evaluate=False")
        names = [eq(symbol, sp.sympify(value)) for symbol, value in (where or {}).items()]
        premises = [*(one for one in given if one != sp.true), *names]
        joined = premises[0] if len(premises) == 1 else sp.And(*premises) if premises else None
        _require_one_meaning(statement, [one for one in premises if one not in names], where or {})
        if joined == sp.false:
            raise ValueError(f"{statement!r} is stated under assumptions that contradict one another")
        whole = sp.Implies(joined, statement, evaluate=False) if joined is not None else statement
        texts.append(written(sp.Not(whole, evaluate=False) if refuted else whole))
    return tuple(texts)


def about(
    words: Words,
    *statements: sp.Basic,
    given: Iterable[sp.Basic] = (),
    refuted: bool = False,
) -> tuple[str, ...]:
    """Formal statements about sums over the entries of words, as :func:`symbolic`: each with the sums that it names.

    Parameters
    ----------
    words
        The sums, and all that is assumed of the entries.
    *statements, given, refuted
        As in :func:`symbolic`.
    """
    more = tuple(given)
    return tuple(
        text
        for one in statements
        for text in symbolic(
            one,
            given=(*words.conditions(), *more),
            where={
                symbol: total for symbol, total in words.sums.items() if any(part.has(symbol) for part in (one, *more))
            },
            refuted=refuted,
        )
    )


def shown_by(obligations: Iterable[Obligation]) -> tuple[str, ...]:
    """What obligations show, as :func:`symbolic` states it; of a counterexample what it refutes."""
    return tuple(dict.fromkeys(text for one in obligations for text in _shown_by(one)))


def _shown_by(obligation: Obligation) -> Iterator[str]:
    read_ones = [(read(one.relation), list(map(read, one.given))) for one in obligation.shows]
    if obligation.kind is Kind.COUNTEREXAMPLE:
        (denied, hypotheses), (opposite, values), *computed = read_ones
        if not quantities_in(opposite):
            yield from symbolic(denied.args[0], given=hypotheses, refuted=True)
            return
        # The quantities have nothing to do with the values of the free symbols.
        at = {one.lhs: one.rhs for one in computed[0][1] if opposite.has(one.lhs)}
        free = {one.lhs for one in values} - {one.lhs for one in computed[0][1]}
        given = [one for one in hypotheses if one.free_symbols <= free and one.free_symbols <= opposite.free_symbols]
        yield from symbolic(opposite, given=given, where=at)
        return
    for relation, under in read_ones:
        sums = {one.lhs: one.rhs for one in under if one.has(sp.Sum)}
        # A condition that the kind of a symbol implies need not be repeated.
        given = [one for one in under if not one.has(sp.Sum) and one.doit() != sp.true]
        yield from symbolic(relation, given=given, where=sums)


def _require_one_meaning(stated: sp.Basic, given: Iterable[sp.Basic], where: Mapping[sp.Symbol, sp.Expr]) -> None:
    """Refuse two symbols of one name, and of two kinds, in what is displayed."""
    shown: set[sp.Basic] = set().union(*(part.free_symbols for part in (stated, *given)))
    shown |= set().union(*(sp.sympify(value).free_symbols for value in where.values()))
    symbols = [one for one in shown if one.is_Symbol]
    if len({str(one) for one in symbols}) < len(symbols):
        raise ValueError(f"{stated} has two symbols of the same name, among {sorted(map(str, symbols))}")


def _names(one: sp.Basic) -> bool:
    return isinstance(one, sp.Eq) and one.args[0].is_Symbol and not one.args[1].has(one.args[0])


def elsewhere(parts: Iterable[sp.Basic]) -> set[sp.Basic]:
    """The symbols that stand outside of the indices of entries, and that no sum runs over."""
    plain = (part.xreplace({one: sp.Dummy() for one in part.atoms(sp.Indexed)}) for part in parts)
    return set().union(*(part.free_symbols for part in plain))


def _listed(formulas: Iterable[str]) -> str:
    """Formulas of a sentence."""
    shown = "$, $".join(formulas)
    return f"${shown}$" if shown else ""


def _indices(part: sp.Basic) -> set[sp.Expr]:
    return {index for one in part.atoms(sp.Indexed) for index in one.indices}


def _places(part: sp.Basic) -> set[sp.Basic]:
    """The symbols at which entries of vectors stand, those of sums excepted."""
    bound = {limits[0] for total in part.atoms(sp.Sum) for limits in total.limits}
    return set().union(*(index.free_symbols for index in _indices(part))) - bound
