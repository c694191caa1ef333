"""The promise that a measurement of OpenDP states: its map at the distance of the judged inputs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any

from pan_audits.events.observing.values import fingerprint
from pan_promises.adjacency import Adjacency
from pan_promises.errors import InputError
from pan_promises.promise import Observed, Promise


def promise_of_measurement(measurement: Any, pairs: Iterable[tuple[Any, Any]]) -> Promise | None:
    """The promise of a measurement for the pair of the largest distance; ``None`` if a thing is no measurement.

    Raises
    ------
    InputError
        If the distance, or the measure of the loss, is none that a promise can name.
    """
    if not all(hasattr(measurement, name) for name in ("map", "input_metric", "output_measure")):
        return None
    metric, measure = str(measurement.input_metric), str(measurement.output_measure)
    known = next((distance for name, distance in _DISTANCES.items() if metric.startswith(name)), None)
    bound = next((bound for name, bound in _BOUNDS.items() if measure.startswith(name)), None)
    if known is None or bound is None:
        unknown = f"distances of {metric}" if known is None else f"a loss of {measure}"
        raise InputError(f"panproof makes no promise of {unknown}: give the promise, for example --epsilon 1")
    try:
        largest = max(known(one, other) for one, other in pairs)
    except (TypeError, ValueError):
        raise InputError(
            f"the distance of these inputs in {metric} is not known: give the promise, for example --epsilon 1"
        ) from None
    try:
        try:
            loss = measurement.map(largest)
        except TypeError:  # it wants a whole number
            loss = measurement.map(math.ceil(largest))
        budget = bound(loss)
    except Exception as problem:  # the map may be foreign code
        raise InputError(f"the map of the measurement has no value at {largest}: {problem}") from None
    return Promise(**budget, adjacency=Adjacency.GIVEN, observed=Observed.OUTPUT, intrusions=0)


def _differences(one: Any, other: Any) -> list[Fraction]:
    return [abs(Fraction(first) - Fraction(second)) for first, second in zip(one, other, strict=True)]


def _at_least(distance: Fraction) -> int | float:
    """A whole number, or the least double that is not below a distance."""
    if distance.denominator == 1:
        return distance.numerator
    nearest = float(distance)
    return nearest if Fraction(nearest) >= distance else math.nextafter(nearest, math.inf)


def _euclidean(one: Any, other: Any) -> int | float:
    squares = sum(each**2 for each in _differences(one, other))
    root = math.isqrt(math.ceil(squares))
    return root if root**2 == squares else math.nextafter(math.sqrt(_at_least(Fraction(squares))), math.inf)


def _rows(data: Any) -> list[str]:
    if isinstance(data, (str, bytes)) or hasattr(data, "columns"):
        raise TypeError("its rows are not known")
    return [fingerprint(row) for row in data]


def _symmetric(one: Any, other: Any) -> int:
    left, right = Counter(_rows(one)), Counter(_rows(other))
    return ((left - right) + (right - left)).total()


def _insertions_and_deletions(one: Any, other: Any) -> int:
    """The rows outside of a longest common subsequence."""
    left, right = _rows(one), _rows(other)
    longest = [0] * (len(right) + 1)
    for row in left:
        before = longest
        longest = [0]
        for place, same in enumerate(right):
            longest.append(before[place] + 1 if row == same else max(before[place + 1], longest[-1]))
    return len(left) + len(right) - 2 * longest[-1]


def _changed(one: Any, other: Any) -> int:
    if len(_rows(one)) != len(_rows(other)):
        raise ValueError("the inputs have different lengths")
    return _symmetric(one, other) // 2


def _replaced(one: Any, other: Any) -> int:
    return sum(first != second for first, second in zip(_rows(one), _rows(other), strict=True))


_DISTANCES: dict[str, Callable[[Any, Any], Any]] = {
    "AbsoluteDistance": lambda one, other: _at_least(sum(_differences([one], [other]), Fraction(0))),
    "L1Distance": lambda one, other: _at_least(sum(_differences(one, other), Fraction(0))),
    "L2Distance": _euclidean,
    "LInfDistance": lambda one, other: _at_least(max(_differences(one, other), default=Fraction(0))),
    "DiscreteDistance": lambda one, other: int(fingerprint(one) != fingerprint(other)),
    "SymmetricDistance": _symmetric,
    "InsertDeleteDistance": _insertions_and_deletions,
    "ChangeOneDistance": _changed,
    "HammingDistance": _replaced,
}
"""The distances of OpenDP, by the beginning of their names."""


def _approximate(loss: Sequence[Any]) -> dict[str, Any]:
    epsilon, delta = loss
    return {"epsilon": epsilon, "delta": delta}


_BOUNDS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "MaxDivergence": lambda loss: {"epsilon": loss},
    "FixedSmoothedMaxDivergence": _approximate,
    "Approximate(MaxDivergence": _approximate,
    "ZeroConcentratedDivergence": lambda loss: {"rho": loss},
}
"""The promises of OpenDP's measures, by the beginning of their names."""
