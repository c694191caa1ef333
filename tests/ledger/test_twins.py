"""A formula of the ledger follows from the steps of its part; a formula that is false in one place does not."""

import pytest

from pan_proofs.engines.obligation import Status
from pan_proofs.ledger.linking import linked
from tests.ledger.twins import TWINS


@pytest.mark.parametrize("place", TWINS, ids=lambda place: f"{place[0]}: {place[1]}")
def test_the_steps_do_not_lead_to_a_false_twin_of_a_formula(entries, place):
    identifier, title = place
    (part,) = (part for part in entries[identifier].claim.parts if part.title == title)
    assert part.linked
    for twin in TWINS[place]:
        for text in twin:
            assert linked("twin", text, part.obligations).status is not Status.DISCHARGED, text
