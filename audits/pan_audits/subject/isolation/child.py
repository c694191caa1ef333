"""The judged process: it imports the estimator's code and answers the judge's questions about it.

This module runs in one process with the judged code, which could change it. The judge therefore takes its answers
only as statements about the behaviour of the estimator in this process.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import socket
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NoReturn

import msgpack
import numpy as np

from pan_audits.events.observing.values import fingerprint
from pan_audits.problems.inputs.streams.family import SegmentEnd
from pan_audits.subject.isolation import importing
from pan_audits.subject.isolation.command import SECONDS
from pan_audits.subject.isolation.data import DataError, Registry, from_data, to_data
from pan_audits.subject.isolation.description import described
from pan_audits.subject.isolation.errors_seen import ErrorsSeen, NeverAnswersError, require_answers
from pan_audits.subject.isolation.forms import accepts
from pan_audits.subject.isolation.messages import (
    AS_IT_IS,
    NUMPY_LETTERS,
    Batches,
    Begin,
    Call,
    Channel,
    ClosedError,
    Digest,
    Explore,
    Failed,
    Follow,
    Make,
    Message,
    NeverAnswers,
    Outputs,
    Part,
    Perform,
    Performance,
    Question,
    Ready,
    Reply,
    Runs,
    SideBySide,
    StatedValue,
    TellConduct,
    Turns,
    Weighed,
    written,
)
from pan_audits.subject.isolation.own_code import OwnCode
from pan_audits.subject.isolation.printed import Printed, show_warnings_again
from pan_audits.subject.isolation.sandbox import MOST_FILE_BYTES, Level, enter, leave, private_variables
from pan_audits.subject.isolation.side_by_side import batch, makes_batches
from pan_audits.subject.isolation.sources import own_all
from pan_audits.subject.isolation.whole_input import WholeInputEstimator
from pan_audits.subject.running.course import run_in_turns
from pan_audits.workers.fork_server import die_with_parent
from pan_audits.workers.limits import describe_failure, limit_resources
from pan_audits.workers.plain import SCALARS
from pan_estimators.randomness.arguments import NoSuchDrawError
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_estimators.randomness.secure_randomness import SecureRandomness
from pan_promises.errors import InputError

if TYPE_CHECKING:
    from pan_audits.subject.isolation.calls import Calls

_STACK, _MOST_NUMBERS = 64, 4096
"""Runs whose observations are sent in one message: of any kind, and if each is a number."""


AHEAD = (
    "pan_audits.choices.uniform",
    "pan_audits.subject.isolation.calls",
    "pan_audits.subject.isolation.script",
    "pan_audits.subject.isolation.surveying",
)
"""Further modules that a fork server imports: most processes need some of them."""


def main(descriptor: int) -> None:
    """A new process, which its sandbox holds already."""
    gc.enable()
    die_with_parent()
    channel = Channel(socket.socket(fileno=descriptor))
    with contextlib.suppress(ClosedError):
        _answer_all(channel, _begin(channel))


def forked(end: socket.socket, split: Callable[..., None]) -> None:
    """A fork of a server, which makes its own namespaces."""
    channel = Channel(end)
    begin = _begin(channel)
    if begin.level != Level.LIMITS:
        leave()
        split(last=False)
        enter(Level(begin.level))
    split(last=True)
    os.environ.update(private_variables(begin.private))
    tempfile.tempdir = None
    os.chdir(begin.private)
    with contextlib.suppress(ClosedError):
        _answer_all(channel, begin)


def _begin(channel: Channel) -> Begin:
    begin = channel.receive()
    assert isinstance(begin, Begin)
    importing.judged_here = True
    return begin


def _answer_all(channel: Channel, begin: Begin) -> NoReturn:
    """Answer questions until the judge closes the connection."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    limit_resources(begin.memory_bytes, MOST_FILE_BYTES, forever=True)
    # A program of another language is asked by this process, which can tell how far it came before the judge ends both.
    os.environ[SECONDS] = repr(begin.seconds)
    channel.send(Ready())
    own_all()
    served = Served(channel, begin)
    with contextlib.suppress(ClosedError):
        while True:
            served.answer(channel.receive())
    # The exit handlers of the judged code do not run.
    os._exit(0)


