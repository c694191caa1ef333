"""Which claims there are, and where each is derived."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from functools import cache

import pan_proofs.claims
from pan_proofs.ledger.claim import Claim
from pan_proofs.ledger.statements import ALIASES, STATEMENTS


class UnknownClaim(KeyError):  # noqa: N818 - it names what is wrong with the id
    """No claim has this id."""

    def __str__(self) -> str:
        return str(self.args[0])


@cache
def modules() -> dict[str, str]:
    """For each claim's id the module that derives it, in the order of the sources; ours come last."""
    found: dict[str, str] = {}
    for info in pkgutil.iter_modules(pan_proofs.claims.__path__):
        name = f"{pan_proofs.claims.__name__}.{info.name}"
        for identifier in importlib.import_module(name).CLAIMS:
            if identifier in found:
                raise ValueError(f"the claim {identifier} is derived in both {found[identifier]} and {name}")
            found[identifier] = name
    order = {identifier: place for place, identifier in enumerate(STATEMENTS)}
    return dict(sorted(found.items(), key=lambda item: (order.get(item[0], len(order)), item[0])))


def canonical(identifier: str) -> str:
    """The id under which a statement is kept, whether or not there is such a claim."""
    return ALIASES.get(identifier, identifier)


def resolve(identifier: str) -> str:
    """The id under which a statement is kept, for itself or for another source's name of it.

    Raises
    ------
    UnknownClaim
        With the ids that look alike.
    """
    identifier = canonical(identifier)
    if identifier not in modules():
        import difflib

        known = [*modules(), *ALIASES]
        close = [one for one in known if identifier in one] or difflib.get_close_matches(identifier, known, cutoff=0.4)
        hint = f"; do you mean {', '.join(close[:3])}?" if close else "; `panproof claims` lists them"
        raise UnknownClaim(f"there is no claim {identifier!r}{hint}")
    return identifier


def derive_here(identifier: str) -> Claim:
    """Derive one claim in this process, without a cache."""
    module = importlib.import_module(modules()[identifier])
    derivation: Callable[[], Claim] = module.CLAIMS[identifier]
    claim = derivation()
    if claim.id != identifier:
        raise ValueError(f"{module.__name__} derives {claim.id} under the id {identifier}")
    names = [step.name for part in claim.parts for step in part.steps]
    if len(set(names)) < len(names):
        raise ValueError(f"{identifier}: two steps have the same name, among {names}")
    return claim
