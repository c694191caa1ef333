"""The rules by which a verdict follows from the parts of a judgement, as a table. The first that applies decides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class ProofVerdict(StrEnum):
    """The verdict of the ledger on a published statement."""

    PROVED = "PROVED"
    PROVED_FROM_CITED = "PROVED_FROM_CITED"
    PROVED_AMENDED = "PROVED_AMENDED"
    REFUTED = "REFUTED"
    CITED = "CITED"
    UNDECIDED = "UNDECIDED"


class Role(StrEnum):
    """The role of a part of a judgement."""

    PUBLISHED = "published"
    """The statement, or some of it, as it is printed."""
    COUNTEREXAMPLE = "counterexample"
    """The statement, or some of it, is false."""
    AMENDED = "amended"
    """The true statement in place of a false one."""
    READING = "reading"
    """Whether it holds under another reading, or without an assumption. If it fails and names the words from which it
    departs, it decides no verdict, and the verdict is shown with a note. If it fails and departs from no words, it is
    what the source says, and counts as a counterexample."""
    CITED = "cited"
    """A theorem of another source, used as it stands; the steps test it where it can be tested."""


@dataclass(frozen=True)
class Situation:
    """All that a verdict depends on.

    Attributes
    ----------
    roles
        The roles of the parts.
    open_parts
        Titles of the parts in which an engine has not given the answer that is needed, or was asked nothing.
    unshown
        Titles of the parts that say that something is false and have no counterexample.
    unformulated
        Titles of the parts that have neither a formula nor a reason why they have none.
    unlinked
        Titles of the parts with a formula of which no engine found that it follows from the steps.
    nearby
        The verdict on the true statement nearby; ``None`` if the claim names none.
    used
        The verdicts on the claims that a step rests on.
    """

    roles: frozenset[Role]
    open_parts: tuple[str, ...] = ()
    unshown: tuple[str, ...] = ()
    unformulated: tuple[str, ...] = ()
    unlinked: tuple[str, ...] = ()
    nearby: ProofVerdict | None = None
    used: tuple[ProofVerdict, ...] = ()


@dataclass(frozen=True)
class Rule:
    """One rule.

    Attributes
    ----------
    verdict
        The verdict if it applies.
    reason
        The situation in which it applies, in words.
    applies
        Whether it applies, if no rule before it does.
    """

    verdict: ProofVerdict
    reason: str
    applies: Callable[[Situation], bool]


FALLEN = (ProofVerdict.UNDECIDED, ProofVerdict.REFUTED)
"""Verdicts on which no claim can rest."""
FROM_CITED = (ProofVerdict.CITED, ProofVerdict.PROVED_FROM_CITED)
"""Verdicts that rest on a theorem of another source."""


def _has(*roles: Role) -> Callable[[Situation], bool]:
    return lambda found: found.roles >= set(roles)


RULES: tuple[Rule, ...] = (
    Rule(
        ProofVerdict.UNDECIDED,
        "no part is about the statement itself",
        lambda found: not found.roles - {Role.READING},
    ),
    Rule(ProofVerdict.UNDECIDED, "a part is not discharged", lambda found: bool(found.open_parts)),
    Rule(
        ProofVerdict.UNDECIDED,
        "a part says that something is false and gives no counterexample",
        lambda found: bool(found.unshown),
    ),
    Rule(
        ProofVerdict.UNDECIDED,
        "a statement has neither a formula nor a reason why it has none",
        lambda found: bool(found.unformulated),
    ),
    Rule(
        ProofVerdict.UNDECIDED,
        "a formula is not found to follow from the steps",
        lambda found: bool(found.unlinked),
    ),
    Rule(
        ProofVerdict.UNDECIDED,
        "a claim that it uses is refuted or undecided",
        lambda found: any(one in FALLEN for one in found.used),
    ),
    Rule(
        ProofVerdict.UNDECIDED,
        "the true statement that it names is not proved",
        lambda found: found.nearby not in (None, ProofVerdict.PROVED),
    ),
    Rule(
        ProofVerdict.REFUTED,
        "it is false, and a true statement nearby has an entry of its own",
        lambda found: Role.COUNTEREXAMPLE in found.roles and found.nearby is not None,
    ),
    Rule(
        ProofVerdict.PROVED_AMENDED,
        "it is false as printed, and an amended statement is derived",
        _has(Role.COUNTEREXAMPLE, Role.AMENDED),
    ),
    Rule(
        ProofVerdict.UNDECIDED,
        "it is false, and no true statement stands beside it",
        _has(Role.COUNTEREXAMPLE),
    ),
    Rule(
        ProofVerdict.UNDECIDED,
        "a statement is amended that is not shown to be false",
        _has(Role.AMENDED),
    ),
    Rule(ProofVerdict.CITED, "a part is taken from another source", _has(Role.CITED)),
    Rule(
        ProofVerdict.PROVED_FROM_CITED,
        "it is derived from a theorem of another source",
        lambda found: any(one in FROM_CITED for one in found.used),
    ),
    Rule(ProofVerdict.PROVED, "every part is derived", _has(Role.PUBLISHED)),
    Rule(ProofVerdict.UNDECIDED, "no other rule applies", lambda found: True),
)
"""In this order."""


def judged(found: Situation) -> Rule:
    """The rule that decides."""
    return next(rule for rule in RULES if rule.applies(found))
