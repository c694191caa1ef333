"""Functions of a whole input: checked exactly, audited, replayed, and refused with a sentence."""

from __future__ import annotations

import json
import math
from collections import Counter

import pytest

import panproof
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

HERE = "tests.mechanisms.whole_inputs"
QUICK = Settings(runs=20_000, seed=5, workers=1, exact=False, accuracy_runs=0)


def found(name, inputs, epsilon=1.0, **parameters):
    return find_mechanism(f"{HERE}:{name}", parameters={"epsilon": epsilon, **parameters}, inputs=f"{HERE}:{inputs}")


def checked(*arguments, **parameters):
    return run_check(SmallInstances.of(found(*arguments, **parameters)), CheckSettings(seconds=20))


@pytest.mark.parametrize(
    ("name", "inputs", "parameters", "loss"),
    every(
        2,
        [
            ("randomised_response", "bits", {}, math.log(3)),
            ("noisy_sum", "sums", {}, 1.0),
            ("noisy_sum", "sums", {"scale": 0.5}, 2.0),
            ("changes_its_input", "sums", {}, 1.0),
            ("forgets_the_noise", "sums", {}, math.inf),
        ],
    ),
)
def test_the_loss_on_the_given_pairs_is_exact(name, inputs, parameters, loss):
    result = checked(name, inputs, **parameters)
    assert result.loss.nats == pytest.approx(loss)
    assert result.verdict is (Verdict.REFUTED if loss > 1 else Verdict.NOT_REFUTED)


def test_a_function_that_keeps_nothing_is_checked_in_one_process(monkeypatch):
    def no_process(*arguments, **options):
        pytest.fail("the check started a further process")

    monkeypatch.setattr(IsolatedEstimator, "_new_process", no_process)
    assert checked("converts_its_noise", "sums").verdict is Verdict.NOT_REFUTED


@pytest.mark.parametrize("place", ["global", "default", "closure"])
def test_what_a_function_keeps_between_two_calls_is_seen(place):
    result = checked(f"remembers_in_a_{place}", "sums")
    assert result.verdict is Verdict.INCONCLUSIVE
    assert any(words in result.reason for words in ("outside of its state", "its random choices are repeated"))


def test_what_an_object_keeps_between_two_calls_is_seen():
    mechanism = find_mechanism(f"{HERE}:RemembersInItself", parameters={})
    result = run_check(SmallInstances.of(mechanism), CheckSettings(users=1, seconds=20))
    assert result.verdict is Verdict.INCONCLUSIVE
    assert any(words in result.reason for words in ("outside of its state", "its random choices are repeated"))


@pytest.mark.more
def test_one_pair_that_is_given_is_the_one_that_is_tested_with_all_runs():
    report = run_gate(found("randomised_response", "bits", 1.2), QUICK)
    assert report.verdict is Verdict.NOT_REFUTED
    assert report.privacy.pairs == 1


@pytest.mark.slow
def test_an_audit_of_a_function_refutes_and_its_witness_is_replayed():
    mechanism = found("noisy_sum", "sums", scale=0.5)
    report = run_gate(mechanism, QUICK)
    assert report.verdict is Verdict.REFUTED
    assert 1 < report.privacy.loss <= 2
    document = json.loads(json.dumps(report.privacy.witness.to_dict()))
    witness = Witness.from_dict(document)
    assert witness.describe() == report.privacy.witness.describe()
    with pytest.raises(InputError, match="panproof does not ship"):
        estimator_of(witness)
    again = replay_witness(
        witness, estimator_of(witness, mechanism.name, inputs=mechanism.inputs), fresh=False, workers=1
    )
    assert again.identical


@pytest.mark.more
def test_a_witness_of_an_exact_check_is_computed_afresh():
    result = checked("noisy_sum", "sums", scale=0.5)
    document = json.loads(json.dumps(result.minimal.to_dict()))
    stored, fresh = replay_exact(document, third_party=f"{HERE}:noisy_sum", inputs=f"{HERE}:sums")
    assert stored.loss.nats == pytest.approx(fresh.loss.nats)
    assert "The input is" in fresh.describe()


