"""A formal statement follows from the steps only under the conditions under which they show something."""

from __future__ import annotations

import random
from collections import Counter

import pytest
import sympy as sp

from pan_proofs.engines import entailment, relations
from pan_proofs.engines.balls import enclosure
from pan_proofs.engines.obligation import Answer, Status
from pan_proofs.engines.relations import leaves, read, written
from pan_proofs.ledger.claim import Part, Role
from pan_proofs.ledger.linking import linked
from pan_proofs.ledger.registry import _with_links
from pan_proofs.ledger.statements import Statement, symbolic
from tests.ledger.link_promises import FALSE_PROMISES, TRUE_PROMISES
from tests.ledger.link_statements import FALSE_LINKS, TRUE_LINKS, eq, le, n, quantity, r, square, x, y


def answer(made):
    formal, steps = made
    obligations = [one for step in steps for one in step.obligations]
    found = {linked("link", text, obligations).status for text in formal}
    return found == {Status.DISCHARGED}


@pytest.mark.parametrize("name", FALSE_LINKS)
def test_what_does_not_follow_is_not_linked(name):
    assert not answer(FALSE_LINKS[name][1]())


@pytest.mark.parametrize("name", FALSE_PROMISES)
def test_a_false_promise_or_error_is_not_linked(name):
    assert not answer(FALSE_PROMISES[name]())


@pytest.mark.parametrize("name", TRUE_PROMISES)
def test_a_true_promise_or_error_is_linked(name):
    assert answer(TRUE_PROMISES[name]())


@pytest.mark.parametrize("name", TRUE_LINKS)
def test_what_follows_is_linked(name):
    assert answer(TRUE_LINKS[name]())


def test_there_are_enough_of_them():
    assert len(FALSE_LINKS) >= 40
    assert len(Counter(reason for reason, _ in FALSE_LINKS.values())) >= 10


def test_two_statements_of_a_part_cannot_give_one_name_to_two_quantities():
    other = symbolic(eq(quantity, x**2 + 4 * x + 4), eq(quantity, x**2 + 2 * x + 1))
    part = Part(Role.PUBLISHED, "a part", "", (square,), formal=other)
    assert not any(one.status is Status.DISCHARGED for one in _with_links(part).links)


@pytest.mark.parametrize(
    "relation",
    [eq(x, x), le(0, x), sp.Ne(x, x, evaluate=False), sp.Not(le(x, x), evaluate=False), sp.Implies(le(x, 1), eq(x, x))],
)
def test_a_relation_is_read_as_it_was_written(relation):
    assert read(written(relation)) == relation
    assert leaves(read(written(relation))) == leaves(relation)


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "Add('__import__(chr(111))', Integer(1))",
        "Symbol('x', **{})",
        "Symbol(Symbol('x'))",
        "sympify('x')",
        "lambda: 0",
        "Integer(1).func",
        "Equality(Symbol('x'), Integer(1)",
        "Add(Integer(1), evaluate=False)",
    ],
)
def test_a_text_is_read_and_never_run(text):
    with pytest.raises(ValueError, match=r"expression|relation|symbol|options"):
        read(text)


def test_what_was_stored_is_read_as_what_was_written(monkeypatch):
    texts = [text for make in TRUE_LINKS.values() for text in make()[0]]
    here = [read(text) for text in texts]
    monkeypatch.setattr(relations, "_KNOWN", {})
    assert [read(text) for text in texts] == here


def test_a_statement_is_displayed_with_domains_assumptions_and_names():
    text = symbolic(le(quantity, x + n), given=(x <= 1,), where={quantity: x * n, y: sp.exp(x)})[0]
    assert Statement.read(text).latex() == (
        r"If $n \in \{1, 2, \ldots\}$, $0 < x \leq 1$, then $Q \leq n + x$, where $Q = n x$."
    )


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ((x <= 1,), r"$Q = n x$ for $n \in \{1, 2, \ldots\}$, $0 < x \leq 1$."),
        # Of what is assumed to be something nothing is defined.
        ((quantity <= 1,), r"If $n \in \{1, 2, \ldots\}$, $x > 0$, $Q \leq 1$, then $Q = n x$."),
    ],
)
def test_a_definition_is_shown_as_one(given, shown):
    assert Statement.read(symbolic(eq(quantity, x * n), given=given)[0]).latex() == shown


def test_a_quantity_of_known_sign_is_defined_without_its_domain():
    text = symbolic(eq(sp.Symbol("Delta", nonnegative=True), 1 / x))[0]
    assert Statement.read(text).latex() == r"$\Delta = \frac{1}{x}$ for $x > 0$."
    refuted = symbolic(eq(sp.Symbol("Delta", nonnegative=True), 1 / x), refuted=True)[0]
    assert "for $x > 0$" not in Statement.read(refuted).latex()


def test_what_the_solvers_are_told_of_functions_is_true():
    """Every relation between a value and its argument, at random points, by balls."""
    atoms = {
        sp.Dummy("exp"): sp.exp(r, evaluate=False),
        sp.Dummy("half"): sp.exp(r / 2, evaluate=False),
        sp.Dummy("one"): sp.exp(1, evaluate=False),
        sp.Dummy("log"): sp.log(r),
        sp.Dummy("root"): sp.sqrt(r),
        sp.Dummy("cube"): sp.Pow(r, -sp.Rational(2, 3)),
        sp.Dummy("pi"): sp.pi,
        sp.Dummy("e"): sp.E,
    }
    told = [*entailment._theory(atoms), *entailment._in_order(atoms), *entailment._related(atoms)]
    assert len(told) > 25
    source = random.Random(3)
    decided = Counter()
    for _ in range(60):
        point = {r: sp.Rational(source.randint(-4000, 4000), 1000)}
        for one in told:
            truth = holds(one, atoms, point)
            decided[truth] += 1
            assert truth is not False, (one, point)
    assert decided[True] > decided[None]


def holds(relation, atoms, point):
    if isinstance(relation, sp.Implies):
        premise, conclusion = (holds(one, atoms, point) for one in relation.args)
        return True if premise is False else None if premise is None else conclusion
    left, right = (side.xreplace(atoms) for side in relation.args)
    try:
        difference = enclosure(left - right, point)
    except (ZeroDivisionError, TypeError):
        return None
    if not difference.is_finite():
        return None
    if isinstance(relation, sp.Eq):
        return bool(difference.contains(0))
    above, below = bool(difference > 0), bool(difference < 0)
    if not (above or below):
        return None
    return above if isinstance(relation, (sp.Gt, sp.Ge)) else below


def test_an_answer_that_the_solvers_do_not_give_is_unknown():
    (check,) = entailment.entailment("", (), (), le(sp.erf(x), 2))
    assert check.answer is Answer.UNKNOWN
