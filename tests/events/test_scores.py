"""Scores and trees, written down and learned."""

from __future__ import annotations

import builtins
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import laplace, norm

from pan_audits.events import (
    LIKELIHOOD_RATIO,
    Event,
    Polynomial,
    Score,
    Table,
    betting_objective,
    bound_objective,
    learn_events,
    learn_score,
    with_scores,
)
from pan_audits.events.learner import MOST_COLUMNS, promising_columns
from pan_audits.events.training import _modelled, _trees, fitted_scores, learn_scores
from pan_audits.events.trees import TreeScore, bounded, step_tree
from pan_audits.judging.reading import Field
from pan_audits.notions import notion_of
from pan_audits.statistics import MOST_HIGH, event_rho_bound, rho_of_event
from pan_audits.workers.limits import one_thread
from pan_promises.errors import InputError
from tests.auditing.concentrated import promised

RHO = notion_of(promised(0.5))
LINEAR = Polynomial("learned score", (((), -0.5), (("output",), 2.0)))
SCORE = Score("learned score", 0.5, 0.25, -1.0, 2.0, (LINEAR,))


def table(values, name="output"):
    return Table((name,), np.asarray(values, dtype=np.float64)[:, None])


def normal(seed, rho, runs):
    generator, shift = np.random.default_rng(seed), math.sqrt(2 * rho)
    return table(generator.normal(shift, 1, runs)), table(generator.normal(0, 1, runs))


def test_a_score_is_a_line_that_is_cut_to_its_limits():
    assert SCORE(table([0.0, 0.5, 100.0, -100.0])) == pytest.approx([0.0, 0.5, 2.0, -1.0])
    assert SCORE.features == {"output"}
    assert SCORE.describe() == (
        "0.5 times the learned score +0.25, cut to -1 .. 2, where the learned score is -0.5 +2 output"
    )


@given(st.lists(st.floats(), min_size=1, max_size=20))
def test_every_number_and_a_missing_column_have_a_value_within_the_limits(values):
    for one in (table(values), table(values, "other")):
        found = SCORE(one)
        assert ((found >= SCORE.low) & (found <= SCORE.high)).all()


def test_a_score_is_read_as_it_was_written():
    assert Score.from_dict(json.loads(json.dumps(SCORE.to_dict()))) == SCORE


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"low": -MOST_HIGH - 1}, "low: must be a number from -30 to 30"),
        ({"high": -2.0}, "high: must be a number from -1 to 30"),
        ({"scale": "1"}, "scale: must be a finite number"),
        ({"derived": [{"kind": "unknown"}]}, "derived"),
    ],
)
def test_a_document_that_is_no_score_is_refused(change, words):
    with pytest.raises(InputError, match=words):
        Score.from_dict(json.loads(json.dumps(SCORE.to_dict() | change)))


def test_a_learned_score_of_normal_noise_bounds_rho_on_fresh_runs():
    rho, runs = 0.5, 20_000
    learned = learn_score(*normal(1, rho, 8000), runs=runs, error=1e-6)
    bound = learned.lower_bound(*(learned.score(side) for side in normal(2, rho, runs)), error=1e-6)
    assert 0.8 * rho < bound < rho
    # The values of the same runs on the wrong sides show nothing.
    swapped = [learned.score(side) for side in normal(2, rho, runs)][::-1]
    assert learned.lower_bound(*swapped, error=1e-6) == 0.0


def test_an_exact_likelihood_ratio_is_the_score():
    rho, runs = 0.5, 4000
    sides = [
        table(math.sqrt(2 * rho) * side.column("output") - rho, LIKELIHOOD_RATIO) for side in normal(3, rho, 2 * runs)
    ]
    learned = learn_score(*(side.rows(0, runs) for side in sides), runs=runs, error=1e-3)
    assert learned.score.column == LIKELIHOOD_RATIO
    assert 0.7 * rho < learned.lower_bound(*(learned.score(s.rows(runs, 2 * runs)) for s in sides), error=1e-3) < rho


def test_too_few_runs_and_a_constant_column_give_no_score():
    assert learn_score(*normal(4, 0.5, 100), runs=100, error=0.1) is None
    flat = table(np.zeros(1000))
    assert learn_score(flat, flat, runs=1000, error=0.1) is None


def test_heavy_tails_give_a_score_within_the_limits():
    generator = np.random.default_rng(5)
    sides = [table(shift + generator.standard_cauchy(3000)) for shift in (3.0, 0.0)]
    learned = learn_score(*sides, runs=3000, error=1e-3)
    assert -MOST_HIGH <= learned.score.low < learned.score.high <= MOST_HIGH
    assert learned.worth > 0


