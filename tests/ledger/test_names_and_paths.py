"""Names that depend on a variable, paths of limits and functions with bends: no false statement is proved."""

import pytest

from pan_proofs.ledger import ProofVerdict
from tests.ledger.false_names_and_paths import FALSE, FALSE_LINKS, REFUSED, TRUE_LINKS
from tests.ledger.test_linking import answer


@pytest.mark.parametrize("name", FALSE)
def test_no_false_statement_is_proved(name):
    assert FALSE[name][1]().verdict is ProofVerdict.UNDECIDED


@pytest.mark.parametrize("name", REFUSED)
def test_of_a_function_without_balls_no_limit_is_shown(name):
    with pytest.raises(TypeError, match="no ball"):
        REFUSED[name]()


@pytest.mark.parametrize("name", TRUE_LINKS)
def test_a_statement_as_it_was_shown_is_linked(name):
    assert answer(TRUE_LINKS[name]())


@pytest.mark.parametrize("name", FALSE_LINKS)
def test_another_statement_is_not_linked(name):
    assert not answer(FALSE_LINKS[name]())
