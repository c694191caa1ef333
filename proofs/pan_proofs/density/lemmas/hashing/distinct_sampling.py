"""Pan-private distinct sampling as it is printed (paper, Algorithm 3), in exact arithmetic.

For a given hash function the distribution of the state is followed step by step, every coin with both its
outcomes. Another text of the paper keeps the nesting of the listing: after every turn of a user outside
the sample, qualifying or not, the sample is checked once. :class:`Listing` can repeat the check until
there is room, which may be meant. With ``fixed_level`` there is no check at all, and the level is the one
given.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product

from pan_proofs.density.lemmas.hashing.linear_hash import odd_multipliers, trailing_zeros

State = tuple[int, frozenset[int]]
"""The level and the members."""

Distribution = dict[State, Fraction]
"""Probability of each state."""

Levels = tuple[int, ...]
"""The level of each user: a hash function, as far as the algorithm uses it."""


@dataclass(frozen=True)
class Listing:
    """A reading of the listing.

    Attributes
    ----------
    repeated
        Whether the check is repeated until the sample is no longer full, or made once, as printed.
    """

    repeated: bool = False


PRINTED = Listing()
"""The check is made once."""

LISTINGS = (PRINTED, Listing(repeated=True))
"""Every reading."""


@dataclass(frozen=True)
class Sampler:
    """Algorithm 3 with its parameters.

    Attributes
    ----------
    users
        The size of the universe, ``{0, ..., users - 1}``.
    size
        The bound m on the sample.
    ratio
        ``exp(epsilon)``, rational, or a symbol for it.
    listing
        The reading of the listing.
    fixed_level
        A level that is given beforehand; the sample is then never checked.
    """

    users: int
    size: int
    ratio: Fraction = Fraction(3, 2)
    listing: Listing = PRINTED
    fixed_level: int | None = None

    @property
    def width(self) -> int:
        """The least Q with ``users <= 2^Q``."""
        return (self.users - 1).bit_length()

    @cached_property
    def before(self) -> Fraction:
        """The probability ``p_init``."""
        return 1 / (1 + self.ratio)

    @cached_property
    def after(self) -> Fraction:
        """The probability ``p_upd``."""
        return self.ratio / (1 + self.ratio)

    @cached_property
    def hashes(self) -> tuple[Levels, ...]:
        """All hash functions, each as often as it is drawn."""
        size = 2**self.width
        return tuple(
            tuple(trailing_zeros((multiplier * user + offset) % size, self.width) for user in range(self.users))
            for multiplier in odd_multipliers(self.width)
            for offset in range(size)
        )

    def state_distribution(self, levels: Levels, stream: Sequence[int]) -> Distribution:
        """The distribution of the state after the stream, for one hash function."""
        distribution: Distribution = {(self.fixed_level or 0, frozenset()): Fraction(1)}
        for user in range(self.users):
            distribution = self.step(distribution, levels, user, self.before)
        for user in stream:
            distribution = self.step(distribution, levels, user, self.after)
        return distribution

    def average_distribution(self, stream: Sequence[int]) -> dict[tuple[Levels, State], Fraction]:
        """The distribution of the hash function and the state together."""
        joint: dict[tuple[Levels, State], Fraction] = defaultdict(Fraction)
        hashes = self.hashes
        for levels, times in Counter(hashes).items():
            for state, chance in self.state_distribution(levels, stream).items():
                joint[levels, state] += chance * times / len(hashes)
        return dict(joint)

    def estimate(self, state: State) -> Fraction:
        """The output without its noise."""
        level, members = state
        gap = self.after - self.before
        return (Fraction(2**level * len(members), self.users) - Fraction(1, 2) + gap / 2) / gap

    def step(self, distribution: Mapping[State, Fraction], levels: Levels, user: int, one: Fraction) -> Distribution:
        """The distribution of the state after one coin of a user and the check; ``one`` is that of a member."""
        following: Distribution = defaultdict(Fraction)
        for (level, members), chance in distribution.items():
            outside = user not in members
            coins = {frozenset(members - {user}): 1 - one, frozenset(members | {user}): one}
            outcomes = {members: Fraction(1)} if outside and levels[user] < level else coins
            for kept, weight in outcomes.items():
                following[self._checked(level, kept, levels) if outside else (level, kept)] += chance * weight
        return dict(following)

    def _checked(self, level: int, members: frozenset[int], levels: Levels) -> State:
        if self.fixed_level is not None:
            return level, members
        while len(members) >= self.size:
            members = frozenset(user for user in members if levels[user] > level)
            level += 1
            if not self.listing.repeated:
                break
        return level, members


def level_distribution(distribution: Mapping[State, Fraction]) -> dict[int, Fraction]:
    """The distribution of the level alone."""
    levels: dict[int, Fraction] = defaultdict(Fraction)
    for (level, _), chance in distribution.items():
        levels[level] += chance
    return dict(levels)


def moments_given_level(
    sampler: Sampler, distribution: Mapping[State, Fraction]
) -> dict[int, tuple[Fraction, Fraction]]:
    """For each level mean and mean square of the output without its noise, given that level."""
    found = {}
    for level, chance in sorted(level_distribution(distribution).items()):
        outputs = [(weight, sampler.estimate(state)) for state, weight in distribution.items() if state[0] == level]
        mean = sum((weight * output for weight, output in outputs), Fraction(0)) / chance
        square = sum((weight * output**2 for weight, output in outputs), Fraction(0)) / chance
        found[level] = mean, square
    return found


def mean_estimate(sampler: Sampler, stream: Sequence[int]) -> Fraction:
    """The expectation of the output over hash function and coins; the noise has mean 0 whatever the level."""
    distribution = sampler.average_distribution(stream)
    return sum((weight * sampler.estimate(state) for (_, state), weight in distribution.items()), Fraction(0))


def sampled_density(levels: Levels, level: int, stream: Sequence[int]) -> Fraction | None:
    """The density of the qualifying users; ``None`` if no user qualifies."""
    qualify = {user for user, own in enumerate(levels) if own >= level}
    return Fraction(len(qualify & set(stream)), len(qualify)) if qualify else None


def largest_ratio(one: Mapping[State, Fraction], other: Mapping[State, Fraction]) -> Fraction | None:
    """The largest ratio of the probabilities of one state, in either order; ``None`` if only one of them is 0."""
    if {key for key, chance in one.items() if chance} != {key for key, chance in other.items() if chance}:
        return None
    return max(max(one[key] / other[key], other[key] / one[key]) for key in one if one[key])


def streams(users: int, longest: int) -> tuple[tuple[int, ...], ...]:
    """All streams up to a length."""
    return tuple(stream for length in range(longest + 1) for stream in product(range(users), repeat=length))
