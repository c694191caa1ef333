"""The judged process: it imports the estimator's code and answers the judge's questions about it.

Everything here runs beside code that may do anything, and could be changed by it. So nothing that this
module says is believed for more than it is: what the estimator did, in this process.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import socket
import sys
import tempfile
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from pan_audits.isolation.channel import Channel, ClosedError
from pan_audits.isolation.data import DataError, Registry, from_data, to_data
from pan_audits.isolation.guise import SECURE, SEEDED, in_guise, seeded
from pan_audits.isolation.process import limit_resources
from pan_estimators import InputError, NumpyRandomness

_SET_PARENT_DEATH_SIGNAL = 1
_MOST_KEPT = 2**20
_STACK = 64
"""Runs whose observations are sent in one message."""


def main(descriptor: int, name: str, folder: str, memory_bytes: int) -> None:
    """Answer questions until the judge is gone.

    Parameters
    ----------
    descriptor
        Of the socket that leads to the judge.
    name
        The estimator: ``module:Class``, ``file.py:Class``, or that of an installed one.
    folder
        Where its module is looked for.
    memory_bytes
        Address space that it may use.
    """
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    channel = Channel(socket.socket(fileno=descriptor))
    limit_resources(memory_bytes)
    channel.send({"is": "ready"})
    served = _Served(channel, name, folder)
    with contextlib.suppress(ClosedError):
        while True:
            served.answer(channel.receive())
    # What the judged code left behind for the end of the interpreter is not run.
    os._exit(0)


class _Served:
    def __init__(self, channel: Channel, name: str, folder: str) -> None:
        self.channel = channel
        self.name = name
        self.folder = folder
        self.registry = Registry()
        self.instances: dict[str, Any] = {}
        self.printed = _Printed()
        self.asked: Mapping[str, Callable[[Mapping[str, Any]], Any]] = {
            "make": self.make,
            "call": self.call,
            "runs": self.runs,
            "script": self.script,
            "statement": self.statement,
            "digest": self.digest,
            "secure outputs": self.secure_runs,
        }

    def answer(self, question: Mapping[str, Any]) -> None:
        """Send the answer to one question, or why there is none."""
        message = self._answered(question)
        self.channel.send({**message, "printed": self.printed.count()})

    def _answered(self, question: Mapping[str, Any]) -> dict[str, Any]:
        from pan_audits.running.limits import describe_failure

        try:
            return {"is": "answer", "value": self.asked[question["ask"]](question)}
        except ClosedError:
            os._exit(0)
        except InputError as problem:
            return {"is": "failure", "kind": "input", "value": str(problem)}
        except DataError as problem:
            return {"is": "failure", "kind": "variant", "value": str(problem)}
        except MemoryError:
            return {"is": "failure", "kind": "variant", "value": "it asked for more memory than it may have"}
        except SystemExit:
            return {"is": "failure", "kind": "variant", "value": "it tried to end the process (SystemExit)"}
        except RecursionError:
            return {"is": "failure", "kind": "variant", "value": "it recursed too deeply (RecursionError)"}
        except BaseException as problem:
            return {"is": "failure", "kind": "variant", "value": describe_failure(problem)}

    def make(self, question: Mapping[str, Any]) -> Any:
        """Import and configure the estimator, and describe it."""
        from pan_audits.importing import imported
        from pan_audits.isolation.description import described

        estimator, given, kind = imported(self.name, self.folder, from_data(question["parameters"]))
        self.instances[question["key"]] = estimator
        return described(estimator, given, kind, self.folder)

    def call(self, question: Mapping[str, Any]) -> Any:
        """Call one method, with a randomness whose draws the judge makes."""
        from pan_audits.exact.errors import REMEMBERED, BypassError, UnfollowableError
        from pan_audits.exact.watch import watched
        from pan_audits.isolation.noise import read_noisy, write_noisy

        estimator = self.instances[question["key"]]

        def value(node: Any) -> Any:
            return from_data(node, self.registry, read_noisy)

        def node(found: Any) -> Any:
            return to_data(found, self.registry, write_noisy)

        def draw(method: str) -> Callable[..., Any]:
            def drawn(*arguments: Any, **options: Any) -> Any:
                asked = {"draw": method, "arguments": node(list(arguments)), "options": node(options)}
                self.channel.send({"is": "question", "value": asked})
                answer = self.channel.receive()["value"]
                if "error" in answer:
                    raise UnfollowableError(str(answer["error"]))
                return value(answer["value"])

            return drawn

        randomness = in_guise(question["guise"], draw)
        method = getattr(estimator, question["method"])
        state = value(question["state"])
        first = [] if question["method"] == "create" else [state]
        options = value(question["options"])
        REMEMBERED.clear()
        try:
            with watched() if question["watch"] else contextlib.nullcontext():
                result = method(*first, *value(question["arguments"]), randomness, **options)
        except UnfollowableError as problem:
            return {"unfollowable": [str(problem), isinstance(problem, BypassError)]}
        if REMEMBERED:
            return {"unfollowable": [str(REMEMBERED[0]), isinstance(REMEMBERED[0], BypassError)]}
        kept = node(state) if question["method"] == "release" else None
        return {"result": node(result), "state": kept}

    def runs(self, question: Mapping[str, Any]) -> Any:
        """Many runs on one stream, with a seeded randomness in either guise, by the fall of a coin."""
        seed = from_data(question["seed"])
        source = NumpyRandomness(np.random.SeedSequence(seed))
        coins = np.random.default_rng([*seed, 1]).random(question["runs"]) < 0.5
        guises = (seeded(SEEDED, source), seeded(SECURE, source))
        self._send_runs(question, [guises[int(coin)] for coin in coins])

    def secure_runs(self, question: Mapping[str, Any]) -> Any:
        """Many runs on one stream with the randomness of a deployment itself."""
        from pan_estimators import SecureRandomness

        self._send_runs(question, [SecureRandomness() for _ in range(question["runs"])])

    def _send_runs(self, question: Mapping[str, Any], sources: list[Any]) -> None:
        from pan_audits.pairs.side import Step
        from pan_audits.running.course import run_course

        estimator = self.instances[question["key"]]
        course = [
            (from_data(ids), None if deletions is None else from_data(deletions), Step(step))
            for ids, deletions, step in question["course"]
        ]
        stack: list[Any] = []
        for source in sources:
            observed = run_course(
                estimator, course, source, states_seen=question["states"], users_told=question["users"]
            )
            stack.append(
                [[to_data(each, self.registry) for each in seen] for seen in (observed.states, observed.outputs)]
                + [[to_data(each) for each in observed.users]]
            )
            if len(stack) == _STACK:
                self._send_part(stack)
                stack = []
        self._send_part(stack)

    def _send_part(self, stack: list[Any]) -> None:
        self.channel.send({"is": "question", "value": stack})
        self.channel.receive()

    def script(self, question: Mapping[str, Any]) -> Any:
        """Perform the script that the checks of conduct look at."""
        from pan_audits.hygiene.performance import Resumed, perform

        def kept(value: Any) -> Any:
            return to_data(value, self.registry)

        for _ in range(question["times"]):
            resume = question["resume"]
            shown = perform(
                self.instances[question["key"]],
                from_data(question["first"]),
                from_data(question["rest"]),
                seed=question["seed"],
                global_seed=question["global_seed"],
                resume=None if resume is None else Resumed(from_data(resume[0], self.registry), from_data(resume[1])),
                guise=question["guise"],
                capture=kept,
            )
        return {
            **vars(shown),
            "before": dict(shown.before),
            "after": dict(shown.after),
            "generator": to_data(shown.generator),
        }

    def statement(self, question: Mapping[str, Any]) -> Any:
        """What the estimator states about its error, at a density and a number of sampled users."""
        statement = self.instances[question["key"]].statements[question["number"]]
        return float(statement.value(question["density"], question["sampled"]))

    def digest(self, question: Mapping[str, Any]) -> Any:
        """A digest of the estimator's own attributes."""
        from pan_audits.running.fingerprint import fingerprint

        return fingerprint(self.instances[question["key"]])


class _Printed:
    """What is printed, sent to a file that is thrown away, and counted."""

    def __init__(self) -> None:
        self.sink = tempfile.TemporaryFile()  # noqa: SIM115 - it is there as long as the process is
        self.before = 0
        for descriptor in (1, 2):
            os.dup2(self.sink.fileno(), descriptor)

    def count(self) -> int:
        """Bytes printed since the last time."""
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
        size = os.fstat(self.sink.fileno()).st_size
        more, self.before = size - self.before, size
        if size > _MOST_KEPT:
            with contextlib.suppress(OSError):
                os.ftruncate(self.sink.fileno(), 0)
                os.lseek(self.sink.fileno(), 0, os.SEEK_SET)
                self.before = 0
        return max(more, 0)
