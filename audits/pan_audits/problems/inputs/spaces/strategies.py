"""Pairs of neighbours in the space of a strategy of Hypothesis: both inputs are drawn, and shrink, together.

A strategy says how to draw an input, and not whether an input belongs to it. So a neighbour is made of what the
strategy has drawn: of the rows of two drawn inputs, or of a number that it has drawn at such a place. It also shares
what all of some drawn inputs have in common: one of their numbers of rows, and distinct or sorted rows.
"""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from itertools import islice, pairwise
from random import Random
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, assume, find, settings, target
from hypothesis import strategies as st
from hypothesis.errors import HypothesisException, NoSuchExample, Unsatisfiable
from hypothesis.statistics import collector

from pan_audits.problems.inputs.spaces.literals import from_text, to_text
from pan_audits.problems.inputs.streams.strategies import hypothesis_alone
from pan_promises.errors import InputError, shown

Draw = Callable[[st.SearchStrategy[Any]], Any]
Ask = Callable[[str, str], tuple[float, bool]]

_LOOKED_AT, _FEWEST_COMMON = 120, 20
"""Inputs from which the common features are read, and inputs of two rows or more that a common order takes."""
_MOST_NEIGHBOURS, _MOST_POOL = 256, 512
_LONGEST, _MOST_SIZES = 1024, 8
"""The greatest number of rows that is tried because the code names it or the strategy allows it, and how many are."""
_SHORT = 16
_FINISHED = "nothing left to do"
"""What Hypothesis says when it has drawn everything."""


def _counted(value: Any) -> int:
    """The number of rows of an input; -1 if it has none."""
    if isinstance(value, np.ndarray):
        return len(value) if value.ndim else -1
    rows = list, tuple, str, bytes, dict, set, frozenset
    return len(value) if isinstance(value, rows) or hasattr(value, "iloc") else -1


def _rows(value: Any) -> list[Any]:
    if hasattr(value, "iloc"):
        return [tuple(row) for row in (value.to_frame() if value.ndim == 1 else value).itertuples(index=False)]
    return list(value.items()) if isinstance(value, dict) else list(value)


def _spliced(one: Any, other: Any, places: Sequence[int]) -> Any:
    """An input of some rows of two inputs: those of the first one are numbered from 0, then come those of the other."""
    if hasattr(one, "iloc"):
        both = import_module("pandas").concat([one, other], ignore_index=True).iloc[list(places)].reset_index(drop=True)
        return both.astype(one.dtypes if one.ndim == 2 else one.dtype)
    if isinstance(one, np.ndarray):
        return np.concatenate([one, other])[list(places)]
    rows = [*_rows(one), *_rows(other)]
    chosen = [rows[place] for place in places]
    return "".join(chosen) if isinstance(one, str) else type(one)(chosen)


def _distinct(rows: Sequence[Any]) -> bool:
    return len(set(map(_key, rows))) == len(rows)


def _ascending(rows: Sequence[Any]) -> bool:
    try:
        return all(bool(one <= next_one) for one, next_one in pairwise(rows))
    except (TypeError, ValueError):
        return False


_ORDERS = (_distinct, _ascending, lambda rows: _ascending(rows[::-1]))


def _key(row: Any) -> str:
    return to_text(row.tolist() if isinstance(row, (np.ndarray, np.generic)) else row)


class Space:
    """A strategy, and what the inputs that it draws have in common.

    Attributes
    ----------
    strategy
        The strategy, from which inputs with certain numbers of rows are drawn more often.
    sizes
        The numbers of rows that were seen.
    pool
        The numbers that were seen, by their place in the input.
    conditions
        The filters of the strategy.
    """

    def __init__(self, strategy: Any, numbers: Sequence[int]) -> None:
        if not isinstance(strategy, st.SearchStrategy):
            raise InputError(
                f"data is a strategy of Hypothesis, such as st.lists(st.integers()), got {shown(strategy)}"
            )
        inner = getattr(strategy, "wrapped_strategy", strategy)
        self.conditions: Sequence[Callable[[Any], Any]] = getattr(inner, "flat_conditions", ())
        self.strategy = st.one_of(strategy, *_of_sizes(strategy, numbers))
        self.sizes: set[int] = set()
        self.pool: dict[tuple[Any, ...], dict[float, None]] = {}
        orders: list[list[bool]] = []

        def look(value: Any) -> bool:
            to_text(value)
            self.sizes.add(size := _counted(value))
            for place, number in _numbers(value):
                found = self.pool.setdefault(_kind(place), {})
                if len(found) < _MOST_POOL:
                    found[number] = None
            if size > 1:
                rows = _rows(value)
                orders.append([order(rows) for order in _ORDERS])
            return False

        _searched(self.strategy, look, examples=_LOOKED_AT, seed=0)
        common = len(orders) >= _FEWEST_COMMON
        self.orders = [order for order, *kept in zip(_ORDERS, *orders, strict=True) if common and all(kept)]

    def holds(self, value: Any) -> bool:
        """Whether an input of rows that were drawn has what all the drawn inputs have in common."""
        return (
            _counted(value) in self.sizes
            and (not self.orders or all(order(rows) for rows in [_rows(value)] for order in self.orders))
            and all(condition(value) for condition in self.conditions)
        )


