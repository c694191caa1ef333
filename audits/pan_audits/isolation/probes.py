"""In the judged process: code whose conditions and values inside lines are recorded.

A line runs as a whole. Its parts do not: one value of a conditional expression, the second part of ``and``, a
comparison that is a summand. So each such part is replaced by a call of a recorder, which gives the value that the
part has.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence
from typing import Any, cast

from pan_audits.choices.definitions import Definition
from pan_audits.isolation.sites import PREFIX, Kind, Site

_NOT_CALLED = frozenset(
    (
        *("super", "locals", "vars", "dir", "eval", "exec", "globals", "print", "__import__"),
        *("range", "enumerate", "zip", "iter", "reversed", "slice"),
    )
)
"""Names whose calls depend on the frame, or have an iterator as their result."""

_MAKES_AN_ARRAY = frozenset({"zeros", "ones", "full", "empty", "zeros_like", "ones_like", "full_like", "empty_like"})
"""Names of calls whose results are arrays of one number."""

_OF_ARRAYS = frozenset({"ndim", "itemsize", "dtype", "shape"})
"""Attributes that are the same for most arrays."""

_ENDS = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_LONGEST = 60


def probed(node: Definition, sites: list[Site]) -> Definition:
    """A definition with calls of a recorder.

    Parameters
    ----------
    node
        The definition. It stays as it is.
    sites
        The recorded parts are added here. Their places are their numbers.
    """
    made = copy.deepcopy(node)
    probing = _Probing(sites)
    if isinstance(made, ast.Lambda):
        made.body = probing.visit(made.body)
    else:
        made.body = probing.block(made.body, made.lineno)
    return ast.fix_missing_locations(made)


class _Probing(ast.NodeTransformer):
    def __init__(self, sites: list[Site]) -> None:
        self.sites = sites
        self.above: list[int] = [-1]

    def _site(self, node: ast.AST, kind: Kind, told: tuple[bool, ...] = (), text: str = "") -> int:
        line = getattr(node, "lineno", 0)
        self.sites.append(Site(line, (text or ast.unparse(node))[:_LONGEST], kind, self.above[-1], told))
        return len(self.sites) - 1

    def _call(self, name: str, site: int, node: ast.AST, *parts: ast.expr) -> ast.expr:
        call = ast.Call(ast.Constant(PREFIX + name), [ast.Constant(site), *parts], [])
        return ast.copy_location(call, node)

    def _inside(self, site: int, node: ast.expr) -> Any:
        """A part on which the value of a site depends."""
        self.above.append(site)
        try:
            return self.visit(node)
        finally:
            self.above.pop()

    def _truth(self, node: ast.expr, told: tuple[bool, ...] = ()) -> ast.expr:
        """A condition, of which only the truth is used."""
        site = self._site(node, Kind.TRUTH, told)
        return self._call("truth", site, node, self._inside(site, node))

    def _place(self, node: ast.expr, text: str = "") -> ast.expr:
        site = self._site(node, Kind.PLACE, text=text)
        return self._call("reached", site, node, self.visit(node))

    def _reached(self, line: int, text: str, kind: Kind = Kind.PLACE) -> ast.stmt:
        site = len(self.sites)
        self.sites.append(Site(line, text, kind))
        statement = ast.Expr(ast.Call(ast.Constant(PREFIX + "reached"), [ast.Constant(site), ast.Constant(None)], []))
        statement.lineno = statement.end_lineno = line
        statement.col_offset = statement.end_col_offset = 0
        return statement

    # Statements

    def block(self, statements: Sequence[ast.stmt], line: int) -> list[ast.stmt]:
        """Statements; those in the line of an earlier one, or of the given line, are recorded as places."""
        made: list[ast.stmt] = []
        for number, statement in enumerate(statements):
            if statement.lineno == line:
                made.append(self._reached(line, ast.unparse(statement).splitlines()[0][:_LONGEST]))
            following, before = number + 1 < len(statements), len(self.sites)
            visited = self._if(statement, following) if isinstance(statement, ast.If) else self.visit(statement)
            made += self._started(statement.lineno, before)
            made.append(visited)
            line = getattr(statement, "end_lineno", None) or statement.lineno
        return made

    def _started(self, line: int, before: int) -> list[ast.stmt]:
        """A record of the begin of a statement, if one of its places depends on it."""
        inside = [site for site in self.sites[before:] if site.kind is Kind.PLACE and site.within < 0]
        if not inside:
            return []
        statement = self._reached(line, "", Kind.START)
        for site in inside:
            site.within = len(self.sites) - 1
        return [statement]

    def generic_visit(self, node: ast.AST) -> ast.AST:
        line = getattr(node, "lineno", 0)
        for name, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                setattr(node, name, self.block(value, line))
            elif isinstance(value, list):
                setattr(node, name, [self.visit(one) if isinstance(one, ast.AST) else one for one in value])
            elif isinstance(value, ast.AST):
                setattr(node, name, self.visit(value))
        return node

    def _if(self, node: ast.If, following: bool) -> ast.stmt:
        # A line that never runs is named as such.
        ends = isinstance(node.body[-1], _ENDS)
        told = (False, True) if node.orelse or (ends and following) else (False,)
        line = node.test.end_lineno or node.lineno
        node.test = self._truth(node.test, told)
        node.body = self.block(node.body, line)
        if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
            node.orelse = [self._if(node.orelse[0], following)]
        else:
            node.orelse = self.block(node.orelse, 0)
        return node

    def visit_If(self, node: ast.If) -> ast.stmt:
        return self._if(node, False)

    def visit_While(self, node: ast.While) -> ast.stmt:
        # The loop ends, and its lines are named if they never run.
        node.test = self._truth(node.test, (False, True))
        node.body = self.block(node.body, node.test.end_lineno or node.lineno)
        node.orelse = self.block(node.orelse, 0)
        return node

    def visit_match_case(self, node: ast.match_case) -> ast.match_case:
        if node.guard is not None:
            node.guard = self._truth(node.guard, (False,))
        node.body = self.block(node.body, node.pattern.end_lineno)
        return node

    def visit_Assert(self, node: ast.Assert) -> ast.stmt:
        return node

    def visit_Raise(self, node: ast.Raise) -> ast.stmt:
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.stmt:
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        if isinstance(node.value, ast.Call):
            # Its result is thrown away.
            self._generic_call(node.value)
        else:
            self.generic_visit(node)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        if not isinstance(node.target, ast.Name):
            return cast(ast.stmt, self.generic_visit(node))
        site = self._site(node, Kind.VALUE)
        name = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
        made = self._call(f"i{type(node.op).__name__}", site, node, name, self._inside(site, node.value))
        return ast.copy_location(ast.Assign([node.target], made), node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        node.body = self.block(node.body, node.lineno)
        return node

    def visit_Try(self, node: ast.Try) -> ast.stmt:
        last = node.body[-1]
        self.generic_visit(node)
        self._to_the_end(node.body, last, f"the end of the block of try (line {node.lineno})")
        return node

    def visit_With(self, node: ast.With) -> ast.stmt:
        last = node.body[-1]
        self.generic_visit(node)
        self._to_the_end(node.body, last, f"the end of the block of with (line {node.lineno})")
        return node

    def _to_the_end(self, body: list[ast.stmt], last: ast.stmt, text: str) -> None:
        """Record whether a block in which an error is caught comes to its end."""
        line = last.end_lineno or last.lineno
        if isinstance(last, ast.Return) and last.value is not None:
            self.sites.append(Site(line, text, Kind.PLACE))
            last.value = self._call("reached", len(self.sites) - 1, last.value, last.value)
        elif _falls_through(last):
            body.append(self._reached(line, text))

    # Expressions

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        node.test = self._truth(node.test)
        node.body, node.orelse = self.visit(node.body), self.visit(node.orelse)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        values = []
        for value in node.values[:-1]:
            site = self._site(value, Kind.TRUTH)
            values.append(self._call("operand", site, value, self._inside(site, value)))
        node.values = [*values, self.visit(node.values[-1])]
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        if isinstance(node.op, ast.Not):
            node.operand = self._truth(node.operand)
        else:
            node.operand = self.visit(node.operand)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        site = self._site(node, Kind.TRUTH)
        if len(node.ops) > 1:
            self.above.append(site)
            self.generic_visit(node)
            self.above.pop()
            return self._call("operand", site, node, node)
        parts = [self._inside(site, part) for part in (node.left, node.comparators[0])]
        return self._call(type(node.ops[0]).__name__, site, node, *parts)

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        if isinstance(node.left, ast.Constant) and isinstance(node.right, ast.Constant):
            return node
        site = self._site(node, Kind.VALUE)
        parts = [self._inside(site, part) for part in (node.left, node.right)]
        return self._call(type(node.op).__name__, site, node, *parts)

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        named = isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)
        if not isinstance(node.ctx, ast.Load) or named or isinstance(node.slice, ast.Tuple):
            return cast(ast.expr, self.generic_visit(node))
        site = self._site(node, Kind.VALUE)
        owner = self._inside(site, node.value)
        if not isinstance(node.slice, ast.Slice):
            return self._call("entry", site, node, owner, self._inside(site, node.slice))
        ends = (node.slice.lower, node.slice.upper, node.slice.step)
        parts = [ast.Constant(None) if end is None else self._inside(site, end) for end in ends]
        return self._call("part", site, node, owner, *parts)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        read = isinstance(node.ctx, ast.Load) and isinstance(node.value, ast.Name)
        if not read or node.attr.startswith("_") or node.attr in _OF_ARRAYS:
            return cast(ast.expr, self.generic_visit(node))
        site = self._site(node, Kind.VALUE)
        return self._call("attribute", site, node, node, node.value)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        function = node.func
        named = isinstance(function, ast.Name) and function.id in _NOT_CALLED
        called_so = function.attr if isinstance(function, ast.Attribute) else ""
        private = called_so.startswith("__") and not called_so.endswith("__")
        if named or private or called_so in _MAKES_AN_ARRAY or _reads_a_field(node):
            evaluated = isinstance(function, ast.Name) and function.id == "eval"
            site = self._site(node, Kind.TRUTH) if evaluated else -1
            made = cast(ast.expr, self._generic_call(node))
            return self._call("operand", site, node, made) if evaluated else made
        site = self._site(node, Kind.VALUE)
        self.above.append(site)
        called: list[ast.expr]
        if isinstance(function, ast.Attribute):
            called, name = [self.visit(function.value), ast.Constant(function.attr)], "method"
        else:
            called, name = [self.visit(function)], "call"
        arguments = [self.visit(one) for one in node.args]
        keywords = [ast.keyword(one.arg, self.visit(one.value)) for one in node.keywords]
        self.above.pop()
        made = cast(ast.Call, self._call(name, site, node, *called, *arguments))
        made.keywords = keywords
        return made

    def _generic_call(self, node: ast.Call) -> ast.AST:
        """A call whose arguments alone are recorded."""
        if isinstance(node.func, ast.Attribute):
            node.func.value = self.visit(node.func.value)
        node.args = [self.visit(one) for one in node.args]
        node.keywords = [ast.keyword(one.arg, self.visit(one.value)) for one in node.keywords]
        return node

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.expr:
        site = self._site(node, Kind.VALUE, text=f"the text of {ast.unparse(node.value)}")
        form = self.visit(node.format_spec) if node.format_spec is not None else ast.Constant("")
        value = self._inside(site, node.value)
        node.value = self._call("formatted", site, node.value, value, ast.Constant(node.conversion), form)
        node.conversion, node.format_spec = -1, None
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        text = ast.unparse(node)
        self.above.append(-1)
        node.body = self._place(node.body, text)
        self.above.pop()
        return node

    def _comprehension(self, node: Any, part: str) -> Any:
        text = ast.unparse(node)
        for generator in node.generators:
            generator.iter = self.visit(generator.iter)
            generator.ifs = [self._truth(one) for one in generator.ifs]
        if part == "value":
            node.key = self.visit(node.key)
        # A condition that is always false is told alone.
        conditions = [one for generator in node.generators for one in generator.ifs]
        self.above.append(conditions[0].args[0].value if conditions else -1)
        setattr(node, part, self._place(getattr(node, part), text))
        self.above.pop()
        return node

    def visit_ListComp(self, node: ast.ListComp) -> ast.expr:
        return cast(ast.expr, self._comprehension(node, "elt"))

    def visit_SetComp(self, node: ast.SetComp) -> ast.expr:
        return cast(ast.expr, self._comprehension(node, "elt"))

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.expr:
        return cast(ast.expr, self._comprehension(node, "elt"))

    def visit_DictComp(self, node: ast.DictComp) -> ast.expr:
        return cast(ast.expr, self._comprehension(node, "value"))


def _falls_through(statement: ast.stmt) -> bool:
    """Whether a statement may be followed by the next one."""
    if isinstance(statement, _ENDS):
        return False
    if isinstance(statement, ast.If):
        return not statement.orelse or any(_falls_through(part[-1]) for part in (statement.body, statement.orelse))
    if isinstance(statement, (ast.With, ast.AsyncWith)):
        return _falls_through(statement.body[-1])
    return not isinstance(statement, (ast.While, ast.For, ast.Try, ast.Match))


def _reads_a_field(node: ast.Call) -> bool:
    """Whether it is ``x.get("name")``, which reads one field of a record."""
    function = node.func
    named = bool(node.args) and isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str)
    return isinstance(function, ast.Attribute) and function.attr in ("get", "setdefault", "pop") and named
