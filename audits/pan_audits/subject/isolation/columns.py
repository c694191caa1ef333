"""A number of many runs at once: one value for each run, for code that treats each number alone.

A function that adds noise to its data does the same for each run. With these columns in place of its random numbers,
one call does it for all runs. Each use that could mix the runs, or that depends on the values of one run, is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from pan_audits.choices.errors import asked_by_judged_code

_EXACT = 2**53
"""Integers up to this one are doubles, too."""

_ARITHMETIC = (np.add, np.subtract, np.multiply, np.true_divide, np.floor_divide, np.remainder, np.power)
_FOLLOWED = frozenset(
    (
        *_ARITHMETIC,
        *(np.negative, np.positive, np.absolute, np.sign, np.square, np.sqrt, np.exp, np.expm1, np.log, np.log1p),
        *(np.floor, np.ceil, np.rint, np.trunc, np.maximum, np.minimum),
        *(np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal),
        *(np.logical_and, np.logical_or, np.logical_not, np.logical_xor),
        *(np.bitwise_and, np.bitwise_or, np.bitwise_xor),
    )
)
"""numpy's functions of single numbers that have the value of Python's own, where they have one."""

_BITS = frozenset((*_ARITHMETIC, np.negative, np.positive, np.absolute, np.sign, np.square))
"""Functions that treat two of numpy's bits otherwise than two of Python's."""

_REDUCED = ("sum", "max", "min", "argmax", "argmin", "mean")


class MixedRunsError(Exception):
    """Code does something with a number of many runs that it may not do with each of them alone."""


class Columns(np.lib.mixins.NDArrayOperatorsMixin):
    """Numbers, or an array of them, of many runs."""

    __slots__ = ("refused", "values")

    def __init__(self, values: NDArray[Any], refused: list[bool]) -> None:
        self.values, self.refused = values, refused

    @property
    def shape(self) -> tuple[int, ...]:
        return self.values.shape[:-1]

    @property
    def size(self) -> int:
        return int(self.values[..., 0].size)

    @property
    def ndim(self) -> int:
        return self.values.ndim - 1

    def reshape(self, *shape: Any) -> Columns:
        first = shape[0] if len(shape) == 1 else shape
        own = tuple(first) if isinstance(first, (tuple, list)) else (first,)
        return self._made(self.values.reshape(*own, self.values.shape[-1]))

    def astype(self, dtype: Any) -> Columns:
        kind = np.dtype(dtype)
        if kind not in (np.float64, np.int64, np.bool_) or (kind.kind == "i" and self.values.dtype.kind == "f"):
            self.refuse()
        return self._made(self.values.astype(kind))

    def copy(self) -> Columns:
        return self._made(self.values.copy())

    def entries_of(self, entries: NDArray[Any]) -> Columns:
        """The entries of an array of constants at the places that are these numbers."""
        if entries.ndim != 1 or entries.dtype not in (np.float64, np.int64, np.bool_):
            self.refuse()
        return self._made(entries[self.values])

    def sum(self) -> Columns:
        return self._reduced("sum")

    def max(self) -> Columns:
        return self._reduced("max")

    def min(self) -> Columns:
        return self._reduced("min")

    def mean(self) -> Columns:
        return self._reduced("mean")

    def argmax(self) -> Columns:
        return self._reduced("argmax")

    def argmin(self) -> Columns:
        return self._reduced("argmin")

    def __len__(self) -> int:
        if not self.ndim:
            self.refuse()
        return int(self.values.shape[0])

    def __iter__(self) -> Iterator[Columns]:
        return (self[place] for place in range(len(self)))

    def __getitem__(self, place: Any) -> Columns:
        if not self.ndim or type(place) not in (int, slice):
            self.refuse()
        return self._made(self.values[place])

    def __array_ufunc__(self, function: Any, method: str, *inputs: Any, **options: Any) -> Columns:
        if method != "__call__" or options or function not in _FOLLOWED:
            self.refuse()
        return self._elementwise(function, *inputs)

    def __array_function__(self, function: Any, types: Any, inputs: Any, options: Any) -> Any:
        if options:
            self.refuse()
        if function is np.where and len(inputs) == 3:
            return self._elementwise(np.where, *inputs)
        if function is np.clip and len(inputs) == 3:
            return self._elementwise(np.clip, *inputs)
        if function is np.concatenate and len(inputs) == 1 and all(type(one) is Columns for one in inputs[0]):
            # The draws of an array of locations, one after the other.
            return self._made(np.concatenate([one.values for one in inputs[0]]))
        if function in (np.ndim, np.shape, np.size) and len(inputs) == 1:
            return {np.ndim: self.ndim, np.shape: self.shape, np.size: self.size}[function]
        name = {np.amax: "max", np.amin: "min"}.get(function, function.__name__)
        if name in _REDUCED and function in (getattr(np, name), np.amax, np.amin) and len(inputs) == 1:
            return self._reduced(name)
        return self.refuse()

    def refuse(self, *_: Any, **__: Any) -> NoReturn:
        """Raise the error for any other use."""
        self.refused.append(True)
        raise MixedRunsError("a number of many runs is used otherwise than one number of each run")

    def __getattr__(self, name: str) -> Any:
        self.refuse()

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        # ``isinstance`` asks for it.
        return self.refuse() if asked_by_judged_code() else Columns

    __array__ = __float__ = __int__ = __index__ = __bool__ = __complex__ = refuse
    __setitem__ = __hash__ = __repr__ = __str__ = __format__ = __contains__ = refuse
    __round__ = __floor__ = __ceil__ = __trunc__ = __reduce__ = __reduce_ex__ = refuse
    __copy__ = __deepcopy__ = __sizeof__ = __dir__ = refuse

    def _made(self, values: NDArray[Any]) -> Columns:
        return Columns(values, object.__getattribute__(self, "refused"))

    def _elementwise(self, function: Callable[..., Any], *inputs: Any) -> Columns:
        values = [self._with_runs(one) for one in inputs]
        kinds = {each.dtype.kind for each in values}
        if function in _BITS and kinds == {"b"}:
            self.refuse()
        try:
            with np.errstate(all="raise", under="ignore"):
                found = np.asarray(function(*values))
                grows = found.dtype.kind == "i" and function in _ARITHMETIC
                whole = grows and np.abs(function(*(each.astype(float) for each in values)))
        except Exception:
            self.refuse()
        if found.dtype not in (np.float64, np.int64, np.bool_) or np.max(whole, initial=0) > _EXACT:
            self.refuse()
        return self._made(found)

    def _with_runs(self, one: Any) -> NDArray[Any]:
        """A number or an array, with an axis for the runs."""
        if type(one) is Columns:
            return one.values
        if type(one) not in (bool, int, float, np.ndarray, np.float64, np.int64, np.bool_):
            self.refuse()
        constant = np.asarray(one)
        if constant.dtype not in (np.float64, np.int64, np.bool_):
            self.refuse()
        return constant[..., np.newaxis]

    def _reduced(self, name: str) -> Columns:
        """A function of all elements, with the order of additions that one run has."""
        if self.ndim != 1 or not self.size or (self.values.dtype.kind != "f" and name in ("sum", "mean")):
            self.refuse()
        return self._made(getattr(np.ascontiguousarray(self.values.T), name)(axis=1))
