"""``import panproof``: what can be checked, audited and gated."""

from __future__ import annotations

import dataclasses
import math
import subprocess
import sys

import pytest

import panproof
from pan_audits.subject.intake.handed_over import find_thing
from pan_promises.exact_epsilon import parse_epsilon
from panproof import Verdict
from tests.front_door.mechanisms import LOSS, Rows, Tally, mechanism
from tests.turns import every


def test_importing_it_imports_nothing_heavy():
    code = "import sys, panproof; print(*sorted(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"numpy", "scipy", "sympy", "hypothesis", "pan_audits", "typer"} & set(run.stdout.split())


def test_everything_that_is_exported_is_there_and_documented():
    for name in panproof.__all__:
        exported = getattr(panproof, name)
        assert name == "__version__" or exported.__doc__
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = panproof.nothing


def test_a_function_with_two_inputs_is_checked():
    result = panproof.check(mechanism, 0, 1, epsilon=1)
    assert result.verdict is Verdict.REFUTED
    assert result.loss == pytest.approx(LOSS)
    assert repr(result).splitlines() == [
        "REFUTED  mechanism",
        "promise  1, given, output alone",
        "loss     1.09861 = log(3), promised 1",
    ]
    assert panproof.check(mechanism, 0, 1, epsilon="log(3)").verdict is Verdict.NOT_REFUTED


@pytest.mark.more
def test_a_function_with_neighbours_is_audited():
    result = panproof.audit(mechanism, neighbours=lambda: [(0, 1)], epsilon=0.5, runs=5000, seed=2, jobs=1)
    assert result.verdict is Verdict.REFUTED
    assert 0.5 < result.loss <= LOSS
    assert result.report.exact is None


@pytest.mark.more
def test_a_function_that_takes_a_size_is_audited_in_batches():
    def noisy(data, rng, size=None):
        return data + rng.laplace(scale=1.0, size=size)

    result = panproof.audit(noisy, 0, 1, epsilon=1, runs=20_000, seed=1, jobs=1)
    assert result.verdict is Verdict.NOT_REFUTED
    assert "Single runs made 25% of the search, and many runs at once the rest" in result.report.reason
    assert panproof.check(noisy, 0, 1, epsilon=1).loss == pytest.approx(1.0)


def with_a_parameter(name):
    made: dict = {}
    exec(f"def noisy(data, rng, {name}=5): return data * {name} + rng.laplace()", made)
    return made


@pytest.mark.parametrize("name", every(6, ["alpha", "universe", "beta", "vertices", "sample_size", "steps"]))
def test_a_parameter_of_any_name_is_the_one_that_is_judged(name):
    made = with_a_parameter(name)
    assert panproof.check(made["noisy"], 0, 1, epsilon=1).loss == pytest.approx(5)
    assert panproof.check(made["noisy"], 0, 1, epsilon=1, **{name: 2}).loss == pytest.approx(2)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["alpha", "sample_size"])
def test_a_parameter_of_any_name_is_the_one_that_is_audited(name):
    noisy = with_a_parameter(name)["noisy"]
    assert panproof.audit(noisy, 0, 1, epsilon=1, runs=3_000, seed=1, jobs=1).verdict is Verdict.REFUTED


def test_the_epsilon_of_a_shipped_estimator_may_be_a_text():
    made = panproof.estimator("dwork", universe=100, promise_epsilon="log(9/4)", sample_size=10)
    assert made.epsilon == parse_epsilon("log(3/2)")
    for wrong in ("x", [], 10**400):
        with pytest.raises(panproof.InputError):
            panproof.estimator("dwork", universe=100, promise_epsilon=wrong, sample_size=10)


def test_a_shipped_estimator_by_name_has_as_many_users_as_the_check():
    result = panproof.check("dwork", promise_epsilon="log(9/4)", sample_size=20, users=2, length=2)
    assert result.verdict is Verdict.REFUTED
    assert max(row.sample_size for row in result.report.coverage) == 2


@pytest.mark.parametrize(
    ("first", "part"),
    [pytest.param(*one, marks=pytest.mark.more) for one in ((1, {"b": 2}), (0, {"b": 2}), (0, {"b": None}))],
)
def test_a_part_that_one_side_alone_has_is_seen_whichever_side_it_is(first, part):
    def mechanism(data, rng):
        return {"a": rng.laplace(), **(part if data else {})}

    result = panproof.audit(mechanism, first, 1 - first, epsilon=1, runs=2000, seed=1, jobs=1)
    assert result.verdict is Verdict.REFUTED


def _changed(name):
    made = panproof.estimator("calibrated-bernoulli", promise_epsilon=0.2, universe=4, sample_size=3)
    if name == "calibration":
        weak = panproof.estimator("calibrated-bernoulli", promise_epsilon=10.0, universe=4, sample_size=3)
        return dataclasses.replace(made, calibration=weak.calibration)
    if name == "release":
        object.__setattr__(made, "release", lambda state, randomness: [int(bit) for bit in state.cells])
        return made
    return dataclasses.replace(made, **{name: {"outputs": 3, "deletions": True, "claim": "density.none"}[name]})


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        *(pytest.param(name, marks=pytest.mark.more) for name in ("calibration", "release", "deletions")),
        pytest.param("outputs", marks=pytest.mark.slow),
    ],
)
def test_a_shipped_estimator_that_was_changed_is_judged_as_it_is(name):
    changed = _changed(name)
    result = panproof.check(changed, users=1, length=1)
    assert result.report.promise == changed.promise
    if name in ("calibration", "release"):
        assert result.verdict is Verdict.REFUTED


