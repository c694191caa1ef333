"""Values of several outcomes that are followed through code.

Arrays whose elements are functions of uniform numbers that are not drawn.

Each element is a table: disjoint boxes of uniform numbers between 0 and 1, and the value in each box. numpy's
element-wise functions act on the tables. Elements that depend on different uniform numbers stay independent, so that
an array of 20 random bits has 20 tables of two rows, rather than 2**20 values.

Arrays of uniform numbers that are not drawn: a comparison with constants gives an array of tables.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import chain
from typing import Any, NoReturn, TypeAlias

import numpy as np

from pan_audits.choices.errors import UnfollowableError, asked_by_judged_code, refusing_the_rest, unfollowable
from pan_audits.choices.uniform import UniformLimits, note_constant

Interval: TypeAlias = tuple[int, Fraction, Fraction]
"""The number of a uniform number, and its bounds; the lower one belongs to the interval."""

Box: TypeAlias = tuple[Interval, ...]
"""One interval for each of some uniform numbers, in their order."""

Table: TypeAlias = tuple[tuple[Box, Any], ...]
"""The values in some boxes that cover everything."""

_MOST_BOXES = 64

PYTHON = (bool, int, float, str)
"""The types of Python's own numbers and texts that are followed."""

FOLLOWED = "arrays that are followed"
"""Key of the memo of a deep copy for a function that gives another value for each of these arrays."""


def _operators(function: Any, name: str, other_name: str, other: tuple[Any, ...] = ()) -> tuple[Any, Any]:
    """Two operators of an array: of a function and of another one, which by default is the same for swapped operands.

    Between Python's own numbers they have Python's arithmetic.
    """

    def made(each: str, of_python: Callable[..., Any]) -> Any:
        of_numpy = getattr(np.lib.mixins.NDArrayOperatorsMixin, each)

        def applied(self: FollowedArray, *others: Any) -> Any:
            if self.is_python and all(type(one) in PYTHON or _is_python(one) for one in others):
                return of_numbers(of_python, self, *others)
            return of_numpy(self, *others)

        return applied

    return made(name, function), made(other_name, other[0] if other else lambda one, two: function(two, one))


def _is_python(one: Any) -> bool:
    return type(one) is FollowedArray and one.is_python


def of_numbers(function: Callable[..., Any], *operands: Any) -> FollowedArray:
    """A function of numbers, of which some are followed, by Python's arithmetic."""
    tables: list[Any] = [one.tables[()] if type(one) is FollowedArray else (((), one),) for one in operands]
    rows = joint(tables, _MOST_BOXES)
    if rows is None:
        raise unfollowable(f"a number depends on random choices in more than {_MOST_BOXES} ways")
    found = []
    for box, values in rows:
        try:
            value = function(*values)
        except Exception as problem:
            raise unfollowable(
                f"an operation fails for some of the random choices ({type(problem).__name__}), and this cannot be "
                "followed element by element"
            ) from None
        if type(value) not in PYTHON:
            refuse_array()
        found.append((box, value))
    alike = len({value_key(value) for _, value in found}) == 1
    return FollowedArray(single((((), found[0][1]),) if alike else tuple(found)))


