"""Least values on boxes, limits, derivatives and sums of exponentials: the true statements are proved, no false one."""

from __future__ import annotations

import pytest
import sympy as sp

from pan_proofs.engines.exponentials import falling_sum, widest_term
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.limits import tends_to
from pan_proofs.engines.minima import exceeds_on_box
from pan_proofs.ledger import ProofVerdict
from tests.ledger.false_smooth import BOWL, FALSE, FALSE_LINKS, TRUE, TRUE_LINKS, c, half, k, nearby, square, u, v, x
from tests.ledger.test_linking import answer


@pytest.mark.parametrize("name", TRUE)
def test_a_true_statement_is_proved(name):
    assert TRUE[name]().verdict is ProofVerdict.PROVED


@pytest.mark.parametrize("name", FALSE)
def test_no_false_statement_is_proved(name):
    assert FALSE[name][1]().verdict is ProofVerdict.UNDECIDED


@pytest.mark.parametrize("name", TRUE_LINKS)
def test_a_statement_as_it_was_shown_is_linked(name):
    assert answer(TRUE_LINKS[name]())


@pytest.mark.parametrize("name", FALSE_LINKS)
def test_another_statement_is_not_linked(name):
    assert not answer(FALSE_LINKS[name]())


@pytest.mark.parametrize(
    ("expression", "box", "cases", "close", "stronger"),
    [
        (BOWL, square, (), (), half),
        (BOWL, square, ({c: 1},), (), half),
        (BOWL, square, ({},), (nearby,), half),
        (BOWL, square, ({c: 1, u: 0},), (nearby,), half),
        (BOWL, square, ({c: 0.5},), (nearby,), half),
        (BOWL, square, ({c: 1},), (nearby,), sp.S.Zero),
    ],
)
def test_a_least_value_is_asked_with_all_that_it_needs(expression, box, cases, close, stronger):
    with pytest.raises(ValueError, match="s: "):
        exceeds_on_box("s", expression, half, box, cases, close=close, stronger=stronger)


def test_what_has_another_form_is_refused():
    with pytest.raises(ValueError, match="without x"):
        tends_to("s", 1 + x, x, sp.S.Zero, 1 + x)
    with pytest.raises(ValueError, match="at most 1"):
        widest_term("s", half, x, Inequality("s", u, sp.Integer(2), (u <= 2,), touching={u: 2}), x, c)
    weak = Inequality("s", sp.S.Zero, u, (u >= 0,), touching={u: 0}, raised=half)
    growing = Inequality("s", sp.S.Zero, k, (), strict=True, raised=half, touching={k: 0})
    for inequality in (weak, growing):
        with pytest.raises(ValueError, match="0 < rate"):
            falling_sum("s", ((half, inequality),), k, v)
