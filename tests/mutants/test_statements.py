"""The engines are attacked by statements in text: nothing false is taken, nothing true falls, misuse is refused."""

from __future__ import annotations

from itertools import islice

import pytest
import sympy as sp

from pan_proofs.engines import obligation as engines
from pan_proofs.engines.inequalities import smt_script
from pan_proofs.engines.obligation import Answer, Status, ask
from pan_proofs.engines.quantities import quantities_in
from pan_proofs.ledger.linking import linked
from pan_proofs.ledger.statements import Statement, symbolic
from pan_proofs.tables.contents import STATEMENTS
from tests.mutants.statements import twins
from tests.mutants.statements.reading import holds, modules, read

MODULES = {module.__name__.removeprefix("tests."): module for module in modules()}
FALSE = {
    f"{place}: {name}": (place, text)
    for place, module in MODULES.items()
    for rows in getattr(module, "FALSE", {}).values()
    for name, text in rows.items()
}
TRUE = {
    f"{place}: {name}": (place, text)
    for place, module in MODULES.items()
    for name, text in getattr(module, "TRUE", {}).items()
}
REFUSED = [
    (place, text, said)
    for place, module in MODULES.items()
    for said, texts in getattr(module, "REFUSED", {}).items()
    for text in texts
]


@pytest.fixture
def hurried(monkeypatch):
    """Solvers do not try for long at what they cannot decide."""
    monkeypatch.setattr(engines, "_MILLISECONDS", 1_000)


@pytest.mark.parametrize("name", FALSE)
def test_nothing_false_holds(name, hurried):
    place, text = FALSE[name]
    assert not holds(read(text, MODULES[place]))


@pytest.mark.parametrize("name", TRUE)
def test_everything_true_holds(name):
    place, text = TRUE[name]
    assert holds(read(text, MODULES[place]))


@pytest.mark.parametrize(("place", "text", "said"), REFUSED, ids=lambda one: one[:60])
def test_what_cannot_be_asked_is_refused(place, text, said):
    with pytest.raises((ValueError, TypeError)) as raised:
        holds(read(text, MODULES[place]))
    assert said in str(raised.value)


TWINS = [(identifier, title) for identifier, titles in twins.TWINS.items() for title in titles]


@pytest.mark.parametrize(("identifier", "title"), TWINS, ids=[f"{name}: {title}" for name, title in TWINS])
def test_the_steps_do_not_lead_to_a_formula_that_is_false_in_one_place(identifier, title, entries, hurried):
    (part,) = (part for part in entries[identifier].claim.parts if part.title == title)
    assert part.linked
    for said in twins.TWINS[identifier][title]:
        for text in read(said, twins):
            assert linked("twin", text, part.obligations).status is not Status.DISCHARGED, text


def false_twins(part):
    """Formulas that differ in one place from one of a part's, each with a counterexample that z3 has found.

    A twin lacks an assumption, or has half of the larger side.
    """
    for formal in part.formal:
        said = Statement.read(formal)
        one = said.conclusion
        if said.refuted or said.names or one.func not in (sp.Le, sp.Lt) or quantities_in(one):
            continue
        changed = [(one, tuple(kept for kept in said.assumptions if kept != left)) for left in said.assumptions]
        for conclusion, given in (*changed, (one.func(one.lhs, one.rhs / 2, evaluate=False), said.assumptions)):
            try:
                script = smt_script([*given, sp.Not(conclusion, evaluate=False)], integers=True)
            except (ValueError, TypeError):
                continue  # logarithms, and what else the solvers do not know
            if ask("z3", script) is Answer.SAT:
                yield from symbolic(conclusion, given=given)


@pytest.mark.parametrize("name", STATEMENTS)
def test_the_steps_do_not_lead_to_a_false_twin_of_a_formula_about_tables(name, entries, hurried):
    for part in entries[name].claim.parts:
        for text in islice(false_twins(part), 2):
            assert linked("twin", text, part.obligations).status is not Status.DISCHARGED, (part.title, text)


@pytest.mark.more
def test_the_steps_do_not_lead_to_any_false_twin_of_a_formula_about_tables(entries, hurried):
    found = [
        (name, part, text) for name in STATEMENTS for part in entries[name].claim.parts for text in false_twins(part)
    ]
    assert len(found) > 100
    for name, part, text in found:
        assert linked("twin", text, part.obligations).status is not Status.DISCHARGED, (name, part.title, text)


NEGATIONS = {sp.Le: sp.Gt, sp.Lt: sp.Ge, sp.Ge: sp.Lt, sp.Gt: sp.Le, sp.Eq: sp.Ne, sp.Ne: sp.Eq}


def denied(formal):
    """What a formula denies: that its relation fails, or, of a formula that refutes a relation, that it holds."""
    said = Statement.read(formal)
    parts = said.conclusion.args if isinstance(said.conclusion, sp.And) else (said.conclusion,)
    relations = [one for one in parts if one.func in NEGATIONS]
    if not said.refuted:
        relations = [NEGATIONS[one.func](*one.args, evaluate=False) for one in relations]
    return symbolic(*relations, given=said.assumptions, where=said.names) if relations else ()


@pytest.mark.more
def test_the_steps_do_not_lead_to_what_a_formula_about_tables_denies(entries, hurried):
    asked = [
        (name, part, text)
        for name in STATEMENTS
        for part in entries[name].claim.parts
        for formal in part.formal
        for text in denied(formal)
    ]
    assert len(asked) > 100
    for name, part, text in asked:
        assert linked("denied", text, part.obligations).status is not Status.DISCHARGED, (name, part.title, text)
