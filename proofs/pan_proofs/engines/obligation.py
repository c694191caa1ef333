"""Obligations: questions to engines and their answers. Two solvers get the same text.

A question is put to z3 and to cvc5 as one SMT-LIB script, so that neither sees a translation of its
own. An engine that is not installed is reported as skipped, never as agreeing.
"""

from __future__ import annotations

import importlib
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any

import sympy as sp

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


@dataclass(frozen=True)
class Obligation:
    """One step of a derivation, with the engines that checked it.

    Attributes
    ----------
    name
        A short name, unique within a derivation.
    statement
        The displayed statement, as a reader would write it.
    checks
        Every question asked, with its answer.
    """

    name: str
    statement: str
    checks: tuple[Check, ...]

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


def ask(engine: str, script: str) -> Answer:
    """Put an SMT-LIB script without ``check-sat`` to a solver; an absent one answers ``SKIPPED``."""
    try:
        module = load_engine(engine)
    except MissingEngine:
        return Answer.SKIPPED
    return _ask_cvc5(module, script) if engine == "cvc5" else _ask_z3(module, script)


def identity(name: str, statement: str, difference: Any) -> Obligation:
    """An obligation that a sympy expression vanishes identically."""
    answer = Answer.HOLDS if sp.simplify(difference) == 0 else Answer.FAILS
    return Obligation(name, statement, (Check("the difference simplifies to 0", "sympy", Answer.HOLDS, answer),))


def fact(name: str, statement: str, question: str, truth: bool | None, engine: str = "sympy") -> Obligation:
    """An obligation that one engine decides by computing; ``None`` if the engine is absent."""
    answer = Answer.SKIPPED if truth is None else Answer.HOLDS if truth else Answer.FAILS
    return Obligation(name, statement, (Check(question, engine, Answer.HOLDS, answer),))


@cache
def _ask_z3(module: Any, script: str) -> Answer:
    solver = module.SolverFor("QF_NRA")
    solver.set("timeout", _MILLISECONDS)
    solver.from_string(script)
    return Answer(str(solver.check()))


@cache
def _ask_cvc5(module: Any, script: str) -> Answer:
    solver = module.Solver(module.TermManager())
    solver.setOption("tlimit-per", str(_MILLISECONDS))
    parser = module.InputParser(solver)
    parser.setStringInput(module.InputLanguage.SMT_LIB_2_6, script, "question")
    symbols = parser.getSymbolManager()
    while not (command := parser.nextCommand()).isNull():
        command.invoke(solver, symbols)
    result = solver.checkSat()
    return Answer.SAT if result.isSat() else Answer.UNSAT if result.isUnsat() else Answer.UNKNOWN
