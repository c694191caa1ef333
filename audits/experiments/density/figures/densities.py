"""The densities of the streams: paper, Section 6; thesis, Section 4.5."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import floor

from experiments.density.setting import Setting
from experiments.toolkit.conditions import Fact, everywhere
from experiments.toolkit.sentence import Sentence


def density_sentences(figure: str, source: str) -> tuple[Sentence, ...]:
    """The sentences about the expected densities 0.63 and 0.25, for a figure of either source."""
    common = {
        "source": source,
        "meaning": "the expected density of T independent draws, enclosed by balls, rounds to the printed number at "
        "two decimals: they are printed",
        "measured": False,
    }
    return (
        Sentence(
            id=f"{figure}.uniform-density",
            states="A uniform stream has an expected density of 0.63.",
            condition=lambda setting, seed: everywhere([_rounds_to(setting, "uniform", Fraction(63, 100))]),
            **common,  # type: ignore[arg-type]
        ),
        Sentence(
            id=f"{figure}.zipf-density",
            states="A Zipf stream with parameter 1 has an expected density of 0.25.",
            condition=lambda setting, seed: everywhere([_rounds_to(setting, "Zipf", Fraction(25, 100))]),
            **common,  # type: ignore[arg-type]
        ),
    )


def _rounds_to(setting: Setting, law: str, printed: Fraction) -> Fact:
    low, high, value = _expected(setting.users, setting.length, law)
    half = Fraction(5, 1000)
    rounded = {floor((end + half) * 100) for end in (low, high)}
    inside = rounded == {printed * 100} if len(rounded) == 1 else None
    return Fact(f"U = {setting.users:,}, T = {setting.length:,}", f"expected density, {law}", inside, value)


@lru_cache(maxsize=4)
def _expected(users: int, length: int, law: str) -> tuple[Fraction, Fraction, float]:
    """Bounds of the expected density, and its value."""
    from pan_proofs.density.claims.any_estimator.stream_densities import appearance, zipf_moments

    ball = zipf_moments(users, length)[0] if law == "Zipf" else appearance(Fraction(1, users), length)
    ends = []
    for end in (ball.lower(), ball.upper()):
        mantissa, exponent = end.man_exp()
        ends.append(Fraction(int(mantissa)) * Fraction(2) ** int(exponent))
    return ends[0], ends[1], float(ball.mid())
