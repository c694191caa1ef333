"""Texts of relations are read and never run, and what the solvers are told of functions is true."""

from __future__ import annotations

import random
from collections import Counter

import pytest
import sympy as sp

from pan_proofs.engines import entailment
from pan_proofs.engines.balls import enclosure
from pan_proofs.engines.obligation import Answer
from pan_proofs.engines.relations import leaves, read, written
from tests.mutants.statements.false_links import r, x
from tests.mutants.statements.reading import eq, le


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
