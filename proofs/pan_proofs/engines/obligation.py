"""Obligations: questions to engines and their answers. Two solvers get the same text.

A question is put to z3 and to cvc5 as one SMT-LIB script, so that neither sees a translation of its
own. An engine that is not installed is reported as skipped, never as agreeing.
"""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from typing import Any

import sympy as sp

from pan_proofs.engines.relations import written

SOLVERS = ("z3", "cvc5")
"""The two solvers for polynomial inequalities over the reals."""

_MILLISECONDS = 20_000
"""Time allowed for one question to one solver."""


class MissingEngine(ImportError):  # noqa: N818 - it names what is missing, as ImportError does
    """An engine that a derivation needs is not installed."""


class Answer(StrEnum):
    """The answer of an engine to a question."""

    SAT = "sat"
    UNSAT = "unsat"
    HOLDS = "holds"
    FAILS = "fails"
    UNKNOWN = "unknown"
    SKIPPED = "skipped"


class Status(StrEnum):
    """Where an obligation stands."""

    DISCHARGED = "discharged"
    FAILED = "failed"
    UNDECIDED = "undecided"
    SKIPPED = "skipped"


@dataclass(frozen=True)
class Check:
    """One question to one engine.

    Attributes
    ----------
    question
        The question, in words.
    engine
        The engine.
    expected
        The answer that the obligation needs.
    answer
        The answer that came.
    """

    question: str
    engine: str
    expected: Answer
    answer: Answer

    def about(self, told: str) -> Check:
        """The same answer to a question that says what it is about."""
        return replace(self, question=f"{told}: {self.question}")


def answer(truth: bool) -> Answer:
    """The answer of an engine that decided a question."""
    return Answer.HOLDS if truth else Answer.FAILS


def decided(question: str, engine: str, said: bool | Callable[[], bool | None] | None) -> Check:
    """A question that an engine decides, or with ``None`` leaves open.

    Parameters
    ----------
    question, engine
        As in :class:`Check`.
    said
        The answer, or a function that asks an engine; one that is not installed is skipped.
    """
    try:
        truth = said() if callable(said) else said
    except MissingEngine:
        return Check(question, engine, Answer.HOLDS, Answer.SKIPPED)
    return Check(question, engine, Answer.HOLDS, Answer.UNKNOWN if truth is None else answer(truth))


class Kind(StrEnum):
    """The kind of question that an obligation asks."""

    EQUALITY = "equality"
    """Two expressions are the same for all values."""
    IDENTICAL = "identical"
    """Two expressions are written alike, so that there is nothing to decide."""
    INEQUALITY = "inequality"
    """A relation of rational functions holds wherever its hypotheses do."""
    BOX = "inequality on a box"
    """A relation holds on a box, by balls."""
    COUNTEREXAMPLE = "counterexample"
    """A relation is false at one point that satisfies the hypotheses."""
    COMPARISON = "comparison"
    """A relation holds at one point."""
    ENUMERATION = "enumeration"
    """A condition holds in each of finitely many cases."""
    INDUCTION = "induction"
    """A bound holds for words of every length, since it holds at the start and every letter keeps it."""
    VALUE = "value"
    """A computation has a stated value."""
    LINK = "link"
    """A formal statement follows from what the steps show."""
    THEOREM = "theorem"
    """Coq has checked a theorem about the mechanism."""
    REFUTATION = "refutation"
    """Coq has checked a theorem that says that something is false of the mechanism."""


@dataclass(frozen=True)
class ShownRelation:
    """A relation that an engine has shown, with all the conditions under which it has.

    Attributes
    ----------
    relation
        The relation, as :func:`pan_proofs.engines.relations.written` writes it. It is true for all values that the
        symbols stand for and that satisfy the conditions. The opposite of a relation says less: that it is false for
        some such values.
    given
        The conditions, in the same form: the hypotheses, the sides of a box, or the values at a point.
    """

    relation: str
    given: tuple[str, ...] = ()