class Served:
    """What the process has made, and its answers."""

    def __init__(self, channel: Channel, begin: Begin) -> None:
        self.channel, self.begin = channel, begin
        self.registry = Registry()
        self.instances: dict[str, Any] = {}
        self.printed = Printed()
        self.surveys: dict[str, Any] = {}
        self.home = os.getcwd()
        self.handlers: Mapping[type[Message], Callable[[Any], Any]] = {
            Make: self.make,
            Call: lambda question: self.calls.call(question),
            Runs: self.runs,
            Turns: self.turns,
            Batches: self.batches,
            SideBySide: self.side_by_side,
            Perform: self.perform,
            StatedValue: self.stated_value,
            Digest: self.digest,
            NeverAnswers: self.never_answers,
            Explore: self.explore,
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
                self.channel.send(Reply(message, self.printed.count(), time.process_time() - began))
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
        except (DataError, NoSuchDrawError, NeverAnswersError) as problem:
            return Failed(False, str(problem))
        except BaseException as problem:
            return Failed(False, describe_failure(problem, self.begin.memory_bytes))

    def make(self, question: Make) -> Any:
        """Import and configure the estimator, and describe it."""
        given = from_data(question.parameters)
        made = None
        if question.surveyed:
            # It takes a tenth of a second, and only some processes need it.
            from pan_audits.subject.isolation.surveying import new_coverage

            made = new_coverage()
        estimator, taken, kind = importing.imported(
            self.begin.name,
            self.begin.folder,
            given["given"],
            given["sizes"],
            search_path=self.begin.search_path,
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
        return described(estimator, taken, kind, self.begin.folder, own, open_universe=nobody_says)

    def follow(self, question: Follow) -> Any:
        """The conduct in runs that are followed line by line."""
        from pan_audits.subject.isolation.surveying import surveyed

        return surveyed(self.surveys[question.key], self.instances[question.key], question)

    @cached_property
    def calls(self) -> Calls:
        """Single calls, which only some processes make."""
        from pan_audits.subject.isolation.calls import Calls

        return Calls(self)

    def runs(self, question: Runs) -> Outputs | None:
        """Many runs on a stream, or on two streams in turn, in a random order."""
        seed, paired = question.seed, len(question.courses) > 1
        source = SecureRandomness() if seed is None else _source(seed)
        estimator = ErrorsSeen(self.instances[question.key])
        label = _one_input(estimator.inner, question)
        if label is not None:
            return self._outputs(estimator.releases(label, question.runs, source))
        coins: Any = [False] * question.runs
        if seed is not None and paired:
            coins = np.random.default_rng([*seed, 1]).random(question.runs) < 0.5
        with self._parts() as take:
            for coin in coins:
                row: list[Any] = [None] * len(question.courses)
                for place in sorted(range(len(row)), reverse=bool(coin)):
                    if question.printed:
                        self.printed.take()
                        show_warnings_again()
                    observed = estimator.run(
                        question.courses[place], source, states_seen=question.states, users_told=question.users
                    )
                    parts = (observed.states, observed.outputs, observed.users)
                    seen = [[to_data(each, self.registry) for each in part] for part in parts]
                    row[place] = [*seen, self.printed.take() if question.printed else b""]
                take(row)
        return None

    def _outputs(self, outputs: Iterator[Any]) -> Outputs:
        """Send the outputs of runs, of which one is an observation, but for the last of them, which are the answer."""
        nodes: list[Any] = []
        letters: list[str] = []
        large = 0
        for output in outputs:
            kind = type(output)
            if kind is float:
                nodes.append(output)
                letters.append(AS_IT_IS)
            elif (letter := NUMPY_LETTERS.get(kind)) is not None:
                nodes.append(output.item())
                letters.append(letter)
            else:
                # The code may change it in the next run.
                nodes.append(SCALARS[int](output) if kind is int else to_data(output, self.registry))
                letters.append(AS_IT_IS)
                large += kind not in (int, bool)
            if len(nodes) == _MOST_NUMBERS or large == _STACK:
                self.channel.send(Outputs(nodes, "".join(letters)))
                self.channel.receive()
                nodes, letters, large = [], [], 0
        return Outputs(nodes, "".join(letters))

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
        sources = [_source([*question.seed, place]) for place in range(len(question.courses))]
        as_data = {"carried": lambda state: self.calls.value(self.calls.node(state))} if question.as_data else {}
        instance = ErrorsSeen(self.instances[question.key])
        found = run_in_turns(instance, question.courses, sources, apart=question.apart, **as_data)
        return [[to_data(each, self.registry) for each in outputs] for outputs in found]

    def batches(self, question: Batches) -> Any:
        """The outputs of batches of runs, each by one call."""
        source = _source(question.seed)
        instance, label = self.instances[question.key], question.label
        made = instance.release_batch if instance.takes_size else partial(batch, instance)
        return [to_data(made(label, size, source)) for size in question.sizes]

    def side_by_side(self, question: SideBySide) -> bool:
        """Whether a function makes many runs by one call on an input."""
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

    def never_answers(self, question: NeverAnswers) -> bool:
        """False; an error if a step fails in all of many runs."""
        require_answers(self.instances[question.key], question.courses, [0], self.begin.memory_bytes)
        return False

    def explore(self, question: Explore) -> Any:
        """Pairs of a space of data."""
        from pan_audits.subject.isolation.space import explored

        def ask(pair: Any) -> Weighed:
            self.channel.send(Part(pair))
            answer = self.channel.receive()
            if not isinstance(answer, Weighed):
                raise ClosedError
            return answer

        return explored(question, self.begin.folder, self.begin.search_path, ask)

    def digest(self, question: Question) -> str:
        """A digest of the estimator's own attributes."""
        estimator = self.instances[question.key]
        return fingerprint((estimator, getattr(estimator, "remembered", ())))


def _source(seed: Sequence[int]) -> NumpyRandomness:
    return NumpyRandomness(np.random.SeedSequence(seed))


def _one_input(estimator: Any, question: Runs) -> str | None:
    """The input of runs that show one output and nothing else; ``None`` for other runs."""
    if not isinstance(estimator, WholeInputEstimator) or question.printed or question.users:
        return None
    steps = [step for course in question.courses for *_, step in course]
    ids, deletions, _ = question.courses[0][0]
    if steps != [SegmentEnd.RELEASE] or deletions is not None or not len(ids):
        return None
    return estimator.update("", ids, None)
