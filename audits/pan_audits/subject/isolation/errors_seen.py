"""In the judged process: an estimator whose errors are observations.

An update that raises leaves nothing to go on with: the state is the error from then on, and each later output too.
An error by a limit of the judge, by its own machinery, or by what this machine lacks, is none of the code, and is
raised as before.
"""

from __future__ import annotations

import dis
from collections.abc import Callable, Iterable, Iterator
from itertools import cycle, islice
from typing import Any

import numpy as np

from pan_audits.choices.errors import TooLargeError, UnfollowableError
from pan_audits.events.observing.numbers import Raised
from pan_audits.problems.inputs.streams.family import SegmentEnd
from pan_audits.subject.isolation.data import DataError
from pan_audits.subject.isolation.messages import ClosedError
from pan_audits.subject.isolation.own_code import is_own_file
from pan_audits.subject.isolation.whole_input import WholeInputEstimator
from pan_audits.subject.running.course import Course, Observation, run_course
from pan_audits.workers.limits import describe_failure
from pan_estimators.randomness.arguments import NoSuchDrawError
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_promises.errors import InputError


class MixedRunsError(Exception):
    """Code does something with a number of many runs that it may not do with each of them alone."""


_NO_OBSERVATIONS = (
    *(MemoryError, RecursionError, ImportError),
    *(UnfollowableError, TooLargeError, MixedRunsError, NoSuchDrawError),
    *(ClosedError, DataError, InputError),
)
"""Limits of the judge, words of its machinery, answers to bad input, and modules that are not installed here."""

_LONGEST_CHAIN = 32

_TRIED = 64
"""Runs in which an error does not happen before it counts as one that cannot be confirmed."""

_FAILED = 32
"""Runs in which a step fails before it counts as one that always fails."""


_KINDS_SHOWN = 3


class NeverAnswersError(Exception):
    """A step of the code fails in all of many runs."""


def _is_of_this_machine(problem: BaseException | None) -> bool:
    """Whether an error, or one that it follows, is no answer of the code: the sandbox or the machine makes it.

    The system numbers its errors: a right, room, a file or a network that is not there.
    """
    for _ in range(_LONGEST_CHAIN):
        if isinstance(problem, _NO_OBSERVATIONS) or (isinstance(problem, OSError) and problem.errno is not None):
            return True
        problem = None if problem is None else problem.__cause__ or problem.__context__
    return False


class ErrorsSeen:
    """An estimator that gives an error as a state or as an output, in place of raising it.

    Attributes
    ----------
    answered
        The names of the methods that have given a result.
    problems
        The last error of each method.
    """

    def __init__(self, inner: Any, *, singly: bool = False) -> None:
        self.inner, self.singly = inner, singly
        self.answered: set[str] = set()
        self.problems: dict[str, BaseException] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def create(self, randomness: Any) -> Any:
        """The first state."""
        return self._seen("create", self.inner.create, randomness)

    def update(self, state: Any, ids: Any, randomness: Any, **options: Any) -> Any:
        """The state after some ids. An error on several ids at once may be one about their form, and is raised."""
        if isinstance(state, Raised):
            return state
        if np.ndim(ids) and len(ids) > 1:
            if not self.singly:
                return self.inner.update(state, ids, randomness, **options)
            for place in range(len(ids)):
                part = slice(place, place + 1)
                given = {name: value[part] for name, value in options.items()}
                state = self.update(state, ids[part], randomness, **given)
            return state
        return self._seen("update", self.inner.update, state, ids, randomness, **options)

    def announce(self, state: Any, randomness: Any) -> Any:
        """The state after an announced intrusion."""
        return state if isinstance(state, Raised) else self._seen("announce", self.inner.announce, state, randomness)

    def release(self, state: Any, randomness: Any) -> Any:
        """The output."""
        return state if isinstance(state, Raised) else self._seen("release", self.inner.release, state, randomness)

    def _seen(self, name: str, method: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        try:
            found = method(*arguments, **options)
        except (Exception, SystemExit) as problem:
            if _is_of_this_machine(problem):
                raise
            self.problems[name] = problem
            return Raised.of(problem)
        self.answered.add(name)
        return found

    def releases(self, label: str, runs: int, source: Any) -> Iterator[Any]:
        """The outputs of many runs of a mechanism on one whole input."""
        run = self.inner.releases(label, source)
        for _ in range(runs):
            try:
                yield run()
            except (Exception, SystemExit) as problem:
                if _is_of_this_machine(problem):
                    raise
                yield Raised.of(problem)

    def run(self, course: Course, source: Any, **options: Any) -> Observation:
        """One run, seeded or secure. If several ids at once fail, it is made again with one after the other."""
        if isinstance(self.inner, WholeInputEstimator):
            return run_course(self, course, source, **options)
        seeded = source.generator.bit_generator if isinstance(source, NumpyRandomness) else None
        before = {} if seeded is None else seeded.state
        try:
            return run_course(self, course, source, **options)
        except (Exception, SystemExit) as problem:
            if _is_of_this_machine(problem):
                raise
            if seeded is not None:
                seeded.state = before
            apart = ErrorsSeen(self.inner, singly=True)
            again = run_course(apart, course, source, **options)
            if "update" in apart.problems:
                return again
            # The error is about the form in which the judge feeds the ids.
            raise


def require_answers(estimator: Any, courses: Iterable[Course], seed: Any, memory_bytes: int) -> None:
    """Raise :class:`NeverAnswersError` if a step fails in all of many runs."""
    tried = ErrorsSeen(estimator, singly=True)
    source = NumpyRandomness(np.random.SeedSequence(seed))
    listed = list(courses)
    whole = isinstance(estimator, WholeInputEstimator)
    if not whole:
        listed = [*([(ids[:0], None, SegmentEnd.RELEASE)] for ids, *_ in listed[0][:1]), *listed]
    told: dict[str, dict[str, None]] = {}
    for course in islice(cycle(listed), _FAILED):
        run_course(tried, course, source, states_seen=False)
        if {"update", "release"} <= tried.answered:
            return
        for name, problem in tried.problems.items():
            told.setdefault(name, {})[describe_failure(problem, memory_bytes)] = None
    words = next((list(each) for name, each in told.items() if name not in tried.answered), None)
    if words is not None:
        inputs = len({str(course[-1][0]) for course in listed})
        often = f"{_FAILED // inputs} runs on each of {inputs} inputs" if whole else f"{_FAILED} runs"
        raise NeverAnswersError(f"{', or '.join(words[:_KINDS_SHOWN])}; so it did in all of {often}")


def is_raised_by_its_text(problem: BaseException) -> bool:
    """Whether an error comes from a statement ``raise`` or ``assert`` of the judged code, and follows no other error.

    Such a statement does the same with noise that is not drawn as with numbers. Another error may be about that noise.
    """
    trace = problem.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None or problem.__context__ is not None or not is_own_file(trace.tb_frame.f_code.co_filename):
        return False
    steps = dis.get_instructions(trace.tb_frame.f_code)
    return any(step.offset == trace.tb_lasti and step.opname == "RAISE_VARARGS" for step in steps)


def happens_with_numbers(problem: BaseException, call: Callable[[Any], Any], seed: Any) -> bool:
    """Whether a call that makes its draws raises the same error in one of some runs."""
    source = NumpyRandomness(np.random.SeedSequence(seed))
    for _ in range(_TRIED):
        try:
            call(source)
        except (Exception, SystemExit) as other:
            if Raised.of(other) == Raised.of(problem):
                return True
    return False
