"""Rows of CSV from a pipe, handed on as soon as they arrive."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from typing import Any

from pan_audits.sources.live_lines import Lines, Wait, batches_of
from pan_promises.errors import InputError


def live_rows(
    descriptor: int,
    name: str,
    choose: Callable[[list[str]], list[int]],
    *,
    separator: str = ",",
    wait: Wait | None = None,
) -> Iterator[list[list[str]]]:
    """Some columns of CSV, in batches that hold the rows that have arrived."""
    lines = Lines.of_pipe(descriptor, name)
    rows = csv.reader(lines, delimiter=separator, strict=True)
    try:
        names = next(rows, None)
    except csv.Error as problem:
        raise _bad(name, rows, problem) from None
    if not names:
        raise InputError(f"{name} is empty; its first line holds the names of the columns")
    places = choose(names)
    problems: list[InputError] = []
    yield from batches_of(_chosen(rows, len(names), places, name, problems), lines, len(places), wait)
    if problems:
        raise problems[0]


def _chosen(rows: Any, width: int, places: list[int], name: str, problems: list[InputError]) -> Iterator[list[str]]:
    """The chosen fields of each row, up to the first bad row; the reason is then added to the problems."""
    try:
        for row in rows:
            if not row:
                continue
            if len(row) != width:
                problems.append(
                    InputError(f"line {rows.line_num} of {name} has {len(row)} fields, and {width} have names")
                )
                return
            yield [row[place] for place in places]
    except csv.Error as problem:
        problems.append(_bad(name, rows, problem))
    except InputError as problem:
        problems.append(problem)


def _bad(name: str, rows: Any, problem: Exception) -> InputError:
    return InputError(f"{name} cannot be read as CSV: line {rows.line_num}: {problem}")
