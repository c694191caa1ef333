"""Sets of rows of values, and sets of many terms, in a formula, set as tables."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pan_proofs.rendering.folding import LINE, width

_ROWS = re.compile(r"\(([^()]+)\) \\in \\\{(\([^()]*\)(?:, \([^()]*\)){2,})\\\}")
_LONG = re.compile(r"\\frac\{(\d+)\}\{(\d{4,})\}")
_SET = re.compile(r"\\(?:max|min)(?=\\\{)")
_STRETCHED = r"\renewcommand{\arraystretch}{1.5}"
_MANY, _COLUMNS = 12, 6
"""The number of terms of a set from which it is a table, and the most columns of this table."""
_OWN_LINE = r"\hskip 0pt plus 1fill\penalty-10000"
"""The end of a line before a table that is as wide as the page."""
_BESIDE = LINE / 2
"""The width of the widest table that stands beside text."""
_SMALL, _SPACE = 0.7, 2
"""The size of a fraction in a table, and the space between columns, in digits."""


def with_tables(formula: str) -> Iterator[tuple[str, bool]]:
    r"""The parts of a formula, each with whether it is a table.

    A condition that says that some symbols are one of three or more rows of values, as ``(a, b) \in \{(1, 2), ...\}``,
    is a table if it is longer than half a line: a line for each symbol, or, where a line would be too wide, the symbols
    above and a line for each row. The terms of a set of which the largest or the least is meant are a table if they are
    many.
    """
    for part, table in _rows(formula):
        if table:
            yield part, True
        else:
            yield from _sets(part)


def _rows(formula: str) -> Iterator[tuple[str, bool]]:
    end = 0
    for found in _ROWS.finditer(formula):
        if width(found[0]) <= LINE / 2:
            continue
        yield formula[end : found.start()], False
        names = found[1].split(", ")
        rows = [one.split(", ") for one in found[2][1:-1].split("), (")]
        cells = [[_LONG.sub(r"\1/\2", one) for one in row] for row in (names, *rows)]
        wide = sum(max(map(width, row)) + _SPACE for row in cells)
        flat = wide <= LINE
        head, *body = [" & ".join(line) for line in zip(*cells, strict=True)] if flat else map(" & ".join, cells)
        lines = r" \\ ".join((head, *body) if flat else (rf"{head} \\ \hline {body[0]}", *body[1:]))
        columns = f"c|{'c' * len(rows)}" if flat else "c" * len(names)
        table = rf"\begin{{array}}{{{columns}}} {lines} \end{{array}}"
        of = "column" if flat else "row"
        begin = _OWN_LINE if flat and wide > _BESIDE else r"\allowbreak"
        yield rf"\allowbreak ({found[1]}) \text{{ a {of} of }} {begin} {{{_STRETCHED} {table}}}", True
        end = found.end()
    yield formula[end:], False


def _sets(formula: str) -> Iterator[tuple[str, bool]]:
    end = 0
    for found in _SET.finditer(formula):
        if found.start() < end:
            continue
        close, terms = _terms(formula, found.end() + 2)
        if len(terms) < _MANY:
            continue
        yield f"{formula[end : found.start()]}{_OWN_LINE} {found[0]}", False
        # In a table fractions are small, and columns have a space between them.
        columns = max(1, min(_COLUMNS, int(LINE / (_SMALL * max(map(width, terms)) + _SPACE))))
        lines = [" & ".join(terms[at : at + columns]) for at in range(0, len(terms), columns)]
        below = r" \\ ".join(lines)
        array = rf"\begin{{array}}{{{'l' * columns}}} {below} \end{{array}}"
        yield rf"{{{_STRETCHED} \left\{{ {array} \right\}}}}", True
        end = close
    yield formula[end:], False


def _terms(formula: str, start: int) -> tuple[int, list[str]]:
    """The place behind a set that begins at a place, and its terms."""
    depth, at, begin = 0, start, start
    terms: list[str] = []
    while at < len(formula):
        two = formula[at : at + 2]
        if two == r"\}" and depth == 0:
            return at + 2, [*terms, formula[begin:at]]
        if two in (r"\{", r"\}"):
            depth += 1 if two == r"\{" else -1
            at += 2
            continue
        depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(formula[at], 0)
        if two == ", " and depth == 0:
            terms.append(formula[begin:at])
            begin = at + 2
        at += 1
    return at, []
