"""The description that a judged process sends of an estimator, with constants of its code; the judge reads it.

Code that waits for one id, or for one number of updates, must name it somewhere. Hypothesis looks for constants in the
same way. Constants of functions that compare something come first.
"""

from __future__ import annotations

import dis
import inspect
import os
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np

from pan_audits.subject.isolation.messages import Record
from pan_audits.subject.isolation.own_code import OwnCode, names_of, nested
from pan_audits.subject.isolation.side_by_side import may_make_batches
from pan_estimators.universes.universe import Universe
from pan_promises.errors import InputError
from pan_promises.problem import STREAM, Problem
from pan_promises.promise import Promise

_MOST = 16
"""Numbers, and texts, that are sent."""

_LARGEST = 2**53
_LONGEST = 64
_MOST_ENTRIES = 64
_COMPARING = frozenset({"COMPARE_OP", "CONTAINS_OP"})


def constants_of(own: OwnCode) -> tuple[tuple[int, ...], tuple[str, ...]]:
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
    return tuple(numbers)[:_MOST], tuple(texts)[:_MOST]


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


_MOST_IDS = 4096
_MOST_STATEMENTS = 64
CAPABILITIES = (
    *("announce", "sampled_users", "statements", "counts_releases", "takes_size"),
    *("unreadable_state", "rebuilds_states", "side_by_side"),
)
NUMBERS = ("sample_size", "state_bits")


def described(
    estimator: Any, given: Mapping[str, Any], kind: Any, folder: str, own: OwnCode, *, open_universe: bool
) -> Description:
    """In the judged process: the description of an estimator."""
    universe = getattr(estimator, "universe", None)
    statements = getattr(estimator, "statements", ())
    numbers, texts = constants_of(own)
    stated = {name: getattr(estimator, name, None) for name in NUMBERS}
    return Description(
        promise=promise_of(getattr(estimator, "promise", None), str(given.get("name", "the estimator"))),
        problem=_problem_of(estimator),
        population=tuple(filter(_is_id, _population(estimator, given.get("universe", 16)))),
        universe=universe if isinstance(universe, Universe) else None,
        parameters=tuple(map(str, given)),
        deletions=bool(getattr(estimator, "deletions", False)),
        plain=getattr(estimator, "plain", False) is True,
        capabilities=(
            *(name for name in CAPABILITIES if hasattr(estimator, name) and getattr(estimator, name) is not False),
            *("side_by_side",) * may_make_batches(estimator),
        ),
        numbers={name: int(value) for name, value in stated.items() if type(value) is int},
        statements=tuple(
            (s.claim, str(s.quantity), str(s.relation), _name_of(s.target), s.alpha)
            for s in statements[:_MOST_STATEMENTS]
        ),
        file=_file_of(kind),
        modules=tuple(dict.fromkeys((*_local_modules(folder), *filter(None, [getattr(kind, "__file__", None)])))),
        numbers_in_code=numbers,
        texts_in_code=texts,
        open_universe=open_universe,
    )


def _name_of(estimand: Any) -> str:
    """The name of an estimand, which a third party may give in place of the estimand itself."""
    return str(getattr(estimand, "name", estimand))


def promise_of(value: Any, name: str) -> Promise | None:
    """The promise of an attribute, in any of its forms."""
    if value is None or isinstance(value, Promise):
        return value
    if isinstance(value, property):
        return None
    if isinstance(value, str):
        return Promise.parse(value)
    if isinstance(value, Mapping):
        return Promise.from_dict(value)
    raise InputError(f"the promise of {name} must be a Promise, a dictionary or a text, got {type(value).__name__}")


def _problem_of(estimator: Any) -> Problem:
    problem = getattr(estimator, "problem", STREAM)
    if isinstance(problem, Mapping):
        return Problem.from_dict(problem)
    return problem if isinstance(problem, Problem) else STREAM


def _population(estimator: Any, universe: Any) -> tuple[Any, ...]:
    own = getattr(estimator, "universe", universe)
    if hasattr(own, "example_ids"):
        return tuple(own.example_ids(_MOST_IDS))
    if isinstance(own, int):
        return tuple(range(min(own, _MOST_IDS)))
    if isinstance(own, (list, tuple, range)):
        return tuple(own[:_MOST_IDS])
    return tuple(range(min(universe if isinstance(universe, int) else universe.size, _MOST_IDS)))


def _file_of(kind: Any) -> str:
    if isinstance(own := getattr(kind, "__file__", None), str):
        return own
    try:
        return inspect.getsourcefile(kind if isinstance(kind, type) or callable(kind) else type(kind)) or ""
    except (TypeError, OSError):
        return ""


def _local_modules(folder: str) -> list[str]:
    """Files of the modules that were imported from the folder, and are not installed."""
    import pan_audits
    import pan_estimators

    own = (str(Path(package.__path__[0]).parent) for package in (pan_audits, pan_estimators))
    places = {*sysconfig.get_paths().values(), sys.prefix, sys.base_prefix, *own}
    installed = tuple(place + os.sep for place in places)
    here = str(Path(folder).resolve()) + os.sep
    files = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
    return sorted(
        file for file in files if isinstance(file, str) and file.startswith(here) and not file.startswith(installed)
    )


@dataclass(frozen=True)
class Description(Record):
    """The description of an estimator in another process.

    Attributes
    ----------
    promise
        Its promise, or ``None``.
    problem
        The kind of its inputs.
    population
        Ids to feed it.
    universe
        Its users, if it states them.
    parameters
        Names of the parameters that it took.
    deletions
        Whether it takes deletions.
    plain
        Whether it is an object with an update and a result method, made an estimator by an adapter.
    capabilities
        Its optional methods.
    numbers
        Its sample size and the size of its state, if it states them.
    statements
        Its statements about its error: claim, quantity, relation, target, deviation.
    file
        The file that defines it.
    modules
        Files of the modules that it imported from its folder.
    numbers_in_code, texts_in_code
        Constants of its code.
    open_universe
        Whether neither it nor the caller says which ids exist.
    """

    promise: Promise | None
    problem: Problem
    population: tuple[int | str | tuple[int | str, ...], ...]
    universe: Universe | None
    parameters: tuple[str, ...]
    deletions: bool
    plain: bool
    capabilities: tuple[str, ...]
    numbers: Mapping[str, int]
    statements: tuple[tuple[str, str, str, str, float | None], ...]
    file: str
    modules: tuple[str, ...]
    numbers_in_code: tuple[int, ...] = ()
    texts_in_code: tuple[str, ...] = ()
    open_universe: bool = False


def _is_id(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(isinstance(part, (int, str)) for part in value)
    return isinstance(value, (int, str)) and not isinstance(value, bool)
