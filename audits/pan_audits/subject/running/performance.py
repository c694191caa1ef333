"""One performance of a script (create, update, look, update, release), and its results.

It runs in the process of the estimator's code. The judge compares the results
(:mod:`pan_audits.subject.running.script`).
"""

from __future__ import annotations

import copy
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from typing import Any

import numpy as np

from pan_audits.events.observing.values import fields_of, fingerprint
from pan_audits.subject.running.presented import presented
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_estimators.randomness.secure_randomness import SecureRandomness

_LEAST_PERFORMED, _SECONDS_OF_PERFORMANCES = 2, 12.0
"""The first performance, which imports and compiles, does not count in the seconds."""


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


@dataclass(frozen=True)
class Performance:
    """The results of one performance.

    Attributes
    ----------
    midway, end, after_release
        The state after the first ids, after all of them, and after the release.
    output
        The release.
    before, after
        Digests of the estimator's own attributes.
    draws
        Calls of the randomness.
    generator
        The state of the randomness midway.
    """

    midway: Any
    end: Any
    after_release: Any
    output: Any
    before: Mapping[str, str]
    after: Mapping[str, str]
    draws: int
    generator: Any


@dataclass(frozen=True)
class Resumed:
    """The start of another performance: the state, and the state of the randomness."""

    state: Any
    generator: Any


def perform(
    estimator: Any,
    first: Sequence[Any],
    rest: Sequence[Any],
    *,
    seed: int,
    global_seed: int,
    resume: Resumed | None = None,
    capture: Callable[[Any], Any] = copy.deepcopy,
    attributes_of: Any = None,
) -> Performance:
    """Perform the script once."""
    random.seed(global_seed)
    np.random.seed(global_seed)
    before = {} if attributes_of is None else attribute_digests(attributes_of)
    source = NumpyRandomness(seed)
    counting = CountingRandomness(source)
    randomness = presented(counting.counted, source.generator)
    if resume is None:
        state = estimator.create(randomness)
        state = _update(estimator, state, first, randomness)
    else:
        source.generator.bit_generator.state = resume.generator
        state = resume.state
    midway, generator = capture(state), copy.deepcopy(source.generator.bit_generator.state)
    state = _update(estimator, state, rest, randomness)
    end = capture(state)
    output = estimator.release(state, randomness)
    return Performance(
        midway=midway,
        end=end,
        after_release=capture(state),
        output=capture(output),
        before=before,
        after={} if attributes_of is None else attribute_digests(attributes_of),
        draws=counting.calls,
        generator=generator,
    )


def perform_often(once: Callable[[int], Performance], times: int) -> tuple[Performance, tuple[str, ...]]:
    """The first of some performances in one process, and a digest of the states and the output of each.

    Slow code makes fewer of them, at least two. They are compared as far as there are as many on both sides.
    """
    first = once(0)
    began = time.monotonic()
    digests = [_digest_of(first)]
    while len(digests) < times and (
        len(digests) < _LEAST_PERFORMED or time.monotonic() < began + _SECONDS_OF_PERFORMANCES
    ):
        digests.append(_digest_of(once(len(digests))))
    return first, tuple(digests)


def _digest_of(shown: Performance) -> str:
    return fingerprint((shown.midway, shown.end, shown.output))


def _update(estimator: Any, state: Any, ids: Sequence[Any], randomness: Any) -> Any:
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
