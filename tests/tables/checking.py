"""The exact check of a mechanism on tables, as the tests call it."""

from __future__ import annotations

from contextlib import contextmanager

from pan_audits.exact.check import run_check
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.result import CheckSettings
from pan_audits.subject.intake.discovery import find_mechanism
from pan_promises.families import Family, register, withdraw

MEMBERS = {}
"""The class that is checked now, by its name."""


@contextmanager
def a_member(mechanism):
    """The name of a class as a member of a family: the check then runs its code in this process, in a tenth of time."""
    if isinstance(mechanism, str):
        yield mechanism
        return
    MEMBERS[mechanism.__name__] = mechanism
    register("pan_estimators", Family("checked_here", {"members": f"{__name__}:MEMBERS"}))
    try:
        yield mechanism.__name__
    finally:
        withdraw("pan_estimators", "checked_here")
        MEMBERS.clear()


def checked(mechanism, rows, promise=None, **parameters):
    """The result for a shipped mechanism by its name, or for a class."""
    given = {name: value for name, value in {"epsilon": 1.0, **parameters}.items() if value is not None}
    with a_member(mechanism) as name:
        return run_check(
            SmallInstances.of(find_mechanism(name, parameters=given, promise=promise)),
            CheckSettings(users=rows, length=1, seconds=100),
        )
