"""Formal statements as sentences: each variable with its domain, bounds of one form together, every conjunct."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from math import prod

import sympy as sp
from sympy.core.relational import Relational

from pan_proofs.ledger.notation import tex

_LONG, _DIGITS = 1000, 12
"""A denominator from which a fraction is shown as a decimal, and the most digits of one."""
_SIGNS = {sp.And: r"\wedge", sp.Or: r"\vee", sp.Implies: r"\implies", sp.Equivalent: r"\iff"}
_ORDERED = {sp.Le: (0, 1, r"\leq"), sp.Lt: (0, 1, "<"), sp.Ge: (1, 0, r"\leq"), sp.Gt: (1, 0, "<")}
_BELOW = {r"\leq": r"\geq", "<": ">"}

_INNERMOST = re.compile(r"\\left\(((?:(?!\\left\(|\\right\)).)*)\\right\)")
_TALL = re.compile(r"\\(?:frac|sum|prod|binom|sqrt|int|lim|left|bigl)")

Bound = tuple[sp.Expr, str, sp.Expr]
"""A smaller side, the sign, and a larger side."""


def formula(stated: sp.Basic) -> str:
    """A combination of relations in LaTeX, all of its parts."""
    if isinstance(stated, Relational):
        return _relation(stated)
    if isinstance(stated, sp.Not):
        return rf"\neg ({formula(stated.args[0])})"
    if isinstance(stated, sp.Or) and (listed := _listed(stated) or _choice(stated)):
        return listed
    sign = _SIGNS.get(stated.func)
    if sign is None:
        return _breakable(tex(stated))
    if isinstance(stated, sp.And):
        return rf" \;{sign}\; ".join(_conjuncts(stated))
    parts = [formula(one) if isinstance(one, Relational) else rf"({formula(one)})" for one in _ordered(stated)]
    return rf" \;{sign}\; ".join(parts)


def conditions(variables: Iterable[sp.Symbol], assumptions: Iterable[sp.Basic]) -> tuple[str, ...]:
    """The domains of variables and the assumptions, each a formula in LaTeX; bounds of symbols are chains.

    Parameters
    ----------
    variables
        In the order in which they are named.
    assumptions
        Combinations of relations.
    """
    symbols, given = tuple(variables), tuple(assumptions)
    simple = [bound for one in given if (bound := _simple(one))]
    among = {symbol for one in given if isinstance(one, sp.Or) and _set_of_values(one) for symbol in one.free_symbols}
    signs = [bound for one in symbols if one not in among and (bound := _sign(one))]
    edges = [bound for bound in signs if not any(_tells(other, bound) for other in simple)]
    edges += simple
    chains = _chains(edges)
    told = [_sides(chain) for chain in chains]
    bounded = {one for sides in told if any(side.is_number for side in sides) for one in sides if _variable(one)}
    domains: dict[str, list[str]] = {}
    for symbol in symbols:
        # A set of values tells more than the kind of them.
        kind = "" if symbol in among else _kind(symbol)
        if kind and not (kind == r" \in \mathbb{R}" and symbol in bounded):
            domains.setdefault(kind, []).append(tex(symbol))
    return (
        *(", ".join(names) + kind for kind, names in domains.items()),
        *_told(chains),
        *_grouped([one for one in given if not _simple(one)]),
    )


def _grouped(given: Sequence[sp.Basic]) -> Iterator[str]:
    """Assumptions in LaTeX; the symbols that have the same values are named together."""
    told = [_among(one) for one in given]
    alike: dict[str, list[str]] = {}
    for name, values in filter(None, told):
        alike.setdefault(values, []).append(name)
    for one, found in zip(given, told, strict=True):
        if found is None:
            yield formula(one)
        elif names := alike.pop(found[1], None):
            yield f"{(' = ' if found[1].startswith('=') else ', ').join(names)} {found[1]}"


def _among(one: sp.Basic) -> tuple[str, str] | None:
    """A variable, and that it has a value, or one of some values; ``None`` for another assumption."""
    if isinstance(one, sp.Eq) and _entry(one.lhs) and one.rhs.is_number:
        return tex(one.lhs), f"= {tex(one.rhs)}"
    if isinstance(one, sp.Or) and (listed := _choice(one)):
        name, _, values = listed.partition(r" \in ")
        return name, rf"\in {values}"
    return None


def _entry(side: sp.Basic) -> bool:
    return bool(side.is_Symbol or isinstance(side, sp.Indexed))


def _kind(symbol: sp.Symbol) -> str:
    if symbol.is_integer:
        least = "1, 2" if symbol.is_positive else "0, 1" if symbol.is_nonnegative else ""
        return rf" \in \{{{least}, \ldots\}}" if least else r" \in \mathbb{Z}"
    # A symbol of no kind is the name of a quantity.
    return r" \in \mathbb{R}" if symbol.is_real else ""


def _sign(symbol: sp.Symbol) -> Bound | None:
    """The bound of a real variable that sympy knows from its kind."""
    if symbol.is_integer:
        return None
    if symbol.is_positive or symbol.is_nonnegative:
        return sp.S.Zero, "<" if symbol.is_positive else r"\leq", symbol
    if symbol.is_negative or symbol.is_nonpositive:
        return symbol, "<" if symbol.is_negative else r"\leq", sp.S.Zero
    return None


def _simple(one: sp.Basic) -> Bound | None:
    """An order between symbols and numbers; ``None`` for another assumption."""
    if (bound := _bound(one)) is None:
        return None
    sides = bound[::2]
    plain = all(side.is_number or _variable(side) for side in sides)
    return bound if plain and any(_variable(side) for side in sides) else None


def _variable(side: sp.Basic) -> bool:
    return bool(side.is_Symbol or (isinstance(side, sp.Indexed) and all(index.is_Symbol for index in side.indices)))


def _bound(one: sp.Basic) -> Bound | None:
    if one.func not in _ORDERED:
        return None
    small, large, sign = _ORDERED[one.func]
    return one.args[small], sign, one.args[large]


def _tells(bound: Bound, sign: Bound) -> bool:
    """Whether a bound of a symbol by a number tells its sign."""
    small, _, large = bound
    if not (small.is_number or large.is_number) or (small, large)[small.is_number] not in sign:
        return False
    at_zero = bound == sign or (sign[1] == r"\leq" and (small, large) == sign[::2])
    positive = sign[0] == 0 and small.is_number and small.is_positive
    negative = sign[2] == 0 and large.is_number and large.is_negative
    return bool(at_zero or positive or negative)


def _chains(edges: Sequence[Bound]) -> list[tuple[sp.Basic | str, ...]]:
    """The bounds in chains: sides and signs in turn, from the smallest side to the largest."""
    left = list(dict.fromkeys(edges))
    found: list[tuple[sp.Basic | str, ...]] = []
    while left:
        larger = {edge[2] for edge in left}
        start = next((edge for edge in left if edge[0].is_number or edge[0] not in larger), left[0])
        chain: tuple[sp.Basic | str, ...] = start
        left.remove(start)
        while _variable(chain[-1]) and (more := next((edge for edge in left if edge[0] == chain[-1]), None)):
            left.remove(more)
            chain = (*chain, *more[1:])
        found.append(chain)
    return found


def _sides(chain: Sequence[sp.Basic | str]) -> list[sp.Basic]:
    return [one for one in chain if not isinstance(one, str)]


def _told(chains: Iterable[tuple[sp.Basic | str, ...]]) -> Iterator[str]:
    """Chains in LaTeX; those that differ in one symbol between numbers are one."""
    alike: dict[tuple[object, ...], list[str]] = {}
    for chain in chains:
        names = list(dict.fromkeys(one for one in _sides(chain) if not one.is_number))
        pattern = tuple("" if not isinstance(one, str) and one in names else one for one in chain)
        pattern = pattern if len(names) == 1 else chain
        alike.setdefault(pattern, []).append(tex(names[0]) if len(names) == 1 else "")
    for pattern, symbols in alike.items():
        shown = ", ".join(symbols)
        if len(pattern) == 3 and shown and isinstance(pattern[2], str):
            # One lower bound of a variable is read after it.
            yield f"{shown} {_BELOW[str(pattern[1])]} {tex(pattern[0])}"
        elif len(pattern) == 3 and not shown and isinstance(pattern[0], sp.Number):
            yield f"{tex(pattern[2])} {_BELOW[str(pattern[1])]} {tex(pattern[0])}"
        else:
            yield " ".join((one or shown) if isinstance(one, str) else tex(one) for one in pattern)


def _conjuncts(stated: sp.And) -> Iterator[str]:
    """The parts of a conjunction: with one bound, those that it bounds are a set; two bounds of a side are a chain."""
    left = list(_ordered(stated))
    while left:
        first = left.pop(0)
        bound = _bound(first)
        if bound is None:
            yield formula(first) if isinstance(first, Relational) else f"({formula(first)})"
            continue
        others = [(one, other) for one in left if (other := _bound(one)) and other[1] == bound[1]]
        below = [(one, other) for one, other in others if other[2] == bound[2]]
        above = [(one, other) for one, other in others if other[0] == bound[0]]
        if below and len(below) >= len(above) and (len(below) > 1 or not _short(bound[2])):
            for one, _ in below:
                left.remove(one)
            shown = _set([bound[0], *(other[0] for _, other in below)])
            yield rf"\max\{{{shown}\}} {bound[1]} {_breakable(tex(bound[2]))}"
        elif above and (len(above) > 1 or not _short(bound[0])):
            for one, _ in above:
                left.remove(one)
            shown = _set([bound[2], *(other[2] for _, other in above)])
            yield rf"{_breakable(tex(bound[0]))} {bound[1]} \min\{{{shown}\}}"
        else:
            yield _between(first, bound, left)


def _between(first: sp.Basic, bound: Bound, left: list[sp.Basic]) -> str:
    """A bound, with the other bound of the same side if there is one: it is taken from those that are left."""
    for one in left:
        other = _bound(one)
        if other and other[0] == bound[2]:
            left.remove(one)
            return _row(*bound, *other[1:])
        if other and other[2] == bound[0]:
            left.remove(one)
            return _row(*other, *bound[1:])
    return _relation(first)


def _row(*chain: sp.Basic | str) -> str:
    return " ".join(one if isinstance(one, str) else _breakable(tex(one)) for one in chain)


def _set(terms: Iterable[sp.Expr]) -> str:
    return ", ".join(_breakable(tex(one)) for one in dict.fromkeys(terms))


def _short(bound: sp.Expr) -> bool:
    return bool(bound.is_number or bound.is_Symbol)


def _relation(stated: Relational) -> str:
    left, right = stated.args
    if isinstance(stated, (sp.Eq, sp.Ne)) and _variable(right) and not _variable(left):
        # The name of a value comes before the value.
        sign = "=" if isinstance(stated, sp.Eq) else r"\neq"
        return _breakable(f"{tex(right)} {sign} {tex(left)}")
    return _breakable(tex(stated))


def _set_of_values(part: sp.Or) -> bool:
    return bool(_listed(part)) or bool(_choice(part) and part.args[0].args[0].is_Symbol)


def _listed(part: sp.Or) -> str:
    """The condition that symbols have one of some values, as a set; empty for another condition."""
    cases = [one.args if isinstance(one, sp.And) else (one,) for one in part.args]
    if not all(isinstance(one, sp.Eq) and one.lhs.is_Symbol and one.rhs.is_number for case in cases for one in case):
        return ""
    tables: list[Mapping[sp.Symbol, sp.Expr]] = [{one.lhs: one.rhs for one in case} for case in cases]
    symbols = sorted(tables[0], key=str)
    if any(set(table) != set(symbols) for table in tables):
        return ""
    values = sorted((tuple(table[symbol] for symbol in symbols) for table in tables), key=lambda one: [*map(sp.N, one)])
    # A symbol with the same value in all cases has its value once.
    fixed = [place for place in range(len(symbols)) if len({one[place] for one in values}) == 1]
    if len(values) > 2 and 0 < len(fixed) < len(symbols):
        said = [f"{tex(symbols[place])} = {_value(values[0][place])}" for place in fixed]
        symbols = [one for place, one in enumerate(symbols) if place not in fixed]
        values = [tuple(one for place, one in enumerate(row) if place not in fixed) for row in values]
        return ", ".join((*said, _set_of_rows(symbols, values)))
    return _set_of_rows(symbols, values)


def _set_of_rows(symbols: Sequence[sp.Symbol], values: Sequence[tuple[sp.Expr, ...]]) -> str:
    columns = [sorted({row[place] for row in values}, key=sp.N) for place in range(len(symbols))]
    if len(values) == prod(map(len, columns)):
        # Every combination of the values.
        told = (
            rf"{tex(one)} \in \{{{', '.join(map(_value, column))}\}}"
            for one, column in zip(symbols, columns, strict=True)
        )
        return r",\ ".join(told)
    pairs = ", ".join(f"({', '.join(map(_value, one))})" for one in values)
    return rf"({', '.join(map(tex, symbols))}) \in \{{{pairs}\}}"


def _value(number: sp.Expr) -> str:
    """A number of a list: a fraction of many digits that ends as a decimal is one."""
    if number.is_Rational and number.q >= _LONG and 10**_DIGITS % number.q == 0:
        return f"{Decimal(int(number.p)) / Decimal(int(number.q)):f}"
    return tex(number)


def _choice(part: sp.Or) -> str:
    """That an expression has one of several values, as a set of them; empty if it is not of this form."""
    ones = {one.args[0] for one in part.args if isinstance(one, sp.Eq) and one.args[1].is_Integer}
    if len(ones) != 1 or not all(isinstance(one, sp.Eq) and one.args[1].is_Integer for one in part.args):
        return ""
    values = ", ".join(str(value) for value in sorted(int(one.args[1]) for one in part.args))
    return rf"{tex(ones.pop())} \in \{{{values}\}}"


def _breakable(text: str) -> str:
    """A formula whose lines TeX may also break between parentheses, which grow only around what is tall."""
    while (shorter := _INNERMOST.sub(_parentheses, text)) != text:
        text = shorter
    return text


def _parentheses(found: re.Match[str]) -> str:
    inner = found[1].strip()
    return rf"\bigl({inner}\bigr)" if _TALL.search(inner) else f"({inner})"


def _ordered(part: sp.Basic) -> Iterator[sp.Basic]:
    yield from sorted(part.args, key=str) if isinstance(part, (sp.And, sp.Or, sp.Equivalent)) else part.args
