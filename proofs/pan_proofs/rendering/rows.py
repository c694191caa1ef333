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


def with_tables(formula: str) -> Iterator[tuple[str, bool]]:
    r"""The parts of a formula, each with whether it is a table.

    A condition that says that some symbols are one of three or more rows of values, as ``(a, b) \in \{(1, 2), ...\}``,
    is a table if it is longer than half a line: the symbols above, and a line for each row. The terms of a set of
    which the largest or the least is meant are a table if they are many.
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
        lines = [" & ".join(_LONG.sub(r"\1/\2", one) for one in row) for row in (names, *rows)]
        head, *body = lines
        below = r" \\ ".join(body)
        table = rf"\begin{{array}}{{{'c' * len(names)}}} {head} \\ \hline {below} \end{{array}}"
        yield rf"\allowbreak ({found[1]}) \text{{ a row of }} \allowbreak {{{_STRETCHED} {table}}}", True
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
        yield formula[end : found.end()], False
        # In a table fractions are small, and columns have a space between them.
        columns = max(1, min(_COLUMNS, int(0.9 * LINE / (max(map(width, terms)) + 2))))
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
