"""Runs of the command that are killed with SIGKILL. One process has imported the package; each run is a fork of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

_PARENT = """
import json, os, sys
from pan_audits.cli.main import main
import pan_estimators.density.distinct.panes

answers = os.fdopen(os.dup(1), "w")
told = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
os.dup2(told, 1)
os.dup2(told, 2)

def run(words):
    sys.argv = ["panproof", *words]
    try:
        main()
    except SystemExit as end:
        return int(end.code or 0)
    return 0

for number, line in enumerate(sys.stdin):
    if not number:
        run(json.loads(line))  # It imports and compiles.
        continue
    child = os.fork()
    if not child:
        os._exit(run(json.loads(line)))
    print(child, file=answers, flush=True)
    _, status = os.waitpid(child, 0)
    print(os.waitstatus_to_exitcode(status), file=answers, flush=True)
"""


class Killing:
    """A process that runs the command in forks of itself.

    Parameters
    ----------
    told
        The file for everything that the runs print.
    warm
        A command that is run first, so that the runs need no imports.
    """

    def __init__(self, told: os.PathLike[str], warm: list[object]) -> None:
        self._told, self._warm = os.fspath(told), warm

    def __enter__(self) -> Killing:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        self._parent = subprocess.Popen(
            [sys.executable, "-c", _PARENT, self._told],
            env=environment,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._send(self._warm)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._parent.communicate()

    def killed(self, words: list[object], when: Callable[[], bool]) -> bool:
        """Run the command, and kill it as soon as ``when`` says so. Return whether it was killed."""
        assert self._parent.stdout is not None
        self._send(words)
        child = int(self._parent.stdout.readline())
        while os.waitid(os.P_PID, self._parent.pid, os.WNOHANG | os.WEXITED | os.WNOWAIT) is None:
            if _gone(child):
                break
            if when():
                os.kill(child, 9)
                break
            time.sleep(0.001)
        code = int(self._parent.stdout.readline())
        assert code in (0, -9), code
        return code == -9

    def _send(self, words: list[object]) -> None:
        assert self._parent.stdin is not None
        print(json.dumps([*map(str, words)]), file=self._parent.stdin, flush=True)


def _gone(process: int) -> bool:
    """Whether a process has ended; its parent has perhaps not asked for its code yet."""
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def saved_again(state: Path, wait: float) -> Callable[[], bool]:
    """Whether a file was written again since this call, and so many seconds have passed."""
    before = state.stat().st_mtime_ns if state.exists() else 0
    moment = time.monotonic()
    return lambda: state.exists() and state.stat().st_mtime_ns > before and time.monotonic() - moment > wait
