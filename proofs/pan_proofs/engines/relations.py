"""Relations as text that is read back as it was written: sympy decides nothing on the way, and no text is run."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import cache, partial
from typing import Any

import sympy as sp
from sympy.core.relational import Relational

_STATEMENTS = {
    kind.__name__: kind for kind in (sp.Eq, sp.Ne, sp.Le, sp.Lt, sp.Ge, sp.Gt, sp.Not, sp.Implies, sp.Equivalent)
}
eq, ne, le, lt, ge, gt = (partial(kind, evaluate=False) for kind in (sp.Eq, sp.Ne, sp.Le, sp.Lt, sp.Ge, sp.Gt))
"""Relations that sympy leaves as they are written, also where it could decide them."""

_NUMBERS = {"pi": sp.pi, "E": sp.E, "oo": sp.oo, "true": sp.true, "false": sp.false}
_KNOWN: dict[str, sp.Basic] = {}
"""The relations that were written in this process."""


@cache
def written(relation: sp.Basic) -> str:
    """A relation, or a combination of relations, as text."""
    # Terms stay in the order in which sympy keeps them: to sort them takes longer than to write them.
    text: str = sp.srepr(relation, order="none")
    _KNOWN[text] = relation
    return text


def read(text: str) -> sp.Basic:
    """The relation that :func:`written` wrote. Equal sides, or sides whose order sympy knows, stay a relation.

    Raises
    ------
    ValueError
        For a text that it did not write.
    """
    known = _KNOWN.get(text)
    if known is None:
        try:
            known = _built(ast.parse(text, mode="eval").body)
        except (SyntaxError, TypeError) as problem:
            raise ValueError(f"no relation as sympy writes it: {text[:80]!r}") from problem
        _KNOWN[text] = known
    return known


def opposite(relation: sp.Basic) -> sp.Basic:
    """The negation, which sympy would turn into another relation."""
    return sp.Not(relation, evaluate=False)


def replaced(relation: sp.Basic, table: dict[sp.Basic, sp.Basic]) -> sp.Basic:
    """A combination of relations with expressions put in the place of others; it stays undecided.

    A symbol with which a limit or a derivative is taken is no place for a value: there it stays, in the whole relation.
    """
    if not table:
        return relation
    if isinstance(relation, Relational):
        if any(one in table for one in _bound(relation)):
            table = {one: value for one, value in table.items() if one not in _bound(relation)}
        return relation.func(*(side.xreplace(table) for side in relation.args), evaluate=False)
    if relation in (sp.true, sp.false):
        return relation
    return relation.func(*(replaced(part, table) for part in relation.args), evaluate=False)


def captured(relation: sp.Basic, table: Mapping[sp.Basic, sp.Basic]) -> bool:
    """Whether a symbol with which a limit or derivative is taken stands in the value of another symbol there.

    Such a value is no constant, so that the relation does not say the same of it.
    """
    return any(
        table[symbol].has(*_bound(leaf))
        for leaf in leaves(relation)
        if isinstance(leaf, Relational) and _bound(leaf)
        for symbol in leaf.free_symbols & set(table) - _bound(leaf)
    )


@cache
def _bound(relation: Relational) -> frozenset[sp.Basic]:
    """The symbols with which limits and derivatives in a relation are taken."""
    limits = {one.args[1] for one in relation.atoms(sp.Limit)}
    return frozenset(limits.union(*(one.variables for one in relation.atoms(sp.Derivative))))


def leaves(relation: sp.Basic) -> tuple[Relational, ...]:
    """The relations of which a combination is made."""
    if isinstance(relation, Relational):
        return (relation,)
    return tuple(leaf for part in relation.args for leaf in leaves(part))


def _built(node: ast.AST) -> Any:
    """The expression of a text, by the constructors of sympy's expressions alone."""
    if isinstance(node, ast.Name) and node.id in _NUMBERS:
        return _NUMBERS[node.id]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_built(node.operand)
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, bool)):
        return node.value
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
        raise ValueError(f"not a part of an expression: {ast.dump(node)[:80]}")
    name = node.func.id
    if name == "Symbol":
        # A text as an argument of anything else would be parsed, and so run, by sympy.
        title, kinds = node.args[0], {str(one.arg): _built(one.value) for one in node.keywords}
        if len(node.args) == 1 and isinstance(title, ast.Constant) and isinstance(title.value, str):
            return sp.Symbol(title.value, **kinds)
        raise ValueError("a symbol has one name")
    if node.keywords:
        raise ValueError(f"{name} has no options here")
    arguments = [_built(one) for one in node.args]
    if name in _STATEMENTS:
        return _STATEMENTS[name](*arguments, evaluate=False)
    kind = getattr(sp, name, None)
    if not (isinstance(kind, type) and issubclass(kind, sp.Basic)) or kind is sp.Float:
        raise ValueError(f"no expression of sympy: {name}")
    return kind(*arguments)
