"""Arrays that are followed element by element, as data."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from pan_audits.choices.followed import Box, FollowedArray, FollowedUniforms, Table, chance, meet
from pan_audits.isolation.data import DataError, Node, from_data, to_data
from pan_audits.observing.values import fraction_in, fraction_text

_ARRAY, _UNIFORMS = "array", "uniforms"


def write_followed(value: Any) -> list[Any] | None:
    """The rest of a node for such an array, or ``None`` for anything else."""
    if type(value) is FollowedArray:
        return [_ARRAY, list(value.shape), *(_table_node(table) for table in value.tables.flat)]
    if type(value) is FollowedUniforms:
        bounds = [to_data(value.low), to_data(value.high)]
        return [_UNIFORMS, *bounds, list(value.shape), *map(int, value.variables.flat)]
    return None


def read_followed(parts: list[Any]) -> Any:
    """The array of the rest of a node, or ``None`` if it is another node."""
    if parts[0] == _ARRAY:
        tables = np.empty(len(parts) - 2, dtype=object)
        for place, node in enumerate(parts[2:]):
            tables[place] = _table(node)
        return FollowedArray(tables.reshape(parts[1]))
    if parts[0] == _UNIFORMS:
        variables = np.array(parts[4:], dtype=np.int64).reshape(parts[3])
        return FollowedUniforms(from_data(parts[1]), from_data(parts[2]), variables, _unnoted)
    return None


def _unnoted(probability: Any, size: int) -> None:
    """The process that reads the array notes its constants itself."""


def _table_node(table: Table) -> Node:
    return [
        [[[one, fraction_text(low), fraction_text(high)] for one, low, high in box], to_data(value)]
        for box, value in table
    ]


def _table(node: Any) -> Table:
    table = tuple((_box(box), from_data(value)) for box, value in node)
    if sum(chance(box) for box, _ in table) != 1:
        raise DataError("it sent an array of random choices with other probabilities")
    if any(meet(one, other) is not None for (one, _), (other, _) in combinations(table, 2)):
        raise DataError("it sent an array of random choices with two values for one outcome")
    return table


def _box(node: Any) -> Box:
    box = tuple((one, fraction_in(low), fraction_in(high)) for one, low, high in node)
    variables = [one for one, _, _ in box]
    if not all(type(one) is int for one in variables) or variables != sorted(set(variables)):
        raise DataError("it sent an array of random choices that were never made")
    if not all(0 <= low < high <= 1 for _, low, high in box):
        raise DataError("it sent an array of random choices that were never made")
    return box
