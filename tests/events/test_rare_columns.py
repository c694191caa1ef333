"""Trees are fitted also where a column holds a number in a few runs only."""

from __future__ import annotations

import numpy as np
import pytest

from pan_audits.events import Table
from pan_audits.events.training import fitted_scores


@pytest.mark.parametrize("present", [0, 1, 3])
def test_a_column_with_a_few_numbers_ends_no_fit(present):
    generator = np.random.default_rng(0)

    def table(shift):
        rare = np.full(2000, np.nan)
        rare[:present] = 1.0
        return Table(("output", "rare"), np.column_stack([generator.normal(shift, 1, 2000), rare]))

    assert fitted_scores(table(0.0), table(1.0))
