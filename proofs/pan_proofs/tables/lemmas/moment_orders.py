"""Orders of the central moments of noisy frequencies, of mixed ones, and of the sums over symbols."""

from __future__ import annotations

import sympy as sp

from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.relations import ge, le
from pan_proofs.ledger.claim import Step, Steps, symbolic
from pan_proofs.ledger.display import equal_as
from pan_proofs.ledger.notation import scale
from pan_proofs.ledger.steps import at_most
from pan_proofs.tables.lemmas.count_moments import chance, other, records
from pan_proofs.tables.lemmas.noisy_counts import holders, noisy_frequency, noisy_pair

_inverse, _noise, _square = sp.symbols("s theta B", real=True)
"""1/n, M b^2/n^2, and b^2/n^2."""
_spread, _skew = sp.symbols("v g", real=True)
"""p(1 - p), and 1 - 2p."""
_REGION = (
    ge(_inverse, 0),
    le(_inverse, 1),
    ge(_noise, 0),
)
_OF_SPREAD = (ge(_spread, 0), le(_spread, sp.Rational(1, 4)))
_OF_SKEW = (ge(_skew, -1), le(_skew, 1))
_OF_SQUARE = (ge(_square, 0), le(_square, _noise))

_v, _g, _s, _t, _b = _spread, _skew, _inverse, _noise, _square
FORMS = {
    2: _v * _s + 2 * _t,
    3: _v * _g * _s**2,
    4: 3 * _v**2 * _s**2 + _v * (1 - 6 * _v) * _s**3 + 12 * _v * _s * _t + 12 * _t * (_t + _b),
    5: _v * _g * (10 * _v * _s**3 + (1 - 12 * _v) * _s**4 + 20 * _s**2 * _t),
    6: 15 * _v**3 * _s**3
    + 5 * _v**2 * (5 - 26 * _v) * _s**4
    + _v * (1 - 30 * _v + 120 * _v**2) * _s**5
    + 90 * _v**2 * _s**2 * _t
    + 30 * _v * (1 - 6 * _v) * _s**3 * _t
    + 180 * _v * _s * _t * (_t + _b)
    + 120 * _t * (_t + _b) * (_t + 2 * _b),
}
"""The central moments of a noisy frequency, by order."""
_LATEX = {
    2: r"vs + 2\theta",
    3: r"vgs^2",
    4: r"3v^2s^2 + v(1 - 6v)s^3 + 12vs\theta + 12\theta(\theta + B)",
    5: r"vg\,(10vs^3 + (1 - 12v)s^4 + 20s^2\theta)",
    6: r"15v^3s^3 + 5v^2(5 - 26v)s^4 + v(1 - 30v + 120v^2)s^5 + 90v^2s^2\theta + 30v(1 - 6v)s^3\theta + "
    r"180vs\theta(\theta + B) + 120\theta(\theta + B)(\theta + 2B)",
}
BOUNDS = {
    2: _s + 2 * _t,
    3: _s**2,
    4: 2 * _s**2 + 12 * _s * _t + 24 * _t**2,
    5: 2 * _s**3 + 5 * _s**2 * _t,
    6: 3 * _s**3 + 8 * _s**2 * _t + 90 * _s * _t**2 + 720 * _t**3,
}
"""Multiples of the printed orders."""
_BOUNDS_LATEX = {
    2: r"s + 2\theta",
    3: r"s^2",
    4: r"2s^2 + 12s\theta + 24\theta^2",
    5: r"2s^3 + 5s^2\theta",
    6: r"3s^3 + 8s^2\theta + 90s\theta^2 + 720\theta^3",
}


def _region(order: int) -> tuple[sp.Basic, ...]:
    return (*_REGION, *_OF_SPREAD, *(_OF_SKEW if order % 2 else _OF_SQUARE))


def _size(order: int) -> sp.Expr:
    """The absolute value of an odd moment; an even one is not negative."""
    return sp.Abs(FORMS[order]) if order % 2 else FORMS[order]


def _form(order: int) -> sp.Expr:
    n, p = records, chance
    return FORMS[order].subs(
        {_v: p * (1 - p), _g: 1 - 2 * p, _s: 1 / n, _t: holders * scale**2 / n**2, _b: scale**2 / n**2}
    )


def forms() -> Steps:
    """The moments in the variables of the orders."""
    return tuple(
        equal_as(
            f"form_{order}",
            r"With $v = p(1 - p)$, $g = 1 - 2p$, $s = \frac1n$, $\theta = \frac{Mb^2}{n^2}$ and $B = "
            r"\frac{b^2}{n^2} \le \theta$:"
            if order == 2
            else r"In the same way:",
            (
                lambda order=order: noisy_frequency(order),  # type: ignore[misc]
                sp.expand(_form(order)),
            ),
            rf"E[(\tilde p_i - p_i)^{order}] &= {shown}",
        )
        for order, shown in _LATEX.items()
    )