@pytest.mark.parametrize(
    ("name", "inputs", "words"),
    [
        ("noisy_sum", "nothing", "2 to 4096 inputs"),
        ("noisy_sum", "no_pairs", "pairs of two inputs"),
        ("noisy_sum", "one_object", "are one object"),
        ("noisy_sum", "absent", "has no 'absent'"),
    ],
)
def test_what_gives_no_neighbours_is_refused(name, inputs, words):
    with pytest.raises(InputError, match=words):
        found(name, inputs)


def test_a_function_without_neighbours_is_told_how_to_give_them():
    with pytest.raises(InputError, match="--neighbours"):
        find_mechanism(f"{HERE}:noisy_sum", parameters={"epsilon": 1.0})


def test_the_judged_code_does_not_choose_the_pairs_on_which_it_is_judged():
    with pytest.raises(InputError, match="says itself which inputs are neighbours"):
        find_mechanism(f"{HERE}:ChoosesItsNeighbours", parameters={})


def test_only_the_neighbours_that_are_taken_are_made():
    many = Problem.of_table({name: list(range(100)) for name in "abcd"}, rows=30)
    groups = audited_tables(many, Adjacency.REPLACE_ROW, 0)
    assert all(len(group.pairs) <= 24 for group in groups)


@pytest.mark.parametrize("values", [[1, True], [1, 1.0], [0.0, -0.0], ["a", "a"]])
def test_a_column_of_equal_values_is_refused(values):
    with pytest.raises(InputError, match="the values of the column 's' must differ"):
        Problem.of_table({"s": values}, rows=1)


def test_tables_without_neighbours_are_not_judged():
    one = Problem.of_table({"a": ["only"]}, rows=2)
    promise = Promise(epsilon=1, adjacency=Adjacency.REPLACE_ROW, observed="output", intrusions=0)
    with pytest.raises(InputError, match="no two of the inputs differ"):
        judged(one).catalogue(promise, ())

    class Constant:
        problem = one

        def release(self, table, rng):
            return rng.laplace()

    result = panproof.check(Constant, promise=promise)
    assert result.verdict is Verdict.INCONCLUSIVE
    assert "no two of the inputs differ" in result.report.reason


def test_neighbours_are_not_for_an_estimator_of_streams():
    with pytest.raises(InputError, match="given its whole input"):
        find_mechanism("dwork", parameters={"epsilon": 0.5}, inputs=f"{HERE}:bits")


BATCHES = "tests.mechanisms.batches"


def in_batches(name, **parameters):
    return find_mechanism(f"{BATCHES}:{name}", parameters={"epsilon": 1.0, **parameters}, inputs=f"{BATCHES}:pairs")


@pytest.mark.parametrize("name", ["correct", "correct_without_default", "correct_with_two_numbers"])
def test_the_exact_check_calls_a_function_that_takes_a_size_for_one_output(name):
    result = run_check(SmallInstances.of(in_batches(name)), CheckSettings(seconds=20))
    expected = 0.5 if name == "correct_with_two_numbers" else 1.0
    assert result.loss.nats == pytest.approx(expected)


@pytest.mark.slow
def test_an_audit_makes_most_runs_of_a_function_that_takes_a_size_in_batches():
    report = run_gate(in_batches("correct"), QUICK)
    assert report.verdict is Verdict.NOT_REFUTED
    assert report.findings == ()
    assert report.privacy.runs == 20_000
    assert report.privacy.singly == 0.25
    again = run_gate(in_batches("correct"), QUICK)
    assert again.privacy.to_dict() == report.privacy.to_dict()


