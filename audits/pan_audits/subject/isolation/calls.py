"""In the judged process: single calls with draws that the judge makes, and again with the same ones."""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from types import CodeType, SimpleNamespace
from typing import Any

from pan_audits.choices.enumerating import Decider, deciding, watched
from pan_audits.choices.errors import REMEMBERED, BypassError, UnfollowableError, bypass, unfollowable
from pan_audits.choices.factored import SinglyFactoredRandomness
from pan_audits.choices.followed import FollowedUniforms
from pan_audits.choices.guarded_builtins import guard_builtins
from pan_audits.choices.rewritten import require_no_identities, rewritten
from pan_audits.choices.uniform import uniform_numbers
from pan_audits.subject.isolation.data import comparable, from_data, to_data
from pan_audits.subject.isolation.errors_seen import ErrorsSeen, happens_with_numbers, is_raised_by_its_text
from pan_audits.subject.isolation.messages import Call, Called, Channel, Draw, DrawResult, Unfollowable, written
from pan_audits.subject.isolation.noise import read_noisy, write_noisy
from pan_audits.subject.isolation.printed import in_both, show_warnings_again
from pan_audits.subject.isolation.sources import compiled_states
from pan_audits.subject.isolation.whole_input import WholeInputEstimator
from pan_audits.subject.running.presented import MIXED, QUESTIONS, presented
from pan_audits.workers.limits import describe_failure
from pan_estimators.randomness.arguments import NoSuchDrawError

_FIRST, _MANY = 4, 23
"""The followed calls of a method that are repeated often, and how often."""
_QUICK, _ASLEEP = 0.1, 4
"""Seconds of work up to which a call is repeated often. A call that waits works for one in ``_ASLEEP`` seconds."""

TOLD_APART = (
    "the estimator behaves differently when its random choices are repeated: the same draws have another outcome"
)


_UNIFORM = "uniform_numbers"


def _require_no_compiled_draws(before: dict[str, Any], compiled: Iterable[CodeType]) -> None:
    """Refuse draws from the generators of compiled code, which repeat under a seed but are not followed."""
    for library, state in compiled_states().items():
        # A library that has just been loaded draws nothing for itself.
        if library in before and before[library] != state:
            found = sorted((Path(code.co_filename).name, code.co_firstlineno, code.co_name) for code in compiled)
            places = ", ".join(f"{name} ({file}:{line})" for file, line, name in found)
            raise bypass(
                f"code that {library} has compiled draws random numbers, and the exact check cannot follow them"
                + f": {places}" * bool(places)
            )


class RefusedGenerator:
    """It replaces the generator of a seeded randomness if the check follows every outcome."""

    def __getattr__(self, name: str) -> Any:
        raise bypass("the estimator draws from the generator of a seeded randomness, not from the randomness itself")


class JudgesDraws:
    """Draws that the judge makes, and the same ones again."""

    def __init__(
        self,
        channel: Channel,
        node: Callable[[Any], Any],
        value: Callable[[Any], Any],
        *,
        followed: bool,
        apart: int = 0,
    ) -> None:
        self.channel = channel
        self.node = node
        self.value = value
        self.followed = followed
        self.apart = apart
        self.kept: list[tuple[bytes, DrawResult]] = []
        self.place = 0

    def made(self, method: str) -> Callable[..., Any]:
        """A method that asks the judge for its draws."""
        return self._method(method, self._asked)

    def repeated(self, method: str) -> Callable[..., Any]:
        """A method that repeats the draws of the first call."""
        return self._method(method, self._again)

    @property
    def all_repeated(self) -> bool:
        """Whether the second call made all draws of the first call."""
        return self.place == len(self.kept)

    def _method(self, method: str, answer: Callable[[Draw], DrawResult]) -> Callable[..., Any]:
        def drawn(*arguments: Any, **options: Any) -> Any:
            found = answer(Draw(method, self.node(list(arguments)), self.node(options)))
            if found.error:
                raise unfollowable(found.error)
            return self.value(found.value)

        if not self.followed or method != _UNIFORM:
            return drawn
        # Uniform numbers that are not drawn are compared here; the judge makes arrays of them.
        bernoulli = self._method("bernoulli", answer)
        made = {name: self._method(name, answer) for name in (MIXED, "normal_noise")}
        here = partial(uniform_numbers, draws=SimpleNamespace(bernoulli=bernoulli, **made))

        def uniform(low: Any, high: Any, size: int) -> Any:
            if size < self.apart:
                return here(low, high, size)
            found = drawn(low, high, size)
            return found.noting(bernoulli) if type(found) is FollowedUniforms else found

        return uniform if self.apart else here

    def _asked(self, asked: Draw) -> DrawResult:
        self.channel.send(asked)
        answer = self.channel.receive()
        assert isinstance(answer, DrawResult)
        self.kept.append((comparable(written(asked)), answer))
        return answer

    def _again(self, asked: Draw) -> DrawResult:
        if self.place >= len(self.kept) or self.kept[self.place][0] != comparable(written(asked)):
            raise bypass(TOLD_APART)
        self.place += 1
        return self.kept[self.place - 1][1]