_PARTS = {
    r"15v^3": (15 * _v**3, sp.Rational(1, 4), None),
    r"5v^2(5 - 26v)": (5 * _v**2 * (5 - 26 * _v), sp.Rational(1, 2), None),
    r"v(1 - 30v + 120v^2)": (_v * (1 - 30 * _v + 120 * _v**2), sp.Rational(1, 2), None),
    r"90v^2": (90 * _v**2, sp.Integer(6), None),
    r"30v(1 - 6v)": (30 * _v * (1 - 6 * _v), sp.Rational(5, 4), sp.Rational(1, 12)),
    r"180v": (180 * _v, sp.Integer(45), sp.Rational(1, 4)),
}
"""The coefficients of the moment of order 6 with their bounds, and where they are attained."""
_SIXTH_REGION = (*_REGION, *_OF_SQUARE)


def _sixth_most() -> sp.Expr:
    """The moment of order 6 with the bounds in place of its coefficients."""
    third, fourth, fifth, square, cube, line = (bound for _, bound, _ in _PARTS.values())
    both = _t * (_t + _b)
    return (
        third * _s**3
        + fourth * _s**4
        + fifth * _s**5
        + square * _s**2 * _t
        + cube * _s**3 * _t
        + line * _s * both
        + 120 * both * (_t + 2 * _b)
    )


def bounded() -> Steps:
    """The moments are at most multiples of the printed orders."""
    whole = tuple(
        at_most(
            f"order_{order}",
            r"Here $0 \le v \le \frac14$, $|g| \le 1$, $0 \le s \le 1$ and $0 \le B \le \theta$:"
            if order == 2
            else r"In the same way:",
            Inequality(
                f"orders.order_{order}",
                _size(order),
                BOUNDS[order],
                _region(order),
                touching={_v: 0, _g: 0, _s: 0, _t: 0, _b: 0},
                weaker=sp.Rational(1, 100),
            ),
            lines=rf"{'|' if order % 2 else ''}{_LATEX[order]}{'|' if order % 2 else ''} &\le {shown}",
        )
        for order, shown in _BOUNDS_LATEX.items()
        if order < 6
    )
    parts = tuple(
        at_most(
            f"sixth_{number}",
            r"The coefficients of the moment of order $6$, one by one:" if number == 1 else r"The next one:",
            Inequality(
                f"orders.sixth_{number}",
                coefficient,
                bound,
                _OF_SPREAD,
                touching={_v: place} if place else None,
                gap=None if place else sp.Rational(99, 100),
                weaker=sp.Rational(1, 10),
            ),
            lines=rf"{shown} &\le {sp.latex(bound)}",
        )
        for number, (shown, (coefficient, bound, place)) in enumerate(_PARTS.items(), 1)
    )
    return (
        *whole,
        *parts,
        at_most(
            "order_6",
            r"With these bounds in their places:",
            Inequality(
                "orders.order_6",
                _sixth_most(),
                BOUNDS[6],
                _SIXTH_REGION,
                touching={_s: 0, _t: 0, _b: 0},
                weaker=sp.Rational(1, 100),
            ),
            lines=r"\tfrac14s^3 + \tfrac12s^4 + \tfrac12s^5 + 6s^2\theta + \tfrac54s^3\theta + 45s\theta(\theta + B) + "
            rf"120\theta(\theta + B)(\theta + 2B) &\le {_BOUNDS_LATEX[6]}",
        ),
    )


def stated_orders() -> tuple[str, ...]:
    """The bounds, formally."""
    whole = tuple(
        text
        for order, bound in BOUNDS.items()
        if order < 6
        for text in symbolic(le(_size(order), bound), given=_region(order))
    )
    parts = tuple(
        text for coefficient, bound, _ in _PARTS.values() for text in symbolic(le(coefficient, bound), given=_OF_SPREAD)
    )
    return (
        *whole,
        *parts,
        *symbolic(le(_sixth_most(), BOUNDS[6]), given=_SIXTH_REGION),
    )


_p, _q = sp.symbols("p q", nonnegative=True)
_PAIR = (le(_p, 1), le(_q, 1), *_REGION[:2])
_PAIRS = {(1, 1): (-_p * _q * _s, _s), (2, 1): (_p * _q * (2 * _p - 1) * _s**2, _s**2)}


def pairs() -> Steps:
    """The two mixed moments of two symbols."""
    steps: list[Step] = []
    for powers, (form, bound) in _PAIRS.items():
        name = "_".join(map(str, powers))
        exact = form.subs({_p: chance, _q: other, _s: 1 / records})
        square = "^2" if powers[0] == 2 else ""
        shown = r"pq(2p - 1)s^2" if square else "-pqs"
        steps += [
            equal_as(
                f"pair_{name}",
                r"Two different symbols with the probabilities $p$ and $q$:",
                (
                    lambda powers=powers: noisy_pair(powers, centred=True),  # type: ignore[misc]
                    sp.expand(exact),
                ),
                rf"E[(\tilde p_i - p_i){square}(\tilde p_j - p_j)] &= {shown}",
            ),
            at_most(
                f"order_of_pair_{name}",
                r"Probabilities are at most $1$.",
                Inequality(
                    f"orders.pair_{name}",
                    sp.Abs(form),
                    bound,
                    _PAIR,
                    touching={_p: 1, _q: 1, _s: 1},
                ),
                lines=rf"|{shown}| &\le s{square}",
            ),
        ]
    return tuple(steps)


def stated_pairs() -> tuple[str, ...]:
    """The bounds on the mixed moments, formally."""
    return tuple(text for form, bound in _PAIRS.values() for text in symbolic(le(sp.Abs(form), bound), given=_PAIR))
