"""The entry of the continual family in the registry of the estimators. Its members read turnstile streams."""

from __future__ import annotations

from pan_promises.families import Family

FAMILY = Family("continual", {"members": "pan_estimators.continual.members:MEMBERS"})
