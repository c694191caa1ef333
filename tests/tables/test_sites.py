"""Algorithms over sites: partitions, what the analyst receives, budgets, and the exact loss."""

from __future__ import annotations

import json
import math
import os
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pan_audits.exact.check import run_check
from pan_audits.exact.instances import SmallInstances
from pan_audits.exact.result import CheckSettings
from pan_audits.judging.verdict import Verdict
from pan_audits.subject.intake.discovery import find_mechanism
from pan_estimators import create_estimator
from pan_estimators.randomness import NumpyRandomness
from pan_estimators.tables.schema import binary
from pan_estimators.tables.sites import protocol
from pan_estimators.tables.sites.messages import Counts, Message, Recorded, Replayed
from pan_estimators.tables.sites.protocol import Partition, Sites
from pan_estimators.tables.sites.site import Local, Site
from pan_estimators.tables.table import Table
from pan_promises.errors import InputError
from pan_promises.promise import Promise

TWO = json.dumps(binary(2).to_dict())
THREE = binary(3)
NAMES = [
    "distributed-parameters",
    "noisy-sufficient-statistics",
    "noisy-majority-vote",
    "printed-majority-vote",
    "noisy-shared-model",
    "printed-shared-model",
]
ADDED = "epsilon=1,adjacency=add-row,observed=transcript,intrusions=0"


def table_of(rows, schema=THREE, seed=0):
    codes = np.random.default_rng(seed).integers(0, 2, size=(rows, len(schema.attributes)))
    codes[:, 1] = codes[:, 0]
    return Table(schema, codes)


def checked(name, promise=None, **parameters):
    stated = None if promise is None else Promise.parse(promise)
    mechanism = find_mechanism(name, parameters={"epsilon": 1.0, "schema": TWO, **parameters}, promise=stated)
    return run_check(SmallInstances.of(mechanism), CheckSettings(users=2, length=1, seconds=100))


@settings(max_examples=50, deadline=None)
@given(
    rule=st.one_of(st.just("round-robin"), st.sampled_from("abc"), st.lists(st.floats(0.1, 9), min_size=1, max_size=5)),
    sites=st.integers(1, 6),
    rows=st.integers(1, 30),
)
def test_a_partition_gives_each_row_to_one_site(rule, sites, rows):
    table = table_of(rows)
    parts = Partition(rule, sites, THREE).split(table).tables
    together = Counter(row for part in parts for row in part.to_rows())
    assert together == Counter(table.to_rows())
    if rule == "round-robin":
        assert max(part.rows for part in parts) - min(part.rows for part in parts) <= 1


def test_sites_of_unequal_sizes_and_of_a_column():
    table = table_of(20)
    assert [part.rows for part in Partition([3, 1], 1, THREE).split(table).tables] == [15, 5]
    by_column = Partition("b", 1, THREE)
    assert [set(part.codes[:, 1].tolist()) for part in by_column.split(table).tables] == [{0}, {1}]
    assert not by_column.has_public_sizes


class Intercepted(Local):
    """A channel that keeps all that passes, with the questions as they are."""

    passed: list = []  # noqa: RUF012 - a test clears it

    def ask(self, site, question):
        answer = super().ask(site, question)
        self.passed.append((site, question.words, answer))
        return answer


@pytest.mark.parametrize("name", NAMES)
def test_the_analyst_receives_the_transcript_and_nothing_else(name, monkeypatch):
    monkeypatch.setattr(protocol, "Local", Intercepted)
    Intercepted.passed.clear()
    mechanism = create_estimator(name, epsilon=50.0, schema=THREE, sites=3)
    transcript = mechanism.release(table_of(60), NumpyRandomness(1))
    assert [(one.site, one.question, one.answer) for one in transcript] == Intercepted.passed
    assert {one.site for one in transcript} == {0, 1, 2}
    # The model is computed from the transcript alone, also after it went through a file.
    again = [Message(**one) for one in json.loads(json.dumps([vars(one) for one in transcript]))]
    model = mechanism.post_process(again)
    assert sorted(place for place, _ in model.structure) == [0, 1, 2]
    rows = mechanism.sample(model, 500, NumpyRandomness(2))
    if name != "distributed-parameters":
        # The first two columns are equal, and the budget is large.
        assert sum(row[0] == row[1] for row in rows) > 350
    with pytest.raises(InputError, match="the transcript has no answer of site 1"):
        mechanism.post_process([one for one in again if one.site])


@pytest.mark.parametrize("name", NAMES)
def test_a_site_spends_its_budget_and_no_more(name):
    mechanism = create_estimator(name, epsilon=2.0, schema=THREE, sites=3)
    holders = mechanism.holders(table_of(30), NumpyRandomness(1))
    mechanism.ask(Recorded(Local(holders)))
    assert [site.spent for site in holders] == pytest.approx([2.0] * 3)
    with pytest.raises(InputError, match="the budget of the site is spent: 2 of 2 are used"):
        holders[0].answer(Counts((0, 1, 2), 0.1))