def test_the_objective_orders_events_by_their_bounds():
    """A rare event that occurs on one side alone is worth more than a likely event of a small loss."""
    runs = 100_000
    objective = RHO.objective(runs, 5.0, 0.0)
    counts = [(1000.0, 0.0), (52_000.0, 48_000.0), (48_000.0, 52_000.0)]
    worth = objective(*(np.array(side) for side in zip(*counts, strict=True)), runs)
    assert worth[0] > worth[1] > 0 > worth[2]
    for (x, y), expected in zip(counts[:2], worth, strict=False):
        assert event_rho_bound(int(x), runs, int(y), runs, error=5e-7)[0] == pytest.approx(expected, rel=0.35)


def test_the_event_with_the_largest_rho_is_learned():
    generator, runs = np.random.default_rng(6), 8000
    rare = [np.where(generator.random(runs) < 0.01, 5.0 + place, generator.random(runs)) for place in (0, 1)]
    with one_thread():
        best, _ = learn_events(*map(table, rare), RHO.objective(runs, 5.0))
    p, q = (float(best.event(table(side)).mean()) for side in rare)
    assert (p > 0.005 and q < 1e-4) or (p > 0.98 and q < 0.995)
    assert rho_of_event(p, max(q, 1e-4))[0] > 0.2


OBJECTIVE = bound_objective(20_000, 0.0, 2.0)
PLAINLY = bound_objective(20_000, 0.0, 2.0, caution=2.5)


def product_of_signs(seed, runs, columns=2):
    """Normal numbers; the product of their signs is positive with 3/4 on the left, with 1/4 on the right."""
    generator = np.random.default_rng(seed)
    tables = []
    for chance in (0.75, 0.25):
        values = generator.normal(size=(runs, columns))
        wanted = np.where(generator.random(runs) < chance, 1, -1)
        values[:, 0] = np.abs(values[:, 0]) * wanted * np.sign(values[:, 1:]).prod(axis=1)
        tables.append(Table(tuple(f"output[{place}]" for place in range(columns)), values))
    return tables


@pytest.fixture(scope="module")
def learned():
    return learn_scores(*product_of_signs(1, 6000), PLAINLY, ())[0]


def frequencies(event, seed=2):
    return [event(table).mean() for table in product_of_signs(seed, 20_000)]


def test_a_product_of_signs_is_learned_by_trees_and_not_by_one_column(learned):
    ours, theirs = frequencies(learned.event)
    assert np.log(ours / theirs) > 0.9
    single = learn_scores(*product_of_signs(1, 6000), PLAINLY, (), fitted=False)[0]
    ours, theirs = frequencies(single.event)
    assert np.log(ours / theirs) < 0.3


def test_the_event_of_a_score_reads_back_from_json(learned):
    again = Event.from_dict(json.loads(json.dumps(learned.event.to_dict())))
    assert again == learned.event
    assert learned.event.derived[-1].to_dict()["kind"] == "tree score"
    for table in product_of_signs(3, 500):
        assert (again(table) == learned.event(table)).all()


def test_missing_and_infinite_numbers_are_scored_as_scikit_learn_scores_them():
    left, right = product_of_signs(4, 3000)
    for table in (left, right):
        table.values[::7, 0] = np.nan
        table.values[::11, 1] = np.inf
    score = _trees(left, right)
    assert isinstance(score, TreeScore)
    assert np.isfinite(score(left)).all()


def test_without_scikit_learn_there_are_no_trees(monkeypatch):
    real = builtins.__import__

    def without(name, *rest, **more):
        if name.startswith("sklearn"):
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    found = learn_scores(*product_of_signs(1, 2000), PLAINLY, ())
    assert found is not None
    assert all("kind" not in definition.to_dict() for definition in found[0].event.derived)


def test_a_tree_that_leads_back_is_refused(learned):
    document = learned.event.derived[-1].to_dict()
    tree = next(tree for tree in document["trees"] if tree[0][0] >= 0)
    tree[0][3] = 0
    with pytest.raises(InputError, match=r"trees\[\d+\]\[0\]\[3\]"):
        TreeScore.from_field(Field(document))