def _of_sizes(strategy: Any, numbers: Sequence[int]) -> Iterator[Any]:
    """For a strategy of lists: lists of the numbers of rows at which the code may branch, and of the largest number."""
    inner = getattr(strategy, "wrapped_strategy", strategy)
    elements, least, most = (getattr(inner, name, None) for name in ("element_strategy", "min_size", "max_size"))
    if type(inner).__name__ != "ListStrategy" or elements is None or least is None or most is None:
        return
    wanted = dict.fromkeys(size for number in (most, *numbers) for size in (number, number - 1, number + 1))
    # Hypothesis draws short lists often enough.
    sizes = [int(size) for size in wanted if max(least, _SHORT) <= size <= min(most, _LONGEST)]
    for size in sizes[:_MOST_SIZES]:
        yield st.lists(elements, min_size=size, max_size=size)


def _numbers(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], float]]:
    """The numbers in an input, with their places."""
    if isinstance(value, (int, float, np.number)) and not isinstance(value, bool):
        yield place, value  # type: ignore[misc]
    elif isinstance(value, np.ndarray):
        if value.dtype.kind in "iuf":
            yield from (((*place, where), value[where].item()) for where in np.ndindex(value.shape))
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from _numbers(part, (*place, key))
    elif isinstance(value, (list, tuple)):
        for number, part in enumerate(value):
            yield from _numbers(part, (*place, _Row(number) if isinstance(value, list) else number))
    elif hasattr(value, "iloc"):
        yield from (((*place, *inner), number) for inner, number in _numbers(value.to_numpy()))


class _Row(int):
    """A place in a list, whose entries all come from one strategy."""


def _kind(place: tuple[Any, ...]) -> tuple[Any, ...]:
    """The same for all places whose numbers come from one strategy: entries of lists, and rows of arrays."""
    return tuple(
        None if isinstance(part, _Row) else (None, *part[1:]) if isinstance(part, tuple) else part for part in place
    )


def _changed(value: Any, place: tuple[Any, ...], number: float) -> Any:
    """The input with another number at a place."""
    if not place:
        return type(value)(number)
    first, *rest = place
    if hasattr(value, "iloc"):
        made = value.copy()
        made.iloc[first if value.ndim == 2 else first[0]] = number
        return made
    if isinstance(value, np.ndarray):
        made = value.copy()
        made[first] = number
        return made
    if isinstance(value, dict):
        return {key: _changed(part, tuple(rest), number) if key == first else part for key, part in value.items()}
    return type(value)(_changed(part, tuple(rest), number) if n == first else part for n, part in enumerate(value))


# The neighbours by name: each takes a draw, the space, and what follows the colon of the name.


def _place_in(draw: Draw, value: Any) -> int:
    count = _counted(value)
    assume(count > 0)
    return int(draw(st.integers(0, count - 1)))


def _without_row(draw: Draw, space: Space, _: str) -> tuple[Any, Any]:
    one = draw(space.strategy)
    place = _place_in(draw, one)
    return one, _spliced(one, one, [n for n in range(_counted(one)) if n != place])


def _with_other_row(draw: Draw, space: Space, _: str) -> tuple[Any, Any]:
    one, other = draw(space.strategy), draw(space.strategy)
    place, count = _place_in(draw, one), _counted(one)
    # The places of a tuple come from several strategies.
    where = place if isinstance(one, tuple) else _place_in(draw, other)
    assume(where < _counted(other))
    taken = count + where
    changed = _spliced(one, other, [taken if n == place else n for n in range(count)])
    # Two entries of a dictionary have two keys.
    assume(_counted(changed) == count)
    return one, changed


def _of_user(value: Any, key: str) -> list[str]:
    """The user of each row."""
    try:
        if hasattr(value, "iloc"):
            return [_key(each) for each in value[key].tolist()]
        return [_key(row[int(key)] if not isinstance(row, Mapping) else row[key]) for row in _rows(value)]
    except (KeyError, IndexError, TypeError, ValueError):
        raise InputError(
            f"neighbours=user-level:KEY names the place of the user in a row, or the column, and a row of the data "
            f"has no {shown(key)}"
        ) from None


def _without_user(draw: Draw, space: Space, key: str) -> tuple[Any, Any]:
    one = draw(space.strategy)
    place = _place_in(draw, one)
    users = _of_user(one, key)
    return one, _spliced(one, one, [n for n, user in enumerate(users) if user != users[place]])


