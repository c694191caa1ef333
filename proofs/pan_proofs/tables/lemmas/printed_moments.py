"""Moments of counts and of noisy counts as they are printed, by orders."""

from __future__ import annotations

import sympy as sp

from pan_proofs.ledger.notation import scale
from pan_proofs.tables.lemmas.count_moments import chance as p
from pan_proofs.tables.lemmas.count_moments import other as q
from pan_proofs.tables.lemmas.count_moments import records as n
from pan_proofs.tables.lemmas.noisy_counts import holders

_two = holders * scale**2
_four = (holders**2 + holders) * scale**4
_six = (holders**3 + 2 * holders) * scale**6

COUNTS: dict[int, sp.Expr] = {
    1: n * p,
    2: n**2 * p**2 + n * (-(p**2) + p),
    3: n**3 * p**3 + n**2 * (-3 * p**3 + 3 * p**2) + n * (2 * p**3 - 3 * p**2 + p),
    4: n**4 * p**4
    + n**3 * (-6 * p**4 + 6 * p**3)
    + n**2 * (11 * p**4 - 18 * p**3 + 7 * p**2)
    + n * (-6 * p**4 + 12 * p**3 - 7 * p**2 + p),
    5: n**5 * p**5
    + n**4 * (-10 * p**5 + 10 * p**4)
    + n**3 * (35 * p**5 - 60 * p**4 + 25 * p**3)
    + n**2 * (-50 * p**5 + 110 * p**4 - 75 * p**3 + 15 * p**2)
    + n * (24 * p**5 - 60 * p**4 + 50 * p**3 - 15 * p**2 + p),
    6: n**6 * p**6
    + n**5 * (-15 * p**6 + 15 * p**5)
    + n**4 * (85 * p**6 - 150 * p**5 + 65 * p**4)
    + n**3 * (-225 * p**6 + 525 * p**5 - 390 * p**4 + 90 * p**3)
    + n**2 * (274 * p**6 - 750 * p**5 + 715 * p**4 - 270 * p**3 + 31 * p**2)
    + n * (-120 * p**6 + 360 * p**5 - 390 * p**4 + 180 * p**3 - 31 * p**2 + p),
}
"""Moments of a count."""

PAIRS: dict[tuple[int, int], sp.Expr] = {
    (1, 1): n * (n - 1) * p * q,
    (2, 1): n * (n - 1) * p * q + n * (n - 1) * (n - 2) * p**2 * q,
}
"""Mixed moments of two counts."""

NOISE: dict[int, sp.Expr] = {
    1: sp.S.Zero,
    2: 2 * _two,
    3: n * 6 * p * _two,
    4: n**2 * 12 * p**2 * _two + n * 12 * (-(p**2) + p) * _two + 12 * _four,
    5: n**3 * 20 * p**3 * _two
    + n**2 * 60 * (-(p**3) + p**2) * _two
    + n * ((40 * p**3 - 60 * p**2 + 20 * p) * _two + 60 * p * _four),
    6: n**4 * 30 * p**4 * _two
    + n**3 * 180 * (-(p**4) + p**3) * _two
    + n**2 * ((330 * p**4 - 540 * p**3 + 210 * p**2) * _two + 180 * p**2 * _four)
    + n * (30 * (-(p**2) + p) * _two + 180 * (-(p**2) + p) * _four)
    + 240 * _six,
}
"""The terms that noise adds to the moments of a count."""

NOISY_PAIRS: dict[tuple[int, int], sp.Expr] = {
    (1, 1): n * (n - 1) * p * q,
    (2, 1): n**3 * p**2 * q + n**2 * (-3 * p**2 * q + p * q) + n * (2 * p**2 * q - p * q + 2 * q * _two),
}
"""Mixed moments of two noisy counts."""

FREQUENCIES: dict[int, sp.Expr] = {
    2: (-(p**2) + p) / n + 2 * _two / n**2,
    3: (2 * p**3 - 3 * p**2 + p) / n**2,
    4: (3 * p**4 - 6 * p**3 + 3 * p**2) / n**2
    + (-6 * p**4 + 12 * p**3 - 7 * p**2 + p + 12 * (-(p**2) + p) * _two) / n**3
    + 12 * _four / n**4,
    5: (-20 * p**5 + 50 * p**4 - 40 * p**3 + 10 * p**2) / n**3
    + (24 * p**5 - 60 * p**4 + 50 * p**3 - 15 * p**2 + p + (40 * p**3 - 60 * p**2 + 20 * p) * _two) / n**4,
    6: (-15 * p**6 + 45 * p**5 - 45 * p**4 + 15 * p**3) / n**3
    + (130 * p**6 - 390 * p**5 + 415 * p**4 - 180 * p**3 + 25 * p**2 + (90 * p**4 - 180 * p**3 + 90 * p**2) * _two)
    / n**4
    + (
        -120 * p**6
        + 360 * p**5
        - 390 * p**4
        + 180 * p**3
        - 31 * p**2
        + p
        + 30 * (-(p**2) + p) * _two
        + 180 * (-(p**2) + p) * _four
    )
    / n**5
    + 240 * _six / n**6,
}
"""Central moments of a noisy frequency."""

FREQUENCY_PAIRS: dict[tuple[int, int], sp.Expr] = {
    (1, 1): p * q / n,
    (2, 1): (2 * p**2 * q - p * q) / n**2,
}
"""Mixed central moments of two noisy frequencies."""

MISSING = 30 * n * (-6 * p**4 + 12 * p**3 - 6 * p**2) * _two
"""The terms that are missing in the sixth moments, before they are divided by ``n^6`` for frequencies."""
EXCESS = 120 * holders * (holders - 1) * (holders - 2) * scale**6
"""The excess of the printed sixth moment of the noise."""
