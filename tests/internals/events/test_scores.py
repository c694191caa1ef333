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
from pan_promises.promise import Promise

RHO = notion_of(Promise.parse("rho=0.5,adjacency=given,observed=output,intrusions=0"))
LINEAR = Polynomial("learned score", (((), -0.5), (("output",), 2.0)))
SCORE = Score("learned score", 0.5, 0.25, -1.0, 2.0, (LINEAR,))
PLAINLY = bound_objective(20_000, 0.0, 2.0, caution=2.5)


def table(values, name="output"):
    return Table((name,), np.asarray(values, dtype=np.float64).reshape(-1, 1))


def names(columns):
    return tuple(f"output[{place}]" for place in range(columns))


def plain(document):
    return json.loads(json.dumps(document.to_dict()))


def normal(seed, rho, runs):
    generator, shift = np.random.default_rng(seed), math.sqrt(2 * rho)
    return table(generator.normal(shift, 1, runs)), table(generator.normal(0, 1, runs))


@given(st.lists(st.floats(), min_size=1, max_size=20))
def test_a_score_is_a_line_that_is_cut_to_its_limits(values):
    assert SCORE(table([0.0, 0.5, 100.0, -100.0])) == pytest.approx([0.0, 0.5, 2.0, -1.0])
    for one in (table(values), table(values, "other")):
        found = SCORE(one)
        assert ((found >= SCORE.low) & (found <= SCORE.high)).all()
    assert Score.from_dict(plain(SCORE)) == SCORE


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
        Score.from_dict(plain(SCORE) | change)


def test_a_learned_score_of_normal_noise_bounds_rho_on_fresh_runs():
    rho, runs = 0.5, 20_000
    learned = learn_score(*normal(1, rho, 8000), runs=runs, error=1e-6)
    values = [learned.score(side) for side in normal(2, rho, runs)]
    assert 0.8 * rho < learned.lower_bound(*values, error=1e-6) < rho
    # The values of the same runs on the wrong sides show nothing.
    assert learned.lower_bound(*values[::-1], error=1e-6) == 0.0


def test_an_exact_likelihood_ratio_is_the_score():
    rho, runs = 0.5, 4000
    sides = [
        table(math.sqrt(2 * rho) * side.column("output") - rho, LIKELIHOOD_RATIO) for side in normal(3, rho, 2 * runs)
    ]
    learned = learn_score(*(side.rows(0, runs) for side in sides), runs=runs, error=1e-3)
    assert learned.score.column == LIKELIHOOD_RATIO
    assert 0.7 * rho < learned.lower_bound(*(learned.score(s.rows(runs, 2 * runs)) for s in sides), error=1e-3) < rho


def test_too_few_runs_and_constants_give_no_score_and_heavy_tails_one_within_the_limits():
    flat, generator = table(np.zeros(1000)), np.random.default_rng(5)
    assert learn_score(*normal(4, 0.5, 100), runs=100, error=0.1) is None
    assert learn_score(flat, flat, runs=1000, error=0.1) is None
    sides = [table(shift + generator.standard_cauchy(3000)) for shift in (3.0, 0.0)]
    learned = learn_score(*sides, runs=3000, error=1e-3)
    assert -MOST_HIGH <= learned.score.low < learned.score.high <= MOST_HIGH
    assert learned.worth > 0


def test_the_objective_orders_events_by_their_bounds():
    """A rare event that occurs on one side alone is worth more than a likely event of a small loss."""
    runs, x, y = 100_000, np.array([1000.0, 52_000.0, 48_000.0]), np.array([0.0, 48_000.0, 52_000.0])
    worth = RHO.objective(runs, 5.0, 0.0)(x, y, runs)
    assert worth[0] > worth[1] > 0 > worth[2]
    for place in (0, 1):
        bound = event_rho_bound(int(x[place]), runs, int(y[place]), runs, error=5e-7)[0]
        assert bound == pytest.approx(worth[place], rel=0.35)


