"""The exact distributions of the observation on the two streams of an exact check's witness."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq
from numpy.typing import NDArray

from pan_audits.choices.distributions import (
    DiscreteGaussianDistribution,
    GaussianDistribution,
    GeometricDistribution,
    LaplaceDistribution,
    RegionDistribution,
)
from pan_audits.choices.errors import TooLargeError, UnfollowableError
from pan_audits.choices.noise import shown
from pan_audits.choices.numbers import Exponent, as_float
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.observation import Lattice, Path
from pan_audits.exact.search import ExactPair
from pan_audits.exact.stepping import Distribution, Stepper
from pan_audits.exact.witness import ExactWitness, pair_again
from pan_audits.problems.inputs.streams.family import SegmentEnd
from pan_audits.reports.html.drawing import plain
from pan_promises.errors import InputError
from pan_promises.promise import Promise

MOST_OUTCOMES = 8
_SCALES, _FAR, _FINE = 4.0, 40.0, 20_001
_SAME = 1e-9

Floats = NDArray[np.float64]
Mixture = Sequence[tuple[fmpq, Path]]


@dataclass(frozen=True)
class OutcomeRow:
    """An outcome, up to noise, with its probability on each stream."""

    label: str
    left: float
    right: float
    witnessed: bool


@dataclass(frozen=True, eq=False)
class Curve:
    """An output with noise, together with the rest of the witness's observation.

    Attributes
    ----------
    places
        Values of the output.
    left, right
        Its density on each stream, or its probability where it is on a lattice.
    inside
        Whether each place is in the event. There the left stream exceeds the promise. Without such a place, the event
        is the place with the largest loss.
    lattice
        Whether the output is on a lattice.
    exceeds
        Whether the loss exceeds the promise anywhere.
    probabilities
        Probability of the event on each stream, with the rest of the observation.
    """

    places: Floats
    left: Floats
    right: Floats
    inside: NDArray[np.bool_]
    lattice: bool
    exceeds: bool
    probabilities: tuple[float, float]


@dataclass(frozen=True)
class ExactDistribution:
    """Both distributions.

    Attributes
    ----------
    outcomes
        The likeliest outcomes, including that of the witness.
    omitted
        Number of other outcomes.
    curve
        The output with noise of the witness, if there is one that can be drawn.
    note
        The reason why there is no curve.
    nats
        The loss, computed again; ``None`` if it is infinite.
    """

    outcomes: tuple[OutcomeRow, ...]
    omitted: int
    curve: Curve | None
    note: str
    nats: float | None


@dataclass(frozen=True)
class DistributionTask:
    """Computes the distributions from the estimator's code; to be run in a worker process."""

    instances: SmallInstances
    witness: ExactWitness

    def __call__(self) -> ExactDistribution | str:
        """The distributions, or the reason why there are none."""
        try:
            return _distribution(self.instances, self.witness)
        except (UnfollowableError, TooLargeError, InputError) as limit:
            return str(limit)


def _distribution(instances: SmallInstances, witness: ExactWitness) -> ExactDistribution | str:
    size = witness.parameters.get("sample_size")
    mechanism = instances(len(witness.ids), size if isinstance(size, int) else None)
    pair, stepper = pair_again(mechanism, witness.promise, witness.ids, (witness.left, witness.right), witness.user)
    if pair is None:
        return "a repeated check does not distinguish the two inputs"
    if pair.unit:
        return f"a loss that is a {pair.unit} belongs to the whole distribution, and to no event of it"
    distributions = [stepper.distribution(stream) for stream in (pair.left, pair.right)]
    outcomes = [
        _outcome(_label(key, pair, stepper), _masses(distributions, key), witness.promise, seen=key == pair.seen)
        for key in dict.fromkeys(key for distribution in distributions for key in distribution)
    ]
    outcomes.sort(key=lambda one: (one.witnessed, max(one.left, one.right)), reverse=True)
    curve, note = _curve(pair, distributions, float(witness.promise.epsilon))
    nats = None if pair.loss.unbounded else pair.loss.nats
    return ExactDistribution(tuple(outcomes[:MOST_OUTCOMES]), max(0, len(outcomes) - MOST_OUTCOMES), curve, note, nats)