@refusing_the_rest
class FollowedArray(np.lib.mixins.NDArrayOperatorsMixin):
    """An array, or a number of numpy, of which each element is a table.

    Any use beside numpy's element-wise functions raises :class:`UnfollowableError`, which is remembered if the
    estimator catches it. Judged code finds no other attributes than those that it may use.
    """

    __slots__ = ("tables",)

    def __init__(self, tables: np.ndarray[Any, Any]) -> None:
        self.tables = tables

    def __getattribute__(self, name: str) -> Any:
        if name not in _OFFERED and asked_by_judged_code():
            refuse_array()
        return object.__getattribute__(self, name)

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
    def T(self) -> FollowedArray:  # noqa: N802 - numpy's name
        return FollowedArray(self.tables.T)

    def reshape(self, *shape: Any, **options: Any) -> FollowedArray:
        _require_none(options)
        return FollowedArray(self.tables.reshape(*shape))

    def ravel(self, *order: Any, **options: Any) -> FollowedArray:
        _require_none((*order, *options))
        return FollowedArray(self.tables.ravel())

    flatten = ravel

    def copy(self, *order: Any, **options: Any) -> FollowedArray:
        _require_none((*order, *options))
        return FollowedArray(self.tables.copy())

    def astype(self, dtype: Any, *options: Any, copy: bool = True, **others: Any) -> FollowedArray:
        _require_none((*options, *others))
        kind = np.dtype(dtype)
        if self.is_python:
            table: Any = self.tables[()]
            return FollowedArray(single(tuple((box, kind.type(value)) for box, value in table)))
        return elementwise(lambda value: np.asarray(value).astype(kind)[()], self)

    def round(self, decimals: Any = 0, *options: Any, **others: Any) -> FollowedArray:
        _require_none((*options, *others))
        return elementwise(lambda value: np.round(value, decimals), self)

    def clip(self, min: Any = None, max: Any = None, *options: Any, **others: Any) -> FollowedArray:
        _require_none((*options, *others))
        return _clipped(self, min, max)

    def item(self, *places: Any) -> FollowedArray:
        _require_none(places or self.shape)
        table: Any = self.tables[()]
        return FollowedArray(single(tuple((box, _plain(value)) for box, value in table)))

    def as_python(self) -> FollowedArray:
        """The same number as one of Python's own."""
        return self.item()

    @property
    def is_python(self) -> bool:
        """Whether it is one of Python's own numbers."""
        table: Any = None if self.shape else self.tables[()]
        return table is not None and not any(isinstance(value, np.generic) for _, value in table)

    def tolist(self) -> Any:
        return [one.tolist() for one in self] if self.shape else self.item()

    def entries_of(self, entries: Any) -> FollowedArray:
        """The entries of numpy's own array at the places that are the elements of this one."""
        if entries.ndim != 1:
            refuse_array()
        return elementwise(lambda place: entries[place], self)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("object of type 'numpy.float64' has no len()")
        return len(self.tables)

    def __iter__(self) -> Iterator[Any]:
        return (self[place] for place in range(len(self)))

    def __getitem__(self, place: Any) -> FollowedArray:
        for part in place if isinstance(place, tuple) else (place,):
            if type(part) is FollowedArray or isinstance(part, str):
                refuse_array()
        found = self.tables[place]
        return FollowedArray(found if isinstance(found, np.ndarray) else single(found))

    def __array_ufunc__(self, function: Any, method: str, *inputs: Any, **options: Any) -> Any:
        # A function of another library may do anything with its elements.
        of_numpy = getattr(np, function.__name__, None) is function
        if method != "__call__" or options or not of_numpy or function.signature is not None or function.nout != 1:
            refuse_array()
        for one in inputs:
            if hasattr(type(one), "compared_with"):
                return one.compared_with(function, *inputs)
        return elementwise(function, *inputs)

    def __array_function__(self, function: Any, types: Any, inputs: Any, options: Any) -> Any:
        if function is np.clip and not options.keys() - {"a_min", "a_max"}:
            return _clipped(*inputs, *(options[name] for name in ("a_min", "a_max") if name in options))
        if function is np.where and len(inputs) == 3 and not options:
            return elementwise(np.where, *inputs)
        if function in (np.round, np.around) and len(inputs) <= 2 and not options:
            return elementwise(lambda value: np.round(value, *inputs[1:]), inputs[0])
        if function in (np.ndim, np.shape, np.size) and len(inputs) == 1 and not options:
            return {np.ndim: self.ndim, np.shape: self.shape, np.size: self.size}[function]
        return refuse_array()

    def refuse(self, *_: Any, **__: Any) -> Any:
        """Raise the error for any other use."""
        refuse_array()

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return FollowedArray

    __add__, __radd__ = _operators(operator.add, "__add__", "__radd__")
    __sub__, __rsub__ = _operators(operator.sub, "__sub__", "__rsub__")
    __mul__, __rmul__ = _operators(operator.mul, "__mul__", "__rmul__")
    __truediv__, __rtruediv__ = _operators(operator.truediv, "__truediv__", "__rtruediv__")
    __floordiv__, __rfloordiv__ = _operators(operator.floordiv, "__floordiv__", "__rfloordiv__")
    __mod__, __rmod__ = _operators(operator.mod, "__mod__", "__rmod__")
    __xor__, __rxor__ = _operators(operator.xor, "__xor__", "__rxor__")
    __and__, __rand__ = _operators(operator.and_, "__and__", "__rand__")
    __or__, __ror__ = _operators(operator.or_, "__or__", "__ror__")
    __lt__, __gt__ = _operators(operator.lt, "__lt__", "__gt__", (operator.gt,))
    __le__, __ge__ = _operators(operator.le, "__le__", "__ge__", (operator.ge,))
    __eq__, __ne__ = _operators(operator.eq, "__eq__", "__ne__", (operator.ne,))
    __neg__, __pos__ = _operators(operator.neg, "__neg__", "__pos__", (operator.pos,))
    __abs__, __invert__ = _operators(operator.abs, "__abs__", "__invert__", (operator.invert,))

    __array__ = __setitem__ = __contains__ = __sizeof__ = __dir__ = refuse

    def __copy__(self) -> FollowedArray:
        return FollowedArray(self.tables.copy())

    def __deepcopy__(self, memo: dict[Any, Any]) -> Any:
        return memo[FOLLOWED](self) if FOLLOWED in memo else self.__copy__()


