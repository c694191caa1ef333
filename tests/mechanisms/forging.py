"""Estimators that leak everything, and do all they can to be judged otherwise."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time

import numpy as np


class Leaks:
    """Keeps every user in clear, and says nothing of it."""

    promise = "epsilon=1,adjacency=user-level,observed=state"

    def create(self, randomness):
        return {"seen": frozenset(), "bit": bool(randomness.bernoulli(0.5, 1)[0])}

    def update(self, state, ids, randomness):
        return {**state, "seen": state["seen"] | frozenset(np.atleast_1d(ids).tolist())}

    def release(self, state, randomness):
        return float(state["bit"])


class PatchesTheJudge(Leaks):
    """Replaces whatever of the judge it can import."""

    def __init__(self):
        import pan_audits.gate.gate as gate
        from pan_audits.conduct import complete_state
        from pan_audits.exact import check, search
        from pan_audits.judging.verdict import Verdict

        gate._overall = lambda *_: (Verdict.CERTIFIED, "all is well")
        check.run_check = search.search_scope = complete_state.check_conduct = lambda *_, **__: None


class PatchesTheObservation(Leaks):
    """Replaces what writes its observations down."""

    def create(self, randomness):
        from pan_audits.events.observing import features
        from pan_audits.subject.running import course

        features.observation_features = lambda *_: {"nothing": 0.0}
        course.run_course = lambda *_, **__: course.Observation((), ())
        return super().create(randomness)


class StopsItsParent(Leaks):
    def create(self, randomness):
        for process in (os.getppid(), 1):
            try:
                os.kill(process, signal.SIGSTOP)
            except OSError:
                continue
        return super().create(randomness)


class KillsWhomItCan(Leaks):
    def create(self, randomness):
        with contextlib.suppress(OSError):
            os.kill(-1, signal.SIGKILL)
        return super().create(randomness)


class LeavesAProcess(Leaks):
    """A process that has left its group and its parent, and would stay."""

    def create(self, randomness):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                # The name by which it is looked for.
                os.execvp(sys.executable, ["panproof-leftover", "-c", "import time; time.sleep(600)"])
            os._exit(0)
        return super().create(randomness)


class FillsTheDisk(Leaks):
    def create(self, randomness):
        import tempfile

        for number in range(100):
            with open(os.path.join(tempfile.gettempdir(), f"ballast{number}"), "wb") as file:
                file.write(bytes(8 * 2**20))
        return super().create(randomness)


class ForksWithoutEnd(Leaks):
    def create(self, randomness):
        while True:
            try:
                if os.fork() == 0:
                    time.sleep(600)
            except OSError:
                time.sleep(1)


class WritesBesideItself(Leaks):
    """Leaves a file in the folder of its own module, which is the caller's."""

    def create(self, randomness):
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "left_behind.txt"), "w") as file:
            file.write("I was here")
        return super().create(randomness)


class CallsHome(Leaks):
    """Connects to a server of the caller's machine."""

    def __init__(self, port):
        socket.create_connection(("127.0.0.1", int(port)), timeout=2).sendall(b"leak")


class SendsAPickle(Leaks):
    """Sends a pickle, and what is no message, over every connection that it finds."""

    def create(self, randomness):
        import pickle
        import struct

        content = pickle.dumps(subprocess.Popen)
        for descriptor in range(3, 64):
            try:
                os.write(descriptor, struct.pack("<Q", len(content)) + content)
            except OSError:
                continue
        return super().create(randomness)


class ClaimsToBeHuge(SendsAPickle):
    """Announces a message that no machine can hold."""

    def create(self, randomness):
        for descriptor in range(3, 64):
            try:
                os.write(descriptor, b"\xff" * 16)
            except OSError:
                continue
        return Leaks.create(self, randomness)


class NestsWithoutEnd(Leaks):
    def create(self, randomness):
        state = []
        for _ in range(100_000):
            state = [state]
        return state


class LiftsItsLimits(Leaks):
    def create(self, randomness):
        import resource

        for kind in (resource.RLIMIT_AS, resource.RLIMIT_FSIZE):
            try:
                resource.setrlimit(kind, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            except (OSError, ValueError):
                continue
        return {"ballast": np.ones(10**10)}


class TalksFromAThread(Leaks):
    """Answers in place of its own process."""

    def create(self, randomness):
        import msgpack

        answer = msgpack.packb({"is": "answer", "value": {"result": None, "state": None}})

        def talk():
            for _ in range(200):
                for descriptor in range(3, 32):
                    try:
                        os.write(descriptor, len(answer).to_bytes(8, "little") + answer)
                    except OSError:
                        continue
                time.sleep(0.01)

        threading.Thread(target=talk, daemon=True).start()
        return super().create(randomness)
