"""Gumbel noise from the operating system's entropy, rounded correctly to integers."""

from __future__ import annotations

import os
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

_BYTES = 32
_CONTEXT = Context(prec=100, rounding=ROUND_HALF_EVEN)
"""A uniform number of 256 bits is 0 or 1 to fewer than 78 digits: its logarithm has 22 correct digits or more."""


def gumbel_steps(scale: Fraction) -> int:
    """The integer nearest to a Gumbel variable with mode 0.

    It is computed from a uniform number of 256 bits with 100 digits. Its law differs from the exact one by less than
    2**-200 in total variation, if the scale is at most 2**34.
    """
    bits = int.from_bytes(os.urandom(_BYTES))
    middle = _CONTEXT.divide(Decimal(2 * bits + 1), Decimal(2 ** (8 * _BYTES + 1)))
    waiting = _CONTEXT.minus(_CONTEXT.ln(middle))
    variable = _CONTEXT.multiply(_CONTEXT.minus(_CONTEXT.ln(waiting)), Decimal(scale.numerator))
    return int(_CONTEXT.to_integral_value(_CONTEXT.divide(variable, Decimal(scale.denominator))))