@pytest.mark.slow
def test_a_refutation_of_a_function_that_takes_a_size_is_replayed_by_single_runs():
    mechanism = in_batches("correct", scale=0.5)
    report = run_gate(mechanism, QUICK)
    assert report.verdict is Verdict.REFUTED
    assert 1 < report.privacy.loss <= 2
    witness = Witness.from_dict(json.loads(json.dumps(report.privacy.witness.to_dict())))
    single = find_mechanism(
        f"{BATCHES}:single_runs_of_correct", parameters={"epsilon": 1.0, "scale": 0.5}, inputs=f"{BATCHES}:pairs"
    )
    assert replay_witness(witness, single.estimator, fresh=False, workers=1).identical


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        pytest.param("shares_its_noise", Verdict.INCONCLUSIVE, marks=pytest.mark.more),
        pytest.param("ignores_its_data", Verdict.INCONCLUSIVE, marks=pytest.mark.more),
        pytest.param("leaks_in_batches", Verdict.INCONCLUSIVE, marks=pytest.mark.more),
        pytest.param("gives_too_few", Verdict.INCONCLUSIVE, marks=pytest.mark.more),
        pytest.param("leaks_and_hides_it", Verdict.REFUTED, marks=pytest.mark.more),
    ],
)
def test_batches_that_are_not_single_runs_give_no_false_verdict(name, verdict):
    report = run_gate(in_batches(name), QUICK)
    assert report.verdict is verdict
    assert [finding.check for finding in report.findings] == ["batches"]
    assert report.privacy.singly == 1.0


TWO = Problem.of_table({"a": [0, 1], "b": ["x", None]}, rows=3)


def test_tables_are_read_as_they_were_written():
    table = ((0, "x"), (1, None))
    assert from_text(to_text(table)) == table


@pytest.mark.parametrize("adjacency", [Adjacency.REPLACE_ROW, Adjacency.ADD_ROW])
def test_neighbours_differ_as_their_adjacency_says(adjacency):
    table = ((0, "x"), (1, None))
    for other in neighbours(table, TWO, adjacency):
        if adjacency is Adjacency.ADD_ROW:
            assert any(other[:place] + other[place + 1 :] == table for place in range(len(other)))
        else:
            assert len(other) == len(table)
            assert sum(a != b for a, b in zip(table, other, strict=True)) == 1


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
    problem = Problem.of_table({"a": [0, 1]}, rows=3, least_rows=1)
    assert Problem.from_dict(problem.to_dict()) == problem
    assert "[]" not in small_tables(problem, Adjacency.ADD_ROW, 1).labels
    assert "[]" in small_tables(Problem.of_table({"a": [0, 1]}, rows=3), Adjacency.ADD_ROW, 1).labels


def test_the_audited_tables_have_the_number_of_rows_that_the_problem_says():
    for group in audited_tables(TWO, Adjacency.REPLACE_ROW, 3):
        assert {len(from_text(label)) for label in group.labels} == {3}
        assert all(left == 0 for left, _ in group.adjacent)
    assert audited_tables(TWO, Adjacency.REPLACE_ROW, 3) == audited_tables(TWO, Adjacency.REPLACE_ROW, 3)


def test_a_row_is_added_at_any_place():
    table = ((0, "x"), (1, None))
    rows = {(a, b) for a in (0, 1) for b in ("x", None)}
    inserted = {(*table[:place], row, *table[place:]) for place in range(3) for row in rows}
    assert set(neighbours(table, TWO, Adjacency.ADD_ROW)) == inserted


def table_check(name, promise=None):
    stated = None if promise is None else Promise.parse(promise)
    mechanism = find_mechanism(f"{HERE}:{name}", parameters={}, promise=stated)
    return run_check(SmallInstances.of(mechanism), CheckSettings(users=2, seconds=20))


@pytest.mark.more
def test_several_outputs_on_a_table_add_their_losses():
    result = table_check("SumOfBits")
    assert result.loss.nats == pytest.approx(2)
    assert result.verdict is Verdict.REFUTED


def test_an_audit_of_tables_sees_as_many_outputs_as_the_promise_says():
    for group in audited_tables(TWO, Adjacency.REPLACE_ROW, 3, outputs=2):
        assert len(group.schedule) == 2


@pytest.mark.parametrize("adjacency", every(2, ["add-row", "remove-row"]))
@pytest.mark.parametrize("name", ["FirstRow", "WhetherEmpty"])
def test_a_row_that_is_added_first_or_to_an_empty_table_counts(name, adjacency):
    result = table_check(name, f"epsilon=1,adjacency={adjacency},observed=output,intrusions=0")
    assert result.verdict is Verdict.REFUTED
