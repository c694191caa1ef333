"""``import panproof``: what it is given, and how its results show themselves."""

from __future__ import annotations

import math
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction

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