def test_a_site_that_is_asked_twice_or_starts_again_gives_the_same_answer_and_spends_nothing(tmp_path):
    record = tmp_path / "answers"
    question, other = Counts((0,), 0.5), Counts((1,), 0.5)
    site = Site(table_of(9), 1.0, NumpyRandomness(1), record)
    first = site.answer(question)
    assert site.answer(question) == first
    assert site.spent == 0.5
    restarted = Site(table_of(9), 1.0, NumpyRandomness(2), record)
    assert restarted.spent == 0.5
    assert restarted.answer(question) == first
    assert restarted.answer(other) != first
    assert restarted.spent == 1.0
    with pytest.raises(InputError, match="the budget of the site is spent"):
        restarted.answer(Counts((2,), 0.5))
    record.write_text("no JSON")
    with pytest.raises(InputError, match="cannot read the answers of a site"):
        Site(table_of(9), 1.0, NumpyRandomness(2), record)


class Fails:
    """A question whose answer ends the site half way."""

    words, epsilon = "fails", 0.5

    def answer(self, table, randomness):
        randomness.laplace(0.0, 1.0)
        raise ConnectionError


def test_a_site_that_dies_while_it_answers_has_spent_the_budget():
    site = Site(table_of(9), 1.0, NumpyRandomness(1))
    with pytest.raises(ConnectionError):
        site.answer(Fails())
    assert site.spent == 0.5


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks on this system")
def test_a_forked_process_does_not_spend_the_budget_again():
    site = Site(table_of(9), 1.0, NumpyRandomness(1))
    child = os.fork()
    if not child:
        told = 0
        try:
            site.answer(Counts((0,), 0.5))
        except InputError as problem:
            told = 17 if "belongs to the parent" in str(problem) else 1
        finally:
            os._exit(told)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 17
    assert len(site.answer(Counts((0,), 0.5)))


@pytest.mark.parametrize("budget", [math.nan, math.inf, 0.0, -1.0])
def test_a_question_without_a_budget_is_refused_before_it_spends(budget):
    site = Site(table_of(9), 1.0, NumpyRandomness(1))
    with pytest.raises(InputError, match="the budget of a question must be positive and finite"):
        site.answer(Counts((0,), budget))
    assert site.spent == 0
    with pytest.raises(InputError, match="the budget of the site is spent: 0 of 1 are used"):
        site.answer(Counts((0,), 1000.0))
    with pytest.raises(InputError, match="epsilon must be positive and finite"):
        Site(table_of(9), budget, NumpyRandomness(1))


def test_a_record_without_a_budget_is_refused(tmp_path):
    (tmp_path / "answers").write_text('["counts of 0", NaN, [1.0]]\n')
    with pytest.raises(InputError, match="cannot read the answers of a site"):
        Site(table_of(9), 1.0, NumpyRandomness(1), tmp_path / "answers")


def test_an_earlier_answer_with_another_noise_is_no_answer_to_a_later_question():
    site = Site(table_of(9), 1.0, NumpyRandomness(1))
    earlier, later = Counts((0,), 0.1), Counts((0,), 0.5)
    assert site.answer(earlier) != site.answer(later)
    assert site.spent == 0.6
    assert site.answer(Counts((0,), 0.1, "site")) != site.answer(earlier)
    with pytest.raises(InputError, match="the transcript has no answer of site 1"):
        Replayed([Message(0, earlier.words, site.answer(earlier))]).ask(0, later)
    for name, changed in [("noisy-majority-vote", {"score": "R"}), ("noisy-shared-model", {"beta": 0.25})]:
        one, two = (create_estimator(name, epsilon=1.0, schema=THREE, **given) for given in ({}, changed))
        with pytest.raises(InputError, match="the transcript has no answer of site 1"):
            two.post_process(one.release(table_of(9), NumpyRandomness(1)))


@pytest.mark.parametrize(
    "answer", [None, "rows", [], [1.0], [math.nan] * 4, [7, [0]], [1, [0, 2]], [True] * 4, {"a": 1}]
)
@pytest.mark.parametrize("name", NAMES)
def test_an_answer_that_fits_no_question_is_refused_in_one_sentence(name, answer):
    mechanism = create_estimator(name, epsilon=1.0, schema=THREE)
    transcript = mechanism.release(table_of(9), NumpyRandomness(1))
    place = max(number for number, one in enumerate(transcript) if one.site == 1 and one.question[0] in "cm")
    if name.endswith("vote"):
        place = next(number for number, one in enumerate(transcript) if one.site == 1)
    transcript[place] = Message(1, transcript[place].question, answer)
    with pytest.raises(InputError, match="site 2 has sent no answer to the question"):
        mechanism.post_process(transcript)
    with pytest.raises(InputError, match="the transcript has no messages"):
        mechanism.post_process([])


