"""A program of any language, which answers lines of JSON on its standard output.

In the judged process it is a function of the data and a randomness, as any other mechanism. It runs in the sandbox and
under the limits of that process. What it writes is data of foreign code. ``docs/judge-a-program.md`` has the protocol.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import select
import shlex
import shutil
import signal
import subprocess
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np

from pan_audits.choices.errors import unfollowable
from pan_audits.events.observing.numbers import Raised
from pan_audits.subject.isolation.data import DataError
from pan_audits.subject.isolation.sandbox import PROGRAM, words_of
from pan_audits.workers.limits import stretched
from pan_promises.errors import InputError, shown

SECONDS = "PANPROOF_SECONDS"
"""The variable with the seconds after which the judge ends the process."""

_NOT_FOLLOWED = (
    "the random choices and the lines of a program of another language cannot be followed: it is judged by its runs "
    "alone, without an exact check and without coverage"
)
_SEEDS = 2**53
_LONGEST_LINE, _PIECE, _TOLD = 2**20, 2**16, 200
_DEEPEST = 32
_AGAIN, _STARTS = 8, 7
"""Runs that are asked of a program that has just started, too; and starts after which its answers count as repeated."""
_SPECIAL = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_EXACT = 2**53
_MOST_AHEAD, _PIPE, _FRAME = 64, 2**12, 64
"""Requests that are sent at once, their bytes, and those of a request beside its input."""


class ProgramError(Exception):
    """The program answered with an error, which is an observation."""


class Command:
    """A program of any language, as a mechanism on a whole input.

    It reads requests on its standard input and writes a line for each run: ``docs/judge-a-program.md``. It runs in the
    sandbox of the judged code, and never in this process.

    Parameters
    ----------
    words
        The program and its arguments. A relative path begins at the present folder, in which the program runs.

    Raises
    ------
    InputError
        If there is no such program.

    Examples
    --------
    >>> import panproof, sys
    >>> program = '''
    ... import json, random, sys
    ... for line in sys.stdin:
    ...     asked = json.loads(line)
    ...     random.seed(asked["seed"])
    ...     for _ in range(asked["runs"]):
    ...         print(asked["input"] + random.expovariate(1) - random.expovariate(1))
    ...     sys.stdout.flush()
    ... '''
    >>> noisy = panproof.Command([sys.executable, "-c", program])
    >>> print(panproof.audit(noisy, 0, 3, epsilon=1, seed=1, runs=4000).verdict)
    REFUTED
    """

    judged_code = ()
    """No function of Python is judged."""

    def __init__(self, words: Sequence[str], *, folder: str | None = None) -> None:
        self.words, self.folder = tuple(words), os.getcwd() if folder is None else folder
        if isinstance(words, str) or not self.words or not all(type(word) is str and word for word in self.words):
            raise InputError(f"a command is a list of words, a program and its arguments, got {shown(words)}")
        first = self.words[0]
        if shutil.which(os.path.join(self.folder, first) if os.sep in first else first) is None:
            raise InputError(f"there is no program {shown(first)}")
        named = [path for word in self.words if os.path.isfile(path := os.path.join(self.folder, word))]
        self.__file__ = named[-1] if named else ""
        self.__qualname__ = PROGRAM + shlex.join(self.words)

    def __call__(self, data: Any, randomness: Any, size: int | None = None) -> Any:
        """The output of a run, or the outputs of many runs that are asked for by one request."""
        if getattr(randomness, "followed", False):
            raise unfollowable(_NOT_FOLLOWED)
        place, given = (self.words, self.folder), json.dumps(_plain(data))
        try:
            if place not in _RUNNING:
                _RUNNING[place] = _Program(self)
            running = _RUNNING[place]
            if size is not None:
                return _together(self._outputs(running, given, size, _seeds(randomness, 1)))
            ahead = running.ahead
            if ahead.randomness is not randomness or ahead.given != given:
                ahead = running.ahead = _Ahead(randomness, given)
            if not ahead.outputs:
                ahead.outputs.extend(self._outputs(running, given, 1, _seeds(randomness, ahead.number())))
        except DataError as problem:
            _RUNNING.pop(place).end()
            raise DataError(f"the program {problem}") from None
        output = ahead.outputs.popleft()
        if isinstance(output, Raised):
            raise ProgramError(output.message)
        return output

    @classmethod
    def named(cls, name: str, folder: str) -> Command:
        """The program of a name."""
        return cls(words_of(name), folder=folder)

    def _outputs(self, running: _Program, given: str, runs: int, seeds: Sequence[int]) -> list[Any]:
        """The outputs of some requests. Now and then a program that has just started is asked, too."""
        before, lines = running.answered, running.ask(given, runs, seeds)
        outputs = [_read(line, f"line {place % runs + 1} of {runs}") for place, line in enumerate(lines)]
        # At four times the number of the last time.
        if running.repeats and before and before.bit_length() // 2 != running.answered.bit_length() // 2:
            later, fresh = running.ask(given, _AGAIN, seeds[:1]), self._afresh(given, seeds)
            if later != fresh:
                running.repeats = all(self._afresh(given, seeds) == fresh for _ in range(_STARTS))
            if later != fresh and running.repeats and running.ask(given, _AGAIN, seeds[:1]) != fresh:
                raise DataError(
                    "answers a request otherwise after earlier ones than when it has just started, under the same "
                    "seed: it keeps data between its runs, or the seed is not its only source of randomness"
                )
        return outputs

    def _afresh(self, given: str, seeds: Sequence[int]) -> list[bytes]:
        program = _Program(self)
        try:
            return program.ask(given, _AGAIN, seeds[:1])
        finally:
            program.end()


def _seeds(randomness: Any, number: int) -> list[int]:
    return [int(seed) for seed in randomness.uniform_integers(0, _SEEDS, number)]


@dataclass
class _Ahead:
    """The outputs of single runs on one input that are asked for before their turn: to wait for each takes long."""

    randomness: Any = None
    given: str = ""
    outputs: deque[Any] = field(default_factory=deque)
    asked: int = 0

    def number(self) -> int:
        """How many to ask for. All requests together fit into a pipe, so that neither side waits for the other."""
        self.asked = max(1, min(2 * self.asked, _MOST_AHEAD, _PIPE // (len(self.given) + _FRAME)))
        return self.asked


class _Program:
    """A running program.

    Attributes
    ----------
    answered
        The number of requests.
    repeats
        Whether a program that has just started gives equal answers under equal seeds, as far as is known.
    ahead
        Outputs that wait for their turn.
    """

    def __init__(self, command: Command) -> None:
        self.answered, self.repeats, self.ahead = 0, True, _Ahead()
        self.lines: deque[bytes] = deque()
        self.rest = b""
        self.seconds = float(os.environ.get(SECONDS, "inf"))
        given = {name: value for name, value in os.environ.items() if name != SECONDS}
        try:
            self.process = subprocess.Popen(
                command.words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                cwd=command.folder,
                env=given,
                start_new_session=True,
            )
        except OSError as problem:
            raise InputError(f"{command.__qualname__} cannot be started: {problem.strerror}") from None

    def ask(self, given: str, runs: int, seeds: Sequence[int]) -> list[bytes]:
        """The lines of the answers to some requests, one for each seed."""
        if self._has_more(0.0):
            self._take("before it was asked")
        if self.lines or self.rest:
            raise DataError("wrote a line that no request asked for, or more lines than runs")
        requests = "".join(f'{{"input": {given}, "runs": {runs}, "seed": {seed}}}\n' for seed in seeds)
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            # If it has ended, it sends no line.
            self.process.stdin.write(requests.encode())
            self.process.stdin.flush()
        found: list[bytes] = []
        while len(found) < runs * len(seeds):
            place, began = f"{len(found) % runs + 1} of {runs}", time.monotonic()
            while not self.lines:
                # The judge ends the process a little later, and cannot say how far the program came.
                if not self._has_more(began + stretched(0.9 * self.seconds) - time.monotonic()):
                    raise DataError(
                        f"did not write line {place} within {self.seconds:g} s (it must flush its output after each "
                        "answer); --timeout allows more"
                    )
                self._take(f"before line {place}")
            found.append(self.lines.popleft())
        self.answered += len(seeds)
        return found

    def _has_more(self, seconds: float) -> bool:
        assert self.process.stdout is not None
        least = max(0.0, seconds)
        return bool(select.select([self.process.stdout], [], [], least if math.isfinite(least) else None)[0])

    def _take(self, when: str) -> None:
        """Read what the program has written."""
        assert self.process.stdout is not None
        piece = os.read(self.process.stdout.fileno(), _PIECE)
        if not piece:
            self._ended(when)
        *lines, self.rest = (self.rest + piece).split(b"\n")
        self.lines.extend(lines)
        if max(map(len, (self.rest, *lines))) > _LONGEST_LINE:
            raise DataError(f"wrote a line of more than {_LONGEST_LINE // 2**20} MiB")

    def _ended(self, when: str) -> NoReturn:
        code: int | None = None
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = self.process.wait(1)
        how = "" if code is None else f" (exit code {code})"
        if code is not None and code < 0:
            name = signal.Signals(-code).name if -code in [*signal.Signals] else str(-code)
            how = f" (signal {name}; if it lacks memory, --memory-limit allows more)"
        printed = " ".join(_last_printed().split())
        raise DataError(f"ended {when}{how}" + (f"; it printed: {printed}" if printed else ""))

    def end(self) -> None:
        """End the program and all processes of its group."""
        with contextlib.suppress(OSError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError):
                assert pipe is not None
                pipe.close()


_RUNNING: dict[tuple[tuple[str, ...], str], _Program] = {}


def _last_printed() -> str:
    """The end of what was written to the standard error of this process, which the program shares."""
    with contextlib.suppress(OSError):
        return os.pread(2, _TOLD, max(0, os.fstat(2).st_size - _TOLD)).decode(errors="replace")
    return ""


def _plain(value: Any) -> Any:
    """An input as JSON has it."""
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, "NaN")
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {key: _plain(part) for key, part in value.items()}
    raise InputError(
        f"the input of a program is written as JSON, which has no {type(value).__name__}: give numbers, texts, "
        "booleans, None, lists, or dictionaries with texts as keys"
    )


def _read(line: bytes, place: str) -> Any:
    """The output of a line."""
    try:
        output = _value(json.loads(line.decode(), object_pairs_hook=_once), 0)
    except DataError as problem:
        raise DataError(f"wrote {place} with {problem}: {shown(_beginning(line))}") from None
    except (ValueError, RecursionError):
        raise DataError(f"wrote {place}, which is no JSON: {shown(_beginning(line))}") from None
    if type(output) is dict and list(output) == ["error"] and isinstance(output["error"], str):
        return Raised(ProgramError.__name__, output["error"])
    return output


def _beginning(line: bytes) -> str:
    return line[:_TOLD].decode(errors="replace")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise DataError("an object that has one key twice")
    return made


def _value(value: Any, depth: int) -> Any:
    if depth > _DEEPEST:
        raise DataError(f"more than {_DEEPEST} levels")
    if type(value) is list:
        return [_value(part, depth + 1) for part in value]
    if type(value) is dict:
        return {_text(key): _value(part, depth + 1) for key, part in value.items()}
    return _SPECIAL.get(value, _text(value)) if type(value) is str else value


def _text(value: str) -> str:
    """A text that can be sent; half of a surrogate pair cannot."""
    value.encode()
    return value


def _together(outputs: list[Any]) -> Any:
    """The outputs of many runs, in an array if they are numbers of one kind."""
    kinds = set(map(type, outputs))
    if kinds in ({float}, {bool}) or (kinds == {int} and max(map(abs, outputs)) < _EXACT):
        return np.array(outputs)
    return outputs
