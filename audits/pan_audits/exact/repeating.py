"""Whether the code repeats the laws of a witness, before a refutation is believed.

Compiled code can draw from the system where nobody sees it. An output with few values is then equal in two calls by
chance, and the check takes it for an output without noise: a coin that tells the truth with probability 3/4 would have
an infinite loss. So both laws are computed again, with fresh calls, before the check says REFUTED.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from flint import fmpq

from pan_audits.choices.errors import BypassError
from pan_audits.choices.numbers import ZERO
from pan_audits.exact.outputs import GaussianOutputs
from pan_audits.exact.scope import Stream, Update
from pan_audits.exact.stepping import Stepper
from pan_audits.exact.work import Work
from pan_audits.notions import Exactly, notion_of
from pan_promises.promise import Promise

_NATS = 14.0
"""The logarithm of one over the probability that a mechanism that keeps its promise repeats itself by chance."""
_MOST, _WITH_NOISE, _FEW = 2000, 32, 8
_MOST_RUNS = 20_000
"""Runs of the code after which no further repetition begins."""

DREW_UNSEEN = (
    "the estimator draws random numbers where the check does not see them: with the same draws, repeated calls have "
    "other outcomes"
)


def require_repetition(stepper: Stepper, streams: Iterable[Stream], promise: Promise) -> None:
    """Compute the laws on some streams again and again.

    A mechanism whose laws seem to have one outcome each, with different outcomes on two adjacent streams, and that
    keeps an epsilon, has another outcome with probability 1 / (1 + e^epsilon) or more on one of them; of other notions,
    :attr:`Notion.coin` takes the place of epsilon. The number of calls is such that it repeats itself with probability
    e^-14 at most.

    Where the check follows noise, this bound does not hold, and a fixed number of repetitions is made. Where it
    follows random choices, a few are made, since each of them calls the code for every outcome.
    """
    work = Work()
    wanted = min(_MOST, math.ceil(_NATS * (1 + math.exp(min(notion_of(promise).coin, 20.0)))))
    first: dict[Stream, dict[Any, fmpq]] = {}
    for number in range(wanted):
        fresh = replace(stepper.again(), work=work)
        enough = wanted
        if fresh.parts is not None:
            # Parts of an output are noise, and have several values.
            enough = _FEW
        for stream in streams:
            seen, noise = _masses(fresh, stream, promise)
            enough = min(enough, _FEW if len(seen) > 1 else _WITH_NOISE if noise else wanted)
            if first.setdefault(stream, seen) != seen:
                raise BypassError(DREW_UNSEEN)
        if work.done > _MOST_RUNS or number + 1 >= enough:
            return


def _masses(stepper: Stepper, stream: Stream, promise: Promise) -> tuple[dict[Any, fmpq], bool]:
    """The probabilities of the paths of a law, by their discrete parts and the places of noise; is there noise?"""
    if notion_of(promise).exactly is Exactly.OUTPUTS:
        (update, _) = stream
        assert isinstance(update, Update)
        found = GaussianOutputs(stepper).law(str(stepper.ids[update.user]))
        return dict(found), any(output.mean for output in found)
    masses: dict[Any, fmpq] = {}
    for key, paths in stepper.law(stream).items():
        for weight, path in paths:
            place = key, tuple((one.slope, one.location) for one in path.coordinates)
            masses[place] = masses.get(place, ZERO) + weight
    return masses, any(places for _, places in masses)
