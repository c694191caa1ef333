"""The least noise for one intrusion and one release, and the step that runs a whole mechanism with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from pan_proofs.density.lemmas.intrusions.noise_limits import LIMITS, S
from pan_proofs.density.lemmas.intrusions.whole_mechanism import Pair
from pan_proofs.density.lemmas.losses.observations import p0, p1
from pan_proofs.density.lemmas.sharing.shared_cells import Noise
from pan_proofs.engines.computations import in_every_case
from pan_proofs.ledger.claim import Step
from pan_proofs.ledger.steps import lemma

PAIRS: tuple[tuple[Pair, Fraction], ...] = (
    ((Fraction(1, 5), Fraction(2, 5)), Fraction(3)),
    ((Fraction(1, 2), Fraction(5, 6)), Fraction(4)),
)
"""Pairs of probabilities, each with the exponential of a total that exceeds the ratios of the state alone."""


def least_noise(pair: Pair, total: Fraction) -> Noise:
    """The rates of calibrated.joint_privacy for the exponential of a total."""
    values = {p0: pair[0], p1: pair[1], S: total}
    at = {name: Fraction(str(limit.subs(values))) for name, limit in LIMITS.items()}
    return Noise(*(max(at[f"zero_{end}"], at[f"one_{end}"]) for end in ("high", "low")))


def whole_runs(
    text: str, places: str, ratios: Callable[[Pair, Fraction], Sequence[Fraction]], lines: Sequence[str]
) -> Step:
    """That no pair of streams exceeds the total, and that the largest ratio is the total, at all of :data:`PAIRS`.

    Parameters
    ----------
    text, lines
        As for other steps.
    places
        The runs, in words.
    ratios
        The largest ratio of each pair of streams, for a pair of probabilities and the exponential of a total.
    """
    places = f"{places}, at {len(PAIRS)} pairs of probabilities and totals"
    obligations = (
        in_every_case(
            "whole_runs.pairs",
            f"no pair of streams exceeds the total, {places}",
            ((ratio, total) for pair, total in PAIRS for ratio in ratios(pair, total)),
            lambda case: case[0] <= case[1],
            mutant=lambda case: case[0] < case[1],
        ),
        in_every_case(
            "whole_runs.largest",
            f"the largest ratio of all pairs of streams is the total, {places}",
            PAIRS,
            lambda case: max(ratios(*case)) == case[1],
            # With the noise of a total that is larger by a tenth.
            mutant=lambda case: max(ratios(case[0], case[1] * Fraction(11, 10))) == case[1],
        ),
    )
    return lemma("whole_runs", text, obligations, lines)
