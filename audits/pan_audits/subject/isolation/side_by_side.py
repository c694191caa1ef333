"""Many runs of a function by one call: its random numbers are columns with a number for each run.

A function that adds noise to its data does the same for each run. With these columns in place of its random numbers,
one call does it for all runs. Each use that could mix the runs, or that depends on the values of one run, is refused.
Runs of each batch are made again, singly, from the same random numbers, and must have the same outputs. In any other
case all runs are single ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from pan_audits.choices.errors import asked_by_judged_code
from pan_audits.problems import judged
from pan_audits.subject.isolation.errors_seen import ErrorsSeen, MixedRunsError
from pan_audits.subject.isolation.whole_input import WholeInputEstimator
from pan_audits.subject.running.presented import presented
from pan_estimators.randomness.numpy_randomness import NumpyRandomness

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


_DRAWN = frozenset(
    (
        *("bernoulli", "uniform_integers", "laplace_noise", "normal_noise", "discrete_gaussian_noise", "gumbel_noise"),
        *("discrete_laplace", "two_sided_geometric", "geometric_numbers", "binomial_numbers", "exponential_noise"),
        *("uniform_numbers", "weighted_places"),
    )
)
"""The draws that are independent with one distribution for all of them; their last parameter is the number of draws."""

_AGAIN = 16
"""Runs of a batch that are made again."""

_TRIED = 256
"""Runs of a batch that shows whether the function makes batches; each of them is made again."""

_MOST_NUMBERS = 2**22
"""Random numbers of one batch, at most."""


def may_make_batches(estimator: Any) -> bool:
    """Whether a mechanism is a function of one output, whose runs may be made side by side."""
    if not isinstance(estimator, WholeInputEstimator) or estimator.takes_size:
        return False
    return estimator.form.plain_function is not None and judged(estimator.problem).one_output


def makes_batches(estimator: WholeInputEstimator, label: str, source: NumpyRandomness) -> bool:
    """Whether a function can make many runs on an input by one call."""
    return _together(estimator, label, _TRIED, source, again=_TRIED) is not None


def batch(estimator: WholeInputEstimator, label: str, runs: int, source: NumpyRandomness) -> NDArray[Any] | list[Any]:
    """The outputs of a number of runs: by one call, if this is possible, else one after the other."""
    found = _together(estimator, label, runs, source, again=min(_AGAIN, runs))
    if found is not None:
        return found
    return list(ErrorsSeen(estimator).releases(label, runs, source))


def _together(
    estimator: WholeInputEstimator, label: str, runs: int, source: NumpyRandomness, *, again: int
) -> NDArray[Any] | None:
    """The outputs of all runs by one call, the first axis for the runs; ``None`` if that cannot be done."""
    drawn = _Drawn(source, runs)
    try:
        output = estimator.release(label, presented(drawn.draw, _NoGenerator(drawn.refused)))
        outputs = None if drawn.refused else _outputs_of(output, runs)
        if outputs is None or not _confirmed(estimator, label, drawn, outputs, again):
            return None
    except (Exception, SystemExit):
        # The function may fail in single runs as well: these show it.
        return None
    return outputs


class _Drawn:
    """Draws for all runs, which are remembered."""

    def __init__(self, source: NumpyRandomness, runs: int) -> None:
        self.source, self.runs = source, runs
        self.refused: list[bool] = []
        self.made: list[tuple[str, NDArray[Any]]] = []
        self.numbers = 0

    def draw(self, name: str) -> Callable[..., Any]:
        def drawn(*arguments: Any) -> Columns:
            *parameters, size = arguments
            plain = all(type(one) in (int, float, list, np.float64, np.int64) for one in parameters)
            self.numbers += self.runs * size
            if name not in _DRAWN or not plain or self.numbers > _MOST_NUMBERS:
                self.refused.append(True)
                raise MixedRunsError("this draw cannot be made for many runs")
            values = np.asarray(getattr(self.source, name)(*parameters, size * self.runs)).reshape(size, self.runs)
            self.made.append((name, values))
            return Columns(values, self.refused)

        return drawn

    def of_one(self, run: int) -> tuple[Callable[[str], Callable[..., Any]], Callable[[], bool]]:
        """The draws of one run, in their order, and whether all of them have been used."""
        left = iter(self.made)
        finished = object()

        def draw(name: str) -> Callable[..., Any]:
            def drawn(*arguments: Any) -> NDArray[Any]:
                own, values = next(left)
                if own != name or len(values) != arguments[-1]:
                    raise MixedRunsError("a single run makes other draws")
                return values[:, run].copy()

            return drawn

        return draw, lambda: next(left, finished) is finished


class _NoGenerator:
    """It has the place of numpy's generator."""

    def __init__(self, refused: list[bool]) -> None:
        object.__setattr__(self, "_refused", refused)

    def __getattribute__(self, name: str) -> Any:
        object.__getattribute__(self, "_refused").append(True)
        raise MixedRunsError("numpy's generator cannot draw for many runs")


def _outputs_of(output: Any, runs: int) -> NDArray[Any] | None:
    """The outputs of all runs, if each is a number or some numbers of one type."""
    if type(output) is Columns:
        made = np.moveaxis(output.values, -1, 0)
        return np.ascontiguousarray(made) if made.shape[0] == runs and made.ndim <= 2 else None
    if type(output) not in (list, tuple) or not any(type(one) is Columns for one in output):
        return None
    entries: list[NDArray[Any]] = []
    for one in output:
        if type(one) is Columns and not one.ndim:
            entries.append(np.broadcast_to(one.values, (runs,)))
        elif type(one) in (bool, int, float):
            entries.append(np.full(runs, one))
        else:
            return None
    if len({each.dtype for each in entries}) > 1:
        return None
    return np.stack(entries, axis=1)


def _confirmed(
    estimator: WholeInputEstimator,
    label: str,
    drawn: _Drawn,
    outputs: NDArray[Any],
    again: int,
) -> bool:
    """Whether single runs with the draws of some of the runs have their outputs."""
    places: Sequence[int] = np.linspace(0, drawn.runs - 1, again).astype(int).tolist()
    for place in places:
        draw, is_finished = drawn.of_one(place)
        single = estimator.release(label, presented(draw, _NoGenerator([])))
        if type(single) not in (bool, int, float, list, tuple, np.ndarray, np.float64, np.int64, np.bool_):
            return False
        alone = np.asarray(single)
        row = np.asarray(outputs[place])
        same = alone.dtype == row.dtype and alone.shape == row.shape and alone.tobytes() == row.tobytes()
        if not same or not is_finished():
            return False
    return True
