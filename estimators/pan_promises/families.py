"""Families of problems: the registry of their parts in each package.

A family is a folder of the same name in several packages. In each package the folder has a file ``family.py``
with a :data:`FAMILY`. A family of another distribution is announced by entry points of the group
``panproof.families.<package>``, and is known in every process. :func:`register` adds a family to this process.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

from pan_promises.errors import InputError, shown

ENTRY_POINTS = "panproof.families"


@dataclass(frozen=True)
class Family:
    """The parts that a family of problems adds to one package.

    Attributes
    ----------
    name
        The name of the family, which is that of its folder.
    parts
        The place of each kind of part, as ``module:attribute``. The module is imported when the part is loaded.
    """

    name: str
    parts: Mapping[str, str] = field(default_factory=dict)

    def load(self, kind: str) -> Any | None:
        """The part of a kind, or ``None`` if the family has none.

        Parameters
        ----------
        kind
            A key of ``parts``, for example ``"members"``.
        """
        if kind not in self.parts:
            return None
        module, _, attribute = self.parts[kind].partition(":")
        return getattr(import_module(module), attribute)


_registered: dict[str, dict[str, Family]] = {}


def register(package: str, family: Family) -> None:
    """Add a family from elsewhere to the families of a package, for this process.

    Parameters
    ----------
    package
        Name of the package, for example ``"pan_estimators"``.
    family
        The family.
    """
    _registered.setdefault(package, {})[family.name] = family


def withdraw(package: str, name: str) -> None:
    """Remove a family that :func:`register` added.

    Parameters
    ----------
    package
        Name of the package.
    name
        Name of the family. An unknown name has no effect.
    """
    _registered.get(package, {}).pop(name, None)


def families(package: str) -> tuple[Family, ...]:
    """The families of a package: its own, those of installed packages, and the registered ones.

    Parameters
    ----------
    package
        Name of the package.
    """
    return (*_own(package), *_installed(package), *_registered.get(package, {}).values())


def family_parts(package: str, kind: str) -> Iterator[Any]:
    """The parts of one kind that the families of a package have, one for each family with such a part.

    Parameters
    ----------
    package
        Name of the package.
    kind
        The kind of part.
    """
    for family in families(package):
        if (thing := family.load(kind)) is not None:
            yield thing


class FamilyParts(Mapping[str, Any]):
    """A mapping over the parts of the families. It is collected again at each access.

    Parameters
    ----------
    collect
        The function that collects the mapping.
    """

    def __init__(self, collect: Callable[[], Mapping[str, Any]]) -> None:
        self._collect = collect

    def __getitem__(self, name: str) -> Any:
        return self._collect()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._collect())

    def __len__(self) -> int:
        return len(self._collect())


@cache
def _installed(package: str) -> tuple[Family, ...]:
    # Its import takes as long as that of this whole package, and each judged process imports this file.
    from importlib.metadata import entry_points

    found = [point.load() for point in entry_points(group=f"{ENTRY_POINTS}.{package}")]
    for family in found:
        if not isinstance(family, Family):
            raise InputError(f"an entry point of {ENTRY_POINTS}.{package} must name a Family, got {shown(family)}")
    return tuple(found)


@cache
def _own(package: str) -> tuple[Family, ...]:
    found = []
    folders = list(import_module(package).__path__)
    for info in pkgutil.iter_modules(folders):
        # The file is found by its place, so that no folder is imported.
        places = [str(Path(folder) / info.name) for folder in folders]
        if info.ispkg and PathFinder.find_spec("family", places) is not None:
            family = import_module(f"{package}.{info.name}.family").FAMILY
            assert isinstance(family, Family)
            found.append(family)
    return tuple(found)
