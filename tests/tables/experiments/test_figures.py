"""The figures of the thesis's chapter 3 on synthetic data: stand-ins, cross entropies, files and verdicts."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from experiments.tables.algorithms import greedy, independent, sufficient_statistics
from experiments.tables.contenders import ALGORITHMS, GREEDY, INDEPENDENT, PRIVATE, TREE, TREE_RHO, VOTE
from experiments.tables.counted import Cells, cross_entropy
from experiments.tables.figures import figure_3_4, figure_3_5, figure_3_6, figure_3_7
from experiments.tables.sentences import Difference, judged
from experiments.tables.study import ENTROPY, STRUCTURES, Point, Scale, measure, truth_of
from experiments.toolkit.request import Request
from experiments.toolkit.sentence import ReproductionVerdict


@pytest.mark.parametrize("name", STRUCTURES)
def test_a_stand_in_is_a_distribution_of_the_printed_entropy(name: str) -> None:
    truth = truth_of(name)
    assert truth.shape == (2, 2, 2, 2, 2, 2, 3)
    assert truth.sum() == pytest.approx(1)
    assert cross_entropy(truth, truth) == pytest.approx(ENTROPY, abs=1e-9)
    assert cross_entropy(np.full(truth.shape, 1 / 192), np.full(truth.shape, 1 / 192)) == pytest.approx(np.log2(192))


@pytest.mark.parametrize("name", ["chain", "star"])
def test_greedy_networks_of_the_exact_distribution_of_a_tree_lose_nothing(name: str) -> None:
    truth = truth_of(name)
    sites = Cells(1e9 * np.stack([truth, truth]))
    assert cross_entropy(truth, greedy(sites, 1).probabilities()) == pytest.approx(ENTROPY, abs=1e-6)
    assert cross_entropy(truth, independent(sites).probabilities()) > ENTROPY + 0.1
    vast = sufficient_statistics(sites, 1e6, 1, np.random.default_rng(1))
    assert cross_entropy(truth, vast.probabilities()) == pytest.approx(ENTROPY, abs=1e-6)


@pytest.mark.parametrize("curve", [TREE, TREE_RHO])
def test_the_calibrated_tree_of_all_rows_is_a_curve_and_leaves_the_others_as_they_are(curve: str) -> None:
    truth = truth_of("star")
    sites = Cells(np.stack([np.round(20_000 * truth)] * 2))
    model = ALGORITHMS[curve](sites, 20.0, 2, np.random.default_rng(1))
    assert {len(parents) for _, parents in model.structure} == {0, 1}
    assert cross_entropy(truth, model.probabilities()) == pytest.approx(ENTROPY, abs=0.02)
    points, scale = (Point(0.3, 3, 1),), Scale(rows=300, repetitions=2, stand_ins=("chain",))
    alone, beside = (measure(points, curves, scale, 3) for curves in ((VOTE,), (curve, VOTE)))
    assert (alone["chain", points[0], VOTE] == beside["chain", points[0], VOTE]).all()


def test_smoothing_keeps_the_cross_entropy_finite() -> None:
    truth = truth_of("chain")
    counts = np.zeros((1, *truth.shape))
    counts[0, 0, 0, 0, 0, 0, 0, 0] = 10
    model = independent(Cells(counts))
    assert cross_entropy(truth, model.probabilities(0.0)) == np.inf
    # Add-one smoothing of ten rows: 11/12 for a value of a binary attribute that all rows have.
    assert model.probabilities()[0, 0, 0, 0, 0, 0, 0] == pytest.approx((11 / 12) ** 6 * 11 / 13)


@pytest.mark.more
def test_the_number_of_processes_does_not_change_the_result() -> None:
    points, scale = (Point(0.1, 3, 1), Point(1.0, 2, 1)), Scale(rows=300, repetitions=2, stand_ins=("chain",))
    one, two = (measure(points, ("noisy mv",), scale, 3, jobs) for jobs in (1, 2))
    assert one.keys() == two.keys()
    assert all((one[key] == two[key]).all() for key in one)


def test_a_difference_is_decided_only_by_an_interval_on_one_side() -> None:
    values = np.array([0.9, 1.0, 1.1])
    assert Difference("", "", values, low=0.0).holds(0.01) is True
    assert Difference("", "", values, high=0.0).holds(0.01) is False
    assert Difference("", "", values, low=1.05).holds(0.01) is None


@pytest.mark.slow
@pytest.mark.parametrize("figure", [figure_3_4, figure_3_5, figure_3_6, figure_3_7])
def test_a_figure_writes_its_files_and_judges_its_sentences(figure: object, tmp_path: Path) -> None:
    scale = Scale(rows=2000, repetitions=2, stand_ins=("star",))
    found = figure(Request(names=("any",), folder=tmp_path), scale=scale)  # type: ignore[operator]
    assert all(path.exists() for path in found.files)
    (verdicts,) = (path for path in found.files if path.suffix == ".json")
    written = json.loads(verdicts.read_text())["sentences"]
    assert [one["verdict"] for one in written] == [str(one.verdict) for one in found.judgements]
    assert len(written) >= 3
    assert all("holds at" in one["effect"] for one in written)


def test_enough_runs_decide_that_the_independent_model_is_better_at_a_small_budget() -> None:
    points, scale = (Point(0.01, 3, 1), Point(1.0, 3, 1)), Scale(rows=4000, repetitions=12, stand_ins=("star",))
    curves = (INDEPENDENT, GREEDY, *PRIVATE)
    measured = measure(points, curves, scale, 1)
    verdicts = {one.sentence.id: one.verdict for one in judged("thesis-3.4", points, measured, scale.stand_ins, 0.05)}
    assert verdicts["thesis-3.4.independent"] is ReproductionVerdict.NOT_REPRODUCED
    assert verdicts["thesis-3.4.learns"] is ReproductionVerdict.REPRODUCED
