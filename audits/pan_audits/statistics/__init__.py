"""Bounds and tests with a stated error rate: exact or anytime-valid, never asymptotic.

The test of a stated probability and its power are those of statsmodels (:mod:`pan_audits.accuracy.judge`). Its power
curves for two proportions are normal approximations for samples of a fixed size, and its procedures for many tests need
all p-values at the end. An audit learns its event while it runs and may stop at any time: its tests are bets, its error
is shared out beforehand (:class:`ErrorBudget`), and its power (:func:`detectable_loss`) is that of a bet. Of a refuted
pair two single bounds are needed; they are quantiles of scipy, whose import takes a third of the time.
"""

from pan_audits.statistics.bets import (
    CAREFUL,
    DEFAULT_ERROR,
    ErrorBudget,
    MixtureBet,
    Stake,
    best_stake,
    betting_factors,
    detectable_loss,
    detectable_rho,
    growth,
    largest_stake,
)
from pan_audits.statistics.counts import (
    loss_lower_bound,
    proportion_lower,
    proportion_upper,
)
from pan_audits.statistics.divergence import (
    MOST_HIGH,
    DivergenceBet,
    bernoulli_divergence,
    best_bet,
    event_rho_bound,
    gains,
    largest_fraction,
    rho_of_event,
)
from pan_audits.statistics.moments import MeanBet, mean_above_zero, second_moment_above, second_moment_below

__all__ = [
    "CAREFUL",
    "DEFAULT_ERROR",
    "MOST_HIGH",
    "DivergenceBet",
    "ErrorBudget",
    "MeanBet",
    "MixtureBet",
    "Stake",
    "bernoulli_divergence",
    "best_bet",
    "best_stake",
    "betting_factors",
    "detectable_loss",
    "detectable_rho",
    "event_rho_bound",
    "gains",
    "growth",
    "largest_fraction",
    "largest_stake",
    "loss_lower_bound",
    "mean_above_zero",
    "proportion_lower",
    "proportion_upper",
    "rho_of_event",
    "second_moment_above",
    "second_moment_below",
]
