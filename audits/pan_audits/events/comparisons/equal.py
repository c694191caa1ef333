"""The feature is exactly a number: an atom in the middle of a distribution."""

from __future__ import annotations

import numpy as np

from pan_audits.events.column import NO_VALUES, Column
from pan_audits.events.comparison import Comparison
from pan_audits.events.table import Floats

_RUNS_FOR_VALUES = 96
_COMMON_VALUES = 6
_LEAST_OCCURRENCES = 3


def _values(column: Column) -> Floats:
    """Values that recur, and much more often on one side."""
    if not column.varies or column.runs < _RUNS_FOR_VALUES or column.learned:
        return NO_VALUES
    values, place = np.unique(np.concatenate([column.left, column.right]), return_inverse=True)
    if values.size < 3 or values.size == place.size:
        return NO_VALUES
    left = np.bincount(place[: column.left.size], minlength=values.size)
    right = np.bincount(place[column.left.size :], minlength=values.size)
    contrast = np.abs(left - right) / np.sqrt(left + right)
    chosen = np.argsort(-contrast, kind="stable")[:_COMMON_VALUES]
    kept = (left[chosen] + right[chosen] >= _LEAST_OCCURRENCES) & ~np.isnan(values[chosen])
    return np.asarray(values[chosen[kept]])


COMPARISON = Comparison(name="==", order=50, words="is {value:.6g}", holds=np.equal, values=_values)
