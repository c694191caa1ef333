"""The contributions of the family of tables to the estimators."""

from __future__ import annotations

from pan_promises.families import Family

FAMILY = Family(
    "tables",
    {
        "members": "pan_estimators.tables.members:MEMBERS",
        "table_problem": "pan_estimators.tables.schema:table_problem",
    },
)
