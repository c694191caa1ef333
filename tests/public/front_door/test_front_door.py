"""``import panproof``: what can be checked, audited and gated."""

from __future__ import annotations

import dataclasses
import json
import math
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import sympy

import panproof
from pan_audits.exact import instances
from pan_audits.subject.intake.discovery import find_thing
from pan_audits.workers.limits import MechanismError
from pan_promises.exact_epsilon import parse_epsilon
from panproof import Verdict
from tests.public.front_door.mechanisms import GIVEN, LOSS, Rows, Tally, mechanism
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


def with_a_parameter(name):
    made: dict = {}
    exec(f"def noisy(data, rng, {name}=5): return data * {name} + rng.laplace()", made)
    return made


@pytest.mark.parametrize("name", every(3, ["alpha", "universe", "sample_size"]))
def test_a_parameter_of_any_name_is_the_one_that_is_judged(name):
    made = with_a_parameter(name)
    assert panproof.check(made["noisy"], 0, 1, epsilon=1).loss == pytest.approx(5)
    assert panproof.check(made["noisy"], 0, 1, epsilon=1, **{name: 2}).loss == pytest.approx(2)


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
    [pytest.param(*one, marks=pytest.mark.more) for one in ((1, {"b": 2}), (0, {"b": None}))],
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


@pytest.mark.parametrize("name", every(5, ["release", "calibration", "outputs", "deletions", "claim"]))
def test_a_shipped_estimator_that_was_changed_is_code_of_somebody_else(name):
    """Only shipped estimators are certified."""
    made = panproof.estimator("calibrated-bernoulli", promise_epsilon=0.2, universe=4, sample_size=3)
    assert find_thing(made, parameters={}).shipped
    assert not find_thing(_changed(name), parameters={}).shipped


def test_a_function_of_this_session_need_not_be_importable():
    p = 0.9
    result = panproof.check(lambda data, rng: data ^ int(not rng.bernoulli(p, 1)[0]), 0, 1, epsilon=1)
    assert result.loss == pytest.approx(math.log(9))


def test_a_class_and_a_live_object_are_judged_with_the_promise_that_is_asked_about():
    result = panproof.check(Tally(4), epsilon=1, adjacency="user-level", users=2, length=2)
    assert result.verdict is Verdict.REFUTED
    assert result.loss == math.inf
    report = panproof.gate(Tally, promise="epsilon=1,adjacency=user-level", runs=2000, seed=1, jobs=1)
    assert report.verdict is Verdict.REFUTED


def test_a_shipped_estimator_is_judged_by_name_and_as_an_object():
    by_name = panproof.check("optimal-bernoulli", promise_epsilon="log(9/4)", users=2, length=2)
    estimator = panproof.estimator("calibrated-bernoulli", universe=16, promise_epsilon=1.0, sample_size=16)
    as_object = panproof.check(estimator, users=2, length=2)
    assert (by_name.verdict, as_object.verdict) == (Verdict.REFUTED, Verdict.NOT_REFUTED)
    assert as_object.loss == pytest.approx(1.0)


@pytest.mark.parametrize(("arguments", "adjacency"), every(2, [((Rows,), "replace-row"), ((mechanism, 0, 1), "given")]))
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


# Numbers of any type and size


@pytest.mark.parametrize(
    "epsilon", every(6, [sympy.log(4), Fraction(3, 2), Decimal("1.5"), np.float32(1.5), np.int64(2)])
)
def test_a_budget_is_a_number_of_any_type(epsilon):
    result = panproof.check(mechanism, 0, 1, epsilon=epsilon)
    assert result.verdict is Verdict.NOT_REFUTED
    assert result.report.promise.epsilon == float(epsilon)


@pytest.mark.more
@pytest.mark.parametrize("noise", [False, True])
def test_a_number_of_more_digits_than_python_writes_is_judged(noise):
    def huge(data, rng):
        return [10**5000 + data, 10**5000 + noise * rng.laplace()]

    checked = panproof.check(huge, 0, 1, epsilon=1)
    assert checked.verdict is Verdict.REFUTED
    assert checked.loss == math.inf
    assert ("more than 4300 digits" in checked.witness.describe()) is not noise
    json.dumps(checked.to_dict())


