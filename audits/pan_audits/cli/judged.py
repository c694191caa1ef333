"""The judged mechanism, as the words of a call give it: parameters, tables, and the epsilon of the promise."""

from __future__ import annotations

import ast
import inspect
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pan_audits.cli.values import budget
from pan_promises.errors import InputError, Problems, shown

_OWN_OPTIONS = {"universe": "--universe (--users in check)", "sample_size": "--sample-size"}


def read_settings(pairs: list[str] | None) -> list[str] | None:
    """The value of an option that was read without an error."""
    parse_settings(pairs or [])
    return pairs


def require_parameters(
    name: str, epsilon: float | None, promise_epsilon: float | None, settings: Sequence[str] | None
) -> None:
    """Raise :class:`InputError` for every parameter that a shipped estimator does not have, or for a missing budget.

    A rho among the settings is a budget too, if the estimator takes one.
    """
    from pan_estimators.common import registry

    if not registry.ships(name):
        return
    given, taken = parse_settings(settings or []), inspect.signature(registry.ESTIMATORS[name]).parameters
    problems = Problems()
    with problems.collected():
        registry.refuse_former(name, given)
        registry.require_parameters(name, given, taken)
    has_budget = bool(given.keys() & {"epsilon", "promise_epsilon", "rho"}) or not (epsilon is promise_epsilon is None)
    if not (taken.keys().isdisjoint({"epsilon", "promise_epsilon"}) or has_budget):
        problems.add(f"{name} needs a privacy budget: give --promise-epsilon, the epsilon that it shall promise")
    problems.raise_any()


def with_table(
    name: str, schema: str | None, rows: int, neighbours: str, parameters: dict[str, Any], sampled: int | None = None
) -> str:
    """The inputs of a mechanism on tables of a schema: its problem as JSON, in place of neighbours.

    A shipped mechanism gets the schema as a parameter.
    """
    if schema is None:
        if sampled is not None:
            raise InputError("--sampled is for a synthesizer that is judged with --schema")
        return neighbours
    from pan_estimators.common.registry import ships, takes
    from pan_promises.families import family_parts

    if neighbours:
        raise InputError("--schema and --neighbours both say which inputs are judged; give one of them")
    (problem_of,) = family_parts("pan_estimators", "table_problem")
    problem = problem_of(schema, rows)
    if sampled is not None:
        problem = replace(problem, sampled=sampled)
    if not ships(name):
        return json.dumps(problem.to_dict(), separators=(",", ":"))
    if not takes(name, "schema"):
        raise InputError(f"--schema is for a mechanism on tables; {name} takes no table")
    if sampled is not None:
        raise InputError(
            f"--sampled is for a synthesizer of your own; {name} promises what leaves the holder of a table"
        )
    parameters |= {"schema": schema, "rows": rows}
    return ""


def parse_settings(pairs: Sequence[str]) -> dict[str, Any]:
    """Read ``name=value`` pairs; a value is JSON if possible, else text."""
    found: dict[str, Any] = {}
    problems = Problems()
    for pair in pairs:
        with problems.collected():
            name, equals, value = pair.partition("=")
            if not equals or not name.isidentifier():
                raise InputError(f"--set takes name=value, got {shown(pair)}")
            if name in _OWN_OPTIONS:
                raise InputError(
                    f"--set is for parameters without an option of their own; for {name} give {_OWN_OPTIONS[name]}"
                )
            if name in found:
                raise InputError(f"--set gives {shown(name)} twice")
            found[name] = (
                budget(value, f"--set {name}") if name in ("epsilon", "promise_epsilon") else _value(name, value)
            )
    problems.raise_any()
    return found


def _value(name: str, text: str) -> Any:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) != len(pairs):
            raise InputError(f"--set {name} has an object with a repeated key, got {shown(text)}")
        return made

    try:
        # NaN and Infinity are not JSON: they stay text.
        return json.loads(text, object_pairs_hook=once, parse_constant=_refuse)
    except InputError:
        raise
    except (ValueError, RecursionError):
        return _tuple(text)


def _tuple(text: str) -> Any:
    """A tuple as Python writes it, which JSON has not; any other text as it is."""
    try:
        found = ast.literal_eval(text) if text.startswith("(") else text
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text
    return found if isinstance(found, tuple) else text


def _refuse(constant: str) -> Any:
    raise ValueError(constant)
