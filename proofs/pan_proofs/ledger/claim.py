"""Claims, the parts of a judgement, and its steps; the verdict follows from what the engines answered.

Everything here is text and answers, so that a derivation can be stored, compared and printed without
running it again. Texts are LaTeX: prose with formulas between dollar signs.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

import sympy as sp

from pan_proofs.engines.inequalities import NEGATION
from pan_proofs.engines.obligation import Answer, Check, Obligation, Status

COVERED = "balls that cover the box keep the sides apart"
"""The question that marks an inequality on a box among the obligations."""


class ProofVerdict(StrEnum):
    """The verdict of the ledger on a published statement."""

    PROVED = "PROVED"
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
    """Whether it holds under another reading, or without an assumption; the verdict does not depend on it."""
    CITED = "cited"
    """A theorem of another source, used as it stands; the steps test it where it can be tested."""


@dataclass(frozen=True)
class Reference:
    """Where a statement stands.

    Attributes
    ----------
    document
        ``"paper"``, ``"lecture"``, ``"thesis"`` or, for what no source states, ``"here"``.
    place
        Number and section there.
    note
        Its difference from the other places of the same claim.
    """

    document: str
    place: str
    note: str = ""


@dataclass(frozen=True)
class Step:
    """One step of a derivation.

    Attributes
    ----------
    name
        A short name, unique within the claim.
    text
        The action and its reason, in LaTeX.
    lines
        Rows of an aligned display, each with an ``&`` where they are aligned.
    obligations
        The questions to the engines.
    """

    name: str
    text: str
    lines: tuple[str, ...]
    obligations: tuple[Obligation, ...]


@dataclass(frozen=True)
class Part:
    """Part of a judgement.

    Attributes
    ----------
    role
        Its role in the judgement: the printed statement, the amended one, or another.
    title
        A few words.
    statement
        The sentence that is shown, in LaTeX.
    steps
        From the definition of the mechanism to the statement.
    formal
        The statement as a symbolic object, as text that ``sympy.sympify`` reads.
    holds
        For another reading: whether the published statement is true under it.
    """

    role: Role
    title: str
    statement: str
    steps: tuple[Step, ...]
    formal: tuple[str, ...] = ()
    holds: bool = True

    def __post_init__(self) -> None:
        if not self.holds and self.role is not Role.READING:
            raise ValueError(f"{self.title}: only another reading can fail; a counterexample has a role of its own")

    @property
    def obligations(self) -> tuple[Obligation, ...]:
        """All obligations of the part."""
        return tuple(obligation for step in self.steps for obligation in step.obligations)

    @property
    def discharged(self) -> bool:
        """Whether there is a step, each step has an obligation, and every obligation is discharged."""
        return bool(self.steps) and all(
            step.obligations and all(one.status is Status.DISCHARGED for one in step.obligations) for step in self.steps
        )


@dataclass(frozen=True)
class Claim:
    """One entry of the ledger.

    Attributes
    ----------
    id
        As in the list of claims.
    title
        A few words.
    references
        Where the statement stands.
    statement
        The published statement in our words, in LaTeX.
    parts
        The judgement.
    hypotheses
        The assumptions of the source.
    silent
        The assumptions that the source needs and does not state.
    uses
        Ids of claims on which a step rests.
    nearby
        For a refuted statement: id of the strongest true one nearby.
    remark
        Further remarks for a reader, in LaTeX.
    """

    id: str
    title: str
    references: tuple[Reference, ...]
    statement: str
    parts: tuple[Part, ...]
    hypotheses: tuple[str, ...] = ()
    silent: tuple[str, ...] = ()
    uses: tuple[str, ...] = ()
    nearby: str = ""
    remark: str = ""

    @property
    def verdict(self) -> ProofVerdict:
        """The verdict, if what the claim uses stands; :func:`pan_proofs.ledger.settle` looks at that as well."""
        roles = {part.role for part in self.parts}
        if not roles - {Role.READING} or not all(part.discharged for part in self.parts):
            return ProofVerdict.UNDECIDED
        if Role.COUNTEREXAMPLE in roles:
            if self.nearby:
                return ProofVerdict.REFUTED
            return ProofVerdict.PROVED_AMENDED if Role.AMENDED in roles else ProofVerdict.UNDECIDED
        if Role.AMENDED in roles:
            return ProofVerdict.UNDECIDED
        return ProofVerdict.CITED if Role.CITED in roles else ProofVerdict.PROVED

    @property
    def obligations(self) -> tuple[Obligation, ...]:
        """All obligations of the claim."""
        return tuple(obligation for part in self.parts for obligation in part.obligations)

    @property
    def engines(self) -> tuple[str, ...]:
        """The engines that answered, in order of first appearance."""
        return tuple(dict.fromkeys(engine for one in self.obligations for engine in one.engines))

    @property
    def controls(self) -> tuple[int, int]:
        """Of how many inequalities all three controls gave their answer, and how many inequalities there are."""
        inequalities = [
            one for one in self.obligations if any(check.question in (NEGATION, COVERED) for check in one.checks)
        ]
        # The question itself and its three controls.
        done = sum(
            one.status is Status.DISCHARGED and len({check.question for check in one.checks}) >= 4
            for one in inequalities
        )
        return done, len(inequalities)

    @property
    def skipped(self) -> tuple[str, ...]:
        """The engines that were not there."""
        return tuple(dict.fromkeys(engine for one in self.obligations for engine in one.skipped))

    def to_dict(self) -> dict[str, Any]:
        """The claim as plain values, with its verdict."""
        return {
            **asdict(self),
            "verdict": str(self.verdict),
            "engines": list(self.engines),
            "controls": list(self.controls),
        }

    @staticmethod
    def from_dict(stored: dict[str, Any]) -> Claim:
        """A claim from what :meth:`to_dict` gave; the verdict is not read but follows again from the answers."""
        plain = {
            key: value
            for key, value in stored.items()
            if key not in ("verdict", "engines", "controls", "parts", "references")
        }
        plain |= {key: tuple(plain[key]) for key in ("hypotheses", "silent", "uses")}
        return Claim(
            references=tuple(Reference(**one) for one in stored["references"]),
            parts=tuple(_part(one) for one in stored["parts"]),
            **plain,
        )


def symbolic(*statements: sp.Basic) -> tuple[str, ...]:
    """Symbolic statements as text that can be stored and read back."""
    return tuple(sp.srepr(sp.sympify(statement)) for statement in statements)


def _part(stored: dict[str, Any]) -> Part:
    return Part(
        role=Role(stored["role"]),
        title=stored["title"],
        statement=stored["statement"],
        steps=tuple(
            Step(one["name"], one["text"], tuple(one["lines"]), tuple(map(_obligation, one["obligations"])))
            for one in stored["steps"]
        ),
        formal=tuple(stored["formal"]),
        holds=stored["holds"],
    )


def _obligation(stored: dict[str, Any]) -> Obligation:
    checks = tuple(
        Check(one["question"], one["engine"], Answer(one["expected"]), Answer(one["answer"]))
        for one in stored["checks"]
    )
    return Obligation(stored["name"], stored["statement"], checks)
