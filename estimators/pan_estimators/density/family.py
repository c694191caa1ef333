"""The entry of the density family in the registry of the estimators."""

from __future__ import annotations

from pan_promises.families import Family

FAMILY = Family(
    "density",
    {
        "counters": "pan_estimators.density.members:COUNTERS",
        "estimands": "pan_estimators.density.target:Target",
        "members": "pan_estimators.density.members:MEMBERS",
    },
)