def test_the_threshold_is_chosen_on_runs_to_which_the_score_was_not_fitted():
    """On equal streams a score fits noise. On the runs it was fitted to, its event would seem to show a loss."""
    generator = np.random.default_rng(5)
    names = tuple(f"output[{place}]" for place in range(6))
    left, right = (Table(names, generator.normal(size=(4000, 6))) for _ in range(2))
    found = learn_scores(left, right, PLAINLY, ())
    score = _trees(left, right)
    seen = score(left), score(right)
    cheating = np.log((seen[0] > 0).mean() / (seen[1] > 0).mean())
    assert cheating > 0.1
    assert max(one.worth for one in found) < 0.05


def test_an_event_that_nearly_always_happens_is_no_event_that_shows_a_loss():
    generator = np.random.default_rng(6)
    left, right = (Table(("output",), generator.integers(0, 6, size=(2000, 1)).astype(float)) for _ in range(2))
    objective = bound_objective(1000, 0.0, 4.0, epsilon=0.1)
    for event in (learn_events(left, right, objective)[0].event, learn_events(right, left, objective)[0].event):
        assert event(left).mean() < 0.95


def test_many_columns_are_screened_by_their_difference():
    generator = np.random.default_rng(7)
    names = tuple(f"output[{place}]" for place in range(300))
    left, right = (Table(names, generator.normal(size=(1000, 300))) for _ in range(2))
    left.values[:, 257] += 1
    kept, _ = promising_columns(left, right)
    assert len(kept.names) == MOST_COLUMNS
    assert "output[257]" in kept.names


def test_a_score_of_one_column_is_a_step_function_with_the_numbers_of_its_trees():
    generator = np.random.default_rng(5)
    left, right = (Table(("output",), shift + generator.laplace(size=(3000, 1))) for shift in (1.0, 0.0))
    score = _trees(left, right)
    cuts = [node.threshold for tree in score.trees for node in tree if node.column == 0]
    values = np.array([*cuts, *np.nextafter(cuts, np.inf), *left.values[:500, 0], -np.inf, np.inf, np.nan])[:, None]
    assert len(cuts) > 3
    assert np.array_equal(score(Table(("output",), values)), score._total(bounded(values)))


def test_the_choice_of_a_threshold_has_little_random_error():
    """All events above a limit have one loss. By the counts alone, a rare event of the tail is best by chance."""
    chosen_by, runs = bound_objective(100_000, 0.0, 2.0, caution=1.0), 20_000
    expected = bound_objective(100_000, 0.0, 2.0, caution=0.0)
    worth = {None: [], expected: []}
    for seed in range(12):
        generator = np.random.default_rng(seed)
        left, right = (Table(("output",), shift + generator.laplace(size=(runs, 1))) for shift in (0.25, 0.0))
        for steadied, found in worth.items():
            event = learn_scores(left, right, chosen_by, (), fitted=False, steadied=steadied)[0].event
            (condition,) = event.conditions
            x, y = (laplace.sf(condition.value - shift) for shift in (0.25, 0.0))
            found.append(expected(np.array([runs * x]), np.array([runs * y]), runs)[0])
    assert np.mean(worth[expected]) > 1.2 * np.mean(worth[None])
    assert min(worth[expected]) > 0.95 * max(worth[expected])


def test_the_odds_of_rare_events_have_little_random_error_where_the_score_is_fitted_well():
    """Scores of normal distributions: their log-odds are linear. About 100 runs a side are above the last limit."""
    limits, errors = np.array([1.0, 2.0, 2.4]), {"counted": [], "modelled": []}
    for seed in range(20):
        generator = np.random.default_rng(seed)
        ours, theirs = (generator.normal(mean, size=10_000) for mean in (0.1, -0.1))
        truth = norm.logsf(limits, 0.1) - norm.logsf(limits, -0.1)
        counts = [np.array([(side <= limit).sum() for limit in limits]) for side in (ours, theirs)]
        for name, (x, y) in (("counted", counts), ("modelled", _modelled(ours, theirs, limits))):
            errors[name].append(np.log((10_000 - x) / (10_000 - y)) - truth)
    counted, modelled = (np.sqrt(np.mean(np.square(found), axis=0)) for found in errors.values())
    assert (modelled < 0.85 * counted).all()
    assert modelled[-1] < 0.65 * counted[-1]


def test_the_odds_of_equal_scores_are_even():
    same = np.zeros(2000)
    assert all(np.allclose(side, [0, 2000]) for side in _modelled(same, same, np.array([-1.0, 0.0])))


