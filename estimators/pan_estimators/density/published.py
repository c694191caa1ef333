"""The published theorems: what they promise, their bounds on the error, and the samples that these need.

All three published bounds (paper, Theorems 3.3 and 4.3; thesis, Theorem 4.9) have one form. The
allowed deviation alpha is shared among sampling, cells and noise, ``a + b + c = alpha``, and

    beta(a, b, c) = 2 exp(-2 m a^2) + 2 exp(-r m b^2) + exp(-epsilon m c),

with ``a = (1 - delta_1) alpha``, ``b = delta_1 (1 - delta_2) alpha``, ``c = delta_1 delta_2 alpha``
and ``r`` twice the squared gap of the cells. As functions of the three *probabilities*
``beta_1, beta_2, beta_3``, the required deviations are convex wherever ``beta_i < 2/sqrt(e)``.
Minimising their sum under ``a + b + c <= alpha`` is then a convex problem, with one multiplier and
one root. Its value, if below 1, is the global minimum of the printed problem.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol

from pan_estimators.numerics import root
from pan_estimators.universes.universe import Universe
from pan_promises.errors import InputError, require_count, require_epsilon, require_probability
from pan_promises.promise import Adjacency, Observed, Promise

STATED_UP_TO = 0.5
"""The theorems on privacy are stated for ``epsilon <= 1/2``."""

REFUTED_PROMISES = frozenset(
    {
        "density.announced_intrusions",
        "density.bernoulli_family",
        "density.dwork_privacy",
        "density.insert_delete",
        "density.optbern_privacy",
        "density.ppds_privacy",
        "lecture.privacy",
        "thesis.laplace_privacy",
        "thesis.quantizer",
    }
)
"""Ids of the claims that the promises name. For every budget that they cover, the loss is larger than promised.

