"""The largest loss over all pairs of adjacent streams of a scope.

Integer noise on some runs, and plain numbers on others: outputs that look the same are counted together.

The largest loss over all pairs of adjacent streams of a scope.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np

from pan_audits.choices.distributions import RegionDistribution, is_short
from pan_audits.choices.errors import BypassError, TooLargeError, TooManyOutcomesError, UnfollowableError
from pan_audits.choices.noise import NoisyNumber
from pan_audits.choices.numbers import ONE, ZERO, Number, exponent, greater, rational
from pan_audits.choices.regions.function import Function
from pan_audits.exact.identity import form_key
from pan_audits.exact.observation import (
    NOISY,
    NUMBER,
    OTHER,
    UNFINISHED,
    Allowed,
    Applied,
    Coordinate,
    Extreme,
    Lattice,
    Mixture,
    Path,
    Point,
    density_of,
)
from pan_audits.exact.profile import PrivacyProfile
from pan_audits.exact.scope import Scope, Stream, Update, adjacent, length_of, without
from pan_audits.exact.stepping import Distribution, Stepper
from pan_audits.exact.supremum import largest_ratio
from pan_audits.notions import Exactly, Loss, Notion, notion_of
from pan_promises.promise import Adjacency, Promise

Key = tuple[Any, ...]


def lattices_differ(
    distributions: Iterable[Iterable[tuple[Any, ...]]], shown: Mapping[str, Any], numbers: Mapping[str, int]
) -> bool:
    """Whether integer noise puts what looks the same on several lattices, or on one and elsewhere none.

    Then outputs that are distinguished here may be equal, and the computed loss is an upper bound.
    """
    keys = {key for distribution in distributions for key in distribution}
    if not any(isinstance(mark, Lattice) for key in keys for mark in key):
        return False
    # A number that is not finite looks like no output with noise.
    keys = {key for key in keys if not any(_is_apart(part, shown) for part in key)}
    # A container with noise in it may equal another one that has numbers in its place.
    parts = {part for key in keys for part in key if isinstance(part, str) and part[0] == OTHER}
    noisy = {form_key(shown[part], _any) for part in parts if numbers[part]}
    forms = {part: form_key(shown[part], _any) for part in parts} if noisy else {}
    marks: dict[tuple[str, ...], set[tuple[Any, ...]]] = {}
    for key in keys:
        looks, plain, steps = [], [], []
        for part in key:
            if not isinstance(part, str):
                steps.append(part.step if isinstance(part, Lattice) else None)
            elif part[0] in (NOISY, NUMBER):
                looks.append(NOISY)
                plain.append(part[0])
            else:
                like = forms.get(part) in noisy
                looks.append(forms[part] if like else part)
                plain.append(form_key(shown[part], _kind) if like else OTHER)
        marks.setdefault(tuple(looks), set()).add((tuple(plain), tuple(steps)))
    return any(
        len(found) > 1 and any(step is not None for _, steps in found for step in steps) for found in marks.values()
    )


def on_one_lattice(
    distributions: Sequence[Distribution], shown: dict[str, Any], numbers: dict[str, int]
) -> list[Distribution]:
    """The distributions with each plain number at its place among the outputs with integer noise.

    The last observation is a number: with noise on some runs, and plain on others, as where noise is clipped. A plain
    number on the lattice of the noise becomes noise with one value. Any other plain number is distinguished from all
    outputs with noise.
    """
    lattices: dict[Key, set[Lattice]] = defaultdict(set)
    for key in {key for distribution in distributions for key in distribution}:
        *before, last, mark = (*key, None) if isinstance(key[-1], str) else key
        if isinstance(mark, Lattice) and isinstance(last, str) and last[0] == NOISY:
            lattices[tuple(before), last].add(mark)
    found: list[Distribution] = []
    for distribution in distributions:
        moved: Distribution = defaultdict(list)
        for key, paths in distribution.items():
            place = _place(key, lattices, shown, numbers)
            if place is None:
                moved[key] += paths
            else:
                moved[place[0]] += [(weight, place[1]) for weight, _ in paths]
        found.append(moved)
    return found


def _place(
    key: Key, lattices: Mapping[Key, set[Lattice]], shown: dict[str, Any], numbers: dict[str, int]
) -> tuple[Key, Path] | None:
    """Key and path of a plain number among outputs with noise on one lattice; ``None`` for anything else."""
    *before, last = key
    if not isinstance(last, str) or last[0] != NUMBER:
        return None
    among = [(noisy, marks) for (others, noisy), marks in lattices.items() if others == tuple(before)]
    value = _plain(shown[last])
    if len(among) != 1 or len(among[0][1]) != 1 or value is None:
        return None
    noisy, (lattice,) = among[0]
    # Doubles do not round on such a lattice: equal real numbers are equal doubles.
    if not all(is_short(one) for one in (lattice.step, lattice.step * lattice.offset)):
        return None
    steps = Fraction(value) / lattice.step - lattice.offset
    if steps.denominator != 1 or (value == 0 and math.copysign(1, value) < 0):
        apart = OTHER + last
        shown[apart], numbers[apart] = value, 0
        return (*before, apart), Path()
    distribution = RegionDistribution(lattice.step, Function.at_one(rational(steps)))
    return (*before, noisy, lattice), Path((Coordinate((), distribution, Fraction(0)),))


def _plain(value: Any) -> int | float | None:
    """A number as Python's own, if it looks like an equal number with noise. A truth value does not."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return None
    return value


