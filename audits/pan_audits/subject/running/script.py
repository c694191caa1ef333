"""A script of calls on an estimator, run in a new process, so that the estimator remembers nothing."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np

from pan_audits.events.observing.features import Subject, opaque_parts
from pan_audits.events.observing.numbers import rounded
from pan_audits.events.observing.subject import subject_of
from pan_audits.events.observing.values import fingerprint, holds_generator
from pan_audits.problems.inputs.streams.family import Id
from pan_audits.subject.running.performance import Performance, Resumed, perform, perform_often
from pan_audits.workers.engines.child import outcome_of
from pan_audits.workers.engines.processes import KILLED, UNSENDABLE, packed
from pan_audits.workers.limits import Failure, Limits, MechanismError, Outcome
from pan_estimators.states.releasing import counts_releases
from pan_promises.workers import Worker


@runtime_checkable
class LivesApart(Protocol):
    """An estimator whose code is in a separate process, which can run a script in a new process."""

    def perform_afresh(self, script: Script, limits: Limits, hash_seed: int) -> Trace:
        """The trace of a script in a new process; :class:`MechanismError` if the code fails."""
        ...


_AT_ONCE = 2

Opaque: TypeAlias = Mapping[str, tuple[str, float]]


@dataclass(frozen=True)
class Trace:
    """The results of one run of the script.

    Attributes
    ----------
    state_midway, state_end, output
        Digests of the state after the first half and at the end, and of the output.
    output_value
        The output itself, if it is a number.
    changed_attributes
        Attributes of the estimator that changed.
    new_attributes
        Attributes that the estimator did not have before, with their digests.
    release_changed_state
        Whether the release changed the state. A declared count of the release does not matter.
    state_left
        Digest of the state after the release, if the estimator declares that releases are counted, else "".
    draws
        Calls of the randomness.
    midway
        The state, the randomness and the estimator after the first half, to continue in another process.
    has_generator
        Whether the state holds a random generator.
    opaque_states, opaque_output
        Parts of the states and of the output without features: path, kind, checksum.
    performed
        A digest of every performance in the process.
    """

    state_midway: str
    state_end: str
    output: str
    output_value: float | None
    changed_attributes: tuple[str, ...]
    new_attributes: Mapping[str, str]
    release_changed_state: bool
    state_left: str
    draws: int
    midway: bytes
    has_generator: bool
    opaque_states: Opaque
    opaque_output: Opaque
    performed: tuple[str, ...] = ()


@dataclass(frozen=True)
class Script:
    """Create, update with the first ids, look at the state, update with the rest, release.

    Attributes
    ----------
    estimator
        The estimator.
    first, rest
        Ids before and after the look.
    seed
        Of the randomness that is handed in.
    global_seed
        Of ``random`` and ``numpy.random``, which an estimator must not use.
    global_step
        Each later performance has a global seed that is larger by this number than the one before.
    resume_from
        State and randomness to start with, in place of creating and updating with ``first``.
    times
        Number of performances in one process, at most; the result is that of the first one.
    """

    estimator: Any
    first: tuple[Id, ...]
    rest: tuple[Id, ...]
    seed: int
    global_seed: int
    resume_from: bytes | None = None
    times: int = 1
    global_step: int = 0

    def __call__(self) -> Trace:
        shown, performed = perform_often(self._performed, self.times)
        midway = _dump((shown.midway, shown.generator))
        subject = subject_of(self.estimator, self.first[0])
        trace = trace_of(shown, subject, midway, counted=counts_releases(self.estimator))
        return replace(trace, performed=performed)

    def _performed(self, earlier: int) -> Performance:
        resume = None if self.resume_from is None else Resumed(*pickle.loads(self.resume_from))
        return perform(
            self.estimator,
            self.first,
            self.rest,
            seed=self.seed,
            global_seed=self.global_seed + earlier * self.global_step,
            resume=resume,
            attributes_of=None if earlier else self.estimator,
        )


def trace_of(shown: Performance, subject: Subject, midway: bytes, *, counted: bool = False) -> Trace:
    """The results of a performance, in digests."""
    output, end, left = shown.output, fingerprint(shown.end), fingerprint(shown.after_release)
    return Trace(
        state_midway=fingerprint(shown.midway),
        state_end=end,
        output=fingerprint(output),
        output_value=rounded(output) if isinstance(output, (int, float, np.number)) else None,
        changed_attributes=tuple(sorted(n for n, digest in shown.before.items() if digest != shown.after.get(n))),
        new_attributes={name: digest for name, digest in shown.after.items() if name not in shown.before},
        release_changed_state=left != (fingerprint(_after_one(shown.end)) if counted else end),
        state_left=left if counted else "",
        draws=shown.draws,
        midway=midway,
        has_generator=holds_generator(shown.end),
        opaque_states={**opaque_parts((shown.midway,), (), subject), **opaque_parts((shown.end,), (), subject)},
        opaque_output=opaque_parts((), (output,), subject),
    )


def _after_one(state: Any) -> Any:
    """The same state with one more release; the state itself if it has no count."""
    releases = getattr(state, "releases", None)
    if not isinstance(releases, int) or isinstance(releases, bool):
        return state
    counted = copy.deepcopy(state)
    object.__setattr__(counted, "releases", releases + 1)
    return counted


def _dump(value: Any) -> bytes:
    import cloudpickle

    try:
        return bytes(cloudpickle.dumps(value))
    except Exception as problem:
        raise MechanismError(f"it cannot be sent to another process: {' '.join(str(problem).split())}") from None


def run_fresh(scripts: Sequence[Script], limits: Limits, *, hash_seeds: Sequence[int]) -> list[Trace | Failure]:
    """Run each script in a new interpreter, with a hash seed of its own."""
    with ThreadPoolExecutor(max_workers=_AT_ONCE) as pool:
        return list(pool.map(lambda one: _run_afresh(one[0], limits, one[1]), zip(scripts, hash_seeds, strict=True)))


def _run_afresh(script: Script, limits: Limits, hash_seed: int) -> Trace | Failure:
    if isinstance(script.estimator, LivesApart):
        try:
            return script.estimator.perform_afresh(script, limits, hash_seed)
        except MechanismError as problem:
            return Failure(str(problem))
    payload = packed(script, limits)
    if payload is None:
        raise MechanismError(UNSENDABLE)
    worker = Worker({"PYTHONHASHSEED": str(hash_seed)})
    try:
        worker.send(payload)
        answer = worker.answer()
    finally:
        worker.end()
    if answer is None:
        return Failure(KILLED)
    outcome = outcome_of(answer)
    assert isinstance(outcome, Outcome)
    found: Trace | Failure = outcome.result
    return found
