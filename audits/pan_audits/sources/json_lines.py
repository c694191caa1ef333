"""JSON lines: an object on each line, and some of its values as texts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from pan_audits.sources.live_lines import Lines, Wait, batches_of
from pan_promises.errors import InputError, shown


def json_rows(
    lines: Lines, name: str, choose: Callable[[list[str]], list[int]], *, wait: Wait | None = None
) -> Iterator[list[list[str | None]]]:
    """Some values of the objects, in batches that hold the lines that have arrived. Numbers are texts as written."""
    numbered = ((number, line) for number, line in enumerate(lines, 1) if line.strip())
    first = next(numbered, None)
    if first is None:
        raise InputError(f"{name} is empty")
    names = list(_object(*first, name))
    if not names:
        raise InputError(f"line {first[0]} of {name} is an object without names")
    chosen = [names[place] for place in choose(names)]
    problems: list[InputError] = []

    def rows() -> Iterator[list[str | None]]:
        try:
            yield _values(first, chosen, name)
            for line in numbered:
                yield _values(line, chosen, name)
        except InputError as problem:
            problems.append(problem)

    yield from batches_of(rows(), lines, len(chosen), wait)
    if problems:
        raise problems[0]


def _object(number: int, line: str, name: str) -> dict[str, Any]:
    try:
        # A number stays as it is written: 1.0 and 1 are different texts.
        found = json.loads(line, parse_float=_Number, parse_int=_Number, parse_constant=_Number)
    except (ValueError, RecursionError):
        raise InputError(f"line {number} of {name} is no JSON: {shown(line.strip())}") from None
    if not isinstance(found, dict):
        raise InputError(f"line {number} of {name} is no JSON object: {shown(line.strip())}")
    return found


class _Number(str):
    """A number as it is written."""

    __slots__ = ()


def _values(line: tuple[int, str], names: list[str], name: str) -> list[str | None]:
    found = _object(*line, name)
    values = [found.get(one) for one in names]
    for one, value in zip(names, values, strict=True):
        if isinstance(value, str) and not value.isascii() and not _is_unicode(value):
            raise InputError(f"line {line[0]} of {name} has half a letter of UTF-16 in {shown(one)}")
        if value is not None and not isinstance(value, str):
            kind = "a list" if isinstance(value, list) else "an object" if isinstance(value, dict) else "true or false"
            raise InputError(f"line {line[0]} of {name} has {kind} as {shown(one)}; values are texts or numbers")
    return values


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
