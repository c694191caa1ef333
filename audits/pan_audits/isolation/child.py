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
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from pan_audits.isolation.channel import Channel, ClosedError
from pan_audits.isolation.constants import constants_of
from pan_audits.isolation.data import DataError, Registry, comparable, from_data, to_data
from pan_audits.isolation.draws import TOLD_APART, JudgesDraws, RefusedGenerator
from pan_audits.isolation.errors_seen import ErrorsSeen, happens_with_numbers, is_raised_by_its_text, never_answers
from pan_audits.isolation.followed_lines import new_coverage
from pan_audits.isolation.own_code import OwnCode
from pan_audits.isolation.printed import in_both
from pan_audits.isolation.process import limit_resources
from pan_audits.isolation.surveying import Survey, surveyed
from pan_audits.running.randomness_class import COMPARED, SECURE, SEEDED, WHOLE_PART, presented_as, seeded
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_estimators.randomness.refusal import NoSuchDrawError
from pan_promises.errors import InputError

_SET_PARENT_DEATH_SIGNAL = 1
_MOST_KEPT = 2**20
_STACK = 64
"""Runs whose observations are sent in one message."""
_FIRST, _MANY = 4, 24
"""The followed calls of a method that are repeated often, and how often."""


def main(descriptor: int, name: str, folder: str, search_path: Sequence[str], memory_bytes: int) -> None:
    """Answer questions until the judge closes the connection."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    channel = Channel(socket.socket(fileno=descriptor))
    limit_resources(memory_bytes)
    channel.send({"is": "ready"})
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
        self.printed = _Printed()
        self.surveys: dict[str, Survey] = {}
        self.followed: Counter[tuple[str, str]] = Counter()
        self.home = os.getcwd()
        self.asked: Mapping[str, Callable[[Mapping[str, Any]], Any]] = {
            "make": self.make,
            "call": self.call,
            "runs": self.runs,
            "turns": self.turns,
            "batches": self.batches,
            "side by side": self.side_by_side,
            "printed": self.printed_runs,
            "script": self.script,
            "statement": self.statement,
            "digest": self.digest,
            "never answers": self.never_answers,
            "secure outputs": self.secure_runs,
            "survey": self.survey,
            "conduct": lambda question: self.surveys[question["key"]].told(),
        }

    def answer(self, question: Mapping[str, Any]) -> None:
        """Send the answer to one question, or the reason why there is none."""
        began = time.process_time()
        message = self._answered(question)
        try:
            busy = time.process_time() - began
            self.channel.send({**message, "printed": self.printed.count(), "busy": busy})
        except DataError as problem:
            self.channel.send({"is": "failure", "kind": "variant", "value": str(problem)})

    def _answered(self, question: Mapping[str, Any]) -> dict[str, Any]:
        from pan_audits.workers.limits import describe_failure

        try:
            return {"is": "answer", "value": self.asked[question["ask"]](question)}
        except ClosedError:
            os._exit(0)
        except InputError as problem:
            return {"is": "failure", "kind": "input", "value": str(problem)}
        except (DataError, NoSuchDrawError) as problem:
            return {"is": "failure", "kind": "variant", "value": str(problem)}
        except MemoryError:
            told = f"it asked for more than {self.memory_bytes / 2**30:.3g} GiB of memory"
            return {"is": "failure", "kind": "variant", "value": told}
        except SystemExit:
            return {"is": "failure", "kind": "variant", "value": "it tried to end the process (SystemExit)"}
        except RecursionError:
            return {"is": "failure", "kind": "variant", "value": "it recursed too deeply (RecursionError)"}
        except BaseException as problem:
            return {"is": "failure", "kind": "variant", "value": describe_failure(problem)}

    def make(self, question: Mapping[str, Any]) -> Any:
        """Import and configure the estimator, and describe it."""
        from pan_audits.isolation.configuring import accepts
        from pan_audits.isolation.description import described
        from pan_audits.isolation.importing import imported

        given = from_data(question["parameters"])
        made = new_coverage()
        estimator, taken, kind = imported(
            self.name,
            self.folder,
            given["given"],
            given["sizes"],
            search_path=self.search_path,
            inputs=question["inputs"],
            thing=question["thing"],
            making=made.collect(),
        )
        self.instances[question["key"]] = estimator
        own = OwnCode.of(estimator)
        if question["surveyed"]:
            # Any later call may leave something behind.
            self.surveys[question["key"]] = Survey(estimator, own, self.home, made)
        stated = hasattr(estimator, "universe") or given["given"].get("universe") is not None
        return {
            **described(estimator, taken, kind, self.folder),
            "constants": constants_of(own),
            "open": not stated and not accepts(kind, "universe"),
        }

    def survey(self, question: Mapping[str, Any]) -> Any:
        """Runs on some streams that are followed line by line."""
        return surveyed(self.surveys[question["key"]], self.instances[question["key"]], question)

    def call(self, question: Mapping[str, Any]) -> Any:
        """Call one method, with a randomness whose draws the judge makes.

        If the check follows every outcome, it makes further calls, with the same draws from a randomness of the class
        that a deployment uses. All calls must have equal results.
        """
        from pan_audits.choices.enumerating import Decider, deciding
        from pan_audits.choices.errors import BypassError, UnfollowableError

        draws = JudgesDraws(
            self.channel, self._node, self._value, followed=bool(question["watch"]), apart=int(question["apart"])
        )
        try:
            self.printed.take()
            with deciding(Decider(draws.made(COMPARED), draws.made(WHOLE_PART))):
                first = presented_as(SEEDED, draws.made, RefusedGenerator())
                told = self._called(question, first, watch=question["watch"])
            told["printed"] = self.printed.take()
            if question["watch"]:
                for _ in range(self._repetitions(question)):
                    self._repeat(question, draws, told)
                told["self"] = self.digest(question)
        except UnfollowableError as problem:
            return {"unfollowable": [str(problem), isinstance(problem, BypassError)]}
        except NoSuchDrawError as problem:
            if not question["watch"]:
                raise
            return {"unfollowable": [str(problem), False]}
        return told

    def _repetitions(self, question: Mapping[str, Any]) -> int:
        """Further calls with the same draws: many of the first ones, since compiled code may draw unseen."""
        place = question["key"], question["method"]
        self.followed[place] += 1
        return _MANY if self.followed[place] <= _FIRST else 1

    def _repeat(self, question: Mapping[str, Any], draws: JudgesDraws, told: dict[str, Any]) -> None:
        """Make the call again, with the draws of the first one; :class:`BypassError` if its outcome is another."""
        from pan_audits.choices.enumerating import Decider, deciding
        from pan_audits.choices.errors import BypassError

        draws.place = 0
        with deciding(Decider(draws.repeated(COMPARED), draws.repeated(WHOLE_PART))):
            again = self._called(question, presented_as(SECURE, draws.repeated), watch=True)
        again["printed"] = told["printed"] = in_both(told["printed"], self.printed.take())
        if not draws.all_repeated or comparable(again) != comparable(told):
            raise BypassError(TOLD_APART)

    def _value(self, node: Any) -> Any:
        from pan_audits.isolation.noise import read_noisy

        return from_data(node, self.registry, read_noisy)

    def _node(self, value: Any) -> Any:
        from pan_audits.isolation.noise import write_noisy

        return to_data(value, self.registry, write_noisy)

    def _called(self, question: Mapping[str, Any], randomness: Any, *, watch: bool) -> dict[str, Any]:
        """The result of one call, or its error as one."""
        from pan_audits.choices.enumerating import watched
        from pan_audits.choices.errors import REMEMBERED
        from pan_audits.choices.factored import SinglyFactoredRandomness
        from pan_audits.choices.guarded_builtins import guard_builtins
        from pan_audits.choices.rewritten import require_no_identities, rewritten

        instance = self.instances[question["key"]]
        if watch:
            guard_builtins(getattr(instance, "mechanism", instance))
        seen = ErrorsSeen(instance)
        method = getattr(seen, question["method"])
        state = self._value(question["state"])
        first = [] if question["method"] == "create" else [state]
        arguments, options = self._value(question["arguments"]), self._value(question["options"])
        REMEMBERED.clear()
        _show_warnings_again()
        survey = self.surveys[question["key"]]
        # Choices in a loop stay open: for them a condition has both values.
        both = question["open"] and question["apart"] == SinglyFactoredRandomness.least
        functions = list(survey.own.functions.values())
        if both:
            require_no_identities(functions)
        opened = rewritten(functions) if both else contextlib.nullcontext()
        with contextlib.ExitStack() as around:
            if watch:
                # The names that the guard replaces are no data of the code: the memory is looked at before.
                around.enter_context(survey.on())
            around.enter_context(opened)
            if watch:
                around.enter_context(watched(clocks=True))
            result = method(*first, *arguments, randomness, **options)
        # An error counts even if the code has caught it.
        if REMEMBERED:
            raise REMEMBERED[0]
        for problem in seen.problems.values() if watch else ():
            self._require_real(problem, question)
        return {"result": self._node(result), "state": self._node(state) if question["method"] == "release" else None}

    def _require_real(self, problem: BaseException, question: Mapping[str, Any]) -> None:
        """Refuse an error that may be about noise that is not drawn."""
        from pan_audits.choices.errors import REMEMBERED, UnfollowableError
        from pan_audits.isolation.noise import read_noisy
        from pan_audits.workers.limits import describe_failure

        noisy = False

        def revive(parts: list[Any]) -> Any:
            nonlocal noisy
            noisy = True
            return read_noisy(parts)

        def state() -> Any:
            return from_data(question["state"], self.registry, revive)

        def call(randomness: Any) -> None:
            first = [] if question["method"] == "create" else [state()]
            method = getattr(self.instances[question["key"]], question["method"])
            method(*first, *self._value(question["arguments"]), randomness, **self._value(question["options"]))

        state()
        try:
            if is_raised_by_its_text(problem) or (not noisy and happens_with_numbers(problem, call, [0])):
                return
        finally:
            REMEMBERED.clear()
        raise UnfollowableError(f"{describe_failure(problem)}, perhaps for noise that the check does not draw")

    def runs(self, question: Mapping[str, Any]) -> Any:
        """Many runs on one stream, with a seeded randomness. A random bit chooses its class for each run."""
        seed = from_data(question["seed"])
        source = NumpyRandomness(np.random.SeedSequence(seed))
        coins = np.random.default_rng([*seed, 1]).random(question["runs"]) < 0.5
        guises = (seeded(SEEDED, source), seeded(SECURE, source))
        self._send_runs(question, [guises[int(coin)] for coin in coins], source)

    def turns(self, question: Mapping[str, Any]) -> Any:
        """The outputs of one run on each of some streams: together, apart, or with states that go on as data."""
        from pan_audits.running.course import run_in_turns

        courses = [_course(sent) for sent in question["courses"]]
        seed = from_data(question["seed"])
        sources = [
            seeded(SEEDED, NumpyRandomness(np.random.SeedSequence([*seed, place]))) for place in range(len(courses))
        ]
        as_data = {"carried": lambda state: self._value(self._node(state))} if question["as data"] else {}
        instance = ErrorsSeen(self.instances[question["key"]])
        found = run_in_turns(instance, courses, sources, apart=question["apart"], **as_data)
        return [[to_data(each, self.registry) for each in outputs] for outputs in found]

    def batches(self, question: Mapping[str, Any]) -> Any:
        """The outputs of batches of runs, each by one call, with a seeded randomness of either class."""
        seed = from_data(question["seed"])
        source = NumpyRandomness(np.random.SeedSequence(seed))
        coins = np.random.default_rng([*seed, 1]).random(len(question["sizes"])) < 0.5
        instance, label = self.instances[question["key"]], question["label"]
        classes = [SECURE if coin else SEEDED for coin in coins]
        if instance.takes_size:
            guises = {each: seeded(each, source) for each in (SEEDED, SECURE)}
            return [
                to_data(instance.release_batch(label, size, guises[one]))
                for size, one in zip(question["sizes"], classes, strict=True)
            ]
        from pan_audits.isolation.side_by_side import batch

        return [
            to_data(batch(instance, label, size, source, one))
            for size, one in zip(question["sizes"], classes, strict=True)
        ]

    def side_by_side(self, question: Mapping[str, Any]) -> bool:
        """Whether a function makes many runs by one call on an input."""
        from pan_audits.isolation.side_by_side import makes_batches

        return makes_batches(self.instances[question["key"]], question["label"], NumpyRandomness(0))

    def secure_runs(self, question: Mapping[str, Any]) -> Any:
        """Many runs on one stream with the randomness of a deployment itself."""
        from pan_estimators.randomness.secure_randomness import SecureRandomness

        self._send_runs(question, [SecureRandomness() for _ in range(question["runs"])])

    def _send_runs(self, question: Mapping[str, Any], sources: list[Any], behind: Any = None) -> None:
        estimator, course = ErrorsSeen(self.instances[question["key"]]), _course(question["course"])
        stack: list[Any] = []
        for source in sources:
            observed = estimator.run(
                course, source, behind, states_seen=question["states"], users_told=question["users"]
            )
            stack.append(
                [[to_data(each, self.registry) for each in seen] for seen in (observed.states, observed.outputs)]
                + [[to_data(each) for each in observed.users]]
            )
            if len(stack) == _STACK:
                self._send_part(stack)
                stack = []
        self._send_part(stack)

    def printed_runs(self, question: Mapping[str, Any]) -> Any:
        """Runs on two streams in turn, in a random order, with the bytes that each of them prints."""
        estimator, seed = ErrorsSeen(self.instances[question["key"]]), from_data(question["seed"])
        courses = [_course(sent) for sent in question["courses"]]
        source = NumpyRandomness(np.random.SeedSequence(seed))
        coins = np.random.default_rng([*seed, 1]).random(question["runs"]) < 0.5
        stack: list[Any] = []
        for coin in coins.tolist():
            pair: list[Any] = [None, None]
            for place in (1, 0) if coin else (0, 1):
                self.printed.take()
                _show_warnings_again()
                observed = estimator.run(courses[place], seeded(SEEDED, source), source, states_seen=question["states"])
                told = [[to_data(each, self.registry) for each in seen] for seen in (observed.states, observed.outputs)]
                pair[place] = [*told, self.printed.take()]
            stack.append(pair)
            if len(stack) == _STACK:
                self._send_part(stack)
                stack = []
        self._send_part(stack)

    def _send_part(self, stack: list[Any]) -> None:
        self.channel.send({"is": "question", "value": stack})
        self.channel.receive()

    def script(self, question: Mapping[str, Any]) -> Any:
        """Perform the script of the checks of conduct."""
        from pan_audits.running.performance import Performance, Resumed, perform, perform_often

        def kept(value: Any) -> Any:
            return to_data(value, self.registry)

        def once(earlier: int) -> Performance:
            resume = question["resume"]
            instance = self.instances[question["key"]]
            return perform(
                ErrorsSeen(instance),
                from_data(question["first"]),
                from_data(question["rest"]),
                seed=question["seed"],
                global_seed=question["global_seed"] + earlier * question["global_step"],
                resume=None if resume is None else Resumed(from_data(resume[0], self.registry), from_data(resume[1])),
                randomness_class=question["randomness_class"],
                capture=kept,
                attributes_of=None if earlier else instance,
            )

        shown, performed = perform_often(once, question["times"])
        return {
            **vars(shown),
            "performed": performed,
            "before": dict(shown.before),
            "after": dict(shown.after),
            "generator": to_data(shown.generator),
        }

    def statement(self, question: Mapping[str, Any]) -> Any:
        """The value that the estimator states for its error, given the numbers on which it depends."""
        statement = self.instances[question["key"]].statements[question["number"]]
        return float(statement.value(*question["given"]))

    def never_answers(self, question: Mapping[str, Any]) -> str:
        """The error of a step that always fails; empty if each step has a result in some run."""
        courses = [_course(sent) for sent in question["courses"]]
        problem = never_answers(self.instances[question["key"]], courses, from_data(question["seed"]))
        if problem is not None:
            # It is told as any failure.
            raise problem
        return ""

    def digest(self, question: Mapping[str, Any]) -> Any:
        """A digest of the estimator's own attributes."""
        from pan_audits.observing.values import fingerprint

        estimator = self.instances[question["key"]]
        return fingerprint((estimator, getattr(estimator, "remembered", ())))