def _with_other_number(draw: Draw, space: Space, most: str) -> tuple[Any, Any]:
    try:
        distance = float(most)
    except ValueError:
        raise InputError(f"neighbours=coordinate:D has the largest change of one number, got {shown(most)}") from None
    one = draw(space.strategy)
    numbers = list(_numbers(one))
    assume(numbers)
    place, number = numbers[draw(st.integers(0, len(numbers) - 1))]
    near = [other for other in space.pool.get(_kind(place), {}) if 0 < abs(other - number) <= distance]
    assume(near)
    near.sort(key=lambda other: (-abs(other - number), other))
    return one, _changed(one, place, near[draw(st.integers(0, len(near) - 1))])


def _any_other(draw: Draw, space: Space, _: str) -> tuple[Any, Any]:
    return draw(space.strategy), draw(space.strategy)


_MADE: Mapping[str, tuple[Callable[[Draw, Space, str], tuple[Any, Any]], bool]] = {
    "add-row": (_without_row, True),
    "remove-row": (_without_row, True),
    "replace-row": (_with_other_row, True),
    "user-level": (_without_user, True),
    "coordinate": (_with_other_number, True),
    "local": (_any_other, False),
}
"""The neighbours by name, and whether a neighbour is made of parts of drawn inputs."""


def pairs(space: Space, neighbours: Any) -> st.SearchStrategy[tuple[Any, Any]]:
    """The pairs of a space, by the name of the neighbours, or by a function of an input, perhaps with a draw."""

    @st.composite
    def by_name(draw: st.DrawFn) -> tuple[Any, Any]:
        name, _, rest = neighbours.partition(":")
        make, of_rows = _MADE[name]
        found = make(draw, space, rest)
        assume(not of_rows or space.holds(found[1]))
        return found

    @st.composite
    def by_function(draw: st.DrawFn) -> tuple[Any, Any]:
        one = draw(space.strategy)
        # The function may change its input.
        copied = from_text(to_text(one))
        if with_draw:
            return one, neighbours(copied, draw)
        found = list(islice(neighbours(copied), _MOST_NEIGHBOURS))
        assume(found)
        return one, found[draw(st.integers(0, len(found) - 1))]

    if isinstance(neighbours, str):
        return by_name()
    if not callable(neighbours):
        raise InputError(f"neighbours in a space are a name or a function of an input, got {shown(neighbours)}")
    with_draw = len(inspect.signature(neighbours).parameters) > 1
    return by_function()


def explore(
    drawn: st.SearchStrategy[tuple[Any, Any]], ask: Ask, *, examples: int, seed: int
) -> tuple[bool, tuple[str, str] | None]:
    """Draw pairs and ask for the weight of each: Hypothesis draws more of those that are like the heavy ones.

    Once the answer is that a pair is what was looked for, Hypothesis shrinks it: it asks for smaller pairs alone, and
    the last one that was affirmed is returned. With the same answers, the same seed draws the same pairs.

    Returns
    -------
    Whether every pair of the space was drawn, and the shrunk pair.
    """

    def asked(pair: tuple[Any, Any]) -> bool:
        left, right = map(to_text, pair)
        assume(left != right)
        weight, found = ask(left, right)
        target(weight)
        return found

    finished, found = _searched(drawn, asked, examples=examples, seed=seed)
    return finished, None if found is None else (to_text(found[0]), to_text(found[1]))


def _searched(strategy: Any, condition: Callable[[Any], bool], *, examples: int, seed: int) -> tuple[bool, Any]:
    told: list[Any] = []
    found = None
    try:
        with collector.with_value(told.append):  # type: ignore[arg-type]
            found = find(
                strategy,
                condition,
                settings=settings(
                    max_examples=examples,
                    database=None,
                    deadline=None,
                    phases=[Phase.generate, Phase.target, Phase.shrink],
                    suppress_health_check=list(HealthCheck),
                ),
                random=Random(seed),
            )
    except NoSuchExample:
        pass
    except Unsatisfiable:
        raise InputError("Hypothesis finds no two inputs of the data that are neighbours") from None
    except HypothesisException as problem:
        raise InputError(f"Hypothesis cannot draw from the data: {' '.join(str(problem).split())}") from None
    return bool(told) and told[0].get("stopped-because") == _FINISHED, found


@contextlib.contextmanager
def drawing(numbers: Sequence[int], texts: Sequence[str]) -> Iterator[None]:
    """Let Hypothesis draw constants of the judged code, and numbers next to them."""
    near = sorted({sign * (number + step) for number in numbers for step in (-1, 0, 1) for sign in (1, -1)})
    with hypothesis_alone(near, texts):
        yield
