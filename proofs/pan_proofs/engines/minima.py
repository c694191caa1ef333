"""Lower bounds of smooth functions on a box, by branch and bound with balls.

A piece of the box is dropped if a ball shows that the function exceeds the bound on it, or that from each of its points
a step within the box lowers the function: the least value, which a continuous function has, is not taken there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import sympy as sp

from pan_proofs.engines.balls import Box, ball_function, enclosure
from pan_proofs.engines.computations import within
from pan_proofs.engines.obligation import Kind, Obligation, decided, load_engine, minted
from pan_proofs.engines.quantities import one_of, require_kinds
from pan_proofs.engines.relations import gt
from pan_proofs.engines.witnesses import require_stronger

_PIECES = 4_000
_MOST_CASES = 24
_FORMS = (sp.exp, sp.log, sp.sinh, sp.cosh, sp.tanh)

Side = tuple[Fraction, Fraction]
Case = Mapping[sp.Symbol, Any]
"""For each parameter its value."""


def exceeds_on_box(
    name: str,
    expression: sp.Expr,
    bound: sp.Expr,
    box: Box,
    cases: Iterable[Case],
    *,
    close: Sequence[Mapping[sp.Symbol, Any]],
    stronger: sp.Rational,
) -> Obligation:
    """The obligation that an expression exceeds a bound on a whole box, for each of finitely many sets of parameters.

    Parameters
    ----------
    name
        As in :class:`Obligation`.
    expression
        Sums, products and integer powers of numbers and symbols, ``exp``, ``log`` and hyperbolic functions.
    bound
        An expression in the parameters.
    box
        For each other symbol its interval.
    cases
        At least one; each gives every parameter its exact value.
    close
        For each case a point of the box at which the expression is near the bound.
    stronger
        The control: in each case ``expression > bound + stronger`` must be false at this point.

    Raises
    ------
    ValueError
        For a symbol without a value or an interval, a control that strengthens nothing, or too many cases.
    """
    listed = [{symbol: sp.sympify(value) for symbol, value in case.items()} for case in cases]
    free = expression.free_symbols | sp.sympify(bound).free_symbols
    if not listed or len(listed) > _MOST_CASES or len(close) != len(listed):
        raise ValueError(f"{name}: between 1 and {_MOST_CASES} cases are asked, each with a point, got {len(listed)}")
    if any(set(case) & set(box) or free - set(case) - set(box) for case in listed):
        raise ValueError(f"{name}: every symbol of {sorted(map(str, free))} has a value or an interval, and not both")
    if expression.has(sp.Float, sp.I) or any(
        not one.is_real or one.has(sp.Float) for c in listed for one in c.values()
    ):
        raise ValueError(f"{name}: only exact real numbers can be decided")
    for part in sp.preorder_traversal(expression):
        if not (part.is_Atom or isinstance(part, (sp.Add, sp.Mul, *_FORMS)) or (part.is_Pow and part.exp.is_Integer)):
            # Another function would be compared, or chosen, where two balls overlap.
            raise ValueError(f"{name}: {part} is no sum, product, integer power, exponential or hyperbolic function")
    require_kinds(name, *listed)
    require_kinds(name, *({symbol: sides[end] for symbol, sides in box.items()} for end in (0, 1)), ends=True)
    require_stronger(name, stronger)

    def above() -> bool:
        search = _Search(expression, bound, box, tuple(listed[0]))
        return all(search.exceeds(case) for case in listed)

    def refuted() -> bool:
        return all(_near(expression, bound + stronger, case, at, box) for case, at in zip(listed, close, strict=True))

    told = f"{sp.sstr(expression)} > {sp.sstr(bound)} on the whole box (cases: {len(listed)})"
    checks = (
        decided(f"the balls exceed the bound, or a step lowers the function, on every piece: {told}", "flint", above),
        decided(
            f"the bound raised by {stronger} is not exceeded at a point of the box, in each case", "flint", refuted
        ),
    )
    given = (*within(box), one_of(listed)) if listed[0] else within(box)
    return minted(name, told, checks, Kind.BOX, (gt(expression, bound),), given)


class _Search:
    """The function and its slopes, on boxes of balls."""

    def __init__(self, expression: sp.Expr, bound: sp.Expr, box: Box, parameters: tuple[sp.Symbol, ...]) -> None:
        self._arb = load_engine("flint").arb
        self._bound, self._parameters = sp.sympify(bound), parameters
        self._sides: tuple[Side, ...] = tuple((_fraction(low), _fraction(high)) for low, high in box.values())
        slopes = tuple(sp.diff(expression, symbol) for symbol in box)
        self._value = ball_function((expression,), (*box, *parameters))
        self._slopes = ball_function(slopes, (*box, *parameters))

    def exceeds(self, case: Mapping[sp.Symbol, sp.Expr]) -> bool:
        rest = [enclosure(case[one]) for one in self._parameters]
        bound = enclosure(self._bound, dict(zip(self._parameters, rest, strict=True)))
        pending: list[tuple[Side, ...]] = [self._sides]
        for _ in range(_PIECES):
            if not pending:
                return True
            sides = pending.pop()
            piece = [self._interval(low, high) for low, high in sides]
            slopes = self._slopes(*piece, *rest)
            if self._drops(sides, slopes) or self._above(sides, slopes, (piece, rest), bound):
                continue
            reach = [
                float(abs(one).upper()) * float(high - low) for one, (low, high) in zip(slopes, sides, strict=True)
            ]
            widest = reach.index(max(reach))
            low, high = sides[widest]
            for half in ((low, (low + high) / 2), ((low + high) / 2, high)):
                pending.append((*sides[:widest], half, *sides[widest + 1 :]))
        return False

    def _above(self, sides: tuple[Side, ...], slopes: list[Any], at: tuple[list[Any], list[Any]], bound: Any) -> bool:
        piece, rest = at
        if self._value(*piece, *rest)[0] > bound:
            return True
        # The mean value form, which is the better one near the minimum.
        form = self._value(*(self._ball((low + high) / 2) for low, high in sides), *rest)[0]
        for slope, (low, high) in zip(slopes, sides, strict=True):
            form = form + slope * self._interval(-(high - low) / 2, (high - low) / 2)
        return bool(form > bound)

    def _drops(self, sides: tuple[Side, ...], slopes: list[Any]) -> bool:
        """Whether from each point of the piece a step within the box lowers the function."""
        return any(
            (slope > 0 and low > least) or (slope < 0 and high < most)
            for slope, (low, high), (least, most) in zip(slopes, sides, self._sides, strict=True)
        )

    def _ball(self, number: Fraction) -> Any:
        return self._arb(number.numerator) / number.denominator

    def _interval(self, low: Fraction, high: Fraction) -> Any:
        return self._ball((low + high) / 2) + self._arb(0, 1) * self._ball((high - low) / 2)


def _fraction(number: sp.Expr) -> Fraction:
    exact = sp.Rational(number)
    return Fraction(int(exact.p), int(exact.q))


def _near(expression: sp.Expr, bound: sp.Expr, case: Case, at: Mapping[sp.Symbol, Any], box: Box) -> bool:
    """Whether the expression is at most the bound at a point of the box."""
    point = {symbol: sp.sympify(value) for symbol, value in at.items()}
    inside = all(low <= point[symbol] <= high for symbol, (low, high) in box.items())
    return inside and bool(enclosure(expression - bound, {**case, **point}) < 0)
