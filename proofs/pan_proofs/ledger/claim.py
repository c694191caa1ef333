"""Claims, the parts of a judgement, and its steps; the verdict follows from what the engines answered.

Everything here is text and answers, so that a derivation can be stored, compared and printed without
running it again. Texts are LaTeX: prose with formulas between dollar signs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from pan_proofs.engines.inequalities import NEGATION
from pan_proofs.engines.obligation import Answer, Check, Kind, Obligation, ShownRelation, Status, minted
from pan_proofs.engines.shapes import BENDS
from pan_proofs.engines.slopes import RISES
from pan_proofs.engines.vectors import PASSES_ON
from pan_proofs.ledger.statements import shown_by, symbolic
from pan_proofs.ledger.verdicts import ProofVerdict, Role, Situation, judged

__all__ = ["COVERED", "Claim", "Part", "ProofVerdict", "Reference", "Role", "Step", "derived", "symbolic"]

COVERED = "balls that cover the box keep the sides apart"
"""The question that marks an inequality on a box among the obligations."""

_INEQUALITIES = (NEGATION, COVERED, PASSES_ON, RISES, BENDS)
"""The questions that mark inequalities: each of these obligations has its controls."""


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
        The questions to the engines; none if prose alone carries the step.
    """

    name: str
    text: str
    lines: tuple[str, ...]
    obligations: tuple[Obligation, ...]

    @property
    def prose(self) -> bool:
        """Whether prose alone carries it: no engine was asked, or only about expressions that are written alike."""
        return all(one.kind is Kind.IDENTICAL for one in self.obligations)


Steps = tuple[Step, ...]
"""Several steps."""


