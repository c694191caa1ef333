"""The feature is a number or less."""

from __future__ import annotations

import numpy as np

from pan_audits.events.column import NO_VALUES, Column
from pan_audits.events.comparison import Comparison
from pan_audits.events.table import Floats


def _values(column: Column) -> Floats:
    """The gaps, which come before a quantile that is worth the same, and the quantiles."""
    return np.concatenate([column.gaps, column.quantiles]) if column.varies else NO_VALUES


COMPARISON = Comparison(name="<=", order=20, words="is at most {value:.6g}", holds=np.less_equal, values=_values)