def test_the_event_with_the_largest_rho_is_learned():
    generator, runs = np.random.default_rng(6), 8000
    rare = [np.where(generator.random(runs) < 0.01, 5.0 + place, generator.random(runs)) for place in (0, 1)]
    with one_thread():
        best, _ = learn_events(*map(table, rare), RHO.objective(runs, 5.0))
    p, q = (float(best.event(table(side)).mean()) for side in rare)
    assert (p > 0.005 and q < 1e-4) or (p > 0.98 and q < 0.995)
    assert rho_of_event(p, max(q, 1e-4))[0] > 0.2


def product_of_signs(seed, runs):
    """Two normal numbers; the product of their signs is positive with 3/4 on the left, with 1/4 on the right."""
    generator, tables = np.random.default_rng(seed), []
    for chance in (0.75, 0.25):
        values = generator.normal(size=(runs, 2))
        wanted = np.where(generator.random(runs) < chance, 1, -1)
        values[:, 0] = np.abs(values[:, 0]) * wanted * np.sign(values[:, 1])
        tables.append(Table(names(2), values))
    return tables


@pytest.fixture(scope="module")
def learned():
    return learn_scores(*product_of_signs(1, 6000), PLAINLY, ())[0]


def test_a_product_of_signs_is_learned_by_trees_and_not_by_one_column(learned):
    single = learn_scores(*product_of_signs(1, 6000), PLAINLY, (), fitted=False)[0]
    ours, theirs = (
        math.log(np.divide(*(one.event(side).mean() for side in product_of_signs(2, 20_000))))
        for one in (learned, single)
    )
    assert ours > 0.9 > 0.3 > theirs
    again = Event.from_dict(plain(learned.event))
    assert again == learned.event
    assert learned.event.derived[-1].to_dict()["kind"] == "tree score"
    for side in product_of_signs(3, 500):
        assert (again(side) == learned.event(side)).all()


def test_missing_and_infinite_numbers_are_scored_as_scikit_learn_scores_them():
    left, right = product_of_signs(4, 3000)
    for side in (left, right):
        side.values[::7, 0] = np.nan
        side.values[::11, 1] = np.inf
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
    left, right = (Table(names(6), generator.normal(size=(4000, 6))) for _ in range(2))
    score = _trees(left, right)
    assert np.log((score(left) > 0).mean() / (score(right) > 0).mean()) > 0.1
    assert max(one.worth for one in learn_scores(left, right, PLAINLY, ())) < 0.05


def test_an_event_that_nearly_always_happens_is_no_event_that_shows_a_loss():
    generator = np.random.default_rng(6)
    left, right = (table(generator.integers(0, 6, 2000)) for _ in range(2))
    objective = bound_objective(1000, 0.0, 4.0, epsilon=0.1)
    for sides in ((left, right), (right, left)):
        assert learn_events(*sides, objective)[0].event(left).mean() < 0.95


def test_many_columns_are_screened_by_their_difference():
    generator = np.random.default_rng(7)
    left, right = (Table(names(300), generator.normal(size=(1000, 300))) for _ in range(2))
    left.values[:, 257] += 1
    kept, _ = promising_columns(left, right)
    assert len(kept.names) == MOST_COLUMNS
    assert "output[257]" in kept.names


def test_a_score_of_one_column_is_a_step_function_with_the_numbers_of_its_trees():
    generator = np.random.default_rng(5)
    left, right = (table(shift + generator.laplace(size=3000)) for shift in (1.0, 0.0))
    score = _trees(left, right)
    cuts = [node.threshold for tree in score.trees for node in tree if node.column == 0]
    values = np.array([*cuts, *np.nextafter(cuts, np.inf), *left.values[:500, 0], -np.inf, np.inf, np.nan])
    assert len(cuts) > 3
    assert np.array_equal(score(table(values)), score._total(bounded(values[:, None])))


