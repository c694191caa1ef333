"""The feature is more than a number."""

from __future__ import annotations

import numpy as np

from pan_audits.events.column import NO_VALUES, Column
from pan_audits.events.comparison import Comparison
from pan_audits.events.table import Floats


def _values(column: Column) -> Floats:
    """The gaps, the quantiles, and the highest value of each stream, which the other stream may exceed."""
    if not column.varies:
        return NO_VALUES
    others = np.union1d(column.quantiles, [side.max() for side in column.sides])
    return np.concatenate([column.gaps, others])


COMPARISON = Comparison(name=">", order=30, words="is above {value:.6g}", holds=np.greater, values=_values)
