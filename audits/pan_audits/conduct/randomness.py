"""The randomness of the judged code: the given one alone, fresh in each output; or that of the system.

A library such as OpenDP draws from the operating system. Its runs can be audited like any others, if they are
independent and have one distribution. A hidden state, a clock or a counter that makes each run differ from the last is
refused.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pan_audits.conduct.finding import Finding, Severity
from pan_audits.conduct.samples import difference_of, paired, varying
from pan_audits.events import Table
from pan_audits.events.observing.features import observation_features
from pan_audits.events.observing.subject import subject_of
from pan_audits.events.observing.values import fingerprint
from pan_audits.problems.inputs.streams.family import Id, SegmentEnd
from pan_audits.subject.running.course import Course, Observation
from pan_audits.subject.running.runner import RunsApart
from pan_audits.subject.running.script import Trace
from pan_audits.workers.engines import run_in_workers
from pan_audits.workers.limits import Failure, Limits, MechanismError, busy_time
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_promises.errors import InputError
from pan_promises.extras import is_there

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


def one_look(before: Sequence[Id], after: Sequence[Id]) -> Course:
    """A stream of single insertions, with a look at the state between two parts and an output at the end."""
    return [(np.array(before), None, SegmentEnd.INTRUSION), (np.array(after), None, SegmentEnd.RELEASE)]


def table_of(estimator: Any, runs: Sequence[Observation], user: Id) -> Table:
    """The features of the runs, seen by an adversary who is interested in ``user``."""
    subject = subject_of(estimator, user)
    return Table.from_rows([observation_features(each.states, each.outputs, subject) for each in runs])


_RELEASES = 8


class _Releases:
    """The number of different outputs from one state, and from equally many fresh states."""

    def __init__(self, estimator: Any, ids: Sequence[Id], seed: int) -> None:
        self.estimator = estimator
        self.ids = ids
        self.seed = seed

    def __call__(self) -> tuple[int, int]:
        sources = [NumpyRandomness(np.random.SeedSequence([self.seed, number])) for number in range(_RELEASES)]
        fresh = [self.estimator.release(self._state(source), source) for source in sources]
        state = self._state(sources[0])
        same = [self.estimator.release(copy.deepcopy(state), source) for source in sources]
        return len(set(map(fingerprint, same))), len(set(map(fingerprint, fresh)))

    def _state(self, randomness: Any) -> Any:
        state = self.estimator.create(randomness)
        for identifier in self.ids:
            one = np.array([identifier]) if isinstance(identifier, tuple) else identifier
            state = self.estimator.update(state, one, randomness)
        return state


def findings_of_kept_noise(estimator: Any, ids: Sequence[Id], limits: Limits, seed: int) -> list[Finding]:
    """Release several times from one state, and from fresh ones on the same stream."""
    outcome = run_in_workers([_Releases(estimator, ids, seed)], 1, limits)[0].result
    if isinstance(outcome, Failure):
        raise MechanismError(outcome.sentence)
    same, fresh = outcome
    if same > 1 or fresh == 1:
        return []
    return [
        Finding(
            "noise in the state",
            Severity.WARNING,
            f"{_RELEASES} releases from one state, each with its own randomness, give the same output, but outputs "
            f"differ between runs: the noise is part of the state, and an adversary who sees the state can subtract "
            f"it from later outputs",
        )
    ]


DEPLOYED = "randomness of a deployment"

_FEWEST_DEPLOYED, _RUNS_DEPLOYED = 100, 400


@dataclass(frozen=True)
class _BothSources:
    """A task: runs with a seeded randomness and as many with the secure one; or the reason why there is no such one."""

    estimator: RunsApart
    first: tuple[Id, ...]
    rest: tuple[Id, ...]
    seed: int

    def __call__(self) -> list[Table] | InputError:
        look = one_look(self.first, self.rest)
        runs = runs_in_time(self.estimator, look, _RUNS_DEPLOYED, fewest=_FEWEST_DEPLOYED, seconds=_SECONDS)
        try:
            return [
                table_of(self.estimator, [each for stack in stacks for each in stack], self.first[0])
                for stacks in (
                    self.estimator.runs_apart(look, runs, seed, states_seen=True) for seed in ((self.seed,), None)
                )
            ]
        except InputError as problem:
            return problem


def findings_of_deployment(
    estimator: Any, first: Sequence[Id], rest: Sequence[Id], error: float, limits: Limits, seed: int
) -> list[Finding]:
    """A defect if runs with the secure randomness have another distribution than seeded ones, or do not succeed."""
    if not isinstance(estimator, RunsApart):
        return []
    (outcome,) = run_in_workers([_BothSources(estimator, tuple(first), tuple(rest), seed)], 1, limits)
    if isinstance(outcome.result, Failure):
        raise MechanismError(outcome.result.sentence)
    if isinstance(outcome.result, InputError):
        if is_there("opendp"):
            raise MechanismError(str(outcome.result))
        return [Finding(DEPLOYED, Severity.NOTE, f"the secure randomness was not tested: {outcome.result}")]
    if (found := difference_of(*outcome.result, error=error)) is None:
        return []
    told = f"with the secure randomness, the event {found.event!r} has another probability than with a seeded one"
    return [Finding(DEPLOYED, Severity.DEFECT, f"{told}: an audit with the seeded one says nothing about a deployment")]


UNSEEDED = "randomness of the system"

_FEWEST, _RUNS, _SECONDS = 200, 1200, 20.0
"""Runs, and the time of the processor that a slow estimator exceeds with the fewest runs only."""
_COMPARISONS = 3


@dataclass(frozen=True)
class _Runs:
    """A task: a table of runs, one after the other in one process; as many as fit into the time, or a given number."""

    estimator: Any
    first: tuple[Id, ...]
    rest: tuple[Id, ...]
    seed: int
    runs: int = 0

    def __call__(self) -> Table:
        look = one_look(self.first, self.rest)
        runs = self.runs or runs_in_time(self.estimator, look, _RUNS, fewest=_FEWEST, seconds=_SECONDS)
        stacks = self.estimator.runs_apart(look, runs, (self.seed,), states_seen=True)
        return table_of(self.estimator, [each for stack in stacks for each in stack], self.first[0])


def findings_of_unseeded(
    estimator: Any, first: Sequence[Id], rest: Sequence[Id], error: float, limits: Limits, seed: int
) -> list[Finding]:
    """A warning if the runs of code with randomness of its own pass for independent draws, else a defect."""
    if not isinstance(estimator, RunsApart):
        return [_defect("it runs in the process that judges it")]
    tables: list[Table] = []
    for number in range(2):
        # One after the other, so that the processes start at different times.
        task = _Runs(estimator, tuple(first), tuple(rest), seed + number, tables[0].runs if tables else 0)
        (outcome,) = run_in_workers([task], 1, limits)
        if isinstance(outcome.result, Failure):
            raise MechanismError(outcome.result.sentence)
        tables.append(outcome.result)
    for words, ours, theirs in _comparisons(*tables):
        if (found := difference_of(ours, theirs, error=error / _COMPARISONS)) is not None:
            return [_defect(f"{words} differ: the event {found.event!r}")]
    return [
        Finding(
            UNSEEDED,
            Severity.WARNING,
            "the estimator draws its random numbers from the system, where no seed reaches them: its runs pass for "
            "independent draws of one distribution, and are audited as such; a replay draws new ones, so that its "
            "counts differ",
        )
    ]


def _defect(because: str) -> Finding:
    return Finding(
        "randomness",
        Severity.DEFECT,
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
    yield "the first and the last runs of a process", _rows(both, places), _rows(both, half + places)
    if not columns:
        return
    near = paired(both, np.arange(0, half - 1, 2), np.arange(1, half, 2), columns)
    # Partners in another process: a repetition at the same place would show as an equality.
    far = paired(both, half + np.arange(half // 2), early.runs + half + np.arange(half // 2), columns)
    yield "pairs of neighbouring runs and pairs of runs of two processes", near, far


def _rows(table: Table, places: Any) -> Table:
    return Table(table.names, table.values[places])


def are_alike(one: Trace, other: Trace) -> bool:
    """Whether two processes show the same in all performances, and leave the same attributes."""
    return _perform_alike(one, other) and (one.changed_attributes, dict(one.new_attributes)) == (
        other.changed_attributes,
        dict(other.new_attributes),
    )


def _perform_alike(one: Trace, other: Trace) -> bool:
    """Whether two processes show the same in all performances that both of them made."""
    both = min(len(one.performed), len(other.performed))
    return shown(one) == shown(other) and one.performed[:both] == other.performed[:both]


def is_unseeded(one: Trace, other: Trace) -> bool:
    """Whether equal seeds give different results in two new processes.

    A generator of the process has a seed, and a counter has a beginning: they give the same in both. Many performances
    are compared, since an output with few values is often equal by chance.
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
            Finding(
                "randomness",
                Severity.DEFECT,
                f"results differ under the same seed: the estimator {cause} (a global generator, or time)",
            )
        ]
    if shown(home) != shown(hashed):
        return [
            Finding(
                "hash order",
                Severity.WARNING,
                "results under the same seed depend on the interpreter's hash seed (the order of a set of strings): "
                "a run can be repeated only with the same PYTHONHASHSEED",
            )
        ]
    # An estimator with hidden state may keep a generator in it.
    if home.draws == 0 and not hidden:
        return [Finding("randomness", Severity.NOTE, "the estimator makes no random choice at all")]
    return []
