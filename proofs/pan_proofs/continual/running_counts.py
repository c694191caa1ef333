"""Running counts of events from a binary tree: an adversary sees the state once, and all outputs."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import Any

import sympy as sp

from pan_proofs.continual.dyadic_tree import Interval
from pan_proofs.engines.gaussian_observations import GaussianObservation


@cache
def nodes(steps: int) -> tuple[Interval, ...]:
    """The node that ends at each time, the last one of its dyadic decomposition."""
    return tuple((time - (time & -time), time) for time in range(1, steps + 1))


@cache
def levels(steps: int) -> int:
    """The number of levels of these nodes."""
    return len({end - start for start, end in nodes(steps)})


def observation(steps: int, intrusion: int, birth: Any, release: Any) -> GaussianObservation:
    """The open nodes after some steps, and the released values of all nodes.

    Parameters
    ----------
    steps, intrusion
        The number of steps, and of those before the intrusion.
    birth, release
        The variances of the noise of a node at birth, and of that at the release of a node of two steps or more; 0 for
        none.
    """
    every = nodes(steps)
    longer = [node for node in every if node[1] - node[0] > 1]
    variances = {("birth", node): sp.sympify(birth) for node in every}
    variances |= {("release", node): sp.sympify(release) for node in longer}
    noises = [name for name, variance in variances.items() if variance != 0]
    data, factor = [], []

    def row(events: range, carried: set[tuple[str, Interval]]) -> None:
        data.append([int(step in events) for step in range(1, steps + 1)])
        factor.append([int(name in carried) for name in noises])

    for start, end in every:
        if start < intrusion < end:
            row(range(start + 1, intrusion + 1), {("birth", (start, end))})
    for node in every:
        row(range(node[0] + 1, node[1] + 1), {("birth", node), ("release", node)})
    covariance = sp.diag(*(variances[name] for name in noises)).tolist()
    return GaussianObservation(data, factor, covariance)


@cache
def containing(steps: int, event: int) -> tuple[Interval, ...]:
    """The nodes that contain an event."""
    return tuple((start, end) for start, end in nodes(steps) if start < event <= end)


def summed_loss(steps: int, intrusion: int, event: int, birth: Fraction, release: Fraction) -> Fraction:
    """The loss of an event as the sum over its nodes."""
    # The numbers of nodes with the noise of birth and release, of birth alone, and of release alone.
    both, born, released = 0, 0, 0
    for start, end in containing(steps, event):
        if start < intrusion < end:
            # A node with a step inside has two steps or more.
            born, released = (born + 1, released) if event <= intrusion else (born, released + 1)
        elif end - start > 1:
            both += 1
        else:
            born += 1
    counted = ((both, birth + release), (born, birth), (released, release))
    return sum((many * _of_one_value(variance) for many, variance in counted if many), Fraction(0))


@cache
def _of_one_value(variance: Fraction) -> Fraction:
    """The loss of one event in one value with Gaussian noise."""
    return 1 / (2 * variance)


def cases(longest: int) -> Iterator[tuple[int, int, int]]:
    """All numbers of steps, intrusions and events up to a size."""
    for steps in range(1, longest + 1):
        for intrusion in range(steps + 1):
            for event in range(1, steps + 1):
                yield steps, intrusion, event


def changed(steps: int, **events: int) -> list[int]:
    """The difference of two streams: ``e2=1`` is one event more at step 2."""
    return [events.get(f"e{step}", 0) for step in range(1, steps + 1)]
