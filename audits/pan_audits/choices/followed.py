"""Arrays whose elements are functions of uniform numbers that are not drawn.

Each element is a table: disjoint boxes of uniform numbers between 0 and 1, and the value in each box. numpy's
element-wise functions act on the tables. Elements that depend on different uniform numbers stay independent, so that
an array of 20 random bits has 20 tables of two rows, rather than 2**20 values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import chain
from typing import Any, TypeAlias

import numpy as np

from pan_audits.choices.errors import asked_by_judged_code, unfollowable

Interval: TypeAlias = tuple[int, Fraction, Fraction]
"""The number of a uniform number, and its bounds; the lower one belongs to the interval."""

Box: TypeAlias = tuple[Interval, ...]
"""One interval for each of some uniform numbers, in their order."""

Table: TypeAlias = tuple[tuple[Box, Any], ...]
"""The values in some boxes that cover everything."""

_MOST_BOXES = 64

FOLLOWED = "arrays that are followed"
"""Key of the memo of a deep copy for a function that gives another value for each of these arrays."""


class FollowedArray(np.lib.mixins.NDArrayOperatorsMixin):
    """An array, or a number of numpy, of which each element is a table.

    Any use beside numpy's element-wise functions raises :class:`UnfollowableError`, which is remembered if the
    estimator catches it.

    Parameters
    ----------
    tables
        An array of tables; its shape is that of the array.
    """

    __slots__ = ("tables",)

    def __init__(self, tables: np.ndarray[Any, Any]) -> None:
        self.tables = tables

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.tables.shape)

    @property
    def size(self) -> int:
        return self.tables.size

    @property
    def ndim(self) -> int:
        return self.tables.ndim

    @property
    def identity(self) -> tuple[Any, ...]:
        """A key that is equal for equal arrays only."""
        tables = tuple(tuple((box, value_key(value)) for box, value in table) for table in self.tables.flat)
        return self.shape, tables

    def reshape(self, *shape: Any) -> FollowedArray:
        return FollowedArray(self.tables.reshape(*shape))

    def ravel(self) -> FollowedArray:
        return FollowedArray(self.tables.ravel())

    def copy(self) -> FollowedArray:
        return FollowedArray(self.tables.copy())

    def astype(self, dtype: Any) -> Any:
        return elementwise(lambda value: np.asarray(value).astype(dtype)[()], self)

    def item(self) -> Any:
        if self.shape:
            return self.refuse()
        return elementwise(_plain, self)

    def round(self, decimals: int = 0) -> FollowedArray:
        return elementwise(lambda value: np.round(value, decimals), self)

    def entries_of(self, entries: Any) -> Any:
        """The entries of numpy's own array at the places that are the elements of this one."""
        if entries.ndim != 1 or entries.dtype.hasobject:
            return self.refuse()
        return elementwise(lambda place: entries[place], self)

    def tolist(self) -> Any:
        return [one.tolist() for one in self] if self.shape else self.item()

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("object of type 'numpy.float64' has no len()")
        return len(self.tables)

    def __iter__(self) -> Iterator[Any]:
        return (self[place] for place in range(len(self)))

    def __getitem__(self, place: Any) -> Any:
        if any(type(part) is FollowedArray for part in (place if isinstance(place, tuple) else (place,))):
            return self.refuse()
        found = self.tables[place]
        return FollowedArray(found if isinstance(found, np.ndarray) else single(found))

    def __array_ufunc__(self, function: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__" or options or function.signature is not None or function.nout != 1:
            return self.refuse()
        for one in inputs:
            compare = getattr(one, "compared_with", None)
            if compare is not None:
                return compare(function, *inputs)
        return elementwise(function, *inputs)

    def __array_function__(self, function: Any, types: Any, inputs: Any, options: Any) -> Any:
        if options:
            return self.refuse()
        if function is np.where and len(inputs) == 3:
            return elementwise(np.where, *inputs)
        if function is np.clip and len(inputs) == 3 and None not in inputs[1:]:
            return elementwise(np.clip, *inputs)
        if function in (np.round, np.around) and len(inputs) <= 2:
            return elementwise(lambda value: np.round(value, *inputs[1:]), inputs[0])
        if function in (np.ndim, np.shape, np.size) and len(inputs) == 1:
            return {np.ndim: self.ndim, np.shape: self.shape, np.size: self.size}[function]
        return self.refuse()

    def refuse(self, *_: Any, **__: Any) -> Any:
        """Raise the error for any other use."""
        raise unfollowable(
            "the estimator uses an array of random choices outside of numpy's element-wise functions (arithmetic, "
            "comparisons, logical functions, where, clip, round, astype), which cannot be followed element by element"
        )

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return self.refuse() if asked_by_judged_code() else FollowedArray

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("__") and asked_by_judged_code():
            self.refuse()
        raise AttributeError(f"an array of random choices has no {name!r}")

    __array__ = __float__ = __int__ = __index__ = __bool__ = __complex__ = refuse
    __setitem__ = __hash__ = __repr__ = __str__ = __format__ = __contains__ = refuse
    __reduce__ = __reduce_ex__ = __round__ = __floor__ = __ceil__ = __trunc__ = refuse

    def __copy__(self) -> FollowedArray:
        return self.copy()

    def __deepcopy__(self, memo: dict[Any, Any]) -> Any:
        return memo[FOLLOWED](self) if FOLLOWED in memo else self.copy()


def single(table: Any) -> np.ndarray[Any, Any]:
    """An array without dimensions that holds one thing."""
    made = np.empty((), dtype=object)
    made[()] = table
    return made


def elementwise(function: Callable[..., Any], *operands: Any) -> FollowedArray:
    """An element-wise function of arrays and numbers, of which some are followed.

    numpy computes each value from arrays with one element, or from numbers where the operand is a number.
    """
    columns = [tables_of(one) for one in operands]
    wide = [column.ndim > 0 for column in columns]

    def of_values(*values: Any) -> Any:
        return function(*(np.array([value]) if array else value for array, value in zip(wide, values, strict=True)))

    spread = np.broadcast_arrays(*columns)
    made = np.empty(spread[0].shape, dtype=object)
    for place in np.ndindex(made.shape):
        tables: list[Any] = [column[place] for column in spread]
        made[place] = _table(of_values, tables)
    return FollowedArray(made)


def tables_of(operand: Any) -> np.ndarray[Any, Any]:
    """The tables of an array or a number, which have one value if it is not followed."""
    if type(operand) is FollowedArray:
        return operand.tables
    array = np.asarray(operand)
    if array.dtype.hasobject:
        raise unfollowable("the estimator combines an array of random choices with objects, or with other noise")
    if not array.ndim:
        return single((((), operand),))
    made = np.empty(array.shape, dtype=object)
    for place in np.ndindex(array.shape):
        made[place] = (((), array[place]),)
    return made


def _table(function: Callable[..., Any], columns: list[Table]) -> Table:
    rows = joint(columns, _MOST_BOXES)
    if rows is None:
        raise unfollowable(f"an element depends on random choices in more than {_MOST_BOXES} ways")
    found = tuple((box, _one(function(*values))) for box, values in rows)
    keys = {value_key(value) for _, value in found}
    return (((), found[0][1]),) if len(keys) == 1 else found


def _one(value: Any) -> Any:
    return value.ravel()[0] if isinstance(value, np.ndarray) else value


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def value_key(value: Any) -> tuple[str, Any]:
    """A key that is equal for equal values of one type only."""
    kind = type(value).__name__
    return (kind, value.tobytes()) if isinstance(value, np.generic) else (kind, repr(value))


def joint(tables: Sequence[Table], most: int) -> list[tuple[Box, tuple[Any, ...]]] | None:
    """The values of several tables together; ``None`` if there are more than ``most`` boxes."""
    rows: list[tuple[Box, tuple[Any, ...]]] = [((), ())]
    for table in tables:
        rows = [
            (both, (*values, value))
            for box, values in rows
            for other, value in table
            if (both := meet(box, other)) is not None
        ]
        if len(rows) > most:
            return None
    return rows


def meet(one: Box, other: Box) -> Box | None:
    """The common part of two boxes; ``None`` if there is none."""
    found: dict[int, tuple[Fraction, Fraction]] = {}
    for variable, low, high in chain(one, other):
        if variable in found:
            low, high = max(low, found[variable][0]), min(high, found[variable][1])
            if low >= high:
                return None
        found[variable] = (low, high)
    return tuple((variable, *found[variable]) for variable in sorted(found))


def chance(box: Box) -> Fraction:
    """The probability of a box."""
    found = Fraction(1)
    for _, low, high in box:
        found *= high - low
    return found
