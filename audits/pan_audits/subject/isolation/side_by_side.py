"""Many runs of a function by one call: its random numbers are columns with a number for each run.

This is done for functions that never use a column otherwise than element by element. Runs of each batch are made
again, singly, from the same random numbers, and must have the same outputs. In any other case all runs are single ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from types import FunctionType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_audits.problems import judged
from pan_audits.subject.isolation.columns import Columns, MixedRunsError
from pan_audits.subject.isolation.errors_seen import ErrorsSeen
from pan_audits.subject.isolation.whole_input import WholeInputEstimator
from pan_audits.subject.running.presented import presented
from pan_estimators.randomness.numpy_randomness import NumpyRandomness

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
    function = estimator.mechanism
    while isinstance(function, partial):
        function = function.func
    return isinstance(function, FunctionType) and judged(estimator.problem).one_output


def makes_batches(estimator: WholeInputEstimator, label: str, source: NumpyRandomness) -> bool:
    """Whether a function can make many runs on an input by one call."""
    return _together(estimator, label, _TRIED, source, again=_TRIED) is not None


def batch(estimator: WholeInputEstimator, label: str, runs: int, source: NumpyRandomness) -> NDArray[Any] | list[Any]:
    """The outputs of a number of runs: by one call, if this is possible, else one after the other."""
    found = _together(estimator, label, runs, source, again=min(_AGAIN, runs))
    if found is not None:
        return found
    seen = ErrorsSeen(estimator)
    return [seen.release(label, source) for _ in range(runs)]


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
