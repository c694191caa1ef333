"""A class of mechanisms on tables, made for the tables on which it is judged; in a judged process only."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from pan_audits.isolation.configuring import accepts
from pan_promises.errors import InputError
from pan_promises.problem import Problem


def of_its_tables(kind: type, name: str, arguments: Mapping[str, Any], stated: Problem) -> dict[str, Any]:
    """The arguments of a class for the tables of a stated schema.

    A class with a parameter ``schema`` gets the schema, and one with a parameter ``rows`` the number of rows.
    """
    made = dict(arguments)
    if not stated.schema:
        return made
    if accepts(kind, "schema"):
        attributes = [{"name": column, "values": list(values)} for column, values in stated.schema]
        made.setdefault("schema", {"attributes": attributes})
        if accepts(kind, "rows"):
            made.setdefault("rows", stated.rows)
    own = _tables_of(kind, made)
    if own is not None and own.schema != stated.schema:
        raise InputError(
            f"{name} reads tables with the columns {_in_words(own)}, and the schema of --schema has the columns "
            f"{_in_words(stated)}; give the schema of {name}, or let it take a parameter 'schema'"
        )
    return made


def _tables_of(kind: type, arguments: Mapping[str, Any]) -> Problem | None:
    """The tables that the class itself names, if it does."""
    problem = getattr(kind, "problem", None)
    if isinstance(problem, (property, cached_property)):
        problem = kind(**arguments).problem
    if isinstance(problem, Mapping):
        problem = Problem.from_dict(problem)
    return problem if isinstance(problem, Problem) and problem.schema else None


def _in_words(tables: Problem) -> str:
    """The columns with the numbers of their values."""
    return ", ".join(f"{name!r} ({len(values)} values)" for name, values in tables.schema)