def test_noise_beside_a_number_of_more_digits_than_python_writes_is_followed():
    result = panproof.check(lambda data, rng: 10**5000 + data + rng.laplace(), 0, 1, epsilon=0.5)
    assert result.loss == pytest.approx(1)
    assert "an output with noise at a number beyond all doubles" in result.witness.describe()


@pytest.mark.more
def test_an_output_of_more_digits_than_python_writes_is_audited():
    result = panproof.audit(lambda data, rng: 10**5000 + data, 0, 1, epsilon=1, runs=2000, seed=1, jobs=1)
    assert result.verdict is Verdict.REFUTED


@pytest.mark.more
def test_an_input_of_more_digits_than_python_writes_is_judged():
    result = panproof.check(lambda data, rng: data % 2, 10**5000, 10**5000 + 1, epsilon=1)
    assert result.verdict is Verdict.REFUTED


# Results as text, in a notebook and as a plot


@pytest.mark.slow
def test_results_show_themselves_in_a_notebook_and_as_a_plot():
    checked = panproof.check(mechanism, 0, 1, epsilon=1)
    audited = panproof.audit(mechanism, 0, 1, epsilon=0.5, runs=5000, seed=2, jobs=1)
    claims = panproof.claims("density.tanh_optimality")
    for result in (checked, audited, claims):
        assert result._repr_html_().startswith("<table>")
        assert len(repr(result).splitlines()) <= 3
        assert result.plot().axes
    assert "&lt;" in panproof.check(lambda data, rng: "<b>" * data, 0, 1, epsilon=1)._repr_html_()
    assert claims["density.tanh_optimality"].verdict == "PROVED"
    assert checked.to_dict()["verdict"] == "REFUTED"


def test_a_result_about_a_delta_shows_the_delta():
    promise = GIVEN.replace("epsilon=2", "epsilon=log(2),delta=0.3")
    result = panproof.check(mechanism, 0, 1, promise=promise)
    assert result.verdict is Verdict.NOT_REFUTED
    assert repr(result).splitlines()[-1] == "delta        0.25 at epsilon 0.693147, promised 0.3"
    axis = result.plot().axes[0]
    assert "delta" in axis.get_xlabel()
    assert [patch.get_width() for patch in axis.patches] == [0.25]


@pytest.mark.more
def test_a_witness_names_first_the_input_on_which_its_event_is_likelier():
    result = panproof.audit(lambda data, rng: None if data else 0, 0, 1, epsilon=1, runs=3000, seed=1, jobs=1)
    assert result.verdict is Verdict.REFUTED
    assert result.loss > 1
    assert result.witness.counts.left > result.witness.counts.right


def test_a_check_whose_process_fails_is_inconclusive(monkeypatch):
    def fail(*_):
        raise MechanismError("it did not finish within 240 s")

    monkeypatch.setattr(instances, "check_in_worker", fail)
    result = panproof.check(mechanism, 0, 1, epsilon=1)
    assert result.verdict is Verdict.INCONCLUSIVE
    assert "mechanism cannot be checked: it did not finish" in repr(result)


@pytest.mark.more
def test_a_plot_of_a_gate_about_a_delta_shows_the_delta():
    promise = GIVEN.replace("epsilon=2", "epsilon=log(2),delta=0.1")
    result = panproof.gate(mechanism, 0, 1, promise=promise, runs=1000, seed=1, jobs=1)
    assert result.verdict is Verdict.REFUTED
    assert "panproof gate" not in result._repr_html_()  # an object of this session has no command
    axis = result.plot().axes[0]
    assert axis.get_xlabel() == "delta at epsilon 0.693147; dashed: the promise"
    assert [patch.get_width() for patch in axis.patches] == [0.25]


@pytest.mark.more
def test_a_plot_of_an_audit_about_a_delta_shows_the_loss_that_was_measured_for_it():
    promise = GIVEN.replace("epsilon=2", "epsilon=log(2),delta=0.01")
    result = panproof.audit(mechanism, 0, 1, promise=promise, runs=5000, seed=2, jobs=1)
    axis = result.plot().axes[0]
    assert axis.get_xlabel() == "privacy loss in nats at delta 0.01; dashed: the promise"
    assert [patch.get_width() for patch in axis.patches] == [result.loss]