def _outcome(label: str, masses: Sequence[float], promise: Promise, *, seen: bool) -> OutcomeRow:
    """With a delta, the event contains all observations that are too likely on the left stream."""
    left, right = masses
    if promise.delta:
        seen = left > math.exp(float(promise.epsilon)) * right * (1 + _SAME)
    return OutcomeRow(label, left, right, seen)


def _masses(distributions: Sequence[Distribution], key: tuple[Any, ...]) -> list[float]:
    return [
        as_float(sum((weight for weight, _ in distribution.get(key, ())), fmpq(0))) for distribution in distributions
    ]


def _label(key: tuple[Any, ...], pair: ExactPair, stepper: Stepper) -> str:
    """The observation in words, without noise."""
    parts = []
    for step, one in zip([item for item in pair.left if isinstance(item, SegmentEnd)], key, strict=False):
        text = " ".join(shown(stepper.shown.get(one)).replace("array(", "(").replace(", dtype=int64", "").split())
        noisy = stepper.numbers.get(one, 0)
        if step is SegmentEnd.RELEASE:
            parts.append("output with noise" if noisy else f"output {text}")
        else:
            parts.append(f"state {text}" + (" up to noise" if noisy else ""))
    return plain(", ".join(parts))


def _curve(pair: ExactPair, distributions: Sequence[Distribution], epsilon: float) -> tuple[Curve | None, str]:
    mixtures: list[Mixture] = [distribution.get(pair.seen, ()) for distribution in distributions]
    dimension = max(len(path.coordinates) for mixture in mixtures for _, path in mixture)
    if dimension == 0:
        return None, ""
    if any(
        isinstance(part.distribution, tuple) for mixture in mixtures for _, path in mixture for part in path.coordinates
    ):
        return None, "There is no drawing: the output has a sum of several noise variables."
    if any(
        isinstance(part.distribution, RegionDistribution)
        for mixture in mixtures
        for _, path in mixture
        for part in path.coordinates
    ):
        return None, "There is no drawing: the noise of the output was compared before, or lies on one side."
    held = pair.extreme.point[: dimension - 1]
    if any(isinstance(value, str) for value in held):
        return None, f"There is no drawing: several numbers have noise, and the loss is attained {held[0]}."
    marks = [mark for mark in pair.seen if not isinstance(mark, str) and not isinstance(mark, tuple)]
    mark = marks[dimension - 1] if len(marks) >= dimension else None
    held_at = [float(value) for value in held]
    ours, theirs = ([_Bump.of(weight, path, held_at) for weight, path in mixture] for mixture in mixtures)
    if any(not math.isfinite(bump.centre) for bump in (*ours, *theirs)):
        return None, "There is no drawing: the locations of the noise are not finite."
    lattice = isinstance(mark, Lattice)
    reach = max(bump.scale for bump in (*ours, *theirs))
    first = min(bump.centre for bump in (*ours, *theirs))
    last = max(bump.centre for bump in (*ours, *theirs))
    near = _grid(first, last, reach, _SCALES, 241, lattice)
    far = _grid(first, last, reach, _FAR, _FINE, lattice)
    odds = math.exp(epsilon)
    exceeds = bool((_height(ours, far) > odds * _height(theirs, far) * (1 + _SAME)).any())
    largest = _largest(ours, theirs, far)

    def inside(places: Floats) -> NDArray[np.bool_]:
        left, right = _height(ours, places), _height(theirs, places)
        if exceeds:
            return np.asarray(left > odds * right * (1 + _SAME))
        return np.asarray((left > 0) & (left >= largest * right * (1 - _SAME)))

    within = inside(far)
    chances = [_total(np.where(within, _height(bumps, far), 0.0), far, lattice) for bumps in (ours, theirs)]
    shown_at = near if not isinstance(mark, Lattice) else float(mark.step) * (near + float(mark.offset))
    curve = Curve(
        shown_at, _height(ours, near), _height(theirs, near), inside(near), lattice, exceeds, (chances[0], chances[1])
    )
    return curve, ""


