"""The rules for verdicts: each decides in a situation of its own, and no situation is left without one."""

from __future__ import annotations

from itertools import chain, combinations, product

import pytest

from pan_proofs.ledger.verdicts import RULES, ProofVerdict, Role, Situation, judged

PUBLISHED, COUNTEREXAMPLE, AMENDED, READING, CITED = Role

SITUATIONS = {
    "no part is about the statement itself": Situation(frozenset({READING})),
    "a part is not discharged": Situation(frozenset({PUBLISHED}), open_parts=("one",)),
    "a part says that something is false and gives no counterexample": Situation(
        frozenset({COUNTEREXAMPLE, AMENDED}), unshown=("one",)
    ),
    "a statement has neither a formula nor a reason why it has none": Situation(
        frozenset({PUBLISHED}), unformulated=("one",)
    ),
    "a formula is not found to follow from the steps": Situation(frozenset({PUBLISHED}), unlinked=("one",)),
    "a claim that it uses is refuted or undecided": Situation(frozenset({PUBLISHED}), used=(ProofVerdict.REFUTED,)),
    "the true statement that it names is not proved": Situation(
        frozenset({COUNTEREXAMPLE}), nearby=ProofVerdict.PROVED_AMENDED
    ),
    "it is false, and a true statement nearby has an entry of its own": Situation(
        frozenset({PUBLISHED, COUNTEREXAMPLE}), nearby=ProofVerdict.PROVED
    ),
    "it is false as printed, and an amended statement is derived": Situation(frozenset({COUNTEREXAMPLE, AMENDED})),
    "it is false, and no true statement stands beside it": Situation(frozenset({COUNTEREXAMPLE})),
    "a statement is amended that is not shown to be false": Situation(frozenset({PUBLISHED, AMENDED})),
    "a part is taken from another source": Situation(frozenset({CITED, PUBLISHED})),
    "it is derived from a theorem of another source": Situation(frozenset({PUBLISHED}), used=(ProofVerdict.CITED,)),
    "every part is derived": Situation(frozenset({PUBLISHED, READING}), used=(ProofVerdict.PROVED_AMENDED,)),
}
LAST = "no other rule applies"
GOOD = (ProofVerdict.PROVED, ProofVerdict.PROVED_FROM_CITED, ProofVerdict.PROVED_AMENDED, ProofVerdict.CITED)


def all_situations():
    roles = chain.from_iterable(combinations(Role, count) for count in range(len(Role) + 1))
    for some, opened, unshown, plain, unlinked, nearby, used in product(
        roles,
        ((), ("one",)),
        ((), ("one",)),
        ((), ("one",)),
        ((), ("one",)),
        (None, *ProofVerdict),
        ((), *((one,) for one in ProofVerdict)),
    ):
        yield Situation(frozenset(some), opened, unshown, plain, unlinked, nearby, used)


@pytest.mark.parametrize("reason", SITUATIONS)
def test_each_rule_decides_in_a_situation_of_its_own(reason):
    assert judged(SITUATIONS[reason]).reason == reason


def test_there_is_a_situation_for_each_rule_and_the_last_rule_is_never_needed():
    assert [rule.reason for rule in RULES] == [*SITUATIONS, LAST]
    assert all(judged(found).reason != LAST for found in all_situations())


def test_nothing_open_leads_to_a_verdict():
    for found in all_situations():
        if (
            found.open_parts
            or found.unshown
            or found.unformulated
            or found.unlinked
            or {ProofVerdict.UNDECIDED, ProofVerdict.REFUTED} & set(found.used)
        ):
            assert judged(found).verdict is ProofVerdict.UNDECIDED


def test_only_what_is_derived_without_a_cited_theorem_is_proved():
    for found in all_situations():
        verdict = judged(found).verdict
        if verdict is ProofVerdict.PROVED:
            assert not {COUNTEREXAMPLE, AMENDED, CITED} & found.roles
            assert not {ProofVerdict.CITED, ProofVerdict.PROVED_FROM_CITED} & set(found.used)
        if verdict in (ProofVerdict.REFUTED, ProofVerdict.PROVED_AMENDED):
            assert COUNTEREXAMPLE in found.roles