def _show_warnings_again() -> None:
    """Let Python show each warning again: it does so once in a process, and a deployed process may make one run."""
    with warnings.catch_warnings():
        pass


def _course(sent: Any) -> list[Any]:
    """A stream that the judge sent."""
    from pan_audits.inputs.streams.side import SegmentEnd

    return [
        (from_data(ids), None if deletions is None else from_data(deletions), SegmentEnd(step))
        for ids, deletions, step in sent
    ]


class _Printed:
    """Redirect the printed output to a temporary file, and read it there."""

    def __init__(self) -> None:
        self.sink = tempfile.TemporaryFile()  # noqa: SIM115 - it is open until the process ends
        self.before = self.counted = 0
        for descriptor in (1, 2):
            os.dup2(self.sink.fileno(), descriptor)
        # The first text makes the parts of a stream, which would look like kept data.
        for stream in (sys.stdout, sys.stderr):
            stream.write("\n")
        self.take()
        self.counted = 0

    def take(self) -> bytes:
        """The bytes printed since the last call; of a long output its beginning."""
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).fflush(None)
        descriptor, size = self.sink.fileno(), os.fstat(self.sink.fileno()).st_size
        found = os.pread(descriptor, min(size - self.before, _MOST_KEPT), self.before) if size > self.before else b""
        self.counted += max(size - self.before, 0)
        self.before = size
        if size > _MOST_KEPT:
            with contextlib.suppress(OSError):
                os.ftruncate(descriptor, 0)
                os.lseek(descriptor, 0, os.SEEK_SET)
                self.before = 0
        return found

    def count(self) -> int:
        """The number of bytes printed since the last call."""
        self.take()
        counted, self.counted = self.counted, 0
        return counted
