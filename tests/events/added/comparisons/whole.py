"""The feature is a whole number."""

from __future__ import annotations

import numpy as np

from pan_audits.events.column import ONE_VALUE
from pan_audits.events.comparison import Comparison

COMPARISON = Comparison(
    name="whole",
    order=15,
    words="is a whole number",
    holds=lambda column, value: (np.floor(column) == column) & (value == value),
    values=lambda column: ONE_VALUE,
)
