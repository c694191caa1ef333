"""The evidence of a document in numbers: the questions to the engines, the controls, and the share of prose."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pan_proofs.engines.obligation import Kind, Status
from pan_proofs.ledger import Claim
from pan_proofs.rendering.view import without_formula

QUESTIONS = {
    Kind.EQUALITY: "whether two expressions are equal for all values",
    Kind.INEQUALITY: "whether a relation holds wherever its hypotheses do",
    Kind.BOX: "whether a relation holds everywhere on a box",
    Kind.COUNTEREXAMPLE: "whether a relation fails at a point",
    Kind.COMPARISON: "whether a relation holds at a point",
    Kind.INDUCTION: "whether a bound holds for words of every length",
    Kind.ENUMERATION: "whether a condition holds in each of finitely many cases",
    Kind.VALUE: "whether a computation has the stated value",
    Kind.LINK: "whether a formal statement follows from what the steps show",
    Kind.THEOREM: "whether Coq has checked a theorem about the mechanism",
    Kind.REFUTATION: "whether Coq has checked that something is false of the mechanism",
}
"""The questions in words; expressions that are written alike are no question."""


@dataclass(frozen=True)
class KindOfQuestion:
    """One kind of question.

    Attributes
    ----------
    question
        The question, in words.
    number
        The number of times that it was asked and answered as needed.
    engines
        The engines that answered.
    """

    question: str
    number: int
    engines: tuple[str, ...]


@dataclass(frozen=True)
class Evidence:
    """The evidence for some claims, in numbers.

    Attributes
    ----------
    questions
        The kinds of questions that were asked and answered as needed.
    open
        The number of questions without the needed answer, those about formal statements excepted.
    controlled, inequalities
        The number of inequalities with all three controls, and of all.
    prose_steps, steps
        The number of steps that prose alone carries, and of all.
    unlinked, statements
        The number of statements to which prose alone leads from the steps, and of all.
    without_formula
        The number of statements that have no formula, among those to which prose leads.
    in_words
        The number of arguments that words alone carry in steps that engines answer otherwise.
    """

    questions: tuple[KindOfQuestion, ...]
    open: int
    controlled: int
    inequalities: int
    prose_steps: int
    steps: int
    unlinked: int
    statements: int
    without_formula: int
    in_words: int


def evidence(claims: Iterable[Claim]) -> Evidence:
    """Count the evidence for some claims."""
    gathered = tuple(claims)
    obligations = [one for claim in gathered for one in claim.obligations if one.kind is not Kind.IDENTICAL]
    parts = [part for claim in gathered for part in claim.parts]
    links = [one for part in parts for one in part.links]
    answered = [one for one in (*obligations, *links) if one.status is Status.DISCHARGED]
    questions = []
    for kind, question in QUESTIONS.items():
        chosen = [one for one in answered if one.kind is kind]
        if chosen:
            engines = tuple(dict.fromkeys(engine for one in chosen for engine in one.engines))
            questions.append(KindOfQuestion(question, len(chosen), engines))
    controls = [claim.controls for claim in gathered]
    return Evidence(
        questions=tuple(questions),
        open=sum(one.status is not Status.DISCHARGED for one in obligations),
        controlled=sum(done for done, _ in controls),
        inequalities=sum(number for _, number in controls),
        prose_steps=sum(len(claim.prose) for claim in gathered),
        steps=sum(len(claim.steps) for claim in gathered),
        unlinked=sum(part.by_prose for part in parts),
        statements=len(parts),
        without_formula=sum(without_formula(part) for part in parts),
        in_words=sum(len(claim.in_words) for claim in gathered),
    )
