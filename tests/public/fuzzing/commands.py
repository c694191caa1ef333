"""Running a command many times in this process, with a watch on what it starts and imports."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import subprocess
import sys
from dataclasses import dataclass, field

from pan_audits.cli.main import main
from pan_audits.workers.limits import Failure, Outcome, describe_failure


@dataclass
class Watched:
    """What the commands did that no document may bring about."""

    started: list[str] = field(default_factory=list)
    imported: set[str] = field(default_factory=set)


@contextlib.contextmanager
def watched(monkeypatch):
    """Note each process that is started, and each module of somebody else that is imported."""
    found = Watched()

    def noted(name):
        def start(*words, **options):
            found.started.append(f"{name}{words}")
            raise AssertionError(f"{name} was called")

        return start

    with monkeypatch.context() as patch:
        patch.setattr(subprocess.Popen, "__init__", noted("Popen"))
        for name in ("system", "popen", "execv", "execve", "fork", "posix_spawn"):
            patch.setattr(os, name, noted(name))
        before = set(sys.modules)
        known = {name.partition(".")[0] for name in before} - {"tests"} | set(sys.stdlib_module_names)
        yield found
        found.imported = {name for name in set(sys.modules) - before if name.partition(".")[0] not in known}


def run(*words):
    """Exit code, standard output and standard error."""
    out, err = io.StringIO(), io.StringIO()
    arguments, sys.argv = sys.argv, ["panproof", *map(str, words)]
    code = 0
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main()
    except SystemExit as end:
        code = int(end.code or 0)
    finally:
        sys.argv = arguments
    return code, out.getvalue(), err.getvalue()


def in_order(code, err):
    """Whether a command ended as any command may: with a verdict, or with one sentence."""
    assert code in (0, 1, 2, 3), (code, err)
    assert "Traceback" not in err, err
    assert "internal error" not in err, err
    if code == 2:
        assert err.startswith("panproof: "), err
        assert err.count("\n") == 1, err


def attempt(task):
    """The result of a task or why there is none; unlike the limits of a worker, this never ends the process."""

    def on_alarm(*_):
        raise TimeoutError

    # Processor time: other work on the machine takes none of it.
    previous = signal.signal(signal.SIGPROF, on_alarm)
    signal.setitimer(signal.ITIMER_PROF, 4.0)
    try:
        return task()
    except Exception as problem:
        return Failure(describe_failure(problem))
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, previous)


class InThisProcess:
    """An engine without worker processes, which take seconds to start."""

    workers = 0

    def run(self, tasks):
        for number, task in enumerate(tasks):
            yield number, Outcome(attempt(task), 0, 0.0)


def run_here(tasks):
    """Instead of :func:`pan_audits.workers.engines.run_in_workers`."""
    return [outcome for _, outcome in InThisProcess().run(tasks)]
