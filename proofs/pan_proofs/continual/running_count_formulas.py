"""The formulas of the running count of events."""

from __future__ import annotations

import sympy as sp

from pan_proofs.continual.running_count_digits import contain, digits, levels_symbol, ones_symbol
from pan_proofs.continual.running_count_steps import BEFORE, BEFORE_GIVEN, RATIO
from pan_proofs.ledger.claim import symbolic
from pan_proofs.ledger.statements import about

_b, _r, _rho, _n = sp.symbols("b r rho n", positive=True)
_m = sp.Symbol("m", nonnegative=True)
_one, _loss = sp.symbols("l D", nonnegative=True)
_noise, _shift = sp.Symbol("V"), sp.Symbol("c")
_TWO = sp.Ge(_n, 2)
_budgeted = (sp.Eq(2 * _rho * _b, _n, evaluate=False), sp.Eq(2 * _rho * _r, _n - 1, evaluate=False))


def stated_nodes(*conditions: sp.Basic, at_most_one_less: bool = False) -> tuple[str, ...]:
    """The same, formally; and for events after the first, of which some digit is 1."""
    words = digits()
    equation = about(words, sp.Eq(contain + ones_symbol, levels_symbol, evaluate=False))
    if not at_most_one_less:
        return equation
    return (*equation, *about(words, sp.Le(contain, levels_symbol - 1, evaluate=False), given=(sp.Ge(ones_symbol, 1),)))


def stated_loss(value: sp.Expr, name: str = "D") -> tuple[str, ...]:
    """That a loss of noise was found, formally."""
    return symbolic(sp.Eq(sp.Symbol(name), value, evaluate=False))


def stated_after() -> tuple[str, ...]:
    """The three kinds of events after an intrusion, formally."""
    with_one_step = sp.Le(_m * _rho / (_n - 1) + _rho / _n, _rho, evaluate=False)
    return (
        *stated_nodes(at_most_one_less=True),
        *symbolic(sp.Le(_m * _rho / (_n - 1), _rho, evaluate=False), given=(_TWO, sp.Le(_m, _n - 1))),
        *symbolic(with_one_step, given=(_TWO, sp.Le(_m, _n - 2))),
        *symbolic(BEFORE, given=BEFORE_GIVEN),
    )


def stated_attained() -> tuple[str, ...]:
    """The losses of the first two events, and the variances that they need, formally."""
    return (
        *stated_nodes(),
        *stated_loss(1 / (2 * _b), "D_1"),
        *stated_loss(1 / (2 * _r), "D_2"),
        *symbolic(sp.Ge(_b, _n / (2 * _rho), evaluate=False), given=(sp.Le(_n / (2 * _b), _rho),)),
        *symbolic(sp.Ge(_r, (_n - 1) / (2 * _rho), evaluate=False), given=(_TWO, sp.Le((_n - 1) / (2 * _r), _rho))),
    )


def stated_moved() -> tuple[str, ...]:
    """The loss of one node, of all nodes, and from step 1 to step 2, formally."""
    whole = _n / (2 * _b) + (_n - 1) / (2 * _r)
    return (
        *stated_loss(1 / (2 * _b) + 1 / (2 * _r)),
        *symbolic(sp.Le(_one + _loss, 2 * _rho, evaluate=False), given=(sp.Le(_one, _rho), sp.Le(_loss, _rho))),
        *stated_nodes(),
        *symbolic(sp.Eq(whole, 2 * _rho, evaluate=False), given=(_TWO, *_budgeted)),
    )


def stated_variance() -> tuple[str, ...]:
    """The variance of an output, its value, and its ratio to that of a tree whose outputs alone are observed."""
    most = _n * _b + (_n - 1) * _r
    least = (sp.Ge(_n, 1), sp.Le(_m, _n), sp.Le(_one, _n - 1))
    return (
        *symbolic(sp.Le(_m * _b + _one * _r, most, evaluate=False), given=least),
        *symbolic(sp.Eq(most, (_n**2 + (_n - 1) ** 2) / (2 * _rho), evaluate=False), given=_budgeted),
        *symbolic(sp.Eq(sp.Limit(RATIO, _n, sp.oo), 2, evaluate=False)),
    )


def stated_without() -> tuple[str, ...]:
    """A combination without noise that moves: less noise than any bound on the loss allows, formally."""
    bound, small = sp.symbols("K v", positive=True)
    return (
        *symbolic(sp.Eq(_noise, 0, evaluate=False), sp.Eq(_shift, 1, evaluate=False)),
        *symbolic(sp.Gt(1 / (2 * small), bound, evaluate=False), given=(sp.Lt(2 * small * bound, 1),)),
    )


def stated_halves() -> tuple[str, ...]:
    """The loss of the outputs and of the first event, formally."""
    half = (sp.Eq(4 * _rho * _b, _n, evaluate=False),)
    return (
        *stated_nodes(),
        *symbolic(sp.Eq(_n / (2 * (_b + _b)), _rho, evaluate=False), given=half),
        *stated_loss(1 / (2 * _b)),
        *symbolic(sp.Eq(_n / (2 * _b), 2 * _rho, evaluate=False), given=half),
        *stated_loss(2 * _rho, "D_3"),
    )
