"""A run has the feature, for a feature that marks runs."""

from __future__ import annotations

import numpy as np

from pan_audits.events.column import NO_VALUES, ONE_VALUE, Column
from pan_audits.events.comparison import Comparison
from pan_audits.events.names import is_mark
from pan_audits.events.table import Floats


def _values(column: Column) -> Floats:
    return ONE_VALUE if column.missing and is_mark(column.name) else NO_VALUES


COMPARISON = Comparison(
    name="marked",
    order=5,
    words="is there",
    holds=lambda column, value: ~np.isnan(column) & (value == value),
    values=_values,
    of_a_mark=str,
)