@pytest.mark.parametrize("name", ["calibration", "release", "outputs", "deletions", "claim"])
def test_a_shipped_estimator_that_was_changed_is_code_of_somebody_else(name):
    """Only shipped estimators are certified."""
    made = panproof.estimator("calibrated-bernoulli", promise_epsilon=0.2, universe=4, sample_size=3)
    assert find_thing(made, parameters={}).shipped
    assert not find_thing(_changed(name), parameters={}).shipped


@pytest.mark.more
def test_an_audit_that_could_refute_nothing_is_inconclusive():
    result = panproof.audit(mechanism, 0, 1, epsilon=10, error=1e-8, runs=24_000, seed=1, jobs=1)
    assert result.verdict is Verdict.INCONCLUSIVE
    assert "too few to refute this promise" in result.report.reason


@pytest.mark.more
def test_a_batch_that_has_too_few_outputs_is_told():
    def short(data, rng, size=None):
        return data + rng.laplace(scale=1.0, size=None if size is None else size - 1)

    result = panproof.audit(short, 0, 1, epsilon=1, runs=2_000, seed=1, jobs=1)
    assert result.verdict is Verdict.INCONCLUSIVE
    assert "for size=16 it must return 16 outputs along the first axis" in result.report.reason


def test_a_function_of_this_session_need_not_be_importable():
    p = 0.9
    result = panproof.check(lambda data, rng: data ^ int(not rng.bernoulli(p, 1)[0]), 0, 1, epsilon=1)
    assert result.loss == pytest.approx(math.log(9))


def test_a_class_is_judged_with_the_promise_that_is_asked_about():
    result = panproof.check(Tally, epsilon=1, adjacency="user-level", users=2, length=2)
    assert result.verdict is Verdict.REFUTED
    assert result.loss == math.inf
    report = panproof.gate(Tally, promise="epsilon=1,adjacency=user-level", runs=2000, seed=1, jobs=1)
    assert report.verdict is Verdict.REFUTED


def test_a_live_object_is_judged_as_it_is():
    result = panproof.check(Tally(4), epsilon=1, adjacency="user-level", users=2, length=2)
    assert result.verdict is Verdict.REFUTED


def test_a_shipped_estimator_is_judged_by_name_and_as_an_object():
    by_name = panproof.check("optimal-bernoulli", promise_epsilon="log(9/4)", users=2, length=2)
    estimator = panproof.estimator("calibrated-bernoulli", universe=16, promise_epsilon=1.0, sample_size=16)
    as_object = panproof.check(estimator, users=2, length=2)
    assert (by_name.verdict, as_object.verdict) == (Verdict.REFUTED, Verdict.NOT_REFUTED)
    assert as_object.loss == pytest.approx(1.0)


def test_the_version_is_that_of_the_distribution():
    assert panproof.__version__.count(".") == 2


@pytest.mark.parametrize(
    ("arguments", "adjacency"), [((mechanism, 0, 1), "given"), ((Rows,), "replace-row"), ((Rows,), "add-row")]
)
def test_an_epsilon_and_an_adjacency_promise_for_the_output_of_what_has_no_state(arguments, adjacency):
    result = panproof.check(*arguments, epsilon=1.2, adjacency=adjacency, users=2)
    assert result.verdict is Verdict.NOT_REFUTED


def test_an_object_that_a_generator_changes_is_another_input():
    def neighbours():
        data = [0]
        yield data, [1]
        data[0] = 1
        yield data, [1]

    result = panproof.check(lambda data, rng: data[0], neighbours=neighbours, epsilon=1)
    assert result.verdict is Verdict.REFUTED


@pytest.mark.more
def test_a_function_may_take_its_randomness_by_keyword_only():
    def noisy(data, *, rng, size=None):
        return data + rng.laplace(scale=1.0, size=size)

    checked = panproof.check(noisy, 0, 1, epsilon=1)
    assert checked.loss == pytest.approx(1)
    audited = panproof.audit(noisy, 0, 1, epsilon=1, runs=5000, seed=1, jobs=1)
    assert audited.verdict is Verdict.NOT_REFUTED
    assert audited.report.privacy.singly < 1


@pytest.mark.slow
def test_more_runs_for_the_bound_make_it_sharper():
    def noisy(data, rng, size=None):
        return data + rng.laplace(scale=1.0, size=size)

    few, many = (
        panproof.audit(
            noisy, 0, 1, epsilon=0.5, error=0.05, runs=5_000, confirmation_runs=runs, seed=1, jobs=1
        ).report.privacy
        for runs in (2_000, 100_000)
    )
    assert few.witness.counts.runs == 2_000
    assert many.witness.counts.runs == 100_000
    assert few.witness.loss < many.witness.loss <= 1


def test_a_number_of_runs_for_the_bound_must_be_large_enough():
    with pytest.raises(panproof.InputError, match="the number of confirmation runs must be at least 100, got 3"):
        panproof.audit(lambda data, rng: data, 0, 1, epsilon=1, confirmation_runs=3)
