"""Algorithms over sites: what the analyst receives, budgets, the exact loss, and the entropy of noisy counts."""

from __future__ import annotations

import json
import math
import os
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pan_audits.judging.verdict import Verdict
from pan_estimators import create_estimator
from pan_estimators.randomness import NumpyRandomness
from pan_estimators.tables.schema import binary
from pan_estimators.tables.sites import protocol
from pan_estimators.tables.sites.messages import Counts, Message, Recorded, Replayed
from pan_estimators.tables.sites.protocol import Partition, Sites
from pan_estimators.tables.sites.site import Local, Site
from pan_estimators.tables.sites.sufficient_statistics import NoisyEntropy, NoisySufficientStatistics
from pan_estimators.tables.table import Table
from pan_promises.errors import InputError
from pan_promises.promise import Promise
from tests.public.tables.broken import TWO, checked

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
    for damaged in ("no JSON", '["counts of 0", NaN, [1.0]]\n'):
        record.write_text(damaged)
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


@pytest.mark.parametrize("budget", [math.nan, math.inf, 0.0])
def test_a_question_without_a_budget_is_refused_before_it_spends(budget):
    site = Site(table_of(9), 1.0, NumpyRandomness(1))
    with pytest.raises(InputError, match="the budget of a question must be positive and finite"):
        site.answer(Counts((0,), budget))
    assert site.spent == 0
    with pytest.raises(InputError, match="the budget of the site is spent: 0 of 1 are used"):
        site.answer(Counts((0,), 1000.0))
    with pytest.raises(InputError, match="epsilon must be positive and finite"):
        Site(table_of(9), budget, NumpyRandomness(1))


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


@pytest.mark.parametrize("name", NAMES)
def test_an_answer_that_fits_no_question_is_refused_in_one_sentence(name):
    mechanism = create_estimator(name, epsilon=1.0, schema=THREE)
    transcript = mechanism.release(table_of(9), NumpyRandomness(1))
    places = [number for number, one in enumerate(transcript) if one.site == 1]
    place = places[0] if name.endswith("vote") else max(one for one in places if transcript[one].question[0] in "cm")
    for answer in (None, "rows", [], [1.0], [math.nan] * 4, [7, [0]], [1, [0, 2]], [True] * 4, {"a": 1}):
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


FIRST, VOTE, ALONE = "noisy-sufficient-statistics", "noisy-majority-vote", {"sites": 1, "known": [[0, 1], [1, 1]]}
MORE = pytest.mark.more


@pytest.mark.parametrize(
    ("name", "promise", "parameters", "loss"),
    [
        # The counts use the whole budget, also if a row moves between sites.
        *(
            (name, None, {"partition": partition}, 1.0)
            for name in ("distributed-parameters", FIRST)
            for partition in ("round-robin", [2, 1], "a")
        ),
        # Up to three rows of two sites change in a round-robin: more than the replaced row of the promise.
        (FIRST, ADDED, {}, 2.5),
        # By the values of a column an added row changes one site by 1, in place of 2 for a replaced one.
        (FIRST, ADDED, {"partition": "a"}, 0.5),
        pytest.param(VOTE, None, {}, 0.5, marks=MORE),
        # Another site learns no more with its own rows and noise.
        pytest.param(FIRST, None, ALONE, None, marks=MORE),
        pytest.param(VOTE, None, ALONE, None, marks=MORE),
        # Two rows at one site: a candidate has the score 0 on one side only.
        ("printed-majority-vote", None, {"partition": [9, 1]}, math.inf),
        ("printed-shared-model", None, {"partition": [9, 1]}, math.inf),
        # The printed number of rows of a site tells of a row that moves.
        ("printed-shared-model", None, {"partition": "a"}, math.inf),
    ],
)
def test_the_exact_loss_of_the_transcript(name, promise, parameters, loss):
    found = checked(name, 2, schema=TWO, promise=promise and Promise.parse(promise), **parameters)
    if loss == math.inf:
        assert (found.verdict, found.loss.unbounded) == (Verdict.REFUTED, True)
    elif loss is None:
        assert found.verdict is Verdict.NOT_REFUTED
    else:
        assert found.loss.nats == pytest.approx(loss, rel=1e-9)
        assert found.verdict is (Verdict.REFUTED if loss > 1 else Verdict.NOT_REFUTED)


RUNS = 4000


def drawn(estimator, exact, seed=1):
    """Noisy counts of many runs."""
    random = np.random.default_rng(seed)
    counts = random.multinomial(estimator.rows, exact, size=RUNS).astype(np.float64)
    noise = random.laplace(0, estimator.scale or 1e-300, (estimator.sites, RUNS, len(exact)))
    return counts + noise.sum(axis=0)


def entropy(exact):
    kept = exact[exact > 0]
    return float(-(kept * np.log(kept)).sum())


@pytest.mark.parametrize(
    ("exact", "rows", "sites", "scale"),
    [
        (np.full(20, 0.05), 500, 3, 4.0),
        (np.array([0.5, 0.3, 0.1, 0.07, 0.03]), 400, 5, 5.0),
        (np.array([0.5, 0.5, *[0.0] * 14]), 1000, 3, 10.0),
    ],
)
def test_the_corrected_estimator_has_a_fraction_of_the_bias(exact, rows, sites, scale):
    estimator = NoisyEntropy(rows, sites, scale)
    counts = drawn(estimator, exact)
    plain = np.array([entropy(line / rows) for line in counts]) - entropy(exact)
    corrected = np.array(list(map(estimator.corrected, counts))) - entropy(exact)
    assert abs(plain.mean()) > 0.01
    assert abs(corrected.mean()) < 0.75 * abs(plain.mean())
    assert np.sqrt((corrected**2).mean()) < np.sqrt((plain**2).mean())


def test_the_entropies_of_a_transcript():
    codes = np.random.default_rng(0).integers(0, 2, (4000, 3))
    codes[:, 1] = codes[:, 0]
    table, mechanism = Table(binary(3), codes), NoisySufficientStatistics(binary(3), 2.0, sites=3)
    transcript = mechanism.release(table, NumpyRandomness(1))
    found = mechanism.entropies(transcript, 4000)
    assert set(found) == {(0, 1), (0, 2), (1, 2)}
    assert found[0, 1] == pytest.approx(math.log(2), abs=0.03)
    assert found[0, 2] == pytest.approx(2 * math.log(2), abs=0.03)