_OFFERED = frozenset(
    ("shape", "size", "ndim", "T", "reshape", "ravel", "flatten", "copy", "astype", "round", "clip", "item", "tolist")
)
"""The attributes that judged code may ask for."""


def refuse_array() -> NoReturn:
    """Raise the error for a use of an array that is not element by element."""
    raise unfollowable(
        "the estimator uses random choices outside of numpy's element-wise functions (arithmetic, "
        "comparisons, logical functions, where, clip, round, astype), or decides by one of them; this cannot be "
        "followed element by element"
    )


def _require_none(arguments: Any) -> None:
    if arguments:
        refuse_array()


def _clipped(array: Any, low: Any = None, high: Any = None) -> FollowedArray:
    given = [bound for bound in (low, high) if bound is not None]

    def clipped(value: Any, *bounds: Any) -> Any:
        found = iter(bounds)
        return np.clip(value, *(None if bound is None else next(found) for bound in (low, high)))

    return elementwise(clipped, array, *given)


def single(table: Any) -> np.ndarray[Any, Any]:
    """An array without dimensions that holds one thing."""
    made = np.empty((), dtype=object)
    made[()] = table
    return made


def elementwise(function: Callable[..., Any], *operands: Any) -> FollowedArray:
    """An element-wise function of arrays and numbers, of which some are followed.

    numpy computes each value from arrays with one element, or from numbers where the operand is a number.
    """
    for one in operands:
        # Python's own numbers, of tolist and item, have another arithmetic.
        if type(one) is FollowedArray and not all(isinstance(v, np.generic) for t in one.tables.flat for _, v in t):
            refuse_array()
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
        return single((((), operand[()] if isinstance(operand, np.ndarray) else operand),))
    made = np.empty(array.shape, dtype=object)
    for place in np.ndindex(array.shape):
        made[place] = (((), array[place]),)
    return made


def _table(function: Callable[..., Any], columns: list[Table]) -> Table:
    rows = joint(columns, _MOST_BOXES)
    if rows is None:
        raise unfollowable(f"an element depends on random choices in more than {_MOST_BOXES} ways")
    found = tuple((box, _computed(function, values)) for box, values in rows)
    keys = {value_key(value) for _, value in found}
    return (((), found[0][1]),) if len(keys) == 1 else found


def _computed(function: Callable[..., Any], values: tuple[Any, ...]) -> np.generic:
    """The value of numpy's function. In a run it could warn or fail for some choices only, and code can notice it."""
    try:
        with np.errstate(all="raise"):
            found = function(*values)
    except UnfollowableError:
        raise
    except Exception as problem:
        raise unfollowable(
            f"one of numpy's functions fails or warns for some of the random choices ({type(problem).__name__}), and "
            "this cannot be followed element by element"
        ) from None
    value = found.ravel()[0] if isinstance(found, np.ndarray) else found
    if not isinstance(value, np.generic) or value.dtype.kind not in "biufcSU":
        refuse_array()
    return value


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def identity_of(array: FollowedArray) -> tuple[Any, ...]:
    """A key that is equal for equal arrays only."""
    tables: Any = array.tables.flat
    return array.shape, tuple(tuple((box, value_key(value)) for box, value in table) for table in tables)


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


_LESS = {
    np.less: (True, True),
    np.less_equal: (True, False),
    np.greater: (False, False),
    np.greater_equal: (False, True),
}
"""For ``uniform ? constant``: whether it is true below the constant, and whether it compares strictly from there."""

_MIRRORED = {
    np.less: np.greater,
    np.less_equal: np.greater_equal,
    np.greater: np.less,
    np.greater_equal: np.less_equal,
}


