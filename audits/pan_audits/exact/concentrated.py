"""The largest rho over adjacent pairs of whole inputs, for a promise of zero-concentrated differential privacy.

Each input has one law: a discrete part, a mean and a covariance. Two inputs with one covariance have the loss
``d' Sigma^-1 d / 2`` for means that differ by d. So the loss is computed once for each difference of means.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq
from numpy.typing import NDArray

from pan_audits.choices.errors import TooLargeError
from pan_audits.choices.numbers import as_float
from pan_audits.choices.showing import as_text
from pan_audits.exact.extreme import Extreme
from pan_audits.exact.gaussian_loss import GaussianLoss, ranges_differ
from pan_audits.exact.gaussian_outputs import GaussianOutput, OutputLaw
from pan_audits.exact.loss import Loss
from pan_audits.exact.open_choices import Bounds, bounds_of
from pan_audits.exact.scope import Stream, Update
from pan_audits.exact.search import ExactPair
from pan_audits.inputs.streams.family import SegmentEnd
from pan_promises.promise import Promise

Places = NDArray[np.int64]

_MOST_PAIRS = 4_000_000
"""Greatest number of pairs of different laws."""

_MOST_SHARPENED = 32
"""Pairs of laws whose bounds are made sharp although the promise is decided without."""

_DIFFERENT_COVARIANCES = (
    "the noise of the output has one covariance on an input and another one on an adjacent input, and the check "
    "follows no rho of two covariances"
)
_ROUNDED_WEIGHTS = (
    "a combination of outputs without noise differs by as little as the rounding of its weights, and the check follows "
    "real numbers"
)
_SEVERAL_PATHS = (
    "the law of the output is a mixture over other random choices, and the check follows no rho of a mixture"
)
_BOUNDS_APART = (
    "the output shows random choices, and the promised rho lies between the two bounds that the check has on the loss"
)


@dataclass
class ConcentratedFound:
    """The largest loss of a scope.

    Attributes
    ----------
    worst, first
        The pair with the largest loss, and the first one that breaks the promise.
    pairs, laws
        Numbers of adjacent pairs and of different laws.
    not_followed
        The reason why the loss of some pair is not known; empty if all are known.
    sharpened
        The number of pairs whose bounds were made sharp.
    """

    worst: ExactPair | None = None
    first: ExactPair | None = None
    pairs: int = 0
    laws: int = 0
    not_followed: str = ""
    sharpened: int = 0


@dataclass(frozen=True)
class _Candidate:
    """A loss, the place of its pair among all pairs of laws, and the observation in words.

    The loss may be less than the number if ``upper`` is set, and more if ``attained`` is not.
    """

    rho: fmpq | None
    place: int
    words: str
    attained: bool = True
    upper: bool = False


def stream_of(place: int) -> Stream:
    """The stream that stands for an input, with its output."""
    return (Update(place), SegmentEnd.RELEASE)


def search_laws(
    laws: Sequence[OutputLaw],
    numbers: Places,
    blocks: Iterable[Places],
    groups: Iterable[Places],
    promise: Promise,
    *,
    exact: bool,
) -> ConcentratedFound:
    """The largest loss over adjacent pairs of inputs, and the first pair that breaks a promise."""
    found = ConcentratedFound(laws=len(laws))
    of_laws, of_inputs = _different(numbers, blocks, groups, found)
    for one in _candidates(laws, of_laws, found, promise, exact=exact):
        left, right = of_inputs[one.place].tolist()
        extreme = Extreme(one.rho, 0, 1, attained=one.attained)
        ends = stream_of(left), stream_of(right)
        pair = ExactPair(*ends, left, (), extreme, upper=one.upper, observation=one.words, concentrated=True)
        if found.worst is None or pair.worse_than(found.worst):
            found.worst = pair
        if pair.violates(promise, exact=exact) and (found.first is None or pair.user < found.first.user):
            found.first = pair
    return found


def _different(
    numbers: Places, blocks: Iterable[Places], groups: Iterable[Places], found: ConcentratedFound
) -> tuple[Places, Places]:
    """The pairs of different laws of adjacent inputs, each once, and for each of them the first pair of inputs."""
    count = int(numbers.max(initial=0)) + 1
    codes, inputs = np.zeros(0, dtype=np.int64), np.zeros((0, 2), dtype=np.int64)

    def take(pairs: Places) -> None:
        nonlocal codes, inputs
        ends = numbers[pairs]
        turned = ends[:, 0] > ends[:, 1]
        ends, pairs = (np.where(turned[:, None], one[:, ::-1], one) for one in (ends, pairs))
        differ = ends[:, 0] != ends[:, 1]
        more = (ends[:, 0] * count + ends[:, 1])[differ]
        codes, first = np.unique(np.concatenate([codes, more]), return_index=True)
        inputs = np.concatenate([inputs, pairs[differ]])[first]
        if len(codes) > _MOST_PAIRS:
            raise TooLargeError(f"the adjacent inputs have more than {_MOST_PAIRS:,} pairs of different laws")

    for block in blocks:
        found.pairs += len(block)
        take(block)
    for group in groups:
        found.pairs += len(group) * (len(group) - 1) // 2
        _, first = np.unique(numbers[group], return_index=True)
        if len(first) ** 2 > 2 * _MOST_PAIRS:
            raise TooLargeError(f"the adjacent inputs have more than {_MOST_PAIRS:,} pairs of different laws")
        left, right = np.triu_indices(len(first), 1)
        some = np.sort(group[first])
        take(np.column_stack([some[left], some[right]]))
    return np.column_stack([codes // count, codes % count]), inputs


def _candidates(
    laws: Sequence[OutputLaw], pairs: Places, found: ConcentratedFound, promise: Promise, *, exact: bool
) -> Iterable[_Candidate]:
    """The loss for each difference of means, and for each two sorts of laws.

    Laws of one path are of one sort if they have the discrete part and the covariance in common.
    """
    sorts: dict[Any, int] = {}
    sort_of = np.array([sorts.setdefault(_sort(law, number), len(sorts)) for number, law in enumerate(laws)])
    if not len(pairs):
        return
    left, right = sort_of[pairs[:, 0]], sort_of[pairs[:, 1]]
    _, first, inverse = np.unique(left * len(sorts) + right, return_index=True, return_inverse=True)
    order = np.argsort(inverse, kind="stable")
    members = np.split(order, np.flatnonzero(np.diff(inverse[order])) + 1)
    for place, chosen in zip(first.tolist(), members, strict=True):
        one, other = (laws[number] for number in pairs[place].tolist())
        if left[place] != right[place] and (words := _why_infinite(one, other)):
            yield _Candidate(None, place, words)
        elif len(one) > 1 or len(other) > 1:
            for number in chosen.tolist():
                first_law, second_law = (laws[end] for end in pairs[number].tolist())
                yield from _of_choices(first_law, second_law, number, found, promise)
        else:
            if left[place] != right[place]:
                found.not_followed = _DIFFERENT_COVARIANCES
            same = bool(left[place] == right[place])
            yield from _differences(laws, pairs, chosen, found, same=same, exact=exact)


def _of_choices(
    one: OutputLaw, other: OutputLaw, place: int, found: ConcentratedFound, promise: Promise
) -> Iterable[_Candidate]:
    """The bound that decides a promise, of two laws with choices that the output shows."""
    bounds = bounds_of(one, other, sharp=False)
    if bounds is not None and bounds.least is not None and bounds.most is not None:
        open_still = not Loss(bounds.least, concentrated=True).breaks(promise, exact=False)
        open_still &= Loss(bounds.most, concentrated=True).breaks(promise, exact=False)
        if open_still or found.sharpened < _MOST_SHARPENED:
            found.sharpened += 1
            bounds = bounds_of(one, other)
    if bounds is None:
        found.not_followed = _SEVERAL_PATHS
    elif bounds.least is None or bounds.most is None:
        yield _Candidate(None, place, "the output, of which a combination without noise differs")
    elif Loss(bounds.least, concentrated=True).breaks(promise, exact=False):
        yield _Candidate(bounds.least, place, _words_of(bounds), attained=False)
    elif Loss(bounds.most, concentrated=True).breaks(promise, exact=False):
        found.not_followed = _BOUNDS_APART
    else:
        yield _Candidate(bounds.most, place, _words_of(bounds), upper=True)


def _words_of(bounds: Bounds) -> str:
    if not bounds.noise or bounds.most is None:
        return "the choices that the output shows"
    rest = as_float(bounds.most - bounds.noise)
    return (
        f"the choices, which cost at most {rest:.3g}, and the noisy numbers beside them, which cost "
        f"{as_float(bounds.noise):.6g}"
    )


def _sort(law: OutputLaw, number: int) -> Any:
    if len(law) > 1:
        return number
    (output,) = law
    return output.key, output.covariance, output.lattices


def _why_infinite(one: OutputLaw, other: OutputLaw) -> str:
    """The reason why the loss of two laws of different sorts is infinite; empty if this is not known."""
    if {output.key for output in one} != {output.key for output in other}:
        return "the part of the output without noise, which is possible on one input alone"
    if len(one) == len(other) == 1:
        first, second = _single(one), _single(other)
        if first.lattices != second.lattices:
            return "the output, whose noise is on the integers, at a value that is impossible on the other input"
        if ranges_differ(first.covariance, second.covariance):
            return "the output, of which a combination carries Gaussian noise on one input alone"
    return ""


def _single(law: OutputLaw) -> GaussianOutput:
    (output,) = law
    return output


def _differences(
    laws: Sequence[OutputLaw], pairs: Places, chosen: Places, found: ConcentratedFound, *, same: bool, exact: bool
) -> Iterable[_Candidate]:
    """The loss for each difference of means of some pairs.

    Of pairs with two covariances of one range, only the infinite losses are known.
    """
    used, places = np.unique(pairs[chosen], return_inverse=True)
    means = [_single(laws[number]).mean for number in used.tolist()]
    unit = math.lcm(*(one.denominator for mean in means for one in mean))
    whole = np.array([[int(one * unit) for one in mean] for mean in means], dtype=object).reshape(len(used), -1)
    if max((abs(one) for one in whole.flat), default=0) < 2**62:
        whole = whole.astype(np.int64)
    ends = places.reshape(-1, 2)
    rows = whole[ends[:, 0]] - whole[ends[:, 1]]
    first = _first_of_each(rows)
    loss = GaussianLoss.of(_single(laws[used[0]]).covariance)
    for place, rho in zip(first.tolist(), loss.of_differences(rows[first].astype(object), unit), strict=True):
        if rho is None and not exact and not loss.clearly_apart(rows[place]):
            found.not_followed = _ROUNDED_WEIGHTS
        elif same or rho is None:
            gap = ", ".join(as_text(Fraction(int(one), unit)) for one in rows[place])
            under = (
                "noise that leaves a combination without noise" if rho is None else "Gaussian noise of one covariance"
            )
            yield _Candidate(rho, int(chosen[place]), f"the output, whose mean differs by ({gap}) under {under}")


def _first_of_each(rows: NDArray[Any]) -> Places:
    """The place of the first of equal rows."""
    if rows.dtype == object:
        known: dict[tuple[int, ...], int] = {}
        for place, row in enumerate(rows.tolist()):
            known.setdefault(tuple(row), place)
        return np.array(list(known.values()), dtype=np.int64)
    if not rows.shape[1]:
        return np.zeros(min(1, len(rows)), dtype=np.int64)
    return np.sort(np.unique(rows, axis=0, return_index=True)[1])
