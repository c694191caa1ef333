"""The claims, and the place of each derivation."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

from pan_promises.errors import InputError, shown, suggestion
from pan_proofs.engines.obligation import Check, Obligation
from pan_proofs.engines.watching import watched
from pan_proofs.ledger.claim import Claim, Part, Step
from pan_proofs.ledger.contents import Contents, aliases, contents, statements
from pan_proofs.ledger.linking import linked
from pan_proofs.ledger.theorems import with_theorems


class UnknownClaim(InputError):  # noqa: N818 - it names what is wrong with the id
    """No claim has this id."""


@cache
def modules() -> dict[str, str]:
    """For each claim's id the module that derives it, in the order of the sources; ours come last."""
    found: dict[str, str] = {}
    for name, place in (one for part in contents() for one in _modules_of(part.claims)):
        for identifier in _named_in(name, place):
            if identifier in found:
                raise ValueError(f"the claim {identifier} is derived in both {found[identifier]} and {name}")
            found[identifier] = name
    order = {identifier: place for place, identifier in enumerate(statements())}
    return dict(sorted(found.items(), key=lambda item: (order.get(item[0], len(order)), item[0])))


def _modules_of(package: str) -> Iterator[tuple[str, Path]]:
    """The modules of a package and of the packages in it, with their files."""
    for folder in map(Path, importlib.import_module(package).__path__):
        for path in sorted(folder.rglob("*.py")):
            inside = path.relative_to(folder).with_suffix("").parts
            if path.stem != "__init__":
                yield ".".join((package, *inside)), path


def _named_in(module: str, place: Path) -> Iterable[str]:
    """The ids of the claims of a module: read in its text, or from the module if its table is made in another way."""
    _, _, table = place.read_text(encoding="utf-8").rpartition("\nCLAIMS = ")
    try:
        return tuple(ast.literal_eval(re.sub(r": \w+", ": 0", table)))
    except (SyntaxError, ValueError):
        with watched():
            return tuple(getattr(importlib.import_module(module), "CLAIMS", ()))


def contributions(identifiers: Iterable[str]) -> tuple[Contents, ...]:
    """The contributions of the families that have one of these claims."""
    places = [modules().get(identifier, "") for identifier in identifiers]
    return tuple(part for part in contents() if any(place.startswith(f"{part.claims}.") for place in places))


def canonical(identifier: str) -> str:
    """The id under which a statement is kept, whether or not there is such a claim."""
    return aliases().get(identifier, identifier)


def resolve(identifier: str) -> str:
    """The id under which a statement is kept, for itself or for another source's name of it.

    Raises
    ------
    UnknownClaim
        With the ids that look alike.
    """
    if not isinstance(identifier, str):
        raise UnknownClaim(f"the id of a claim is a text, got {shown(identifier)}")
    identifier = canonical(identifier)
    if identifier not in modules():
        known = [*modules(), *aliases()]
        close = suggestion(identifier, known, overview="`panproof claims` shows all")
        raise UnknownClaim(f"unknown claim {shown(identifier)}; {close}")
    return identifier


def derive_here(identifier: str) -> Claim:
    """Derive one claim in this process, without a cache."""
    with watched():
        module = importlib.import_module(modules()[identifier])
        derivation: Callable[[], Claim] = module.CLAIMS[identifier]
        claim = derivation()
    _require_plain(claim)
    if claim.id != identifier:
        raise ValueError(f"{module.__name__} derives {claim.id} under the id {identifier}")
    names = [step.name for part in claim.parts for step in part.steps]
    if len(set(names)) < len(names):
        raise ValueError(f"{identifier}: two steps have the same name, among {names}")
    return with_theorems(replace(claim, parts=tuple(map(_with_links, claim.parts))))


def _require_plain(claim: Claim) -> None:
    """Refuse a class of the author's own: it could answer what engines have not.

    Raises
    ------
    TypeError
        If the claim, one of its parts, steps, obligations or checks is of another class.
    """
    parts: list[tuple[object, type]] = [(claim, Claim)]
    if type(claim) is Claim:
        parts += [(part, Part) for part in claim.parts]
        parts += [(step, Step) for part in claim.parts for step in part.steps]
        parts += [(made, Obligation) for part in claim.parts for step in part.steps for made in step.obligations]
        parts += [(one, Check) for made in claim.obligations for one in made.checks]
    for one, kind in parts:
        if type(one) is not kind:
            raise TypeError(f"a derivation gives a {kind.__name__} as the ledger knows it, got {type(one).__name__}")


def _with_links(part: Part) -> Part:
    # Two quantities of one formula are stated once.
    formal = tuple(dict.fromkeys(part.formal))
    links = (
        linked(f"{part.title}.{number}", text, part.obligations, formal[:number] + formal[number + 1 :])
        for number, text in enumerate(formal)
    )
    return replace(part, formal=formal, links=tuple(links))
