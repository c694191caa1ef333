"""A run lacks the feature, or its value is no number."""

from __future__ import annotations

import numpy as np

from pan_audits.events.column import NO_VALUES, ONE_VALUE, Column
from pan_audits.events.comparison import Comparison
from pan_audits.events.names import opposite
from pan_audits.events.table import Floats


def _values(column: Column) -> Floats:
    return ONE_VALUE if column.missing else NO_VALUES


COMPARISON = Comparison(
    name="nan",
    order=10,
    words="is no number",
    holds=lambda column, value: np.isnan(column) & (value == value),
    values=_values,
    of_a_mark=opposite,
)
