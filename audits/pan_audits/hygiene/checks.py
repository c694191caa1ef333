"""The checks of conduct: hidden state, foreign randomness, a release that writes, telling low bits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_audits.events import Table
from pan_audits.hygiene.finding import Finding, Severity
from pan_audits.hygiene.script import Script, Trace, run_fresh
from pan_audits.pairs.side import Id
from pan_audits.running.features import lowest_bit
from pan_audits.running.limits import Failure, Limits, VariantError
from pan_audits.running.sampler import run_in_workers
from pan_audits.sequential import PairTest, threshold
from pan_estimators import NumpyRandomness, Promise

_OUTPUTS = 500
_COARSE_GRIDS = (12, 20, 28)


def check_hygiene(
    estimator: Any,
    population: Sequence[Id],
    promise: Promise,
    *,
    error: float,
    limits: Limits,
    seed: int = 0,
) -> list[Finding]:
    """Everything that would make an audit look at the wrong thing.

    *   State outside the declared state: attributes of the estimator or its class that change; a
        state that, carried to a new process, leads to another output than at home.
    *   Randomness other than what is handed in: results that differ for the same seed, or with the
        state of the global generators, or with the hash seed; or no use of it at all.
    *   A release that changes the state.
    *   A random generator inside the state: whoever sees it knows all later noise.
    *   Floating-point outputs without a common grid, whose low bits may tell what the noise hides; and
        low bits that do tell adjacent streams apart.

    Parameters
    ----------
    estimator
        What is checked.
    population
        Ids to feed.
    promise
        What the low bits of the output are held against.
    error
        Probability that they are wrongly said to break it.
    limits
        For the processes in which it is run.
    seed
        Of the randomness.

    Raises
    ------
    VariantError
        If the estimator raises, hangs, or takes too much memory.
    """
    first, rest = tuple(population[:5]), tuple(population[2:6] or population)
    script = Script(estimator, first, rest, seed, global_seed=1)
    other_globals = Script(estimator, first, rest, seed, global_seed=2)
    other_seed = Script(estimator, first, rest, seed + 1, global_seed=1)
    home, again, elsewhere = _succeed(run_fresh([script, other_globals, other_seed], limits, hash_seeds=(1, 2, 1)))
    findings = _findings_of_one(home)
    # Only what is the same twice can be compared with what happens after a move.
    findings += _findings_of_randomness(home, again, elsewhere)
    if not any(finding.check == "randomness" and finding.severity is Severity.DEFECT for finding in findings):
        moved = Script(estimator, first, rest, seed, global_seed=1, resume_from=home.midway)
        resumed, second = _succeed(run_fresh([moved, _Twice(script)], limits, hash_seeds=(1, 1)))
        if not home.changed_attributes:  # the culprit is named already
            findings += _findings_of_move(home, resumed) or _findings_of_repetition(home, second)
    return findings + _findings_of_floats(estimator, first, promise, error, limits, seed)


def _succeed(traces: Sequence[Trace | Failure]) -> list[Trace]:
    for trace in traces:
        if isinstance(trace, Failure):
            raise VariantError(trace.sentence)
    return [trace for trace in traces if isinstance(trace, Trace)]


def _findings_of_one(trace: Trace) -> list[Finding]:
    findings = []
    if trace.changed_attributes:
        names = ", ".join(repr(name) for name in trace.changed_attributes)
        findings.append(
            Finding(
                "hidden state",
                Severity.DEFECT,
                f"the estimator's own {names} changes while it runs; what is kept between updates belongs in the state",
            )
        )
    if trace.release_changed_state:
        findings.append(
            Finding("release", Severity.DEFECT, "release changes the state; looking at an output must not alter it")
        )
    if trace.has_generator:
        findings.append(
            Finding(
                "generator in the state",
                Severity.DEFECT,
                "the state holds a random generator; an intruder who sees it can compute all later noise",
            )
        )
    return findings


def _findings_of_randomness(home: Trace, again: Trace, elsewhere: Trace) -> list[Finding]:
    def seen(trace: Trace) -> tuple[str, str, str]:
        return trace.state_midway, trace.state_end, trace.output

    if seen(home) != seen(again):
        cause = "ignores the randomness it is given" if home.draws == 0 else "has another source besides the given one"
        return [
            Finding(
                "randomness",
                Severity.DEFECT,
                f"results differ under the same seed: the estimator {cause} (a global generator, time, or hash order)",
            )
        ]
    if home.draws == 0 and seen(home) == seen(elsewhere):
        return [Finding("randomness", Severity.NOTE, "the estimator makes no random choice at all")]
    return []


def _findings_of_move(home: Trace, resumed: Trace) -> list[Finding]:
    if (home.state_end, home.output) == (resumed.state_end, resumed.output):
        return []
    return [
        Finding(
            "hidden state",
            Severity.DEFECT,
            "the declared state, carried to a new process, leads to another result than at home: "
            "something that matters is kept outside it (a class or module variable, a closure, a file)",
        )
    ]


def _findings_of_repetition(home: Trace, second: Trace) -> list[Finding]:
    if (second.state_midway, second.state_end, second.output) == (home.state_midway, home.state_end, home.output):
        return []
    return [
        Finding(
            "hidden state",
            Severity.DEFECT,
            "a second run in the same process differs from the first under the same seed: "
            "something is remembered from run to run outside the state",
        )
    ]


class _Twice:
    """Runs a script twice in one process and shows the second run."""

    def __init__(self, script: Script) -> None:
        self.script = script

    def __call__(self) -> Trace:
        self.script()
        return self.script()


class _Outputs:
    """Outputs of independent runs on a stream, one row each; none for outputs that are no numbers."""

    def __init__(self, estimator: Any, ids: tuple[Id, ...], seed: int) -> None:
        self.estimator = estimator
        self.ids = ids
        self.seed = seed

    def __call__(self) -> NDArray[np.float64]:
        randomness = NumpyRandomness(self.seed)
        outputs = []
        for _ in range(_OUTPUTS):
            state = self.estimator.create(randomness)
            for identifier in self.ids:
                one = np.array([identifier]) if isinstance(identifier, tuple) else identifier
                state = self.estimator.update(state, one, randomness)
            output = self.estimator.release(state, randomness)
            if isinstance(output, bool) or not isinstance(output, (int, float, np.number)):
                return np.empty(0)
            outputs.append(float(output))
        return np.array(outputs)


def _findings_of_floats(
    estimator: Any, ids: tuple[Id, ...], promise: Promise, error: float, limits: Limits, seed: int
) -> list[Finding]:
    """Look at the precision of the outputs when one user appears, and when nobody does."""
    streams = [_Outputs(estimator, ids[:1], seed), _Outputs(estimator, (), seed + 1)]
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
                Severity.DEFECT,
                f"the low bits of the output tell adjacent streams apart better than promised, by {told}: its noise "
                "is not floating-point-safe (Mironov 2012); use randomness.laplace(value, scale) for value plus noise",
            )
        ]
    if lacks_grid(outputs):
        return [
            Finding(
                "floating point",
                Severity.WARNING,
                "outputs use all bits of a double: their low bits may tell what the noise hides (Mironov 2012); "
                "use randomness.laplace(value, scale) for value plus noise, or release integers",
            )
        ]
    return []


def low_bits_tell(outputs: NDArray[np.float64], others: NDArray[np.float64], promise: Promise, error: float) -> str:
    """The event in the exponents of the outputs' lowest set bits that breaks the promise, if there is one.

    A sequential test at level ``error``; an empty text if the promise is not refuted.
    """
    if min(outputs.size, others.size) == 0 or not lacks_grid(np.concatenate([outputs, others])):
        return ""
    left, right = _low_bits(outputs), _low_bits(others)
    test = PairTest(promise.epsilon, promise.delta)
    reached = test.extend(left, right, stop_at=threshold(error, 0.5))
    if reached is None:
        return ""
    event = test.bets[reached].event
    return event.describe() if event else ""


def _low_bits(outputs: NDArray[np.float64]) -> Table:
    """What the low bits of a double look like: where they end, and what is left beyond coarse grids."""
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
