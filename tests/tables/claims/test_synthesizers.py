"""The claims on the privacy of shipped synthesizers: their verdicts, and false formulas near those of the claims."""

from __future__ import annotations

import pytest
import sympy as sp

from pan_estimators.tables.budgets import TreeBudget, shares_of
from pan_promises.notion import converted_epsilon
from pan_proofs.engines.inequalities import Inequality
from pan_proofs.engines.obligation import Status
from pan_proofs.engines.vectors import sum_over_entries
from pan_proofs.ledger import ProofVerdict
from pan_proofs.ledger.linking import linked
from pan_proofs.ledger.statements import symbolic
from pan_proofs.ledger.steps import at_most
from pan_proofs.tables.claims.privacy import adaptive_marginals as adaptive
from pan_proofs.tables.claims.privacy import calibrated_tree as tree
from pan_proofs.tables.lemmas import bounded_range, from_rho, noise_of_counts

NAMES = ("bayesnet.calibrated_tree_privacy", "bayesnet.adaptive_marginals_privacy")


def le(left, right):
    return sp.Le(left, right, evaluate=False)


def eq(left, right):
    return sp.Eq(left, right, evaluate=False)


def twins():
    """By claim and title of the part, formulas that are false."""
    counts, ranges = noise_of_counts, bounded_range
    of_choices = sp.Symbol("w_1", positive=True)
    edges = sp.Symbol("m", positive=True)
    double = (le(ranges.share**2, 16 * of_choices * counts.rho / edges),)
    of_tables = (
        (le(tree._loss, tree._part * counts.rho), sp.Ge(tree._tables, 0)),
        {
            one: sum_over_entries(term, tuple(tree._OF_TABLES.values()), tree._tables)
            for one, term in tree._OF_TABLES.items()
        },
    )
    largest, squares = counts.LAPLACE.lhs, counts.GAUSSIAN.lhs
    return {
        (NAMES[0], "a choice, for a rho"): (
            *symbolic(le(ranges.COST.lhs, ranges.COST.rhs / 2), given=ranges.TWICE),
            *symbolic(ranges.COST, given=ranges.TWICE[1:]),
            *symbolic(le(ranges.RANGE.lhs, ranges.share / 2), given=ranges.CLOSE),
            *symbolic(ranges.RANGE, given=ranges.CLOSE[1:]),
            *symbolic(ranges.CHORD, given=ranges.BETWEEN[2:]),
        ),
        (NAMES[0], "the noisy counts"): (
            *symbolic(le(largest / 2, counts.part * counts.budget / 4), given=counts.ALL),
            *symbolic(le(2 * squares, counts.part * counts.rho), given=counts.ALL_SQUARES),
            *symbolic(counts.GAUSSIAN, given=(le(sp.Symbol("S", nonnegative=True), 4 * counts.number),)),
        ),
        (NAMES[0], "all steps"): (
            *symbolic(le(2 * tree._lost, tree._parts * counts.rho), given=of_tables[0], where=of_tables[1]),
            *symbolic(le(tree._lost, tree._parts * counts.rho), given=of_tables[0][1:], where=of_tables[1]),
            *symbolic(tree._CHOICES, given=double),
            *symbolic(tree._total(counts.rho), given=tree._within(counts.rho)[:-1]),
            *symbolic(tree._total(counts.rho / 2), given=tree._within(counts.rho)),
        ),
        (NAMES[0], "an epsilon and a delta"): (
            *symbolic(le(from_rho.LARGEST.lhs, -sp.Rational(1, 10)), given=from_rho.LOGARITHMS),
            *symbolic(eq(sp.expand_log(from_rho._REACHED), sp.log(from_rho._delta / 2))),
        ),
        (NAMES[1], "the score of a pair"): symbolic(le(2 * adaptive._ONE_CELL.lhs, adaptive._ONE_CELL.rhs)),
        (NAMES[1], "the cost of a round"): symbolic(adaptive._ROUND, given=adaptive._NOISE[1:]),
        (NAMES[1], "rounds that depend on earlier outputs"): (
            *symbolic(adaptive._ONE_MORE, given=adaptive._PRODUCT[:2]),
            *symbolic(le(2 * adaptive._AFTER.lhs, adaptive._AFTER.rhs), given=adaptive._ENOUGH),
        ),
    }


