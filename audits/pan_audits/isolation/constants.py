"""In the judged process: the constants of the judged code, for use as ids and as numbers of updates.

Code that waits for one id, or for one number of updates, must name it somewhere. Hypothesis looks for constants in the
same way. Constants of functions that compare something come first.
"""

from __future__ import annotations

import dis
from collections.abc import Iterator
from types import CodeType
from typing import Any

import numpy as np

from pan_audits.isolation.own_code import OwnCode, names_of, nested

MOST = 16
"""Numbers, and texts, that are sent."""

_LARGEST = 2**53
_LONGEST = 64
_MOST_ENTRIES = 64
_COMPARING = frozenset({"COMPARE_OP", "CONTAINS_OP"})


def constants_of(own: OwnCode) -> dict[str, list[Any]]:
    """Whole numbers of at least 2, and texts, those of comparing functions first."""
    numbers: dict[int, None] = {}
    texts: dict[str, None] = {}
    functions = sorted(own.functions.values(), key=lambda function: not _compares(function.__code__))
    for function in functions:
        names = names_of(function.__code__)
        known = [function.__globals__.get(name) for name in sorted(names)]
        known += [vars(kind)[name] for kind in own.classes for name in sorted(names) if name in vars(kind)]
        for value in _plain([list(_of_code(function.__code__)), known, list(function.__defaults__ or ())], 0):
            if isinstance(value, str):
                if 0 < len(value) <= _LONGEST and value.isprintable() and not value.startswith("_"):
                    texts[value] = None
            elif 2 <= value <= _LARGEST:
                numbers[value] = None
    return {"numbers": list(numbers)[:MOST], "texts": list(texts)[:MOST]}


def _compares(code: CodeType) -> bool:
    return any(step.opname in _COMPARING for each in nested(code) for step in dis.get_instructions(each))


def _of_code(code: CodeType) -> Iterator[Any]:
    for each in nested(code):
        # The first constant is the docstring.
        documented = bool(each.co_consts) and isinstance(each.co_consts[0], str)
        yield from each.co_consts[1 if documented else 0 :]


def _plain(value: Any, depth: int) -> Iterator[int | str]:
    """The whole numbers and texts in a value."""
    if isinstance(value, (bool, np.bool_)):
        return
    if isinstance(value, (int, np.integer)):
        yield int(value)
    elif isinstance(value, str):
        yield str(value)
    elif isinstance(value, float) and value.is_integer() and abs(value) <= _LARGEST:
        yield int(value)
    elif isinstance(value, dict) and depth < 4:
        for each in list(value)[:_MOST_ENTRIES]:
            yield from _plain(each, depth + 1)
    elif isinstance(value, (list, tuple, set, frozenset)) and depth < 4:
        entries = sorted(value, key=repr) if isinstance(value, (set, frozenset)) else value
        for each in entries[:_MOST_ENTRIES]:
            yield from _plain(each, depth + 1)
