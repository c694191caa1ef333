"""The precision of outputs: low bits that reveal the value under the noise."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_audits.auditing.sequential import PairTest, threshold
from pan_audits.events import Table
from pan_audits.hygiene.finding import Finding, Severity
from pan_audits.hygiene.runs_in_time import runs_in_time
from pan_audits.inputs.problems import conversion_of, implied_by
from pan_audits.inputs.streams.side import Id, SegmentEnd
from pan_audits.observing.features import lowest_bit
from pan_audits.running.course import Course, run_course
from pan_audits.running.mechanism import RunsApart
from pan_audits.workers.engines import run_in_workers
from pan_audits.workers.limits import Failure, Limits, VariantError
from pan_estimators.randomness.numpy_randomness import NumpyRandomness
from pan_promises.promise import Promise

_FEWEST, _OUTPUTS = 100, 500
_SECONDS = 20.0
"""The time of the processor for the runs on a stream, which a slow estimator exceeds with the fewest runs only."""
_COARSE_GRIDS = (12, 20, 28)


class _Outputs:
    """Outputs of independent runs on a stream, one row each; no rows for outputs that are not numbers."""

    def __init__(self, estimator: Any, ids: tuple[Id, ...], seed: int) -> None:
        self.estimator = estimator
        self.ids = ids
        self.seed = seed

    def __call__(self) -> NDArray[np.float64]:
        outputs = []
        for output in self._outputs():
            if not _is_number(output):
                return np.empty(0)
            try:
                outputs.append(float(output))
            except OverflowError:  # an integer beyond all doubles has no low bits of a double
                return np.empty(0)
        return np.array(outputs)

    def _outputs(self) -> Iterator[Any]:
        course: Course = [(np.array(self.ids), None, SegmentEnd.RELEASE)]
        if isinstance(self.estimator, RunsApart):
            # All runs are made before the first one is seen: a look at one run spares those of another kind of output.
            for stack in self.estimator.runs_apart(course, 1, (self.seed,), states_seen=False):
                if not all(_is_number(each.outputs[0]) for each in stack):
                    yield from (each.outputs[0] for each in stack)
                    return
            runs = runs_in_time(self.estimator, course, _OUTPUTS, fewest=_FEWEST, seconds=_SECONDS)
            stacks = self.estimator.runs_apart(course, runs, (self.seed,), states_seen=False)
            yield from (each.outputs[0] for stack in stacks for each in stack)
            return
        randomness = NumpyRandomness(self.seed)
        for _ in range(_OUTPUTS):
            yield run_course(self.estimator, course, randomness, states_seen=False).outputs[0]


def _is_number(output: Any) -> bool:
    return isinstance(output, (int, float, np.number)) and not isinstance(output, bool)


def findings_of_floats(
    estimator: Any,
    ids: tuple[Id, ...],
    promise: Promise,
    error: float,
    limits: Limits,
    seed: int,
    *,
    against: tuple[Id, ...] = (),
) -> list[Finding]:
    """Test the precision of the outputs on two adjacent streams: by default one with one user, and an empty one."""
    streams = [_Outputs(estimator, ids[:1], seed), _Outputs(estimator, against, seed + 1)]
    outcomes = run_in_workers(streams, 1, limits)
    for outcome in outcomes:
        if isinstance(outcome.result, Failure):
            raise VariantError(outcome.result.sentence)
    outputs, others = (outcome.result for outcome in outcomes)
    told = low_bits_tell(outputs, others, promise, error)
    if told:
        return [
            Finding(
                "floating point",
                Severity.DEFECT if promise.sees_output else Severity.WARNING,
                f"the low bits of the output distinguish adjacent streams better than {_standard(promise)}, by {told}: "
                "its noise is not floating-point-safe (Mironov 2012); use randomness.laplace(value, scale) for value "
                "plus noise",
            )
        ]
    if lacks_grid(outputs):
        return [
            Finding(
                "floating point",
                Severity.WARNING,
                "outputs use all bits of a double: their low bits may reveal the value under the noise (Mironov 2012); "
                "use randomness.laplace(value, scale) for value plus noise, or release integers",
            )
        ]
    return []


def _standard(promise: Promise) -> str:
    if promise.rho is not None:
        return f"promised ({conversion_of(promise)})"
    if promise.sees_output:
        return "promised"
    return f"epsilon {promise.epsilon:g} (the promise does not cover the output)"


def low_bits_tell(outputs: NDArray[np.float64], others: NDArray[np.float64], promise: Promise, error: float) -> str:
    """The event in the exponents of the outputs' lowest set bits that breaks the promise, if there is one.

    A sequential test at level ``error``; an empty text if the promise is not refuted.
    """
    if min(outputs.size, others.size) == 0 or not lacks_grid(np.concatenate([outputs, others])):
        return ""
    left, right = _low_bits(outputs), _low_bits(others)
    tested = implied_by(promise)
    test = PairTest(tested.epsilon, tested.delta)
    reached = test.extend(left, right, stop_at=threshold(error, 0.5))
    if reached is None:
        return ""
    event = test.bets[reached].event
    return event.describe() if event else ""


def _low_bits(outputs: NDArray[np.float64]) -> Table:
    """Features of the low bits of a double: the exponent of the lowest one, and the remainders modulo coarse grids."""
    columns = [lowest_bit(outputs)] + [np.mod(outputs * 2.0**bits, 1.0) for bits in _COARSE_GRIDS]
    names = ("the exponent of the lowest bit", *(f"the output modulo 2^-{bits}" for bits in _COARSE_GRIDS))
    return Table(names, np.column_stack(columns))


def lacks_grid(outputs: NDArray[np.float64]) -> bool:
    """Whether noisy outputs have no common grid that is coarser than the precision of a double.

    Discrete outputs, which repeat, outputs on a power-of-two grid, and outputs rounded to at most
    nine decimals are unsuspicious. No grid does not prove a leak: it is a warning.
    """
    outputs = outputs[np.isfinite(outputs) & (outputs != 0)]
    if outputs.size < 20 or np.unique(outputs).size < 0.5 * outputs.size:
        return False
    if np.abs(outputs).max() < 1e5 and np.array_equal(outputs, np.round(outputs, 9)):
        return False
    finest_of_largest = int(np.frexp(np.abs(outputs).max())[1]) - 53
    return bool(lowest_bit(outputs).min() <= finest_of_largest)
