"""The figures of the thesis's chapter 3 on synthetic data: stand-ins, cross entropies, files and verdicts."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from experiments.tables.algorithms import (
    GREEDY,
    INDEPENDENT,
    PRIVATE,
    STATISTICS,
    greedy,
    independent,
    sufficient_statistics,
)
from experiments.tables.counted import Cells, cross_entropy
from experiments.tables.figure import Curves, Difference, Point
from experiments.tables.synthetic import (
    ENTROPY,
    FIGURES,
    Scale,
    figure_3_4,
    figure_3_5,
    figure_3_6,
    figure_3_7,
    measure,
    truth_of,
)
from experiments.toolkit.results import Request
from experiments.toolkit.sentence import ReproductionVerdict


@pytest.mark.parametrize("name", ["chain", "star"])
def test_greedy_networks_of_the_exact_distribution_of_a_tree_lose_nothing(name: str) -> None:
    truth = truth_of(name)
    sites = Cells(1e9 * np.stack([truth, truth]))
    assert cross_entropy(truth, greedy(sites, 1).probabilities()) == pytest.approx(ENTROPY, abs=1e-6)
    assert cross_entropy(truth, independent(sites).probabilities()) > ENTROPY + 0.1
    vast = sufficient_statistics(sites, 1e6, 1, np.random.default_rng(1))
    assert cross_entropy(truth, vast.probabilities()) == pytest.approx(ENTROPY, abs=1e-6)


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


def test_a_rise_is_taken_over_all_pairs_of_points_in_each_panel() -> None:
    figure, names = FIGURES["thesis-3.7"], ("chain", "star")
    measured = {(name, point, STATISTICS): np.arange(3.0) + point.degree for name in names for point in figure.points}
    (worsens, *_) = figure.stated
    found = worsens.differences(Curves(figure, names, measured))
    assert [(one.mean, one.where.split(",")[0]) for one in found] == [(1.0, "chain")] * 4 + [(1.0, "star")] * 4


def test_enough_runs_decide_that_the_independent_model_is_better_at_a_small_budget() -> None:
    points, scale = (Point(0.01, 3, 1), Point(1.0, 3, 1)), Scale(rows=4000, repetitions=12, stand_ins=("star",))
    curves = (INDEPENDENT, GREEDY, *PRIVATE)
    measured = measure(points, curves, scale, Request(names=(), folder=Path(), seed=1))
    figure = replace(FIGURES["thesis-3.4"], points=points)
    verdicts = {one.sentence.id: one.verdict for one in figure.judged(measured, scale.stand_ins, 0.05)}
    assert verdicts["thesis-3.4.independent"] is ReproductionVerdict.NOT_REPRODUCED
    assert verdicts["thesis-3.4.learns"] is ReproductionVerdict.REPRODUCED
