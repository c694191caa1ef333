"""The largest Rényi divergence of two distributions over its order, between bounds that are proved.

For two distributions P and Q of choices, with Gaussian noise of the loss rho_k after the choice k, let ``f(t)`` be the
logarithm of ``sum P_k exp(t log(P_k/Q_k) + t (1 + t) rho_k)``. The divergence of order ``1 + t`` is ``D = f(t)/t``,
and rho is the supremum of ``D/(1 + t)`` over positive t. It is bounded on intervals of t, and the interval with the
largest bound is halved again and again:

- D does not decrease with t, so that ``D(end)/(1 + beginning)`` is a bound.
- So is the value in the middle, with the largest slope on the interval times half its length.
- On an interval from 0, ``D <= a + b t + c t^2``, where a and b are Taylor coefficients of f, and c bounds the next.
  The largest value of ``(a + b t + c t^2)/(1 + t)``, a convex function or one that grows, is that at an end.
- On any interval, ``D <= max_k (log(P_k/Q_k) + (1 + t) rho_k)``.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence

from flint import arb, arb_series

Choice = tuple[arb, arb, arb]
"""The probability of a choice, the logarithm of the ratio of the two probabilities, and the loss of the noise."""

_ENOUGH = 1e-10
"""The relative distance of both bounds at which the search ends."""

_MOST_HALVINGS = 300
_FIRST = 1.0


def largest_divergence(choices: Sequence[Choice]) -> tuple[float, float]:
    """Two numbers between which the supremum lies."""
    found = _Search(choices)
    boxes = [found.box(0.0, _FIRST), found.box(_FIRST, math.inf)]
    heapq.heapify(boxes)
    for _ in range(_MOST_HALVINGS):
        bound, low, high = boxes[0]
        middle = 2 * low if high == math.inf else low + (high - low) / 2
        if -bound <= found.least * (1 + _ENOUGH) or not low < middle < high:
            break
        heapq.heapreplace(boxes, found.box(low, middle))
        heapq.heappush(boxes, found.box(middle, high))
    return found.least, max(-boxes[0][0], found.least)


class _Search:
    """The bounds on intervals, and the largest value so far."""

    def __init__(self, choices: Sequence[Choice]) -> None:
        self.choices = choices
        self.noise = max(loss.upper() for *_, loss in choices)
        _, first, *_ = self._taylor(arb(0), 2)
        # The limits at both ends: of order 1, and of large orders.
        self.least = max(0.0, _below(first), *(_below(loss) for *_, loss in choices))

    def box(self, low: float, high: float) -> tuple[float, float, float]:
        """The negative of a bound on an interval, and its ends."""
        most = max(_above(log / (1 + arb(low)) - (self.noise - loss)) for _, log, loss in self.choices)
        tail = _above(self.noise + max(most, 0.0))
        if high == math.inf:
            return -tail, low, high
        start, end = arb(low), arb(high)
        (at_end, *_) = self._taylor(end, 1)
        divergence = at_end / end
        self.least = max(self.least, _below(divergence / (1 + end)))
        bounds = [divergence / (1 + start)]
        inside = arb((low + high) / 2, (high - low) / 2 * (1 + 1e-12))
        if not low:
            _, first, second, *_ = self._taylor(arb(0), 3)
            *_, third = self._taylor(inside, 4)
            upper = max(third.upper(), arb(0))
            ends = first.upper(), (first + second * end + upper * end * end) / (1 + end)
            bounds.append(max(_above(one) for one in ends) + arb(0))
        else:
            value, slope = self._taylor(inside, 2)
            middle = arb((low + high) / 2)
            (at_middle, *_) = self._taylor(middle, 1)
            there = at_middle / (middle * (1 + middle))
            self.least = max(self.least, _below(there))
            square = inside * (1 + inside)
            steep = (slope * square - value * (1 + 2 * inside)) / (square * square)
            bounds.append(there + abs(steep) * (arb(high) - arb(low)) / 2)
        return -min(tail, *(_above(one) for one in bounds)), low, high

    def _taylor(self, place: arb, terms: int) -> list[arb]:
        """The first Taylor coefficients of f at a place, or balls of them on an interval."""
        total = arb_series([0], prec=terms)
        for chance, log, loss in self.choices:
            exponent = [place * log + place * (1 + place) * loss, log + (1 + 2 * place) * loss, loss]
            total = total + chance * arb_series(exponent[:terms], prec=terms).exp()
        found = total.log()
        return [found[number] for number in range(terms)]


def _above(ball: arb) -> float:
    """A double that no number of a ball exceeds."""
    upper = float(ball.upper().mid())
    return math.nextafter(upper, math.inf) if upper == upper else math.inf


def _below(ball: arb) -> float:
    lower = float(ball.lower().mid())
    return math.nextafter(lower, -math.inf) if lower == lower else -math.inf
