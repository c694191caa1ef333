"""Derive claims and all that they rest on, in parallel, and settle their verdicts."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pan_proofs.engines.obligation import fact
from pan_proofs.ledger.claim import Claim, Part, ProofVerdict, Role, Step
from pan_proofs.ledger.fingerprint import fingerprint
from pan_proofs.ledger.registry import canonical, derive_here, modules, resolve
from pan_proofs.ledger.store import Store

_STANDS = (ProofVerdict.PROVED, ProofVerdict.PROVED_AMENDED, ProofVerdict.CITED)


@dataclass(frozen=True)
class Entry:
    """A claim with its settled verdict.

    Attributes
    ----------
    claim
        The claim.
    verdict
        Its own, unless what it uses or the true statement nearby does not stand.
    reason
        Why it is undecided; empty otherwise.
    seconds
        The time of the derivation; 0 if it was stored.
    """

    claim: Claim
    verdict: ProofVerdict
    reason: str
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """The entry as plain values."""
        return {**self.claim.to_dict(), "verdict": str(self.verdict), "reason": self.reason}


def derive(
    identifiers: Iterable[str] | None = None,
    *,
    jobs: int = 1,
    store: Store | None = None,
    again: bool = False,
    on_done: Callable[[str], None] | None = None,
) -> dict[str, Entry]:
    """Derive claims, with those that they use.

    Parameters
    ----------
    identifiers
        Ids, also other sources' names of them; all by default.
    jobs
        Worker processes.
    store
        Where derived claims are looked up and kept; none by default, so that everything is derived again.
    again
        Derive stored claims again too, and replace them.
    on_done
        Called with the id of each claim that is ready.

    Returns
    -------
    dict
        From id to entry, in the ledger's order, with the claims that the wanted ones rest on.

    Raises
    ------
    UnknownClaim
        For an unknown id.
    """
    wanted = list(modules()) if identifiers is None else [resolve(one) for one in identifiers]
    done: dict[str, tuple[Claim, float]] = {}
    while wanted:
        for identifier, result in _derive_all(dict.fromkeys(wanted), jobs, store, again, on_done).items():
            done[identifier] = result
        needed = (canonical(one) for claim, _ in done.values() for one in _rests_on(claim))
        wanted = [one for one in dict.fromkeys(needed) if one in modules() and one not in done]
    claims = {identifier: done[identifier][0] for identifier in modules() if identifier in done}
    return {
        identifier: Entry(claim, *settle(claim, claims), done[identifier][1]) for identifier, claim in claims.items()
    }


def settle(claim: Claim, claims: Mapping[str, Claim], above: tuple[str, ...] = ()) -> tuple[ProofVerdict, str]:
    """A claim's verdict and, if it is undecided, the reason: a claim that rests on itself is undecided, too."""
    if claim.id in above:
        return ProofVerdict.UNDECIDED, f"claims rest on one another: {' > '.join((*above, claim.id))}"
    if claim.skipped and claim.verdict is ProofVerdict.UNDECIDED:
        return ProofVerdict.UNDECIDED, f"engines not installed: {', '.join(claim.skipped)}"
    if claim.verdict is ProofVerdict.UNDECIDED:
        open_ones = [str(one.name) for one in claim.obligations if one.status != "discharged"]
        return ProofVerdict.UNDECIDED, f"not discharged: {', '.join(open_ones) or 'a part without steps'}"
    for other in _rests_on(claim):
        if canonical(other) not in claims:
            return ProofVerdict.UNDECIDED, f"rests on {other}, which is not in the ledger"
        verdict, reason = settle(claims[canonical(other)], claims, (*above, claim.id))
        if verdict not in ((ProofVerdict.PROVED,) if other == claim.nearby else _STANDS):
            because = f" ({reason})" if reason else ""
            return ProofVerdict.UNDECIDED, f"rests on {other}, which is {verdict}{because}"
    return claim.verdict, ""


def _rests_on(claim: Claim) -> tuple[str, ...]:
    return (*claim.uses, *([claim.nearby] if claim.nearby else []))


def _derive_all(
    identifiers: Iterable[str], jobs: int, store: Store | None, again: bool, on_done: Callable[[str], None] | None
) -> dict[str, tuple[Claim, float]]:
    keys = {identifier: fingerprint(modules()[identifier]) for identifier in identifiers} if store else {}
    found: dict[str, tuple[Claim, float]] = {}
    for identifier, key in keys.items():
        kept = store.load(identifier, key) if store and not again else None
        if kept is not None:
            found[identifier] = (kept, 0.0)
            if on_done:
                on_done(identifier)
    missing = [identifier for identifier in identifiers if identifier not in found]
    for claim, seconds in _workers(missing, jobs):
        found[claim.id] = (claim, seconds)
        # A module that was edited in the meantime may differ from the derived one.
        if store and fingerprint(modules()[claim.id]) == keys[claim.id]:
            store.keep(claim, keys[claim.id])
        if on_done:
            on_done(claim.id)
    return found


def _workers(identifiers: list[str], jobs: int) -> Iterable[tuple[Claim, float]]:
    if jobs == 1 or len(identifiers) < 2:
        return map(_timed, identifiers)
    import joblib

    parallel = joblib.Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1)
    results: Iterable[tuple[Claim, float]] = parallel(joblib.delayed(_timed)(one) for one in identifiers)
    return results


def _timed(identifier: str) -> tuple[Claim, float]:
    start = time.perf_counter()
    try:
        claim = derive_here(identifier)
    except Exception as problem:  # one broken derivation must not lose the others
        claim = _stopped(identifier, problem)
    return claim, time.perf_counter() - start


def _stopped(identifier: str, problem: Exception) -> Claim:
    said = f"the derivation stopped: {type(problem).__name__}: {problem}"
    obligation = fact(said, said, "the derivation runs to its end", False, "python")
    step = Step("stopped", "The derivation stopped.", (), (obligation,))
    return Claim(identifier, identifier, (), "", (Part(Role.PUBLISHED, "derivation", "", (step,)),))
