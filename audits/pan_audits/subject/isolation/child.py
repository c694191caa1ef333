"""The judged process: it imports the estimator's code and answers the judge's questions about it.

This module runs in one process with the judged code, which could change it. The judge therefore takes its answers
only as statements about the behaviour of the estimator in this process.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import socket
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import msgpack
import numpy as np

from pan_audits.subject.isolation.data import DataError, Registry, comparable, from_data, to_data
from pan_audits.subject.isolation.errors_seen import (
    ErrorsSeen,
    happens_with_numbers,
    is_raised_by_its_text,
    never_answers,
)
from pan_audits.subject.isolation.messages import (
    Answered,
    Batches,
    Call,
    Called,
    Channel,
    ClosedError,
    Digest,
    Failed,
    Follow,
    Make,
    Message,
    NeverAnswers,
    Part,
    Perform,
    Performance,
    Question,
    Ready,
    Runs,
    SideBySide,
    StatedValue,
    TellConduct,
    Turns,
    Unfollowable,
    written,
)
from pan_audits.subject.isolation.own_code import OwnCode
from pan_audits.subject.isolation.printed import Printed, in_both
from pan_audits.subject.isolation.sandbox import MOST_FILE_BYTES
from pan_audits.subject.running.presented import COMPARED, WHOLE_PART, presented
from pan_audits.workers.limits import describe_failure, limit_resources
from pan_estimators.randomness.arguments import NoSuchDrawError
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_estimators.randomness.secure_randomness import SecureRandomness
from pan_promises.errors import InputError

if TYPE_CHECKING:
    from pan_audits.subject.isolation.noise import JudgesDraws

_SET_PARENT_DEATH_SIGNAL = 1
_STACK = 64
"""Runs whose observations are sent in one message."""
_FIRST, _MANY = 4, 23
"""The followed calls of a method that are repeated often, and how often."""
_QUICK, _ASLEEP = 0.1, 4
"""Seconds of work up to which a call is repeated often. A call that waits works for one in ``_ASLEEP`` seconds."""


def main(descriptor: int, name: str, folder: str, search_path: Sequence[str], memory_bytes: int) -> None:
    """Answer questions until the judge closes the connection."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    channel = Channel(socket.socket(fileno=descriptor))
    limit_resources(memory_bytes, MOST_FILE_BYTES, forever=True)
    channel.send(Ready())
    served = _Served(channel, name, folder, search_path, memory_bytes)
    with contextlib.suppress(ClosedError):
        while True:
            served.answer(channel.receive())
    # The exit handlers of the judged code do not run.
    os._exit(0)