Most of these claims are refuted. Three are proved as amended, because they state more than the promise, or less.
"""


def joint_promise(epsilon: float, claim: str, *, announced: int = 0) -> Promise | None:
    """The promise of the density theorems, or ``None`` for ``epsilon > 1/2``, which they do not cover.

    State and output cost epsilon each. An announced intrusion shows the state once more.
    """
    if epsilon > STATED_UP_TO:
        return None
    return Promise(epsilon=(2 + announced) * epsilon, adjacency=Adjacency.USER_LEVEL, announced=announced, claim=claim)


class Published:
    """The standing and the parts of the promise of a density theorem."""

    @property
    def promise_is_refuted(self: Any) -> bool:
        """Whether the loss exceeds the promise."""
        return self.promise is not None and self.promise.claim in REFUTED_PROMISES

    @property
    def why_no_promise(self: Any) -> str:
        """The reason why the source promises nothing for these parameters, as a clause; empty if it does."""
        if self.promise is not None:
            return ""
        if self.epsilon <= STATED_UP_TO:
            return "its source promises nothing for cells so far apart"
        return (
            f"its theorem is stated for epsilon up to {STATED_UP_TO:g} only, and epsilon is {float(self.epsilon):.6g}"
        )

    @property
    def promise_of_state(self: Any) -> Promise | None:
        """The promise of the proof for the state alone: epsilon for every look at it."""
        looks = 1 + self.promise.announced if self.promise else 1
        return _part(self.promise, Observed.STATE, looks * self.epsilon)

    @property
    def promise_of_output(self: Any) -> Promise | None:
        """The promise of the proof for the output alone: epsilon."""
        return _part(self.promise, Observed.OUTPUT, self.epsilon)


def _part(promise: Promise | None, observed: Observed, epsilon: float) -> Promise | None:
    return promise and promise.about(observed, epsilon=epsilon, claim=promise.claim)


_TURN = 2 / math.sqrt(math.e)
"""``sqrt(log(2/beta))`` is convex in ``beta`` below this value."""
_TOLERANCE = 1e-13
"""Tolerance of the logarithms that the root search finds."""
_FAR = -1e4
"""Logarithms below this value are found by iteration."""


@dataclass(frozen=True)
class ErrorBound:
    """A published bound on ``P(abs(output - d(S)) >= alpha)``.

    Parameters
    ----------
    epsilon
        Budget of the state and of the output, in nats, from 1e-9 to 500.
    cell_rate
        ``r`` in the probability ``2 exp(-r m b^2)`` that the cells deviate by more than ``b``.
    claim
        Id of the statement.

    Raises
    ------
    InputError
        If epsilon is out of range.
    """

    epsilon: float
    cell_rate: float
    claim: str

    def __post_init__(self) -> None:
        require_epsilon(self.epsilon)

    def beta(self, alpha: float, sample_size: int, delta_1: float, delta_2: float) -> float:
        """The printed objective: the bound for given shares of the deviation (paper, Section 3.1).

        Parameters
        ----------
        alpha
            Deviation of the output from the density, in (0, 1).
        sample_size
            Number m of sampled users.
        delta_1
            The share of the deviation that is for cells and noise, in (0, 1).
        delta_2
            The share of that part that is for the noise, in (0, 1).
        """
        sampling = 2 * math.exp(-2 * sample_size * (alpha * (1 - delta_1)) ** 2)
        cells = 2 * math.exp(-self.cell_rate * sample_size * (alpha * delta_1 * (1 - delta_2)) ** 2)
        return sampling + cells + math.exp(-self.epsilon * alpha * sample_size * delta_1 * delta_2)

    def planned(self, alpha: float, beta: float) -> int:
        """The least sample size for which the bound gives ``(alpha, beta)``."""
        return least_sample_size(self, alpha=alpha, beta=beta).sample_size


def dwork_bound(epsilon: float) -> ErrorBound:
    """The bound of paper, Theorem 3.3, with the constants of thesis, Theorem 4.9, for Laplace cells.

    Parameters
    ----------
    epsilon
        Budget of the state and of the output, in nats, from 1e-9 to 500.

    Raises
    ------
    InputError
        If epsilon is out of range.
    """
    return ErrorBound(epsilon, epsilon**2 / 8, "density.dwork_accuracy")


def optimal_bernoulli_bound(epsilon: float) -> ErrorBound:
    """The bound of paper, Theorem 4.3.

    Parameters
    ----------
    epsilon
        Budget of the state and of the output, in nats, from 1e-9 to 500.

    Raises
    ------
    InputError
        If epsilon is out of range.
    """
    return ErrorBound(epsilon, 2 * math.tanh(epsilon / 2) ** 2, "density.optbern_accuracy")


def laplace_bound(epsilon: float) -> ErrorBound:
    """The bound of thesis, Theorem 4.9.

    Parameters
    ----------
    epsilon
        Budget of the state and of the output, in nats, from 1e-9 to 500.

    Raises
    ------
    InputError
        If epsilon is out of range.
    """
    return ErrorBound(epsilon, epsilon**2 / 8, "thesis.laplace_accuracy")


@dataclass(frozen=True)
class Plan:
    """A sample size, the error probability that the bound gives for it, and the optimal shares.

    Parameters
    ----------
    sample_size
        Number m of sampled users.
    alpha
        Deviation of the output from the density of the stream.
    beta
        The error probability. It is 1 if the bound says nothing.
    delta_1, delta_2
        The shares of the deviation, as for :meth:`ErrorBound.beta`. They are 0 if ``beta`` is 1.
    """

    sample_size: int
    alpha: float
    beta: float
    delta_1: float
    delta_2: float


def tightest_beta(bound: ErrorBound, *, alpha: float, sample_size: int) -> Plan:
    """The smallest error probability that ``bound`` can show for ``sample_size`` users.

    Source: paper, Section 3.1.

    Parameters
    ----------
    bound
        One of the published bounds.
    alpha
        Deviation of the output from the density of the stream, in (0, 1).
    sample_size
        Number m of sampled users, at least 1.

    Raises
    ------
    InputError
        If a number is out of range.
    """
    require_probability("alpha", alpha)
    require_count("the sample size m", sample_size)
    m, epsilon = sample_size, bound.epsilon

    def log_probabilities(log_price: float) -> tuple[float, float, float]:
        # Stationarity: every probability falls at the same rate per unit of deviation, exp(log_price).
        sampling = _log_probability(log_price - 0.5 * math.log(8 * m))
        cells = _log_probability(log_price - 0.5 * math.log(4 * bound.cell_rate * m))
        return sampling, cells, min(0.0, log_price - math.log(epsilon * m))

    def deviations(log_price: float) -> tuple[float, float, float]:
        sampling, cells, noise = log_probabilities(log_price)
        return (
            math.sqrt((math.log(2) - sampling) / (2 * m)),
            math.sqrt((math.log(2) - cells) / (bound.cell_rate * m)),
            -noise / (epsilon * m),
        )

    highest = max(math.log(epsilon * m), 0.5 * math.log(8 * m), 0.5 * math.log(4 * bound.cell_rate * m)) + 1
    if sum(deviations(highest)) >= alpha:
        return Plan(m, alpha, 1.0, 0.0, 0.0)
    lowest = highest - 1
    while sum(deviations(lowest)) < alpha:
        lowest = highest + 2 * (lowest - highest)
    log_price = root(lambda price: sum(deviations(price)) - alpha, lowest, highest, tolerance=_TOLERANCE)
    beta = math.fsum(math.exp(log_probability) for log_probability in log_probabilities(log_price))
    if beta >= 1:
        return Plan(m, alpha, 1.0, 0.0, 0.0)
    _, cells, noise = deviations(log_price)
    return Plan(m, alpha, beta, (cells + noise) / alpha, noise / (cells + noise))


def least_sample_size(bound: ErrorBound, *, alpha: float, beta: float) -> Plan:
    """The smallest sample for which ``bound`` shows an error probability of at most ``beta``.

    The printed problem (paper, Section 3.2) minimises ``max(m_1, m_2, m_3)`` over four shares. A
    sample size is feasible there exactly if its tightest beta is at most ``beta``. The tightest beta
    falls with the sample size, so that bisection over whole numbers finds the least one.

    Parameters
    ----------
    bound
        One of the published bounds.
    alpha
        Deviation of the output from the density of the stream, in (0, 1).
    beta
        The error probability, in (0, 1).

    Raises
    ------
    InputError
        If a number is out of range, or no sample below ``2**62`` users is large enough.
    """
    require_probability("beta", beta)
    require_probability("alpha", alpha)

    def feasible(sample_size: int) -> bool:
        return tightest_beta(bound, alpha=alpha, sample_size=sample_size).beta <= beta

    high = 1
    while not feasible(high):
        high *= 2
        if high > 2**62:
            raise InputError(f"no sample below 2**62 users reaches alpha {alpha:g} and beta {beta:g}")
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if feasible(middle) else (middle, high)
    return tightest_beta(bound, alpha=alpha, sample_size=high)


def _log_probability(log_value: float) -> float:
    """The logarithm of the ``beta`` with ``beta sqrt(log(2/beta)) = exp(log_value)``, limited to the turning point."""

    def excess(log_beta: float) -> float:
        return log_beta + 0.5 * math.log(math.log(2) - log_beta) - log_value

    if log_value < _FAR:
        # Rounding would hide the change of sign. Each step of the iteration reduces the error 20,000 times.
        found = log_value
        for _ in range(6):
            found = log_value - 0.5 * math.log(math.log(2) - found)
        return found
    top = math.log(_TURN)
    return top if excess(top) <= 0 else root(excess, min(log_value, top) - 10, top, tolerance=_TOLERANCE)


class PlansSamples(Protocol):
    """A bound on the error by which a sample is planned."""

    @property
    def claim(self) -> str: ...
    def planned(self, alpha: float, beta: float) -> int:
        """The least sample size for which the bound gives ``(alpha, beta)``."""
        ...


def resolve_sample_size(
    universe: Universe,
    bound: PlansSamples,
    sample_size: int | None,
    alpha: float | None,
    beta: float | None,
) -> int:
    """``sample_size`` itself, or the least one for which ``bound`` gives ``(alpha, beta)``."""
    if sample_size is not None:
        if alpha is not None or beta is not None:
            raise InputError("give either the sample size m or both alpha and beta, not both")
        require_count("the sample size m", sample_size, most=universe.size, source="the size of the universe")
        return sample_size
    if alpha is None or beta is None:
        raise InputError("give either the sample size m or both alpha and beta")
    planned = bound.planned(alpha, beta)
    if planned > universe.size:
        raise InputError(
            f"alpha {alpha:g} and beta {beta:g} need a sample of {planned} users by {bound.claim}, "
            f"more than the {universe.size} of the universe; ask for less accuracy"
        )
    return planned