def rows(lines: str | Iterable[str]) -> tuple[str, ...]:
    """The rows of a display of one row or of several."""
    return (lines,) if isinstance(lines, str) else tuple(lines)


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
        The statement as relations, as text that ``sympy.sympify`` reads.
    no_formula
        For a statement without formulas the reason why it has none, in LaTeX.
    holds
        For another reading: whether the published statement is true under it.
    departs
        For another reading that fails: the words from which it departs, verbatim from the claim's statement or its
        assumptions. Without them the words of the source allow the reading, and it counts as a counterexample.
    ours
        For a published statement: whether no source prints it in this form, so that it is our reading of the text.
    links
        For each formal statement the question whether it follows from what the steps show; asked by
        :func:`pan_proofs.ledger.derive_here`.
    theorems
        Names of theorems of ``proofs/coq`` that carry the statement, from the mechanism. They need no steps and no
        formula beside them.
    checked
        For each of these theorems the question whether Coq has checked it; asked by
        :func:`pan_proofs.ledger.theorems.with_theorems`.
    """

    role: Role
    title: str
    statement: str
    steps: Steps
    formal: tuple[str, ...] = ()
    no_formula: str = ""
    holds: bool = True
    departs: str = ""
    ours: bool = False
    links: tuple[Obligation, ...] = ()
    theorems: tuple[str, ...] = ()
    checked: tuple[Obligation, ...] = ()

    def __post_init__(self) -> None:
        if not self.holds and self.role is not Role.READING:
            raise ValueError(f"{self.title}: only another reading can fail; a counterexample has a role of its own")
        if self.departs and self.holds:
            raise ValueError(f"{self.title}: only a reading that fails departs from the statement")
        if self.formal and self.no_formula:
            raise ValueError(f"{self.title}: it has a formula, and a reason why it has none")
        if self.ours and self.role is not Role.PUBLISHED:
            raise ValueError(f"{self.title}: only of a published statement can there be a reading of ours")

    @property
    def counts_as(self) -> Role:
        """Its role in the verdict: a reading that fails and departs from nothing is a counterexample."""
        return self.role if self.holds or self.departs else Role.COUNTEREXAMPLE

    @property
    def says_false(self) -> bool:
        """Whether it says that the statement, or a reading of it, is false."""
        return self.role is Role.COUNTEREXAMPLE or not self.holds

    @property
    def linked(self) -> bool:
        """Whether engines found that the statement follows from the steps; otherwise prose leads from them to it."""
        return bool(self.links) and all(one.status is Status.DISCHARGED for one in self.links)

    @property
    def obligations(self) -> tuple[Obligation, ...]:
        """All obligations of the part."""
        return (*(obligation for step in self.steps for obligation in step.obligations), *self.checked)

    @property
    def end_to_end(self) -> bool:
        """Whether Coq has checked all theorems that it names, and it names one; a refutation carries nothing true."""
        asked = tuple(one.name for one in self.checked if one.status is Status.DISCHARGED)
        refuted_only = all(one.kind is Kind.REFUTATION for one in self.checked)
        return bool(asked) and asked == self.theorems and (self.says_false or not refuted_only)

    @property
    def by_prose(self) -> bool:
        """Whether words alone lead to the statement from what was checked."""
        return not self.linked and not self.end_to_end

    @property
    def discharged(self) -> bool:
        """Whether an engine decided something in it, and every obligation is discharged."""
        decided = any(one.kind is not Kind.IDENTICAL for one in self.obligations)
        open_ones = any(one.status is not Status.DISCHARGED for one in self.obligations)
        return decided and not open_ones and (self.end_to_end or not self.theorems)

    @property
    def shown_false(self) -> bool:
        """Whether there is a counterexample in it, or a theorem that refutes, if it says that something is false."""
        return not self.says_false or any(
            one.kind in (Kind.COUNTEREXAMPLE, Kind.REFUTATION) for one in self.obligations
        )


def derived(
    role: Role,
    title: str,
    statement: str,
    *steps: Step,
    only: Iterable[str] = (),
    but: Iterable[str] = (),
    formal: tuple[str, ...] = (),
    **more: Any,
) -> Part:
    """A part whose formal statement is what its steps show.

    Parameters
    ----------
    role, title, statement, steps
        As in :class:`Part`.
    only, but
        Names of the steps of which this is stated, or of which it is not; all are stated by default.
    formal
        What is stated besides.
    **more
        Other attributes of the part.

    Raises
    ------
    ValueError
        For the name of no step.
    """
    names = {step.name for step in steps}
    if strange := sorted({*only, *but} - names):
        raise ValueError(f"{title}: {', '.join(strange)} is no step")
    named = (set(only) or names) - set(but)
    asked = (one for step in steps if step.name in named for one in step.obligations)
    return Part(role, title, statement, steps, formal=tuple(dict.fromkeys((*shown_by(asked), *formal))), **more)


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
    in_words
        Arguments that words alone carry in a step that engines answer otherwise: the name of the step, and the argument
        in LaTeX.
    remark
        Further remarks for a reader, in LaTeX.
    notation
        Symbols of the claim and their meanings, in LaTeX: those that its texts and its family's notation leave open.
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
    in_words: tuple[tuple[str, str], ...] = ()
    remark: str = ""
    notation: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        if strange := sorted({step for step, _ in self.in_words} - {step.name for step in self.steps}):
            raise ValueError(f"{self.id}: words carry an argument of {', '.join(strange)}, which is no step")
        said = (self.statement, *self.hypotheses, *self.silent)
        for part in self.parts:
            if not any(part.departs in one for one in said):
                raise ValueError(
                    f"{self.id}: {part.title}: neither the statement nor an assumption says {part.departs}"
                )

    @property
    def verdict(self) -> ProofVerdict:
        """The verdict, if what it uses is proved; :func:`pan_proofs.ledger.settle` looks at that as well."""
        return judged(self.situation(nearby=ProofVerdict.PROVED if self.nearby else None)).verdict

    def situation(self, *, nearby: ProofVerdict | None, used: Iterable[ProofVerdict] = ()) -> Situation:
        """All that its verdict depends on, given the verdicts on the other claims that it names."""
        return Situation(
            roles=frozenset(part.counts_as for part in self.parts),
            open_parts=tuple(part.title for part in self.parts if not part.discharged),
            unshown=tuple(part.title for part in self.parts if not part.shown_false),
            unformulated=tuple(
                part.title
                for part in self.parts
                if not part.formal and not part.theorems and not part.no_formula.strip()
            ),
            unlinked=tuple(part.title for part in self.parts if part.formal and not part.linked),
            nearby=nearby,
            used=tuple(used),
        )

    @property
    def steps(self) -> Steps:
        """All steps, part by part."""
        return tuple(step for part in self.parts for step in part.steps)

    @property
    def prose(self) -> tuple[str, ...]:
        """Names of the steps that prose alone carries."""
        return tuple(step.name for step in self.steps if step.prose)

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
        inequalities = [one for one in self.obligations if any(check.question in _INEQUALITIES for check in one.checks)]
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
        plain |= {key: tuple(tuple(one) for one in plain[key]) for key in ("in_words", "notation")}
        return Claim(
            references=tuple(Reference(**one) for one in stored["references"]),
            parts=tuple(_part(one) for one in stored["parts"]),
            **plain,
        )


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
        no_formula=stored["no_formula"],
        holds=stored["holds"],
        departs=stored["departs"],
        ours=stored["ours"],
        links=tuple(map(_obligation, stored["links"])),
        theorems=tuple(stored["theorems"]),
        checked=tuple(map(_obligation, stored["checked"])),
    )


def _obligation(stored: dict[str, Any]) -> Obligation:
    checks = tuple(
        Check(one["question"], one["engine"], Answer(one["expected"]), Answer(one["answer"]))
        for one in stored["checks"]
    )
    shows = tuple(ShownRelation(one["relation"], tuple(one["given"])) for one in stored["shows"])
    return minted(stored["name"], stored["statement"], checks, Kind(stored["kind"]), shows)
