"""Results of the front door show themselves as text, in a notebook and as a plot."""

from __future__ import annotations

import pytest

import panproof
from panproof import Verdict
from tests.front_door.mechanisms import GIVEN, mechanism


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


def test_no_command_is_shown_for_an_object_of_this_session():
    result = panproof.gate(mechanism, 0, 1, epsilon=0.5, runs=1000, seed=1, jobs=1)
    assert "panproof gate" not in result._repr_html_()


@pytest.mark.more
def test_a_witness_names_first_the_input_on_which_its_event_is_likelier():
    result = panproof.audit(lambda data, rng: None if data else 0, 0, 1, epsilon=1, runs=3000, seed=1, jobs=1)
    assert result.verdict is Verdict.REFUTED
    assert result.loss > 1
    assert result.witness.counts.left > result.witness.counts.right


def test_a_check_whose_process_fails_is_inconclusive(monkeypatch):
    from pan_audits.exact import instances
    from pan_audits.workers.limits import MechanismError

    def fail(*_):
        raise MechanismError("it did not finish within 240 s")

    monkeypatch.setattr(instances, "check_in_worker", fail)
    result = panproof.check(mechanism, 0, 1, epsilon=1)
    assert result.verdict is Verdict.INCONCLUSIVE
    assert "mechanism cannot be checked: it did not finish" in repr(result)


@pytest.mark.more
@pytest.mark.parametrize("delta", [0.1, 0.3])
def test_a_plot_of_a_gate_about_a_delta_shows_the_delta(delta):
    result = panproof.gate(
        mechanism, 0, 1, promise=GIVEN.replace("epsilon=2", f"epsilon=log(2),delta={delta}"), runs=1000, seed=1, jobs=1
    )
    assert result.verdict is (Verdict.REFUTED if delta < 0.25 else Verdict.NOT_REFUTED)
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