def _is_apart(part: Any, shown: Mapping[str, Any]) -> bool:
    """Whether a part of an observation is a single number that is infinite or NaN."""
    value = shown[part] if isinstance(part, str) and part[0] == NUMBER else None
    return isinstance(value, (float, np.floating)) and not math.isfinite(value)


def _any(_: Any) -> str:
    return NOISY


def _kind(value: Any) -> str:
    return NOISY if isinstance(value, NoisyNumber) and value.terms else NUMBER


@dataclass(frozen=True)
class ExactPair:
    """Two adjacent streams and the observation that distinguishes them best.

    Attributes
    ----------
    left, right
        The streams; the observation is likelier on the left one.
    user
        The user whose updates differ.
    seen
        The discrete part of the observation.
    extreme
        The ratio of the two probabilities, and the point at which it is attained.
    delta
        For a promise with a delta: the least delta with which the two streams keep its epsilon.
    upper
        Whether this is an upper bound only (:func:`lattices_differ`).
    observation
        The observation in words, if they do not come from the point.
    unit
        The unit of the loss.
    chances
        The probabilities of the discrete part on both streams.
    unfinished
        Whether some runs were left before their end.
    """

    left: Stream
    right: Stream
    user: int
    seen: tuple[Any, ...]
    extreme: Extreme
    delta: Number | None = None
    upper: bool = False
    observation: str = ""
    unit: str = ""
    chances: tuple[Number, Number] = (ONE, ONE)
    unfinished: bool = False

    def violates(self, notion: Notion, *, exact: bool) -> bool:
        """Whether the pair breaks a promise; ``exact`` as in :meth:`Notion.broken_by`."""
        return notion.broken_by(self.loss, self.delta, exact=exact)

    def worse_than(self, other: ExactPair) -> bool:
        """Whether the loss of the pair is larger than that of another one."""
        if self.delta is None or other.delta is None:
            return self.loss > other.loss
        return bool(greater(self.delta, other.delta))

    @property
    def loss(self) -> Loss:
        """The loss."""
        return Loss(self.extreme.ratio, self.extreme.attained, self.upper, self.unit)

    @property
    def length(self) -> int:
        """Total number of updates in both streams."""
        return length_of(self.left) + length_of(self.right)


@dataclass
class LargestLoss:
    """The largest loss of a scope, and the covered part.

    Attributes
    ----------
    worst
        The pair with the largest loss.
    streams, pairs
        Numbers of checked streams and pairs.
    bounded_only
        Whether for some observation only a lower bound of its ratio is known, and the loss is that ratio.
    unfinished
        The largest probability of runs that are left before their end. Losses are lower bounds by so much.
    """

    worst: ExactPair | None = None
    streams: int = 0
    pairs: int = 0
    bounded_only: bool = False
    unfinished: Number = ZERO

    def add(self, pair: ExactPair) -> None:
        """Keep the pair with the largest loss; among equal ones the shortest."""
        self.bounded_only |= pair.delta is None and not pair.extreme.attained and not pair.unfinished
        if (
            self.worst is None
            or pair.worse_than(self.worst)
            or (not self.worst.worse_than(pair) and pair.length < self.worst.length)
        ):
            self.worst = pair


