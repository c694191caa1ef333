"""Functions of a whole input: checked exactly, audited, replayed, and refused with a sentence; tables."""

from __future__ import annotations

import json
import math
from collections import Counter

import pytest

from pan_audits.audit.replay import estimator_of, replay_witness
from pan_audits.audit.settings import Settings
from pan_audits.audit.witness import Witness
from pan_audits.exact.check import run_check
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.result import CheckSettings
from pan_audits.exact.witness import replay_exact
from pan_audits.gate.gate import run_gate
from pan_audits.judging.verdict import Verdict
from pan_audits.problems import judged
from pan_audits.problems.inputs.tables.tables import audited_tables, from_text, neighbours, small_tables, to_text
from pan_audits.subject.intake.discovery import find_mechanism
from pan_audits.subject.isolation.estimator import IsolatedEstimator
from pan_promises.adjacency import Adjacency
from pan_promises.errors import InputError
from pan_promises.problem import Problem
from pan_promises.promise import Promise
from tests.turns import every

HERE, BATCHES = "tests.mechanisms.whole_inputs", "tests.mechanisms.batches"
QUICK = Settings(runs=20_000, confirmation_runs=2000, seed=5, workers=1, exact=False, accuracy_runs=0)


def found(name, inputs="sums", module=HERE, **parameters):
    return find_mechanism(f"{module}:{name}", parameters={"epsilon": 1.0, **parameters}, inputs=f"{module}:{inputs}")


def checked(mechanism, **scope):
    return run_check(SmallInstances.of(mechanism), CheckSettings(seconds=20, **scope))


@pytest.mark.parametrize(
    ("mechanism", "loss"),
    every(
        2,
        [
            (("randomised_response", "bits"), math.log(3)),
            (("changes_its_input", "sums"), 1.0),
            (("forgets_the_noise", "sums"), math.inf),
            (("correct", "pairs", BATCHES), 1.0),
            (("correct_with_two_numbers", "pairs", BATCHES), 0.5),
            (("correct_without_default", "pairs", BATCHES), 1.0),
        ],
    ),
)
def test_the_loss_on_the_given_pairs_is_exact(mechanism, loss):
    """A function that takes a size is called for one output."""
    result = checked(found(*mechanism))
    assert result.loss.nats == pytest.approx(loss)
    assert result.verdict is (Verdict.REFUTED if loss > 1 else Verdict.NOT_REFUTED)


def test_a_function_that_keeps_nothing_is_checked_in_one_process(monkeypatch):
    monkeypatch.setattr(IsolatedEstimator, "_new_process", lambda *_, **__: pytest.fail("a further process"))
    assert checked(found("converts_its_noise")).verdict is Verdict.NOT_REFUTED


@pytest.mark.parametrize("name", ["remembers_in_a_closure", "RemembersInItself"])
def test_what_a_mechanism_keeps_between_two_calls_is_seen(name):
    of_ids = name == "RemembersInItself"
    mechanism = find_mechanism(f"{HERE}:{name}", parameters={}) if of_ids else found(name)
    result = checked(mechanism, users=1)
    assert result.verdict is Verdict.INCONCLUSIVE
    assert any(words in result.reason for words in ("outside of its state", "its random choices are repeated"))


@pytest.mark.more
@pytest.mark.parametrize(
    ("module", "name", "inputs", "alone"),
    [(HERE, "noisy_sum", "sums", "noisy_sum"), (BATCHES, "correct", "pairs", "single_runs_of_correct")],
)
def test_an_audit_of_a_function_refutes_and_its_witness_is_replayed_by_single_runs(module, name, inputs, alone):
    report = run_gate(found(name, inputs, module, scale=0.5), QUICK)
    assert report.verdict is Verdict.REFUTED
    assert 1 < report.privacy.loss <= 2
    witness = Witness.from_dict(json.loads(json.dumps(report.privacy.witness.to_dict())))
    assert witness.describe() == report.privacy.witness.describe()
    with pytest.raises(InputError, match="panproof does not ship"):
        estimator_of(witness)
    single = found(alone, inputs, module, scale=0.5).estimator
    assert replay_witness(witness, single, fresh=False, workers=1).identical


@pytest.mark.more
def test_a_witness_of_an_exact_check_is_computed_afresh():
    result = checked(found("noisy_sum", scale=0.5))
    assert result.loss.nats == pytest.approx(2)
    document = json.loads(json.dumps(result.minimal.to_dict()))
    stored, fresh = replay_exact(document, third_party=f"{HERE}:noisy_sum", inputs=f"{HERE}:sums")
    assert stored.loss.nats == pytest.approx(fresh.loss.nats)
    assert "The input is" in fresh.describe()


