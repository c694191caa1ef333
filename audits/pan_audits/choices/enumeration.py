"""The estimator's own code, run once for every outcome of its random choices."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any, TypeVar

from flint import fmpq

from pan_audits.choices.deciding import deciding
from pan_audits.choices.enumerating import DOES_NOT_REPEAT, MOST_OUTCOMES, EnumeratingRandomness, told
from pan_audits.choices.errors import REMEMBERED, BypassError, TooManyOutcomesError, UnfollowableError
from pan_audits.choices.watch import watched
from pan_estimators.randomness.refusal import NoSuchDrawError

__all__ = ["MOST_OUTCOMES", "EnumeratingRandomness", "outcomes"]

T = TypeVar("T")

_BY_CHANCE = 1e-9
_MOST_PROBES = 64


def _run(call: Callable[[EnumeratingRandomness], T], randomness: EnumeratingRandomness) -> T:
    """One call; an error counts even if the estimator has caught it."""
    REMEMBERED.clear()
    try:
        with deciding(randomness.decider):
            result = call(randomness)
    except Exception as problem:
        if REMEMBERED:
            # The message of another process begins with the line of the code.
            told = isinstance(problem, UnfollowableError) and str(problem).endswith(str(REMEMBERED[0]))
            first = REMEMBERED[0]
            raise (type(first)(str(problem)) if told else first) from None
        if isinstance(problem, NoSuchDrawError):
            raise UnfollowableError(str(problem)) from None
        raise
    if REMEMBERED:
        raise REMEMBERED[0]
    return result


def once(call: Callable[[EnumeratingRandomness], T], randomness: EnumeratingRandomness) -> T:
    """The result of one call with some randomness."""
    with watched():
        return _run(call, randomness)


def outcomes(
    call: Callable[[EnumeratingRandomness], T],
    *,
    moment: int = 0,
    same: Callable[[T], Any] | None = None,
    source: Callable[[tuple[int, ...], int], EnumeratingRandomness] = EnumeratingRandomness,
) -> list[tuple[fmpq, T, EnumeratingRandomness]]:
    """Every outcome of a call with its probability."""
    with watched():
        return _outcomes(call, moment, same, source)


def _require_few(call: Callable[[EnumeratingRandomness], T], moment: int) -> None:
    """Refuse code that surely has too many outcomes, after a few random ones.

    The product of the options along a random path is the number of outcomes in expectation (Knuth, Estimating the
    efficiency of backtrack programs, 1975). By Markov's inequality a product is k times the largest number that is
    followed with probability at most 1/k, if there are no more outcomes than that.
    """
    products: list[int] = []
    chance, source = 1.0, random.Random(0)
    while chance > _BY_CHANCE and len(products) < _MOST_PROBES:
        probe = EnumeratingRandomness((), moment, source)
        _run(call, probe)
        products.append(math.prod(probe.options))
        chance *= min(1.0, MOST_OUTCOMES / products[-1])
    if chance <= _BY_CHANCE:
        raise _too_large(sum(products) // len(products))


def _outcomes(
    call: Callable[[EnumeratingRandomness], T],
    moment: int,
    same: Callable[[T], Any] | None,
    source: Callable[[tuple[int, ...], int], EnumeratingRandomness],
) -> list[tuple[fmpq, T, EnumeratingRandomness]]:
    found: list[tuple[fmpq, T, EnumeratingRandomness]] = []
    scripts: list[tuple[int, ...]] = [()]
    while scripts:
        script = scripts.pop()
        randomness = source(script, moment)
        result = _run(call, randomness)
        if same is not None and same(_run(call, source(script, moment))) != same(result):
            raise BypassError(DOES_NOT_REPEAT)
        if len(randomness.options) < len(script):
            raise BypassError(DOES_NOT_REPEAT)
        if not found and math.prod(randomness.options) > MOST_OUTCOMES:
            _require_few(call, moment)
        found.append((randomness.probability, result, randomness))
        taken = script + (0,) * (len(randomness.options) - len(script))
        for place in range(len(script), len(taken)):
            scripts += [(*taken[:place], other) for other in range(1, randomness.options[place])]
        if len(found) + len(scripts) > MOST_OUTCOMES:
            raise _too_large(math.prod(randomness.options))
    return found


def _too_large(count: int) -> TooManyOutcomesError:
    return TooManyOutcomesError(f"one step has about {told(count)} outcomes, more than {MOST_OUTCOMES:,}")