def search_scope(
    stepper: Stepper,
    scope: Scope,
    *,
    require: Callable[[], object] = bool,
    promise: Promise | None = None,
    found: LargestLoss | None = None,
) -> LargestLoss:
    """Search every stream of up to ``scope.length`` updates, every adjacent stream, every placement of steps.

    What is found goes into ``found``, also if the search ends with an error.
    """
    found = LargestLoss() if found is None else found
    for schedule in scope.schedules:
        streams = [s for length in range(scope.length + 1) for s in scope.streams(schedule, length)]
        found.streams += len(streams)
        for user in scope.subjects:
            families: dict[Stream, list[Stream]] = defaultdict(list)
            for stream in streams:
                families[without(stream, user)].append(stream)
            for family in families.values():
                require()
                search_family(stepper, family, user, scope.adjacency, found, promise)
    return found


def search_pairs(
    stepper: Stepper, pairs: list[list[Stream]], promise: Promise, require: Callable[[], object] = bool
) -> LargestLoss:
    """Search some pairs of whole inputs; the parameters are those of :func:`search_scope`."""
    found = LargestLoss()
    for pair in pairs:
        require()
        first = pair[0][0]
        assert isinstance(first, Update)
        search_family(stepper, pair, first.user, Adjacency.USER_LEVEL, found, promise)
    return found


def whole_or_in_parts(stepper: Stepper, search: Callable[[Stepper], LargestLoss]) -> tuple[Stepper, LargestLoss]:
    """A search in which outputs are followed as a whole or, if they have too many values, element by element."""
    try:
        return stepper, search(stepper)
    except TooManyOutcomesError as limit:
        # Choices that are made as arrays first, then those of loops as well.
        for singly in (False, True):
            apart = stepper.again(in_parts=True, singly=singly)
            try:
                return apart, search(apart)
            except BypassError:
                raise
            except TooManyOutcomesError as still:
                problem: Exception = still
            except (UnfollowableError, TooLargeError) as other:
                problem = other
                break
        raise TooLargeError(f"{limit}; the elements of the output cannot be followed separately: {problem}") from None


def search_family(
    stepper: Stepper,
    family: list[Stream],
    user: int,
    adjacency: Adjacency,
    found: LargestLoss,
    promise: Promise | None = None,
) -> None:
    """All pairs of streams that are equal after ``user`` is removed from both."""
    finished = [_finished(stepper.distribution(stream)) for stream in family]
    distributions, unfinished = [one for one, _ in finished], [rest for _, rest in finished]
    for each in unfinished:
        found.unfinished = each if greater(each, found.unfinished) else found.unfinished
    stepper.work.places += sum(len(paths) for distribution in distributions for paths in distribution.values())
    allowed = None
    if adjacency is Adjacency.USER_LEVEL:
        found.pairs += len(family) * (len(family) - 1) // 2
    else:
        pairs = {
            (i, j)
            for i, left in enumerate(family)
            for j, right in enumerate(family)
            if i != j and adjacent(left, right, adjacency)
        }
        found.pairs += len(pairs) // 2

        def allowed(i: int, j: int) -> bool:
            return (i, j) in pairs

    if len(family) < 2:
        return
    _require_one_function(distributions)
    upper = lattices_differ(distributions, stepper.shown, stepper.numbers)
    if promise is not None and notion_of(promise).exactly is Exactly.PROFILE:
        _search_deltas(family, distributions, unfinished, user, promise, allowed, found, upper=upper)
        return
    if upper:
        distributions = on_one_lattice(distributions, stepper.shown, stepper.numbers)
        upper = lattices_differ(distributions, stepper.shown, stepper.numbers)
    for pair in _largest_ratios(family, distributions, unfinished, user, allowed):
        found.add(replace(pair, upper=upper or pair.upper))


def _finished(distribution: Distribution) -> tuple[Distribution, Number]:
    """The distribution without runs that are left before their end, and their probability."""
    left = [key for key in distribution if UNFINISHED in key]
    if not left:
        return distribution, ZERO
    rest = sum((weight for key in left for weight, _ in distribution[key]), ZERO)
    return {key: paths for key, paths in distribution.items() if key not in left}, rest


