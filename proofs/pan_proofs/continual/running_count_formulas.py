"""The formulas of the running count of events."""

from __future__ import annotations

import sympy as sp

from pan_proofs.continual.running_count_digits import contain, digits, levels_symbol, ones_symbol
from pan_proofs.continual.running_count_steps import BEFORE, BEFORE_GIVEN, RATIO
from pan_proofs.engines.relations import eq, ge, gt, le
from pan_proofs.ledger.claim import symbolic
from pan_proofs.ledger.statements import about

_b, _r, _rho, _n = sp.symbols("b r rho n", positive=True)
_m = sp.Symbol("m", nonnegative=True)
_one, _loss = sp.symbols("l D", nonnegative=True)
_noise, _shift = sp.Symbol("V"), sp.Symbol("c")
_TWO = sp.Ge(_n, 2)
_budgeted = (eq(2 * _rho * _b, _n), eq(2 * _rho * _r, _n - 1))


def stated_nodes(*conditions: sp.Basic, at_most_one_less: bool = False) -> tuple[str, ...]:
    """The same, formally; and for events after the first, of which some digit is 1."""
    words = digits()
    equation = about(words, eq(contain + ones_symbol, levels_symbol))
    if not at_most_one_less:
        return equation
    return (*equation, *about(words, le(contain, levels_symbol - 1), given=(sp.Ge(ones_symbol, 1),)))


def stated_loss(value: sp.Expr, name: str = "D") -> tuple[str, ...]:
    """That a loss of noise was found, formally."""
    return symbolic(eq(sp.Symbol(name), value))


def stated_after() -> tuple[str, ...]:
    """The three kinds of events after an intrusion, formally."""
    with_one_step = le(_m * _rho / (_n - 1) + _rho / _n, _rho)
    return (
        *stated_nodes(at_most_one_less=True),
        *symbolic(le(_m * _rho / (_n - 1), _rho), given=(_TWO, sp.Le(_m, _n - 1))),
        *symbolic(with_one_step, given=(_TWO, sp.Le(_m, _n - 2))),
        *symbolic(BEFORE, given=BEFORE_GIVEN),
    )


def stated_attained() -> tuple[str, ...]:
    """The losses of the first two events, and the variances that they need, formally."""
    return (
        *stated_nodes(),
        *stated_loss(1 / (2 * _b), "D_1"),
        *stated_loss(1 / (2 * _r), "D_2"),
        *symbolic(ge(_b, _n / (2 * _rho)), given=(sp.Le(_n / (2 * _b), _rho),)),
        *symbolic(ge(_r, (_n - 1) / (2 * _rho)), given=(_TWO, sp.Le((_n - 1) / (2 * _r), _rho))),
    )


def stated_moved() -> tuple[str, ...]:
    """The loss of one node, of all nodes, and from step 1 to step 2, formally."""
    whole = _n / (2 * _b) + (_n - 1) / (2 * _r)
    return (
        *stated_loss(1 / (2 * _b) + 1 / (2 * _r)),
        *symbolic(le(_one + _loss, 2 * _rho), given=(sp.Le(_one, _rho), sp.Le(_loss, _rho))),
        *stated_nodes(),
        *symbolic(eq(whole, 2 * _rho), given=(_TWO, *_budgeted)),
    )


def stated_variance() -> tuple[str, ...]:
    """The variance of an output, its value, and its ratio to that of a tree whose outputs alone are observed."""
    most = _n * _b + (_n - 1) * _r
    least = (sp.Ge(_n, 1), sp.Le(_m, _n), sp.Le(_one, _n - 1))
    return (
        *symbolic(le(_m * _b + _one * _r, most), given=least),
        *symbolic(eq(most, (_n**2 + (_n - 1) ** 2) / (2 * _rho)), given=_budgeted),
        *symbolic(eq(sp.Limit(RATIO, _n, sp.oo), 2)),
    )


def stated_without() -> tuple[str, ...]:
    """A combination without noise that moves: less noise than any bound on the loss allows, formally."""
    bound, small = sp.symbols("K v", positive=True)
    return (
        *symbolic(eq(_noise, 0), eq(_shift, 1)),
        *symbolic(gt(1 / (2 * small), bound), given=(sp.Lt(2 * small * bound, 1),)),
    )


def stated_halves() -> tuple[str, ...]:
    """The loss of the outputs and of the first event, formally."""
    half = (eq(4 * _rho * _b, _n),)
    return (
        *stated_nodes(),
        *symbolic(eq(_n / (2 * (_b + _b)), _rho), given=half),
        *stated_loss(1 / (2 * _b)),
        *symbolic(eq(_n / (2 * _b), 2 * _rho), given=half),
        *stated_loss(2 * _rho, "D_3"),
    )
