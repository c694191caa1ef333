"""The parts that a family adds."""

from __future__ import annotations

from dataclasses import replace

from pan_audits.events.comparisons import COMPARISONS as SHIPPED
from pan_promises.families import Family
from tests.events.added.comparisons.whole import COMPARISON
from tests.events.added.features.magnitude import FEATURE

COMPARISONS = (COMPARISON,)
FEATURES = (FEATURE,)
SCORES = (replace(FEATURE, learned=True),)
TWICE = (SHIPPED.named("<="),)
STRANGE = (FEATURE,)

_HERE = "tests.events.added.family"
BOTH = Family("added", {"comparisons": f"{_HERE}:COMPARISONS", "features": f"{_HERE}:FEATURES"})
SCORE = Family("added", {"features": f"{_HERE}:SCORES"})
CLASH = Family("added", {"comparisons": f"{_HERE}:TWICE"})
NO_COMPARISON = Family("added", {"comparisons": f"{_HERE}:STRANGE"})
