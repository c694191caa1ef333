"""Registries whose members are found by listing a folder, so that an addition edits no other file.

Each module of the folder defines one member. A family can bring more members: its ``family.py`` names a tuple of them.
The members are tried in the order of their attribute ``order``, and members of equal order by name.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Generic, Protocol, TypeVar

from pan_promises.errors import InputError, shown, suggestion
from pan_promises.families import family_parts

_PACKAGE = "pan_audits"


class Member(Protocol):
    """An object with a name, and a place in the order of its registry."""

    @property
    def name(self) -> str:
        """The name in JSON, unique in the registry."""

    @property
    def order(self) -> int:
        """Members with a smaller number come first."""


_Member = TypeVar("_Member", bound=Member)


@dataclass(frozen=True)
class Registry(Generic[_Member]):
    """The members of one kind.

    Attributes
    ----------
    noun
        The member in words, for messages.
    kind
        The class of a member.
    folder
        The package whose modules define one member each.
    attribute
        The name of the member in its module.
    part
        The key of a family under which it brings a tuple of members.
    """

    noun: str
    kind: type[_Member]
    folder: str
    attribute: str
    part: str

    def members(self) -> tuple[_Member, ...]:
        """All members in their order."""
        found = [member for part in family_parts(_PACKAGE, self.part) for member in part]
        brought_here = [self._checked(member, f"a part {self.part!r} of a family") for member in found]
        return self._ordered([*self.own.values(), *brought_here])

    def named(self, name: str) -> _Member:
        """The member of a name."""
        own = self.own
        if name in own:
            return own[name]
        members = {member.name: member for member in self.members()}
        if name not in members:
            raise InputError(f"unknown {self.noun} {shown(name)}; {suggestion(name, members)}")
        return members[name]

    @cached_property
    def own(self) -> dict[str, _Member]:
        """The members in the folder, by name. The folder is listed once."""
        found = []
        for info in pkgutil.iter_modules(import_module(self.folder).__path__, f"{self.folder}."):
            member = getattr(import_module(info.name), self.attribute, None)
            found.append(self._checked(member, f"{self.attribute} of the module {info.name}"))
        return {member.name: member for member in self._ordered(found)}

    def _checked(self, member: object, source: str) -> _Member:
        if not isinstance(member, self.kind):
            raise TypeError(f"{source} must be a {self.kind.__name__}, got {type(member).__name__}")
        return member

    def _ordered(self, members: Iterable[_Member]) -> tuple[_Member, ...]:
        found = sorted(members, key=lambda member: (member.order, member.name))
        names = [member.name for member in found]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"the name of a {self.noun} must be unique, but two have the name {twice[0]!r}")
        return tuple(found)
