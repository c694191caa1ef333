"""Integrals, sums, products and limits that sympy would compute in another sense than they are stated in."""

import pytest

from pan_proofs.ledger import ProofVerdict
from tests.ledger.false_bound_variables import REFUSED, TRUE


@pytest.mark.parametrize("name", REFUSED)
def test_no_false_statement_about_a_bound_variable_is_proved(name):
    with pytest.raises(ValueError, match=r"^s: "):
        REFUSED[name]()


@pytest.mark.parametrize("name", TRUE)
def test_a_true_statement_about_a_bound_variable_stays_proved(name):
    assert TRUE[name]().verdict is ProofVerdict.PROVED
