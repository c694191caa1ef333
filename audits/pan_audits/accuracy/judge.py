"""One statement about the error against the runs on one input.

An output that is not a finite number has no error: it counts as wrong, and as an estimator that gives
one with any positive probability has neither mean nor variance, one such run refutes every statement
about these, at no risk of being mistaken.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pan_audits.accuracy.result import AccuracyResult, InputLabel
from pan_audits.events import Table
from pan_audits.judging.capabilities import error_tail
from pan_audits.judging.verdict import Verdict
from pan_audits.statistics import ErrorBudget, mean_above_zero, second_moment_above, second_moment_below
from pan_audits.statistics.moments import lesson, measured_flatness, second_moment_bound
from pan_estimators.common.accuracy_statement import AccuracyStatement, Quantity, Relation

Floats = NDArray[np.float64]

_BLOCK = 8
_ROUNDING = 1e-12
"""Errors up to this size, thousands of units in the last place of a true value up to 1, are taken as zero."""
CAP = 30.0
"""Squared errors are cut at this multiple of their stated mean."""
FLATNESS = 12.0
"""The test of a bias assumes ``E[X^4] <= 12 E[X^2]^2`` for the deviations X from the stated bias.

Without any such assumption no test of a mean has a power above its level (Bahadur and Savage 1956).
This one concerns the shape only, not the scale. It holds for cells and noise as printed: for a sum of
independent variables with variances ``v_i`` and fourth cumulants ``k_i`` it is ``3 + sum k_i/(sum v_i)^2``.
A Laplace variable has ``k = 3 v^2``, a bit ``k = v(1 - 6v) <= v``, so that m bits have
``sum k_i <= sum v_i``, and the whole is at most ``3 + max(3, 1/(m v))`` with the smaller v of the two
bits: at most 12 as soon as ``m v >= 1/9``. A normal variable has 3. For any other estimator it is
an assumption, on which a refuted bias rests.
"""


@dataclass(frozen=True)
class _Runs:
    """The runs that a statement covers.

    Attributes
    ----------
    error
        ``output - target``; not finite where the output is not.
    rounding
        The size up to which errors are taken as zero.
    values
        The stated value of each run.
    group
        The same number for runs that agree in the true value and in all on which the stated value depends.
    """

    statement: AccuracyStatement
    label: InputLabel
    error: Floats
    rounding: float
    values: Floats
    group: NDArray[np.int64]

    @property
    def finite(self) -> bool:
        return bool(np.isfinite(self.error).all())

    def result(
        self, verdict: Verdict | bool, measured: float, detectable: float | None = None, missing: str = ""
    ) -> AccuracyResult:
        """A result; of a truth value, whether the statement is refuted."""
        if isinstance(verdict, bool):
            verdict = Verdict.REFUTED if verdict else Verdict.NOT_REFUTED
        stated = float(self.values.mean()) if self.values.size else float("nan")
        size = int(self.error.size)
        return AccuracyResult(self.statement, self.label, stated, measured, verdict, size, detectable, missing)


def judge(
    estimator: Any, statement: AccuracyStatement, label: InputLabel, table: Table, budget: ErrorBudget
) -> AccuracyResult:
    """Test one statement."""
    runs = _runs(statement, label, table)
    if runs.error.size == 0:
        return runs.result(Verdict.INCONCLUSIVE, inf, missing=statement.target.undefined)
    with np.errstate(over="ignore", invalid="ignore"):
        if not np.isfinite(runs.values).all():
            return runs.result(Verdict.INCONCLUSIVE, inf, missing="the stated value is not a finite number")
        if statement.quantity is Quantity.ERROR_PROBABILITY:
            return _judge_probability(runs, budget)
        if not runs.finite:
            return runs.result(Verdict.REFUTED, inf)
        if statement.quantity is Quantity.BIAS:
            return _judge_bias(runs, budget)
        return _judge_square(estimator, runs, budget)


def _runs(statement: AccuracyStatement, label: InputLabel, table: Table) -> _Runs:
    names = statement.target.columns
    # A statement says nothing about a run in which its estimand has no value.
    table = Table(table.names, table.values[~np.isnan(table.column(names.truth))])
    truth, given = table.column(names.truth), [table.column(name) for name in names.given]
    numbers, group = np.unique(np.column_stack([truth, *given]), axis=0, return_inverse=True)
    known = np.array([_value(statement, given) for _, *given in numbers.tolist()], dtype=np.float64)
    group = group.ravel()
    rounding = _ROUNDING * float(np.abs(truth).max(initial=1.0))
    error = _rounded(table.column(names.estimate) - truth, rounding)
    return _Runs(statement, label, error, rounding, known[group], group)


def _value(statement: AccuracyStatement, given: list[float]) -> float:
    try:
        return float(statement.value(*given))
    except ArithmeticError:
        return float("nan")


def _rounded(error: Floats, rounding: float) -> Floats:
    return np.where(np.abs(error) <= rounding, 0.0, error)


def _judge_probability(runs: _Runs, budget: ErrorBudget) -> AccuracyResult:
    """Count the runs that are not within alpha; not a number is not within alpha.

    If every run is wrong with probability at most p, whatever its sample, their number is
    stochastically at most binomial with p. The bounds of Clopper and Pearson are exact, and so is the power: it is the
    chance of a count that refutes.
    """
    from statsmodels.stats.proportion import proportion_confint

    statement, size = runs.statement, runs.error.size
    assert statement.alpha is not None
    wrong = int((~(np.abs(runs.error) < statement.alpha)).sum())
    most, least = np.clip([runs.values.max(), runs.values.min()], 0, 1)
    both = statement.relation is Relation.EQUALS
    share = budget.error / (2 if both else 1)
    low, high = proportion_confint(np.arange(size + 1), size, alpha=2 * share, method="beta")
    above, below = low > most, (high < least) & both
    # Counts from the first one of these, or up to the last one, have a chance of 95%.
    caught = [inf, inf]
    if above.any():
        caught[0] = proportion_confint(int(above.argmax()) - 1, size, alpha=0.1, method="beta")[1] - most
    if below.any():
        caught[1] = least - proportion_confint(int(below.sum()), size, alpha=0.1, method="beta")[0]
    return runs.result(bool((above | below)[wrong]), wrong / size, float(max(caught[: 1 + both])))


def _judge_bias(runs: _Runs, budget: ErrorBudget) -> AccuracyResult:
    """Refute ``E[X] = 0``, or ``E[X] <= 0``, for the deviations X of the errors from the stated bias.

    No scale is taken from a statement, which may be wrong while there is no bias. The first half of
    the runs bounds ``E[X^2] <= b`` at half of the budget
    (:func:`pan_audits.statistics.moments.second_moment_bound`); on the second half, which is
    independent, one bets on the mean of ``X/sqrt(b)``, whose second moment is then at most 1, at the
    other half, split over the directions. A true bias is therefore refuted with probability at most
    ``a/2 + a/2 = a`` for any variance, under :data:`FLATNESS` alone. Where the runs
    themselves are less even than that, the verdict is inconclusive, which refutes nothing.
    """
    deviation = _rounded(runs.error - runs.values, runs.rounding)
    measured, size = float(runs.error.mean()), deviation.size
    if not deviation.any():
        return runs.result(False, measured)
    flatness = measured_flatness(deviation)
    if not flatness <= FLATNESS:
        sentence = f"the errors are too uneven for a statement about their mean (flatness {flatness:.3g})"
        return runs.result(Verdict.INCONCLUSIVE, measured, missing=sentence)
    half = size // 2
    # In units of the largest deviation no square overflows; the test does not depend on the unit.
    unit = float(np.abs(deviation).max())
    deviation = deviation / unit
    bound = second_moment_bound(deviation[:half] ** 2, flatness=FLATNESS, error=budget.error / 2)
    if not 0 < bound < inf:
        return runs.result(Verdict.INCONCLUSIVE, measured, missing="more runs are needed to bound the variance")
    signs = (1,) if runs.statement.relation is Relation.AT_MOST else (1, -1)
    share = budget.error / 2 / len(signs)
    standardised = deviation / sqrt(bound)
    refuted = any(mean_above_zero(sign * standardised, learned=half).refutes(share) for sign in signs)
    # A bias enlarges the bound as well: for a bias of d, its square is in proportion to spread + d^2.
    spread = float(standardised.var())
    shift = _detectable(spread, 1.0, size - half, share, learned=half)
    if shift**2 >= spread and not refuted:
        return runs.result(Verdict.INCONCLUSIVE, measured, missing="more runs are needed to find a bias of any size")
    room = 1 - shift**2 / spread if spread > 0 else 0.0
    detectable = unit * sqrt(bound / room) * shift if room > 0 else None
    return runs.result(refuted, measured, detectable)


def _judge_square(estimator: Any, runs: _Runs, budget: ErrorBudget) -> AccuracyResult:
    """Refute a stated mean squared error or variance v.

    That it is too small is shown by the squared errors, or the variances of blocks of runs, which have
    a mean above v. That it is too large, by squared errors whose mean is below v, for a variance as well:
    ``E[e^2] = s + bias^2 >= s``, so that ``s = v`` implies ``E[e^2] >= v`` whatever the bias.
    """
    statement = runs.statement
    variance = statement.quantity is Quantity.VARIANCE
    errors, values = runs.error**2, runs.values
    squares, expected = _variances(runs) if variance else (errors, values)
    if squares.size == 0:
        sentence = "no two runs agree in the numbers on which the stated value depends"
        return runs.result(Verdict.INCONCLUSIVE, inf, missing=sentence)
    measured = float(squares.mean())
    # Of a nonnegative variable whose mean is stated to be zero, one positive value is enough.
    if (values < 0).any() or squares[expected == 0].any():
        return runs.result(True, measured)
    some, positive = values > 0, expected > 0
    if not positive.any():
        return runs.result(False, measured)
    ratios = squares[positive] / expected[positive]
    tail_of = error_tail(estimator) if statement.relation is Relation.EQUALS else None
    share = budget.error / (2 if tail_of else 1)
    refuted = second_moment_above(ratios).refutes(share)
    detectable = _detectable(float(ratios.var()), float(ratios.var()), ratios.size, share)
    # Larger squares vary more, in proportion.
    detectable *= 1 + detectable
    if tail_of is not None:
        tail = tail_of(float(values[some].min()), CAP, statement.target)
        large = errors[some] / values[some]
        refuted = refuted or second_moment_below(large, cap=CAP, tail=tail).refutes(share)
        spread = float(large.var())
        detectable = max(detectable, tail + _detectable(spread, spread, large.size, share, largest=0.9 / CAP))
    return runs.result(refuted, measured, float(values[some].mean()) * detectable)


def _variances(runs: _Runs) -> tuple[Floats, Floats]:
    """Sample variances of blocks of at most eight runs, and the stated variance of each block.

    A bias must not count as variance. Runs are put together only if they agree in the true value
    and in all on which the stated value depends. The stated variance v is a function of these numbers, and given
    them the runs of a block are independent with one distribution, hence with the same bias, *whatever it is and
    however it depends on the sample*, and the same variance s. Then ``E[(e_i - e_j)^2] = 2 s``, and
    the sample variance, which is the mean of ``(e_i - e_j)^2/2`` over all pairs of the block, has
    expectation s: over v it has mean 1 if the statement holds. Every run is in one block at most, so
    that the blocks are independent given targets and sizes; they come in the order in which they are
    complete. Blocks of eight lose an eighth of the information, pairs would lose half.
    """
    order = np.argsort(runs.group, kind="stable")
    group = runs.group[order]
    begin = np.searchsorted(group, group)
    place = np.arange(group.size) - begin
    first = np.append(True, (group[1:] != group[:-1]) | (place[1:] % _BLOCK == 0))
    block = np.cumsum(first) - 1
    size = np.bincount(block)
    mean = np.bincount(block, runs.error[order] / size[block])
    squares = np.bincount(block, _rounded(runs.error[order] - mean[block], runs.rounding) ** 2)
    last = np.zeros(size.size, dtype=np.int64)
    np.maximum.at(last, block, order)
    kept = np.flatnonzero(size > 1)
    kept = kept[np.argsort(last[kept])]
    return squares[kept] / (size[kept] - 1), runs.values[order][first][kept]


def _detectable(
    variance: float, square: float, runs: int, error: float, *, largest: float = inf, learned: int = 0
) -> float:
    """Deviation of a mean at which ``runs`` bets reach ``1/error`` with 95% power, to second order.

    A bet of the fraction f has log-wealth of mean ``n (f d - f^2 q/2)`` and variance ``n f^2 w`` for a
    deviation d, the variance w, and the second moment q by which bets are sized: f is ``d/q``, or the
    largest that is allowed. That f is learnt costs the first block, and ``q E[(f - d/q)^2]/2`` at each
    bet: with the error ``1/(q n)`` of a mean, and a quarter of it for the shrinkage, ``5/8 log`` in all.
    """
    if not (0 < square < inf and runs > lesson(runs)):
        return inf
    before = learned or lesson(runs)
    bets = runs if learned else runs - lesson(runs)
    quantile = 1.645 * sqrt(variance)
    needed = log(1 / error) + 0.625 * log(1 + bets / before)
    deviation = (quantile + sqrt(quantile**2 + 2 * square * needed)) / sqrt(bets)
    if deviation <= largest * square:
        return deviation
    return needed / (bets * largest) + largest * square / 2 + quantile / sqrt(bets)
