"""The score of boosted trees, as a definition of its own form.

The learner fits it by :mod:`pan_audits.events.training`, on a part of the runs. It adds no column to those from which
single conditions are combined.
"""

from __future__ import annotations

from pan_audits.events.feature import Derived, Feature
from pan_audits.events.table import Table
from pan_audits.events.trees import KIND, TreeScore


def _derive(left: Table, right: Table) -> list[Derived]:
    return []


FEATURE = Feature(name=KIND, order=40, derive=_derive, learned=True, read=TreeScore.from_field)