@refusing_the_rest
class FollowedUniforms:
    """Uniform numbers, each with a number of its own.

    A comparison with constants, or with an array of tables of constants, gives a
    :class:`pan_audits.choices.followed.FollowedArray`. Any other use raises :class:`UnfollowableError`.
    """

    __slots__ = ("_bernoulli", "_limits", "high", "low", "python", "variables")

    def __init__(
        self,
        low: Any,
        high: Any,
        variables: np.ndarray[Any, Any],
        bernoulli: Callable[[Any, int], Any],
        limits: dict[int, UniformLimits] | None = None,
    ) -> None:
        self.low, self.high = low, high
        self.python = False
        self.variables = variables
        self._bernoulli = bernoulli
        self._limits = {int(one): UniformLimits(low, high) for one in variables.flat} if limits is None else limits
        note_constant(low, bernoulli)
        note_constant(high, bernoulli)

    def __getattribute__(self, name: str) -> Any:
        if name not in _OFFERED_BY_UNIFORM and asked_by_judged_code():
            refuse_uniforms()
        return object.__getattribute__(self, name)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.variables.shape)

    @property
    def size(self) -> int:
        return self.variables.size

    @property
    def ndim(self) -> int:
        return self.variables.ndim

    def noting(self, bernoulli: Callable[[Any, int], Any]) -> FollowedUniforms:
        """The same numbers, which record their constants elsewhere."""
        return FollowedUniforms(self.low, self.high, self.variables, bernoulli, self._limits)

    def as_python(self) -> FollowedUniforms:
        """The same number as one of Python's own: its comparison with such a number gives Python's truth values."""
        found = self._at(self.variables)
        found.python = True
        return found

    def reshape(self, *shape: Any, **options: Any) -> FollowedUniforms:
        if options:
            self.refuse()
        return self._at(self.variables.reshape(*shape))

    def __len__(self) -> int:
        return len(self.variables)

    def __iter__(self) -> Iterator[FollowedUniforms]:
        return (self[place] for place in range(len(self)))

    def __getitem__(self, place: Any) -> FollowedUniforms:
        return self._at(np.asarray(self.variables[place]))

    def _at(self, variables: np.ndarray[Any, Any]) -> FollowedUniforms:
        return FollowedUniforms(self.low, self.high, variables, self._bernoulli, self._limits)

    def compared_with(self, function: Any, left: Any, right: Any) -> Any:
        """A comparison of numpy of which one side holds these numbers."""
        if type(left) is not FollowedUniforms:
            left, right, function = right, left, _MIRRORED.get(function)
        if type(left) is not FollowedUniforms or type(right) is FollowedUniforms or function not in _LESS:
            return self.refuse()
        below, strictly = _LESS[function]
        constants = tables_of(right)
        shape = np.broadcast_shapes(left.shape, constants.shape)
        variables, constants = np.broadcast_to(left.variables, shape), np.broadcast_to(constants, shape)
        made = np.empty(shape, dtype=object)
        for place in np.ndindex(shape):
            table: Any = constants[place]
            made[place] = left._table(int(variables[place]), table, below=below, strictly=strictly)
        found = FollowedArray(made)
        of_python = left.python and (type(right) in PYTHON or (type(right) is FollowedArray and right.is_python))
        return found.item() if of_python else found

    def _table(self, variable: int, constants: Table, *, below: bool, strictly: bool) -> Table:
        found: list[Any] = []
        for box, constant in constants:
            limits = self._limits[variable]
            limit = limits.place_of(constant, strictly=strictly)
            place = (limit - limits.low) / (limits.high - limits.low)
            if 0 < place < 1:
                note_constant(constant, self._bernoulli)
            cut = min(max(place, Fraction(0)), Fraction(1))
            for low, high, value in ((Fraction(0), cut, below), (cut, Fraction(1), not below)):
                both = meet(box, ((variable, low, high),)) if low < high else None
                if both is not None:
                    found.append((both, np.bool_(value)))
        return tuple(found)

    def refuse(self, *_: Any, **__: Any) -> Any:
        """Raise the error for any other use."""
        refuse_uniforms()

    def __array_ufunc__(self, function: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__" or options or len(inputs) != 2:
            return self.refuse()
        return self.compared_with(function, *inputs)

    def __lt__(self, other: Any) -> Any:
        return self.compared_with(np.less, self, other)

    def __le__(self, other: Any) -> Any:
        return self.compared_with(np.less_equal, self, other)

    def __gt__(self, other: Any) -> Any:
        return self.compared_with(np.greater, self, other)

    def __ge__(self, other: Any) -> Any:
        return self.compared_with(np.greater_equal, self, other)

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return FollowedUniforms

    __array__ = __array_function__ = __setitem__ = __contains__ = __sizeof__ = __dir__ = refuse


_OFFERED_BY_UNIFORM = frozenset(("shape", "size", "ndim", "reshape"))
"""The attributes that judged code may ask for."""


def refuse_uniforms() -> NoReturn:
    """Raise the error for a use of an array that is no comparison with constants."""
    raise unfollowable(
        "the estimator uses an array of uniform numbers outside of a comparison with constants, and this cannot be "
        "followed element by element"
    )
