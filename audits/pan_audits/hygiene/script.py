"""A script of calls on an estimator, run in a process of its own so that nothing can be remembered."""

from __future__ import annotations

import copy
import os
import pickle
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from pan_audits.pairs.side import Id
from pan_audits.running.features import opaque_parts
from pan_audits.running.fields import fields_of, holds_generator
from pan_audits.running.fingerprint import fingerprint
from pan_audits.running.limits import Failure, Limits, VariantError, guarded
from pan_audits.running.mechanism import subject_of
from pan_estimators import NumpyRandomness, counts_releases

Opaque: TypeAlias = Mapping[str, tuple[str, float]]


class CountingRandomness:
    """Passes every call on to another randomness, and counts the calls."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.calls = 0

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self.inner, name)
        if not callable(attribute):
            return attribute

        def counted(*arguments: Any, **options: Any) -> Any:
            self.calls += 1
            return attribute(*arguments, **options)

        return counted

    def __deepcopy__(self, memo: dict[int, Any]) -> CountingRandomness:
        return CountingRandomness(copy.deepcopy(self.inner, memo))

    def __reduce__(self) -> tuple[Any, ...]:
        return CountingRandomness, (self.inner,)


@dataclass(frozen=True)
class Trace:
    """What one run of the script showed.

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
        Whether releasing changed the state, otherwise than by counting itself where the estimator declares it.
    state_left
        Digest of the state after the release, if the estimator declares that releases are counted, else "".
    draws
        Calls of the randomness.
    midway
        The state, the randomness and the estimator after the first half, to go on elsewhere.
    has_generator
        Whether the state holds a random generator.
    opaque_states, opaque_output
        Parts of the states and of the output that no features are taken from: path, kind, checksum.
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


@dataclass(frozen=True)
class Script:
    """Create, update with the first ids, be looked at, update with the rest, release.

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
    resume_from
        State and randomness to go on with, instead of creating and updating with ``first``.
    """

    estimator: Any
    first: tuple[Id, ...]
    rest: tuple[Id, ...]
    seed: int
    global_seed: int
    resume_from: bytes | None = None

    def __call__(self) -> Trace:
        random.seed(self.global_seed)
        np.random.seed(self.global_seed)
        before = attribute_digests(self.estimator)
        if self.resume_from is None:
            randomness = CountingRandomness(NumpyRandomness(self.seed))
            state = self.estimator.create(randomness)
            state = self._update(state, self.first, randomness)
        else:
            state, randomness = pickle.loads(self.resume_from)
        midway = _dump((state, randomness))
        state_midway = fingerprint(state)
        subject = subject_of(self.estimator, self.first[0])
        opaque_midway = opaque_parts((state,), (), subject)
        state = self._update(state, self.rest, randomness)
        state_end = fingerprint(state)
        counted = counts_releases(self.estimator)
        uncounted: Any = copy.deepcopy(state) if counted else None
        output = self.estimator.release(state, randomness)
        left = fingerprint(state)
        if counted and getattr(uncounted, "releases", None) == 0:
            uncounted.releases = 1
        after = attribute_digests(self.estimator)
        return Trace(
            state_midway=state_midway,
            state_end=state_end,
            output=fingerprint(output),
            output_value=float(output) if isinstance(output, (int, float, np.number)) else None,
            changed_attributes=tuple(
                sorted(name for name in before if before[name] != after.get(name)),
            ),
            new_attributes={name: digest for name, digest in after.items() if name not in before},
            release_changed_state=left != (fingerprint(uncounted) if counted else state_end),
            state_left=left if counted else "",
            draws=randomness.calls,
            midway=midway,
            has_generator=holds_generator(state),
            opaque_states={**opaque_midway, **opaque_parts((state,), (), subject)},
            opaque_output=opaque_parts((), (output,), subject),
        )

    def _update(self, state: Any, ids: Sequence[Id], randomness: Any) -> Any:
        for identifier in ids:
            one = np.array([identifier]) if isinstance(identifier, tuple) else identifier
            state = self.estimator.update(state, one, randomness)
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
    # Objects are entered, so that what one of them has computed and kept shows as a new attribute.
    for name, attribute in (fields_of(value) or {}).items():
        inner = fields_of(attribute) if is_dataclass(attribute) and depth < 3 else None
        if inner:
            yield from _digests(attribute, f"{prefix}{name}.", depth + 1)
        else:
            yield f"{prefix}{name}", fingerprint(attribute)


def _dump(value: Any) -> bytes:
    import cloudpickle

    try:
        return bytes(cloudpickle.dumps(value))
    except Exception as problem:
        raise VariantError(f"it cannot be sent to another process: {' '.join(str(problem).split())}") from None


def run_fresh(
    scripts: Sequence[Callable[[], Trace]], limits: Limits, *, hash_seeds: Sequence[int]
) -> list[Trace | Failure]:
    """Run each script in a new interpreter, with a hash seed of its own."""
    with tempfile.TemporaryDirectory() as folder:
        waiting = []
        for number, (script, hash_seed) in enumerate(zip(scripts, hash_seeds, strict=True)):
            task, result = Path(folder) / f"task{number}", Path(folder) / f"result{number}"
            task.write_bytes(_dump((limits, script)))
            environment = {**os.environ, "PYTHONHASHSEED": str(hash_seed), "PYTHONPATH": os.pathsep.join(sys.path)}
            process = subprocess.Popen(
                [sys.executable, "-m", "pan_audits.hygiene.script", str(task), str(result)],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            waiting.append((process, result))
        return [_collect(process, result, limits) for process, result in waiting]


def _collect(process: subprocess.Popen[bytes], result: Path, limits: Limits) -> Trace | Failure:
    try:
        process.wait(timeout=limits.seconds + 60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return Failure(f"it did not finish within {limits.seconds:g} s")
    if not result.exists():
        return Failure(f"its process died with exit code {process.returncode}")
    found: Trace | Failure = pickle.loads(result.read_bytes())
    return found


def _main(task: str, result: str) -> None:
    limits, script = pickle.loads(Path(task).read_bytes())
    Path(result).write_bytes(_dump(guarded(limits, script).result))


if __name__ == "__main__":
    _main(*sys.argv[1:])
