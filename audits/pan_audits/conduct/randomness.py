"""The randomness of the judged code: the given one alone, fresh in each output; or that of the system.

A library such as OpenDP draws from the operating system. Its runs can be audited like any others, if they are
independent and have one distribution. A hidden state, a clock or a counter that makes each run differ from the last is
refused.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np

from pan_audits.conduct.finding import Finding, defect, note, warning
from pan_audits.conduct.samples import difference_of, paired, rows_at, varying
from pan_audits.events import Table
from pan_audits.events.observing.features import observation_features
from pan_audits.events.observing.subject import subject_of
from pan_audits.events.observing.values import fingerprint
from pan_audits.problems.inputs.streams.family import Id, SegmentEnd
from pan_audits.subject.isolation.script import Trace, fed
from pan_audits.subject.running.course import Course
from pan_audits.subject.running.runner import RunsApart
from pan_audits.workers.engines import run_in_workers
from pan_audits.workers.limits import Failure, Limits, MechanismError, busy_time
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_promises.errors import InputError
from pan_promises.extras import is_there

ResultT = TypeVar("ResultT")

_TRIALS = (1, 4)
"""Runs before the number is known. The first one includes the start of a process."""
_FEWER = 4
"""A slow estimator makes fewer runs by a power of this number: a little more time changes nothing."""
_ASLEEP = 8
"""Code that waits counts as if it worked for one in this number of seconds."""


def runs_in_time(estimator: RunsApart, course: Course, most: int, *, fewest: int, seconds: float) -> int:
    """An even number of runs."""
    each = 0.0
    for runs in _TRIALS:
        began, working = time.perf_counter(), busy_time()
        for _ in estimator.runs_apart(course, runs, (0,), states_seen=False):
            pass
        each = max(busy_time() - working, (time.perf_counter() - began) / _ASLEEP) / runs
    number = most
    while number > fewest and number * each > seconds:
        number = max(fewest, number // _FEWER)
    return number - number % 2


_RELEASES = 8


@dataclass(frozen=True)
class Trials:
    """Runs of an estimator on a stream with one look at its state, in a worker process.

    Attributes
    ----------
    first, rest
        The ids before and after the look.
    """

    estimator: Any
    first: tuple[Id, ...]
    rest: tuple[Id, ...]
    limits: Limits
    seed: int

    def result(self, task: Callable[[], ResultT]) -> ResultT:
        """The result of a task in a worker."""
        found: Any = run_in_workers([task], 1, self.limits)[0].result
        if isinstance(found, Failure):
            raise MechanismError(found.sentence)
        made: ResultT = found
        return made

    def tables(self, seeds: Sequence[int | None], most: int, fewest: int, runs: int = 0) -> list[Table]:
        """Runs with each seed, or with the secure randomness; as many as fit into the time, or a given number."""
        look: Course = [
            (np.array(self.first), None, SegmentEnd.INTRUSION),
            (np.array(self.rest), None, SegmentEnd.RELEASE),
        ]
        runs = runs or runs_in_time(self.estimator, look, most, fewest=fewest, seconds=_SECONDS)
        subject = subject_of(self.estimator, self.first[0])
        return [
            Table.from_rows(
                [
                    observation_features(each.states, each.outputs, subject)
                    for stack in self.estimator.runs_apart(
                        look, runs, None if seed is None else (seed,), states_seen=True
                    )
                    for each in stack
                ]
            )
            for seed in seeds
        ]

    def numbers_of_releases(self) -> tuple[int, int]:
        """The number of different outputs from one state, and from equally many fresh states."""
        sources = [NumpyRandomness(np.random.SeedSequence([self.seed, number])) for number in range(_RELEASES)]
        fresh = [self.estimator.release(self._state(source), source) for source in sources]
        state = self._state(sources[0])
        same = [self.estimator.release(copy.deepcopy(state), source) for source in sources]
        return len(set(map(fingerprint, same))), len(set(map(fingerprint, fresh)))

    def _state(self, randomness: Any) -> Any:
        return fed(self.estimator, self.estimator.create(randomness), self.first, randomness)


def findings_of_kept_noise(trials: Trials) -> list[Finding]:
    """Release several times from one state, and from fresh ones on the same stream."""
    same, fresh = trials.result(trials.numbers_of_releases)
    if same > 1 or fresh == 1:
        return []
    return [
        warning(
            "noise in the state",
            f"{_RELEASES} releases from one state, each with its own randomness, give the same output, but outputs "
            f"differ between runs: the noise is part of the state, and an adversary who sees the state can subtract "
            f"it from later outputs",
        )
    ]


DEPLOYED = "randomness of a deployment"

_RUNS_DEPLOYED = 400, 100
"""The most and the fewest."""


def findings_of_deployment(trials: Trials, error: float) -> list[Finding]:
    """A defect if runs with the secure randomness have another distribution than seeded ones, or do not succeed."""
    if not isinstance(trials.estimator, RunsApart):
        return []
    found = trials.result(partial(_or_refusal, partial(trials.tables, (trials.seed, None), *_RUNS_DEPLOYED)))
    if isinstance(found, InputError):
        if is_there("opendp"):
            raise MechanismError(str(found))
        return [note(DEPLOYED, f"the secure randomness was not tested: {found}")]
    if (other := difference_of(*found, error=error)) is None:
        return []
    told = f"with the secure randomness, the event {other.event!r} has another probability than with a seeded one"
    return [defect(DEPLOYED, f"{told}: an audit with the seeded one says nothing about a deployment")]


def _or_refusal(task: Callable[[], ResultT]) -> ResultT | InputError:
    try:
        return task()
    except InputError as problem:
        return problem


RANDOMNESS, OF_SYSTEM = "randomness", "randomness of the system"

_FEWEST, _RUNS, _SECONDS = 200, 1200, 20.0
"""Runs, and the time of the processor that a slow estimator exceeds with the fewest runs only."""
_COMPARISONS = 3


def findings_of_system(trials: Trials, error: float) -> list[Finding]:
    """A warning if the runs of code with randomness of its own pass for independent draws, else a defect."""
    if not isinstance(trials.estimator, RunsApart):
        return [_defect("it runs in the process that judges it")]
    tables: list[Table] = []
    for number in range(2):
        # One after the other, so that the processes start at different times.
        runs = tables[0].runs if tables else 0
        tables += trials.result(partial(trials.tables, (trials.seed + number,), _RUNS, _FEWEST, runs))
    if not any(table.varies for table in tables):
        return [_defect("all runs of a process show the same")]
    for words, ours, theirs in _comparisons(*tables):
        if (found := difference_of(ours, theirs, error=error / _COMPARISONS)) is not None:
            return [_defect(f"{words} differ: the event {found.event!r}")]
    return [
        warning(
            OF_SYSTEM,
            "the estimator draws its random numbers from the system, where no seed reaches them: its runs pass for "
            "independent draws of one distribution, and are audited as such; a replay draws new ones, so that its "
            "counts differ",
        )
    ]


def _defect(because: str) -> Finding:
    return defect(
        RANDOMNESS,
        f"results differ under the same seed, and its runs do not pass for independent draws of one distribution: "
        f"{because}",
    )


def _comparisons(early: Table, late: Table) -> Iterator[tuple[str, Table, Table]]:
    """Samples that have one distribution if all runs of both processes are independent and have one distribution.

    No run is in both samples of a comparison, so that all rows of a comparison are independent.
    """
    half = early.runs // 2
    columns = varying(early)
    both = Table.concatenate([early, late])
    yield "the runs of two processes", early, late
    places = np.arange(half)
    yield "the first and the last runs of a process", rows_at(both, places), rows_at(both, half + places)
    if not columns:
        return
    near = paired(both, np.arange(0, half - 1, 2), np.arange(1, half, 2), columns)
    # Partners in another process: a repetition at the same place would show as an equality.
    far = paired(both, half + np.arange(half // 2), early.runs + half + np.arange(half // 2), columns)
    yield "pairs of neighbouring runs and pairs of runs of two processes", near, far


def are_alike(one: Trace, other: Trace) -> bool:
    """Whether two processes show the same in all performances, and leave the same attributes."""
    left, right = ((each.changed_attributes, dict(each.new_attributes)) for each in (one, other))
    return _perform_alike(one, other) and left == right


def _perform_alike(one: Trace, other: Trace) -> bool:
    """Whether two processes show the same in all performances that both of them made."""
    return shown(one) == shown(other) and not is_of_system(one, other)


def is_of_system(one: Trace, other: Trace) -> bool:
    """Whether two new processes show different results in the performances that both of them made.

    A generator of the process has a seed, and a counter has a beginning: under equal seeds they give the same in both.
    Many performances are compared, since an output with few values is often equal by chance.
    """
    both = min(len(one.performed), len(other.performed))
    return one.performed[:both] != other.performed[:both]


def shown(trace: Trace) -> tuple[str, str, str]:
    """The states and the output that a script shows first."""
    return trace.state_midway, trace.state_end, trace.output


def findings_of_randomness(home: Trace, again: Trace, hashed: Trace, hidden: bool) -> list[Finding]:
    """The finding about results that differ under the same seed, or about no random choice at all."""
    if not _perform_alike(home, again):
        cause = "ignores the randomness it is given" if home.draws == 0 else "draws from another source as well"
        return [
            defect(
                RANDOMNESS,
                f"results differ under the same seed: the estimator {cause} (a global generator, or time)",
            )
        ]
    if shown(home) != shown(hashed):
        return [
            warning(
                "hash order",
                "results under the same seed depend on the interpreter's hash seed (the order of a set of strings): "
                "a run can be repeated only with the same PYTHONHASHSEED",
            )
        ]
    # An estimator with hidden state may keep a generator in it.
    if home.draws == 0 and not hidden:
        return [note(RANDOMNESS, "the estimator makes no random choice at all")]
    return []
