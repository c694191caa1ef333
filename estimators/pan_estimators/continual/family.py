"""The entry of the continual family in the registry of the estimators.

Its members read turnstile streams, not streams of ids. They stand under a kind of their own.
"""

from __future__ import annotations

from pan_promises.families import Family

FAMILY = Family("continual", {"continual_members": "pan_estimators.continual.members:MEMBERS"})