@dataclass(frozen=True)
class Obligation:
    """One step of a derivation, with the engines that checked it.

    The functions of the engines make obligations (:func:`minted`). Elsewhere the constructor refuses, so that every
    answer is one that an engine gave.

    Attributes
    ----------
    name
        A short name, unique within a derivation.
    statement
        The displayed statement, as a reader would write it.
    checks
        Every question asked, with its answer.
    kind
        The kind of question.
    shows
        The relations that are true if the obligation is discharged.
    """

    name: str
    statement: str
    checks: tuple[Check, ...]
    kind: Kind
    shows: tuple[ShownRelation, ...] = ()

    def __post_init__(self) -> None:
        if not _MINTING.get():
            raise TypeError(
                f"{self.name}: an obligation is made by the functions of pan_proofs.engines and pan_proofs.ledger, "
                "which ask an engine; it cannot be made by hand"
            )

    @property
    def status(self) -> Status:
        """Discharged if every question has its answer from at least one engine, and no other answer from any.

        It is skipped if there is a question that no engine was there to hear.
        """
        if any(check.answer not in (check.expected, Answer.UNKNOWN, Answer.SKIPPED) for check in self.checks):
            return Status.FAILED
        heard: dict[tuple[str, int], set[Answer]] = {}
        asked: Counter[tuple[str, str]] = Counter()
        for check in self.checks:
            # The same words put to one engine twice are two questions.
            asked[check.question, check.engine] += 1
            heard.setdefault((check.question, asked[check.question, check.engine]), set()).add(
                Answer.HOLDS if check.answer is check.expected else check.answer
            )
        if any(answers == {Answer.SKIPPED} for answers in heard.values()):
            return Status.SKIPPED
        answered = all(Answer.HOLDS in answers for answers in heard.values())
        return Status.DISCHARGED if heard and answered else Status.UNDECIDED

    @property
    def engines(self) -> tuple[str, ...]:
        """The engines that gave every answer expected of them."""
        names = dict.fromkeys(check.engine for check in self.checks)
        return tuple(
            name
            for name in names
            if all(check.answer is check.expected for check in self.checks if check.engine == name)
        )

    @property
    def skipped(self) -> tuple[str, ...]:
        """The engines that were not there."""
        return tuple(dict.fromkeys(check.engine for check in self.checks if check.answer is Answer.SKIPPED))

    def __str__(self) -> str:
        absent = f"; skipped: {', '.join(self.skipped)}" if self.skipped else ""
        return f"{self.name}: {self.status} ({', '.join(self.engines) or 'no engine'}{absent}): {self.statement}"


_MINTING: ContextVar[bool] = ContextVar("minting", default=False)


def minted(
    name: str,
    statement: str,
    checks: Iterable[Check],
    kind: Kind,
    shows: Iterable[sp.Basic | ShownRelation] = (),
    given: Iterable[sp.Basic] = (),
) -> Obligation:
    """An obligation with the answers of engines. Only the engines and the ledger may call this.

    Parameters
    ----------
    name, statement, checks, kind
        As in :class:`Obligation`.
    shows
        As in :class:`Obligation`, or relations.
    given
        The conditions under which these relations were shown.
    """
    under = tuple(written(one) for one in given if one != sp.true)
    shown = tuple(one if isinstance(one, ShownRelation) else ShownRelation(written(one), under) for one in shows)
    token = _MINTING.set(True)
    try:
        return Obligation(name, statement, tuple(checks), kind, shown)
    finally:
        _MINTING.reset(token)


def load_engine(name: str) -> Any:
    """Import an optional engine.

    Raises
    ------
    MissingEngine
        If it is not installed, with the extra that installs it.
    """
    try:
        return importlib.import_module(name)
    except ImportError:
        raise MissingEngine(
            f"the engine {name!r} is not installed; install it with: pip install 'panproof[proofs]'"
        ) from None


def ask(engine: str, script: str, *, effort: int | None = None) -> Answer:
    """Put an SMT-LIB script without ``check-sat`` to a solver; an absent one answers ``SKIPPED``.

    Parameters
    ----------
    engine
        ``"z3"`` or ``"cvc5"``.
    script
        The assertions.
    effort
        A limit in the solver's own units of work, in place of the limit of time: the answer is then the same on a busy
        machine.
    """
    try:
        module = load_engine(engine)
    except MissingEngine:
        return Answer.SKIPPED
    return _ask_cvc5(module, script, effort) if engine == "cvc5" else _ask_z3(module, script, effort)


@cache
def _ask_z3(module: Any, script: str, effort: int | None) -> Answer:
    # Among integers z3 can take minutes after other questions, beyond its limit, for one that takes no time alone.
    solver = module.Solver(ctx=module.Context()) if " Int)" in script else module.SolverFor("QF_NRA")
    solver.set(*(("timeout", _MILLISECONDS) if effort is None else ("rlimit", effort)))
    solver.from_string(script)
    return Answer(str(solver.check()))


@cache
def _ask_cvc5(module: Any, script: str, effort: int | None) -> Answer:
    solver = module.Solver(module.TermManager())
    solver.setOption(*(("tlimit-per", str(_MILLISECONDS)) if effort is None else ("rlimit-per", str(effort))))
    parser = module.InputParser(solver)
    parser.setStringInput(module.InputLanguage.SMT_LIB_2_6, script, "question")
    symbols = parser.getSymbolManager()
    while not (command := parser.nextCommand()).isNull():
        command.invoke(solver, symbols)
    result = solver.checkSat()
    return Answer.SAT if result.isSat() else Answer.UNSAT if result.isUnsat() else Answer.UNKNOWN
