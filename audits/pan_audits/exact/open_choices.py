"""Bounds on the rho of two laws whose discrete part is seen: choices that an output shows, with Gaussian noise beside.

They are quick, and sharp ones are made of them (:mod:`pan_audits.exact.divergences`).

Let P and Q be the probabilities of the choices on two inputs, and rho_k the loss of the noise after the choice k. The
Rényi divergence of order alpha is ``log(sum P_k^alpha Q_k^(1 - alpha) exp(alpha (alpha - 1) rho_k)) / (alpha - 1)``.

- It is at most ``alpha (r^2/8 + max rho_k)``, where r is the range of ``log(P_k/Q_k)``. By Hoeffding's lemma the second
  derivative of ``log(sum Q_k (P_k/Q_k)^alpha)`` is at most ``r^2/4``, and this function is 0 at 0 and at 1.
- Divided by alpha it tends to ``max rho_k`` for large alpha, and at order 1 it is the mean of ``log(P_k/Q_k) + rho_k``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from flint import arb, fmpq

from pan_audits.choices.numbers import Number, as_ball
from pan_audits.exact.divergences import largest_divergence
from pan_audits.exact.gaussian_loss import GaussianLoss, ranges_differ
from pan_audits.exact.gaussian_outputs import Covariance, GaussianOutput, OutputLaw

_DIGITS = 10**12


@dataclass(frozen=True)
class Bounds:
    """A rho lies between two fractions; ``least`` is ``None`` where it is infinite.

    Attributes
    ----------
    least, most
        The fractions.
    noise
        The largest rho of the noise after one choice, a part of ``most``.
    """

    least: fmpq | None
    most: fmpq | None
    noise: fmpq | None = None


def bounds_of(one: OutputLaw, other: OutputLaw, *, sharp: bool = True) -> Bounds | None:
    """Bounds on the rho of two laws; ``None`` if a choice is hidden, or its noise has two covariances."""
    left, right = _by_choice(one), _by_choice(other)
    if left is None or right is None or left.keys() != right.keys():
        return None
    losses, logs = [], []
    for key, (output, chance) in left.items():
        beside, other_chance = right[key]
        if output.lattices != beside.lattices:
            return Bounds(None, None)
        if output.covariance != beside.covariance:
            return Bounds(None, None) if ranges_differ(output.covariance, beside.covariance) else None
        loss = _loss(output, beside)
        if loss is None:
            return Bounds(None, None)
        losses.append(loss)
        logs.append((as_ball(chance) / as_ball(other_chance)).log())
    most = max(losses)
    width = max(log.upper() for log in logs) - min(log.lower() for log in logs)
    chances = [[as_ball(chance) for _, chance in side.values()] for side in (left, right)]
    means = [
        sum((p * (sign * log + arb(loss)) for p, log, loss in zip(side, logs, losses, strict=True)), arb(0))
        for side, sign in zip(chances, (1, -1), strict=True)
    ]
    least = max([most, *(_rounded(mean.lower(), up=False) for mean in means)])
    upper = most + _rounded((width * width / 8).upper(), up=True)
    if not sharp or least == upper:
        return Bounds(least, upper, most)
    found = [
        largest_divergence([(p, sign * log, arb(loss)) for p, log, loss in zip(side, logs, losses, strict=True)])
        for side, sign in zip(chances, (1, -1), strict=True)
    ]
    # Noise on the integers has the loss of Gaussian noise at integer orders alone.
    if not any(output.lattices for output in one):
        least = max([least, *(_rounded(arb(low), up=False) for low, _ in found)])
    return Bounds(least, min(upper, _rounded(arb(max(high for _, high in found)), up=True)), most)


def _by_choice(law: OutputLaw) -> dict[Any, tuple[GaussianOutput, Number]] | None:
    found: dict[Any, tuple[GaussianOutput, Number]] = {}
    for output, chance in law.items():
        if output.key in found:
            return None
        found[output.key] = output, chance
    return found


@lru_cache(maxsize=64)
def _of_covariance(covariance: Covariance) -> GaussianLoss:
    return GaussianLoss.of(covariance)


def _loss(one: GaussianOutput, other: GaussianOutput) -> fmpq | None:
    difference = [left - right for left, right in zip(one.mean, other.mean, strict=True)]
    unit = math.lcm(*_denominators(difference))
    row = np.array([[int(part * unit) for part in difference]], dtype=object).reshape(1, -1)
    (loss,) = _of_covariance(one.covariance).of_differences(row, unit)
    return loss


def _denominators(numbers: Iterable[Fraction]) -> list[int]:
    return [one.denominator for one in numbers]


def _rounded(ball: arb, *, up: bool) -> fmpq:
    """A fraction of twelve decimals that is at least, or at most, a number."""
    whole = ball * _DIGITS
    end = (whole.ceil().upper() if up else whole.floor().lower()).unique_fmpz()
    if end is None:
        raise ArithmeticError("a ball of a loss is too wide")
    return fmpq(end, _DIGITS)
