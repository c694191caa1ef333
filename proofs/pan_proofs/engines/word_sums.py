"""Sums over the adjacent entries of words of whole numbers: bounds for every length, and words that break a relation.

A sum is given as a formula in the entries ``x[i]`` and ``x[i - 1]``, as ``Sum(Abs(x[i] - x[i - 1]), (i, 2, T))``. The
machine that adds it up is made from the formula, so that the relation is shown of the formula itself, at every length.
For all short words the quantity is computed from its own definition too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from math import lcm
from typing import Any

import sympy as sp
from sympy.core.relational import Relational

from pan_proofs.engines.computations import at_point
from pan_proofs.engines.obligation import Check, Kind, Obligation, decided, minted
from pan_proofs.engines.quantities import is_such
from pan_proofs.engines.relations import eq
from pan_proofs.engines.walks import Machine, never_more

Vector = tuple[int, ...]
Letter = tuple[int, ...]
"""One entry of each vector."""
Definitions = Mapping[sp.Symbol, Callable[..., int]]
"""For each sum the quantity that it stands for, computed from the vectors by its own definition."""


@dataclass(frozen=True)
class Words:
    """Vectors of one length that are read together, and sums over their entries.

    A sum may stand for the entry at the last place: ``Sum(x[i] - x[i - 1], (i, 1, T))`` with ``x[0] = 0``.

    Attributes
    ----------
    length, place
        The symbols of the length, a positive integer, and of the place of an entry.
    entries
        The vectors; their labels are declared integer.
    sums
        For each symbol, declared real and nothing else, a sum over the places from 1 or 2 to the length.
    values
        For each vector the values of its entries; without them any whole number is one.
    rules
        Conditions on entries at ``place`` and ``place - 1``, true at each place.
    start
        The entries at place 0; without them a rule or a sum that looks back begins at place 2.
    """

    length: sp.Symbol
    place: sp.Symbol
    entries: tuple[sp.IndexedBase, ...]
    sums: Mapping[sp.Symbol, sp.Sum]
    values: Mapping[sp.IndexedBase, tuple[int, ...]] = field(default_factory=dict)
    rules: tuple[sp.Basic, ...] = ()
    start: tuple[int, ...] | None = None
    _known: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        known = {one[self.place - back] for one in self.entries for back in (0, 1)}
        for symbol, total in self.sums.items():
            if symbol.assumptions0 != sp.Symbol(symbol.name, real=True).assumptions0:
                raise ValueError(f"{symbol} is a sum; declare it real, and nothing else")
            least = 1 if self.start is not None or not _looks_back(total.function, self) else 2
            if not any(total.limits == (sp.Tuple(self.place, at, self.length),) for at in range(least, 3)):
                raise ValueError(f"{symbol} is no sum over {self.place} from {least} or 2 to {self.length}: {total}")
        for one in (*(total.function for total in self.sums.values()), *self.rules):
            if one.atoms(sp.Indexed) - known or one.atoms(sp.Symbol) - self._names():
                raise ValueError(f"{one} has other symbols than the entries at {self.place} and {self.place} - 1")
        if not (self.length.is_integer and self.length.is_positive):
            raise ValueError(f"the length {self.length} is a positive integer; declare it so")

    def _names(self) -> set[sp.Symbol]:
        return {self.place, *(one.label for one in self.entries)}

    def conditions(self) -> tuple[sp.Basic, ...]:
        """All that is assumed of the entries."""
        values = [
            sp.Or(*(eq(one[self.place], value) for value in self.values[one]))
            for one in self.entries
            if one in self.values
        ]
        first = () if self.start is None else zip(self.entries, self.start, strict=True)
        return (*values, *self.rules, *(eq(one[0], value) for one, value in first))

    def definitions(self, *relations: sp.Basic) -> tuple[Relational, ...]:
        """For each symbol in some relations that it is the sum."""
        used = [symbol for symbol in self.sums if any(one.has(symbol) for one in relations)]
        return tuple(eq(symbol, self.sums[symbol]) for symbol in used)

    def allowed(self, before: Letter | None, letter: Letter) -> bool:
        """Whether a letter may follow another one; ``None`` stands before the first."""
        if (before, letter) not in self._known:
            pairs = zip(self.entries, letter, strict=True)
            within = all(isinstance(value, int) and value in self.values.get(one, (value,)) for one, value in pairs)
            back = self.start if before is None else before
            rules = (one for one in self.rules if back is not None or not _looks_back(one, self))
            kept = within and all(_evaluated(one, self, back, letter) == sp.true for one in rules)
            self._known[before, letter] = kept
        return bool(self._known[before, letter])

    def added(self, symbol: sp.Symbol, before: Letter | None, letter: Letter) -> sp.Rational:
        """The term of a sum at one place."""
        if (symbol, before, letter) not in self._known:
            total, back = self.sums[symbol], self.start if before is None else before
            later = before is None and total.limits[0][1] == 2
            found = sp.S.Zero if later else _evaluated(total.function, self, back, letter)
            if not found.is_Rational:
                raise ValueError(f"the term of {symbol} for {before} and {letter} is no fraction: {found}")
            self._known[symbol, before, letter] = found
        return self._known[symbol, before, letter]

    def of(self, vectors: Sequence[Vector]) -> dict[sp.Symbol, sp.Expr] | None:
        """The sums of vectors, and their length; ``None`` if they are not allowed."""
        letters: list[Letter] = list(zip(*vectors, strict=True))
        steps = list(zip([None, *letters], letters, strict=False))
        if not letters or not all(self.allowed(before, letter) for before, letter in steps):
            return None
        totals = {one: sp.Add(*(self.added(one, before, letter) for before, letter in steps)) for one in self.sums}
        return {**totals, self.length: sp.Integer(len(letters))}

    def up_to(self, longest: int) -> Iterator[tuple[Vector, ...]]:
        """All vectors up to a length that are allowed."""
        letters = tuple(product(*(self.values[one] for one in self.entries)))
        words: list[tuple[Letter, ...]] = [()]
        for _ in range(longest):
            ends = [(word, word[-1] if word else None) for word in words]
            words = [(*word, letter) for word, end in ends for letter in letters if self.allowed(end, letter)]
            yield from (tuple(zip(*word, strict=True)) for word in words)


def bounded_sums(
    name: str, relation: Relational, words: Words, *, by_definition: Definitions, up_to: int
) -> Obligation:
    """The obligation that a linear relation between sums holds for words of every length, and that it is attained.

    Parameters
    ----------
    name
        As in :class:`Obligation`.
    relation
        ``Le``, ``Ge`` or ``Eq`` between linear expressions in the sums and the length, with rational coefficients.
    words
        Words with finitely many letters. A word that is allowed must have equal sides.
    by_definition
        For each sum of the relation the quantity that it stands for. It must agree on all words of up to ``up_to``
        letters.
    up_to
        The length of the longest words that are listed.
    """
    if not isinstance(relation, (sp.Le, sp.Ge, sp.Eq)) or set(words.values) != set(words.entries):
        raise ValueError(f"{name}: a relation <=, >= or = over finitely many letters is asked, got {relation}")
    asked = _sums_of(relation, words, by_definition, name)
    excess = relation.lhs - relation.rhs if not isinstance(relation, sp.Ge) else relation.rhs - relation.lhs
    checks: list[Check] = []
    for sign in (1, -1) if isinstance(relation, sp.Eq) else (1,):
        machine, bound = _machine(sign * excess, words, name)
        kept, first = never_more(machine, bound)
        checks.append(decided(f"every letter keeps the potential ({sign})", "enumeration", kept))
        checks.append(decided(f"the bound holds after the first letter ({sign})", "enumeration", first))
    counted, differing, touched = 0, 0, 0
    for vectors in words.up_to(up_to):
        counted += 1
        found = words.of(vectors)
        if found is None:
            raise ValueError(f"{name}: {vectors} is not allowed")
        differing += any(found[one] != by_definition[one](*vectors) for one in asked)
        touched += excess.xreplace(found) == 0
    checks += [
        decided(
            f"the sums and the definitions agree for all {counted:,} words of up to {up_to} letters",
            "enumeration",
            counted > 0 and not differing,
        ),
        decided("one of these words attains the bound", "enumeration", touched > 0),
    ]
    given = (*words.definitions(relation), *words.conditions())
    told = f"{sp.sstr(relation)} for words of every length"
    return minted(name, told, checks, Kind.INDUCTION, (relation,), given)


def broken_by(
    name: str,
    claimed: Relational,
    words: Words,
    vectors: Sequence[Vector],
    *,
    by_definition: Definitions,
    values: Mapping[sp.Symbol, int] | None = None,
    hypotheses: Sequence[Relational] = (),
) -> Obligation:
    """The obligation that a relation between sums is false for one word, which satisfies all that is assumed.

    Parameters
    ----------
    name, words, by_definition
        As in :func:`bounded_sums`; the letters may be infinitely many.
    claimed
        A relation between the sums, the length and other symbols.
    vectors
        The word, vector by vector.
    values
        The values of the other symbols.
    hypotheses
        Relations between the same symbols.
    """
    asked = [one for part in (claimed, *hypotheses) for one in _sums_of(part, words, by_definition, name)]
    found = words.of(vectors)
    agree = found is not None and all(found[one] == by_definition[one](*vectors) for one in asked)
    at = {**(found or {}), **{symbol: sp.Integer(value) for symbol, value in (values or {}).items()}}
    of_kind = all(is_such(symbol, at[symbol]) for symbol in values or {})
    checks = [
        decided("the word satisfies all conditions", "enumeration", found is not None),
        decided("the sums and the definitions agree for it", "enumeration", agree),
        decided("the values are of the kinds of their symbols", "sympy", of_kind),
    ]
    if found is not None:
        for one in hypotheses:
            checks += at_point("the word satisfies the hypotheses", one, at, expected=True)
        checks += at_point("the claimed relation is false for it", claimed, at, expected=False)
    given = (*words.definitions(claimed, *hypotheses), *words.conditions(), *hypotheses)
    told = f"not ({sp.sstr(claimed)}) for {vectors}"
    return minted(name, told, checks, Kind.COUNTEREXAMPLE, (sp.Not(claimed, evaluate=False),), given)


def _sums_of(relation: Relational, words: Words, by_definition: Definitions, name: str) -> list[sp.Symbol]:
    found = [one for one in words.sums if relation.has(one)]
    if missing := [str(one) for one in found if one not in by_definition]:
        raise ValueError(f"{name}: no definition of {', '.join(missing)}")
    return found


def _machine(excess: sp.Expr, words: Words, name: str) -> tuple[Machine, int]:
    """A machine that adds up a linear expression, times a number that makes all terms whole, and the bound for it."""
    symbols = [*words.sums, words.length]
    linear = sp.Poly(excess, *symbols)
    if linear.total_degree() > 1 or not all(one.is_Rational for one in linear.coeffs()):
        raise ValueError(f"{name}: {excess} is not linear in {', '.join(map(str, symbols))} with rational coefficients")
    weights = {one: linear.coeff_monomial(one) for one in symbols}
    letters = tuple(product(*(words.values[one] for one in words.entries)))
    scale = lcm(*(int(one.q) for one in linear.coeffs()), 1)

    def step(before: Letter | None, letter: Letter) -> tuple[Letter, int] | None:
        if not words.allowed(before, letter):
            return None
        terms = (weights[one] * words.added(one, before, letter) for one in words.sums if weights[one] != 0)
        added = scale * sp.Add(weights[words.length], *terms)
        if not added.is_Integer:
            raise ValueError(f"{name}: {letter} adds {added}, which is no whole number")
        return letter, int(added)

    return Machine(None, letters, step), int(-scale * linear.coeff_monomial(1))


def _looks_back(part: sp.Basic, words: Words) -> bool:
    return any(one[words.place - 1] in part.atoms(sp.Indexed) for one in words.entries)


def _evaluated(part: sp.Basic, words: Words, before: Letter | None, letter: Letter) -> sp.Basic:
    if (before is not None or not _looks_back(part, words)) and (found := _compiled(part, words.place, words.entries)):
        value = found(*letter, *(before or (0,) * len(letter)))
        return sp.true if value is True else sp.false if value is False else sp.Integer(value)
    table = {one[words.place]: sp.Integer(value) for one, value in zip(words.entries, letter, strict=True)}
    if before is not None:
        table |= {one[words.place - 1]: sp.Integer(value) for one, value in zip(words.entries, before, strict=True)}
    return part.xreplace(table)


@cache
def _compiled(part: sp.Basic, place: sp.Symbol, entries: tuple[sp.IndexedBase, ...]) -> Callable[..., Any] | None:
    """A function of the entries at a place and before it that computes with whole numbers; ``None`` for other parts.

    Substitution of each letter by sympy takes far longer.
    """
    read = {
        one[place - back]: sp.Dummy(f"e{number}_{back}", integer=True)
        for back in (0, 1)
        for number, one in enumerate(entries)
    }
    plain = part.xreplace(read)
    whole = all(number.is_Integer for number in plain.atoms(sp.Number))
    powers = all(one.exp.is_Integer and one.exp.is_positive for one in plain.atoms(sp.Pow))
    others = plain.atoms(sp.Function) - plain.atoms(sp.Abs, sp.Max, sp.Min)
    if others or not (whole and powers) or plain.free_symbols - set(read.values()):
        return None
    if not isinstance(plain, (sp.Expr, Relational)):
        return None
    made: Callable[..., Any] = sp.lambdify([*read.values()], plain, modules=[{"Abs": abs, "Max": max, "Min": min}])
    return made
