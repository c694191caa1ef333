"""Promises of other notions, adjacencies and looks: read, written, and never judged by a test of another notion."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pan_audits.notions import notion_of
from pan_audits.problems import judged
from pan_promises.errors import InputError
from pan_promises.notion import (
    converted_epsilon,
    converted_rho,
    epsilon_of_rho,
    rho_of_epsilon,
    rho_of_pure,
)
from pan_promises.problem import STREAM, Kind, Problem
from pan_promises.promise import Promise

TABLE = Problem.of_table({"smoker": [0, 1], "sex": ["f", "m"]}, rows=3)


@pytest.mark.parametrize(
    ("text", "notion"),
    [
        ("epsilon=1,adjacency=user-level", "pure"),
        ("epsilon=1,delta=0.01,adjacency=user-level", "approximate"),
        ("rho=0.5,adjacency=replace-row,observed=output,public=rows+schema", "zCDP"),
        ("rho=0.5,adjacency=item-level,observed=output,outputs=every", "zCDP"),
    ],
)
def test_a_promise_of_each_notion_is_read_and_written(text, notion):
    promise = Promise.parse(text)
    assert promise.notion == notion
    assert Promise.from_dict(promise.to_dict()) == promise
    assert ("rho" in promise.to_dict()) == (notion == "zCDP")


def test_a_conversion_is_shown_and_is_the_published_one():
    rho = Promise.parse("rho=0.5,adjacency=replace-row,observed=output,intrusions=0")
    implied, shown = rho.implied(1e-6)
    assert implied.epsilon == pytest.approx(0.5 + 2 * math.sqrt(0.5 * math.log(1e6)))
    assert (implied.delta, implied.rho, implied.notion) == (1e-6, None, "approximate")
    assert f"epsilon {implied.epsilon:.6g}" in shown
    with pytest.raises(InputError, match="only a promise of a rho"):
        implied.implied(0.1)
    with pytest.raises(InputError, match="delta in"):
        epsilon_of_rho(0.5, 0.0)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_the_rho_of_a_pure_promise_bounds_the_divergence_of_randomised_response(epsilon):
    p = 1 / (1 + math.exp(-epsilon))
    for alpha in (1.01, 2.0, 8.0):
        sums = p**alpha * (1 - p) ** (1 - alpha) + (1 - p) ** alpha * p ** (1 - alpha)
        divergence = math.log(sums) / (alpha - 1)
        assert divergence <= alpha * rho_of_pure(epsilon)


@pytest.mark.parametrize(
    ("text", "problem", "words"),
    [
        ("epsilon=1,adjacency=user-level,observed=output,outputs=every", STREAM, "every output"),
        ("epsilon=1,adjacency=user-level,outputs=1000000", STREAM, "at most 8 outputs"),
        ("epsilon=1,adjacency=item-level", STREAM, "item-level"),
        ("epsilon=1,adjacency=replace-row", STREAM, "replace-row"),
        ("epsilon=1,adjacency=site,observed=output", TABLE, "site"),
        ("epsilon=1,adjacency=replace-row", TABLE, "has no state; give observed=output"),
    ],
)
def test_a_promise_without_a_test_says_so(text, problem, words):
    assert words in judged(problem).why_not_judged(Promise.parse(text))


def test_a_promise_of_a_rho_is_audited_and_has_an_exact_check_for_whole_inputs():
    promise = Promise.parse("rho=0.5,adjacency=replace-row,observed=output,intrusions=0")
    table, ids = judged(TABLE), judged(STREAM)
    assert table.why_not_judged(promise) == notion_of(promise).why_not_checked(table) == ""
    of_users = Promise.parse("rho=0.5,adjacency=user-level")
    assert ids.why_not_judged(of_users) == ""
    assert "zero-concentrated" in notion_of(of_users).why_not_checked(ids)
    assert "rho 0.5 implies epsilon 5.75652" in notion_of(of_users).why_not_checked(ids)
    several = Promise.parse("rho=0.5,adjacency=replace-row,observed=output,intrusions=0,outputs=2")
    assert "for one output, got 2" in notion_of(several).why_not_checked(table)
    kept = Promise.parse("epsilon=1,adjacency=add-row,observed=output")
    assert notion_of(kept).why_not_checked(table) == ""
    of_sites = Promise.parse("epsilon=1,adjacency=site,observed=output")
    assert "site" in notion_of(of_sites).why_not_checked(table)


def test_a_problem_is_plain_data():
    for problem in (STREAM, TABLE, Problem.of_inputs(["a", "b"], [(0, 1)])):
        assert Problem.from_dict(problem.to_dict()) == problem
    assert TABLE.kind is Kind.TABLE


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Problem.of_table({"a": []}, rows=1), "must have 1 to"),
        (lambda: Problem.of_table({"a": [object()]}, rows=1), "number, a text or None"),
        (lambda: Problem.of_table({"a": [0, math.nan]}, rows=1), "a number of the column 'a' must be finite, got nan"),
        (lambda: Problem.of_table({3: [0, 1], "3": [0, 1]}, rows=1), "a table has each column once, got '3' twice"),
        (lambda: Problem.of_inputs(["a", "a"], [(0, 1)]), "must differ"),
        (lambda: Problem.of_inputs(["a", "b"], [(0, 0)]), "two different inputs"),
        (lambda: Problem.from_dict({"kind": "stream"}), "a problem has"),
    ],
)
def test_what_is_no_problem_is_refused(make, words):
    with pytest.raises(InputError, match=words):
        make()


@pytest.mark.parametrize("rho", [0.01, 2.0])
@pytest.mark.parametrize("delta", [1e-2, 1e-10])
def test_the_epsilon_of_a_rho_bounds_the_optimal_conversion(rho, delta):
    """Of the Gaussian mechanism with this rho, and of its Rényi divergences: dp_accounting computes both."""
    from dp_accounting import dp_event
    from dp_accounting.pld import privacy_loss_distribution
    from dp_accounting.rdp import RdpAccountant

    deviation = 1 / math.sqrt(2 * rho)
    orders = [1 + 10 ** (place / 20) for place in range(-60, 121)]
    converted = RdpAccountant(orders=orders).compose(dp_event.GaussianDpEvent(deviation)).get_epsilon(delta)
    exact = privacy_loss_distribution.from_gaussian_mechanism(deviation).get_epsilon_for_delta(delta)
    assert exact <= converted <= epsilon_of_rho(rho, delta)
    # Without its second term the formula would be false.
    assert exact > rho


@given(st.floats(1e-6, 50), st.floats(1e-12, 0.5))
def test_the_rho_of_an_epsilon_is_the_largest_one_that_keeps_it(epsilon, delta):
    rho = rho_of_epsilon(epsilon, delta)
    assert epsilon_of_rho(rho, delta) <= epsilon
    assert epsilon_of_rho(rho * (1 + 1e-12), delta) > epsilon


@pytest.mark.parametrize(("epsilon", "delta"), [(0, 0.1), (-1, 0.1), (math.inf, 0.1), (1, 0), (1, 1), (5e-324, 0.1)])
def test_an_epsilon_without_a_rho_is_refused(epsilon, delta):
    with pytest.raises(InputError, match="epsilon"):
        rho_of_epsilon(epsilon, delta)


@given(st.floats(1e-6, 20), st.floats(1e-12, 0.3))
def test_the_conversion_with_a_searched_order_is_smaller_and_goes_both_ways(rho, delta):
    found = converted_epsilon(rho, delta)
    assert 0 <= found <= epsilon_of_rho(rho, delta) * (1 + 1e-9)
    if found > 1e-9:
        back = converted_rho(found, delta)
        assert rho_of_epsilon(found, delta) <= back <= rho * (1 + 1e-6)
        assert converted_epsilon(back, delta) <= found


def test_the_conversion_with_a_searched_order_is_that_of_an_accounting_library():
    # dp-accounting 0.4.4, RdpAccountant with 20,000 orders, for Gaussian noise.
    assert converted_epsilon(0.02435597, 1e-6) == pytest.approx(1.0000000101, rel=1e-7)
    assert converted_epsilon(3.0, 1e-6) == pytest.approx(14.9479191968, rel=1e-7)
    # The delta of Gaussian noise with mean difference sqrt(2 rho) is smaller than the converted one.
    for rho in (0.01, 0.5, 3.0):
        epsilon = converted_epsilon(rho, 1e-6)
        gap = math.sqrt(2 * rho)
        beyond = [0.5 * math.erfc((epsilon / gap - half) / math.sqrt(2)) for half in (gap / 2, -gap / 2)]
        assert 0 < beyond[0] - math.exp(epsilon) * beyond[1] < 1e-6
