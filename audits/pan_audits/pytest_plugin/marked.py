"""Things that carry the marker ``panproof``: a class or a function, collected and judged as three items."""

from __future__ import annotations

import inspect
import os
import shlex
from collections.abc import Iterable
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from pan_audits.pytest_plugin.options import effort_of, refusal, settings_of

if TYPE_CHECKING:
    from pan_audits.audit.settings import Settings
    from pan_audits.gate.gate import GateReport
    from pan_audits.subject.intake.discovery import Mechanism

MARKER = "panproof"
PURPOSE = "the pytest plugin of panproof"

_PARTS = ("conduct", "accuracy", "privacy")
_THING = ("epsilon", "promise_epsilon", "delta", "rho", "adjacency", "promise", "neighbours", "data", "isolation")
_EFFORT = ("runs", "seed", "error", "seconds", "jobs", "exact", "doubles")
_COLLECTED = pytest.StashKey[list[Any]]()


def collected(collector: pytest.Collector, name: str, thing: object) -> list[pytest.Collector] | None:
    """The nodes of a marked class or function, one for each of its markers; ``None`` if it has none."""
    marks = _marks_of(thing)
    judgements = [mark for mark in reversed(marks) if mark.name == MARKER]
    if not judgements:
        return None
    if isinstance(collector, pytest.Class) and isinstance(thing, FunctionType):
        raise collector.CollectError(f"panproof: {name} is a method; a marked function stands outside of a class")
    if any(mark.name == "parametrize" for mark in marks):
        raise collector.CollectError(f"panproof: {name} cannot be parametrised; give it one marker for each case")
    known = collector.stash.setdefault(_COLLECTED, [])
    if any(thing is other for other in known):
        return []  # The same thing by another name.
    known.append(thing)
    return [
        Judged.from_parent(
            collector,
            name=name if len(judgements) == 1 else f"{name}[{number}]",
            thing=thing,
            mark=mark,
            others=[other for other in marks if other.name != MARKER],
        )
        for number, mark in enumerate(judgements, start=1)
    ]


class Judged(pytest.Collector):
    """A marked class or function, with its three parts.

    Attributes
    ----------
    thing
        The class or the function. It does not run in this process.
    mark
        The marker, with the arguments of ``panproof.gate``.
    """

    def __init__(self, *, thing: Any, mark: pytest.Mark, others: Iterable[pytest.Mark], **node: Any) -> None:
        super().__init__(**node)
        self.thing, self.mark = thing, mark
        self.own_markers += [mark, *others]
        self.keywords.update({each.name: each for each in self.own_markers})
        self._mechanism: Mechanism | None = None
        self._report: GateReport | None = None
        self._refused = ""

    def collect(self) -> list[PartOfPromise]:
        return [PartOfPromise.from_parent(self, name=part) for part in _PARTS]

    def require_judgeable(self) -> None:
        """Find the thing and prepare its process, once."""
        from pan_audits.subject.intake.discovery import find_thing
        from pan_promises.errors import InputError
        from pan_promises.extras import require_extra

        if self._refused:
            raise InputError(self._refused)
        if self._mechanism is not None:
            return
        given = self.mark.kwargs
        try:
            require_extra(PURPOSE, "suite")
            self._settings()
            self._mechanism = find_thing(
                self.thing,
                self.mark.args,
                parameters={key: value for key, value in given.items() if key not in (*_THING, *_EFFORT)},
                module=self._not_importable(),
                **{key: given[key] for key in _THING if key in given},
            )
        except InputError as problem:
            self._refused = str(problem)
            raise

    def report(self) -> GateReport:
        """The gate's report, made once."""
        from pan_audits.gate.gate import run_gate

        if self._report is None:
            self.require_judgeable()
            assert self._mechanism is not None
            self._report = run_gate(self._mechanism, self._settings())
        return self._report

    def again(self) -> str:
        """The command that judges it again, with the same runs."""
        report = self.report()
        file = os.path.relpath(self.path, self.config.invocation_params.dir)
        words = ["pytest", "::".join([file, *self.nodeid.split("::")[1:]])]
        effort = effort_of(self.config)
        if not report.refuted_exactly:
            effort["seed"] = report.seed
        if report.privacy is not None:
            effort["runs"] = report.privacy.search_runs
        for key, value in effort.items():
            words += [] if key in self.mark.kwargs else [f"--panproof-{key}", str(value)]
        return shlex.join(words)

    def line(self) -> int | None:
        """Its line in the file, from 0."""
        try:
            return inspect.getsourcelines(self.thing)[1] - 1
        except (OSError, TypeError):
            return None

    def _settings(self) -> Settings:
        """The settings: of the marker, then of the command line."""
        given = self.mark.kwargs
        return settings_of(self.config, **{key: given[key] for key in _EFFORT if key in given})

    def _not_importable(self) -> ModuleType | None:
        """The module of the test file, if another process cannot import it by its name."""
        holder = self.getparent(pytest.Module)
        return holder.obj if holder is not None and self.config.getoption("importmode") == "importlib" else None


class PartOfPromise(pytest.Item):
    """One part of the gate's judgement: conduct, accuracy or privacy."""

    parent: Judged

    def setup(self) -> None:
        """Refuse bad input: an error of the test, not a failure."""
        from pan_promises.errors import InputError

        try:
            self.parent.require_judgeable()
        except InputError as problem:
            raise refusal(problem) from None

    def runtest(self) -> None:
        """Fail with the report's sentence, if this part of the promise is not kept."""
        from pan_audits.reports.junit import PARTS
        from pan_promises.errors import InputError

        try:
            outcome = PARTS[self.name](self.parent.report())
        except InputError as problem:
            raise refusal(problem) from None
        if outcome.failure:
            pytest.fail(f"{outcome.failure}\nagain: {self.parent.again()}", pytrace=False)
        if outcome.untested:
            pytest.skip(outcome.untested)

    def reportinfo(self) -> tuple[os.PathLike[str], int | None, str]:
        return self.path, self.parent.line(), f"{self.parent.name} {self.name}"


def _marks_of(thing: object) -> list[pytest.Mark]:
    """The markers of the thing itself, without those of a base class."""
    if isinstance(thing, ModuleType):
        return []
    try:
        held = object.__getattribute__(thing, "__dict__")["pytestmark"]
    except (AttributeError, KeyError, TypeError):
        return []
    marks = (getattr(one, "mark", one) for one in (held if isinstance(held, list) else [held]))
    return [mark for mark in marks if isinstance(mark, pytest.Mark)]
