"""The contributions of a family to the ledger."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pan_promises.families import family_parts


@dataclass(frozen=True)
class Erratum:
    """The words of the erratum of a source that no derivation has, in LaTeX.

    Attributes
    ----------
    summary
        The errors in brief, for the author.
    example
        The figure of a counterexample: two neighbouring inputs, and what is seen.
    why
        Why the argument of the source fails.
    advice
        What to use instead, and its price.
    main
        Ids of the claims that have a section each; the others are listed in the order of the text.
    """

    summary: str
    example: Any
    why: str
    advice: str
    main: tuple[str, ...]


@dataclass(frozen=True)
class Contents:
    """The contributions of a family to the ledger.

    Attributes
    ----------
    claims
        The package whose modules derive its claims; each module has a table ``CLAIMS`` from id to derivation.
    statements
        Ids of the statements of the sources that must have an entry, in the order of the sources.
    aliases
        Ids under which another source states the same, with the id under which it is kept.
    experiments
        Ids of statements about experiments, which ``python -m experiments reproduce`` judges.
    documents
        The sources by their short names, with their titles.
    errata
        The words of errata by the short names of the sources.
    figures
        Figures that are computed from a derivation, by the claim's id.
    subject
        The subject of the family in a few words, as a heading of its notation; empty if the notation is everybody's.
    notation
        Symbols and their meanings, in LaTeX.
    bibliography
        The works that the claims name, in LaTeX, by the name that the claims use for them.
    order
        The place of its chapters among those of the families: chapters of smaller numbers come first.
    """

    claims: str
    statements: tuple[str, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)
    experiments: tuple[str, ...] = ()
    documents: Mapping[str, str] = field(default_factory=dict)
    errata: Mapping[str, Erratum] = field(default_factory=dict)
    figures: Mapping[str, Callable[[], Any]] = field(default_factory=dict)
    subject: str = ""
    notation: tuple[tuple[str, str], ...] = ()
    bibliography: Mapping[str, str] = field(default_factory=dict)
    order: int = 100


def contents() -> tuple[Contents, ...]:
    """The contributions of all families, in the order of their chapters."""
    return tuple(sorted(family_parts("pan_proofs", "contents"), key=lambda part: part.order))


def statements() -> tuple[str, ...]:
    """Ids of all statements of the sources, in their order."""
    return tuple(one for part in contents() for one in part.statements)


def aliases() -> dict[str, str]:
    """Other ids of statements."""
    return {alias: kept for part in contents() for alias, kept in part.aliases.items()}


def experiments() -> tuple[str, ...]:
    """Ids of statements about experiments."""
    return tuple(one for part in contents() for one in part.experiments)


def documents() -> dict[str, str]:
    """Titles of the sources by their short names."""
    return {name: title for part in contents() for name, title in part.documents.items()}


def errata() -> dict[str, Erratum]:
    """The words of errata by the short names of the sources."""
    return {name: words for part in contents() for name, words in part.errata.items()}


def bibliography() -> dict[str, str]:
    """Works by the names that the claims use for them."""
    return {name: work for part in contents() for name, work in part.bibliography.items()}


def figures() -> dict[str, Callable[[], Any]]:
    """Figures by the claim's id."""
    return {claim: draw for part in contents() for claim, draw in part.figures.items()}