@dataclass(frozen=True)
class _Bump:
    """A path's part of the distribution: its weight, and its decay on both sides of its centre.

    Gaussian noise has a standard deviation in place of the decay.
    """

    weight: float
    centre: float
    up: float
    down: float
    lattice: bool
    deviation: float = 0.0

    @classmethod
    def of(cls, weight: fmpq, path: Path, held: Sequence[float]) -> _Bump:
        """The part of the last coordinate, given the values of the earlier ones."""
        total = as_float(weight)
        for place, part in enumerate(path.coordinates):
            assert isinstance(
                part.distribution,
                (LaplaceDistribution, GeometricDistribution, GaussianDistribution, DiscreteGaussianDistribution),
            )
            centre = float(part.location) + sum(float(s) * value for s, value in zip(part.slope, held, strict=False))
            bump = cls(total, centre, *_rates(part.distribution))
            if place == len(path.coordinates) - 1:
                return bump
            total = float(bump.at(np.array([held[place]]))[0])
        raise AssertionError("a path without noise has no curve")

    @property
    def scale(self) -> float:
        return self.deviation or 1 / min(self.up, self.down)

    def at(self, places: Floats) -> Floats:
        """The density, or the probability on a lattice."""
        away = places - self.centre
        if self.deviation:
            return self.weight * self._share_of_centre() * np.exp(-((away / self.deviation) ** 2) / 2)
        decay = np.exp(-np.where(away >= 0, self.up * away, -self.down * away))
        return self.weight * (self._share_of_centre() if self.lattice else self.up / 2) * decay

    def _share_of_centre(self) -> float:
        """The density at the centre, or its probability on a lattice: one over the sum of both series."""
        if self.deviation and self.lattice:
            reach = math.ceil(_FAR * self.deviation)
            return 1 / math.fsum(math.exp(-((k / self.deviation) ** 2) / 2) for k in range(-reach, reach + 1))
        if self.deviation:
            return 1 / (self.deviation * math.sqrt(2 * math.pi))
        beyond = math.exp(-self.down) / -math.expm1(-self.down)
        return 1 / (1 / -math.expm1(-self.up) + beyond)


def _rates(
    distribution: LaplaceDistribution | GeometricDistribution | GaussianDistribution | DiscreteGaussianDistribution,
) -> tuple[float, float, bool, float]:
    if isinstance(distribution, LaplaceDistribution):
        rate = _nats(distribution.rate)
        return rate, rate, False, 0.0
    if isinstance(distribution, GeometricDistribution):
        return -_nats(distribution.up), -_nats(distribution.down), True, 0.0
    return math.inf, math.inf, isinstance(distribution, DiscreteGaussianDistribution), math.sqrt(distribution.variance)


def _nats(value: Exponent | Fraction) -> float:
    """The value of an exponent, or the logarithm of a ratio."""
    if isinstance(value, Exponent):
        return float(value.coefficient) * (1.0 if value.base is None else math.log(value.base))
    return math.log(value) if value else -math.inf


def _height(bumps: Sequence[_Bump], places: Floats) -> Floats:
    return np.sum([bump.at(places) for bump in bumps], axis=0) if bumps else np.zeros(places.size)


def _largest(ours: Sequence[_Bump], theirs: Sequence[_Bump], places: Floats) -> float:
    left, right = _height(ours, places), _height(theirs, places)
    positive = right > 0
    return float(np.max(left[positive] / right[positive])) if positive.any() else math.inf


def _grid(first: float, last: float, reach: float, scales: float, count: int, lattice: bool) -> Floats:
    low, high = first - scales * reach, last + scales * reach
    if lattice:
        steps = np.arange(math.floor(low), math.ceil(high) + 1, dtype=np.float64)
        return steps[:: max(1, steps.size // (10 * count))]
    return np.unique(np.concatenate([np.linspace(low, high, count), [first, last]]))


def _total(heights: Floats, places: Floats, lattice: bool) -> float:
    return float(heights.sum()) if lattice else float(np.trapezoid(heights, places))
