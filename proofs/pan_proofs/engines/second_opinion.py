"""A numeric second opinion on the integrals, sums and products that sympy computes.

Their parameters get a few values for which the symbols can stand. At each of these points a number is computed in two
ways, of which one is rougher. They contradict sympy only if its value lies far beyond their distance from each other:
a way that fails, as at a pole or for a series that does not converge, says nothing. Nothing is said either of several
bound variables at once, of what sympy leaves as it is, of functions that mpmath does not know, and of values that are
not finite. The work is counted in terms and places, never in seconds.
"""

from __future__ import annotations

import cmath
import operator
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import accumulate
from typing import Any

import mpmath
import sympy as sp

from pan_proofs.engines.quantities import is_such

Values = dict[sp.Symbol, sp.Rational]

_POOL = tuple(map(sp.Rational, ("2", "1/3", "3", "5/4", "1/7", "1", "4", "0", "-1", "-2/3", "-3")))
"""Values of parameters, in the order in which they are tried."""
_POINTS = 3
"""The number of points."""
_OPEN = (sp.Integral, sp.Sum, sp.Product, sp.Limit)
_TERMS = 400
"""The largest number of terms that are added."""
_DEGREE = 5
"""Of the rules for integrals; the number of places doubles with it."""
_ROUGH, _FINE = 15, 40
"""Digits of the numbers."""
_CLEAR, _ROUNDING = 100, 1e-6
"""A contradiction exceeds the distance of the two numbers by this factor, and this share of the value."""


@cache
def contradiction(asked: Any, found: Any) -> str:
    """The words for a point at which numbers contradict what sympy found; empty if there is none.

    Parameters
    ----------
    asked
        An integral, a sum or a product. Of an integral without ends the integrand is compared with the derivative.
    found
        The answer of sympy.
    """
    if len(asked.limits) > 1 or any(one.has(*_OPEN) for one in (asked.function, found)):
        return ""
    for values in _points(sorted(asked.free_symbols | found.free_symbols, key=sp.default_sort_key)):
        try:
            rough, fine = _numbers(asked, values)
            given = complex(sp.N((found if len(asked.limits[0]) > 1 else found.diff(*asked.variables)).subs(values)))
        except Exception:  # a number that cannot be computed says nothing
            continue
        if cmath.isfinite(given) and abs(given - fine) > _CLEAR * abs(fine - rough) + _ROUNDING * (1 + abs(fine)):
            at = "".join(f", {one} = {value}" for one, value in values.items())
            return f"sympy gives {sp.sstr(found)}, which numbers contradict: {_shown(given)}, not {_shown(fine)}{at}"
    return ""


def _points(parameters: Sequence[sp.Symbol]) -> Iterator[Values]:
    """Values for which the parameters can stand; neighbours among them differ where they can."""
    suitable = [[value for value in _POOL if is_such(one, value)] for one in parameters]
    if all(suitable):
        for number in range(_POINTS if parameters else 1):
            yield {
                one: pool[(number + place) % len(pool)]
                for place, (one, pool) in enumerate(zip(parameters, suitable, strict=True))
            }


def _numbers(asked: Any, values: Values) -> tuple[complex, complex]:
    """A rough and a fine number for an integral, a sum or a product."""
    (variable, *ends) = asked.limits[0]
    function = sp.lambdify(variable, asked.function.subs(values), "mpmath")
    if not ends:
        value = complex(function(mpmath.mpf(values[variable].p) / values[variable].q))
        return value, value
    low, high = (end.subs(values) for end in ends)
    return (_integrals if isinstance(asked, sp.Integral) else _sums)(asked, function, low, high)


def _integrals(_: Any, function: Callable[..., Any], low: sp.Expr, high: sp.Expr) -> tuple[complex, complex]:
    with mpmath.workdps(_ROUGH):
        between = [sp.lambdify((), end, "mpmath")() for end in (low, high)]
        ways = (("gauss-legendre", _DEGREE - 1), ("tanh-sinh", _DEGREE))
        rough, fine = (complex(mpmath.quad(function, between, method=way, maxdegree=most)) for way, most in ways)
    return rough, fine


def _sums(asked: Any, function: Callable[..., Any], low: sp.Expr, high: sp.Expr) -> tuple[complex, complex]:
    """All terms with two numbers of digits, or of an infinite sum those partial sums that lie furthest apart."""
    add = operator.mul if isinstance(asked, sp.Product) else operator.add
    count = _TERMS if high is sp.oo else high - low + 1
    if not (count in range(_TERMS + 1) and low.is_Integer):
        raise ValueError(f"{count} terms are too many, or no number of terms")

    def partial(digits: int) -> list[complex]:
        with mpmath.workdps(digits):
            terms = (function(int(low) + place) for place in range(count))
            return [complex(one) for one in accumulate(terms, add)]

    fine = partial(_FINE)
    if high is sp.oo:
        return max(fine[-2], fine[count // 2], key=lambda one: abs(one - fine[-1])), fine[-1]
    return partial(_ROUGH)[-1], fine[-1]


def _shown(number: complex) -> str:
    return f"{number:.6g}" if number.imag else f"{number.real:.6g}"
