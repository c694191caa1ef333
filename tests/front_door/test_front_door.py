"""``import panproof``: what it is given, and how its results show themselves."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
import sympy

import panproof
from panproof import Verdict

LOSS = math.log(3)
GIVEN = "epsilon=2,adjacency=given,observed=output,intrusions=0"


def mechanism(data, rng):
    return data if rng.bernoulli(0.75, 1)[0] else 1 - data


class Tally:
    """Counts exactly: its state tells everything."""

    def __init__(self, universe):
        self.universe = universe

    def create(self, randomness):
        return [0] * self.universe

    def update(self, state, ids, randomness):
        for user in np.atleast_1d(ids):
            state[int(user)] = 1
        return state

    def release(self, state, randomness):
        return sum(state)


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


def test_a_function_with_neighbours_is_audited():
    result = panproof.audit(mechanism, neighbours=lambda: [(0, 1)], epsilon=0.5, runs=5000, seed=2, jobs=1)
    assert result.verdict is Verdict.REFUTED
    assert 0.5 < result.loss <= LOSS
    assert result.report.exact is None


def test_a_function_that_takes_a_size_is_audited_in_batches():
    def noisy(data, rng, size=None):
        return data + rng.laplace(scale=1.0, size=size)

    result = panproof.audit(noisy, 0, 1, epsilon=1, runs=20_000, seed=1, jobs=1)
    assert result.verdict is Verdict.NOT_REFUTED
    assert "Single runs made 25% of the search, and many runs at once the rest" in result.report.reason
    assert panproof.check(noisy, 0, 1, epsilon=1).loss == pytest.approx(1.0)


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
    by_name = panproof.check("optimal-bernoulli", epsilon="log(3/2)", users=2, length=2)
    estimator = panproof.estimator("calibrated-bernoulli", universe=16, epsilon=0.5, sample_size=16)
    as_object = panproof.check(estimator, users=2, length=2)
    assert (by_name.verdict, as_object.verdict) == (Verdict.REFUTED, Verdict.NOT_REFUTED)
    assert as_object.loss == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        ((mechanism, 0), {"epsilon": 1}, "two inputs"),
        ((mechanism, 0, 1), {"epsilon": 1, "neighbours": [(0, 1)]}, "not both"),
        ((mechanism,), {"epsilon": 1}, "which inputs are neighbours"),
        ((mechanism, 0, 1), {}, "makes no promise"),
        ((Tally,), {"epsilon": 1}, "makes no promise"),
        ((Tally,), {"adjacency": "user-level"}, "give both"),
        ((3,), {"epsilon": 1, "adjacency": "user-level"}, "cannot be audited"),
        (("nothing",), {"epsilon": 1}, "unknown estimator"),
        (("dwork", 0, 1), {"epsilon": 0.1}, "name of its neighbours"),
        ((mechanism, 0, 1), {"epsilon": -1}, "epsilon"),
        ((mechanism, 0, 1), {"epsilon": 10**400}, "a double can hold"),
        ((mechanism, 0, 1), {"epsilon": [1]}, "a double can hold"),
        ((mechanism, 0, 1), {"promise": 5}, "a Promise, a dictionary or a text"),
        ((mechanism, 0, 1), {"promise": GIVEN, "epsilon": 0.5}, "takes no epsilon"),
        ((mechanism, 0, 1), {"promise": GIVEN, "adjacency": "given"}, "not both"),
        ((mechanism,), {"epsilon": 1, "neighbours": lambda: (([n], [n]) for n in range(257))}, "more than 256 pairs"),
    ],
)
def test_bad_input_is_one_sentence(arguments, options, words):
    with pytest.raises(panproof.InputError, match=words):
        panproof.check(*arguments, **options)


def test_a_live_class_does_not_choose_the_pairs_on_which_it_is_judged():
    from tests.variants.whole_inputs import ChoosesItsNeighbours

    for thing in (ChoosesItsNeighbours, ChoosesItsNeighbours()):
        with pytest.raises(panproof.InputError, match="says itself which inputs are neighbours"):
            panproof.check(thing)


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


def test_an_unknown_claim_is_refused_with_its_like():
    with pytest.raises(panproof.InputError, match="tanh_optimality"):
        panproof.claims("density.tanh_optimalty")


def test_the_version_is_that_of_the_distribution():
    assert panproof.__version__.count(".") == 2


@pytest.mark.parametrize(
    "epsilon", [Fraction(3, 2), Decimal("1.5"), np.float32(1.5), np.int64(2), sympy.Rational(3, 2), sympy.log(4)]
)
def test_a_budget_is_a_number_of_any_type(epsilon):
    result = panproof.check(mechanism, 0, 1, epsilon=epsilon)
    assert result.verdict is Verdict.NOT_REFUTED
    assert result.report.promise.epsilon == float(epsilon)


class Rows:
    """The sum of a table of bits, with Laplace noise of scale 1."""

    problem = panproof.Problem.of_table({"bit": [0, 1]}, rows=3)

    def release(self, table, rng):
        return sum(bit for (bit,) in table) + rng.laplace()


@pytest.mark.parametrize(
    ("arguments", "adjacency"), [((mechanism, 0, 1), "given"), ((Rows,), "replace-row"), ((Rows,), "add-row")]
)
def test_an_epsilon_and_an_adjacency_promise_for_the_output_of_what_has_no_state(arguments, adjacency):
    result = panproof.check(*arguments, epsilon=1.2, adjacency=adjacency, users=2)
    assert result.verdict is Verdict.NOT_REFUTED


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


def test_an_object_that_a_generator_changes_is_another_input():
    def neighbours():
        data = [0]
        yield data, [1]
        data[0] = 1
        yield data, [1]

    result = panproof.check(lambda data, rng: data[0], neighbours=neighbours, epsilon=1)
    assert result.verdict is Verdict.REFUTED


def test_an_output_beyond_all_doubles_is_audited():
    result = panproof.audit(lambda data, rng: 10**400 + data, 0, 1, epsilon=1, runs=2000, seed=1, jobs=1)
    assert result.verdict is Verdict.REFUTED


def test_an_audit_makes_no_exact_check():
    with pytest.raises(panproof.InputError, match=r"panproof\.gate makes both"):
        panproof.audit(mechanism, 0, 1, epsilon=1, exact=True)


def test_a_witness_names_first_the_input_on_which_its_event_is_likelier():
    result = panproof.audit(lambda data, rng: None if data else 0, 0, 1, epsilon=1, runs=3000, seed=1, jobs=1)
    assert result.verdict is Verdict.REFUTED
    assert result.loss > 1
    assert result.witness.counts.left > result.witness.counts.right


def async_mechanism():
    async def mechanism(data, rng):
        return data

    return mechanism


def generator_mechanism():
    def mechanism(data, rng):
        yield data

    return mechanism


@pytest.mark.parametrize(
    ("thing", "words"),
    [
        (lambda data: data, r"called as f\(data, rng\).*takes data$"),
        (lambda: 0, r"called as f\(data, rng\).*takes no parameters$"),
        (lambda data, rng, scale: data, "needs a value for its parameter 'scale'"),
        (async_mechanism(), "is an async function; a mechanism is an ordinary function"),
        (generator_mechanism(), "is a generator function; a mechanism is an ordinary function"),
    ],
)
@pytest.mark.parametrize("judge", [panproof.check, panproof.gate])
def test_a_function_that_is_no_mechanism_is_refused_with_the_form_of_one(judge, thing, words):
    with pytest.raises(panproof.InputError, match=words):
        judge(thing, 0, 1, epsilon=1)


def test_a_function_may_take_its_randomness_by_keyword_only():
    def noisy(data, *, rng, size=None):
        return data + rng.laplace(scale=1.0, size=size)

    checked = panproof.check(noisy, 0, 1, epsilon=1)
    assert checked.loss == pytest.approx(1)
    audited = panproof.audit(noisy, 0, 1, epsilon=1, runs=5000, seed=1, jobs=1)
    assert audited.verdict is Verdict.NOT_REFUTED
    assert audited.report.privacy.singly < 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"jobs": 0}, "jobs must be between 1 and 256, got 0"),
        ({"jobs": 1000}, "jobs must be between 1 and 256, got 1000"),
        ({"seed": -2}, "the seed must be at least 0, got -2"),
        ({"seed": "a"}, "the seed must be a whole number"),
        ({"runs": 1}, "the number of runs must be at least 100, got 1"),
        ({"seconds": -1}, "the time for the search must be positive, got -1 s"),
        ({"seconds": "a"}, "the time for the search must be positive, got 'a' s"),
        ({"error": 2}, r"the error budget must lie in \(0, 1/2\], got 2"),
        ({"error": "a"}, r"the error budget must lie in \(0, 1/2\], got 'a'"),
        ({"jobs": 0, "seed": -2, "runs": 1}, "jobs .*; the number of runs .*; the seed "),
    ],
)
@pytest.mark.parametrize("judge", [panproof.gate, panproof.audit])
def test_an_effort_outside_its_range_is_refused_before_anything_runs(judge, options, words):
    # The exact check would refute this promise at once, and nothing could be sent to a process.
    with pytest.raises(panproof.InputError, match=words):
        judge(NOT_SENT, 0, 1, epsilon=0.1, **options)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"seconds": -1}, "the time must be positive, got -1 s"),
        ({"seconds": "a"}, "the time must be positive, got 'a' s"),
        ({"users": 0, "length": 1000}, "number of users .*; the length of a stream "),
    ],
)
def test_a_scope_outside_its_range_is_refused_before_anything_runs(options, words):
    with pytest.raises(panproof.InputError, match=words):
        panproof.check(NOT_SENT, 0, 1, epsilon=0.1, **options)


class _NotSent:
    def __reduce__(self):
        raise AssertionError("something ran before the options were read")

    def __call__(self, data, rng):
        return data


NOT_SENT = _NotSent()


@pytest.mark.parametrize("judge", [panproof.check, panproof.gate, panproof.audit])
def test_all_unknown_options_are_named_at_once(judge):
    with pytest.raises(panproof.InputError, match=r"'bogus'; .* has no parameter 'colour'"):
        judge(mechanism, 0, 1, epsilon=0.1, bogus=1, colour=2)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: panproof.claims(3), "the id of a claim is a text, got 3"),
        (lambda: panproof.claims(["a"]), "the id of a claim is a text"),
        (lambda: panproof.claims("no.such"), "unknown claim 'no.such'"),
        (lambda: panproof.claims("density.tanh_optimality", jobs=0), "jobs must be between 1 and 256, got 0"),
        (lambda: panproof.estimator(3), "the name of an estimator is a text, got 3"),
        (lambda: panproof.check(mechanism, 0, 1, epsilon=1, isolation=3), "unknown isolation 3"),
        (lambda: panproof.check("dwork", epsilon=0.5, universe="a"), "universe is a number of users"),
        (lambda: panproof.estimator([]), "the name of an estimator is a text"),
    ],
)
def test_what_is_no_name_is_refused_with_a_sentence(call, words):
    with pytest.raises(panproof.InputError, match=words):
        call()


def test_a_check_whose_process_fails_is_inconclusive(monkeypatch):
    from pan_audits.exact import instances
    from pan_audits.workers.limits import VariantError

    def fail(*_):
        raise VariantError("it did not finish within 240 s")

    monkeypatch.setattr(instances, "check_in_worker", fail)
    result = panproof.check(mechanism, 0, 1, epsilon=1)
    assert result.verdict is Verdict.INCONCLUSIVE
    assert "mechanism cannot be checked: it did not finish" in repr(result)


@pytest.mark.parametrize("delta", [0.1, 0.3])
def test_a_plot_of_a_gate_about_a_delta_shows_the_delta(delta):
    result = panproof.gate(
        mechanism, 0, 1, promise=GIVEN.replace("epsilon=2", f"epsilon=log(2),delta={delta}"), runs=1000, seed=1, jobs=1
    )
    assert result.verdict is (Verdict.REFUTED if delta < 0.25 else Verdict.NOT_REFUTED)
    axis = result.plot().axes[0]
    assert axis.get_xlabel() == "delta at epsilon 0.693147; dashed: the promise"
    assert [patch.get_width() for patch in axis.patches] == [0.25]


def test_a_plot_of_an_audit_about_a_delta_shows_the_loss_that_was_measured_for_it():
    promise = GIVEN.replace("epsilon=2", "epsilon=log(2),delta=0.01")
    result = panproof.audit(mechanism, 0, 1, promise=promise, runs=5000, seed=2, jobs=1)
    axis = result.plot().axes[0]
    assert axis.get_xlabel() == "privacy loss in nats at delta 0.01; dashed: the promise"
    assert [patch.get_width() for patch in axis.patches] == [result.loss]


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


def test_an_output_of_more_digits_than_python_writes_is_audited():
    result = panproof.audit(lambda data, rng: 10**5000 + data, 0, 1, epsilon=1, runs=2000, seed=1, jobs=1)
    assert result.verdict is Verdict.REFUTED


def test_an_input_of_more_digits_than_python_writes_is_judged():
    result = panproof.check(lambda data, rng: data % 2, 10**5000, 10**5000 + 1, epsilon=1)
    assert result.verdict is Verdict.REFUTED


@pytest.mark.parametrize(
    ("quantity", "relation", "words"),
    [
        ("varience", "<=", "Stated states an error with an unknown quantity 'varience'; did you mean variance"),
        ("variance", "<<", "Stated states an error with an unknown relation '<<'; known are =, <="),
    ],
)
def test_an_unknown_word_of_a_statement_is_refused_with_its_like(quantity, relation, words):
    class Stated(Rows):
        statements = (
            SimpleNamespace(claim="", quantity=quantity, relation=relation, target="DENSITY", alpha=None, value=float),
        )

    with pytest.raises(panproof.InputError, match=words):
        panproof.gate(Stated, epsilon=1, adjacency="replace-row", runs=1000, seed=1, jobs=1, exact=False)
