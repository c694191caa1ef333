"""The option ``--table``: the schema of the tables on which a mechanism is judged."""

from __future__ import annotations

import json
from typing import Any

from pan_promises.errors import InputError


def with_table(name: str, table: str | None, rows: int, inputs: str, parameters: dict[str, Any]) -> str:
    """The inputs of a mechanism on tables of a schema: its problem as JSON, in place of neighbours.

    A shipped mechanism gets the schema as a parameter.

    Parameters
    ----------
    name
        The mechanism.
    table
        The path of the schema, or ``None``.
    rows
        The number of rows of the audited tables.
    inputs
        The neighbours that were given, if any.
    parameters
        The parameters of the mechanism. Those of a shipped one are added.

    Raises
    ------
    InputError
        If the file holds no schema, or if neighbours were given as well.
    """
    if table is None:
        return inputs
    from pan_estimators.common.registry import ESTIMATORS, takes
    from pan_promises.families import family_parts

    if inputs:
        raise InputError("--table and --inputs both say which inputs are judged; give one of them")
    (problem_of,) = family_parts("pan_estimators", "table_problem")
    problem = problem_of(table, rows)
    if name not in ESTIMATORS:
        return json.dumps(problem.to_dict(), separators=(",", ":"))
    if not takes(name, "schema"):
        raise InputError(f"--table is for a mechanism on tables; {name} takes no table")
    parameters |= {"schema": table, "rows": rows}
    return ""
