"""The figures of the thesis's chapter 3 on the Diabetes records: counts of pairs, rows of networks, files, verdicts."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from experiments.tables.algorithms import (
    GREEDY,
    MODEL,
    STATISTICS,
    TIES,
    VOTE,
    majority_vote,
    privbayes,
    sufficient_statistics,
)
from experiments.tables.counted import Cells, Pairs
from experiments.tables.diabetes import (
    BUDGETS,
    EXPECTED,
    LOCAL,
    NAME,
    SHARE,
    SHARE_BINARY,
    SHARE_SEVEN,
    SITES,
    SMALL_SITES,
    ZERO_MEAN,
    Splits,
    figure_3_8,
    figure_3_9,
)
from experiments.tables.figure import Figure, Point
from experiments.toolkit.results import Request
from experiments.toolkit.sentence import ReproductionVerdict

SIZES = (2, 3, 4)


def _tables(sites: int = 3) -> tuple[Pairs, Cells, np.ndarray]:
    random = np.random.default_rng(3)
    first = random.integers(0, 2, 90)
    codes = np.stack([first, (first + random.integers(0, 2, 90)) % 3, random.integers(0, 4, 90)])
    of = np.arange(90) % sites
    counts = np.zeros((sites, *SIZES))
    np.add.at(counts, (of, *codes), 1)
    return Pairs.of(codes, SIZES, of), Cells(counts), codes


@pytest.mark.parametrize("algorithm", [privbayes, sufficient_statistics, majority_vote])
def test_an_algorithm_learns_the_same_network_of_pairs_as_of_all_cells(algorithm: object) -> None:
    pairs, cells, _ = _tables()
    one, two = (algorithm(each, 5.0, 1, np.random.default_rng(4)) for each in (pairs, cells))  # type: ignore[operator]
    assert one.structure == two.structure
    assert all(np.allclose(left, right) for left, right in zip(one.joints, two.joints, strict=True))


def _made(figure: Figure, values: dict[str, tuple[float, float]]) -> dict[str, ReproductionVerdict]:
    """The verdicts if each curve has one value at the first points, and another at the last."""
    if figure is BUDGETS:
        points = tuple(Point(epsilon, 3, 1) for epsilon in (0.01, 1.0, 1000.0))
    else:
        points = tuple(Point(0.1, sites, 1) for sites in (1, 2, 30))
    noise = np.random.default_rng(1).normal(0, 0.001, 20)
    measured = {
        (NAME, point, curve): (first if point is points[0] else last) + noise * (1 + place)
        for place, (curve, (first, last)) in enumerate(values.items())
        for point in points
    }
    return {one.sentence.id: one.verdict for one in replace(figure, points=points).judged(measured, (NAME,), 1e-3)}


def test_the_sentences_about_the_budget_follow_the_curves() -> None:
    as_printed = {
        STATISTICS: (90.0, 46.2),
        VOTE: (46.3, 46.1),
        TIES: (46.3, 46.1),
        MODEL: (80.0, 46.15),
        GREEDY: (46.0, 46.0),
        SHARE: (1.0, 0.5),
        SHARE_SEVEN: (0.5, 0.3),
        SHARE_BINARY: (0.5, 0.3),
    }
    assert set(_made(BUDGETS, as_printed).values()) == {ReproductionVerdict.REPRODUCED}
    turned = {STATISTICS: (46.0, 47.0), VOTE: (90.0, 48.0), TIES: (90.0, 48.0), SHARE_SEVEN: (2.0, 2.0)}
    turned[SHARE_BINARY] = turned[SHARE_SEVEN]
    found = _made(BUDGETS, as_printed | turned)
    assert set(found.values()) == {ReproductionVerdict.NOT_REPRODUCED}


def test_the_sentences_about_the_holders_follow_the_curves() -> None:
    as_printed = {
        STATISTICS: (90.0, 80.0),
        VOTE: (47.0, 47.1),
        TIES: (47.0, 47.1),
        MODEL: (50.0, 70.0),
        LOCAL: (50.0, 90.0),
        SMALL_SITES: (90.0, 70.0),
        ZERO_MEAN: (90.0, 80.0),
        EXPECTED: (70.0, 75.0),
    }
    found = _made(SITES, as_printed)
    wrong = {name for name, verdict in found.items() if verdict is not ReproductionVerdict.REPRODUCED}
    # A curve that falls neither rises nor stays.
    assert wrong == {"thesis-3.9.not-critical", "thesis-3.9.discussion-worsen"}
    turned = {name: (last, first) for name, (first, last) in as_printed.items()} | {
        VOTE: (80.0, 99.0),
        TIES: (80.0, 99.0),
    }
    found = _made(SITES, turned)
    kept = {name for name, verdict in found.items() if verdict is ReproductionVerdict.REPRODUCED}
    assert kept == {"thesis-3.9.discussion-worsen"}


@pytest.mark.slow
@pytest.mark.parametrize("figure", [figure_3_8, figure_3_9])
def test_a_figure_writes_its_files_and_judges_its_sentences(figure: object, tmp_path: Path) -> None:
    found = figure(Request(names=("any",), folder=tmp_path), scale=Splits(2, 1000))  # type: ignore[operator]
    assert all(path.exists() for path in found.files)
    (verdicts,) = (path for path in found.files if path.suffix == ".json")
    written = json.loads(verdicts.read_text())["sentences"]
    assert [one["verdict"] for one in written] == [str(one.verdict) for one in found.judgements]
    assert len(written) >= 7