def _at_least(extreme: Extreme, mixtures: Sequence[Mixture], seen: Key, rest: Number) -> tuple[Extreme, bool]:
    """A lower bound of the ratio, where unfinished runs of the other side may all have the observation too.

    The density of these runs is not known. For noise with a density the ratio stays as it is, and is told to be open.
    """
    masses = [_mass(mixtures[side], extreme.point, seen) for side in (extreme.high, extreme.low)]
    if masses[0] is None or masses[1] is None:
        return extreme, True
    high, low = masses[0], masses[1] + rest
    if not greater(high, low):
        # Nothing is shown.
        low = high
    return replace(extreme, ratio=high / low, attained=False, masses=(high, low)), False


def _mass(mixture: Mixture, point: Point, seen: Key) -> Number | None:
    """The probability of a point, if all noise in the observation is integer noise."""
    if any(not isinstance(part, (str, Lattice)) for part in seen) or not all(isinstance(p, Fraction) for p in point):
        return None
    total: Number = ZERO
    for weight, path in mixture:
        if any(one.slope for one in path.coordinates):
            return None
        chances = [density_of(one).at(rational(place)) for one, place in zip(path.coordinates, point, strict=True)]
        total = total + math.prod(chances, start=weight)
    return total


def _require_one_function(distributions: Sequence[Distribution]) -> None:
    """Refuse outputs of which one shows a function of noise, and an output that looks like it another one."""
    functions: dict[Key, Key] = {}
    for key in {key for distribution in distributions for key in distribution}:
        plain = tuple(part.mark if isinstance(part, Applied) else part for part in key)
        if functions.setdefault(plain, key) != key:
            raise UnfollowableError("an output shows different functions of noise in different runs")


def _largest_ratios(
    family: list[Stream],
    distributions: Sequence[Distribution],
    unfinished: Sequence[Number],
    user: int,
    allowed: Allowed | None,
) -> Iterator[ExactPair]:
    """For each discrete observation, the pair that it distinguishes best."""
    for seen in dict.fromkeys(key for distribution in distributions for key in distribution):
        mixtures: list[Mixture] = [distribution.get(seen, ()) for distribution in distributions]
        extreme = largest_ratio(mixtures, allowed)
        if extreme is not None:
            high, low = (sum((chance for chance, _ in mixtures[side]), ZERO) for side in (extreme.high, extreme.low))
            rest, ends = unfinished[extreme.low], (family[extreme.high], family[extreme.low])
            upper = False
            if rest != 0:
                extreme, upper = _at_least(extreme, mixtures, seen, rest)
            chances, left = (high, low), bool(rest != 0)
            yield ExactPair(*ends, user, seen, extreme, upper=upper, chances=chances, unfinished=left)


def _search_deltas(
    family: list[Stream],
    distributions: Sequence[Distribution],
    unfinished: Sequence[Number],
    user: int,
    promise: Promise,
    allowed: Allowed | None,
    found: LargestLoss,
    *,
    upper: bool,
) -> None:
    """The profile of every pair at the promised epsilon; pairs of equal distributions are computed once."""
    for i, j in permutations(range(len(family)), 2):
        if (allowed is not None and not allowed(i, j)) or distributions[i] == distributions[j]:
            continue
        delta = PrivacyProfile(distributions[i], distributions[j]).delta(promise.epsilon)
        if unfinished[j] != 0:
            less = delta - unfinished[j] * exponent(promise.epsilon).power()
            delta = less if greater(less, ZERO) else ZERO
        if found.worst is not None and found.worst.delta is not None and not greater(delta, found.worst.delta):
            continue
        both, ours = [family[i], family[j]], [distributions[i], distributions[j]]
        rests = (unfinished[i], unfinished[j])
        pairs = list(_largest_ratios(both, ours, rests, user, lambda high, low: (high, low) == (0, 1)))
        if not pairs and greater(delta, ZERO) is False:
            continue
        if not pairs:
            raise UnfollowableError("two streams differ, and no observation of them is known that shows it")
        worst = max(pairs, key=lambda pair: pair.loss.nats)
        found.add(replace(worst, left=family[i], right=family[j], delta=delta, upper=upper))