def test_both_directions_are_worth_what_their_counts_say():
    """An event that stays although a score was tried is measured on the same runs as the score."""
    generator = np.random.default_rng(8)
    left, right = (Table(("output",), (generator.random((30_000, 1)) < chance) * 1.0) for chance in (0.05, 0.02))
    scores = bound_objective(100_000, 0.0, 2.0, caution=1.0)
    for found in learn_events(left, right, bound_objective(100_000, 0.0, 6.0), scores=scores):
        x, y = np.array([found.left]), np.array([found.right])
        assert found.runs > 8192
        assert found.worth == pytest.approx(float(scores(x, y, found.runs)[0]))


def test_known_events_stay_where_no_score_is_worth_more():
    left, right = product_of_signs(6, 3000)
    nothing = learn_events(left, left, betting_objective(0.1, 0.0))
    found = with_scores(left, right, nothing, betting_objective(0.1, 0.0, 2.0))
    assert found[0].worth > nothing[0].worth
    assert "learned score" in found[0].event.describe()
    same = with_scores(left, left, nothing, betting_objective(0.1, 0.0, 2.0))
    assert [one.event for one in same] == [one.event for one in nothing]
    ratio = [table.with_column(LIKELIHOOD_RATIO, table.values[:, 0]) for table in (left, right)]
    assert with_scores(*ratio, nothing, PLAINLY) == nothing


@pytest.mark.parametrize("present", [0, 1, 3])
def test_a_column_with_a_few_numbers_ends_no_fit(present):
    generator = np.random.default_rng(0)

    def table(shift):
        rare = np.full(2000, np.nan)
        rare[:present] = 1.0
        return Table(("output", "rare"), np.column_stack([generator.normal(shift, 1, 2000), rare]))

    assert fitted_scores(table(0.0), table(1.0))


def score_of(left, right):
    return TreeScore("learned score", ("output",), (step_tree(left, right),))


def scores(score, values):
    return score(Table(("output",), np.asarray(values, dtype=np.float64)[:, None]))


def test_parity_of_four_hundred_numbers_is_learned():
    generator = np.random.default_rng(1)
    left, right = (2.0 * generator.integers(0, 200, 20_000) + (generator.random(20_000) < p) for p in (0.7, 0.3))
    found = scores(score_of(left, right), np.arange(400))
    wrong = (found > 0) != (np.arange(400) % 2 == 1)
    assert wrong.mean() < 0.02


def test_a_rare_narrow_interval_is_learned():
    generator = np.random.default_rng(2)
    left, right = (generator.laplace(size=32_768) for _ in range(2))
    left[::400] = 0.7 + 0.001 * generator.normal(size=left[::400].size)
    assert scores(score_of(left, right), [0.7])[0] > 1
    assert np.abs(scores(score_of(left, right), [-3.0, 0.0, 3.0])).max() < 0.3


def test_the_score_of_a_number_that_is_often_is_its_log_odds():
    left, right = np.repeat([0.0, 1.0, 2.0], [100, 600, 300]), np.repeat([0.0, 1.0, 2.0], [600, 100, 300])
    found = scores(score_of(left, right), [0, 1, 2])
    assert np.allclose(found, np.log([100.5 / 600.5, 600.5 / 100.5, 1.0]))


def test_equal_streams_have_no_score():
    for seed in range(20):
        generator = np.random.default_rng(seed)
        assert step_tree(generator.normal(size=5000), generator.normal(size=5000)) is None
    assert step_tree(np.ones(50), np.ones(50)) is None
    assert step_tree(np.full(50, np.nan), np.full(50, np.nan)) is None


def test_a_missing_number_has_a_score_of_its_own():
    generator = np.random.default_rng(3)
    left, right = (np.where(generator.random(3000) < p, np.nan, generator.normal(size=3000)) for p in (0.1, 0.3))
    score = score_of(left, right)
    counts = [np.isnan(side).sum() + 0.5 for side in (left, right)]
    assert np.isclose(scores(score, [np.nan])[0], np.log(counts[0] / counts[1]))
    assert (scores(score, [-1.0, 0.0, 1.0]) > 0).all()


def test_the_largest_tree_reads_back_from_its_document():
    generator = np.random.default_rng(4)
    left = np.repeat(np.arange(0.0, 1000.0, 2), 60)
    right = left + 1
    score = score_of(generator.permutation(left), generator.permutation(right))
    assert len(score.trees[0]) > 1000
    again = TreeScore.from_field(Field(json.loads(json.dumps(score.to_dict()))))
    assert again == score
    assert np.array_equal(scores(again, left), score._total(left[:, None]))
