"""Quantities that steps compute: what a formal statement may say of them, and what the kernel refuses."""

from __future__ import annotations

from collections import Counter

import pytest
import sympy as sp

from pan_proofs.engines.computations import computed_value
from pan_proofs.engines.quantities import related_in_every_case
from pan_proofs.ledger import ProofVerdict
from pan_proofs.ledger.steps import related
from tests.ledger.false_quantities import FALSE, FALSE_LINKS, TRUE_LINKS, among, cases, formal_display, ratio, users, x
from tests.ledger.link_statements import eq, le
from tests.ledger.test_linking import answer


@pytest.mark.parametrize("name", FALSE_LINKS)
def test_what_does_not_follow_from_quantities_is_not_linked(name):
    assert not answer(FALSE_LINKS[name][1]())


@pytest.mark.parametrize("name", TRUE_LINKS)
def test_what_follows_from_quantities_is_linked(name):
    assert answer(TRUE_LINKS[name]())


@pytest.mark.parametrize("name", FALSE)
def test_no_false_claim_about_quantities_is_proved(name):
    assert FALSE[name][1]().verdict is ProofVerdict.UNDECIDED


def test_there_are_enough_of_them():
    assert len(FALSE_LINKS) >= 20
    assert len(Counter(reason for reason, _ in FALSE_LINKS.values())) >= 6


def test_a_quantity_is_a_symbol_of_no_kind():
    with pytest.raises(ValueError, match="no kind"):
        computed_value("s", "a value", lambda: sum((1, 2)), 3, quantities=(x,))
    with pytest.raises(ValueError, match="no kind"):
        related_in_every_case("s", "cases", le(ratio, x), ({ratio: 1, x: 2},), mutant=le(x, ratio), parameters=())


@pytest.mark.parametrize(
    ("parameters", "said"), [((), "name their parameters"), ((users,), "differ in something that is no parameter")]
)
def test_cases_have_parameters_that_tell_them_apart(parameters, said):
    cases = [{ratio: 1, users: 1}, {ratio: 2, users: 1}]
    with pytest.raises(ValueError, match=said):
        related_in_every_case("s", "cases", le(ratio, 3), cases, mutant=le(ratio, 1), parameters=parameters)


def test_a_display_ends_with_the_cases():
    step = related(
        "s",
        "",
        "cases",
        le(ratio, 3),
        [{ratio: 1, users: one} for one in (1, 2)],
        mutant=le(ratio, 0),
        parameters=(users,),
    )
    assert step.lines == (r"R &\le 3 \quad (U \in \{1, 2\})",)


def test_a_quantity_is_an_exact_number():
    with pytest.raises(TypeError, match="exact real number"):
        computed_value("s", "a limit", lambda: sp.oo + 1, sp.oo, quantities=(ratio,))
    with pytest.raises(TypeError, match="exact real number"):
        related_in_every_case("s", "cases", le(ratio, 2), ({ratio: 1.5, x: 1},), mutant=le(ratio, 1), parameters=(x,))


def test_there_is_a_value_for_each_quantity():
    with pytest.raises(ValueError, match="argument 2 is shorter"):
        computed_value(
            "s", "two values", lambda: tuple(range(1, 3)), (1, 2), quantities=(ratio, sp.Symbol("Q"), sp.Symbol("S"))
        )


def test_the_cases_are_displayed_as_a_set():
    shown = formal_display(eq(ratio, users + 1), given=(among((1, 2, 3)),))
    assert r"U \in \{1, 2, 3\}" in shown
    assert cases.obligations[0].shows[0].given
