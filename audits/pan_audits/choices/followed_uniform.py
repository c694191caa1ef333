"""Arrays of uniform numbers that are not drawn: a comparison with constants gives an array of tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, NoReturn

import numpy as np

from pan_audits.choices.errors import asked_by_judged_code, unfollowable
from pan_audits.choices.followed import PYTHON, FollowedArray, Table, meet, tables_of
from pan_audits.choices.uniform import note_constant
from pan_audits.choices.uniform_limits import UniformLimits

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
        if name not in _OFFERED and asked_by_judged_code():
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

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = refuse
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = __neg__ = __pos__ = __abs__ = refuse
    __float__ = __int__ = __index__ = __bool__ = __eq__ = __ne__ = __hash__ = __array__ = refuse
    __array_function__ = __setitem__ = __contains__ = __sizeof__ = __dir__ = refuse
    __repr__ = __str__ = __format__ = __copy__ = __deepcopy__ = __reduce__ = __reduce_ex__ = refuse


_OFFERED = frozenset(("shape", "size", "ndim", "reshape"))
"""The attributes that judged code may ask for."""


def refuse_uniforms() -> NoReturn:
    """Raise the error for a use of an array that is no comparison with constants."""
    raise unfollowable(
        "the estimator uses an array of uniform numbers outside of a comparison with constants, and this cannot be "
        "followed element by element"
    )