class Calls:
    """The single calls of one judged process, which has made the instances."""

    def __init__(self, served: Any) -> None:
        self.channel, self.printed, self.registry = served.channel, served.printed, served.registry
        self.instances, self.surveys, self.memory_bytes = served.instances, served.surveys, served.begin.memory_bytes
        self.digest = served.digest
        self.followed: Counter[tuple[str, str]] = Counter()

    def call(self, question: Call) -> Any:
        """Call one method, with draws of the judge; if every outcome is followed, again, with an equal result."""
        draws = JudgesDraws(self.channel, self.node, self.value, followed=question.watch, apart=question.apart)
        try:
            self.printed.take()
            with deciding(Decider(*map(draws.made, QUESTIONS))):
                first = presented(draws.made, RefusedGenerator(), followed=question.watch)
                called = self._called(question, first)
            if question.watch:
                began, working = time.monotonic(), time.process_time()
                called = self._repeated(question, draws, called)
                if max(time.process_time() - working, (time.monotonic() - began) / _ASLEEP) <= _QUICK:
                    for _ in range(self._more_repetitions(question)):
                        called = self._repeated(question, draws, called)
                called = Called(called.result, called.state, called.printed, self.digest(question))
        except UnfollowableError as problem:
            return Unfollowable(str(problem), isinstance(problem, BypassError))
        except NoSuchDrawError as problem:
            if not question.watch:
                raise
            return Unfollowable(str(problem), False)
        return called

    def _more_repetitions(self, question: Call) -> int:
        """Further calls with the same draws: many of the first ones, since compiled code may draw unseen."""
        place = question.key, question.method
        self.followed[place] += 1
        return _MANY if self.followed[place] <= _FIRST else 0

    def _repeated(self, question: Call, draws: JudgesDraws, called: Called) -> Called:
        """Make the call again, with the draws of the first one; :class:`BypassError` if its outcome is another.

        Its printed bytes are those that all calls have in common.
        """
        draws.place = 0
        with deciding(Decider(*map(draws.repeated, QUESTIONS))):
            again = self._called(question, presented(draws.repeated, RefusedGenerator(), followed=True))
        one, other = (comparable([None, each.result, each.state]) for each in (called, again))
        if not draws.all_repeated or one != other:
            raise BypassError(TOLD_APART)
        return Called(called.result, called.state, in_both(called.printed, again.printed))

    def value(self, node: Any) -> Any:

        return from_data(node, self.registry, read_noisy)

    def node(self, value: Any) -> Any:

        return to_data(value, self.registry, write_noisy)

    def _called(self, question: Call, randomness: Any) -> Called:
        """The result of one call, or its error as one."""
        instance = self.instances[question.key]
        if question.watch:
            guard_builtins(instance.code if isinstance(instance, WholeInputEstimator) else instance)
        seen = ErrorsSeen(instance)
        method = getattr(seen, question.method)
        state = self.value(question.state)
        first = [] if question.method == "create" else [state]
        arguments, options = self.value(question.arguments), self.value(question.options)
        REMEMBERED.clear()
        show_warnings_again()
        survey = self.surveys[question.key]
        # Choices in a loop stay open: for them a condition has both values.
        both = question.open and question.apart == SinglyFactoredRandomness.least
        functions = list(survey.own.functions.values())
        if both:
            require_no_identities(functions)
        opened = rewritten(functions) if both else contextlib.nullcontext()
        # A generator of numba asks the system for its first state, which is refused during the call.
        before = compiled_states() if question.watch else {}
        with contextlib.ExitStack() as around:
            if question.watch:
                # The names that the guard replaces are no data of the code: the memory is looked at before.
                around.enter_context(survey.on())
            around.enter_context(opened)
            if question.watch:
                owned = isinstance(instance, WholeInputEstimator)
                around.enter_context(watched(clocks=True, sources=not owned))
            result = method(*first, *arguments, randomness, **options)
        if question.watch:
            _require_no_compiled_draws(before, survey.own.compiled)
        # An error counts even if the code has caught it.
        if REMEMBERED:
            raise REMEMBERED[0]
        for problem in seen.problems.values() if question.watch else ():
            self._require_real(problem, question)
        left = self.node(state) if question.method == "release" else None
        return Called(self.node(result), left, self.printed.take())

    def _require_real(self, problem: BaseException, question: Call) -> None:
        """Refuse an error that may be about noise that is not drawn."""
        noisy = False

        def revive(parts: list[Any]) -> Any:
            nonlocal noisy
            noisy = True
            return read_noisy(parts)

        def state() -> Any:
            return from_data(question.state, self.registry, revive)

        def call(randomness: Any) -> None:
            first = [] if question.method == "create" else [state()]
            method = getattr(self.instances[question.key], question.method)
            method(*first, *self.value(question.arguments), randomness, **self.value(question.options))

        state()
        try:
            if is_raised_by_its_text(problem) or (not noisy and happens_with_numbers(problem, call, [0])):
                return
        finally:
            REMEMBERED.clear()
        raise UnfollowableError(f"{describe_failure(problem)}, perhaps for noise that the check does not draw")
