"""The exact check of mechanisms on tables: exact losses, and broken ones with their witness tables."""

from __future__ import annotations

import math
from itertools import product

import pytest

from pan_audits.judging.verdict import Verdict
from pan_audits.problems.inputs.tables.tables import from_text
from pan_audits.reports.text import check_lines
from pan_estimators import create_estimator
from pan_estimators.randomness import NumpyRandomness
from pan_estimators.tables.privbayes import PrivBayes
from pan_estimators.tables.schema import binary
from pan_estimators.tables.structure import GreedyStructure, counts_of
from pan_estimators.tables.table import Table
from tests.mechanisms.tables.broken_choices import CHOICES
from tests.mechanisms.tables.broken_noise import NOISE
from tests.mechanisms.tables.broken_reading import READING
from tests.mechanisms.tables.correct import CORRECT
from tests.public.tables.broken import TWO, HalfTheScale, LargestScore, OneBudgetForEachChoice, checked

BROKEN = NOISE | READING | CHOICES
ROUNDED = ("randomised-rows", "geometric-count", "ratio-of-half-epsilon")
"""Mechanisms whose code rounds a probability or a ratio."""


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_mechanism_is_refuted_with_its_loss_and_two_tables(name):
    made, loss = BROKEN[name]
    result = checked(made, 2)
    assert (result.verdict, result.exact) == (Verdict.REFUTED, name not in ROUNDED)
    assert "The input is [" in result.minimal.describe()
    if loss is not None:
        assert result.loss.unbounded is math.isinf(loss)
        assert math.isinf(loss) or result.loss.nats == pytest.approx(loss, rel=1e-12)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.more] * (name == "clipped-histogram")) for name in CORRECT]
)
def test_a_correct_mechanism_is_not_refuted(name):
    result = checked(CORRECT[name], 2)
    assert (result.verdict, result.exact) == (Verdict.NOT_REFUTED, name not in ROUNDED)
    assert result.loss.nats <= 1 + 1e-9


def probabilities(mechanism, rows):
    """The distribution of the structure in doubles, by all ways of the choices."""
    table = Table.of(rows, mechanism.schema)
    found = {((0, ()),): 1.0}
    for _ in range(len(mechanism.schema.attributes) - 1):
        after = {}
        for structure, probability in found.items():
            candidates = mechanism.candidates([place for place, _ in structure])
            scores = [float(mechanism._score.value(counts_of(table, one))) for one in candidates]
            bounds = [float(mechanism._score.sensitivity(len(rows), *mechanism._shape(one))) for one in candidates]
            share = mechanism.epsilon / (len(mechanism.schema.attributes) - 1)
            weights = [math.exp(share * score / (2 * max(bounds))) if max(bounds) else 1.0 for score in scores]
            for one, weight in zip(candidates, weights, strict=True):
                after[(*structure, one)] = probability * weight / sum(weights)
        found = after
    return found


def worst_loss(mechanism, rows):
    """The largest loss of structure and counts together, by brute force in doubles."""
    every = list(product(list(product((0, 1), repeat=len(mechanism.schema.attributes))), repeat=rows))
    distributions = {table: probabilities(mechanism.structure, table) for table in every}
    worst = 0.0
    for table in every:
        for place, other in product(range(rows), range(len(every))):
            neighbour = (*table[:place], every[other][0], *table[place + 1 :])
            for structure, probability in distributions[table].items():
                scale = mechanism.joints(structure).scale
                pair = [Table.of(one, mechanism.schema) for one in (table, neighbour)]
                moved = sum(abs(counts_of(pair[0], choice) - counts_of(pair[1], choice)).sum() for choice in structure)
                loss = math.log(probability / distributions[neighbour][structure]) + moved / scale
                worst = max(worst, loss)
    return worst


@pytest.mark.parametrize("score", ["mutual-information", "F", "R"])
def test_the_loss_of_privbayes_is_that_of_structure_and_counts_together(score):
    result = checked("privbayes", 2, schema=TWO, score=score)
    expected = worst_loss(PrivBayes(schema=binary(2), score=score), 2)
    assert result.verdict is Verdict.NOT_REFUTED
    assert result.exact
    assert result.loss.nats == pytest.approx(expected, rel=1e-12)
    assert result.loss.nats < 1
    # Half of the budget is that of the counts, and one row changes them by the most.
    assert result.witness.parts == (pytest.approx(expected - 0.5, rel=1e-9), pytest.approx(0.5, rel=1e-12))
    assert f"{expected - 0.5:.6g} by the choices that the output shows, and 0.5 by" in result.witness.describe()


def test_noisy_joints_use_their_whole_budget_and_less_noise_is_refuted():
    kept, broken = checked("noisy-joints", 2, schema=TWO), checked(HalfTheScale, 2, schema=TWO)
    assert (kept.verdict, kept.loss.nats) == (Verdict.NOT_REFUTED, pytest.approx(1.0, rel=1e-14))
    assert (broken.verdict, broken.loss.nats) == (Verdict.REFUTED, pytest.approx(2.0, rel=1e-14))
    assert "The input is [[" in broken.minimal.describe()
    (worst,) = [text for label, text in check_lines(kept) if label == "worst"]
    assert worst == kept.witness.describe()
    assert [label for label, _ in check_lines(broken)].count("witness") == 1


def test_wrong_sensitivities_and_missing_noise_are_refuted_with_their_tables():
    wrong = checked(OneBudgetForEachChoice, 2, schema=TWO)
    assert wrong.verdict is Verdict.REFUTED
    greedy = GreedyStructure(schema=binary(2), epsilon=10.0)
    tables = [from_text(label) for label in ("[[0,0],[1,1]]", "[[0,0],[0,0]]")]
    distributions = [probabilities(greedy, table) for table in tables]
    by_hand = max(abs(math.log(distributions[0][one] / distributions[1][one])) for one in distributions[0])
    assert wrong.loss.nats >= by_hand - 1e-12 > 1
    for unbounded in (LargestScore, "printed-privbayes"):
        assert checked(unbounded, 2, schema=TWO).loss.unbounded


class Spends(NumpyRandomness):
    """A source that keeps the epsilon of each choice, and the scales of the noise."""

    def __init__(self):
        super().__init__(1)
        self.choices, self.scales = [], set()

    def exponential_mechanism(self, scores, epsilon, sensitivity):
        self.choices.append(epsilon)
        return super().exponential_mechanism(scores, epsilon, sensitivity)

    def laplace(self, location=0.0, scale=1.0, size=None):
        self.scales.add(scale)
        return super().laplace(location, scale, size)


@pytest.mark.parametrize("name", ["privbayes", "noisy-majority-vote"])
def test_choices_among_four_attributes_and_their_counts_spend_the_budget_together(name):
    source = Spends()
    create_estimator(name, schema=binary(4), epsilon=1.5, beta=0.25).release([(0, 0, 1, 1), (1, 0, 1, 0)], source)
    sites = 2 if name == "noisy-majority-vote" else 1
    assert sum(source.choices) == pytest.approx(sites * 0.25 * 1.5)
    assert [4 * 2 / scale for scale in source.scales] == pytest.approx([0.75 * 1.5])