class _Served:
    def __init__(self, channel: Channel, name: str, folder: str, search_path: Sequence[str], memory_bytes: int) -> None:
        self.channel = channel
        self.memory_bytes = memory_bytes
        self.name = name
        self.folder = folder
        self.search_path = search_path
        self.registry = Registry()
        self.instances: dict[str, Any] = {}
        self.printed = Printed()
        self.surveys: dict[str, Any] = {}
        self.followed: Counter[tuple[str, str]] = Counter()
        self.home = os.getcwd()
        self.handlers: Mapping[type[Message], Callable[[Any], Any]] = {
            Make: self.make,
            Call: self.call,
            Runs: self.runs,
            Turns: self.turns,
            Batches: self.batches,
            SideBySide: self.side_by_side,
            Perform: self.perform,
            StatedValue: self.stated_value,
            Digest: self.digest,
            NeverAnswers: self.never_answers,
            Follow: self.follow,
            TellConduct: lambda question: self.surveys[question.key].told(),
        }

    def answer(self, question: Message) -> None:
        """Send the answer to one question, or the reason why there is none."""
        began = time.process_time()
        message = self._answered(question)
        try:
            if isinstance(message, Failed):
                self.channel.send(message)
            else:
                self.channel.send(Answered(message, self.printed.count(), time.process_time() - began))
        except DataError as problem:
            self.channel.send(Failed(False, str(problem)))

    def _answered(self, question: Message) -> Any:
        try:
            answer = self.handlers[type(question)](question)
            return written(answer) if isinstance(answer, Message) else answer
        except ClosedError:
            os._exit(0)
        except InputError as problem:
            return Failed(True, str(problem))
        except (DataError, NoSuchDrawError) as problem:
            return Failed(False, str(problem))
        except BaseException as problem:
            return Failed(False, describe_failure(problem, self.memory_bytes))

    def make(self, question: Make) -> Any:
        """Import and configure the estimator, and describe it."""
        from pan_audits.subject.isolation.description import described
        from pan_audits.subject.isolation.importing import accepts, imported

        given = from_data(question.parameters)
        made = None
        if question.surveyed:
            # It takes a tenth of a second, and only some processes need it.
            from pan_audits.subject.isolation.surveying import new_coverage

            made = new_coverage()
        estimator, taken, kind = imported(
            self.name,
            self.folder,
            given["given"],
            given["sizes"],
            search_path=self.search_path,
            inputs=question.inputs,
            thing=question.thing,
            making=made.collect() if made is not None else None,
        )
        self.instances[question.key] = estimator
        own = OwnCode.of(estimator)
        if question.surveyed:
            from pan_audits.subject.isolation.surveying import Survey

            # Any later call may leave something behind.
            self.surveys[question.key] = Survey(estimator, own, self.home, made)
        stated = hasattr(estimator, "universe") or given["given"].get("universe") is not None
        nobody_says = not stated and not accepts(kind, "universe")
        return described(estimator, taken, kind, self.folder, own, open_universe=nobody_says)

    def follow(self, question: Follow) -> Any:
        """The conduct in runs that are followed line by line."""
        from pan_audits.subject.isolation.surveying import surveyed

        return surveyed(self.surveys[question.key], self.instances[question.key], question)

    def call(self, question: Call) -> Any:
        """Call one method, with draws of the judge; if every outcome is followed, again, with an equal result."""
        from pan_audits.choices.enumerating import Decider, deciding
        from pan_audits.choices.errors import BypassError, UnfollowableError
        from pan_audits.subject.isolation.noise import JudgesDraws, RefusedGenerator

        draws = JudgesDraws(
            self.channel, self._node, self._value, followed=bool(question.watch), apart=int(question.apart)
        )
        try:
            self.printed.take()
            with deciding(Decider(draws.made(COMPARED), draws.made(WHOLE_PART))):
                first = presented(draws.made, RefusedGenerator())
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
        from pan_audits.choices.enumerating import Decider, deciding
        from pan_audits.choices.errors import BypassError
        from pan_audits.subject.isolation.noise import TOLD_APART, RefusedGenerator

        draws.place = 0
        with deciding(Decider(draws.repeated(COMPARED), draws.repeated(WHOLE_PART))):
            again = self._called(question, presented(draws.repeated, RefusedGenerator()))
        one, other = (comparable([None, each.result, each.state]) for each in (called, again))
        if not draws.all_repeated or one != other:
            raise BypassError(TOLD_APART)
        return Called(called.result, called.state, in_both(called.printed, again.printed))

    def _value(self, node: Any) -> Any:
        from pan_audits.subject.isolation.noise import read_noisy

        return from_data(node, self.registry, read_noisy)

    def _node(self, value: Any) -> Any:
        from pan_audits.subject.isolation.noise import write_noisy

        return to_data(value, self.registry, write_noisy)

    def _called(self, question: Call, randomness: Any) -> Called:
        """The result of one call, or its error as one."""
        from pan_audits.choices.enumerating import watched
        from pan_audits.choices.errors import REMEMBERED
        from pan_audits.choices.factored import SinglyFactoredRandomness
        from pan_audits.choices.guarded_builtins import guard_builtins
        from pan_audits.choices.rewritten import require_no_identities, rewritten

        instance = self.instances[question.key]
        if question.watch:
            guard_builtins(getattr(instance, "mechanism", instance))
        seen = ErrorsSeen(instance)
        method = getattr(seen, question.method)
        state = self._value(question.state)
        first = [] if question.method == "create" else [state]
        arguments, options = self._value(question.arguments), self._value(question.options)
        REMEMBERED.clear()
        _show_warnings_again()
        survey = self.surveys[question.key]
        # Choices in a loop stay open: for them a condition has both values.
        both = question.open and question.apart == SinglyFactoredRandomness.least
        functions = list(survey.own.functions.values())
        if both:
            require_no_identities(functions)
        opened = rewritten(functions) if both else contextlib.nullcontext()
        with contextlib.ExitStack() as around:
            if question.watch:
                # The names that the guard replaces are no data of the code: the memory is looked at before.
                around.enter_context(survey.on())
            around.enter_context(opened)
            if question.watch:
                around.enter_context(watched(clocks=True))
            result = method(*first, *arguments, randomness, **options)
        # An error counts even if the code has caught it.
        if REMEMBERED:
            raise REMEMBERED[0]
        for problem in seen.problems.values() if question.watch else ():
            self._require_real(problem, question)
        left = self._node(state) if question.method == "release" else None
        return Called(self._node(result), left, self.printed.take())

    def _require_real(self, problem: BaseException, question: Call) -> None:
        """Refuse an error that may be about noise that is not drawn."""
        from pan_audits.choices.errors import REMEMBERED, UnfollowableError
        from pan_audits.subject.isolation.noise import read_noisy

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
            method(*first, *self._value(question.arguments), randomness, **self._value(question.options))

        state()
        try:
            if is_raised_by_its_text(problem) or (not noisy and happens_with_numbers(problem, call, [0])):
                return
        finally:
            REMEMBERED.clear()
        raise UnfollowableError(f"{describe_failure(problem)}, perhaps for noise that the check does not draw")

    def runs(self, question: Runs) -> None:
        """Many runs on a stream, or on two streams in turn, in a random order."""
        seed, paired = question.seed, len(question.courses) > 1
        source = SecureRandomness() if seed is None else _source(seed)
        estimator = ErrorsSeen(self.instances[question.key])
        coins: Any = [False] * question.runs
        if seed is not None and paired:
            coins = np.random.default_rng([*seed, 1]).random(question.runs) < 0.5
        with self._parts() as take:
            for coin in coins:
                row: list[Any] = [None] * len(question.courses)
                for place in sorted(range(len(row)), reverse=bool(coin)):
                    if question.printed:
                        self.printed.take()
                        _show_warnings_again()
                    observed = estimator.run(
                        question.courses[place], source, states_seen=question.states, users_told=question.users
                    )
                    parts = (observed.states, observed.outputs, observed.users)
                    seen = [[to_data(each, self.registry) for each in part] for part in parts]
                    row[place] = [*seen, self.printed.take() if question.printed else b""]
                take(row)

    @contextlib.contextmanager
    def _parts(self) -> Iterator[Callable[[Any], None]]:
        """Send what is taken in parts of a long answer."""
        stack: list[Any] = []

        def send() -> None:
            self.channel.send(Part(stack))
            self.channel.receive()
            stack.clear()

        def take(observations: Any) -> None:
            stack.append(observations)
            if len(stack) == _STACK:
                send()

        yield take
        send()

    def turns(self, question: Turns) -> Any:
        """The outputs of one run on each of some streams: together, apart, or with states that go on as data."""
        from pan_audits.subject.running.course import run_in_turns

        sources = [_source([*question.seed, place]) for place in range(len(question.courses))]
        as_data = {"carried": lambda state: self._value(self._node(state))} if question.as_data else {}
        instance = ErrorsSeen(self.instances[question.key])
        found = run_in_turns(instance, question.courses, sources, apart=question.apart, **as_data)
        return [[to_data(each, self.registry) for each in outputs] for outputs in found]

    def batches(self, question: Batches) -> Any:
        """The outputs of batches of runs, each by one call."""
        from pan_audits.subject.isolation.side_by_side import batch

        source = _source(question.seed)
        instance, label = self.instances[question.key], question.label
        made = instance.release_batch if instance.takes_size else partial(batch, instance)
        return [to_data(made(label, size, source)) for size in question.sizes]

    def side_by_side(self, question: SideBySide) -> bool:
        """Whether a function makes many runs by one call on an input."""
        from pan_audits.subject.isolation.side_by_side import makes_batches

        return makes_batches(self.instances[question.key], question.label, NumpyRandomness(0))

    def perform(self, question: Perform) -> Any:
        """Perform the script of the checks of conduct."""
        from pan_audits.subject.isolation.script import perform, perform_often

        script, instance = question.script, self.instances[question.key]

        def once(earlier: int) -> Performance:
            resume = None if script.resume_from is None else msgpack.unpackb(script.resume_from)
            return perform(
                ErrorsSeen(instance),
                script,
                earlier,
                resume=None if resume is None else (from_data(resume[0], self.registry), from_data(resume[1])),
                capture=lambda value: to_data(value, self.registry),
                attributes_of=instance,
            )

        shown = perform_often(once, script.times)
        return replace(shown, generator=to_data(shown.generator))

    def stated_value(self, question: StatedValue) -> float:
        """The value that the estimator states for its error, given the numbers on which it depends."""
        statement = self.instances[question.key].statements[question.number]
        return float(statement.value(*question.given))

    def never_answers(self, question: NeverAnswers) -> str:
        """The error of a step that always fails; empty if each step has a result in some run."""
        problem = never_answers(self.instances[question.key], question.courses, [0])
        if problem is not None:
            # It is told as any failure.
            raise problem
        return ""

    def digest(self, question: Question) -> str:
        """A digest of the estimator's own attributes."""
        from pan_audits.events.observing.values import fingerprint

        estimator = self.instances[question.key]
        return fingerprint((estimator, getattr(estimator, "remembered", ())))


def _source(seed: Sequence[int]) -> NumpyRandomness:
    return NumpyRandomness(np.random.SeedSequence(seed))


def _show_warnings_again() -> None:
    """Let Python show each warning again: it does so once in a process, and a deployed process may make one run."""
    with warnings.catch_warnings():
        pass
