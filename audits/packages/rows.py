"""What a package and a row of the page are."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

ADAPTERS = "packages"
REPLACED = "replace one row; the number of rows is public"
ADDED = "add or remove one row"
DISTANCE = "inputs at distance 1"
CHANGED = "one count changes by 1"
STEP = "one step changes by 1"
USER = "all updates of one user"
ONE = "epsilon=1,adjacency=given,observed=output,intrusions=0"
RHO = "rho={},adjacency=given,observed=output,intrusions=0"
STATE = "epsilon=1,adjacency=user-level,observed=state"
OUTPUT = "epsilon=1,adjacency=user-level,observed=output"


@dataclass(frozen=True)
class Row:
    """One promise of one tool under one adjacency.

    Attributes
    ----------
    name
        Of the tool, as its package names it; with the adjacency it is unique in the package.
    adjacency
        In words.
    estimator, inputs, parameters
        As the command line takes them.
    promise
        As the option ``--promise`` takes it.
    cause
        Where in the source the loss comes from. It is shown beside a refutation only.
    runs
        Of the search; a rare event needs more.
    confirmation
        Runs of each input that confirm what the search found; 0 for twice as many as those of the search.
    of_the_system
        Whether it draws from the operating system, where no seed reaches.
    exact
        Whether the exact check comes before the runs.
    """

    name: str
    adjacency: str
    estimator: str
    promise: str = ONE
    inputs: str = ""
    parameters: dict[str, Any] = field(default_factory=dict)
    cause: str = ""
    runs: int = 5_000
    confirmation: int = 0
    of_the_system: bool = False
    exact: bool = False

    @property
    def slug(self) -> str:
        words = f"{self.name} {self.promise.split('observed=')[1].split(',')[0]} {self.adjacency.split(';')[0]}"
        return "-".join("".join(c if c.isalnum() else " " for c in words).split()).lower()


@dataclass(frozen=True)
class Source:
    """One file of a repository at a commit.

    Attributes
    ----------
    address
        Of the repository.
    commit
        The commit.
    file
        The path of the file in the repository.
    digest
        The SHA-256 of its contents.
    """

    address: str
    commit: str
    file: str
    digest: str


@dataclass(frozen=True)
class Package:
    """A package in an environment of its own.

    Attributes
    ----------
    name, version
        As the registry names them.
    claim
        What its documentation promises, in words.
    rows
        What is judged.
    beside
        Pinned packages that it needs beside it.
    conduct_of_all
        Whether the checks of conduct are made for each row, or for the first row alone, since they start the package
        in seven new processes.
    source
        The file of a repository that is no package; its version is then a commit.
    of_the_system
        Whether all rows draw from the operating system, where no seed reaches.
    alone
        Whether it is installed without the libraries that it names, since these exclude libraries of a gate. Those that
        it needs stand in ``beside``.
    """

    name: str
    version: str
    claim: str
    rows: tuple[Row, ...]
    beside: tuple[str, ...] = ()
    conduct_of_all: bool = True
    of_the_system: bool = False
    source: Source | None = None
    alone: bool = False

    @property
    def pins(self) -> tuple[str, ...]:
        return self.beside if self.source else (f"{self.name}=={self.version}", *self.beside)


def of(module: str, name: str, adjacency: str, function: str, inputs: str, **more: object) -> Row:
    """A row of an adapter and of an input of this folder."""
    place = f"{ADAPTERS}.{module}"
    inputs = inputs if ":" in inputs else f"{place}:{inputs}"
    return Row(name, adjacency, f"{place}:{function}", inputs=inputs, **more)  # type: ignore[arg-type]