@pytest.mark.parametrize(
    ("name", "inputs", "words"),
    [
        (f"{HERE}:noisy_sum", "nothing", "2 to 4096 inputs"),
        (f"{HERE}:noisy_sum", "no_pairs", "pairs of two inputs"),
        (f"{HERE}:noisy_sum", "one_object", "are one object"),
        (f"{HERE}:noisy_sum", "absent", "has no 'absent'"),
        (f"{HERE}:noisy_sum", "", "--neighbours"),
        (f"{HERE}:ChoosesItsNeighbours", "", "says itself which inputs are neighbours"),
        ("dwork", "bits", "given its whole input"),
    ],
)
def test_what_gives_no_neighbours_is_refused(name, inputs, words):
    parameters = {} if "Chooses" in name else {"epsilon": 0.5}
    with pytest.raises(InputError, match=words):
        find_mechanism(name, parameters=parameters, inputs=inputs and f"{HERE}:{inputs}")


TWO = Problem.of_table({"a": [0, 1], "b": ["x", None]}, rows=3)
TABLE = ((0, "x"), (1, None))
ROWS = {(a, b) for a in (0, 1) for b in ("x", None)}


def test_neighbours_differ_as_their_adjacency_says_and_tables_are_read_as_they_were_written():
    assert from_text(to_text(TABLE)) == TABLE
    replaced = {(*TABLE[:place], row, *TABLE[place + 1 :]) for place in range(2) for row in ROWS} - {TABLE}
    inserted = {(*TABLE[:place], row, *TABLE[place:]) for place in range(3) for row in ROWS}
    assert set(neighbours(TABLE, TWO, Adjacency.REPLACE_ROW)) == replaced
    assert set(neighbours(TABLE, TWO, Adjacency.ADD_ROW)) == inserted


def test_all_small_tables_have_all_their_neighbours():
    found = small_tables(TWO, Adjacency.REPLACE_ROW, 2)
    assert len(found.labels) == 4**2
    assert len(found.adjacent) == 4**2 * 2 * 3 // 2
    assert not found.remark
    assert small_tables(TWO, Adjacency.REPLACE_ROW, 12) is None


def test_tables_that_are_too_many_in_every_order_have_sorted_rows():
    found = small_tables(TWO, Adjacency.REPLACE_ROW, 5)
    tables = [from_text(label) for label in found.labels]
    assert len(tables) == len({tuple(sorted(map(str, table))) for table in tables}) == math.comb(4 + 5 - 1, 5)
    assert found.remark == "the tables of 5 rows are those with sorted rows"
    left, right = (tables[place] for place in found.adjacent[0])
    assert sum((Counter(left) - Counter(right)).values()) == 1


def test_an_empty_table_is_left_out_where_a_mechanism_takes_none():
    for least, empty in ((1, False), (0, True)):
        problem = Problem.of_table({"a": [0, 1]}, rows=3, least_rows=least)
        assert Problem.from_dict(problem.to_dict()) == problem
        assert ("[]" in small_tables(problem, Adjacency.ADD_ROW, 1).labels) == empty


def test_the_audited_tables_have_the_rows_of_the_problem_and_the_outputs_of_the_promise():
    groups = audited_tables(TWO, Adjacency.REPLACE_ROW, 3, outputs=2)
    assert groups == audited_tables(TWO, Adjacency.REPLACE_ROW, 3, outputs=2)
    for group in groups:
        assert {len(from_text(label)) for label in group.labels} == {3}
        assert all(left == 0 for left, _ in group.adjacent)
        assert len(group.schedule) == 2
    # Only the neighbours that are taken are made.
    many = Problem.of_table({name: list(range(100)) for name in "abcd"}, rows=30)
    assert all(len(group.pairs) <= 24 for group in audited_tables(many, Adjacency.REPLACE_ROW, 0))


def test_tables_without_neighbours_are_not_judged():
    promise = Promise(epsilon=1, adjacency=Adjacency.REPLACE_ROW, observed="output", intrusions=0)
    with pytest.raises(InputError, match="no two of the inputs differ"):
        judged(Problem.of_table({"a": ["only"]}, rows=2)).catalogue(promise, ())


@pytest.mark.parametrize(
    ("name", "adjacency"),
    [
        ("FirstRow", "add-row"),
        pytest.param("WhetherEmpty", "remove-row", marks=pytest.mark.more),
        pytest.param("SumOfBits", None, marks=pytest.mark.more),
    ],
)
def test_a_row_that_is_added_first_or_to_an_empty_table_counts_and_several_outputs_add_their_losses(name, adjacency):
    promise = f"epsilon=1,adjacency={adjacency},observed=output,intrusions=0"
    stated = Promise.parse(promise) if adjacency else None
    result = checked(find_mechanism(f"{HERE}:{name}", parameters={}, promise=stated), users=2)
    assert result.verdict is Verdict.REFUTED
    assert adjacency or result.loss.nats == pytest.approx(2)