TWINS = twins()


@pytest.mark.parametrize("name", NAMES)
def test_the_claims_on_synthesizers_are_proved_by_engines_alone(entries, name):
    claim = entries[name].claim
    assert (entries[name].verdict, claim.prose) == (ProofVerdict.PROVED, ())
    assert all(part.linked for part in claim.parts)
    done, asked = claim.controls
    assert done == asked


@pytest.mark.parametrize("place", TWINS, ids=lambda place: f"{place[0]}: {place[1]}")
def test_the_steps_do_not_lead_to_a_false_formula(entries, place):
    name, title = place
    (part,) = (part for part in entries[name].claim.parts if part.title == title)
    for text in TWINS[place]:
        assert linked("twin", text, part.obligations).status is not Status.DISCHARGED, text


@pytest.mark.parametrize(
    ("relation", "given", "touching"),
    [
        (
            le(bounded_range.COST.lhs, bounded_range.COST.rhs * sp.Rational(3, 4)),
            bounded_range.TWICE,
            {
                sp.Symbol("mu", real=True): 2,
                sp.Symbol("h", real=True): 4,
                bounded_range.share: 4,
                bounded_range.excess: 1,
            },
        ),
        (
            le(noise_of_counts.GAUSSIAN.lhs, noise_of_counts.GAUSSIAN.rhs / 2),
            noise_of_counts.ALL_SQUARES,
            {
                sp.Symbol("S", nonnegative=True): 2,
                noise_of_counts.number: 2,
                noise_of_counts.part: sp.Rational(1, 2),
                noise_of_counts.rho: 1,
            },
        ),
    ],
    ids=["a smaller cost of a choice", "half of the cost of the counts"],
)
def test_a_step_with_a_smaller_cost_is_not_discharged(relation, given, touching):
    step = at_most("s", "", Inequality("s", relation.lhs, relation.rhs, given, touching=touching))
    assert [one.status for one in step.obligations] != [Status.DISCHARGED]


@pytest.mark.parametrize(("attributes", "chosen", "selection", "singles"), [(2, 1, 0.05, 0.55), (7, 9, 0.2, 0.3)])
def test_the_shipped_budget_is_that_of_the_claim(attributes, chosen, selection, singles):
    shares, sizes = shares_of(selection, singles), tuple(range(2, 2 + attributes))
    pure, concentrated = (make(0.5, sizes, chosen, shares) for make in (TreeBudget.of_epsilon, TreeBudget.of_rho))
    one, two, three = map(float, shares)
    assert pure.choice == pytest.approx(one * 0.5 / chosen)
    assert concentrated.choice**2 == pytest.approx(8 * one * 0.5 / chosen)
    # Laplace noise of scale 2 / (w epsilon), and Gaussian noise of variance 1 / (w rho), for parts w of a share.
    for share, scales in ((two, pure.singles), (three, pure.pairs(range(4, 4 + chosen)))):
        assert sum(2 / (0.5 * scale) for scale in scales) == pytest.approx(share)
    for share, scales in ((two, concentrated.singles), (three, concentrated.pairs(range(4, 4 + chosen)))):
        assert sum(1 / (0.5 * scale**2) for scale in scales) == pytest.approx(share)


def test_the_epsilon_of_the_claim_is_that_of_the_conversion():
    rho, delta = 0.1, 1e-6
    by_claim = from_rho._EPSILON.subs({from_rho._rho: rho, from_rho._delta: delta})
    least = min(float(by_claim.subs(bounded_range.excess, sp.Rational(place, 10))) for place in range(1, 400))
    assert converted_epsilon(rho, delta) == pytest.approx(least, rel=1e-3)
