"""The kernel is attacked where it was weak: nothing false is discharged, linked or proved, and nothing true falls."""

from __future__ import annotations

import importlib
from collections import Counter
from dataclasses import replace

import pytest

from pan_proofs.engines.obligation import Answer, Check, Kind, Obligation
from pan_proofs.ledger import ProofVerdict, Role, derive, derive_here, modules, settle
from pan_proofs.ledger.claim import Claim, Part, Step
from pan_proofs.ledger.registry import _with_links
from pan_proofs.ledger.statements import symbolic
from pan_proofs.ledger.steps import counterexample, equal
from tests.ledger.false_kernel import FALSE_KERNEL
from tests.ledger.false_points_and_powers import FALSE_POINTS_AND_POWERS
from tests.ledger.false_tables import FALSE_TABLES, TRUE_TABLES
from tests.ledger.kernel_questions import eq, le, lt, x
from tests.ledger.true_kernel import TRUE_KERNEL

SQUARE = equal("square", "", "", (x + 1) ** 2, x**2 + 2 * x + 1)


FALSE = {**FALSE_KERNEL, **FALSE_TABLES, **FALSE_POINTS_AND_POWERS}
TRUE = {**TRUE_KERNEL, **TRUE_TABLES}


@pytest.mark.parametrize("name", FALSE)
def test_nothing_false_holds(name):
    try:
        held = FALSE[name][1]()
    except (ValueError, TypeError):
        # A question that the kernel refuses ends a derivation, which is undecided then.
        held = False
    assert not held


@pytest.mark.parametrize("name", TRUE)
def test_everything_true_holds(name):
    assert TRUE[name]()


def test_there_are_enough_of_them():
    assert len(FALSE) >= 145
    assert len(TRUE) >= 30
    assert len(Counter(kind for kind, _ in FALSE.values())) >= 22


def claimed(*parts: Part) -> Claim:
    return Claim("a.b", "", (), "", tuple(map(_with_links, parts)))


def test_a_formula_that_does_not_follow_from_the_steps_is_not_proved():
    part = Part(Role.PUBLISHED, "a part", "", (SQUARE,), formal=symbolic(eq((x + 1) ** 2, x**2 + 2 * x + 1)))
    assert claimed(part).verdict is ProofVerdict.PROVED
    other = replace(part, formal=symbolic(lt(x, 0)))
    claim = claimed(part, other)
    assert claim.verdict is ProofVerdict.UNDECIDED
    assert settle(claim, {claim.id: claim})[1] == "a formula is not found to follow from the steps: a part"


def test_a_true_formula_is_not_refuted_by_a_counterexample_to_another_one():
    true = claimed(Part(Role.AMENDED, "true", "", (SQUARE,), formal=symbolic(eq((x + 1) ** 2, x**2 + 2 * x + 1)))).parts
    step = counterexample("false", "", le(x, 2), {x: 3})
    for stated, verdict in ((le(x, 2), ProofVerdict.PROVED_AMENDED), (le(x, x + 1), ProofVerdict.UNDECIDED)):
        part = Part(Role.COUNTEREXAMPLE, "false", "", (step,), formal=symbolic(stated, refuted=True))
        assert claimed(part, *true).verdict is verdict


class Believed(Claim):
    """A claim with a verdict of its author's own."""

    @property
    def verdict(self) -> ProofVerdict:
        return ProofVerdict.PROVED


class Granted(Obligation):
    """An obligation that no engine was asked."""

    def __post_init__(self) -> None:
        """It does not ask where it is made."""


def believed() -> Claim:
    return Believed("density.union_lemma", "", (), "", ())


def granted() -> Claim:
    made = Granted("o", "P = NP", (Check("P = NP", "sympy", Answer.HOLDS, Answer.HOLDS),), Kind.VALUE)
    part = Part(Role.PUBLISHED, "a part", "", (Step("s", "", (), (made,)),), no_formula="it is obvious")
    return Claim("density.union_lemma", "", (), "", (part,))


@pytest.mark.parametrize("derivation", [believed, granted])
def test_a_class_of_the_authors_own_ends_a_derivation(monkeypatch, derivation):
    module = importlib.import_module(modules()["density.union_lemma"])
    monkeypatch.setitem(module.CLAIMS, "density.union_lemma", derivation)
    with pytest.raises(TypeError, match="as the ledger knows it"):
        derive_here("density.union_lemma")
    assert derive(["density.union_lemma"])["density.union_lemma"].verdict is ProofVerdict.UNDECIDED
