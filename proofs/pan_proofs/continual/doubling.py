"""The bounds on the flippancy that Algorithm 3 can reach, if its sparse vector answers are accurate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from pan_proofs.continual.flippancy import flips
from pan_proofs.continual.streams import Stream, elements, existence


def items_from(stream: Stream, bound: int) -> int:
    """The number of items of flippancy at least a bound."""
    return sum(flips(existence(stream, element)) >= bound for element in elements(stream))


@dataclass(frozen=True)
class Doubling:
    """The loop of Algorithm 3 on the query ``items - sqrt(w / rho)``, without noise but with any accurate answer.

    Attributes
    ----------
    rho
        The budget.
    error
        The error of the sparse vector technique: an answer is above only if the query is at least ``-error``, and below
        only if it is at most ``error``.
    """

    rho: Fraction
    error: Fraction

    def at_least(self, items: int, bound: int, value: Fraction) -> bool:
        """Whether the query is at least a value: squares are compared, since the root is no fraction."""
        rest, square = items - value, Fraction(bound) / self.rho
        return rest >= 0 and rest * rest >= square

    def at_most(self, items: int, bound: int, value: Fraction) -> bool:
        """Whether the query is at most a value."""
        rest, square = items - value, Fraction(bound) / self.rho
        return rest <= 0 or rest * rest <= square

    def answers(self, items: int, bound: int) -> Iterator[int]:
        """The accurate answers to the query at one time: 1 for above, 0 for below."""
        if self.at_least(items, bound, -self.error):
            yield 1
        if self.at_most(items, bound, self.error):
            yield 0

    def runs(self, stream: Stream) -> set[tuple[int, ...]]:
        """For all accurate answers the bounds in use, one at each time. There are log2 T doublings at most."""
        cutoff = (len(stream) - 1).bit_length()
        runs: set[tuple[int, ...]] = {()}
        for time in range(1, len(stream) + 1):
            reached = set()
            for run in runs:
                pending = [run[-1] if run else 1]
                while pending:
                    bound = pending.pop()
                    if bound == 2**cutoff:
                        reached.add((*run, bound))
                        continue
                    for answer in self.answers(items_from(stream[:time], bound), bound):
                        if answer:
                            pending.append(2 * bound)
                        else:
                            reached.add((*run, bound))
            runs = reached
        return runs

    def largest(self, stream: Stream) -> int:
        """The largest bound that is reached."""
        return max(run[-1] for run in self.runs(stream))

    def most(self, flippancy: int) -> Fraction:
        """The bound of Claim 3.9."""
        return max(Fraction(2 * flippancy), 2 * self.rho * self.error**2)
