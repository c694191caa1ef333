"""A script of calls on an estimator (create, update, look, update, release), run in a new process.

The estimator then remembers nothing. The script is performed in the process of the estimator's code, and the judge
compares the traces.
"""

from __future__ import annotations

import copy
import pickle
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, is_dataclass, replace
from functools import partial
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np

from pan_audits.events.observing.features import opaque_parts
from pan_audits.events.observing.numbers import rounded
from pan_audits.events.observing.subject import subject_of
from pan_audits.events.observing.values import fields_of, fingerprint, holds_generator
from pan_audits.subject.isolation.messages import Performance, Script
from pan_audits.subject.isolation.sources import reseeded
from pan_audits.subject.running.presented import presented
from pan_audits.workers.engines.child import outcome_of
from pan_audits.workers.engines.processes import KILLED, UNSENDABLE, packed
from pan_audits.workers.limits import Failure, Limits, MechanismError, Outcome
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_estimators.randomness.secure_randomness import SecureRandomness
from pan_estimators.states.releasing import counts_releases
from pan_promises.workers import Worker

_LEAST_PERFORMED, _SECONDS_OF_PERFORMANCES = 2, 12.0
"""The first performance, which imports and compiles, does not count in the seconds."""

_AT_ONCE = 2

Opaque: TypeAlias = Mapping[str, tuple[str, float]]


class CountingRandomness:
    """Passes every call on to another randomness, and counts the calls."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.calls = 0

    def counted(self, method: str) -> Callable[..., Any]:
        """A method of the other randomness, which counts."""
        drawn = getattr(self.inner, method)

        def draw(*arguments: Any, **options: Any) -> Any:
            self.calls += 1
            return drawn(*arguments, **options)

        return draw


def perform(
    estimator: Any,
    script: Script,
    earlier: int = 0,
    *,
    resume: tuple[Any, Any] | None = None,
    capture: Callable[[Any], Any] = copy.deepcopy,
    attributes_of: Any = None,
) -> Performance:
    """Perform the script once, after earlier performances, perhaps from a state and a state of the randomness."""
    random.seed(script.global_seed + earlier * script.global_step)
    np.random.seed(script.global_seed + earlier * script.global_step)
    before = {} if attributes_of is None or earlier else attribute_digests(attributes_of)
    source, seeds = NumpyRandomness(script.seed), reseeded()
    counting = CountingRandomness(source)
    randomness = presented(counting.counted, source.generator)
    if resume is None:
        state = estimator.create(randomness)
        state = fed(estimator, state, script.first, randomness)
    else:
        state, source.generator.bit_generator.state = resume
    midway, generator = capture(state), copy.deepcopy(source.generator.bit_generator.state)
    state = fed(estimator, state, script.rest, randomness)
    end = capture(state)
    output = estimator.release(state, randomness)
    return Performance(
        midway=midway,
        end=end,
        after_release=capture(state),
        output=capture(output),
        generator=generator,
        draws=counting.calls + reseeded() - seeds,
        before=before,
        after={} if attributes_of is None or earlier else attribute_digests(attributes_of),
    )


def perform_often(once: Callable[[int], Performance], times: int) -> Performance:
    """The first of some performances in one process, with a digest of the states and the output of each.

    Slow code makes fewer of them, at least two. They are compared as far as there are as many on both sides.
    """
    first = once(0)
    began = time.monotonic()
    digests = [_digest_of(first)]
    while len(digests) < times and (
        len(digests) < _LEAST_PERFORMED or time.monotonic() < began + _SECONDS_OF_PERFORMANCES
    ):
        digests.append(_digest_of(once(len(digests))))
    return replace(first, performed=tuple(digests))


def _digest_of(shown: Performance) -> str:
    return fingerprint((shown.midway, shown.end, shown.output))


def fed(estimator: Any, state: Any, ids: Sequence[Any], randomness: Any) -> Any:
    """The state after some ids, one after the other."""
    for identifier in ids:
        one = np.array([identifier]) if isinstance(identifier, tuple) else identifier
        state = estimator.update(state, one, randomness)
    return state


def attribute_digests(estimator: Any) -> dict[str, str]:
    """A digest of every attribute of an object and of the objects in it, and of the data of its class."""
    digests = dict(_digests(estimator, "", 0))
    for kind in type(estimator).__mro__:
        if kind is object:
            continue
        for name, value in vars(kind).items():
            if not name.startswith("__") and isinstance(value, (list, dict, set, int, float, str, np.ndarray)):
                digests[f"{kind.__name__}.{name}"] = fingerprint(value)
    return digests


def _digests(value: Any, prefix: str, depth: int) -> Iterator[tuple[str, str]]:
    # The digest includes nested objects, so that a cached value shows as a new attribute.
    for name, attribute in (fields_of(value) or {}).items():
        # The judge handed it in; its draws are no data.
        if isinstance(attribute, (NumpyRandomness, SecureRandomness)):
            continue
        inner = fields_of(attribute) if is_dataclass(attribute) and depth < 3 else None
        if inner:
            yield from _digests(attribute, f"{prefix}{name}.", depth + 1)
        else:
            yield f"{prefix}{name}", fingerprint(attribute)


@runtime_checkable
class LivesApart(Protocol):
    """An estimator whose code is in a separate process, which can run a script in a new process."""

    def perform_afresh(self, script: Script, limits: Limits, hash_seed: int | None) -> Trace:
        """The trace of a script in a new process; :class:`MechanismError` if the code fails."""
        ...


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


def trace_of(shown: Performance, midway: bytes, script: Script, estimator: Any) -> Trace:
    """The results of a performance, in digests."""
    subject, counted = subject_of(estimator, script.first[0]), counts_releases(estimator)
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
        performed=shown.performed,
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


def run_fresh(
    estimator: Any, scripts: Sequence[Script], limits: Limits, *, hash_seeds: Sequence[int | None]
) -> list[Trace | Failure]:
    """Run each script in a new process, with a hash seed of its own or the usual one."""
    run = partial(_run_afresh, estimator, limits)
    with ThreadPoolExecutor(max_workers=_AT_ONCE) as pool:
        return list(pool.map(run, scripts, hash_seeds))


def _run_afresh(estimator: Any, limits: Limits, script: Script, hash_seed: int | None) -> Trace | Failure:
    if isinstance(estimator, LivesApart):
        try:
            return estimator.perform_afresh(script, limits, hash_seed)
        except MechanismError as problem:
            return Failure(str(problem))
    payload = packed(partial(_performed, estimator, script), limits)
    if payload is None:
        raise MechanismError(UNSENDABLE)
    worker = Worker({"PYTHONHASHSEED": str(hash_seed or 0)})
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


def _performed(estimator: Any, script: Script) -> Trace:
    """In a worker: the trace of a script of a shipped estimator."""

    def once(earlier: int) -> Performance:
        resume = None if script.resume_from is None else pickle.loads(script.resume_from)
        return perform(estimator, script, earlier, resume=resume, attributes_of=estimator)

    shown = perform_often(once, script.times)
    return trace_of(shown, _dump((shown.midway, shown.generator)), script, estimator)