def test_a_transcript_with_two_answers_to_a_question_is_refused():
    with pytest.raises(InputError, match="site 1 answered the question 'model' in two ways"):
        Replayed([Message(0, "model", [1.0]), Message(0, "model", [2.0])])
    channel = Recorded(Local([Site(table_of(9), 1.0, NumpyRandomness(1))]))
    assert channel.ask(0, Counts((0,), 0.5)) == channel.ask(0, Counts((0,), 0.5))
    assert len(channel.messages) == 1


def test_counts_that_are_clipped_at_the_site_are_never_negative():
    for clip in ("site", "analyst"):
        mechanism = create_estimator("noisy-sufficient-statistics", epsilon=0.1, schema=THREE, clip=clip)
        least = min(min(one.answer) for one in mechanism.release(table_of(9), NumpyRandomness(1)))
        assert (least >= 0) is (clip == "site")


def test_sites_with_tables_of_their_own():
    mechanism = create_estimator("noisy-majority-vote", epsilon=1.0, schema=THREE)
    given = Sites.of([[(0, 0, 1)] * 3, {"a": [1], "b": [1], "c": [0]}], THREE)
    assert {one.site for one in mechanism.release(given, NumpyRandomness(1))} == {0, 1}


@pytest.mark.parametrize(
    ("tables", "sentence"),
    [
        ([], "there are no sites"),
        ([[(0, 0, 0)], []], "site 2: the table has no rows"),
        ([[(0, 0, 0)], table_of(3, binary(2))], "site 2: the table has another schema"),
        ([[(0, 0, 2)]], "site 1: the value 2 of 'c' is not in its domain"),
        ([{"a": [0], "b": [0], "d": [0]}], "site 1: the data has the column 'd'"),
    ],
)
def test_bad_sites_give_one_sentence(tables, sentence):
    with pytest.raises(InputError, match=sentence):
        Sites.of(tables, THREE)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"partition": "hospital"}, "or the name of a column, got 'hospital'"),
        ({"partition": [1, 0]}, "the shares of sites are positive numbers"),
        ({"sites": 0}, "the number of sites"),
        ({"epsilon": 0}, "epsilon must be positive"),
        ({"known": [(0, 0, 2)]}, "the value 2 of 'c' is not in its domain"),
        ({"partition": "a"}, "is not public if a column determines the site"),
        ({"clip": "nowhere"}, "at the site or at the analyst, got 'nowhere'"),
        ({"beta": 1}, "beta must lie between 0 and 1"),
        ({"degree": 3}, "the degree"),
    ],
)
def test_bad_settings_give_one_sentence(parameters, sentence):
    with pytest.raises(InputError, match=sentence):
        create_estimator("noisy-majority-vote", **{"epsilon": 1.0, "schema": THREE, **parameters})


@pytest.mark.parametrize("partition", ["round-robin", [2, 1], "a"])
@pytest.mark.parametrize("name", ["distributed-parameters", "noisy-sufficient-statistics"])
def test_counts_of_sites_use_the_whole_budget_also_if_a_row_moves_between_sites(name, partition):
    result = checked(name, partition=partition)
    assert (result.verdict, result.exact) == (Verdict.NOT_REFUTED, True)
    assert result.loss.nats == pytest.approx(1.0, rel=1e-12)


@pytest.mark.more
def test_votes_keep_the_promise():
    assert checked("noisy-majority-vote").loss.nats == pytest.approx(0.5, rel=1e-9)


@pytest.mark.parametrize("name", ["printed-majority-vote", "printed-shared-model"])
def test_printed_weights_have_an_infinite_loss_at_one_site_of_two(name):
    # Two rows at one site: a candidate has the score 0 on one side only.
    result = checked(name, partition=[9, 1])
    assert (result.verdict, result.loss.unbounded) == (Verdict.REFUTED, True)


def test_the_printed_number_of_rows_of_a_site_tells_of_a_row_that_moves():
    result = checked("printed-shared-model", partition="a")
    assert (result.verdict, result.loss.unbounded) == (Verdict.REFUTED, True)


def test_an_added_row_of_a_round_robin_moves_later_rows_to_other_sites():
    # Up to three rows of two sites change: more than the replaced row of the promise.
    assert checked("noisy-sufficient-statistics", ADDED).loss.nats == pytest.approx(2.5, rel=1e-12)
    # By the values of a column an added row changes one site by 1, in place of 2 for a replaced one.
    assert checked("noisy-sufficient-statistics", ADDED, partition="a").loss.nats == pytest.approx(0.5, rel=1e-12)


@pytest.mark.more
@pytest.mark.parametrize("name", ["noisy-sufficient-statistics", "noisy-majority-vote"])
def test_another_site_learns_no_more_with_its_own_rows_and_noise(name):
    result = checked(name, sites=1, known=[[0, 1], [1, 1]])
    assert result.verdict is Verdict.NOT_REFUTED
