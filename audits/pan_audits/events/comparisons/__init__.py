"""Comparisons of a feature with a number. Each module of this folder defines one ``COMPARISON``.

A new comparison is a new module here, and edits no other file. A family brings comparisons under the key
``comparisons``.
"""

from __future__ import annotations

from pan_audits.events.comparison import Comparison
from pan_audits.events.registry import Registry

COMPARISONS = Registry("comparison", Comparison, __name__, "COMPARISON", "comparisons")
"""The comparisons of a column with a number."""
