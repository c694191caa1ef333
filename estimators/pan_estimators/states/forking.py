"""Forks of a process: a budget that is kept in memory stays with the parent, and the copy of the child is spent."""

from __future__ import annotations

import os
from typing import Protocol
from weakref import WeakSet

_KEPT: WeakSet[KeepsBudget] = WeakSet()


class KeepsBudget(Protocol):
    """An object that counts what it spends, so that two copies of it would spend twice as much."""

    def leave_to_parent(self) -> None:
        """Refuse every later use. It is called in the child of a fork, where no other thread runs."""
        ...


def spent_in_children(one: KeepsBudget) -> None:
    """Let the copies of an object be spent that forks of this process make from now on."""
    _KEPT.add(one)


def _leave_all() -> None:
    for one in list(_KEPT):
        one.leave_to_parent()
    _KEPT.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_all)