def test_the_choice_of_a_threshold_has_little_random_error():
    """All events above a limit have one loss. By the counts alone, a rare event of the tail is best by chance."""
    chosen_by, runs = bound_objective(100_000, 0.0, 2.0, caution=1.0), 20_000
    expected = bound_objective(100_000, 0.0, 2.0, caution=0.0)
    worth = {None: [], expected: []}
    for seed in range(12):
        generator = np.random.default_rng(seed)
        left, right = (table(shift + generator.laplace(size=runs)) for shift in (0.25, 0.0))
        for steadied, found in worth.items():
            event = learn_scores(left, right, chosen_by, (), fitted=False, steadied=steadied)[0].event
            (condition,) = event.conditions
            x, y = (np.array([runs * laplace.sf(condition.value - shift)]) for shift in (0.25, 0.0))
            found.append(expected(x, y, runs)[0])
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
    same = np.zeros(2000)
    assert all(np.allclose(side, [0, 2000]) for side in _modelled(same, same, np.array([-1.0, 0.0])))


def test_both_directions_are_worth_what_their_counts_say():
    """An event that stays although a score was tried is measured on the same runs as the score."""
    generator = np.random.default_rng(8)
    left, right = (table(generator.random(30_000) < chance) for chance in (0.05, 0.02))
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
    ratio = [side.with_column(LIKELIHOOD_RATIO, side.values[:, 0]) for side in (left, right)]
    assert with_scores(*ratio, nothing, PLAINLY) == nothing


@pytest.mark.parametrize("present", [0, 1, 3])
def test_a_column_with_a_few_numbers_ends_no_fit(present):
    generator, sides = np.random.default_rng(0), []
    for shift in (0.0, 1.0):
        rare = np.full(2000, np.nan)
        rare[:present] = 1.0
        sides.append(Table(("output", "rare"), np.column_stack([generator.normal(shift, 1, 2000), rare])))
    assert fitted_scores(*sides)


def steps(left, right):
    """The score of one column by a single tree, as a function of numbers."""
    score = TreeScore("learned score", ("output",), (step_tree(left, right),))
    return score, lambda values: score(table(values))


def test_parity_of_four_hundred_numbers_is_learned():
    generator = np.random.default_rng(1)
    left, right = (2.0 * generator.integers(0, 200, 20_000) + (generator.random(20_000) < p) for p in (0.7, 0.3))
    wrong = (steps(left, right)[1](np.arange(400)) > 0) != (np.arange(400) % 2 == 1)
    assert wrong.mean() < 0.02


def test_a_rare_narrow_interval_is_learned():
    generator = np.random.default_rng(2)
    left, right = (generator.laplace(size=32_768) for _ in range(2))
    left[::400] = 0.7 + 0.001 * generator.normal(size=left[::400].size)
    found = steps(left, right)[1]([0.7, -3.0, 0.0, 3.0])
    assert found[0] > 1
    assert np.abs(found[1:]).max() < 0.3


def test_the_score_of_a_number_that_is_often_is_its_log_odds_and_a_missing_one_has_its_own():
    left, right = np.repeat([0.0, 1.0, np.nan], [100, 600, 300]), np.repeat([0.0, 1.0, np.nan], [600, 100, 300])
    found = steps(left, right)[1]([0, 1, np.nan])
    assert np.allclose(found, np.log([100.5 / 600.5, 600.5 / 100.5, 1.0]))


def test_equal_streams_have_no_score():
    for seed in range(20):
        generator = np.random.default_rng(seed)
        assert step_tree(generator.normal(size=5000), generator.normal(size=5000)) is None
    for constant in (1.0, np.nan):
        assert step_tree(np.full(50, constant), np.full(50, constant)) is None


def test_the_largest_tree_reads_back_from_its_document():
    generator, left = np.random.default_rng(4), np.repeat(np.arange(0.0, 1000.0, 2), 60)
    score, scores = steps(generator.permutation(left), generator.permutation(left + 1))
    assert len(score.trees[0]) > 1000
    assert TreeScore.from_field(Field(plain(score))) == score
    assert np.array_equal(scores(left), score._total(left[:, None]))
