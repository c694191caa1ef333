"""Budgets that are logarithms of fractions, so that the probabilities of an estimator are fractions.

With ``epsilon = log(3/2)`` every ``exp(epsilon)`` is exactly 3/2. The functions :func:`exp` and
:func:`tanh_half` return the nearest double to that fraction. ``math.exp`` may be wrong in the last
places. An exact check reads a double next to a simple fraction as that fraction.

>>> epsilon = parse_epsilon("log(3/2)")
>>> exp(epsilon), tanh_half(epsilon), f"{float(epsilon):.4f}"
(1.5, 0.2, '0.4055')
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from numbers import Real
from typing import Any

from pan_promises.errors import InputError, shown

_NUMBER = r" *([0-9]+(?:\.[0-9]+)?(?: */ *[0-9]+)?) *"
_LOGARITHM = re.compile(rf"(?:{_NUMBER}\*)? *(?:log|ln)\({_NUMBER}\)(?: */ *([0-9]+))?")
_DECIMAL = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_PLAIN = re.compile(rf"({_DECIMAL}|[+-]?(?:nan|inf|infinity)) *(?:/ *([0-9]+))?", re.IGNORECASE)
_LONGEST = 1000
"""Largest number of characters of a budget."""
_BITS = 10**5
"""Largest number of bits of ``exp`` of a budget as a fraction. ``exp(500)`` has 722 before the point."""


class LogFraction(float):
    """The number ``coefficient * log(base)**power``, with fractions for the coefficient and the base.

    It is a subclass of ``float`` with the nearest double as its value. Products and quotients with numbers
    stay exact: ``2 * epsilon`` is again a budget of this kind, and ``1 / (epsilon * m)`` is an exact scale of noise.

    Parameters
    ----------
    base
        A fraction above 1.
    coefficient
        Any fraction.
    power
        1 for a budget, -1 for its reciprocal.

    Raises
    ------
    InputError
        If the base is not above 1, or the value does not fit a double.
    """

    base: Fraction
    coefficient: Fraction
    power: int

    def __new__(cls, base: Fraction | int, coefficient: Fraction | int = 1, power: int = 1) -> LogFraction:
        base, coefficient = Fraction(base), Fraction(coefficient)
        if base <= 1:
            raise InputError(f"a budget log(x) needs x above 1, got {shown(f'log({base})')}")
        base, exponent = _primitive(base)
        coefficient *= Fraction(exponent) ** power
        try:
            made = super().__new__(cls, float(coefficient) * math.log(base) ** power)
        except (OverflowError, ZeroDivisionError):
            raise InputError(
                f"a budget log(x) needs numbers that a double can hold, got {shown(f'{coefficient}*log({base})')}"
            ) from None
        made.base, made.coefficient, made.power = base, coefficient, power
        return made

    def __mul__(self, other: Any) -> Any:
        factor = _fraction(other)
        if factor is not None:
            return LogFraction(self.base, self.coefficient * factor, self.power)
        if isinstance(other, LogFraction) and (other.base, other.power) == (self.base, -self.power):
            return self.coefficient * other.coefficient
        return float(self) * other

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        factor = _fraction(other)
        if factor:
            return LogFraction(self.base, self.coefficient / factor, self.power)
        if isinstance(other, LogFraction):
            return self * LogFraction(other.base, 1 / other.coefficient, -other.power)
        return float(self) / other

    def __rtruediv__(self, other: Any) -> Any:
        return LogFraction(self.base, 1 / self.coefficient, -self.power) * other

    def __neg__(self) -> LogFraction:
        return LogFraction(self.base, -self.coefficient, self.power)

    def __reduce__(self) -> tuple[Any, ...]:
        return LogFraction, (self.base, self.coefficient, self.power)

    def __str__(self) -> str:
        if self.power != 1:
            return repr(float(self))
        times = "" if self.coefficient == 1 else f"{self.coefficient}*"
        return f"{times}log({self.base})"


def _primitive(base: Fraction) -> tuple[Fraction, int]:
    """The base as a power of a fraction that is itself no power. Equal budgets are then equal."""
    for exponent in range(base.numerator.bit_length(), 1, -1):
        roots = [round(part ** (1 / exponent)) if part < 2**1000 else 0 for part in base.as_integer_ratio()]
        if all(root**exponent == part for root, part in zip(roots, base.as_integer_ratio(), strict=True)):
            return Fraction(*roots), exponent
    return base, 1


def _fraction(value: Any) -> Fraction | None:
    if isinstance(value, LogFraction) or not isinstance(value, Real) or not math.isfinite(value):
        return None
    return Fraction(value) if isinstance(value, (int, float, Fraction)) else Fraction(float(value))


def exp(value: float) -> float:
    """The number ``e**value``, correctly rounded if it is a fraction.

    Parameters
    ----------
    value
        A budget in nats: a double, or a :class:`LogFraction`.
    """
    power = _power(value)
    return math.exp(value) if power is None else float(power)


def tanh_half(value: float) -> float:
    """The number ``tanh(value / 2)``, correctly rounded if it is a fraction.

    Parameters
    ----------
    value
        A budget in nats: a double, or a :class:`LogFraction`.
    """
    power = _power(value)
    return math.tanh(value / 2) if power is None else float((power - 1) / (power + 1))


def _power(value: float) -> Fraction | None:
    if not isinstance(value, LogFraction) or value.power != 1 or value.coefficient.denominator != 1:
        return None
    return Fraction(value.base**value.coefficient.numerator) if _bits(value) <= _BITS else None


def _bits(value: LogFraction) -> int:
    """The length of ``base**numerator`` in bits."""
    return abs(value.coefficient.numerator) * value.base.numerator.bit_length()


def parse_epsilon(text: str) -> float:
    """Read a budget in nats: ``0.1``, ``1/10``, ``log(3/2)`` or ``2*log(3/2)``.

    Parameters
    ----------
    text
        The budget, at most 1000 characters.

    Returns
    -------
    A :class:`LogFraction` for a logarithm, else a double.

    Raises
    ------
    InputError
        If the text has none of these forms, or its numbers are too long for arithmetic.
    """
    text = text.strip()
    try:
        if len(text) > _LONGEST:
            raise InputError(f"a budget has at most {_LONGEST} characters, got {len(text)}")
        if found := _LOGARITHM.fullmatch(text):
            times, base, divisor = found.groups()
            coefficient = Fraction((times or "1").replace(" ", "")) / int(divisor or 1)
            budget = LogFraction(Fraction(base.replace(" ", "")), coefficient)
            if _bits(budget) > _BITS:
                raise InputError(f"exp of the budget {shown(text)} is a fraction of more than {_BITS} bits")
            return budget
        if found := _PLAIN.fullmatch(text):
            above, below = found.groups()
            return float(above) / int(below) if below else float(above)
    except InputError:
        raise
    except OverflowError:
        raise InputError(f"the budget {shown(text)} is too small for a double") from None
    except (ValueError, ZeroDivisionError):
        pass
    raise InputError(
        f"a budget is a number of nats or log(fraction), for example 0.1, 1/10 or log(3/2); got {shown(text)}"
    )
