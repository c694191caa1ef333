"""The feature is less than a number."""

from __future__ import annotations

import numpy as np

from pan_audits.events.column import NO_VALUES, Column
from pan_audits.events.comparison import Comparison
from pan_audits.events.table import Floats


def _values(column: Column) -> Floats:
    """The lowest value of each stream, below which the other stream may go."""
    return np.unique([side.min() for side in column.sides]) if column.varies else NO_VALUES


COMPARISON = Comparison(name="<", order=40, words="is below {value:.6g}", holds=np.less, values=_values)
