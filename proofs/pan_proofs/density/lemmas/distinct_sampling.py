"""Pan-private distinct sampling and its linear hash as they are printed (paper, Algorithm 3), in exact arithmetic.

For a given hash function the distribution of the state is followed step by step, every coin with both its
outcomes. Another text of the paper keeps the nesting of the listing: after every turn of a user outside
the sample, qualifying or not, the sample is checked once. The check can be repeated until there is room, which
may be meant. With ``fixed_level`` there is no check at all, and the level is the one given.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import product

State = tuple[int, frozenset[int]]
"""The level and the members."""

Distribution = dict[State, Fraction]
"""Probability of each state."""

Levels = tuple[int, ...]
"""The level of each user: a hash function, as far as the algorithm uses it."""

READINGS = (False, True)
"""Whether the check is repeated until the sample is no longer full, or made once, as printed."""


def odd_multipliers(width: int) -> range:
    """The odd multipliers modulo ``2^width``; for ``width`` 0, where the source has none, the multiplier 1."""
    return range(1, max(2, 2**width), 2)


def trailing_zeros(value: int, width: int) -> int:
    """Trailing zeros of the binary digits of a number below ``2^width``; ``width`` for 0."""
    return (value & -value).bit_length() - 1 if value else width


@cache
def hash_functions(width: int, users: int, multipliers: Iterable[int] | None = None) -> tuple[Levels, ...]:
    """The levels under ``(a u + b) mod 2^width``, for all odd multipliers (or those given) and all offsets."""
    size = 2**width
    return tuple(
        tuple(trailing_zeros((multiplier * user + offset) % size, width) for user in range(users))
        for multiplier in multipliers or odd_multipliers(width)
        for offset in range(size)
    )


def pair_law(width: int, one: int, other: int) -> dict[tuple[int, int], Fraction]:
    """The joint distribution of the levels of two users, by counting."""
    functions = hash_functions(width, 2**width)
    found = Counter((levels[one], levels[other]) for levels in functions)
    return {pair: Fraction(number, len(functions)) for pair, number in found.items()}


def level_distribution(width: int, level: int) -> Fraction:
    """The probability of one level, as the amended statement has it."""
    return Fraction(1, 2 ** (level + 1)) if level < width else Fraction(1, 2**width)


def joint_level_distribution(width: int, valuation: int) -> dict[tuple[int, int], Fraction]:
    """The joint distribution of the levels of two users whose difference has a number of trailing zeros, as amended."""
    equal_below = valuation if valuation < width else width + 1  # the difference 0 is that of a user to itself
    distribution = {(level, level): level_distribution(width, level) for level in range(equal_below)}
    for above in range(valuation + 1, width + 1):
        distribution[valuation, above] = distribution[above, valuation] = level_distribution(width, above)
    return distribution


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
    repeated
        Whether the check is repeated until the sample is no longer full, or made once, as printed.
    fixed_level
        A level that is given beforehand; the sample is then never checked.
    """

    users: int
    size: int
    ratio: Fraction = Fraction(3, 2)
    repeated: bool = False
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

    @property
    def hashes(self) -> tuple[Levels, ...]:
        """All hash functions, each as often as it is drawn."""
        return hash_functions(self.width, self.users)

    def state_distribution(self, levels: Levels, stream: Sequence[int]) -> Distribution:
        """The distribution of the state after the stream, for one hash function."""
        distribution: Distribution = {(self.fixed_level or 0, frozenset()): Fraction(1)}
        for user in range(self.users):
            distribution = self.step(distribution, levels, user, self.before)
        for user in stream:
            distribution = self.step(distribution, levels, user, self.after)
        return distribution

    def average_distribution(self, stream: Sequence[int]) -> Distribution:
        """The distribution of the state over all hash functions."""
        found: Distribution = defaultdict(Fraction)
        for levels, times in Counter(self.hashes).items():
            for state, chance in self.state_distribution(levels, stream).items():
                found[state] += chance * times / len(self.hashes)
        return dict(found)

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
            if not self.repeated:
                break
        return level, members


def moments_given_level(
    sampler: Sampler, distribution: Mapping[State, Fraction]
) -> dict[int, tuple[Fraction, Fraction, Fraction]]:
    """For each level its probability, and given it mean and mean square of the output without its noise."""
    sums: dict[int, list[Fraction]] = defaultdict(lambda: [Fraction(0)] * 3)
    for state, weight in distribution.items():
        sums[state[0]] = [
            total + weight * sampler.estimate(state) ** power for power, total in enumerate(sums[state[0]])
        ]
    return {level: (chance, mean / chance, square / chance) for level, (chance, mean, square) in sorted(sums.items())}


def mean_estimate(sampler: Sampler, stream: Sequence[int]) -> Fraction:
    """The expectation of the output over hash function and coins; the noise has mean 0 whatever the level."""
    distribution = sampler.average_distribution(stream)
    return sum((weight * sampler.estimate(state) for state, weight in distribution.items()), Fraction(0))


def streams(users: int, longest: int) -> tuple[tuple[int, ...], ...]:
    """All streams up to a length."""
    return tuple(stream for length in range(longest + 1) for stream in product(range(users), repeat=length))
