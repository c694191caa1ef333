"""The options ``--table``, ``--rows`` and ``--sampled``: the tables on which a mechanism is judged."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from pan_promises.errors import InputError


def with_table(
    name: str, table: str | None, rows: int, inputs: str, parameters: dict[str, Any], sampled: int | None = None
) -> str:
    """The inputs of a mechanism on tables of a schema: its problem as JSON, in place of neighbours.

    A shipped mechanism gets the schema as a parameter.
    """
    if table is None:
        if sampled is not None:
            raise InputError("--sampled is for a synthesizer that is judged with --table")
        return inputs
    from pan_estimators.common.registry import ESTIMATORS, takes
    from pan_promises.families import family_parts

    if inputs:
        raise InputError("--table and --inputs both say which inputs are judged; give one of them")
    (problem_of,) = family_parts("pan_estimators", "table_problem")
    problem = problem_of(table, rows)
    if sampled is not None:
        problem = replace(problem, sampled=sampled)
    if name not in ESTIMATORS:
        return json.dumps(problem.to_dict(), separators=(",", ":"))
    if not takes(name, "schema"):
        raise InputError(f"--table is for a mechanism on tables; {name} takes no table")
    if sampled is not None:
        raise InputError(
            f"--sampled is for a synthesizer of your own; {name} promises what leaves the holder of a table"
        )
    parameters |= {"schema": table, "rows": rows}
    return ""
