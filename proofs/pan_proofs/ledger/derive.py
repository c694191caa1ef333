"""Derive claims and all that they rest on, in parallel, and settle their verdicts."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from pan_promises.workers import each_done
from pan_proofs.engines.obligation import Answer, Check, Kind, minted
from pan_proofs.ledger.claim import Claim, Part, Step
from pan_proofs.ledger.fingerprint import fingerprint, size
from pan_proofs.ledger.registry import canonical, derive_here, modules, resolve
from pan_proofs.ledger.store import Store
from pan_proofs.ledger.verdicts import FALLEN, FROM_CITED, ProofVerdict, Role, judged

_TABLE, _ENTRIES = "SYMPY_CACHE_SIZE", "50000"
"""The size of sympy's table of known results; its own size, 1000, makes a derivation ask most questions again."""
_COLLECTIONS = (200_000, 50, 100)
"""Thresholds of Python's garbage collector: it runs seldom, since a derivation keeps most of what it makes."""


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
    notes
        Readings under which it fails, and the versions of the claims that it uses.
    """

    claim: Claim
    verdict: ProofVerdict
    reason: str
    seconds: float
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The entry as plain values."""
        return {**self.claim.to_dict(), "verdict": str(self.verdict), "reason": self.reason, "notes": list(self.notes)}


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
        identifier: Entry(claim, *settle(claim, claims), done[identifier][1], notes(claim, claims))
        for identifier, claim in claims.items()
    }


def settle(claim: Claim, claims: Mapping[str, Claim], above: tuple[str, ...] = ()) -> tuple[ProofVerdict, str]:
    """A claim's verdict and, if it is undecided, the reason: a claim that rests on itself is undecided, too."""
    if claim.id in above:
        return ProofVerdict.UNDECIDED, f"claims rest on one another: {' > '.join((*above, claim.id))}"
    if missing := [one for one in _rests_on(claim) if canonical(one) not in claims]:
        return ProofVerdict.UNDECIDED, f"rests on {missing[0]}, which is not in the ledger"
    settled = {one: settle(claims[canonical(one)], claims, (*above, claim.id)) for one in _rests_on(claim)}
    found = claim.situation(
        nearby=settled[claim.nearby][0] if claim.nearby else None, used=[settled[one][0] for one in claim.uses]
    )
    rule = judged(found)
    if rule.verdict is not ProofVerdict.UNDECIDED:
        return rule.verdict, ""
    if found.open_parts and claim.skipped:
        return rule.verdict, f"engines not installed: {', '.join(claim.skipped)}"
    if found.open_parts:
        open_ones = [str(one.name) for one in claim.obligations if one.status != "discharged"]
        return rule.verdict, f"not discharged: {', '.join(open_ones) or 'a part of which no engine was asked anything'}"
    if titles := found.unshown or found.unformulated or found.unlinked:
        return rule.verdict, f"{rule.reason}: {'; '.join(titles)}"
    for other, (verdict, reason) in settled.items():
        if verdict in FALLEN or (other == claim.nearby and verdict is not ProofVerdict.PROVED):
            because = f" ({reason})" if reason else ""
            return rule.verdict, f"rests on {other}, which is {verdict}{because}"
    return rule.verdict, rule.reason


def notes(claim: Claim, claims: Mapping[str, Claim]) -> tuple[str, ...]:
    """Notes beside the verdict: readings under which the claim fails, and the version of a claim that it uses."""
    said = [f"it fails under another reading: {part.title}" for part in claim.parts if not part.holds]
    for other in claim.uses:
        used = claims.get(canonical(other))
        verdict = settle(used, claims)[0] if used else ProofVerdict.UNDECIDED
        if used and verdict is ProofVerdict.PROVED_AMENDED:
            versions = "; ".join(part.title for part in used.parts if part.role is Role.AMENDED)
            said.append(f"it uses {other} as amended ({versions})")
        if verdict in FROM_CITED:
            said.append(f"it rests on {other}, which is {verdict}")
    return tuple(said)


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
    if jobs > 1:
        # The longest ones first, so that no worker waits for one of them at the end.
        missing.sort(key=lambda identifier: -size(modules()[identifier]))
    for claim, seconds in _workers(missing, jobs):
        found[claim.id] = (claim, seconds)
        # A module that was edited in the meantime may differ from the derived one.
        if store and fingerprint(modules()[claim.id]) == keys[claim.id]:
            store.keep(claim, keys[claim.id])
        if on_done:
            on_done(claim.id)
    return found


def _workers(identifiers: list[str], jobs: int) -> Iterator[tuple[Claim, float]]:
    if jobs == 1 or len(identifiers) < 2:
        usual = gc.get_threshold()
        gc.set_threshold(*_COLLECTIONS)
        try:
            yield from map(_timed, identifiers)
        finally:
            gc.set_threshold(*usual)
        return
    # Sympy reads the size of its table of known results when a worker imports it.
    given = os.environ.get(_TABLE)
    os.environ.setdefault(_TABLE, _ENTRIES)
    try:
        for _, found in each_done([partial(_in_worker, one) for one in identifiers], jobs):
            yield found
    finally:
        if given is None:
            os.environ.pop(_TABLE, None)


def _in_worker(identifier: str) -> tuple[Claim, float]:
    # To look for garbage as often as before would mean to go through everything after each claim.
    gc.set_threshold(*_COLLECTIONS)
    return _timed(identifier)


def _timed(identifier: str) -> tuple[Claim, float]:
    start = time.perf_counter()
    try:
        claim = derive_here(identifier)
    except Exception as problem:  # one broken derivation must not lose the others
        claim = _stopped(identifier, problem)
    return claim, time.perf_counter() - start


def _stopped(identifier: str, problem: Exception) -> Claim:
    said = f"the derivation stopped: {type(problem).__name__}: {problem}"
    ended = Check("the derivation runs to its end", "python", Answer.HOLDS, Answer.FAILS)
    obligation = minted(said, said, (ended,), Kind.VALUE)
    step = Step("stopped", "The derivation stopped.", (), (obligation,))
    return Claim(identifier, identifier, (), "", (Part(Role.PUBLISHED, "derivation", "", (step,)),))
