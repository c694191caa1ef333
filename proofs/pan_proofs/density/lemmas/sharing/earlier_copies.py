"""A bit that goes on from an earlier copy of itself, as after a crash: the seen bit, and the bit in the end."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from pan_proofs.density.lemmas.intrusions.whole_mechanism import Pair
from pan_proofs.density.lemmas.sharing.shared_cells import Noise

Touches = tuple[int, int, int, int]
"""The touches before the copy, between the copy and the intrusion, from there to the crash, and after it."""

_CASES: tuple[Touches, ...] = tuple(product((0, 1), (0, 1), (0, 1), (0, 1)))


def resumed(touches: Touches, pair: Pair, *, repeated: bool) -> dict[tuple[int, int], Fraction]:
    """The joint distribution of the bit at the intrusion and of the bit in the end.

    Parameters
    ----------
    touches
        The numbers of touches.
    pair
        The probabilities of a one at first and after a touch.
    repeated
        Whether the touches between the copy and the crash are made again after it.
    """
    before, seen, lost, after = touches
    copied = pair[1] if before else pair[0]
    last = after + (seen + lost) * repeated
    found: dict[tuple[int, int], Fraction] = {}
    for kept, shown, final in product((0, 1), repeat=3):
        chance = copied if kept else 1 - copied
        for bit, touched in ((shown, seen), (final, last)):
            one = pair[1] if touched else Fraction(kept)
            chance *= one if bit else 1 - one
        found[shown, final] = found.get((shown, final), Fraction(0)) + chance
    return found


def largest_ratio_after_loss(pair: Pair, noise: Noise) -> Fraction:
    """The largest ratio of two densities of the seen bit and a noisy count, if the touches are not made again."""
    distributions = [resumed(touches, pair, repeated=False) for touches in _CASES]
    ratios = []
    for shown, rho in product((0, 1), (noise.down, 1 / noise.up)):
        densities = [distribution[shown, 0] + rho * distribution[shown, 1] for distribution in distributions]
        ratios.append(max(densities) / min(densities))
    return max(ratios)
