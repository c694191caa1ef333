"""The largest of several noisy numbers as one choice, where the code calls ``max`` or a function like it.

Comparisons two by two have a path for each order in which larger numbers are met, ``2**(n - 1)`` for ``n`` numbers. The
place of the largest one has ``n`` values. Ties follow the rule of the function that is called: the first one counts.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pan_audits.choices.distributions import DOUBLE, is_integer, least_scale
from pan_audits.choices.noise import DECIDER, NoisyNumber


def are_comparable(numbers: Sequence[Any]) -> bool:
    """Whether numbers have one noise variable each, another one of one kind, and doubles compare them as exact ones."""
    if not all(type(one) is NoisyNumber and len(one.terms) == 1 for one in numbers):
        return False
    noises = {noise for one in numbers for noise, _ in one.terms}
    weights = {abs(weight) for one in numbers for _, weight in one.terms}
    integer = {is_integer(noise.distribution) for noise in noises}
    if len(noises) < len(numbers) or len(weights) > 1 or len(integer) > 1:
        return False
    finest = min(least_scale(one.terms) for one in numbers)
    return max(one.peak for one in numbers) * DOUBLE <= finest and (integer == {False} or all(n.exact for n in numbers))


def _place(numbers: Sequence[Any], sign: int) -> int | None:
    """The place of the first largest number, or for the sign -1 of the smallest; ``None`` if it is no single choice."""
    decider = DECIDER.get()
    if decider is None or len(numbers) < 3 or not are_comparable(numbers):
        return None
    found: int | None = decider.largest([one if sign > 0 else one.mirrored for one in numbers])
    return found


class _Choosing(type):
    """The class of a class that replaces a built-in function by name."""

    builtin: Any
    sign: int

    def __call__(cls, *arguments: Any, key: Any = None, **options: Any) -> Any:
        if options or not arguments:
            return cls.builtin(*arguments, key=key, **options)
        items = list(arguments[0] if len(arguments) == 1 else arguments)
        keys = items if key is None else [key(item) for item in items]
        place = _place(keys, cls.sign)
        if place is None and (key is None or not items):
            return cls.builtin(items)
        return items[cls.builtin(range(len(items)), key=keys.__getitem__) if place is None else place]


class guarded_max(metaclass=_Choosing):  # noqa: N801 (it has the place of ``max``)
    """The built-in ``max``, which chooses among noisy numbers."""

    builtin, sign = staticmethod(max), 1


class guarded_min(metaclass=_Choosing):  # noqa: N801 (it has the place of ``min``)
    """The built-in ``min``, which chooses among noisy numbers."""

    builtin, sign = staticmethod(min), -1


CHOOSING = {"max": guarded_max, "min": guarded_min}


def _named(function: Callable[..., Any], original: Any) -> Callable[..., Any]:
    """A function under the module and the name of another one."""
    for name in ("__module__", "__name__", "__qualname__", "__doc__"):
        setattr(function, name, getattr(original, name))
    return function


def _of_array(original: Callable[..., Any], sign: int, *, gives_place: bool) -> Callable[..., Any]:
    def chosen(*arguments: Any, **options: Any) -> Any:
        among = arguments[0] if len(arguments) == 1 and not options else None
        if isinstance(among, np.ndarray) and among.dtype == object and among.ndim == 1:
            among = among.tolist()
        place = _place(among, sign) if isinstance(among, (list, tuple)) else None
        if among is None or place is None:
            return original(*arguments, **options)
        return np.intp(place) if gives_place else among[place]

    return _named(chosen, original)


def _first(keys: Sequence[Any], count: int, sign: int) -> list[int] | None:
    """The places of the largest numbers, or of the smallest, in order; of equal ones the first place comes first."""
    left, found = list(range(len(keys))), list[int]()
    while left and len(found) < count:
        among = [keys[place] for place in left]
        place = _place(among, sign)
        if place is None:
            if not found:
                return None
            place = (max if sign > 0 else min)(range(len(among)), key=among.__getitem__)
        found.append(left.pop(place))
    return found


def _foremost(original: Callable[..., Any], sign: int) -> Callable[..., Any]:
    def chosen(n: Any, iterable: Any, key: Any = None) -> Any:
        items = list(iterable)
        keys = items if key is None else [key(item) for item in items]
        places = _first(keys, n, sign) if type(n) is int else None
        if places is None:
            places = original(n, range(len(items)), keys.__getitem__)
        return [items[place] for place in places]

    return _named(chosen, original)


def let_libraries_choose() -> None:
    """Let the functions of numpy and ``heapq`` choose among noisy numbers, before judged code is imported."""
    for names, sign in ((("argmax", "max", "amax"), 1), (("argmin", "min", "amin"), -1)):
        for name in names:
            setattr(np, name, _of_array(getattr(np, name), sign, gives_place=name.startswith("arg")))
    heapq.nlargest, heapq.nsmallest = _foremost(heapq.nlargest, 1), _foremost(heapq.nsmallest, -1)
